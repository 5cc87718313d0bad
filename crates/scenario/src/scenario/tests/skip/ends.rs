//! Flows with a transport.

use super::*;

/// Where every segment is acknowledged, a period is so many frames of 1518 B, with preamble and gap of 20 B, at 10 Mbit/s: 1.2304 ms each.
/// One stretch leaves some seconds at the beginning, where the smoothed round trip comes to rest, and two periods at most at the end.
#[test]
fn one_flow_that_fills_its_bottleneck_is_skipped_frame_by_frame() {
    for transport in ["tcp", "datagram"] {
        let acks = match transport {
            "tcp" => ", delayed_ack = \"0 s\"",
            _ => "",
        };
        let text = bottleneck(60, "100 packets", &flow("f", "A", 40, acks))
            .replace("\"tcp\"", &format!("\"{transport}\""));
        let (all, some) = equal(&text);
        assert!(some * 15 < all, "{transport}: {some} of {all}");
        let found = stretches(&text);
        let [(from, period, periods)] = found[..] else {
            panic!("{transport}: {found:?}");
        };
        let frames = period / (1538.0 * 8.0 / 10e6);
        assert!((frames - frames.round()).abs() < 1e-6, "{frames}");
        assert!(from < 3.5, "{transport}: {from}");
        let end = from + period * periods as f64;
        assert!(
            (60.0 - 2.5 * period..60.0).contains(&end),
            "{transport}: {end}"
        );
    }
}

/// A window below what the path holds leaves the bottleneck idle: a period is a round trip.
#[test]
fn a_flow_that_waits_for_its_window_is_skipped_round_by_round() {
    let text = bottleneck(30, "100 packets", &flow("f", "A", 3, ""));
    let (all, some) = equal(&text);
    assert!(some * 6 < all, "{some} of {all}");
}

#[test]
fn flows_with_other_round_trips_are_skipped_exactly() {
    let text = bottleneck(
        60,
        "200 packets",
        &(flow("f1", "A", 30, "") + &flow("f2", "B", 17, ", delayed_ack = \"0 s\"")),
    )
    .replace("delay = \"2 us\"", "delay = \"13 ms\"");
    let (all, some) = equal(&text);
    assert!(some * 3 < all, "{some} of {all}");
}

/// A window of 40 packets in a path of 10 and a buffer of 8: losses in each round trip, found and repaired by each kind of recovery.
#[test]
fn losses_and_their_recovery_are_skipped_exactly() {
    let mut skipped = 0;
    for recovery in ["rack", "sack", "newreno"] {
        let rest = format!(", recovery = \"{recovery}\", delayed_ack = \"0 s\"");
        let text = bottleneck(60, "8 packets", &flow("f", "A", 24, &rest));
        let (all, some) = equal(&text);
        skipped += u64::from(some * 2 < all);
    }
    let text =
        bottleneck(60, "8 packets", &flow("f", "A", 24, "")).replace("\"tcp\"", "\"datagram\"");
    let (all, some) = equal(&text);
    assert!(some * 2 < all, "{some} of {all}");
    assert!(skipped > 0, "{skipped} kinds of recovery were skipped");
}

#[test]
fn data_both_ways_are_skipped_exactly() {
    let back = r#"flows.g = { from = "D", to = "A", transport = "tcp", controller = { kind = "fixed", window = "20 packets" }, source = { kind = "bulk" } }
"#;
    let text = bottleneck(60, "100 packets", &(flow("f", "A", 30, "") + back));
    let (all, some) = equal(&text);
    assert!(some * 4 < all, "{some} of {all}");
}

/// Of three flows one ends at an instant and one with its size: the stretch before stops there, and another follows. What flows share
/// second by second is told of two that send without end.
#[test]
fn flows_that_end_bound_what_is_skipped() {
    let flows = [
        flow("f1", "A", 20, ""),
        flow("f2", "B", 20, ""),
        flow("f3", "A", 20, ", stop = \"17.3 s\", start = \"5 s\""),
        flow("f4", "B", 10, "").replace("kind = \"bulk\"", "kind = \"bulk\", size = \"12 MB\""),
    ];
    let text = bottleneck(60, "100 packets", &flows.concat());
    let (all, some) = equal(&text);
    assert!(some * 3 < all, "{some} of {all}");
    let found = stretches(&text);
    assert!(found.len() >= 3, "{found:?}");
    let within = |at: f64| {
        let holds = |(from, period, periods): &(f64, f64, u64)| {
            *from < at && at < from + period * *periods as f64
        };
        found.iter().any(holds)
    };
    assert!(!within(5.0) && !within(17.3), "{found:?}");
}

/// A source of constant rate above a stream: more than one of its packets is on the way, or none at times.
#[test]
fn streams_of_constant_rate_are_skipped_exactly() {
    for rate in ["4 Mbit/s", "400 kbit/s"] {
        let source = format!("kind = \"cbr\", packet = \"1000 B\", rate = \"{rate}\"");
        let text = bottleneck(60, "100 packets", &flow("f", "A", 40, ""))
            .replace("kind = \"bulk\"", &source);
        let (all, some) = equal(&text);
        assert!(some * 2 < all, "{rate}: {some} of {all}");
    }
}

