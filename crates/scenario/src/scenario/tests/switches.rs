//! Input-queued switches in scenarios.

use super::*;

/// A switch between two wires, without a mechanism.
fn with(switch: &str, more: &str) -> String {
    let text: String = WIRED
        .lines()
        .filter(|line| !line.starts_with("mechanisms"))
        .map(|line| format!("{line}\n"))
        .collect();
    let old = "model = \"output-queued\"";
    assert!(text.contains(old));
    format!("{}{more}", text.replace(old, switch))
}

/// The line of the port that has two classes.
const WIDE: &str =
    "ports.\"W>D\" = { queue = { kind = \"strict-priority\", classes = 2 }, buffer = \"50 kB\" }\n";

fn built(text: &str) -> Diagnostic {
    read(text).and_then(|r| r.build()).expect_err("refused")
}

#[test]
fn an_input_queued_switch_has_its_defaults_and_takes_options() {
    let plain = canonical(&with("model = \"input-queued\"", ""));
    let node = &plain["nodes"]["W"];
    assert_eq!(node["discipline"], "virtual-output-queues");
    let size = |node: &Json, name: &str| node[name].as_f64();
    assert_eq!(size(node, "input_buffer_B"), Some(500_000.0));
    assert_eq!(
        (size(node, "cell_B"), size(node, "speedup")),
        (Some(64.0), Some(1.0))
    );
    let options = "model = \"input-queued\", discipline = \"single-queue\", input_buffer = \"20 kB\", cell = \"1538 B\", speedup = 2";
    let node = &canonical(&with(options, ""))["nodes"]["W"];
    assert_eq!(node["discipline"], "single-queue");
    assert_eq!(
        (size(node, "cell_B"), size(node, "speedup")),
        (Some(1538.0), Some(2.0))
    );
}

#[test]
fn what_an_input_queued_switch_cannot_have_is_refused() {
    let queued = "model = \"input-queued\"";
    let found = built(&with("model = \"output-queued\", cell = \"64 B\"", ""));
    assert!(
        found
            .what
            .contains("goes with the model \"input-queued\" only"),
        "{found}"
    );
    let found = built(&with(&format!("{queued}, shift = 3"), ""));
    assert!(
        found
            .what
            .contains("goes with the model \"shared-memory\" only"),
        "{found}"
    );
    let found = built(&with(&format!("{queued}, speedup = 0"), ""));
    assert!(found.what.contains("too small"), "{found}");
    let codel = "ports.\"W>S\" = { queue = { kind = \"codel\" } }\n";
    let found = built(&with(queued, codel));
    assert!(found.what.contains("frames wait at the inputs"), "{found}");
    let pause = "mechanisms.bp = { recipe = \"pause\", at = [\"W>D\"] }\n";
    let found = built(&with(queued, pause));
    assert!(found.what.contains("frames wait at its inputs"), "{found}");
    let law = "ports.\"W>D\" = { stamp = { kind = \"xcp\" } }\n";
    let text = with(queued, "").replace(WIDE, "");
    let found = built(&format!("{text}{law}"));
    assert!(
        found.what.contains("is shown a queue at an output"),
        "{found}"
    );
    let trace = "links.t = { from = \"W\", to = \"T\", kind = \"trace\", trace = { kind = \"constant\", rate = \"12 Mbit/s\" }, delay = \"0 s\" }\n\
        links.u = { from = \"T\", to = \"W\", rate = \"12 Mbit/s\", delay = \"0 s\" }\nnodes.T = { kind = \"host\" }\n";
    let found = built(&with(queued, trace));
    assert!(found.what.contains("W>T has no line rate"), "{found}");
}

/// The fabric's table of inputs and outputs has 64 rows.
#[test]
fn an_input_queued_switch_has_at_most_64_ports() {
    let more = |hosts: usize| -> String {
        let host = |n| {
            format!(
                "nodes.h{n} = {{ kind = \"host\" }}\nlinks.h{n} = {{ ends = [\"h{n}\", \"W\"], rate = \"10 Mbit/s\", delay = \"0 s\" }}\n"
            )
        };
        (0..hosts).map(host).collect()
    };
    // Two ports are there.
    let of = |hosts| read(&with("model = \"input-queued\"", &more(hosts))).and_then(|r| r.build());
    assert!(of(62).is_ok());
    let found = of(63).expect_err("refused");
    assert!(found.what.contains("at most 64 ports"), "{found}");
    assert!(found.fix.contains("smaller switches"), "{found}");
}
