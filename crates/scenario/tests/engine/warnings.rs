//! Warnings about explicit feedback and about notices of queues: each where its reason is given, and none elsewhere.

use crate::net::*;

/// What a warning says, by a word of it.
const KINDS: [(&str, &str); 6] = [
    ("no sender that crosses it reads", "unread"),
    ("no port on its path writes", "unwritten"),
    ("rewrites the ECN bits", "misread"),
    ("it takes 2 flows for 1", "pairs"),
    ("hears notices, so its queue tells nobody", "unheard"),
    ("no queue on its path sends notices", "untold"),
];

/// Who is warned and of what, before a run; the same is said after it.
#[track_caller]
fn warned(text: &str) -> Vec<String> {
    let mut world = built(text);
    let before = world.feedback_warnings_before_a_run();
    let report = finished(&mut world);
    assert_eq!(world.feedback_warnings(&report), before);
    let kind = |said: &String| {
        let found = KINDS.iter().find(|(words, _)| said.contains(words));
        let (_, kind) = found.unwrap_or_else(|| panic!("another warning: {said}"));
        let (who, _) = said.split_once(": ").expect("who is warned");
        format!("{who}: {kind}")
    };
    before.iter().map(kind).collect()
}

/// Hosts A and B behind a switch W, and a host D behind a slower line.
fn merge(ports: &str, flows: &str) -> String {
    format!(
        r#"
duration = "100 ms"
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }}, W = {{ kind = "switch" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "100 Mbit/s", delay = "1 ms" }}
links.b = {{ ends = ["B", "W"], rate = "100 Mbit/s", delay = "1 ms" }}
links.q = {{ ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 ms" }}
{ports}
{flows}
"#
    )
}

fn flow(name: &str, from: &str, to: &str, controller: &str) -> String {
    format!(
        "flows.{name} = {{ from = \"{from}\", to = \"{to}\", transport = \"tcp\", {controller}, source = {{ kind = \"bulk\" }} }}\n"
    )
}

/// A law that writes headers needs a sender that crosses it and reads them, and a sender that reads headers needs such a law. A law that reports
/// codepoints disturbs a sender that takes marks of another scheme, and no sender without marks.
#[test]
fn a_stamp_and_a_sender_that_do_not_belong_together_are_warned_of() {
    let [xcp, cubic, vcp] =
        ["xcp", "cubic", "vcp"].map(|kind| format!("controller = {{ kind = \"{kind}\" }}"));
    let marks = r#"marks = "dctcp", controller = { kind = "dctcp" }"#;
    let law = |kind: &str| format!("ports.\"W>D\" = {{ stamp = {{ kind = \"{kind}\" }} }}");
    let one = |controller: &str| flow("f", "A", "D", controller);
    let warned = |ports: &str, flows: &str| warned(&merge(ports, flows));
    let nothing = Vec::<String>::new();
    assert_eq!(warned(&law("xcp"), &one(&xcp)), nothing);
    assert_eq!(warned(&law("xcp"), &one(&cubic)), ["W>D: unread"]);
    assert_eq!(warned("", &one(&xcp)), ["flow f: unwritten"]);
    assert_eq!(warned("", &one(&cubic)), nothing);
    // Data that go the other way do not cross the law.
    let back = flow("f", "D", "A", &xcp);
    assert_eq!(
        warned(&law("xcp"), &back),
        ["W>D: unread", "flow f: unwritten"]
    );
    let both = format!("{}{}", one(&xcp), flow("g", "B", "D", &cubic));
    assert_eq!(warned(&law("xcp"), &both), nothing);
    assert_eq!(warned(&law("vcp"), &one(&vcp)), nothing);
    assert_eq!(
        warned(&law("vcp"), &one(marks)),
        ["W>D: unread", "flow f: misread"]
    );
    assert_eq!(warned(&law("vcp"), &one(&cubic)), ["W>D: unread"]);
    assert_eq!(warned(&law("xcp"), &one(marks)), ["W>D: unread"]);
}

