//! Between two events a caller looks at a world, climbs to a level, moves a knob, begins random streams anew, changes what
//! may change.

use backwater_scenario::{Folders, Resolved, Scenario};
use backwater_sim::ids::PortId;
use backwater_sim::knob::Place;
use backwater_sim::record::What;
use backwater_sim::world::{ClassReport, Climbed, Count, Course, Goal, Injected, Report, World};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Time};

const US: u64 = 1_000_000;
const MS: u64 = 1_000 * US;

fn resolved(text: &str) -> Resolved {
    let text = format!("schema = \"backwater/scenario/1\"\n{text}");
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    let resolved = scenario.and_then(|scenario| scenario.resolve(Some(1)));
    resolved.unwrap_or_else(|said| panic!("{said}"))
}

fn built(text: &str) -> World {
    resolved(text)
        .build()
        .unwrap_or_else(|said| panic!("{said}"))
}

fn port(world: &World, name: &str) -> PortId {
    let ports = &world.network().ports;
    let found = ports.ids().find(|id| ports[*id].more.name == name);
    found.unwrap_or_else(|| panic!("no port {name}"))
}

/// Two flows bring three packets each to a line of 10 Mbit/s at once. A frame of 1,518 B with preamble and gap takes 1,230.4 us.
fn burst(buffer: &str, later: &str) -> World {
    built(&format!(
        r#"
duration = "100 ms"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.q = {{ ends = ["S", "D"], rate = "10 Mbit/s", delay = "0 s" }}
ports."S>D" = {{ buffer = "{buffer}" }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "packet-list", at_us = [0, 0, 0{later}], bytes = [1500] }} }}
flows.g = {{ from = "S", to = "D", source = {{ kind = "packet-list", at_us = [0, 0, 0], bytes = [1500] }} }}
"#
    ))
}

/// When n frames have left, and the gaps behind them.
fn gone(n: u64) -> Time {
    Time(n * 1_230_400_000)
}

#[test]
fn a_caller_sees_what_waits_and_runs_up_to_a_level() {
    let mut world = burst("unlimited", "");
    let q = [port(&world, "S>D")];
    assert_eq!((world.fingerprint(), world.waiting(&q)), (0, 0));
    // The first begins to leave. The last of them comes at once, so a level of five is reached in the first instant.
    assert!(world.advance_until(&q, 5, Time(MS)));
    assert_eq!((world.now(), world.waiting(&q)), (Time(0), 5));
    // It is at the level still; and what no level is comes at the end.
    assert!(world.advance_until(&q, 4, Time(MS)));
    assert_eq!(world.now(), Time(0));
    assert!(!world.advance_until(&q, 6, Time(MS)));
    assert_eq!((world.now(), world.waiting(&q)), (Time(MS), 5));
}

