//! Links that are served by traces, one direction at a time.

use std::path::PathBuf;

use backwater_transport::units::{Span, Time};
use serde_json::{Value as Json, json};

use super::super::*;
use crate::run::{Keep, Run};

const CELL: &str = r#"schema = "backwater/scenario/1"
duration = "2 s"
nodes.S = { kind = "host" }
nodes.R = { kind = "host" }
links.down = { from = "S", to = "R", kind = "trace", trace = { kind = "constant", rate = "12 Mbit/s" }, emulator = "cellsim-2013", delay = "20 ms" }
links.up = { from = "R", to = "S", kind = "trace", trace = { kind = "constant", rate = "12 Mbit/s" }, emulator = "cellsim-2013", delay = "20 ms" }
flows.f = { from = "S", to = "R", packet = "1486 B", source = { kind = "cbr", packet = "1486 B", rate = "6 Mbit/s" } }
"#;

fn read(text: &str) -> Result<Resolved, Diagnostic> {
    Scenario::from_toml(text, "x.toml", Folders::default())?.resolve(None)
}

pub(super) fn document(text: &str) -> Json {
    let mut run = Run::new(&read(text).unwrap(), Keep::default()).unwrap();
    while !run.step().unwrap() {}
    run.finish().unwrap().0
}

#[track_caller]
fn refused(old: &str, new: &str, what: &str, fix: &str) {
    assert!(CELL.contains(old), "{old}");
    let found = read(&CELL.replacen(old, new, 1))
        .and_then(|r| r.build())
        .expect_err(new);
    assert!(found.what.contains(what), "{found}");
    assert!(found.fix.contains(fix), "{found}");
    assert!(found.line.is_some(), "{found}");
}

#[test]
fn two_directions_make_a_link() {
    let resolved = read(CELL).unwrap_or_else(|d| panic!("{d}"));
    let form: Json = serde_json::from_str(&resolved.canonical).unwrap();
    let link = &form["links"]["down"];
    assert_eq!(link["ends"], json!(["S", "R"]));
    assert_eq!(link["ways"][0]["name"], "down");
    assert_eq!(link["ways"][1]["name"], "up");
    assert_eq!(link["ways"][0]["opportunity_B"], 1500);
    assert_eq!(link["ways"][0]["overhead_B"], 14);
    assert_eq!(link["ways"][0]["first"], "arrival");
    assert_eq!(link["ways"][0]["delay_s"], 0.02);
    assert_eq!(form["ports"]["S>R"]["buffer"], "unlimited");
}

#[test]
fn a_trace_link_has_the_queue_it_names_unless_its_port_says_otherwise() {
    let queue = |fields: &str, more: &str| -> Json {
        let text = CELL.replacen("delay = \"20 ms\"", fields, 1) + more;
        let form = read(&text).unwrap_or_else(|d| panic!("{d}")).canonical;
        serde_json::from_str::<Json>(&form).unwrap()["ports"]["S>R"].clone()
    };
    let infinite = queue("queue = { kind = \"infinite\" }", "");
    assert_eq!(infinite["queue"]["kind"], "infinite");
    assert_eq!(infinite["buffer"], "unlimited");
    let short = "queue = { kind = \"fifo\" }, buffer = \"50 packets\"";
    assert_eq!(queue(short, "")["buffer_pkts"], 50);
    let port = queue(short, "ports.\"S>R\" = { buffer = \"20 packets\" }\n");
    assert_eq!(
        (&port["buffer_pkts"], &port["queue"]["kind"]),
        (&json!(20), &json!("fifo"))
    );
    assert_eq!(
        queue(short, "ports.\"*\" = { buffer = \"9 packets\" }\n")["buffer_pkts"],
        50
    );
}

#[test]
fn single_options_override_the_emulator() {
    let text = CELL.replacen(
        "delay = \"20 ms\"",
        "opportunity = \"1514 B\", overhead = \"4 B\", first = \"opportunity\", clock = \"exact\"",
        1,
    );
    let form: Json = serde_json::from_str(&read(&text).unwrap().canonical).unwrap();
    let direction = &form["links"]["down"]["ways"][0];
    assert_eq!(
        (&direction["opportunity_B"], &direction["overhead_B"]),
        (&json!(1514), &json!(4))
    );
    assert_eq!(
        (&direction["first"], &direction["clock"]),
        (&json!("opportunity"), &json!("exact"))
    );
    assert_eq!(direction["delay_s"], 0);
}

