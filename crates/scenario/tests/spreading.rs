//! Packets of a flow over equal ways: who chooses them, and what a sender learns of them.

use backwater_scenario::{Folders, Scenario};
use backwater_sim::world::{PortReport, World};

fn built(text: String) -> World {
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
    let resolved = scenario.resolve(None).unwrap_or_else(|d| panic!("{d}"));
    resolved.build().unwrap_or_else(|d| panic!("{d}"))
}

/// Two leaves of four hosts and four spines, all links alike; each host of the first leaf sends to one of the second.
fn two_leaves(routing: &str, more: &str) -> World {
    built(format!(
        r#"
schema = "backwater/scenario/1"
duration = "2 ms"
topology = {{ kind = "leaf-spine", leaves = 2, spines = 4, hosts = 4, rate = "40 Gbit/s", delay = "1 us" }}
routing = {{ kind = "ecmp"{routing} }}
ports."*" = {{ buffer = "1 MB" }}
flows.a = {{ from = "h0", to = "h4", packet = "1030 B", {more} }}
flows.b = {{ from = "h1", to = "h5", packet = "1030 B", {more} }}
flows.c = {{ from = "h2", to = "h6", packet = "1030 B", {more} }}
flows.d = {{ from = "h3", to = "h7", packet = "1030 B", {more} }}
"#
    ))
}

/// Packets that each uplink of the first leaf sent, and the longest queue at one of them.
fn uplinks(world: &mut World) -> ([u64; 4], u64) {
    let report = world.report();
    assert!(report.conserved);
    let port = |spine| {
        let name = format!("l0>s{spine}");
        let ports = &world.network().ports;
        let named = |p: &&PortReport| ports[p.port].more.name == name;
        report
            .ports
            .iter()
            .find(named)
            .expect("an uplink")
            .count
            .clone()
    };
    let sent = [0, 1, 2, 3].map(|spine| port(spine).packets);
    let most = (0..4).map(|spine| port(spine).max_bytes).max();
    (sent, most.expect("four"))
}

const CBR: &str = r#"source = { kind = "cbr", packet = "1030 B", rate = "32 Gbit/s" }"#;

