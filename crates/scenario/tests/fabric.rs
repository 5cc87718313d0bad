//! Queue pairs of RDMA from a scenario's text to packets on wires.

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