#[test]
fn a_climb_ends_at_its_goal_or_where_nothing_is_left() {
    let goal = |score: &[Count], level| Goal {
        score: score.to_vec(),
        level,
    };
    let climb = |world: &mut World, goals: &[Goal], empty: &[Count], to: Time, most: &mut u64| {
        let floor = 0;
        world.climb(
            &Course {
                goals,
                empty,
                to,
                floor,
            },
            most,
        )
    };
    let to = Time(90 * MS);
    let start = burst("unlimited", "");
    let q = port(&start, "S>D");
    let (waiting, bytes) = ([Count::Waiting(q)], [Count::Bytes(q)]);
    // The level of the first goal is met by the fourth packet. The others of the instant are served, too, and meet the second.
    for (second, reached) in [(5, 1), (6, 0)] {
        let (mut world, mut most) = (start.clone(), 0);
        let goals = [goal(&waiting, 3), goal(&waiting, second)];
        let found = climb(&mut world, &goals, &[], to, &mut most);
        assert_eq!(
            (found, most, world.now()),
            (Climbed::Goal(reached), 5, Time(0))
        );
        assert_eq!(world.score(&waiting), 5);
        assert_eq!(world.score(&bytes), 6 * 1518);
        assert_eq!(
            world.score(&[bytes[0], waiting[0], Count::Lost]),
            6 * 1518 + 5
        );
    }
    // A level that was reached before counts for the first goal alone.
    for (goals, due) in [
        ([goal(&waiting, 9), goal(&waiting, 10)], Climbed::Goal(0)),
        ([goal(&waiting, 11), goal(&waiting, 9)], Climbed::Over),
    ] {
        let mut most = 10;
        let mut world = start.clone();
        assert_eq!(climb(&mut world, &goals, &[], to, &mut most), due);
        assert_eq!(most, 10);
    }
    // Bytes of the frame in transmission count. Of one byte more there are none: the place is empty after six frames, or the time is over.
    let mut world = start.clone();
    let found = climb(&mut world, &[goal(&bytes, 6 * 1518)], &bytes, to, &mut 0);
    assert_eq!(found, Climbed::Goal(0));
    let high = [goal(&bytes, 6 * 1518 + 1)];
    for (empty, until, due) in [
        (&bytes[..], to, Climbed::Empty),
        (&waiting[..], to, Climbed::Empty),
        (&[], to, Climbed::Over),
        (&bytes[..], Time(gone(6).0 - 100 * US), Climbed::Over),
    ] {
        let (mut world, mut most) = (start.clone(), 0);
        assert_eq!(climb(&mut world, &high, empty, until, &mut most), due);
        assert_eq!(most, 6 * 1518);
        if due == Climbed::Over {
            assert_eq!(world.now(), until);
        }
    }
    // A packet at 50 ms finds a place that was empty: that is seen before it comes.
    let mut world = burst("unlimited", ", 50000");
    world.advance(Time(0));
    let found = climb(&mut world, &high, &bytes, to, &mut 0);
    assert_eq!(found, Climbed::Empty);
    assert!(world.now() < Time(10 * MS), "{}", world.now());
    // Losses of both flows are a score.
    for (level, due) in [(4, Climbed::Goal(0)), (5, Climbed::Over)] {
        let mut world = burst("3036 B", "");
        let found = climb(&mut world, &[goal(&[Count::Lost], level)], &[], to, &mut 0);
        assert_eq!(found, due);
        assert_eq!(world.score(&[Count::Lost]), 4);
    }
}

/// A tenth more than a line of 10 Mbit/s takes, for a second.
fn overload(queue: &str, more: &str) -> String {
    format!(
        r#"
duration = "1 s"
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }}, X = {{ kind = "switch" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "X"], rate = "100 Mbit/s", delay = "0 s" }}
links.b = {{ ends = ["B", "X"], rate = "100 Mbit/s", delay = "0 s" }}
links.q = {{ ends = ["X", "D"], rate = "10 Mbit/s", delay = "0 s" }}
ports."X>D" = {{ buffer = "2 MB"{queue} }}
flows.f = {{ from = "A", to = "D", source = {{ kind = "cbr", packet = "1500 B", rate = "6 Mbit/s" }} }}
flows.g = {{ from = "B", to = "D", source = {{ kind = "cbr", packet = "1500 B", rate = "6 Mbit/s" }} }}
{more}
"#
    )
}

