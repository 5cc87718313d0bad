//! Hosts whose cards pull, signals that find no queue, and ports that cannot have a watchdog.

use crate::net::*;

/// A flow that its host's card pulls, over a link of this kind.
fn pulled(link: &str) -> String {
    format!(
        r#"
duration = "10 ms"
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }} }}
{link}
links.back = {{ from = "B", to = "A", rate = "1 Gbit/s", delay = "0 s" }}
flows.f = {{ from = "A", to = "B", nic = "pull", transport = "tcp", controller = {{ kind = "cubic" }}, source = {{ kind = "bulk" }} }}
"#
    )
}

/// A card pulls for the port of one wire: not through boxes, a trace, by one of two wires, or over a radio.
#[test]
fn a_card_pulls_for_one_wire() {
    let wire = r#"from = "A", to = "B", rate = "1 Gbit/s", delay = "0 s""#;
    let boxes = r#"boxes = [{ kind = "delay", delay = "1 ms" }]"#;
    let trace = r#"from = "A", to = "B", kind = "trace", trace = { kind = "constant", rate = "12 Mbit/s" }"#;
    let said = |link: &str| refused(&pulled(&format!("links.a = {{ {link} }}")));
    assert_eq!(said(wire), "");
    // Also where the port has a buffer.
    let text = pulled(&format!(
        "links.a = {{ {wire} }}\nports.\"A>B\" = {{ buffer = \"1 MB\" }}"
    ));
    assert_eq!(refused(&text), "");
    let what = "a card pulls for the port of one wire";
    assert!(said(&format!("{wire}, {boxes}")).contains(what));
    assert!(said(trace).contains(what));
    let radio = r#"
duration = "10 ms"
media.air = { phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }, mac = { access = "dcf" }, channel = { model = "disc", transmit = "100 m" } }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "30 packets" }
nodes.B = { kind = "station", medium = "air", at = ["50 m", "0 m"], buffer = "30 packets" }
flows.f = { from = "A", to = "B", nic = "pull", transport = "tcp", controller = { kind = "cubic" }, source = { kind = "bulk" } }
"#;
    assert!(refused(radio).contains(what), "{}", refused(radio));
}

/// A paced flow has all of its window on a wire that goes down. The pace comes due without anything to send; the timer behind it sends all again.
#[test]
fn a_paced_flow_of_a_card_times_out() {
    let text = r#"
duration = "3 s"
nodes = { A = { kind = "host" }, B = { kind = "host" } }
links.a = { ends = ["A", "B"], rate = "100 Mbit/s", delay = "20 ms" }
events.cut = { kind = "down", links = ["a"], at = "10 ms", until = "11 ms" }
flows.f = { from = "A", to = "B", nic = "pull", transport = "tcp", controller = { kind = "agent" }, source = { kind = "bulk", size = "20 kB" } }
"#;
    let resolved = resolved(text);
    let built = resolved.build_driven(&resolved.spec());
    let mut world = built.unwrap_or_else(|said| panic!("{said}"));
    for id in world.all_driven() {
        world.steer(id, &mut |agent| {
            // A segment in some 2 ms.
            let rate = backwater_transport::units::Rate(6_000_000);
            agent.tell(4 * agent.mss(), Some(rate));
        });
    }
    let report = finished(&mut world);
    assert_eq!(report.flows[0].sums.dropped.packets, 4);
    assert_eq!(report.connections[0].delivered, 20_000);
}

/// A signal of class 2 has no queue at a port with two. Acknowledgements that may take any of two ways must find one on both.
#[test]
fn signals_find_a_queue_on_each_way() {
    let by = |choose: &str, narrow: &str, class: u8| {
        refused(&format!(
            r#"
duration = "1 ms"
topology = {{ kind = "leaf-spine", leaves = 2, spines = 2, hosts = 1, rate = "10 Gbit/s", delay = "1 us" }}
routing = {{ kind = "ecmp", choose = "{choose}" }}
ports."{narrow}" = {{ queue = {{ kind = "strict-priority", classes = 2 }} }}
flows.f = {{ from = "h0", to = "h1", packet = "1030 B", transport = "roce", cnp_class = {class}, controller = {{ kind = "dcqcn", rate = "10 Gbit/s" }}, source = {{ kind = "bulk" }} }}
"#
        ))
    };
    let said = |narrow: &str, class: u8| by("round-robin", narrow, class);
    for narrow in ["l1>s0", "l1>s1", "s0>l0", "s1>l0"] {
        assert_eq!(said(narrow, 1), "");
        let said = said(narrow, 2);
        assert!(
            said.contains("flows.f.cnp_class") && said.contains(narrow),
            "{said}"
        );
    }
    // Data go the other way.
    assert_eq!(said("l0>s0", 2), "");
    // Those that keep their way need it there alone.
    let one = ["l1>s0", "l1>s1"].map(|narrow| by("hash", narrow, 2));
    assert_eq!(
        one.iter().filter(|said| said.is_empty()).count(),
        1,
        "{one:?}"
    );
}

