//! Wires that go down, come back or slow, from a scenario's text to what becomes of packets.

use backwater_scenario::{Folders, Scenario};
use backwater_sim::cause::Cause;
use backwater_sim::record::{Record, What};
use backwater_sim::world::{Report, World};

fn built(text: &str) -> Result<World, String> {
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    let resolved = scenario.and_then(|s| s.resolve(None));
    let world = resolved.and_then(|resolved| resolved.build());
    world.map_err(|diagnostic| diagnostic.to_string())
}

fn run(text: &str) -> (Report, Vec<Record>) {
    let mut world = built(text).unwrap_or_else(|said| panic!("{said}"));
    world.start_recording();
    world.advance(world.end());
    let report = world.report();
    assert!(report.conserved);
    (report, world.take_records())
}

/// When frames were lost because a wire was down, ps.
fn lost(records: &[Record]) -> Vec<u64> {
    let drops = records.iter().filter(|r| r.what == What::Drop);
    drops
        .filter(|r| r.value == Cause::LinkDown as u64)
        .map(|r| r.at.0)
        .collect()
}

/// A packet each 10 us over A, W, V and B; the wire from W to V has a delay of 100 us.
fn chain(events: &str) -> String {
    format!(
        r#"
schema = "backwater/scenario/1"
duration = "3 ms"
nodes.A = {{ kind = "host" }}
nodes.B = {{ kind = "host" }}
nodes.W = {{ kind = "switch" }}
nodes.V = {{ kind = "switch" }}
links.in = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "1 us" }}
links.long = {{ ends = ["W", "V"], rate = "1 Gbit/s", delay = "100 us" }}
links.out = {{ ends = ["V", "B"], rate = "1 Gbit/s", delay = "1 us" }}
{events}
flows.f = {{ from = "A", to = "B", packet = "1000 B", source = {{ kind = "cbr", packet = "1000 B", rate = "800 Mbit/s", phase = "start" }} }}
"#
    )
}

/// A packet is lost that is on the wire when this goes down at 1 ms, or comes to its queue before it is back at 1.5 ms. A frame of 1,018 B
/// and a preamble take 8.208 us at 1 Gbit/s, so packet n comes to W at 10 n + 9.208 us and to V 108.208 us later.
#[test]
fn what_is_on_a_wire_that_goes_down_or_comes_to_it_is_lost() {
    let (report, records) = run(&chain(
        r#"events.cut = { kind = "down", links = ["long"], at = "1 ms", until = "1.5 ms" }"#,
    ));
    let first = records
        .iter()
        .find(|r| r.what == What::Send)
        .expect("a packet");
    let offset = first.at.0 as f64 / 1e6;
    let gone = (0..300)
        .map(|n| offset + 10.0 * f64::from(n) + 9.208)
        .filter(|at| at + 108.208 >= 1000.0 && *at < 1500.0)
        .count();
    assert!((60..=61).contains(&gone), "{gone}");
    assert_eq!(lost(&records).len(), gone);
    assert_eq!(report.dropped, gone as u64);
    let (whole, records) = run(&chain(""));
    assert_eq!((whole.dropped, lost(&records).len()), (0, 0));
}

/// V stops W by PAUSE frames, which are on a wire of 100 us when it goes down: each is lost with the wire, and the books know it.
#[test]
fn a_notice_on_a_wire_that_goes_down_is_counted_as_lost() {
    for micros in (1000..1600).step_by(40) {
        let slow = chain(&format!(
            r#"
events.cut = {{ kind = "down", links = ["long"], at = "{micros} us", until = "1.7 ms" }}
mechanisms.p = {{ recipe = "pause", at = ["V>B"] }}
ports."V>B" = {{ buffer = "20 kB" }}
"#
        ));
        let slow = slow.replace(
            r#"links.out = { ends = ["V", "B"], rate = "1 Gbit/s""#,
            r#"links.out = { ends = ["V", "B"], rate = "500 Mbit/s""#,
        );
        let (report, _) = run(&slow);
        assert!(report.control > 0);
    }
}

