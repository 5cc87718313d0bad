//! Every controller of the table over the real endpoints, from text to document.

use backwater_scenario::{Folders, Keep, Run, Scenario};
use backwater_transport::controller::CONTROLLERS;
use serde_json::Value;

/// One bulk flow over 10 Mbit/s and 40 ms with a buffer of 50 packets.
fn document(transport: &str, controller: &str) -> Value {
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
ports."L>D" = {{ buffer = "50 packets" }}
flows.f = {{ from = "S", to = "D", transport = "{transport}", controller = {{ kind = "{controller}" }}, source = {{ kind = "bulk" }} }}
"#
    );
    let scenario = Scenario::from_toml(&text, "x.toml", Folders::default()).unwrap();
    let resolved = scenario.resolve(None).unwrap();
    let mut run = Run::new(&resolved, Keep::default()).unwrap();
    while !run.step().unwrap() {}
    run.finish().unwrap().0
}

/// What the line carries of payload: frames of 1538 bytes with 1448 or 1424 bytes in them.
fn capacity(transport: &str) -> f64 {
    match transport {
        "tcp" => 10e6 * 1448.0 / 1538.0,
        _ => 10e6 * 1424.0 / 1538.0,
    }
}

#[test]
fn every_controller_uses_a_path_of_its_own() {
    for transport in ["tcp", "datagram"] {
        for row in CONTROLLERS {
            // An acknowledgement delayed by 40 ms makes the round trip of a lone segment 80 ms, above
            // the 70 ms at which these two halve, so they stay at their least window.
            if transport == "tcp" && ["delay-triggered", "late"].contains(&row.id) {
                continue;
            }
            let doc = document(transport, row.id);
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