#[test]
fn a_knob_of_a_queue_moves_what_it_does() {
    let text = overload(r#", queue = { kind = "codel", target = "5 ms" }"#, "");
    let drops = |turned: Option<f64>| {
        let mut world = built(&text);
        let place = Place::Queue(port(&world, "X>D"));
        world.advance(Time(300 * MS));
        let range = world.range(&place, "target").expect("a knob");
        assert_eq!((range.low, range.high, range.now), (1e-6, 100.0, 5e-3));
        if let Some(value) = turned {
            world.turn(&place, value);
            let now = world.range(&place, "target").expect("a knob").now;
            assert_eq!(now, value.clamp(range.low, range.high));
        }
        let before: u64 = world.drops_by_cause().into_values().sum();
        assert!(before > 0, "CoDel drops after 5 ms of queue");
        world.advance(world.end());
        world.drops_by_cause().into_values().sum::<u64>() - before
    };
    // A target that no delay reaches ends the drops; as it stands it goes on.
    assert!(drops(None) > 8, "{}", drops(None));
    assert!(drops(Some(50.0)) <= 1, "{}", drops(Some(50.0)));
    assert!(drops(Some(1e9)) <= 1, "{}", drops(Some(1e9)));
    let mut world = built(&text);
    let place = Place::Queue(port(&world, "X>D"));
    let said = world.range(&place, "limit").unwrap_err();
    assert!(
        said.what.contains("`limit`") && said.what.contains("`target`"),
        "{}",
        said.what
    );
    let plain = Place::Queue(port(&world, "A>X"));
    let said = world.range(&plain, "target").unwrap_err();
    assert!(said.what.contains("nothing here"), "{}", said.what);
}

#[test]
fn a_knob_of_a_mechanism_moves_its_detectors_alone() {
    let mechanism = |name: &str, at: &str| {
        format!(
            r#"mechanisms.{name} = {{ recipe = "pause", at = ["{at}"], detect = {{ kind = "watermark", low = "1 %", high = "2 %" }} }}"#
        )
    };
    let one = mechanism("m", "X>D");
    let text = overload("", &one);
    let mut world = built(&text);
    let place = Place::Mechanism(0, vec![port(&world, "X>D")]);
    let range = world.range(&place, "high").expect("a knob");
    assert_eq!((range.low, range.high, range.now), (0.01, 1.0, 0.02));
    assert!(world.range(&place, "low").is_err());
    // Where the mechanism has no detector there is no knob.
    let elsewhere = Place::Mechanism(0, vec![port(&world, "A>X")]);
    assert!(world.range(&elsewhere, "high").is_err());
    // 2 Mbit/s too many fill 2 % of 2 MB in 160 ms. With the mark at half of the buffer nobody is told in this second.
    let notices = |turned: Option<f64>| {
        let mut world = built(&text);
        if let Some(value) = turned {
            world.turn(&place, value);
            assert_eq!(world.range(&place, "high").expect("a knob").now, value);
        }
        world.advance(world.end());
        world.report().control
    };
    assert!(notices(None) > 0);
    assert_eq!(notices(Some(0.5)), 0);
    // Turned in the middle of a run: congestion begins at the new mark. 40 kB are there at 200 ms, 100 kB at 500.
    let mut world = built(&text);
    world.turn(&place, 0.05);
    world.advance(Time(200 * MS));
    assert_eq!(world.report().control, 0);
    world.turn(&place, 0.02);
    world.advance(world.end());
    assert!(world.report().control > 0);
}

/// The rest of a run differs in a fork that draws anew, from the run itself and from a fork by another number; the same number
/// gives the same. Each world has one random part.
#[test]
fn every_random_part_draws_anew() {
    let line = |node: &str, link: &str, port: &str, flow: &str| {
        format!(
            r#"
duration = "600 ms"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }}{node} }}
links.q = {{ ends = ["S", "D"], delay = "1 ms", {link} }}
{port}
flows.f = {{ from = "S", to = "D", {flow} }}
"#
        )
    };
    let wire = r#"rate = "10 Mbit/s""#;
    let cbr = r#"source = { kind = "cbr", packet = "1000 B", rate = "9 Mbit/s", phase = "start" }"#;
    let poisson = r#"source = { kind = "poisson", packet = "1000 B", rate = "5 Mbit/s" }"#;
    let many =
        r#"source = { kind = "cbr", packet = "1000 B", rate = "12 Mbit/s", phase = "start" }"#;
    let red = r#"ports."S>D" = { queue = { kind = "red", min = "5 kB", max = "20 kB" } }"#;
    let lossy = r#"rate = "10 Mbit/s", boxes = [{ kind = "loss", share = "20 %" }]"#;
    let fabric = |choose: &str, spread: &str| {
        format!(
            r#"
duration = "6 ms"
topology = {{ kind = "leaf-spine", leaves = 2, spines = 3, hosts = 2, rate = "1 Gbit/s", delay = "1 us" }}
routing = {{ kind = "ecmp"{choose} }}
{spread}
"#
        )
    };
    let trace = r#"
