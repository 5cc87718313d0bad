//! Every controller of the table over the real endpoints, from text to document.

use backwater_scenario::{Folders, Keep, Run, Scenario};
use backwater_sim::stamp::STAMPS;
use backwater_transport::controller::CONTROLLERS;
use serde_json::Value;

/// The published set point is 99 % of the buffer: there is room for half a packet above it, and an overshoot is lost.
const OF_STAMPS: &[(&str, &str)] = &[("iacp", ", g = 0.5")];

/// One bulk flow over 10 Mbit/s and 40 ms with a buffer of 50 packets. A scheme with explicit feedback has its router
/// there.
fn document(transport: &str, controller: &str, more: &str) -> Value {
    let stamp = match STAMPS.iter().any(|row| row.id == controller) {
        true => {
            let (_, more) = OF_STAMPS
                .iter()
                .find(|s| s.0 == controller)
                .unwrap_or(&("", ""));
            format!(r#", stamp = {{ kind = "{controller}"{more} }}"#)
        }
        false => String::new(),
    };
    let text = format!(
        r#"
schema = "backwater/scenario/1"
duration = "20 s"
warmup = "5 s"
nodes.S = {{ kind = "host" }}
nodes.L = {{ kind = "switch" }}
nodes.D = {{ kind = "host" }}
links.a = {{ ends = ["S", "L"], rate = "100 Mbit/s", delay = "1 ms" }}
links.m = {{ ends = ["L", "D"], rate = "10 Mbit/s", delay = "19 ms" }}
ports."L>D" = {{ buffer = "50 packets"{stamp} }}
flows.f = {{ from = "S", to = "D", transport = "{transport}", controller = {{ kind = "{controller}" }}, {more} source = {{ kind = "bulk" }} }}
"#
    );
    let scenario = Scenario::from_toml(&text, "x.toml", Folders::default()).unwrap();
    let resolved = scenario.resolve(None).unwrap();
    let mut run = Run::new(&resolved, Keep::default()).unwrap();
    while !run.step().unwrap() {}
    run.finish().unwrap().0
}

/// The payload that the line carries: frames of 1538 bytes with 1448 or 1424 bytes in them.
fn capacity(transport: &str) -> f64 {
    match transport {
        "tcp" => 10e6 * 1448.0 / 1538.0,
        _ => 10e6 * 1424.0 / 1538.0,
    }
}

/// An acknowledgement delayed by 40 ms makes the round trip of a lone segment 80 ms, above the 70 ms at
/// which these two take the path for congested.
const NEED_EACH_ACKNOWLEDGED: &[&str] = &["delay-triggered", "late"];

#[test]
fn a_delayed_acknowledgement_above_the_threshold_is_taken_for_congestion() {
    for id in NEED_EACH_ACKNOWLEDGED {
        let used = |more| {
            let flow = &document("tcp", id, more)["flows"][0];
            flow["goodput_bps"].as_f64().unwrap() / capacity("tcp")
        };
        // Three segments in 80 ms are 4.6 % of the line; without the delay the threshold is 30 ms above
        // the path's round trip, as room for a queue that fills the line.
        let (delayed, at_once) = (used(""), used(r#"delayed_ack = "0 s","#));
        assert!(delayed < 0.1 && at_once > 0.8, "{id}: {delayed} {at_once}");
    }
}

#[test]
fn every_controller_uses_a_path_of_its_own() {
    for transport in ["tcp", "datagram"] {
        // One of RDMA is for lossless networks and has a transport of its own.
        for row in CONTROLLERS.iter().filter(|row| {
            ![
                "qcn", "dcqcn", "hpcc", "timely", "powertcp", "swift", "nscc",
            ]
            .contains(&row.id)
        }) {
            let more = match transport == "tcp" && NEED_EACH_ACKNOWLEDGED.contains(&row.id) {
                true => r#"delayed_ack = "0 s","#,
                false => "",
            };
            let doc = document(transport, row.id, more);
            assert_eq!(doc["conservation"]["ok"], true, "{transport} {}", row.id);
            let flow = &doc["flows"][0];
            let number = |key: &str| flow[key].as_f64().unwrap();
            let used = number("goodput_bps") / capacity(transport);
            let place = format!("{transport} {}: {flow}", row.id);
            assert!(used > 0.8 && used < 1.01, "{place}");
            assert!(number("loss") < 0.12, "{place}");
            if transport == "datagram" {
                // 40 ms and a full buffer of 50 frames and one in service, 1.23 ms each.
                assert!(
                    number("rtt_p95_s") < 0.040 + 52.0 * 1538.0 * 8.0 / 10e6,
                    "{place}"
                );
            }
        }
    }
}

/// A file stands by its hash in what determines a run; nobody here executes it.
#[test]
fn a_controller_of_another_language_needs_a_host() {
    let file = |name: &str| {
        let text = format!(
            r#"
schema = "backwater/scenario/1"
duration = "1 s"
nodes.S = {{ kind = "host" }}
nodes.D = {{ kind = "host" }}
links.a = {{ ends = ["S", "D"], rate = "10 Mbit/s", delay = "1 ms" }}
flows.f = {{ from = "S", to = "D", transport = "tcp", controller = {{ kind = "python", file = "{name}", class = "A", options = {{ b = 1.0, a = [true, "x"] }} }}, source = {{ kind = "bulk" }} }}
"#
        );
        let folders = Folders {
            scenario: Some(env!("CARGO_MANIFEST_DIR").into()),
            ..Folders::default()
        };
        let scenario = Scenario::from_toml(&text, "x.toml", folders).unwrap();
        scenario.resolve(None)
    };
    let resolved = file("Cargo.toml").unwrap();
    let written = format!(
        r#""controller":{{"class":"A","file_sha256":"{}","kind":"python","options":{{"a":[true,"x"],"b":1.0}}}}"#,
        resolved.inputs[0].sha256
    );
    assert!(
        resolved.canonical.contains(&written),
        "{}",
        resolved.canonical
    );
    assert_ne!(resolved.key(""), file("controllers.rs").unwrap().key(""));
    assert_eq!(resolved.hosted().count(), 1);
    assert!(resolved.build_hosted(&resolved.spec()).is_ok());
    let refused = resolved.build().unwrap_err().to_string();
    assert!(refused.contains("a Python class"), "{refused}");
    assert!(refused.contains("x.toml:7"), "{refused}");
    assert!(file("absent.py").is_err());
}