#[test]
fn the_metrics_of_a_half_used_constant_link_are_known() {
    let run = document(CELL);
    let m = &run["metrics"];
    let near = |name: &str, expected: f64, by: f64| {
        let found = m[name].as_f64().unwrap_or(f64::NAN);
        assert!((found - expected).abs() <= by, "{name}: {found}");
    };
    // An opportunity of 1500 B in each millisecond; a packet of 1486 + 14 B each 1486 B × 8 / 6 Mbit/s =
    // 1.9813 ms. On the clock of whole milliseconds one created in a millisecond is delivered 20 ms after
    // its beginning. At a whole millisecond t the newest delivered is the last one created before t - 19
    // ms: ages are uniform between 19 and 20.98 ms, their 95th percentile is 20.88, in whole ms 20.
    near("capacity_bps", 12e6, 1.0);
    near("utilisation", 12_000.0 / 1.9813 / 12_000.0, 0.01);
    near("age_p95_s", 0.020, 1e-9);
    near("cell_throughput_bps", 12_000.0 / 1.9813e-3, 0.02e6);
    near("score_ln", libm::log(6.0565 / 20.0), 0.01);
    near("omniscient_age_p95_s", 0.020, 1e-9);
    near("self_inflicted_s", 0.0, 1e-9);
    assert_eq!(run["flows"][0]["score_ln"], m["score_ln"]);
    let port = &run["ports"][0];
    assert_eq!(port["id"], "S>R");
    assert_eq!(port["capacity_bps"], m["capacity_bps"]);
    assert_eq!(run["conservation"]["ok"], true);
    let names: Vec<&str> = run["ports"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|p| p["id"].as_str())
        .collect();
    assert_eq!(names, ["S>R", "R>S", "S>R~delay", "R>S~delay"]);
}

#[test]
fn boxes_stand_on_wires_too_and_their_losses_name_them() {
    let text = CELL
        .lines()
        .filter(|line| !line.starts_with("links."))
        .chain([
            r#"links.l = { ends = ["S", "R"], rate = "100 Mbit/s", delay = "1 ms", boxes = [{ kind = "loss", share = "50 %" }, { kind = "delay", delay = "3 ms" }] }"#,
        ])
        .collect::<Vec<_>>()
        .join("\n");
    let run = document(&text);
    assert_eq!(run["drops"][0]["cause"], "random-loss");
    assert_eq!(run["drops"][0]["place"], "S>R~loss");
    let delay = run["metrics"]["delay_propagation_s"].as_f64().unwrap();
    assert!((delay - 0.004).abs() < 1e-9, "{delay}");
    assert_eq!(run["metrics"]["age_p95_s"], Json::Null);
    assert_eq!(run["conservation"]["ok"], true);
}

#[test]
fn what_cannot_be_a_link_is_refused_with_the_fix() {
    refused(
        "to = \"R\", kind",
        "to = \"S\", kind",
        "joins a node to itself",
        "two different",
    );
    refused(
        "from = \"S\", to",
        "to",
        "`links.down.from` is missing",
        "from = \"A\"",
    );
    refused(
        "links.up = { from = \"R\", to = \"S\", kind = \"trace\"",
        "links.up = { from = \"S\", to = \"R\", kind = \"trace\"",
        "no link leads back",
        "from = \"R\", to = \"S\"",
    );
    refused(
        "trace = { kind = \"constant\", rate = \"12 Mbit/s\" }, ",
        "",
        "`links.down.trace` is missing",
        "trace = ",
    );
    refused(
        "\"constant\"",
        "\"constnat\"",
        "unknown trace `constnat`",
        "",
    );
    refused(
        "\"cellsim-2013\"",
        "\"cellsim\"",
        "not one of the words",
        "",
    );
    refused(
        "{ kind = \"constant\", rate = \"12 Mbit/s\" }, ",
        "{ kind = \"cox\", peak = \"10 kbit/s\", burst = 1000 }, opportunity = \"88 kB\", ",
        "an opportunity of 88000 B comes after 7040000 steps of the rate on average",
        "raise the rates, or lower `opportunity` or `burst`",
    );
    refused(
        "delay = \"20 ms\"",
        "repeat = false",
        "a generated trace has no end",
        "remove",
    );
    refused(
        "delay = \"20 ms\"",
        "boxes = [{ kind = \"los\" }]",
        "unknown box `los`",
        "",
    );
    refused(
        "delay = \"20 ms\"",
        "max_frame = \"9000 B\"",
        "leads back",
        "same max_frame",
    );
    refused(
        "emulator = \"cellsim-2013\"",
        "emulator = \"mahimahi\", opportunity = \"1400 B\"",
        "opportunities carry 1400 B",
        "cellsim",
    );
    refused(
        "links.down = { from = \"S\", to = \"R\", kind = \"trace\", trace = { kind = \"constant\", rate = \"12 Mbit/s\" }, emulator = \"cellsim-2013\", delay = \"20 ms\" }",
        "links.down = { ends = [\"S\", \"R\"], from = \"S\", rate = \"1 Mbit/s\", delay = \"0 s\" }",
        "`ends` are both written",
        "either",
    );
}

