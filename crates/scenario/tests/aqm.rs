//! Transports over active queue management, from text to document.

use backwater_scenario::{Folders, Keep, Run, Scenario};
use serde_json::Value;

/// Streams from one host each over 10 Mbit/s with 40 ms of propagation both ways, and room for 250
/// packets.
fn streams(seconds: u64, flows: &[(&str, &str)], queue: &str) -> Vec<Value> {
    let mut text = format!(
        r#"
schema = "backwater/scenario/1"
duration = "{seconds} s"
warmup = "10 s"
nodes.L = {{ kind = "switch" }}
nodes.D = {{ kind = "host" }}
links.b = {{ ends = ["L", "D"], rate = "10 Mbit/s", delay = "19 ms" }}
ports."L>D" = {{ queue = {{ {queue} }}, buffer = "250 packets" }}
"#
    );
    for (i, (controller, more)) in flows.iter().enumerate() {
        text += &format!(
            r#"
nodes.S{i} = {{ kind = "host" }}
links.a{i} = {{ ends = ["S{i}", "L"], rate = "100 Mbit/s", delay = "1 ms" }}
flows.f{i} = {{ from = "S{i}", to = "D", transport = "tcp", controller = {{ kind = "{controller}" }}, {more} source = {{ kind = "bulk" }} }}
"#
        );
    }
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
    let resolved = scenario.resolve(None).unwrap_or_else(|d| panic!("{d}"));
    let mut run = Run::new(&resolved, Keep::default()).unwrap();
    while !run.step().unwrap() {}
    let document = run.finish().unwrap().0;
    assert_eq!(document["conservation"]["ok"], true);
    document["flows"].as_array().unwrap().clone()
}

fn stream(controller: &str, more: &str, queue: &str) -> Value {
    streams(30, &[(controller, more)], queue).remove(0)
}

fn number(flow: &Value, key: &str) -> f64 {
    flow[key].as_f64().unwrap()
}

/// NewReno fills a plain queue of 250 packets (0.3 s) and halves it. CoDel and PIE hold the round trip
/// near their targets. What they cost: a window of a pipe and a target halves to below the pipe, so
/// that the sawtooth between 0.6 and 1.2 pipes leaves an eighth of the line idle, and recovery a little.
#[test]
fn a_stream_over_codel_or_pie_waits_little() {
    let line = 10e6 * 1448.0 / 1538.0;
    let plain = stream("newreno", "", r#"kind = "droptail""#);
    assert!(number(&plain, "rtt_mean_s") > 0.2);
    for queue in [
        r#"kind = "codel""#,
        r#"kind = "fq-codel""#,
        r#"kind = "pie""#,
    ] {
        let flow = stream("newreno", "", queue);
        assert!(number(&flow, "rtt_mean_s") < 0.07, "{queue} {flow}");
        assert!(number(&flow, "goodput_bps") > 0.8 * line, "{queue} {flow}");
        assert!(number(&flow, "retransmitted_pkts") > 0.0, "{queue} {flow}");
        assert_eq!(flow["marked_pkts"], 0);
    }
}

/// A stream that takes marks loses nothing to active queue management.
#[test]
fn marks_spare_a_stream_its_losses() {
    for queue in ["codel", "fq-codel", "pie", "red"] {
        let flow = stream(
            "newreno",
            r#"marks = "classic","#,
            &format!(r#"kind = "{queue}""#),
        );
        assert!(number(&flow, "marked_pkts") > 0.0, "{queue} {flow}");
        assert_eq!(flow["retransmitted_pkts"], 0, "{queue}");
        assert_eq!(flow["dropped_pkts"], 0, "{queue}");
        assert!(number(&flow, "rtt_mean_s") < 0.08, "{queue} {flow}");
    }
}

/// DCTCP over a step of 30 kB: the queue stays about the step (24 ms) though the buffer would hold
/// 0.3 s, and the line is never idle: the window at the step is 1.6 times the pipe.
#[test]
fn dctcp_keeps_the_queue_at_the_step() {
    let queue = r#"kind = "ecn-ramp", min = "30 kB", max = "30 kB""#;
    let flow = stream("dctcp", r#"marks = "dctcp","#, queue);
    let line = 10e6 * 1448.0 / 1538.0;
    assert!(number(&flow, "goodput_bps") > 0.99 * line, "{flow}");
    assert_eq!(flow["retransmitted_pkts"], 0);
    let rtt = number(&flow, "rtt_mean_s");
    assert!((0.055..0.070).contains(&rtt), "{rtt}");
}

/// One Prague and one NewReno stream: over DualPI2 their rates stay within a factor of two of each
/// other (RFC 9332 section 2.1 asks for roughly equal rates), the scalable one loses nothing and
/// waits about a millisecond. Over one plain queue that marks by a step, the classic one is starved.
#[test]
fn dualpi2_lets_scalable_and_classic_streams_share() {
    let both = [
        ("prague", r#"marks = "accurate","#),
        ("newreno", r#"marks = "classic","#),
    ];
    let ratio =
        |flows: &[Value]| number(&flows[0], "goodput_bps") / number(&flows[1], "goodput_bps");
    let shared = streams(60, &both, r#"kind = "dualpi2""#);
    assert!((0.5..2.0).contains(&ratio(&shared)), "{}", ratio(&shared));
    assert_eq!(shared[0]["dropped_pkts"], 0);
    let wait = |flow: &Value| number(flow, "delay_queue_s");
    assert!(wait(&shared[0]) < 0.003, "{}", wait(&shared[0]));
    assert!(wait(&shared[1]) > 0.008, "{}", wait(&shared[1]));
    let step = r#"kind = "ecn-ramp", min = "15 kB", max = "15 kB""#;
    let apart = streams(60, &both, step);
    assert!(ratio(&apart) > 4.0, "{}", ratio(&apart));
}
