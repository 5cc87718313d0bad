//! Cards of hosts that pause without reason, the watchdogs that free those whom they stop, and deadlocks that a watchdog breaks.

use backwater_scenario::{Folders, Scenario};
use backwater_sim::cause::Cause;
use backwater_sim::network::PortCount;
use backwater_sim::record::{Record, What};
use backwater_sim::world::World;
use backwater_transport::units::Time;

const MS: u64 = 1_000_000_000;
const US: u64 = 1_000_000;

fn built(text: &str) -> Result<World, String> {
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    let resolved = scenario.and_then(|s| s.resolve(None));
    let world = resolved.and_then(|resolved| resolved.build());
    world.map_err(|diagnostic| diagnostic.to_string())
}

/// A packet of each class every 10 us from A over W to B, whose card may pause W.
fn text(more: &str) -> String {
    format!(
        r#"
schema = "backwater/scenario/1"
duration = "30 ms"
nodes.A = {{ kind = "host" }}
nodes.B = {{ kind = "host" }}
nodes.W = {{ kind = "switch" }}
links.in = {{ ends = ["A", "W"], rate = "10 Gbit/s", delay = "1 us" }}
links.out = {{ ends = ["W", "B"], rate = "10 Gbit/s", delay = "1 us" }}
flows.f = {{ from = "A", to = "B", packet = "1000 B", source = {{ kind = "cbr", packet = "1000 B", rate = "800 Mbit/s", phase = "start" }} }}
flows.g = {{ from = "A", to = "B", class = 1, packet = "1000 B", source = {{ kind = "cbr", packet = "1000 B", rate = "800 Mbit/s", phase = "start" }} }}
ports."W>B" = {{ buffer = "unlimited"{more}
"#
    )
}

/// Instants of what happened to packets of a class at the far end: receptions, and losses by the watchdog.
struct Seen {
    received: Vec<u64>,
    lost: Vec<u64>,
    /// When the port that is told acts on the first notice.
    told: u64,
}

fn run(more: &str) -> [Seen; 2] {
    let text = text(more);
    let mut world = built(&text).unwrap_or_else(|said| panic!("{said}"));
    world.start_recording();
    world.advance(world.end());
    assert!(world.report().conserved);
    let fused = {
        let mut world = built(&text).expect("it was built above");
        world.advance(world.end());
        world.report().fingerprint
    };
    assert_eq!(fused, world.report().fingerprint, "recorded and fused");
    let records = world.take_records();
    [0, 1].map(|class| {
        let of = |what: What, cause: Option<Cause>| {
            let is = move |r: &&Record| {
                let caused = cause.is_none_or(|cause| r.value == cause as u64);
                r.what == what && r.traffic.class() == class && caused
            };
            records.iter().filter(is).map(|r| r.at.0).collect()
        };
        let knob = records.iter().find(|r| r.what == What::Knob);
        Seen {
            received: of(What::Deliver, None),
            lost: of(What::Drop, Some(Cause::Watchdog)),
            told: knob.map_or(0, |r| r.at.0),
        }
    })
}

fn within(instants: &[u64], from: u64, to: u64) -> usize {
    instants
        .iter()
        .filter(|at| (from..to).contains(*at))
        .count()
}

/// 65,535 quanta of 51.2 ns are 3.36 ms, and the card asks again after half of them: nothing passes from the first notice (1 ms, a
/// frame of 57.6 ns, a delay of 1 us and a reaction of a few us) to the end of the storm, and what has waited passes then.
#[test]
fn a_card_pauses_for_as_long_as_its_storm_lasts() {
    let [f, g] = run(r#" }
events.e = { kind = "storm", links = ["out"], at = "1 ms", until = "20 ms" }"#);
    for seen in [f, g] {
        assert!(
            (MS + US..MS + 10 * US).contains(&seen.told),
            "{}",
            seen.told
        );
        assert_eq!(within(&seen.received, MS + 12 * US, 20 * MS), 0);
        // 1,900 packets of each class take 3.2 ms at 10 Gbit/s, 830 ns each, and 4 ms with those that come meanwhile.
        assert!(within(&seen.received, 20 * MS, 24 * MS) >= 1900);
        assert!(seen.lost.is_empty());
    }
}

/// Of a class that PFC names the card stops nothing else.
#[test]
fn a_card_that_pauses_one_class_lets_the_other_pass() {
    let [f, g] = run(r#" }
events.e = { kind = "storm", links = ["out"], at = "1 ms", class = 0 }"#);
    assert_eq!(within(&f.received, MS + 12 * US, 30 * MS), 0);
    assert_eq!(within(&g.received, 2 * MS, 30 * MS), 2800);
}

/// A class that has been stopped for 2 ms is freed at that instant. Its frames are lost until 3 ms after the last notice: the card asks at
/// 1 ms and each 1.678 ms, for the last time at 9.388 ms.
#[test]
fn a_watchdog_loses_frames_from_detection_to_restoration() {
    let [f, g] = run(
        r#", watchdog = { detection = "2 ms", restoration = "3 ms" } }
events.e = { kind = "storm", links = ["out"], at = "1 ms", until = "10 ms", class = 0 }"#,
    );
    let freed = f.told + 2 * MS;
    assert_eq!(f.lost[0], freed, "what waits is lost at once");
    // One packet each 10 us has come since the gate closed.
    assert!(
        f.lost
            .iter()
            .filter(|at| **at == freed)
            .count()
            .abs_diff(200)
            <= 1
    );
    let last = f.told + 5 * 32_767 * 51_200;
    let restored = last + 3 * MS;
    assert_eq!(within(&f.received, f.told + 2 * US, restored), 0);
    assert!(f.lost.iter().all(|at| *at <= restored));
    assert!(f.lost[f.lost.len() - 1] + 10 * US > restored);
    assert!(within(&f.received, restored, restored + 12 * US) > 0);
    // The other class loses nothing and goes on.
    assert!(g.lost.is_empty());
    assert_eq!(within(&g.received, 2 * MS, 29 * MS), 2700);
}

/// The same with `forward`: what has waited is sent when the class is freed, and notices count again after the restoration time: a
/// second storm stops it anew.
#[test]
fn a_watchdog_forwards_and_heeds_a_later_storm() {
    let [f, _] = run(
        r#", watchdog = { detection = "2 ms", restoration = "3 ms", action = "forward" } }
events.e = { kind = "storm", links = ["out"], at = "1 ms", until = "10 ms", class = 0 }
events.later = { kind = "storm", links = ["out"], at = "20 ms", until = "21.5 ms", class = 0 }"#,
    );
    let freed = f.told + 2 * MS;
    assert!(f.lost.is_empty());
    assert_eq!(within(&f.received, f.told + 2 * US, freed), 0);
    // All of the first 19 ms have come but what is on its way: no notice counts.
    assert!(within(&f.received, 0, 20 * MS) >= 1999);
    assert_eq!(within(&f.received, 20 * MS + 12 * US, 21_500 * US), 0);
    assert!(within(&f.received, 21_500 * US, 30 * MS) >= 840);
}

/// A pause that ends before the detection time is over frees nobody.
#[test]
fn a_short_pause_is_no_storm() {
    let [f, g] = run(
        r#", watchdog = { detection = "2 ms", restoration = "3 ms" } }
events.a = { kind = "storm", links = ["out"], at = "1 ms", until = "2.9 ms", class = 0 }
events.b = { kind = "storm", links = ["out"], at = "3 ms", until = "4.9 ms", class = 0 }"#,
    );
    assert!(f.lost.is_empty() && g.lost.is_empty());
    assert_eq!(within(&f.received, 3 * MS + 12 * US, 4_900 * US), 0);
}

#[test]
fn what_means_nothing_is_refused() {
    let storm = r#"
events.e = { kind = "storm", links = ["out"], at = "1 ms" }"#;
    for (more, said) in [
        (
            r#", watchdog = { detection = "2 ms" } }"#.to_owned(),
            "nobody can pause a port with a watchdog",
        ),
        (
            format!(
                "{}{storm}",
                r#" }
ports."A>W" = { watchdog = { detection = "2 ms" } }"#
            ),
            "is the port of a host",
        ),
        (
            format!(
                "{}{storm}",
                r#", queue = { kind = "fq-codel" }, watchdog = { detection = "2 ms" } }"#
            ),
            "keeps flows apart",
        ),
        (
            format!("{}{storm}", r#", watchdog = { detection = "0 s" } }"#),
            "detection",
        ),
        (
            r#" }
events.e = { kind = "storm", links = ["out"], at = "1 ms", class = 5 }"#
                .to_owned(),
            "no such class",
        ),
        (
            r#" }
nodes.C = { kind = "host" }
links.direct = { ends = ["A", "C"], rate = "1 Gbit/s", delay = "1 us" }
events.e = { kind = "storm", links = ["direct"], at = "1 ms" }"#
                .to_owned(),
            "2 hosts at its ends",
        ),
        (
            r#", queue = { kind = "fq-codel" } }
events.e = { kind = "storm", links = ["out"], at = "1 ms", class = 0 }"#
                .to_owned(),
            "chooses among flows itself",
        ),
    ] {
        let refused = built(&text(&more)).map(|_| ()).expect_err(said);
        assert!(
            refused.contains(said) && refused.contains("fix:"),
            "{refused}"
        );
    }
}

/// Four leaves and two spines, PFC everywhere, and transfers without end between l0 and l1 and between l2 and l3.
fn leaves(more: &str, seed: u64) -> World {
    let flow = |name: &str, from: &str, to: &str| {
        format!(
            r#"
flows."{name}{{0..3}}" = {{ from = "{from}", to = "{to}", transport = "roce", timeout = "1 ms", packet = "1072 B", controller = {{ kind = "fixed", window = "1000000 packets" }}, source = {{ kind = "bulk" }} }}"#
        )
    };
    let flows = [
        flow("a", "h{0..3}", "h{4..7}"),
        flow("b", "h{4..7}", "h{0..3}"),
        flow("c", "h{8..11}", "h{12..15}"),
        flow("d", "h{12..15}", "h{8..11}"),
    ];
    let text = format!(
        r#"
schema = "backwater/scenario/1"
seed = {seed}
duration = "40 ms"
topology = {{ kind = "leaf-spine", leaves = 4, spines = 2, hosts = 4, rate = "10 Gbit/s", delay = "1 us", switch = {{ model = "shared-memory", memory = "124 kB", reserve = "2 kB", headroom = "12 kB", shift = 2 }} }}
routing = {{ kind = "ecmp" }}
mechanisms.p = {{ recipe = "pfc", at = ["*"], detect = {{ kind = "dynamic-threshold" }} }}
{more}{}
"#,
        flows.concat()
    );
    let mut world = built(&text).unwrap_or_else(|said| panic!("{said}"));
    world.advance(world.end());
    world
}

const CUT: &str = r#"events.cut = { kind = "down", links = ["l0-s1", "l1-s0"], at = "200 us", converge = "20 us" }"#;

/// With l0-s1 and l1-s0 dead the shortest ways from l0 to l1 and back go down and up again, over l2 or l3. So s0>l2, l2>s1, s1>l3 and l3>s0
/// can wait for one another in a circle; with all links whole ways go up and then down, and no circle is there to wait in. A port that
/// waits repeats its own pauses every 1.68 ms, which is no sign that it moves.
#[test]
fn ways_that_go_down_and_up_again_deadlock() {
    for seed in 1..=3 {
        let report = leaves(CUT, seed).report();
        let deadlock = report.deadlock.expect("a deadlock");
        assert_eq!(deadlock.cycle.len(), 4, "{deadlock:?}");
        assert!(leaves("", seed).report().deadlock.is_none(), "seed {seed}");
    }
}

/// A watchdog at all switches breaks the deadlock: data move in the last 10 ms.
#[test]
fn a_watchdog_breaks_a_deadlock() {
    let watchdog = r#"
ports."*" = { watchdog = { detection = "2 ms", restoration = "2 ms" } }"#;
    for seed in 1..=2 {
        let moved = |more: &str| {
            let report = leaves(more, seed).report();
            report.connections.iter().map(|c| c.delivered).sum::<u64>()
        };
        let (stuck, freed) = (moved(CUT), moved(&format!("{CUT}{watchdog}")));
        assert!(freed > 3 * stuck, "{freed} {stuck}");
    }
}

/// What a port has counted since the warm-up is what it has counted by the end, less what it had by the instant at which the warm-up ends.
#[test]
fn a_port_counts_since_the_warm_up() {
    let counts = |warmup: &str, until: u64| -> Vec<Vec<u128>> {
        let more = r#" }
events.a = { kind = "storm", links = ["out"], at = "1 ms", until = "2.9 ms", class = 0 }
events.b = { kind = "storm", links = ["out"], at = "8 ms", until = "9 ms" }
events.c = { kind = "storm", links = ["out"], at = "20 ms", until = "22 ms", class = 1 }"#;
        let mut world = built(&format!("{}{warmup}", text(more))).expect("a world");
        world.advance(Time(until));
        let report = world.report();
        let figures = |count: &PortCount| {
            let of = [
                count.packets,
                count.bytes,
                count.control,
                count.control_bytes,
            ];
            let times = [count.busy, count.stall].into_iter().chain(count.closed);
            let all = of.into_iter().chain(times).map(u128::from);
            all.chain([count.area]).collect()
        };
        report.ports.iter().map(|row| figures(&row.count)).collect()
    };
    let warm = 8_512_345_678;
    let (before, all) = (counts("", warm), counts("", 30 * MS));
    let since = counts("warmup = \"8.512345678 ms\"\n", 30 * MS);
    let mut stopped = 0;
    for ((since, all), before) in since.iter().zip(&all).zip(&before) {
        for ((since, all), before) in since.iter().zip(all).zip(before) {
            assert_eq!(since + before, *all);
            stopped += u32::from(*before > 0 && since > before);
        }
    }
    assert!(stopped > 4, "{stopped}");
}

/// A port that is watched by how long frames wait sends all that comes.
#[test]
fn a_port_whose_waiting_times_are_watched_loses_nothing() {
    let more = r#" }
mechanisms.m = { recipe = "pause", at = ["W>B"], detect = { kind = "sojourn" } }"#;
    let mut world = built(&text(more)).unwrap_or_else(|said| panic!("{said}"));
    world.advance(world.end());
    let report = world.report();
    assert_eq!(report.dropped, 0);
    // A packet of each class every 10 us.
    assert!(report.delivered > 5_990, "{}", report.delivered);
}

/// A switch with a memory that never fills does what one without a shared memory does, event by event. After a pause of 1 ms, which was asked
/// for longer, W's port is busy to the end.
#[test]
fn a_switch_whose_memory_never_fills_serves_no_more_events() {
    let events = |model: &str| {
        let text = text(
            r#" }
events.e = { kind = "storm", links = ["out"], at = "1 ms", until = "2 ms" }"#,
        );
        let text = text.replace(
            r#"nodes.W = { kind = "switch" }"#,
            &format!(r#"nodes.W = {{ kind = "switch"{model} }}"#),
        );
        let text = text.replace(
            r#"links.out = { ends = ["W", "B"], rate = "10 Gbit/s""#,
            r#"links.out = { ends = ["W", "B"], rate = "1.7 Gbit/s""#,
        );
        let mut world = built(&text).unwrap_or_else(|said| panic!("{said}"));
        world.advance(world.end());
        let report = world.report();
        assert!(report.held > 20, "{}", report.held);
        (report.fingerprint, world.events())
    };
    let shared = r#", model = "shared-memory", memory = "100 MB", reserve = "2 kB", headroom = "20 kB", shift = 0"#;
    assert_eq!(events(shared), events(""));
}

/// Ten frames wait for a class that a card has stopped. When the watchdog gives the class up all ten are lost, also where their losses
/// end congestion that a mechanism of the switch has told of: none of them is sent.
#[test]
fn every_frame_of_a_stormed_class_is_lost_beside_a_mechanism_too() {
    let pfc = r#"mechanisms.p = { recipe = "pfc", at = ["X>S"], detect = { xoff = "14000 B", xon = "10000 B" } }"#;
    for mechanism in ["", pfc] {
        let text = format!(
            r#"
schema = "backwater/scenario/1"
duration = "50 ms"
nodes.S = {{ kind = "host" }}
nodes.D = {{ kind = "host" }}
nodes.X = {{ kind = "switch" }}
links.in = {{ ends = ["S", "X"], rate = "100 Mbit/s", delay = "1 us" }}
links.out = {{ ends = ["X", "D"], rate = "10 Mbit/s", delay = "1 us" }}
ports."X>D" = {{ queue = {{ kind = "strict-priority", classes = 2 }}, buffer = "1 MB", watchdog = {{ detection = "5 ms", restoration = "100 ms" }} }}
flows.f = {{ from = "S", to = "D", start = "2 ms", stop = "3.3 ms", source = {{ kind = "cbr", packet = "1500 B", rate = "90 Mbit/s", phase = "start" }} }}
events.e = {{ kind = "storm", links = ["out"], at = "1 ms", class = 0 }}
{mechanism}
"#
        );
        let mut world = built(&text).unwrap_or_else(|said| panic!("{said}"));
        world.advance(world.end());
        let flow = &world.report().flows[0];
        let (lost, delivered) = (flow.sums.dropped.packets, flow.sums.delivered.packets);
        assert_eq!((lost, delivered), (10, 0), "{mechanism}");
    }
}
