//! Queues with active management.

use super::cell::document;
use super::*;

const QUEUE: &str = "queue = { kind = \"strict-priority\", classes = 2 }, buffer = \"50 kB\"";

#[test]
fn a_queue_with_active_management_is_written_like_any_other() {
    let text = WIRED
        .replace(QUEUE, "queue = { kind = \"codel\", target = \"2 ms\" }")
        .replace("transport = \"udp\"", "transport = \"udp\", ecn = \"ect0\"");
    let form = canonical(&text);
    assert_eq!(
        form["ports"]["W>D"],
        json!({
            "buffer_B": 500_000,
            "queue": {"kind": "codel", "target_s": 0.002, "interval_s": 0.1, "mtu_B": 1518, "ecn": true},
        })
    );
    assert_eq!(form["flows"]["f1"]["ecn"], "ect0");
    assert_eq!(canonical(WIRED)["flows"]["f1"]["ecn"], "not-ect");
}

/// Overloaded, a port that marks loses nothing and says so; what takes no marks is dropped.
#[test]
fn marks_and_drops_stand_in_the_document() {
    let run = |ecn: &str| {
        let text = WIRED
            .replace(QUEUE, "queue = { kind = \"codel\" }, buffer = \"unlimited\"")
            .replace("recipe = \"pause\", at = [\"W>D\"], detect = { high = \"80 %\", low = \"70 %\" }, notify = { audience = \"feeders\" }", "recipe = \"none\", at = [\"W>D\"]")
            .replace("transport = \"udp\"", &format!("ecn = \"{ecn}\""))
            .replace("3 Mbit/s", "20 Mbit/s")
            .replace("60 s", "2 s");
        let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
        let resolved = scenario.resolve(None).unwrap();
        let mut run = crate::run::Run::new(&resolved, crate::run::Keep::default()).unwrap();
        while !run.step().unwrap() {}
        run.finish().unwrap().0
    };
    let marked = run("ect1");
    let port = |d: &Json| {
        d["ports"]
            .as_array()
            .unwrap()
            .iter()
            .find(|p| p["id"] == "W>D")
            .unwrap()["marked_pkts"]
            .clone()
    };
    assert!(marked["flows"][0]["marked_pkts"].as_u64().unwrap() > 10);
    assert_eq!(marked["flows"][0]["marked_pkts"], port(&marked));
    assert_eq!(marked["drops"], json!([]));
    let dropped = run("not-ect");
    assert_eq!(port(&dropped), 0);
    assert_eq!(dropped["drops"][0]["cause"], "aqm");
    assert_eq!(
        dropped["drops"][0]["pkts"],
        dropped["flows"][0]["dropped_pkts"]
    );
}

#[test]
fn queues_that_make_no_sense_are_refused() {
    let with = |new: &str, what: &str, fix: &str| {
        refused(QUEUE, new, what, "", fix);
    };
    with(
        "queue = { kind = \"infinite\" }, buffer = \"50 kB\"",
        "has no limit",
        "remove the buffer",
    );
    with(
        "queue = { kind = \"red\", min = \"50 kB\", max = \"40 kB\" }",
        "lies above",
        "`max`",
    );
    with(
        "queue = { kind = \"red\", min = \"40 kB\", max = \"40 kB\" }",
        "equal",
        "ecn-ramp",
    );
    with(
        "queue = { kind = \"pie-mahimahi\", reference = \"1.5 ms\" }",
        "whole milliseconds",
        "15 ms",
    );
    with(
        "queue = { kind = \"codel-mahimahi\", target = \"0.5 ms\" }",
        "whole milliseconds",
        "15 ms",
    );
    with(
        "queue = { kind = \"fq-codel\" }",
        "not classes",
        "strict-priority",
    );
    with(
        "queue = { kind = \"infinite\" }",
        "no limit",
        "give the port a buffer",
    );
    refused(
        "transport = \"udp\"",
        "ecn = \"ce\"",
        "not one of the words",
        "",
        "`ect0`",
    );
}

/// 45 kB take 3.6 us at 100 Gbit/s and 36 ms at 10 Mbit/s; Adaptive RED would take 5 ms of the line (Floyd 2001).
#[test]
fn red_says_where_its_thresholds_are_too_low_for_the_line() {
    let warned = |line: &str, source: &str| {
        let run = document(&format!(
            r#"
schema = "backwater/scenario/1"
duration = "20 ms"
nodes.A = {{ kind = "host" }}
nodes.W = {{ kind = "switch" }}
nodes.B = {{ kind = "host" }}
links.a = {{ ends = ["A", "W"], rate = "400 Gbit/s", delay = "1 us" }}
links.b = {{ ends = ["W", "B"], rate = "{line}", delay = "1 us" }}
ports."W>B" = {{ queue = {{ kind = "red" }}, buffer = "10 MB" }}
flows.f = {{ from = "A", to = "B", source = {{ kind = "batch-poisson", batch = 100, packet = "1500 B", rate = "{source}" }} }}
"#
        ));
        let drops = run["metrics"]["dropped_pkts"].as_u64().unwrap();
        assert!(drops > 0, "{line}");
        let warnings = run["warnings"].as_array().unwrap().clone();
        warnings.iter().any(|w| {
            let text = w.as_str().unwrap();
            text.contains("port W>B: RED") && text.contains("write a `max` of at least 1250000 B")
        })
    };
    assert!(warned("100 Gbit/s", "95 Gbit/s"));
    assert!(!warned("10 Mbit/s", "1 Gbit/s"));
}