/// At a quarter of the rate the wire carries 250 Mbit/s of the 800: 1,038 B of line for each packet take 33.216 us. It is slow for
/// 1 ms, in which the queue grows by 70 packets (30 leave), and no frame changes its rate while it is sent.
#[test]
fn a_wire_is_slow_for_a_while() {
    let (report, records) = run(&chain(
        r#"events.slow = { kind = "rate", links = ["long"], at = "1 ms", until = "2 ms", rate = "250 Mbit/s" }"#,
    ));
    assert_eq!(report.dropped, 0);
    let of_switch = |r: &&Record| r.what == What::Send && r.flow.0 == 0;
    let sends: Vec<u64> = records.iter().filter(of_switch).map(|r| r.at.0).collect();
    let gaps = |gap: u64| {
        let mut sorted: Vec<u64> = sends.clone();
        sorted.sort_unstable();
        sorted.windows(2).filter(|w| w[1] - w[0] == gap).count()
    };
    assert!(gaps(33_216_000) == 0, "sends of three ports lie between");
    let long = records.iter().filter(|r| r.what == What::Send);
    let port = report
        .ports
        .iter()
        .find(|p| p.count.max_bytes > 50_000)
        .expect("the slow port");
    let mut at: Vec<u64> = long
        .filter(|r| r.port == port.port)
        .map(|r| r.at.0)
        .collect();
    at.sort_unstable();
    let slow = at.windows(2).filter(|w| w[1] - w[0] == 33_216_000).count();
    assert!((29..=31).contains(&slow), "{slow}");
    let packets = port.count.max_bytes / 1018;
    assert!((69..=72).contains(&packets), "{packets}");
}

/// Two leaves of two hosts, two spines, a packet of 1,000 B each 10 us between each pair of hosts across.
fn fabric(seed: u64, choose: &str, converge: &str) -> String {
    let cbr =
        r#"packet = "1000 B", source = { kind = "cbr", packet = "1000 B", rate = "800 Mbit/s" }"#;
    format!(
        r#"
schema = "backwater/scenario/1"
seed = {seed}
duration = "3 ms"
topology = {{ kind = "leaf-spine", leaves = 2, spines = 2, hosts = 2, rate = "10 Gbit/s", delay = "1 us" }}
routing = {{ kind = "ecmp", choose = "{choose}" }}
events.cut = {{ kind = "down", links = ["l0-s0"], at = "1 ms", until = "2 ms"{converge} }}
flows.a = {{ from = "h0", to = "h2", {cbr} }}
flows.b = {{ from = "h1", to = "h3", {cbr} }}
flows.c = {{ from = "h2", to = "h0", {cbr} }}
flows.d = {{ from = "h3", to = "h1", {cbr} }}
"#
    )
}

