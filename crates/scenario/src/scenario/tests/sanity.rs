//! Figures of windows that begin or end in the middle of something, against closed forms.

use serde_json::{Value as Json, json};

use super::cell::document;

fn near(found: &Json, expected: f64, by: f64) {
    let found = found.as_f64().unwrap_or(f64::NAN);
    assert!((found - expected).abs() <= by, "{found}, not {expected}");
}

/// A host on 10 Mbit/s, with what else a test says.
fn wired(more: &str) -> Json {
    document(&format!(
        r#"
schema = "backwater/scenario/1"
nodes.S = {{ kind = "host" }}
nodes.D = {{ kind = "host" }}
links.l = {{ ends = ["S", "D"], rate = "10 Mbit/s", delay = "1 ms" }}
{more}
"#
    ))
}

/// Frames of two classes wait at 0 s: 1518 B in each, and no others come. Both are held for the first 1221 µs.
#[test]
fn a_ports_largest_occupancy_counts_all_class_queues_as_its_mean_does() {
    let run = wired(
        r#"
duration = "1 ms"
flows.a = { from = "S", to = "D", class = 1, source = { kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" } }
flows.b = { from = "S", to = "D", class = 2, source = { kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" } }
"#,
    );
    let port = &run["ports"][0];
    assert_eq!(port["queue_max_B"], 3036);
    near(&port["queue_mean_B"], 3036.0, 1e-9);
    assert_eq!(run["sanity"]["ok"], true);
}

/// A frame of 1518 B, with preamble and gap 1538 B, takes 1230.4 µs. It begins at 0 s. The window from 1 ms to 2 ms has its
/// last 230.4 µs; that from 0 s to 1 ms is full.
#[test]
fn a_line_is_busy_for_the_part_of_a_frame_that_lies_in_the_window() {
    let one = |times: &str| {
        let flow = r#"flows.a = { from = "S", to = "D", stop = "1 us", source = { kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" } }"#;
        wired(&format!("{times}\n{flow}"))["ports"][0]["busy"].clone()
    };
    near(&one(r#"duration = "1 ms""#), 1.0, 1e-9);
    near(&one("duration = \"2 ms\"\nwarmup = \"1 ms\""), 0.2304, 1e-9);
}

/// A packet each millisecond comes to a queue of twenty on a line of 10 kbit/s, which sends none in the window of ten milliseconds. Each
/// that comes throws out the oldest, and these ten entered before the window.
#[test]
fn loss_is_of_packets_that_entered_after_the_warm_up() {
    let run = document(
        r#"
schema = "backwater/scenario/1"
duration = "60.5 ms"
warmup = "50.5 ms"
nodes.S = { kind = "host" }
nodes.D = { kind = "host" }
links.l = { ends = ["S", "D"], rate = "10 kbit/s", delay = "1 ms" }
ports."S>D" = { queue = { kind = "drop-head" }, buffer = "20 packets" }
flows.a = { from = "S", to = "D", source = { kind = "cbr", packet = "1500 B", rate = "12 Mbit/s" } }
"#,
    );
    let flow = &run["flows"][0];
    assert_eq!(
        (&flow["entered_pkts"], &flow["dropped_pkts"]),
        (&json!(10), &json!(10))
    );
    assert_eq!(
        (&flow["loss"], &run["metrics"]["loss"]),
        (&json!(0.0), &json!(0.0))
    );
    assert_eq!(run["metrics"]["dropped_pkts"], 10);
    assert_eq!(run["sanity"]["ok"], true);
}

/// Two adjacent windows together have the times of one long window: the time in use of wires, hops and stations,
/// wherever the boundary lies.
#[test]
fn times_of_adjacent_windows_add_up() {
    let air = r#"
media.air = { phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }, channel = { model = "disc", transmit = "100 m", sense = "190 m" } }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"] }
nodes.B = { kind = "station", medium = "air", at = ["50 m", "0 m"] }
nodes.H = { kind = "host" }
nodes.I = { kind = "host" }
links.l = { ends = ["H", "I"], rate = "10 Mbit/s", delay = "1 ms" }
flows.a = { from = "A", to = "B", source = { kind = "saturated" } }
flows.b = { from = "H", to = "I", source = { kind = "saturated" } }
"#;
    let run = |duration: f64, warmup: f64| {
        let times = format!("duration = \"{duration} us\"\nwarmup = \"{warmup} us\"");
        document(&format!(
            "schema = \"backwater/scenario/1\"\n{times}\n{air}"
        ))
    };
    let whole = run(20_000.0, 0.0);
    for boundary in [100.0, 777.0, 3_333.0, 10_001.0, 16_161.0] {
        let (before, after) = (run(boundary, 0.0), run(20_000.0, boundary));
        for (list, name) in [
            ("ports", "busy"),
            ("stations", "busy"),
            ("stations", "airtime"),
        ] {
            for (i, row) in whole[list].as_array().unwrap().iter().enumerate() {
                let of = |run: &Json| run[list][i][name].as_f64().unwrap();
                let sum = of(&before) * boundary + of(&after) * (20_000.0 - boundary);
                let (all, what) = (of(&whole) * 20_000.0, format!("{} {name}", row["id"]));
                assert!(
                    (all - sum).abs() < 1e-3,
                    "{what}, {boundary} us: {sum} of {all}"
                );
            }
        }
    }
}

/// A constant trace of an opportunity in each of 2000 ms, and a packet every other millisecond that comes 20 ms late: those created
/// up to 1.980 s, which are 991, each use an opportunity.
#[test]
fn a_trace_link_is_busy_for_the_share_of_its_opportunities() {
    let run = document(
        r#"
schema = "backwater/scenario/1"
duration = "2 s"
nodes.S = { kind = "host" }
nodes.R = { kind = "host" }
links.down = { from = "S", to = "R", kind = "trace", trace = { kind = "constant", rate = "12 Mbit/s" }, emulator = "cellsim-2013", delay = "20 ms" }
links.up = { from = "R", to = "S", kind = "trace", trace = { kind = "constant", rate = "12 Mbit/s" }, emulator = "cellsim-2013", delay = "20 ms" }
flows.f = { from = "S", to = "R", packet = "1486 B", source = { kind = "cbr", packet = "1486 B", rate = "5.944 Mbit/s" } }
"#,
    );
    near(&run["ports"][0]["busy"], 991.0 / 2000.0, 1e-9);
}

/// Delays of 12.5 ms fall into a class that ends at 12.509183 ms: the longest delay is known better.
#[test]
fn no_percentile_lies_above_the_longest_delay() {
    let run = wired(
        r#"
duration = "1 s"
flows.a = { from = "S", to = "D", source = { kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" } }
"#,
    );
    // 1526 B of preamble and frame at 10 Mbit/s, and the wire.
    for name in ["delay_p50_s", "delay_p95_s", "delay_p99_s", "delay_max_s"] {
        near(&run["metrics"][name], 0.001 + 1526.0 * 8.0 / 10e6, 1e-12);
    }
}
