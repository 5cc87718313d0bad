//! What a packet, a port or a queue must fit before a run: what is refused, and what is not.

use crate::net::*;

/// A packet of a queue pair that may be trimmed on its way must fit both ways. Nobody trims the packets of TCP, and nobody those of a queue pair where
/// no port does.
#[test]
fn packets_that_are_trimmed_fit_all_ways() {
    let trim = r#"ports."*" = { queue = { kind = "strict-priority", classes = 2 }, buffer = "100 kB", trim = 1 }"#;
    let pair = r#"transport = "irn", gaps = "other-ways", controller = { kind = "fixed", window = "4 packets" }"#;
    let tcp = r#"transport = "tcp", controller = { kind = "fixed", window = "4 packets" }"#;
    let both = |flow: &str, port: &str| {
        let flow = format!(
            r#"flows.f = {{ from = "A", to = "B", packet = "1030 B", {flow}, source = {{ kind = "bulk" }} }}"#
        );
        ["y", "z"].map(|link| refused_for(link, &format!("{port}\n{flow}")))
    };
    assert_eq!(both(pair, trim), [true, true]);
    for [y, z] in [both(tcp, trim), both(pair, "")] {
        assert!(y != z);
    }
}

/// Frames of a flow that draws the destination of each packet fit no link at all, or all but that of one host.
#[test]
fn packets_to_drawn_destinations_fit_the_wires() {
    let said = |first: &str, others: &str| {
        refused(&format!(
            r#"
duration = "1 ms"
nodes = {{ S = {{ kind = "host" }}, X = {{ kind = "switch" }}, D1 = {{ kind = "host" }}, D2 = {{ kind = "host" }} }}
links.s = {{ ends = ["S", "X"], rate = "1 Gbit/s", delay = "0 s", max_frame = "{others}" }}
links.a = {{ ends = ["X", "D1"], rate = "1 Gbit/s", delay = "0 s", max_frame = "{first}" }}
links.b = {{ ends = ["X", "D2"], rate = "1 Gbit/s", delay = "0 s", max_frame = "{others}" }}
flows.f = {{ from = "S", to = "D*", pattern = "random", packet = "1500 B", source = {{ kind = "cbr", packet = "1500 B", rate = "8 Mbit/s" }} }}
"#
        ))
    };
    assert_eq!(said("1518 B", "1518 B"), "");
    for others in ["1000 B", "1518 B"] {
        let said = said("1000 B", others);
        assert!(said.contains("do not fit link"), "{said}");
    }
}

/// A saturated source keeps the queue of one port filled: of none where its packets leave by two, and of that of its only wire.
#[test]
fn a_saturated_source_has_one_port() {
    let said = |to: &str| {
        refused(&format!(
            r#"
duration = "1 ms"
routing = {{ kind = "ecmp" }}
nodes = {{ S = {{ kind = "host" }}, X = {{ kind = "switch" }}, Y = {{ kind = "switch" }}, D1 = {{ kind = "host" }}, D2 = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "X"], rate = "10 Mbit/s", delay = "0 s" }}
links.b = {{ ends = ["S", "Y"], rate = "10 Mbit/s", delay = "0 s" }}
links.c = {{ ends = ["X", "D1"], rate = "10 Mbit/s", delay = "0 s" }}
links.d = {{ ends = ["Y", "D2"], rate = "10 Mbit/s", delay = "0 s" }}
flows.f = {{ from = "S", {to}, source = {{ kind = "saturated", packet = "1000 B" }} }}
"#
        ))
    };
    let several = said(r#"to = "D*", pattern = "random""#);
    assert!(several.contains("leave S by several"), "{several}");
    assert_eq!(said(r#"to = "D1""#), "");
}

/// A switch with shared memory keeps accounts by class, and a queue that keeps flows apart has no classes.
#[test]
fn shared_memory_stands_before_queues_of_classes() {
    let said = |model: &str, queue: &str| {
        refused(&format!(
            r#"
duration = "1 ms"
nodes = {{ S = {{ kind = "host" }}, X = {{ kind = "switch"{model} }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "X"], rate = "10 Mbit/s", delay = "0 s" }}
links.b = {{ ends = ["X", "D"], rate = "10 Mbit/s", delay = "0 s" }}
ports."X>D" = {{ queue = {{ kind = "{queue}" }}, buffer = "100 packets" }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "cbr", packet = "1000 B", rate = "1 Mbit/s" }} }}
"#
        ))
    };
    let shared = r#", model = "shared-memory", memory = "400 kB", reserve = "4 kB", headroom = "50 kB", shift = 1"#;
    let refusal = said(shared, "fq-codel");
    assert!(
        refusal.contains("keeps accounts of what came in by class"),
        "{refusal}"
    );
    assert_eq!(said(shared, "codel"), "");
    assert_eq!(said("", "fq-codel"), "");
}