fn drawn(case: u64) -> String {
    let mut c = Choice(case.wrapping_mul(0x9e37_79b9));
    let flow = |name: &str, c: &mut Choice| {
        let (from, to) = (c.of(&["A", "B", "A", "D"]), c.of(&["D", "D", "B"]));
        let to = if from == to || from == "D" { "A" } else { to };
        let from = if from == to { "B" } else { from };
        let (transport, recovery) = match c.of(&["tcp", "tcp", "tcp", "datagram"]) {
            "tcp" => {
                let recovery = c.of(&["", ", recovery = \"sack\"", ", recovery = \"newreno\""]);
                let acks = c.of(&["", ", delayed_ack = \"0 s\"", ", delayed_ack = \"3 ms\""]);
                let acks = format!("{acks}{}", c.of(&["", "", ", rto_min = \"200 ms\""]));
                ("tcp", format!("{recovery}{acks}"))
            }
            other => (other, String::new()),
        };
        format!(
            r#"flows.{name} = {{ from = "{from}", to = "{to}", transport = "{transport}"{recovery}{}, controller = {{ kind = "fixed", window = "{} packets" }}, source = {{ {} }} }}
"#,
            c.of(&[
                "",
                "",
                ", start = \"300 ms\"",
                ", start = \"2 s\", stop = \"4100 ms\""
            ]),
            c.of(&["1", "4", "10", "25", "60"]),
            c.of(&[
                "kind = \"bulk\"",
                "kind = \"bulk\"",
                "kind = \"bulk\", size = \"900 kB\"",
                "kind = \"cbr\", packet = \"1000 B\", rate = \"4 Mbit/s\"",
                "kind = \"bulk\", within = \"20 ms\"",
            ]),
        )
    };
    let flows: String = ["f1", "f2", "f3"]
        .iter()
        .map(|name| flow(name, &mut c))
        .collect();
    format!(
        r#"schema = "backwater/scenario/1"
duration = "{}"
warmup = "{}"
nodes.A = {{ kind = "host" }}
nodes.B = {{ kind = "host" }}
nodes.W = {{ kind = "switch", model = "output-queued" }}
nodes.D = {{ kind = "host" }}
links.a = {{ ends = ["A", "W"], rate = "{}", delay = "{}" }}
links.b = {{ ends = ["B", "W"], rate = "100 Mbit/s", delay = "{}" }}
links.c = {{ ends = ["W", "D"], rate = "{}", delay = "{}" }}
ports."W>*" = {{ buffer = "{}", queue = {{ kind = "{}" }} }}
{}
{flows}"#,
        c.of(&["9 s", "20 s"]),
        c.of(&["0 s", "50 ms", "2 s"]),
        c.of(&["100 Mbit/s", "20 Mbit/s"]),
        c.of(&["1 us", "400 us", "3 ms"]),
        c.of(&["1 us", "10 ms"]),
        c.of(&["10 Mbit/s", "20 Mbit/s", "8 Mbit/s"]),
        c.of(&["1 us", "2 ms", "9 ms"]),
        c.of(&["6 packets", "20 packets", "100 packets"]),
        c.of(&["fifo", "fifo", "drr"]),
        c.of(&[
            "",
            "",
            "mechanisms.bp = { recipe = \"pause\", at = [\"W>D\"] }"
        ]),
    )
}

/// How many of so many cases were skipped in part, and how many for more than half.
fn compare_drawn(cases: std::ops::Range<u64>) -> (u64, u64) {
    let (mut part, mut half) = (0, 0);
    for case in cases {
        let text = drawn(case);
        read(&text);
        let (all, some) = equal(&text);
        part += u64::from(some < all);
        half += u64::from(some * 2 < all);
    }
    (part, half)
}

#[test]
fn many_small_networks_with_transports_are_skipped_exactly() {
    let (part, half) = compare_drawn(0..30);
    assert!(
        part >= 10 && half >= 6,
        "{part} and {half} of 30 were skipped"
    );
}

/// A part whose state is not compared is named.
#[test]
fn transports_that_cannot_be_skipped_are_refused() {
    let text = bottleneck(
        1,
        "100 packets",
        &(flow("f", "A", 20, "") + &flow("g", "B", 20, "")),
    );
    let text = format!("{text}\nrun = {{ skip = \"exact\" }}\n");
    read(&text).build().expect("fixed windows");
    let fixed = "flows.g = { from = \"B\", to = \"D\", transport = \"tcp\", controller = { kind = \"fixed\", window = \"20 packets\" }";
    let bare = "flows.g = { from = \"B\", to = \"D\", transport = \"tcp\"";
    for (instead, why) in [
        (
            format!("{bare}, controller = {{ kind = \"cubic\" }}"),
            "controller",
        ),
        (format!("{fixed}, receiver = \"forged\""), "lies"),
        (
            bare.replace("tcp", "roce")
                + ", controller = { kind = \"dcqcn\", rate = \"100 Mbit/s\" }",
            "queue pair",
        ),
    ] {
        let other = text.replace(fixed, &instead);
        assert_ne!(other, text);
        let found = read(&other)
            .build()
            .expect_err("a state that is not compared");
        assert!(
            found.what.contains("flows") && found.what.contains(why),
            "{found}"
        );
    }
}

/// Ten hosts send to an eleventh at 1 Gbit/s: a period has more events than are served between two looks at the run.
#[test]
fn seconds_of_ten_flows_are_noted() {
    let mut text = r#"schema = "backwater/scenario/1"
duration = "5 s"
nodes.W = { kind = "switch", model = "output-queued" }
nodes.D = { kind = "host" }
links.c = { ends = ["W", "D"], rate = "1 Gbit/s", delay = "5 ms" }
ports."W>D" = { buffer = "2000 packets" }
"#
    .to_owned();
    for n in 0..10 {
        text += &format!(
            r#"nodes.H{n} = {{ kind = "host" }}
links.h{n} = {{ ends = ["H{n}", "W"], rate = "1 Gbit/s", delay = "2 us" }}
"#
        );
        text += &flow(&format!("f{n}"), &format!("H{n}"), 120, "");
    }
    let (all, some) = equal(&text);
    assert!(some * 2 < all, "{some} of {all}");
}
