//! Between two events a caller looks at a world, climbs to a level, moves a knob, begins random streams anew, changes what
//! may change.

use backwater_scenario::{Folders, Resolved, Scenario};
use backwater_sim::ids::PortId;
use backwater_sim::knob::Place;
use backwater_sim::world::{Climbed, Count, Course, Goal, World};
use backwater_transport::units::Time;

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
    let oblivious = r#"flows.f = { from = "h0", to = "h2", transport = "irn", controller = { kind = "fixed", window = "50 packets" }, spread = { kind = "oblivious" }, source = { kind = "bulk" } }
flows.g = { from = "h1", to = "h3", transport = "irn", controller = { kind = "fixed", window = "50 packets" }, spread = { kind = "oblivious" }, source = { kind = "bulk" } }"#;
    let worlds = [
        ("source", line("", wire, "", poisson)),
        ("loss", line("", lossy, "", cbr)),
        ("red", line("", wire, red, many)),
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
        .filter(|record| record.what == backwater_sim::record::What::Deliver)
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
