//! Queue pairs of RDMA from a scenario's text to packets on wires.

use std::collections::BTreeSet;

use backwater_scenario::{Folders, Scenario};
use backwater_sim::connection::Header;
use backwater_sim::record::{Record, What};
use backwater_sim::world::World;

fn text(more: &str) -> String {
    format!(
        r#"
schema = "backwater/scenario/1"
duration = "2 ms"
topology = {{ kind = "star", hosts = 2, rate = "40 Gbit/s", delay = "1 us", bottleneck = "40 Gbit/s" }}
ports."W>D" = {{ queue = {{ kind = "ecn-ramp", min = "5 kB", max = "200 kB", top = "1 %", classes = 3 }} }}
ports."W>h*" = {{ queue = {{ kind = "strict-priority", classes = 3 }} }}
flows.f = {{ from = "h*", to = "D", packet = "1030 B", source = {{ kind = "bulk" }}, {more} }}
"#
    )
}

fn world(more: &str) -> World {
    let scenario = Scenario::from_toml(text(more), "x.toml", Folders::default()).unwrap();
    let resolved = scenario.resolve(None).unwrap_or_else(|d| panic!("{d}"));
    resolved.build().unwrap_or_else(|d| panic!("{d}"))
}

fn refusal(more: &str) -> String {
    let scenario = Scenario::from_toml(text(more), "x.toml", Folders::default()).unwrap();
    match scenario.resolve(None).and_then(|resolved| resolved.build()) {
        Ok(_) => panic!("{more} was built"),
        Err(diagnostic) => diagnostic.to_string(),
    }
}

const DCQCN: &str = r#"transport = "roce", controller = { kind = "dcqcn", rate = "40 Gbit/s" }"#;

/// Departures of what receivers send besides acknowledgements: (flow, instant in ps, class).
fn signals(records: &[Record]) -> Vec<(u32, u64, u8)> {
    let sent = records.iter().filter(|r| r.what == What::Send);
    let signals = sent.filter(|r| matches!(r.header.as_deref(), Some(Header::Signal(_))));
    // A packet is sent by the receiver and by the switch; the receiver's come 1 us before.
    signals
        .map(|r| (r.flow.0, r.at.0, r.traffic.class()))
        .collect()
}

/// Two senders at line rate fill the queue, so both flows are marked. Each has a notification at once, in the class that was
/// asked for, and the next no sooner than 50 us after it; its rate is then below the line's.
#[test]
fn marks_come_back_as_notifications_in_a_class_of_their_own() {
    let mut world = world(&format!("{DCQCN}, ack_class = 1, cnp_class = 2"));
    world.start_recording();
    world.advance(world.end());
    let records = world.take_records();
    let report = world.report();
    assert!(report.conserved);
    let signals = signals(&records);
    assert!(signals.iter().all(|s| s.2 == 2), "{signals:?}");
    let mut flows: Vec<u32> = signals.iter().map(|s| s.0).collect();
    flows.sort_unstable();
    flows.dedup();
    assert_eq!(flows.len(), 2);
    for flow in flows {
        let mine: Vec<u64> = signals
            .iter()
            .filter(|s| s.0 == flow)
            .map(|s| s.1)
            .collect();
        // Each is seen at two ports.
        let first: Vec<u64> = mine.chunks(2).map(|pair| pair[0]).collect();
        assert!(first.len() >= 2);
        // One of the two may have waited for an acknowledgement before it: 84 B at 40 Gbit/s are 16.8 ns.
        assert!(
            first.windows(2).all(|w| w[1] - w[0] >= 50_000_000 - 16_800),
            "{first:?}"
        );
    }
    for c in &report.connections {
        let goodput = c.delivered as f64 * 8.0 / 2e-3;
        assert!(goodput < 25e9 && c.retransmitted == 0, "{goodput}");
    }
}

