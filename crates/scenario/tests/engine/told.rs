//! Who is told to stop, by which voice and which carrier, and that it does not depend on whether a run is recorded.

use backwater_sim::cause::Cause;

use crate::net::*;

/// A sender of 100 Mbit/s before a line of 10, behind this queue.
fn slow_line(queue: &str, mechanism: &str) -> String {
    format!(
        r#"
duration = "200 ms"
nodes = {{ A = {{ kind = "host" }}, W = {{ kind = "switch" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "100 Mbit/s", delay = "0 s" }}
links.d = {{ ends = ["W", "D"], rate = "10 Mbit/s", delay = "0 s" }}
ports."W>D" = {{ buffer = "100 kB"{queue} }}
mechanisms.m = {{ {mechanism} }}
flows.f = {{ from = "A", to = "D", source = {{ kind = "cbr", packet = "1500 B", rate = "90 Mbit/s", phase = "start" }} }}
"#
    )
}

/// Whoever looks at each departure sees the same run as who does not: by what came in, by what waits before a line, and where CoDel loses frames as they
/// leave. The line is busy to the end: a frame takes 1.2304 ms there, so that at least 160 of 162 arrive.
#[test]
fn a_recorded_run_is_the_same_where_senders_are_stopped() {
    let came = r#"recipe = "pfc", at = ["W>A"], detect = { kind = "ingress-watermark", xoff = "14000 B", xon = "10000 B" }"#;
    let waits = r#"recipe = "pause", at = ["W>D"]"#;
    let codel = r#", queue = { kind = "codel" }"#;
    for (queue, mechanism) in [("", came), ("", waits), (codel, waits)] {
        let text = slow_line(queue, mechanism);
        let plain = run(&text);
        let (seen, _, _) = recorded(&text);
        assert!(plain.hearing[0].issued >= 2, "{mechanism}");
        assert_eq!(plain.fingerprint, seen.fingerprint, "{mechanism}");
        assert!(
            plain.dropped + plain.delivered >= 160,
            "{}",
            plain.delivered
        );
    }
}

/// A notice that names destinations carries its origin, so that it and PAUSE can come from one switch. Two kinds of PAUSE cannot, since a neighbour has one
/// timer for all.
#[test]
fn a_switch_has_one_voice_for_pause() {
    let said = |second: &str| {
        refused(&format!(
            r#"
duration = "1 ms"
nodes = {{ A = {{ kind = "host" }}, W = {{ kind = "switch" }}, B = {{ kind = "host" }}, C = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "1 us" }}
links.b = {{ ends = ["W", "B"], rate = "1 Gbit/s", delay = "1 us" }}
links.c = {{ ends = ["W", "C"], rate = "1 Gbit/s", delay = "1 us" }}
ports."*" = {{ buffer = "100 kB" }}
mechanisms.m = {{ at = ["W>B"], {second} }}
mechanisms.n = {{ at = ["W>C"], recipe = "pause" }}
flows.f = {{ from = "A", to = "B", source = {{ kind = "cbr", packet = "1000 B", rate = "8 Mbit/s" }} }}
"#
        ))
    };
    assert_eq!(said(r#"recipe = "pause-destination""#), "");
    assert_eq!(said(r#"recipe = "pause""#), "");
    let other = said(r#"recipe = "pause", notify = { quanta = 100 }"#);
    assert!(other.contains("sends another PAUSE at W"), "{other}");
}

/// PAUSE stops all that a port sends, also where its queue keeps flows apart. A rate is one of a class, and such a queue holds back none.
#[test]
fn a_queue_of_flows_is_stopped_as_a_whole() {
    let said = |more: &str| {
        let text = slow_line("", &format!(r#"recipe = "pause", at = ["W>D"]{more}"#));
        refused(&format!(
            "{text}ports.\"A>W\" = {{ queue = {{ kind = \"fq-codel\" }}, buffer = \"1000 packets\" }}\n"
        ))
    };
    assert_eq!(said(""), "");
    let rate = said(r#", respond = { kind = "shaper" }"#);
    assert!(
        rate.contains("the queue at A>W chooses among flows itself"),
        "{rate}"
    );
}

/// Streams from C to B and from E to A through two switches with lines of 10 Mbit/s to A and B. The echoes of marks leave each switch with
/// ACKs by its ports to who feeds the queue, the last of them the other switch, which is stopped so and stops on that same port.
#[test]
fn echoes_of_marks_stop_all_feeders_both_ways() {
    let lost = |mechanism: &str| {
        let stream = |name: &str, from: &str, to: &str| {
            format!(
                "flows.{name} = {{ from = \"{from}\", to = \"{to}\", transport = \"tcp\", marks = \"accurate\", \
                 controller = {{ kind = \"fixed\", window = \"200 packets\" }}, source = {{ kind = \"bulk\" }} }}\n"
            )
        };
        let mut world = built(&format!(
            r#"
duration = "500 ms"
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }}, C = {{ kind = "host" }}, E = {{ kind = "host" }}, V = {{ kind = "switch" }}, W = {{ kind = "switch" }} }}
links.la = {{ ends = ["V", "A"], rate = "10 Mbit/s", delay = "10 us" }}
links.lb = {{ ends = ["W", "B"], rate = "10 Mbit/s", delay = "10 us" }}
links.lc = {{ ends = ["V", "C"], rate = "15 Mbit/s", delay = "10 us" }}
links.le = {{ ends = ["W", "E"], rate = "15 Mbit/s", delay = "10 us" }}
links.lv = {{ ends = ["V", "W"], rate = "15 Mbit/s", delay = "10 us" }}
ports."W>B" = {{ buffer = "100 kB" }}
ports."V>A" = {{ buffer = "100 kB" }}
{mechanism}
{}{}"#,
            stream("f", "C", "B"),
            stream("g", "E", "A"),
        ));
        let report = finished(&mut world);
        ["W>B", "V>A"].map(|name| {
            let place = (Cause::BufferFull, port(&world, name));
            let here = report
                .drops
                .iter()
                .filter(|row| (row.key.0, row.key.1) == place);
            here.map(|row| row.count.packets).sum::<u64>()
        })
    };
    let of = |name: &str, at: &str| {
        format!(
            "mechanisms.{name} = {{ recipe = \"pause\", at = [\"{at}\"], detect = {{ high = \"30 %\", low = \"20 %\" }}, \
             notify = {{ carrier = \"mark\", quanta = 100 }} }}\n"
        )
    };
    let (m, n) = (of("m", "W>B"), of("n", "V>A"));
    let none = lost("");
    assert!(none[0] > 0 && none[1] > 0);
    assert_eq!((lost(&m)[0], lost(&n)[1]), (0, 0));
    assert_eq!(lost(&(m + &n)), [0, 0]);
}

/// PFC stops the class whose queue is too long, and lets the other pass: a packet of that waits for one frame of 1518 B at each port, which
/// the 10 Mbit/s send in 1.23 ms, and takes as long itself. The stopped class waits some 40 ms, in which the line sends the 50 kB between the marks.
#[test]
fn pfc_stops_no_other_class() {
    let two = r#"queue = { kind = "strict-priority", classes = 2 }"#;
    let text = slow_line(
        &format!(", {two}"),
        r#"recipe = "pfc", at = ["W>D"], detect = { kind = "watermark", high = "60 %", low = "10 %" }"#,
    );
    let report = run(&format!(
        "{text}ports.\"A>W\" = {{ {two} }}\n\
         flows.g = {{ from = \"A\", to = \"D\", class = 1, source = {{ kind = \"cbr\", packet = \"1500 B\", rate = \"1 Mbit/s\", phase = \"start\" }} }}\n"
    ));
    assert!(report.hearing[0].issued >= 2);
    let urgent = &report.flows[1];
    assert!(urgent.sums.delivered.packets >= 15);
    let most = urgent.sums.max;
    assert!(most < 3 * MS, "{most}");
}