duration = "600 ms"
nodes = { S = { kind = "host" }, D = { kind = "host" } }
links.q = { from = "S", to = "D", kind = "trace", clock = "exact", trace = { kind = "cox", peak = "10 Mbit/s" } }
links.back = { from = "D", to = "S", rate = "1 Gbit/s", delay = "0 s" }
flows.f = { from = "S", to = "D", source = { kind = "cbr", packet = "1000 B", rate = "9 Mbit/s", phase = "start" } }
"#;
    let short = r#"ports."S>D" = { buffer = "20 kB" }"#;
    let trials =
        r#"transport = "tcp", controller = { kind = "vivace" }, source = { kind = "bulk" }"#;
    let oblivious = r#"flows.f = { from = "h0", to = "h2", transport = "irn", controller = { kind = "fixed", window = "50 packets" }, spread = { kind = "oblivious" }, source = { kind = "bulk" } }
flows.g = { from = "h1", to = "h3", transport = "irn", controller = { kind = "fixed", window = "50 packets" }, spread = { kind = "oblivious" }, source = { kind = "bulk" } }"#;
    let worlds = [
        ("source", line("", wire, "", poisson)),
        ("loss", line("", lossy, "", cbr)),
        ("red", line("", wire, red, many)),
        (
            "controller",
            line("", wire, short, trials).replace("600 ms", "6 s"),
        ),
        ("trace", trace.to_owned()),
        ("spread", fabric("", oblivious)),
    ];
    for (name, text) in worlds {
        let mut start = built(&text);
        start.advance(Time(start.end().0 / 3));
        let end = |by: &[u64]| {
            let mut world = start.clone();
            by.iter().for_each(|by| world.reseed(*by));
            world.advance(world.end());
            let report = world.report();
            assert!(report.conserved, "{name}");
            report.fingerprint
        };
        let (plain, first, second, twice) = (end(&[]), end(&[1]), end(&[2]), end(&[1, 2]));
        assert_eq!(first, end(&[1]), "{name}");
        for (a, b) in [
            (plain, first),
            (plain, second),
            (first, second),
            (first, twice),
            (second, twice),
        ] {
            assert_ne!(a, b, "{name}");
        }
        // The past stays: forks that end where they began are alike.
        let mut fork = start.clone();
        fork.reseed(5);
        assert_eq!(fork.report().fingerprint, start.report().fingerprint);
    }
    // Where nothing is random nothing changes.
    let mut plain = built(&line("", wire, "", cbr));
    plain.advance(Time(200 * MS));
    let mut fork = plain.clone();
    fork.reseed(1);
    plain.advance(plain.end());
    fork.advance(fork.end());
    assert_eq!(fork.report().fingerprint, plain.report().fingerprint);
}