/// Both flows end at one port. With a gate of queue pairs each has a notification in 50 us, so the port sends two; with the gate at the port
/// they take turns, and no two leave it within 50 us.
#[test]
fn a_gate_at_the_port_counts_for_all_queue_pairs_that_end_there() {
    for (gate, apart) in [("queue-pair", false), ("port", true)] {
        let mut world = world(&format!("{DCQCN}, cnp_gate = \"{gate}\""));
        world.start_recording();
        world.advance(world.end());
        let records = world.take_records();
        assert!(world.report().conserved);
        let from_host = |r: &&Record| world.network().ports[r.port].more.name == "D>W";
        let records: Vec<Record> = records.iter().filter(from_host).cloned().collect();
        let told = signals(&records);
        let flows: BTreeSet<u32> = told.iter().map(|s| s.0).collect();
        assert!(told.len() >= 4 && flows.len() == 2, "{told:?}");
        // One may have waited for an acknowledgement of 84 B at 40 Gbit/s.
        let least = 50_000_000 - 16_800;
        let far = told.windows(2).all(|pair| pair[1].1 - pair[0].1 >= least);
        assert_eq!(far, apart, "{gate} {told:?}");
    }
}

/// Without notifications nobody slows down.
#[test]
fn a_receiver_that_does_not_notify_sends_no_signal() {
    let mut world = world(&format!("{DCQCN}, cnp = \"off\""));
    world.start_recording();
    world.advance(world.end());
    assert_eq!(signals(&world.take_records()), []);
    let report = world.report();
    assert!(report.conserved);
    // 80 Gbit/s for 2 ms into 40: the queue of 500 kB overflows.
    assert!(report.dropped > 1000, "{}", report.dropped);
}

