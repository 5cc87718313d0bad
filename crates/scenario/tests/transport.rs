//! Flows with a transport, from text to document.

use backwater_scenario::{Diagnostic, Folders, Keep, Run, Scenario};
use serde_json::{Value, json};

const DUMBBELL: &str = r#"
schema = "backwater/scenario/1"
duration = "5 s"
warmup = "1 s"
nodes.S1 = { kind = "host" }
nodes.S2 = { kind = "host" }
nodes.L = { kind = "switch" }
nodes.R = { kind = "switch" }
nodes.D1 = { kind = "host" }
nodes.D2 = { kind = "host" }
links.a1 = { ends = ["S1", "L"], rate = "100 Mbit/s", delay = "1 ms" }
links.a2 = { ends = ["S2", "L"], rate = "100 Mbit/s", delay = "1 ms" }
links.m = { ends = ["L", "R"], rate = "10 Mbit/s", delay = "8 ms" }
links.b1 = { ends = ["R", "D1"], rate = "100 Mbit/s", delay = "1 ms" }
links.b2 = { ends = ["R", "D2"], rate = "100 Mbit/s", delay = "1 ms" }
ports."L>R" = { buffer = "25 packets" }
flows.f1 = { from = "S1", to = "D1", transport = "tcp", controller = { kind = "newreno" }, source = { kind = "bulk" } }
flows.f2 = { from = "S2", to = "D2", transport = "datagram", frame = "1514 B", silence = "1 s", controller = { kind = "fixed", window = "5 packets" }, source = { kind = "bulk" } }
"#;

/// The fields that make the first flow a stream.
const TCP: &str = r#"transport = "tcp", controller = { kind = "newreno" }, "#;

fn scenario(text: &str) -> Result<Scenario, Diagnostic> {
    Scenario::from_toml(text, "x.toml", Folders::default())
}

fn document(text: &str) -> Value {
    let resolved = scenario(text).unwrap().resolve(None).unwrap();
    let mut run = Run::new(&resolved, Keep::default()).unwrap();
    while !run.step().unwrap() {}
    run.finish().unwrap().0
}

fn refused(text: &str) -> Diagnostic {
    let resolved = scenario(text).and_then(|s| s.resolve(None));
    resolved.and_then(|r| r.build()).expect_err("refused")
}

#[test]
fn a_dumbbell_from_text_to_document() {
    let doc = document(DUMBBELL);
    assert_eq!(doc["conservation"]["ok"], true);
    let flows = doc["flows"].as_array().unwrap();
    // The flows of ACKs are no flows of the document.
    assert_eq!(flows.len(), 2);
    let [tcp, datagram] = [&flows[0], &flows[1]];
    let number = |flow: &Value, key: &str| flow[key].as_f64().unwrap();
    let goodput = number(tcp, "goodput_bps") + number(datagram, "goodput_bps");
    // 10 Mbit/s of frames of 1538 bytes that carry 1448 or 1424.
    let line = 10e6 * 1448.0 / 1538.0;
    assert!(goodput > 0.95 * line && goodput < line, "{goodput}");
    assert!(number(tcp, "retransmitted_pkts") > 0.0);
    assert_eq!(datagram["retransmitted_pkts"], 0);
    // Propagation is 20 ms both ways.
    for flow in [tcp, datagram] {
        assert!(number(flow, "rtt_min_s") > 0.020);
        assert!(number(flow, "rtt_p95_s") >= number(flow, "rtt_mean_s"));
        assert!(number(flow, "acks_pkts") > 0.0);
    }
    assert!((number(datagram, "window_mean_B") - 5.0 * 1424.0).abs() < 1.0);
    assert_eq!(tcp["transfers"], 0);
    assert_eq!(tcp["fct_p50_s"], Value::Null);
    let labels = &doc["labels"];
    assert_eq!(labels["flows.f1.controller"], "newreno");
    assert_eq!(labels["flows.f1.recovery"], "rack");
    assert_eq!(labels["flows.f2.transport"], "datagram");
    let jain = number(&doc["metrics"], "jain");
    assert!(jain > 0.5 && jain <= 1.0);
}

#[test]
fn transfers_tell_how_long_they_took() {
    let text = DUMBBELL.replacen(
        r#"{ kind = "bulk" }"#,
        r#"{ kind = "request-response", sizes = "pareto", size = "20 kB", gap = "50 ms" }"#,
        1,
    );
    let doc = document(&text);
    let flow = &doc["flows"][0];
    assert!(flow["transfers"].as_u64().unwrap() > 20);
    let at = |key: &str| flow[key].as_f64().unwrap();
    assert!(at("fct_p50_s") > 0.010);
    assert!(at("fct_p50_s") <= at("fct_p95_s") && at("fct_p95_s") <= at("fct_p99_s"));
}