/// One of two ways between the leaves goes down at 1 ms. Switches forward around it after 100 us, far ones too: a loss later than that
/// would be of a frame that a switch sent to it before. Without convergence losses go on until the wire is back.
#[test]
fn switches_forward_around_a_dead_wire_when_they_have_converged() {
    for choose in ["hash", "round-robin"] {
        for (converge, until) in [(r#", converge = "100 us""#, 1.11e9), ("", 2e9)] {
            for seed in 1..5 {
                let (_, records) = run(&fabric(seed, choose, converge));
                let lost = lost(&records);
                // All four flows may have hashed to the other spine.
                let Some(last) = lost.last().map(|at| *at as f64) else {
                    assert_eq!(choose, "hash");
                    continue;
                };
                assert!(lost[0] as f64 >= 1e9, "{}", lost[0]);
                assert!(0.9 * until < last && last < until, "{choose} {seed} {last}");
            }
        }
    }
}

/// After the wire is back, and switches know it, both ways carry frames again.
#[test]
fn switches_forward_over_a_wire_that_is_back() {
    let (report, records) = run(&fabric(1, "round-robin", r#", converge = "100 us""#));
    assert_eq!(report.flows.len(), 4);
    let sent = |from: f64, to: f64| {
        let within = |r: &&Record| {
            let at = r.at.0 as f64 / 1e9;
            r.what == What::Send && from <= at && at < to
        };
        let ports: Vec<_> = records.iter().filter(within).map(|r| r.port).collect();
        let distinct: std::collections::BTreeSet<_> = ports.into_iter().collect();
        distinct.len()
    };
    // Four hosts, two leaves with two hosts each; between the leaves a spine has two ports, and each leaf one to it.
    assert_eq!(
        [sent(0.5, 1.0), sent(1.2, 2.0), sent(2.2, 3.0)],
        [16, 12, 16]
    );
}

/// A queue pair or a connection sends again the packets that an outage lost, and all that is written arrives. With PFC no switch loses
/// a frame for want of room, and who was stopped when the wire went down goes on when it is back.
#[test]
fn transfers_survive_an_outage() {
    let fixed = r#"controller = { kind = "fixed", window = "100 packets" }"#;
    let dcqcn = r#"controller = { kind = "dcqcn", rate = "10 Gbit/s" }"#;
    let irn = r#"transport = "irn", timeout = "300 us", timeout_low = "100 us""#;
    for transport in [
        format!(r#"transport = "roce", timeout = "500 us", {fixed}"#),
        format!(r#"transport = "roce", timeout = "500 us", {dcqcn}"#),
        format!("{irn}, {fixed}"),
        format!(r#"{irn}, gaps = "other-ways", spread = {{ kind = "reps" }}, {fixed}"#),
        r#"transport = "tcp", rto_min = "500 us", controller = { kind = "cubic" }"#.to_owned(),
    ] {
        for (pfc, converge) in [(false, true), (true, true), (true, false)] {
            let pfc = match pfc {
                true => {
                    r#"mechanisms.p = { recipe = "pfc", at = ["*"], detect = { kind = "dynamic-threshold" } }"#
                }
                false => "",
            };
            let converge = match converge {
                true => r#", converge = "50 us""#,
                false => "",
            };
            let text = format!(
                r#"
schema = "backwater/scenario/1"
duration = "60 ms"
topology = {{ kind = "leaf-spine", leaves = 2, spines = 2, hosts = 3, rate = "10 Gbit/s", delay = "1 us", switch = {{ model = "shared-memory", memory = "600 kB", headroom = "20 kB", reserve = "2 kB", shift = 1 }} }}
ports."*" = {{ queue = {{ kind = "ecn-ramp", min = "5 kB", max = "50 kB", top = "20 %", unmarkable = "pass" }} }}
{pfc}
events.cut = {{ kind = "down", links = ["l0-s*"], at = "300 us", until = "1 ms"{converge} }}
events.host = {{ kind = "down", links = ["h4-l1"], at = "1.3 ms", until = "1.8 ms"{converge} }}
flows.f = {{ from = "h0", to = "h4", packet = "1030 B", source = {{ kind = "bulk", size = "1 MB" }}, {transport} }}
flows.g = {{ from = "h1", to = "h4", packet = "1030 B", source = {{ kind = "bulk", size = "1 MB" }}, {transport} }}
flows.h = {{ from = "h2", to = "h4", packet = "1030 B", source = {{ kind = "bulk", size = "1 MB" }}, {transport} }}
flows.i = {{ from = "h4", to = "h0", packet = "1030 B", source = {{ kind = "bulk", size = "1 MB" }}, {transport} }}
"#
            );
            let (report, records) = run(&text);
            assert!(!lost(&records).is_empty());
            for connection in &report.connections {
                let name = format!("{transport} {pfc} {converge}");
                assert_eq!(connection.delivered, 1_000_000, "{name}");
            }
            assert!(report.deadlock.is_none());
        }
    }
}

#[test]
fn what_cannot_happen_to_a_wire_is_refused_with_a_remedy() {
    for (events, parts) in [
        (
            r#"events.e = { kind = "down", links = ["lang"], at = "1 ms" }"#,
            ["events.e.links", "long"],
        ),
        (
            r#"events.e = { kind = "down", links = [], at = "1 ms" }"#,
            ["names no link", "links = ["],
        ),
        (
            r#"events.e = { kind = "down", links = ["long"], at = "2 ms", until = "1 ms" }"#,
            ["events.e.until", "later instant"],
        ),
        (
            r#"events.e = { kind = "down", links = ["long"], at = "1 ms" }
events.d = { kind = "down", links = ["l*"], at = "2 ms" }"#,
            ["is in event d, which overlaps", "end before the other"],
        ),
        (
            r#"events.e = { kind = "rate", links = ["long"], at = "1 ms" }"#,
            ["rate", "missing"],
        ),
        (
            r#"events.e = { kind = "slow", links = ["long"], at = "1 ms" }"#,
            ["unknown kind `slow`", "rate"],
        ),
        (
            r#"mechanisms.p = { recipe = "pfc", at = ["W>V"] }
events.e = { kind = "rate", links = ["long"], at = "1 ms", rate = "1 Mbit/s" }"#,
            ["events.e.links", "other links"],
        ),
        (
            r#"mechanisms.p = { recipe = "pfc", at = ["W>V"], notify = { carrier = "header" } }
events.e = { kind = "down", links = ["in"], at = "1 ms" }"#,
            ["carry notices", "carrier = \"frame\""],
        ),
    ] {
        let said = built(&chain(events))
            .err()
            .unwrap_or_else(|| panic!("{events} was built"));
        assert!(parts.iter().all(|p| said.contains(p)), "{events}: {said}");
    }
}

/// The wire between W and V goes down at 50 us, and W knows it some time later. Packets of 1000 B leave A at 0, 100 and 200 us and come
/// to W 9.208 us later, the third when the run ends. What W knows at an instant counts for packets that come at it.
#[test]
fn a_switch_that_converges_at_the_end_of_a_run_has_converged() {
    let lost = |converge: &str| {
        let (report, _) = run(&format!(
            r#"
schema = "backwater/scenario/1"
duration = "209.208 us"
routing = {{ kind = "shortest-path" }}
nodes.A = {{ kind = "host" }}
nodes.B = {{ kind = "host" }}
nodes.W = {{ kind = "switch" }}
nodes.U = {{ kind = "switch" }}
nodes.V = {{ kind = "switch" }}
links.in = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "1 us" }}
links.short = {{ ends = ["W", "V"], rate = "1 Gbit/s", delay = "1 us" }}
links.wu = {{ ends = ["W", "U"], rate = "1 Gbit/s", delay = "1 us" }}
links.uv = {{ ends = ["U", "V"], rate = "1 Gbit/s", delay = "1 us" }}
links.out = {{ ends = ["V", "B"], rate = "1 Gbit/s", delay = "1 us" }}
events.cut = {{ kind = "down", links = ["short"], at = "50 us", converge = "{converge}" }}
flows.f = {{ from = "A", to = "B", packet = "1000 B", source = {{ kind = "packet-list", at_us = [0, 100, 200], bytes = [1000] }} }}
"#
        ));
        assert_eq!(report.entered, 3);
        report.dropped
    };
    let found = [
        "59.207 us",
        "59.209 us",
        "159.207 us",
        "159.208 us",
        "159.209 us",
    ]
    .map(lost);
    assert_eq!(found, [0, 1, 1, 1, 2]);
}

/// Three leaves of one host each and three spines, and the wire from the first leaf to the first spine is down. Its leaf is reached by
/// two ways from then on, the third by three still, and each flow takes its ways round-robin.
#[test]
fn ways_are_taken_round_robin_before_and_after_convergence() {
    let cbr =
        r#"packet = "1000 B", source = { kind = "cbr", packet = "1000 B", rate = "800 Mbit/s" }"#;
    let text = format!(
        r#"
schema = "backwater/scenario/1"
duration = "4 ms"
topology = {{ kind = "leaf-spine", leaves = 3, spines = 3, hosts = 1, rate = "10 Gbit/s", delay = "1 us" }}
routing = {{ kind = "ecmp", choose = "round-robin" }}
events.cut = {{ kind = "down", links = ["l0-s0"], at = "1 ms", until = "2 ms", converge = "100 us" }}
flows.a = {{ from = "h1", to = "h0", {cbr} }}
flows.b = {{ from = "h1", to = "h2", {cbr} }}
"#
    );
    let mut world = built(&text).expect("a world");
    world.start_recording();
    world.advance(world.end());
    assert!(world.report().conserved);
    let records = world.take_records();
    // How many packets of a flow the second leaf sent to each spine in an interval, us.
    let sent = |flow: u32, [from, to]: [u64; 2]| {
        ["l1>s0", "l1>s1", "l1>s2"].map(|way| {
            let is = |r: &&Record| {
                let here = world.network().ports[r.port].more.name == way;
                let then = (from * 1_000_000..to * 1_000_000).contains(&r.at.0);
                r.what == What::Send && r.flow.0 == flow && here && then
            };
            records.iter().filter(is).count()
        })
    };
    // A packet of each flow each 10 us.
    for (flow, within, ways) in [
        (1, [1_150, 2_050], [30, 30, 30]),
        (0, [1_150, 2_050], [0, 45, 45]),
        (1, [2_150, 3_950], [60, 60, 60]),
        (0, [2_150, 3_950], [60, 60, 60]),
    ] {
        let found = sent(flow, within);
        for (found, wanted) in found.iter().zip(ways) {
            assert!(found.abs_diff(wanted) <= 1, "{flow} {within:?} {found}");
        }
    }
}

/// A wire behind an access point may go down. To forward around it needs routes that do not lead over radio links.
#[test]
fn a_wire_beside_radio_links_goes_down_and_nobody_forwards_around_it() {
    let text = |converge: &str| {
        format!(
            r#"
schema = "backwater/scenario/1"
duration = "300 ms"
routing = {{ kind = "airtime" }}
media.air = {{ phy = {{ standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }}, mac = {{ access = "dcf" }}, channel = {{ model = "disc", transmit = "100 m" }} }}
nodes.P = {{ kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "30 packets" }}
nodes.S = {{ kind = "station", medium = "air", at = ["50 m", "0 m"], buffer = "30 packets" }}
nodes.H = {{ kind = "host" }}
links.w = {{ ends = ["P", "H"], rate = "10 Mbit/s", delay = "0 s" }}
events.cut = {{ kind = "down", links = ["w"], at = "100 ms", until = "200 ms"{converge} }}
flows.f = {{ from = "S", to = "H", source = {{ kind = "cbr", packet = "1000 B", rate = "800 kbit/s", phase = "start" }} }}
"#
        )
    };
    // A packet each 10 ms.
    let (report, _) = run(&text(""));
    assert!(report.dropped.abs_diff(10) <= 1, "{}", report.dropped);
    let said = built(&text(r#", converge = "1 ms""#)).err();
    let said = said.expect("a refusal");
    assert!(
        said.contains("routes over radio links do not change"),
        "{said}"
    );
    assert!(said.contains("leave `converge` out"), "{said}");
}

/// An access point whose saturated flow leads over its wire keeps that busy: 1538 B on the line for each packet of 1500 B.
#[test]
fn a_saturated_access_point_keeps_its_wire_busy() {
    let (report, _) = run(r#"
schema = "backwater/scenario/1"
duration = "1 s"
routing = { kind = "airtime" }
media.air = { phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }, mac = { access = "dcf" }, channel = { model = "disc", transmit = "100 m" } }
nodes.P = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "30 packets" }
nodes.S = { kind = "station", medium = "air", at = ["50 m", "0 m"], buffer = "30 packets" }
nodes.H = { kind = "host" }
links.w = { ends = ["P", "H"], rate = "12.304 Mbit/s", delay = "0 s" }
flows.f = { from = "P", to = "H", source = { kind = "saturated", packet = "1500 B" } }
"#);
    assert!(report.delivered.abs_diff(1000) <= 1, "{}", report.delivered);
}

/// The airtime of a wire is the time of a test frame of 8192 bits (802.11s) with header, FCS and preamble, 8400 bits, and the delay: 840 us
/// at 10 Mbit/s without a delay, and 8.4 us more than the delay at 1 Gbit/s.
#[test]
fn the_route_of_least_airtime_counts_a_test_frame_and_the_delay() {
    let middle = |delay: &str| {
        let text = format!(
            r#"
schema = "backwater/scenario/1"
duration = "20 ms"
routing = {{ kind = "airtime" }}
nodes.A = {{ kind = "host" }}
nodes.B = {{ kind = "host" }}
nodes.W = {{ kind = "switch" }}
nodes.U = {{ kind = "switch" }}
nodes.V = {{ kind = "switch" }}
nodes.X = {{ kind = "switch" }}
links.in = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }}
links.slow = {{ ends = ["W", "U"], rate = "10 Mbit/s", delay = "0 s" }}
links.far = {{ ends = ["W", "V"], rate = "1 Gbit/s", delay = "{delay}" }}
links.ux = {{ ends = ["U", "X"], rate = "1 Gbit/s", delay = "0 s" }}
links.vx = {{ ends = ["V", "X"], rate = "1 Gbit/s", delay = "0 s" }}
links.out = {{ ends = ["X", "B"], rate = "1 Gbit/s", delay = "0 s" }}
flows.f = {{ from = "A", to = "B", source = {{ kind = "packet-list", at_us = [0], bytes = [1000] }} }}
"#
        );
        let mut world = built(&text).unwrap_or_else(|said| panic!("{said}"));
        world.advance(world.end());
        let report = world.report();
        assert_eq!(report.delivered, 1);
        let hops = report.flows[0].hops.iter();
        let names = hops.map(|hop| world.network().ports[hop.port].more.name.clone());
        names.collect::<Vec<String>>()[1].clone()
    };
    assert_eq!(middle("831.5 us"), "W>V");
    assert_eq!(middle("831.7 us"), "W>U");
}

/// Packets that go any of two ways must fit both, whichever of them is the narrow one. Those that keep their way must fit that.
#[test]
fn packets_that_are_spread_over_ways_must_fit_each() {
    let said = |choose: &str, narrow: &str, bytes: u64| {
        let most = |link: &str| match link == narrow {
            true => r#", max_frame = "1000 B""#,
            false => "",
        };
        let (first, second) = (most("first"), most("second"));
        built(&format!(
            r#"
schema = "backwater/scenario/1"
duration = "1 ms"
routing = {{ kind = "ecmp", choose = "{choose}" }}
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }}, W = {{ kind = "switch" }}, U = {{ kind = "switch" }}, V = {{ kind = "switch" }}, X = {{ kind = "switch" }} }}
links.in = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }}
links.wu = {{ ends = ["W", "U"], rate = "1 Gbit/s", delay = "0 s" }}
links.wv = {{ ends = ["W", "V"], rate = "1 Gbit/s", delay = "0 s" }}
links.first = {{ ends = ["U", "X"], rate = "1 Gbit/s", delay = "0 s"{first} }}
links.second = {{ ends = ["V", "X"], rate = "1 Gbit/s", delay = "0 s"{second} }}
links.out = {{ ends = ["X", "B"], rate = "1 Gbit/s", delay = "0 s" }}
flows.f = {{ from = "A", to = "B", packet = "{bytes} B", source = {{ kind = "cbr", packet = "{bytes} B", rate = "8 Mbit/s" }} }}
"#
        ))
        .err()
    };
    for narrow in ["first", "second"] {
        for choose in ["random", "round-robin", "least-queue", "power-of-two"] {
            let said = said(choose, narrow, 983).expect("a refusal");
            let what = format!("frames of 1001 B do not fit link {narrow}");
            assert!(said.contains(&what), "{said}");
        }
        assert_eq!(said("random", narrow, 982), None);
    }
    let refused = ["first", "second"].map(|narrow| said("hash", narrow, 983));
    assert_eq!(refused.iter().flatten().count(), 1, "{refused:?}");
}