/// A box that holds each packet for 20 ms becomes one of 5 ms: what is in it comes out as it was told, later ones behind that.
#[test]
fn a_box_in_the_place_of_another_keeps_the_order() {
    let text = |boxes: &str, more: &str| {
        format!(
            r#"
duration = "200 ms"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.q = {{ ends = ["S", "D"], rate = "1 Gbit/s", delay = "0 s", boxes = [{boxes}] }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "packet-list", at_us = [0, 50000, 51000, 90000], bytes = [1000] }}{more} }}
"#
        )
    };
    let slow = r#"{ kind = "delay", delay = "20 ms" }"#;
    let fast = r#"{ kind = "delay", delay = "5 ms" }"#;
    let before = resolved(&text(slow, ""));
    let mut world = before.build().expect("a world");
    world.start_recording();
    world.advance(Time(50_500 * US));
    before
        .change(&mut world, &resolved(&text(fast, "")))
        .expect("a box may change");
    world.advance(world.end());
    let mut at: Vec<u64> = world
        .take_records()
        .iter()
        .filter(|record| record.what == What::Deliver)
        .map(|record| record.at.0 / MS)
        .collect();
    at.sort_unstable();
    assert_eq!(at, [20, 70, 70, 95]);
    // Another kind, one more, or none.
    for other in [
        r#"{ kind = "loss", share = "1 %" }"#.to_owned(),
        format!("{slow}, {fast}"),
        String::new(),
    ] {
        let mut world = before.build().expect("a world");
        let said = before
            .change(&mut world, &resolved(&text(&other, "")))
            .unwrap_err();
        assert!(said.to_string().contains("links.q"), "{said}");
    }
    // A flow that ends sooner sends no more; one that has ended, or would have, is refused.
    let stop = |ms: u64| resolved(&text(slow, &format!(r#", stop = "{ms} ms""#)));
    let mut world = before.build().expect("a world");
    world.advance(Time(50_500 * US));
    let said = before.change(&mut world, &stop(40)).unwrap_err();
    assert!(said.to_string().contains("present"), "{said}");
    before.change(&mut world, &stop(80)).expect("a later end");
    world.advance(Time(85 * MS));
    let said = stop(80).change(&mut world, &stop(95)).unwrap_err();
    assert!(said.to_string().contains("ended"), "{said}");
    world.advance(world.end());
    assert_eq!(world.report().entered, 3);
}

/// Three packets come at once to a port that holds two. So one is lost in the first instant and none later.
#[test]
fn losses_before_the_warm_up_ends_are_in_no_row() {
    let text = |warmup: &str| {
        format!(
            r#"
duration = "1 s"
{warmup}
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.q = {{ ends = ["S", "D"], rate = "10 Mbit/s", delay = "0 s" }}
ports."S>D" = {{ buffer = "3036 B" }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "packet-list", at_us = [0, 0, 0, 500000], bytes = [1500] }} }}
"#
        )
    };
    let drops = |warmup: &str| {
        let mut world = built(&text(warmup));
        world.advance(world.end());
        let report = world.report();
        let rows = report.drops.iter().map(|row| row.count.packets);
        (report.dropped, rows.collect::<Vec<u64>>())
    };
    assert_eq!(drops(""), (1, vec![1]));
    assert_eq!(drops("warmup = \"100 ms\""), (1, vec![]));
}

#[test]
fn a_last_report_says_all_and_gives_the_ends_of_flows_back() {
    let text = r#"
duration = "100 ms"
nodes = { S = { kind = "host" }, D = { kind = "host" } }
links.q = { ends = ["S", "D"], rate = "10 Mbit/s", delay = "0 s" }
flows.f = { from = "S", to = "D", transport = "tcp", controller = { kind = "cubic" }, source = { kind = "bulk", size = "20 kB" } }
"#;
    let mut world = built(text);
    world.advance(world.end());
    let delivered = |report: &Report| -> Vec<u64> {
        let connections = report.connections.iter();
        connections.map(|connection| connection.delivered).collect()
    };
    assert_eq!(delivered(&world.report()), [20_000]);
    assert_eq!(delivered(&world.last_report()), [20_000]);
    assert!(world.report().connections.is_empty());
}

/// A trace takes a packet each millisecond up to 900 ms and none from then on; packets come at twice that rate. They stand still from
/// the instant at which a tenth of the time so far has gone without one: 900 ms are nine tenths of a second. The flow has starved when
/// this holds for a third, at 1,350 ms, although none of its packets was lost.
#[test]
fn packets_stand_still_after_a_tenth_of_the_time_and_a_flow_starves_after_a_third() {
    let opportunities: Vec<String> = (1..=900).map(|ms| ms.to_string()).collect();
    let mut world = built(&format!(
        r#"
duration = "2 s"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.down = {{ kind = "trace", from = "S", to = "D", delay = "0 s", opportunity = "1500 B", overhead = "0 B", clock = "exact", repeat = false, trace = {{ kind = "opportunities", at_ms = [{}] }} }}
links.up = {{ from = "D", to = "S", rate = "1 Gbit/s", delay = "0 s" }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "cbr", packet = "1500 B", rate = "24 Mbit/s", phase = "start" }} }}
"#,
        opportunities.join(", ")
    ));
    for (ms, stands, starves) in [
        (980, false, false),
        (999, false, false),
        (1_000, true, false),
        (1_349, true, false),
        (1_351, true, true),
        (2_000, true, true),
    ] {
        world.advance(Time(ms * MS));
        let report = world.report();
        assert_eq!(report.flows[0].last_delivered, Some(Time(900 * MS)), "{ms}");
        assert_eq!(report.standstill.is_some(), stands, "{ms}");
        assert_eq!(report.flows[0].starved, starves, "{ms}");
        assert_eq!(report.dropped, 0);
    }
}