/// A watchdog may stand at a port whose data frames carry notices, and not at one that a saturated source keeps filled.
#[test]
fn a_watchdog_stands_where_frames_carry_notices() {
    let text = |flow: &str, at: &str| {
        format!(
            r#"
duration = "1 ms"
nodes = {{ A = {{ kind = "host" }}, V = {{ kind = "switch" }}, W = {{ kind = "switch" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "V"], rate = "1 Gbit/s", delay = "1 us" }}
links.v = {{ ends = ["V", "W"], rate = "1 Gbit/s", delay = "1 us" }}
links.b = {{ ends = ["W", "B"], rate = "1 Gbit/s", delay = "1 us" }}
ports."*" = {{ buffer = "100 kB" }}
ports."{at}" = {{ watchdog = {{ detection = "2 ms", restoration = "2 ms" }} }}
mechanisms.m = {{ recipe = "pause", at = ["W>B", "V>W"], notify = {{ carrier = "header" }} }}
flows.f = {{ from = "A", to = "B", source = {{ {flow} }} }}
"#
        )
    };
    let cbr = r#"kind = "cbr", packet = "1000 B", rate = "8 Mbit/s""#;
    assert_eq!(refused(&text(cbr, "V>W")), "");
}

/// Two flows that send without end over one line come to share it evenly from the first second on, or from that of the second flow, so many seconds
/// after it. One that ends before the run is none of them, and one flow shares with nobody.
#[test]
fn two_equal_flows_share_from_the_beginning() {
    let converged = |more: &str| {
        let flow = r#"to = "D", transport = "tcp", controller = { kind = "fixed", window = "4 packets" }, source = { kind = "bulk" }"#;
        let report = run(&format!(
            r#"
duration = "9 s"
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }}, W = {{ kind = "switch" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "10 Mbit/s", delay = "10 ms" }}
links.b = {{ ends = ["B", "W"], rate = "10 Mbit/s", delay = "10 ms" }}
links.d = {{ ends = ["W", "D"], rate = "10 Mbit/s", delay = "10 ms" }}
flows.f = {{ from = "A", {flow} }}
flows.g = {{ from = "B", {flow}{more} }}
"#
        ));
        report.progress.converged()
    };
    assert_eq!(converged(""), Some(0));
    assert_eq!(converged(r#", start = "2 s""#), Some(0));
    assert_eq!(converged(r#", stop = "8 s""#), None);
}

/// Packets that choose among two ways at random choose anew in a fork: at once, and where switches forward by another table later.
#[test]
fn ways_are_drawn_anew_in_a_fork() {
    let text = |event: &str, at: &str| {
        format!(
            r#"
duration = "10 ms"
topology = {{ kind = "leaf-spine", leaves = 2, spines = 4, hosts = 1, rate = "1 Gbit/s", delay = "1 us" }}
routing = {{ kind = "ecmp", choose = "random" }}
{event}
flows.f = {{ from = "h0", to = "h1", source = {{ kind = "packet-list", at_us = [{at}], bytes = [30000] }} }}
"#
        )
    };
    let cut =
        r#"events.cut = { kind = "down", links = ["l0-s0"], at = "3 ms", converge = "1 ms" }"#;
    // Nothing is chosen between the fork and the new table.
    for event in ["", cut] {
        let text = text(event, "0, 5000");
        let end = |by: u64| {
            let mut world = built(&text);
            world.advance(backwater_transport::units::Time(2 * MS));
            world.reseed(by);
            let report = finished(&mut world);
            assert_eq!(report.delivered, 40);
            // All ways are equally long: they are told by how many went each.
            let ports = report.ports.iter();
            ports.map(|port| port.count.packets).collect::<Vec<u64>>()
        };
        assert_eq!(end(1), end(1));
        assert!((2..8).any(|by| end(1) != end(by)), "{event}");
    }
}