/// A mechanism may watch a switch of symmetric wires, whatever other links are, and none with a trace at it.
#[test]
fn a_mechanism_asks_the_links_of_its_own_switch_alone() {
    let text = |of_switch: &str| {
        format!(
            r#"
schema = "backwater/scenario/1"
duration = "1 ms"
nodes = {{ S = {{ kind = "host" }}, T = {{ kind = "host" }}, A = {{ kind = "host" }}, B = {{ kind = "host" }}, W = {{ kind = "switch" }} }}
links.down = {{ kind = "trace", from = "S", to = "T", trace = {{ kind = "constant", rate = "12 Mbit/s" }} }}
links.up = {{ kind = "trace", from = "T", to = "S", trace = {{ kind = "constant", rate = "12 Mbit/s" }} }}
links.a = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }}
links.b = {{ ends = ["W", "B"], rate = "1 Gbit/s", delay = "0 s" }}
{of_switch}
mechanisms.m = {{ recipe = "pause", at = ["W>B"] }}
flows.f = {{ from = "A", to = "B", source = {{ kind = "cbr", packet = "1000 B", rate = "8 Mbit/s" }} }}
"#
        )
    };
    assert_eq!(built(&text("")).err(), None);
    let traces = r#"links.d = { kind = "trace", from = "W", to = "T", trace = { kind = "constant", rate = "12 Mbit/s" } }
links.e = { kind = "trace", from = "T", to = "W", trace = { kind = "constant", rate = "12 Mbit/s" } }"#;
    let Err(said) = built(&text(traces)) else {
        panic!("a wire is needed");
    };
    assert!(said.contains("is not a symmetric Ethernet link"), "{said}");
}

/// A PFC frame that names destinations has a map of 11,840 hosts, more than these.
#[test]
fn a_notice_names_some_thousand_hosts() {
    let text = r#"
schema = "backwater/scenario/1"
duration = "1 us"
topology = { kind = "leaf-spine", leaves = 60, spines = 1, hosts = 100, rate = "10 Gbit/s", delay = "1 us" }
routing = { kind = "shortest-path" }
nodes = { A = { kind = "host" }, B = { kind = "host" }, W = { kind = "switch" } }
links.a = { ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }
links.b = { ends = ["W", "B"], rate = "1 Gbit/s", delay = "0 s" }
mechanisms.m = { recipe = "pause-destination", at = ["W>B"] }
flows.f = { from = "A", to = "B", source = { kind = "cbr", packet = "1000 B", rate = "8 Mbit/s" } }
"#;
    assert_eq!(built(text).err(), None);
}