/// A station sends a packet each 20 ms: one frame, and an acknowledgement from the other station.
#[test]
fn a_caller_sees_since_when_the_first_frame_is_on_the_air() {
    let mut world = built(
        r#"
duration = "200 ms"
media.air.phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s", preamble = "long" }
media.air.mac.access = "dcf"
media.air.channel = { model = "disc", transmit = "100 m", propagation = "0 s" }
nodes.S = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "30 packets" }
nodes.D = { kind = "station", medium = "air", at = ["50 m", "0 m"], buffer = "30 packets" }
flows.f = { from = "S", to = "D", source = { kind = "cbr", packet = "1500 B", rate = "600 kbit/s" } }
"#,
    );
    world.start_air_log();
    let mut whole = world.clone();
    whole.advance(whole.end());
    let frames = whole.take_air_frames(true);
    assert_eq!(whole.on_air_since(), None);
    assert!(frames.len() >= 18, "{}", frames.len());
    for frame in &frames {
        // The shortest is an acknowledgement, with a preamble of 192 us.
        world.advance(Time(frame.at.0 + 100 * US));
        world.take_air_frames(false);
        assert_eq!(world.on_air_since(), Some(frame.at));
    }
    world.advance(world.end());
    assert_eq!(world.on_air_since(), None);
}

/// Packets from outside may go to each host that a wire leads to, also to the first of all, to which no flow leads.
#[test]
fn a_packet_from_outside_may_go_to_the_first_host() {
    let mut world = built(
        r#"
duration = "10 ms"
nodes = { A = { kind = "host" }, B = { kind = "host" }, W = { kind = "switch" } }
links.a = { ends = ["A", "W"], rate = "100 Mbit/s", delay = "0 s" }
links.b = { ends = ["B", "W"], rate = "100 Mbit/s", delay = "0 s" }
flows.f = { from = "A", to = "B", source = { kind = "outside" } }
"#,
    );
    let [a, b] = ["A", "B"].map(|name| world.node(name).expect("a node"));
    for (tag, from, to) in [(1, b, a), (2, a, b)] {
        let packet = Injected {
            to,
            class: 0,
            len: Bytes(1000),
            ecn: Ecn::NotEct,
            hash: None,
            tag,
        };
        world.inject(Time(0), from, packet).expect("a way");
    }
    world.advance(world.end());
    let mut tags: Vec<u64> = world.take_exits().iter().map(|exit| exit.tag).collect();
    tags.sort_unstable();
    assert_eq!(tags, [1, 2]);
    assert_eq!(world.report().delivered, 2);
}

/// A flow whose window is larger than what its way holds: 3,000 segments, where 400 ms of propagation hold some 1,700 at the rate of the
/// radio. So it is its limit that keeps packets out of the radio: 1.2 windows in a round trip, divided by 2^8.
#[test]
fn a_limited_flow_keeps_what_a_fifth_more_than_its_rate_brings() {
    let mut world = built(
        r#"
duration = "9 s"
warmup = "7 s"
media.air.phy = { standard = "802.11n", mcs = 7, width = "20 MHz" }
media.air.mac = { aggregation = "a-mpdu", lifetime = "10 s" }
media.air.channel = { model = "disc", transmit = "100 m", propagation = "0 s" }
topology = { kind = "wlan", medium = "air", stations = 1, wire_rate = "1 Gbit/s", wire_delay = "100 ms", buffer = "5000 packets" }
flows.f1 = { from = "s1", to = "d1", ac = "BE", packet = "1500 B", transport = "tcp", small_queue = 8, controller = { kind = "fixed", window = "3000 packets" }, source = { kind = "bulk" } }
"#,
    );
    world.advance(world.end());
    let report = world.report();
    let radio = port(&world, "s1>AP");
    let row = report.ports.iter().find(|row| row.port == radio);
    let most = row.expect("a radio").count.max_bytes as f64;
    let mss = 1500.0 - 40.0;
    let allowed = |round_trip: f64| 1.2 * 3000.0 * mss / round_trip / 256.0;
    assert!(most < allowed(0.400), "{most} {}", allowed(0.400));
    assert!(most > 0.8 * allowed(0.430), "{most} {}", allowed(0.430));
}