/// A law that stamps what leaves by two ports keeps no accounts, so that the queue of either may keep flows apart.
#[test]
fn a_queue_of_flows_may_be_stamped_by_another_port() {
    let text = r#"
duration = "1 ms"
nodes = { A = { kind = "host" }, V = { kind = "switch" }, W = { kind = "switch" }, D = { kind = "host" } }
links.a = { ends = ["A", "V"], rate = "10 Mbit/s", delay = "0 s" }
links.v = { ends = ["V", "W"], rate = "10 Mbit/s", delay = "0 s" }
links.d = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "0 s" }
ports."V>W" = { stamp = { kind = "xcp" } }
ports."W>D" = { queue = { kind = "fq-codel" }, buffer = "100 packets", stamped_by = ["V>W"] }
flows.f = { from = "A", to = "D", source = { kind = "cbr", packet = "1000 B", rate = "1 Mbit/s" } }
"#;
    assert_eq!(refused(text), "");
}

/// A watchdog frees classes. A mechanism that asks for a rate, or to stop some destinations, stops none.
#[test]
fn a_watchdog_stands_where_classes_are_stopped() {
    let said = |mechanism: &str| {
        refused(&format!(
            r#"
duration = "1 ms"
nodes = {{ A = {{ kind = "host" }}, V = {{ kind = "switch" }}, W = {{ kind = "switch" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "V"], rate = "1 Gbit/s", delay = "1 us" }}
links.v = {{ ends = ["V", "W"], rate = "1 Gbit/s", delay = "1 us" }}
links.b = {{ ends = ["W", "B"], rate = "1 Gbit/s", delay = "1 us" }}
ports."*" = {{ buffer = "100 kB" }}
ports."V>W" = {{ watchdog = {{ detection = "2 ms", restoration = "2 ms" }} }}
mechanisms.m = {{ at = ["W>B"], {mechanism} }}
flows.f = {{ from = "A", to = "B", source = {{ kind = "cbr", packet = "1000 B", rate = "8 Mbit/s" }} }}
"#
        ))
    };
    assert_eq!(said(r#"recipe = "pause""#), "");
    for other in [
        r#"recipe = "pause-destination""#,
        r#"recipe = "pause", respond = { kind = "shaper" }"#,
    ] {
        let said = said(other);
        assert!(said.contains("a watchdog frees classes"), "{said}");
    }
}

/// Back-pressure watches ports of wires: not one that a trace serves, nor one beside it.
#[test]
fn a_mechanism_is_not_at_a_trace() {
    let said = |at: &str| {
        refused(&format!(
            r#"
duration = "1 ms"
nodes = {{ A = {{ kind = "host" }}, W = {{ kind = "switch" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }}
links.slow = {{ from = "W", to = "B", kind = "trace", delay = "0 s", trace = {{ kind = "constant", rate = "10 Mbit/s" }} }}
links.back = {{ from = "B", to = "W", rate = "1 Gbit/s", delay = "0 s" }}
ports."*" = {{ buffer = "100 kB" }}
mechanisms.m = {{ recipe = "pause", at = ["{at}"] }}
flows.f = {{ from = "A", to = "B", source = {{ kind = "cbr", packet = "1000 B", rate = "8 Mbit/s" }} }}
"#
        ))
    };
    for at in ["W>B", "W>A"] {
        let said = said(at);
        assert!(
            said.contains("W>B is not a symmetric Ethernet link"),
            "{said}"
        );
    }
}

/// Signals of class 1 find a queue at ports of one queue, which takes all classes, and none of class 2 at ports of two.
#[test]
fn a_port_of_one_queue_takes_signals_of_any_class() {
    let said = |queue: &str, class: u8| {
        refused(&format!(
            r#"
duration = "1 ms"
nodes = {{ A = {{ kind = "host" }}, W = {{ kind = "switch" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "10 Gbit/s", delay = "0 s" }}
links.b = {{ ends = ["W", "B"], rate = "10 Gbit/s", delay = "0 s" }}
{queue}
flows.f = {{ from = "A", to = "B", packet = "1030 B", transport = "roce", cnp_class = {class}, controller = {{ kind = "dcqcn", rate = "10 Gbit/s" }}, source = {{ kind = "bulk" }} }}
"#
        ))
    };
    let two = r#"ports."W>A" = { queue = { kind = "strict-priority", classes = 2 } }"#;
    let one = r#"ports."*" = { queue = { kind = "codel" }, buffer = "1 MB" }"#;
    assert_eq!((said("", 1), said(one, 1)), (String::new(), String::new()));
    assert_eq!(said(two, 1), "");
    assert!(said(two, 2).contains("class 2 has no queue at W>A"));
}