/// A response of 500 segments every four seconds. The first makes the window 500; with it kept, a later
/// one takes its way there and serialisation, and with the initial window of ten (RFC 5681 section
/// 4.1) five rounds more: 10, 20, 40, 80 and 160 leave 190 for the sixth.
#[test]
fn a_pause_between_responses_starts_slowly_again() {
    let with = |choice: &str| {
        let text = DUMBBELL
            .replace("10 Mbit/s", "10 Gbit/s")
            .replace("100 Mbit/s", "10 Gbit/s");
        let text = text
            .replace("25 packets", "1000 packets")
            .replace("5 s", "60 s");
        let text = text.replacen(
            r#"{ kind = "bulk" }"#,
            &format!(
                r#"{{ kind = "request-response", gaps = "fixed", gap = "4 s", size = "724 kB" }}, delayed_ack = "0 s"{choice}"#
            ),
            1,
        );
        let doc = document(&text);
        assert!(doc["flows"][0]["transfers"].as_u64().unwrap() > 10);
        doc["flows"][0]["fct_p50_s"].as_f64().unwrap()
    };
    let (restart, decay, keep) = (
        with(""),
        with(r#", after_idle = "decay""#),
        with(r#", after_idle = "keep""#),
    );
    // 10 ms each way; 500 frames of 1538 B at 10 Gbit/s take 0.6 ms.
    assert!((keep - 0.0106).abs() < 0.0005, "{keep}");
    assert!((restart - 5.0 * 0.020 - 0.010).abs() < 0.001, "{restart}");
    // Four seconds are four timeouts and a little: 500 / 16 = 31, 62, 124, 248, and the rest.
    assert!((decay - 4.0 * 0.020 - 0.010).abs() < 0.001, "{decay}");
}

/// Where a host's own link is the slowest no loss stops a window: in five seconds NewReno's initial ten segments of 1448 B
/// double with every round trip, and the window passes any kernel's 4 MiB within the first.
#[test]
fn a_stream_that_fills_its_own_host_is_warned_of() {
    let warned = |text: &str| document(text)["warnings"].as_array().unwrap().len();
    let alone = DUMBBELL.split("flows.f2").next().unwrap();
    let even = alone
        .replace(r#""100 Mbit/s""#, r#""1 Gbit/s""#)
        .replace(r#""10 Mbit/s""#, r#""1 Gbit/s""#);
    let text = document(&even)["warnings"][0].clone();
    let text = text.as_str().expect("a warning");
    assert!(
        text.contains("flow f1") && text.contains("port S1>L"),
        "{text}"
    );
    assert_eq!(warned(DUMBBELL), 0);
    let limited = format!("{even}ports.\"S1>L\" = {{ buffer = \"1000 packets\" }}\n");
    assert_eq!(warned(&limited), 0);
}

#[test]
fn a_flow_of_datagrams_that_nobody_answers_has_no_round_trip() {
    let text = DUMBBELL.replace(TCP, "").replacen(
        r#"{ kind = "bulk" }"#,
        r#"{ kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" }"#,
        1,
    );
    let flow = &document(&text)["flows"][0];
    for key in ["rtt_min_s", "window_mean_B", "acks_pkts", "transfers"] {
        assert_eq!(flow[key], Value::Null, "{key}");
    }
    assert_eq!(flow["retransmitted_pkts"], 0);
}

#[test]
fn options_are_part_of_the_resolved_form() {
    let of = |text: &str| scenario(text).unwrap().resolve(None).unwrap().sha256();
    let base = of(DUMBBELL);
    assert_ne!(of(&DUMBBELL.replace("5 packets", "6 packets")), base);
    assert_ne!(
        of(&DUMBBELL.replace(r#"silence = "1 s""#, r#"silence = "2 s""#)),
        base
    );
    let with = |option: &str| of(&DUMBBELL.replace(TCP, &format!("{TCP}{option}, ")));
    for option in [
        r#"delayed_ack = "0 s""#,
        r#"rto_min = "200 ms""#,
        r#"initial_window = "4 packets""#,
        "pacing = false",
        r#"after_idle = "decay""#,
        r#"after_idle = "keep""#,
        r#"marks = "classic""#,
        r#"marks = "accurate""#,
        r#"marks = "ace""#,
        r#"recovery = "sack""#,
        r#"recovery = "newreno""#,
        r#"packet = "1000 B""#,
    ] {
        assert_ne!(with(option), base, "{option}");
    }
    let spelled = r#"packet = "1500 B", rto_min = "1 s", delayed_ack = "40 ms", after_idle = "restart", pacing = true, recovery = "rack""#;
    assert_eq!(with(spelled), base);
}

#[test]
fn what_makes_no_sense_is_refused_with_place_and_remedy() {
    let fixed =
        r#"controller = { kind = "fixed", window = "5 packets" }, source = { kind = "bulk" }"#;
    let waits =
        r#"controller = { kind = "fixed" }, source = { kind = "request-response", size = "1 kB" }"#;
    let pattern = r#"to = "D*", pattern = "random", transport"#;
    let bulk = r#"source = { kind = "bulk" } }
flows.f2"#;
    let unsized_requests = r#"source = { kind = "request-response" } }
flows.f2"#;
    let frame = r#"frame = "1514 B""#;
    for (from, to, what, fix) in [
        (
            r#""newreno""#,
            r#""newrenno""#,
            "unknown controller `newrenno`",
            "newreno",
        ),
        (
            r#""5 packets""#,
            r#""0 packets""#,
            "flows.f2.controller.window",
            "1 packets",
        ),
        (r#"window ="#, "widow =", "widow", "window"),
        (
            r#"transport = "tcp", "#,
            "",
            "`flows.f1.controller`: a flow with transport = \"udp\" has no controller",
            "write transport = \"tcp\" or \"datagram\"",
        ),
        (TCP, r#"transport = "tcp", "#, "controller", "kind ="),
        (
            r#"transport = "tcp","#,
            r#"transport = "tcp", silence = "1 s","#,
            "has no silence",
            "transport = \"datagram\"",
        ),
        (
            frame,
            r#"frame = "1514 B", packet = "1500 B""#,
            "flows.f2.frame",
            "one of `frame` and `packet`",
        ),
        (
            frame,
            r#"packet = "76 B""#,
            "no room for data behind 76 B",
            "larger packets",
        ),
        (
            frame,
            r#"recovery = "newreno""#,
            "has no recovery",
            "transport = \"tcp\"",
        ),
        (TCP, "", "flows.f1.source", "transport = \"tcp\""),
        (
            r#"to = "D1", transport"#,
            pattern,
            "flows.f1.to",
            "permutation",
        ),
        (fixed, waits, "flows.f2.source", "transport = \"tcp\""),
        (
            bulk,
            unsized_requests,
            "flows.f1.source.size",
            "size = \"100 kB\"",
        ),
        (
            r#"ports."L>R" = { buffer = "25 packets" }"#,
            r#"ports."R>L" = { buffer = "64 B" }"#,
            "cannot hold one frame of 98 B",
            "larger buffer",
        ),
    ] {
        let text = DUMBBELL.replace(from, to);
        assert_ne!(text, DUMBBELL, "{from}");
        let found = refused(&text);
        let remedy = format!("{} {}", found.fix, found.nearest.join(" "));
        assert!(found.what.contains(what), "{to}: {}", found.what);
        assert!(remedy.contains(fix), "{to}: {remedy}");
        assert!(found.line.is_some(), "{to}");
    }
}

#[test]
fn a_path_sets_what_a_person_did_not_write() {
    let mut set = scenario(DUMBBELL).unwrap();
    for (path, value) in [
        ("flows.f1.controller.kind", "fixed"),
        ("flows.f1.controller.window", "7 packets"),
        ("flows.f1.delayed_ack", "0 s"),
    ] {
        set.set(path, &json!(value), "--set").unwrap();
    }
    assert_eq!(set.resolve(None).unwrap().labels()[1].1, "fixed");
}

/// Quantiles by decade of size add up to those of all; the completion time of a transfer on a path of which a box
/// or a trace decides has no least.
#[test]
fn slowdown_is_told_by_size_and_only_of_wires() {
    let of = |extra: &str| {
        let text = DUMBBELL.replacen(
            r#"{ kind = "bulk" }"#,
            &format!(r#"{{ kind = "request-response", sizes = "pareto", size = "20 kB", gap = "50 ms" }}{extra}"#),
            1,
        );
        document(&text)
    };
    let doc = of("");
    let metrics = doc["metrics"].as_object().unwrap();
    let transfers = (0..8).filter_map(|d| metrics.get(&format!("slowdown_transfers_decade{d}")));
    let transfers = transfers.map(|n| n.as_u64().unwrap()).sum::<u64>();
    assert_eq!(transfers, doc["flows"][0]["transfers"].as_u64().unwrap());
    assert_eq!(doc["flows"][0]["slowdown_p99"], metrics["slowdown_p99"]);
    assert!(metrics["slowdown_p50"].as_f64().unwrap() >= 1.0);
    assert!(metrics["slowdown_p50_decade3"].as_f64().unwrap() >= 1.0);
    let boxed = DUMBBELL.replacen(
        r#"{ kind = "bulk" }"#,
        r#"{ kind = "bulk", size = "10 kB" }"#,
        1,
    );
    let alone = document(&boxed);
    assert_eq!(alone["flows"][0]["transfers"], 0, "it ends in the warm-up");
    let boxed = boxed
        .replacen(r#"warmup = "1 s""#, r#"warmup = "0 s""#, 1)
        .replacen(
            r#"links.m = { "#,
            r#"links.m = { boxes = [{ kind = "delay", delay = "1 ms" }], "#,
            1,
        );
    let boxed = document(&boxed);
    assert_eq!(boxed["flows"][0]["transfers"], 1);
    assert_eq!(boxed["flows"][0]["slowdown_p50"], Value::Null);
}