/// Two flows over a radio link on which many frames of an A-MPDU are damaged, and over wires: the receiver of the radio link holds what came
/// behind a missing frame. A packet that it holds has made the first hop and no other, and the last hop has brought what was delivered. What
/// is said of all flows is the sum of what is said of each, and the parts of delays sum up to them.
#[test]
fn packets_behind_a_missing_frame_have_made_one_hop() {
    let mut world = built(
        r#"
duration = "1 s"
media.air.phy = { standard = "802.11n", mcs = 7, width = "20 MHz" }
media.air.mac = { aggregation = "a-mpdu", lifetime = "10 s" }
media.air.channel = { model = "physical", shadowing = "0 dB", fer_target = "60 %", gain = "-150 dB" }
topology = { kind = "wlan", medium = "air", stations = 1, radius = "40 m", wire_rate = "1 Gbit/s", wire_delay = "0 s", buffer = "1000 packets" }
flows.f = { from = "s1", to = "d1", ac = "BE", source = { kind = "cbr", packet = "1500 B", rate = "50 Mbit/s" } }
flows.g = { from = "s1", to = "d1", ac = "BE", source = { kind = "cbr", packet = "1000 B", rate = "50 Mbit/s" } }
"#,
    );
    let mut most = 0;
    for ms in (20..=1000).step_by(20) {
        world.advance(Time(ms * MS));
        let report = world.report();
        for flow in &report.flows {
            let counts: Vec<u64> = flow.hops.iter().map(|hop| hop.count.packets).collect();
            assert_eq!(counts.last(), Some(&flow.sums.delivered.packets), "{ms}");
            most = most.max(counts[0] - counts[1]);
        }
    }
    assert!(most > 5, "{most}");
    let report = world.report();
    let parts = |sums: &ClassReport| {
        let sum = &sums.sum;
        let waits = [
            sum.queue,
            sum.gate,
            sum.contention,
            sum.retries,
            sum.reorder,
        ];
        let wires = [sum.serial, sum.aggregate, sum.propagation];
        let all: Vec<u128> = waits.into_iter().chain(wires).collect();
        assert_eq!(all.iter().sum::<u128>(), sum.total);
        all
    };
    let [f, g] = [0, 1].map(|flow| parts(&report.flows[flow].sums));
    let together: Vec<u128> = f.iter().zip(&g).map(|(f, g)| f + g).collect();
    assert_eq!(parts(&report.all), together);
    assert!(report.all.sum.aggregate > 0 && report.all.sum.reorder > 0);
}

/// A law of explicit feedback that writes into what leaves two ports hears of both in the order of time, whether each departure has an event
/// of its own or is replayed at the next touch.
#[test]
fn a_law_of_two_ports_hears_of_departures_in_the_order_of_time() {
    let text = r#"
duration = "1 s"
nodes = { s1 = { kind = "host" }, s2 = { kind = "host" }, L = { kind = "switch" }, R = { kind = "switch" }, d1 = { kind = "host" }, d2 = { kind = "host" } }
links.a = { ends = ["s1", "L"], rate = "100 Mbit/s", delay = "1 ms" }
links.b = { ends = ["s2", "L"], rate = "100 Mbit/s", delay = "2 ms" }
links.m = { ends = ["L", "R"], rate = "20 Mbit/s", delay = "10 ms" }
links.c = { ends = ["R", "d1"], rate = "100 Mbit/s", delay = "1 ms" }
links.d = { ends = ["R", "d2"], rate = "100 Mbit/s", delay = "3 ms" }
ports."L>R" = { stamp = { kind = "xcp" } }
ports."R>L" = { stamped_by = ["L>R"] }
flows.f = { from = "s1", to = "d1", transport = "tcp", controller = { kind = "xcp" }, source = { kind = "bulk" } }
flows.g = { from = "d2", to = "s2", transport = "tcp", controller = { kind = "xcp" }, source = { kind = "bulk" } }
"#;
    let [fused, unfused] = [false, true].map(|unfuse| {
        let mut world = built(text);
        if unfuse {
            world.unfuse();
        }
        world.advance(world.end());
        let report = world.report();
        assert!(report.conserved);
        (report.fingerprint, report.delivered)
    });
    assert_eq!(fused, unfused);
    assert!(fused.1 > 1000, "{}", fused.1);
}