#[test]
fn a_trace_file_is_read_or_refused_with_its_line() {
    let folder = std::env::temp_dir().join(format!("backwater-cell-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let folders = |folder: &PathBuf| Folders {
        scenario: Some(folder.clone()),
        ..Folders::default()
    };
    let text = CELL.replacen(
        "{ kind = \"constant\", rate = \"12 Mbit/s\" }",
        "\"a.down\"",
        1,
    );
    let read = |content: &[u8]| {
        std::fs::write(folder.join("a.down"), content).unwrap();
        Scenario::from_toml(&text, "x.toml", folders(&folder))?.resolve(None)
    };
    let resolved = read(b"1\n5\n").unwrap_or_else(|d| panic!("{d}"));
    assert_eq!(resolved.inputs[0].path, "a.down");
    let form: Json = serde_json::from_str(&resolved.canonical).unwrap();
    let direction = &form["links"]["down"]["ways"][0];
    assert_eq!(
        (&direction["trace"]["kind"], &direction["repeat"]),
        (&json!("file"), &json!(true))
    );
    for (content, why) in [
        (&b""[..], "the trace is empty"),
        (b"1\r\n", "line 1: the line ends with a carriage return"),
        (b"3\n2\n", "line 2: 2 comes after 3"),
    ] {
        let found = read(content).expect_err(why);
        assert!(found.what.contains(why), "{found}");
        assert!(found.what.contains("a.down"), "{found}");
        assert!(found.line.is_some(), "{found}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Two packets a second apart, on a link at rest. The heavy trace serves each second at 0.9 s; trains take 20 ms to there and 30 ms back.
#[test]
fn two_workloads_are_replayed() {
    let folder = std::env::temp_dir().join(format!("backwater-replay-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("heavy", "900\n1000\n");
    let down = "0 20 0 1\n5000 20 0 1\n";
    write("down", down);
    write("up", "0 30 0 1\n5000 30 0 1\n");
    let trace =
        |light: &str| format!(r#"{{ kind = "cellreplay", light = "{light}", heavy = "heavy" }}"#);
    let text = format!(
        r#"schema = "backwater/scenario/1"
duration = "3 s"
nodes.S = {{ kind = "host" }}
nodes.R = {{ kind = "host" }}
links.down = {{ from = "S", to = "R", kind = "trace", clock = "exact", trace = {} }}
links.up = {{ from = "R", to = "S", kind = "trace", clock = "exact", trace = {} }}
flows.f = {{ from = "S", to = "R", transport = "tcp", controller = {{ kind = "newreno" }}, delayed_ack = "0 s", start = "100 ms", source = {{ kind = "request-response", size = "900 B", gap = "1 s" }} }}
"#,
        trace("down"),
        trace("up")
    );
    let resolved = || {
        let folders = Folders {
            scenario: Some(folder.clone()),
            ..Folders::default()
        };
        Scenario::from_toml(&text, "x.toml", folders)?.resolve(None)
    };
    let read = resolved().unwrap_or_else(|d| panic!("{d}"));
    assert_eq!(read.inputs.len(), 3);
    let mut run = Run::new(&read, Keep::default()).unwrap();
    while !run.step().unwrap() {}
    let found = run.finish().unwrap().0;
    let flow = &found["flows"][0];
    assert_eq!(flow["rtt_min_s"], 0.05);
    let mean = flow["rtt_mean_s"].as_f64().expect("round trips");
    assert!((mean - 0.05).abs() < 1e-9, "{mean}");
    assert_eq!(found["conservation"]["ok"], true);
    // A log has no line for what uses no opportunity.
    let logs = [("down".to_owned(), folder.join("x.log"))];
    let keep = Keep {
        logs: &logs,
        ..Keep::default()
    };
    let Err(crate::run::Failure::Refused(log)) = Run::new(&read, keep) else {
        panic!("a log of a replay of two workloads")
    };
    assert!(log.what.contains("no opportunity"), "{log}");
    write("down", "0 20 0 1\n0 20 0 1\n");
    let found = resolved().expect_err("times that stand still");
    assert!(
        found.what.contains("down, line 2: 0 comes after 0"),
        "{found}"
    );
    assert!(found.fix.contains("0 20 0 1 3"), "{found}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// 6 Mbit/s over a link of 12 Mbit/s, stopped in the warm-up of 1 s and half a second behind it.
#[test]
fn a_run_that_is_stopped_in_its_warm_up_has_no_document() {
    let text = CELL.replacen("duration", "warmup = \"1 s\"\nduration", 1);
    let resolved = read(&text).unwrap_or_else(|d| panic!("{d}"));
    let mut world = resolved.build().unwrap();
    let mut stopped = |ms| {
        world.advance(Time::ZERO + Span::millis(ms));
        let report = world.report();
        assert_eq!(resolved.document(&mut world).is_some(), ms == 2000);
        resolved.document_so_far(&world, &report)
    };
    assert_eq!(stopped(500), None);
    let document = stopped(1500).expect("a window of 0.5 s");
    assert_eq!(document["duration_s"], 1.5);
    let flow = &document["flows"][0];
    let near = |figure: &str, expected: f64, packets: f64| {
        let found = flow[figure].as_f64().expect(figure);
        let packet = 1500.0 * 8.0 / 0.5;
        assert!(
            (found - expected).abs() <= packets * packet,
            "{figure} {found}"
        );
    };
    near("capacity_bps", 12e6, 1.0);
    near("link_throughput_bps", 6e6 * 1500.0 / 1486.0, 1.0);
    let whole = stopped(2000).expect("the end");
    assert_eq!(whole["duration_s"], 2.0);
}