/// The weighted window method lowers windows in acknowledgements and counts pairs of nodes. So two flows of one pair are warned of where their
/// acknowledgements cross it, and not where their data do.
#[test]
fn a_law_of_acknowledgements_counts_the_pairs_of_those() {
    let cubic = r#"controller = { kind = "cubic" }"#;
    let flows = |second: &str| {
        let first = flow("f", "A", "D", cubic);
        first + &flow("g", second, "D", cubic)
    };
    let law = |port: &str| {
        format!("ports.\"{port}\" = {{ buffer = \"50 packets\", stamp = {{ kind = \"wwm\" }} }}")
    };
    for (port, second, says) in [
        ("D>W", "A", true),
        ("D>W", "B", false),
        ("W>D", "A", false),
        ("A>W", "A", false),
        ("W>A", "A", true),
    ] {
        let expected = match says {
            true => vec![format!("{port}: pairs")],
            false => Vec::new(),
        };
        let found = warned(&merge(&law(port), &flows(second)));
        assert_eq!(found, expected, "{port} {second}");
    }
    // Of two flows between the same nodes one goes the other way.
    let ways = flow("f", "A", "D", cubic) + &flow("g", "D", "A", cubic);
    assert_eq!(warned(&merge(&law("D>W"), &ways)), Vec::<String>::new());
}

/// iACP's law that steps once in a round trip is unstable with b = 1, whatever senders do. It names the share of the way that the slowest of its
/// senders goes.
#[test]
fn the_least_approach_of_all_senders_is_named() {
    let ports = r#"ports."W>D" = { buffer = "50 packets", stamp = { kind = "iacp", update = "mean-rtt", b = 1 } }"#;
    for (f, g, least) in [(0.25, 0.125, 0.125), (0.125, 0.25, 0.125)] {
        let with = |a: f64| format!("controller = {{ kind = \"iacp\", a = {a} }}");
        let flows = flow("f", "A", "D", &with(f)) + &flow("g", "B", "D", &with(g));
        let mut world = built(&merge(ports, &flows));
        let report = finished(&mut world);
        let said = world.feedback_warnings(&report);
        let names = format!("go {least} of the way");
        assert!(said.len() == 1 && said[0].contains(&names), "{said:?}");
    }
}

/// Queues that send notices, at the two switches between A or B and D, and flows that hear them or not.
fn notices(first: &str, second: &str, [f, g]: [&str; 2]) -> String {
    let queue = |kind: &str| format!("queue = {{ kind = \"{kind}\", classes = 2 }}");
    let flow = |name: &str, from: &str, controller: &str| {
        format!(
            "flows.{name} = {{ from = \"{from}\", to = \"D\", packet = \"1482 B\", transport = \"roce\", cnp = \"off\", cnp_class = 1, \
             controller = {{ {controller} }}, source = {{ kind = \"bulk\" }} }}\n"
        )
    };
    format!(
        r#"
duration = "1 ms"
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }}, V = {{ kind = "switch" }}, W = {{ kind = "switch" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "V"], rate = "10 Gbit/s", delay = "1 us" }}
links.b = {{ ends = ["B", "V"], rate = "10 Gbit/s", delay = "1 us" }}
links.v = {{ ends = ["V", "W"], rate = "10 Gbit/s", delay = "1 us" }}
links.w = {{ ends = ["W", "D"], rate = "10 Gbit/s", delay = "1 us" }}
ports."*" = {{ queue = {{ kind = "strict-priority", classes = 2 }}, buffer = "2 MB" }}
ports."V>W" = {{ {} }}
ports."W>D" = {{ {} }}
{}{}"#,
        queue(first),
        queue(second),
        flow("f", "A", f),
        flow("g", "B", g),
    )
}

/// A queue that sends notices is warned of if none of the flows that cross it hears them, and a flow that hears notices if no queue of a switch on its
/// way sends any. Several such queues are named by the first and counted.
#[test]
fn notices_that_nobody_hears_or_sends_are_warned_of() {
    let hears = r#"kind = "qcn", rate = "10 Gbit/s""#;
    let deaf = r#"kind = "fixed", window = "10 packets""#;
    let (tells, plain) = ("qcn", "strict-priority");
    let warned = |first: &str, second: &str, flows| warned(&notices(first, second, flows));
    let nothing = Vec::<String>::new();
    assert_eq!(warned(tells, plain, [hears, hears]), nothing);
    assert_eq!(warned(plain, tells, [hears, hears]), nothing);
    assert_eq!(warned(tells, tells, [hears, deaf]), nothing);
    assert_eq!(warned(plain, plain, [deaf, deaf]), nothing);
    assert_eq!(warned(plain, plain, [hears, deaf]), ["flow f: untold"]);
    assert_eq!(warned(tells, plain, [deaf, deaf]), ["V>W: unheard"]);
    let both = warned(tells, tells, [deaf, deaf]);
    assert_eq!(both, ["V>W (and 1 others): unheard"]);
}