/// More comes to a link than its random trace lets go, so a packet leaves at each opportunity. ABC's router measures what the link
/// offers between two departures at least 200 ms apart: as many packets as left, also when what the trace draws from some instant on is drawn
/// again or comes from other streams.
#[test]
fn a_law_measures_the_opportunities_that_a_link_has_drawn_again() {
    let text = r#"
duration = "2 s"
nodes = { S = { kind = "host" }, D = { kind = "host" } }
links.q = { from = "S", to = "D", kind = "trace", delay = "0 s", opportunity = "1500 B", overhead = "0 B", clock = "exact", trace = { kind = "cox", peak = "10 Mbit/s" } }
links.back = { from = "D", to = "S", rate = "1 Gbit/s", delay = "0 s" }
ports."S>D" = { buffer = "unlimited", stamp = { kind = "abc", window = "200 ms" } }
flows.f = { from = "S", to = "D", source = { kind = "cbr", packet = "1500 B", rate = "40 Mbit/s", phase = "start" } }
"#;
    let ways: [fn(&mut World, u64); 3] = [|_, _| (), World::redraw, World::reseed];
    for again in ways {
        let mut world = built(text);
        world.start_recording();
        for ms in (100..=2000).step_by(100) {
            world.advance(Time(ms * MS));
            if matches!(ms, 600 | 900) {
                again(&mut world, ms);
            }
        }
        let report = world.report();
        let measured = report.stamps[0]
            .values
            .iter()
            .find(|v| v.0 == "capacity_bps");
        let measured = measured.expect("a capacity").1;
        let records = world.take_records();
        let sent = records.iter().filter(|r| r.what == What::Send);
        let sent: Vec<u64> = sent.map(|r| r.at.0).collect();
        let last = *sent.last().expect("a packet");
        let before = |at: &&u64| **at + 200 * MS <= last;
        let number = sent.iter().filter(before).count();
        let (packets, time) = (sent.len() - number, last - sent[number - 1]);
        let expected = 12_000.0 * packets as f64 / (time as f64 / 1e12);
        assert!(
            (measured / expected - 1.0).abs() < 1e-9,
            "{measured} {expected}"
        );
    }
}

/// iACP's law counts pairs of nodes, so it warns where more flows than pairs cross it, and nowhere else.
#[test]
fn a_law_that_counts_pairs_of_nodes_warns_of_two_flows_of_one_pair() {
    let warnings = |second: &str| {
        let flow =
            r#"transport = "tcp", controller = { kind = "iacp" }, source = { kind = "bulk" }"#;
        let world = built(&format!(
            r#"
duration = "1 s"
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }}, W = {{ kind = "switch" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "100 Mbit/s", delay = "1 ms" }}
links.b = {{ ends = ["B", "W"], rate = "100 Mbit/s", delay = "1 ms" }}
links.q = {{ ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 ms" }}
ports."W>D" = {{ buffer = "50 packets", stamp = {{ kind = "iacp" }} }}
flows.f = {{ from = "A", to = "D", {flow} }}
flows.g = {{ from = "{second}", to = "D", {flow} }}
"#
        ));
        let all = world.feedback_warnings_before_a_run();
        let of_pairs = all
            .into_iter()
            .filter(|w| w.contains("counts pairs of nodes"));
        of_pairs.collect::<Vec<String>>()
    };
    assert_eq!(warnings("B"), Vec::<String>::new());
    let said = warnings("A");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("it takes 2 flows for 1"), "{said:?}");
}
