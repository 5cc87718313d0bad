//! Runs scenarios with the queue and compares with closed forms.

use backwater_scenario::{Folders, Keep, Run, Scenario, engine_id};
use serde_json::Value;

fn run(text: &str) -> Value {
    backwater_avq::register().expect("no other queue has this name");
    let scenario = Scenario::from_toml(text.to_owned(), "x.toml", Folders::default());
    let scenario = scenario.unwrap_or_else(|d| panic!("{d}"));
    let resolved = scenario.resolve(None).unwrap_or_else(|d| panic!("{d}"));
    let mut run = Run::new(&resolved, Keep::default()).unwrap_or_else(|d| panic!("{d:?}"));
    while !run.step().expect("a run") {}
    run.finish().expect("a document").0
}

/// A bottleneck of 10 Mbit/s with the queue under these options, and a flow.
fn scenario(queue: &str, flow: &str) -> String {
    format!(
        r#"
schema = "backwater/scenario/1"
duration = "60 s"
warmup = "10 s"
nodes = {{ A = {{ kind = "host" }}, W = {{ kind = "switch" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "100 Mbit/s", delay = "5 ms" }}
links.b = {{ ends = ["W", "B"], rate = "10 Mbit/s", delay = "5 ms" }}
ports."W>B" = {{ buffer = "1 MB", queue = {{ kind = "avq", {queue} }} }}
flows.f = {{ from = "A", to = "B", {flow} }}
"#
    )
}

/// A virtual queue that is served at 4 Mbit/s passes 4 of the 8 Mbit/s that come at a constant rate: half is lost. A packet
/// of 1482 B is a frame of 1500 B.
#[test]
fn a_virtual_queue_of_constant_rate_passes_what_it_serves() {
    let source = r#"source = { kind = "cbr", packet = "1482 B", rate = "7.904 Mbit/s" }"#;
    let lost = |queue: &str| {
        let document = run(&scenario(queue, source));
        document["flows"][0]["loss"].as_f64().expect("a share")
    };
    let half = lost(r#"share = "40 %", gain = 0"#);
    assert!((half - 0.5).abs() < 0.01, "{half}");
    // One that is served at the rate of the line loses nothing.
    assert_eq!(lost(r#"share = "100 %", gain = 0"#), 0.0);
}

/// The rate of the virtual queue is steady only where the load is the wanted share of the line.
#[test]
fn the_load_becomes_the_wanted_share() {
    let tcp = r#"transport = "tcp", marks = "classic", controller = { kind = "newreno" }, source = { kind = "bulk" }"#;
    for share in [0.6, 0.8] {
        let queue = format!("share = \"{} %\", size = \"30 kB\"", share * 100.0);
        let document = run(&scenario(&queue, tcp));
        let ports = document["ports"].as_array().expect("a list");
        let port = ports.iter().find(|port| port["id"] == "W>B");
        let sent = port.expect("the port")["sent_B"].as_f64().expect("bytes");
        let load = sent * 8.0 / 50.0 / 10e6;
        assert!((load - share).abs() < 0.02, "{load} in place of {share}");
    }
}

/// Parts that were added change the engine's id.
#[test]
fn the_id_of_the_engine_says_that_something_was_added() {
    backwater_avq::register().expect("no other queue has this name");
    assert!(engine_id("0123456789abcdef").starts_with("0123456789abcdef+"));
}