/// Four flows of 80 % of a line. Round-robin each uplink gets a quarter of the packets, to one packet; by the shortest queue none grows
/// beyond the packets that come together; by the hash two flows share an uplink for most salts, and its queue fills.
#[test]
fn a_switch_may_choose_ways_by_turns_or_by_its_queues() {
    let run = |routing: &str| {
        let mut world = two_leaves(routing, CBR);
        world.advance(world.end());
        uplinks(&mut world)
    };
    let (sent, most) = run(r#", choose = "round-robin""#);
    let (low, high) = (sent.iter().min().unwrap(), sent.iter().max().unwrap());
    assert!(high - low <= 1, "{sent:?}");
    assert!(most <= 4 * 1_048, "{most}");
    for choose in ["least-queue", "power-of-two", "random"] {
        let (sent, most) = run(&format!(r#", choose = "{choose}""#));
        let mean = sent.iter().sum::<u64>() / 4;
        // Random: binomial with four deviations at n = 31,000.
        let even = sent.iter().all(|n| n.abs_diff(mean) * 20 < mean);
        assert!(even, "{choose} {sent:?}");
        match choose {
            "least-queue" => assert!(most <= 2 * 1_048, "{most}"),
            "power-of-two" => assert!(most < 12 * 1_048, "{most}"),
            _ => assert!(most > 4 * 1_048, "{most}"),
        }
    }
    let (sent, _) = run("");
    assert!(sent.contains(&0), "hash {sent:?}");
}

/// A flow with a spreader uses all uplinks and one without uses one. A queue pair that takes any order repeats nothing.
#[test]
fn a_spreader_sends_the_packets_of_a_flow_over_all_ways() {
    let pair = r#"transport = "irn", gaps = "other-ways", cap = "200 kB", controller = { kind = "fixed", window = "100 packets" }, source = { kind = "bulk" }"#;
    for (spread, all) in [
        ("", false),
        (r#", spread = { kind = "oblivious" }"#, true),
        (r#", spread = { kind = "bitmap" }"#, true),
        (r#", spread = { kind = "reps" }"#, true),
        (r#", spread = { kind = "mixed" }"#, true),
        (r#", spread = { kind = "plb" }"#, false),
        (r#", spread = { kind = "flowlet" }"#, false),
    ] {
        let mut world = two_leaves("", &format!("{pair}{spread}"));
        world.advance(world.end());
        let (sent, _) = uplinks(&mut world);
        let report = world.report();
        let again: u64 = report.connections.iter().map(|c| c.retransmitted).sum();
        let mean = sent.iter().sum::<u64>() / 4;
        let even = sent.iter().all(|n| n.abs_diff(mean) * 5 < mean);
        assert_eq!(even, all, "{spread} {sent:?}");
        if all {
            assert_eq!(again, 0, "{spread}");
            let delivered: u64 = report.connections.iter().map(|c| c.delivered).sum();
            // Four lines of 40 Gbit/s, of which 1,000 of 1,068 bytes are payload, for 2 ms.
            let most = 4.0 * 40e9 / 8.0 * 2e-3 * 1000.0 / 1068.0;
            assert!(delivered as f64 > 0.9 * most, "{spread} {delivered}");
        }
    }
}

/// One of four uplinks has a quarter of the rate. Blind spraying goes on giving it a quarter of the packets; spreaders that learn from its marks give it
/// less, under a window that fills all ways.
#[test]
fn a_spreader_that_learns_from_marks_avoids_a_slow_way() {
    let share = |spread: &str| {
        let flow = |name: &str, from: &str, to: &str| {
            format!(
                r#"flows.{name} = {{ from = "{from}", to = "{to}", packet = "1030 B", transport = "irn", gaps = "other-ways", cap = "1 MB", cnp = "off", spread = {{ kind = "{spread}" }}, controller = {{ kind = "fixed", window = "100 packets" }}, source = {{ kind = "bulk" }} }}
"#
            )
        };
        let mut world = built(format!(
            r#"
schema = "backwater/scenario/1"
duration = "2 ms"
topology = {{ kind = "leaf-spine", leaves = 2, spines = 4, hosts = 4, rate = "40 Gbit/s", delay = "1 us" }}
routing = {{ kind = "ecmp" }}
ports."*" = {{ queue = {{ kind = "ecn-ramp", min = "20 kB", max = "80 kB", top = "100 %" }}, buffer = "1 MB" }}
events.slow = {{ kind = "rate", links = ["l0-s0"], at = "0 s", rate = "10 Gbit/s" }}
{}{}{}"#,
            flow("a", "h0", "h4"),
            flow("b", "h1", "h5"),
            flow("c", "h2", "h6")
        ));
        world.advance(world.end());
        let (sent, _) = uplinks(&mut world);
        sent[0] as f64 / sent.iter().sum::<u64>() as f64
    };
    let blind = share("oblivious");
    assert!((blind - 0.25).abs() < 0.05, "{blind}");
    for spread in ["bitmap", "reps", "mixed"] {
        let learnt = share(spread);
        assert!(learnt < 0.6 * blind, "{spread} {learnt} of {blind}");
    }
}

/// Packets of a queue pair take marks where the controller or the spreader reads them: NSCC and DCQCN do, and spreaders that learn. Two senders at the rate of
/// their lines fill the queue beyond its mark either way.
#[test]
fn packets_take_marks_where_somebody_reads_them() {
    let fixed = r#"controller = { kind = "fixed", window = "1000 packets" }"#;
    let spread = |id: &str| format!(r#"{fixed}, spread = {{ kind = "{id}" }}"#);
    let nscc = r#"controller = { kind = "nscc", rate = "40 Gbit/s", base_rtt = "5 us" }"#;
    let dcqcn = r#"controller = { kind = "dcqcn", rate = "40 Gbit/s" }"#;
    for (more, takes) in [
        (nscc.to_owned(), true),
        (dcqcn.to_owned(), true),
        (fixed.to_owned(), false),
        (spread("oblivious"), false),
        (spread("flowlet"), false),
        (spread("bitmap"), true),
        (spread("reps"), true),
        (spread("mixed"), true),
        (spread("plb"), true),
    ] {
        for transport in ["roce", "irn"] {
            let mut world = built(format!(
                r#"
schema = "backwater/scenario/1"
duration = "2 ms"
topology = {{ kind = "star", hosts = 2, rate = "40 Gbit/s", delay = "1 us", bottleneck = "40 Gbit/s" }}
routing = {{ kind = "ecmp" }}
ports."W>D" = {{ queue = {{ kind = "ecn-ramp", min = "5 kB", max = "200 kB", top = "1 %" }} }}
flows.f = {{ from = "h*", to = "D", packet = "1030 B", source = {{ kind = "bulk" }}, transport = "{transport}", cnp = "off", {more} }}
"#
            ));
            world.advance(world.end());
            let report = world.report();
            let marked: u64 = report.ports.iter().map(|p| p.count.marked).sum();
            assert_eq!(marked > 0, takes, "{transport} {more}");
        }
    }
}