#[test]
fn what_does_not_fit_a_transport_is_refused_with_a_remedy() {
    let fixed = r#"controller = { kind = "fixed" }"#;
    for (more, parts) in [
        (
            format!(r#"transport = "tcp", recovery = "go-back-n", {fixed}"#),
            [
                "does not repair losses by go-back-n",
                "transport = \"roce\"",
            ],
        ),
        (
            format!(r#"transport = "roce", recovery = "rack", {fixed}"#),
            ["does not repair losses by rack", "go-back-0"],
        ),
        (
            format!(r#"transport = "tcp", cnp = "off", {fixed}"#),
            ["has no cnp", "roce"],
        ),
        (
            format!(r#"transport = "irn", spread = {{ kind = "mixed" }}, {fixed}"#),
            ["flows.f.spread", "routing = { kind = \"ecmp\" }"],
        ),
        (
            format!(r#"transport = "roce", cnp = "off", cnp_gate = "port", {fixed}"#),
            ["waits for the gate of a port", "cnp = \"at-once\""],
        ),
        (
            format!(r#"transport = "roce", cap = "100 kB", {fixed}"#),
            ["has no cap", "irn"],
        ),
        (
            r#"transport = "tcp", controller = { kind = "dcqcn", rate = "40 Gbit/s" }"#.to_owned(),
            ["does not answer losses", "transport = \"roce\""],
        ),
        (
            format!("{DCQCN}, cnp_class = 5"),
            ["class 5 has no queue at", "more classes"],
        ),
    ] {
        let said = refusal(&more);
        assert!(parts.iter().all(|p| said.contains(p)), "{more}: {said}");
    }
}

#[test]
fn a_spreader_that_no_switch_looks_at_is_refused() {
    let said = refusal(&format!(r#"{DCQCN}, spread = {{ kind = "reps" }}"#));
    assert!(said.contains("no switch looks at"), "{said}");
    assert!(said.contains("ecmp"), "{said}");
}

#[test]
fn a_class_of_headers_without_a_queue_is_refused() {
    let text = text(DCQCN).replace(
        "classes = 3 } }\nports.\"W>h",
        "classes = 3 }, trim = 5 }\nports.\"W>h",
    );
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
    let said = match scenario.resolve(None) {
        Ok(_) => panic!("it was read"),
        Err(diagnostic) => diagnostic.to_string(),
    };
    assert!(said.contains("class 5 has no queue at W>D"), "{said}");
}

/// Collectives of four ranks on an idle star. A packet of 4,000 B takes 4,068 B of the line, and the acknowledgement of one that comes at the
/// same time 84 B: 332.16 ns at 100 Gbit/s. A step takes 5 us more: two delays and a packet at the second hop. With S = 1 MB:
/// ring 6 (a + 62.5 packets), doubling 2 (a + 250), Rabenseifner 4 a + 2 (125 + 62.5), all-to-all 3 (a + 62.5). Two trees in
/// pieces of a packet: a rank inside one of them and a leaf of the other sends 2 S, beginning at once, and its last piece takes a: 500 + a. If
/// nothing overlapped, the pieces would wait for each other on the way up and down, 4 (a + 1) + 500.
#[test]
fn collectives_take_what_their_closed_forms_say() {
    let packet = 4152.0 * 8.0 / 100e9;
    for (algorithm, steps, packets, last, more) in [
        ("ring", 6.0, 6.0 * 62.5, 0, ""),
        ("recursive-doubling", 2.0, 2.0 * 250.0, 1, ""),
        ("rabenseifner", 4.0, 2.0 * (125.0 + 62.5), 3, ""),
        ("all-to-all", 3.0, 3.0 * 62.5, 2, ""),
        ("tree", 1.0, 500.0, 0, ", pieces = 125"),
    ] {
        let text = format!(
            r#"
schema = "backwater/scenario/1"
duration = "1 ms"
topology = {{ kind = "star", hosts = 3, rate = "100 Gbit/s", delay = "2337 ns", bottleneck = "100 Gbit/s", max_frame = "4200 B" }}
flows.f = {{ from = "*", to = "*", pattern = "ranks", transport = "roce", packet = "4030 B", controller = {{ kind = "fixed", window = "1000 packets" }}, source = {{ kind = "collective", algorithm = "{algorithm}", size = "1 MB"{more} }} }}
"#
        );
        let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
        let resolved = scenario.resolve(None).unwrap_or_else(|d| panic!("{d}"));
        let mut world = resolved.build().unwrap_or_else(|d| panic!("{d}"));
        world.advance(world.end());
        let report = world.report();
        assert!(report.conserved);
        let ended = report.flows.iter().filter_map(|f| f.last_delivered).max();
        let flows = &world.network().flows;
        let named = format!("f/h1/{last}");
        assert!(flows.iter().any(|f| f.name == named), "{named}");
        // The acknowledgement of the last packet takes 2.3 us twice more.
        let took = ended.expect("data").seconds() - 2.0 * 2.337e-6;
        let expected = steps * 5e-6 + packets * packet;
        assert!(
            (took / expected - 1.0).abs() < 0.02,
            "{algorithm} {took} {expected}"
        );
    }
}

#[test]
fn a_collective_that_cannot_be_is_refused() {
    for (ends, more, said) in [
        (
            r#"from = "*", to = "*""#,
            r#"pattern = "ranks", source = { kind = "bulk" }"#,
            "go together",
        ),
        (
            r#"from = "*", to = "*""#,
            r#"pattern = "all", source = { kind = "collective", size = "1 MB" }"#,
            "go together",
        ),
        (
            r#"from = "h*", to = "*""#,
            r#"pattern = "ranks", source = { kind = "collective", size = "1 MB" }"#,
            "both sends and receives",
        ),
        (
            r#"from = "h1", to = "*""#,
            r#"pattern = "ranks", source = { kind = "collective", size = "1 MB" }"#,
            "among two ranks or more",
        ),
        (
            r#"from = "*", to = "D""#,
            r#"pattern = "ranks", source = { kind = "collective", size = "1 MB" }"#,
            "among two ranks or more",
        ),
        (
            r#"from = "*", to = "*""#,
            r#"pattern = "ranks", source = { kind = "collective", pieces = 4, size = "1 MB" }"#,
            "ring sends no pieces",
        ),
        (
            r#"from = "*", to = "*""#,
            r#"pattern = "ranks", source = { kind = "collective", algorithm = "rabenseifner", size = "1 MB" }"#,
            "match 2 or 4 hosts",
        ),
    ] {
        let text = format!(
            r#"
schema = "backwater/scenario/1"
duration = "1 ms"
topology = {{ kind = "star", hosts = 2, rate = "100 Gbit/s", delay = "1 us", bottleneck = "100 Gbit/s" }}
flows.f = {{ {ends}, transport = "roce", controller = {{ kind = "fixed" }}, {more} }}
"#
        );
        let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
        match scenario.resolve(None) {
            Ok(_) => panic!("{more} was read"),
            Err(diagnostic) => assert!(diagnostic.to_string().contains(said), "{diagnostic}"),
        }
    }
}
