//! What stands at a place from the beginning: turns among ways, accounts of what came in, and queues that send notices.

use backwater_sim::cause::Cause;
use backwater_sim::record::What;

use crate::net::*;

/// Packets take three ways by turns. A table that switches use in between has turns of its own: the first goes on where it stood.
#[test]
fn the_turns_of_a_table_go_on_when_it_is_used_again() {
    let (report, _, world) = recorded(
        r#"
duration = "10 ms"
topology = { kind = "leaf-spine", leaves = 2, spines = 3, hosts = 1, rate = "1 Gbit/s", delay = "1 us" }
routing = { kind = "ecmp", choose = "round-robin" }
events.cut = { kind = "down", links = ["l0-s0"], at = "1 ms", until = "5 ms", converge = "1 ms" }
flows.f = { from = "h0", to = "h1", packet = "1000 B", source = { kind = "packet-list", at_us = [0, 8000, 8100], bytes = [1000] } }
"#,
    );
    let names = ["l0>s0", "l0>s1", "l0>s2"].map(|name| port(&world, name));
    let sent = |id| {
        let row = report.ports.iter().find(|row| row.port == id);
        row.expect("a row of the port").count.packets
    };
    assert_eq!(names.map(sent), [1, 1, 1]);
}

/// Without a warm-up a packet that enters at the first instant counts, and so does its delivery.
#[test]
fn a_packet_of_the_first_instant_counts() {
    let report = run(r#"
duration = "10 ms"
nodes = { A = { kind = "host" }, B = { kind = "host" } }
links.a = { ends = ["A", "B"], rate = "1 Gbit/s", delay = "1 us" }
flows.f = { from = "A", to = "B", source = { kind = "packet-list", at_us = [0, 1000], bytes = [1000] } }
"#);
    let sums = &report.flows[0].sums;
    assert_eq!((sums.entered.packets, sums.delivered.packets), (2, 2));
}

/// A sender of 100 Mbit/s before a line of 10.
fn slow_line(switch: &str, more: &str) -> String {
    format!(
        r#"
duration = "20 ms"
nodes = {{ A = {{ kind = "host" }}, W = {{ kind = "switch"{switch} }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "100 Mbit/s", delay = "0 s" }}
links.d = {{ ends = ["W", "D"], rate = "10 Mbit/s", delay = "0 s" }}
flows.f = {{ from = "A", to = "D", source = {{ kind = "cbr", packet = "1500 B", rate = "90 Mbit/s", phase = "start" }} }}
{more}
"#
    )
}

/// A memory of 20 kB takes 13 frames of 1518 B at most. In 20 ms some 150 packets come and 16 leave, so all but those and 13 are lost for want of memory.
#[test]
fn a_memory_that_is_full_loses_what_comes() {
    let shared = r#", model = "shared-memory", memory = "20 kB", reserve = "0 B", headroom = "0 B", shift = 6"#;
    let report = run(&slow_line(shared, ""));
    let entered = report.entered;
    assert!((140..=151).contains(&entered), "{entered}");
    let lost = report
        .drops
        .iter()
        .filter(|row| row.key.0 == Cause::MemoryFull);
    let lost: u64 = lost.map(|row| row.count.packets).sum();
    assert_eq!(lost, report.dropped);
    assert!(lost >= entered - 17 - 14, "{lost}");
}

/// PFC by what came in: with a mark of 14,000 B the tenth frame of 1518 B is told of, and no more than that and what is under way then waits. So some
/// 16 frames have left in 20 ms, and about ten wait at the switch; all others wait at the sender.
#[test]
fn accounts_of_what_came_in_stop_a_sender() {
    let pfc = r#"mechanisms.p = { recipe = "pfc", at = ["W>A"], detect = { kind = "ingress-watermark", xoff = "14000 B", xon = "10000 B" } }"#;
    let plain = run(&slow_line("", ""));
    assert!(plain.held > 100, "{}", plain.held);
    let (report, _, world) = recorded(&slow_line("", pfc));
    assert!(report.hearing[0].issued >= 2);
    assert_eq!(report.dropped, 0);
    let most = world.network().ports[port(&world, "W>D")].max_bytes;
    assert!((10 * 1518..=13 * 1518).contains(&most), "{most}");
}

/// Queues that send notices need a queue of their class on all equal ways back to the source; any other queue needs none, nor does one at the source's
/// own host. An acknowledgement keeps one of the two ways.
#[test]
fn notices_find_a_queue_on_all_ways_back() {
    let said = |narrow: &str, at: &str, kind: &str| {
        let said = refused(&format!(
            r#"
duration = "1 ms"
routing = {{ kind = "ecmp" }}
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }}, W = {{ kind = "switch" }}, U = {{ kind = "switch" }}, V = {{ kind = "switch" }}, X = {{ kind = "switch" }} }}
links.a = {{ ends = ["A", "W"], rate = "10 Gbit/s", delay = "1 us" }}
links.b = {{ ends = ["W", "U"], rate = "10 Gbit/s", delay = "1 us" }}
links.c = {{ ends = ["W", "V"], rate = "10 Gbit/s", delay = "1 us" }}
links.d = {{ ends = ["X", "B"], rate = "10 Gbit/s", delay = "1 us" }}
links.y = {{ ends = ["U", "X"], rate = "10 Gbit/s", delay = "1 us" }}
links.z = {{ ends = ["V", "X"], rate = "10 Gbit/s", delay = "1 us" }}
ports."{narrow}" = {{ queue = {{ kind = "strict-priority", classes = 2 }} }}
ports."{at}" = {{ queue = {{ {kind}, classes = 3 }}, buffer = "2 MB" }}
flows.f = {{ from = "A", to = "B", packet = "1482 B", transport = "roce", cnp = "off", cnp_class = 2, controller = {{ kind = "qcn", rate = "10 Gbit/s" }}, source = {{ kind = "bulk" }} }}
"#
        ));
        assert!(said.is_empty() || said.contains(narrow), "{said}");
        !said.is_empty()
    };
    let both = |at: &str, kind: &str| ["X>U", "X>V"].map(|narrow| said(narrow, at, kind));
    let (tells, silent) = (
        r#"kind = "qcn""#,
        r#"kind = "ecn-ramp", min = "37350 B", max = "145250 B", top = "100 %""#,
    );
    assert_eq!(both("X>B", tells), [true, true]);
    for [u, v] in [both("A>W", tells), both("X>B", silent)] {
        assert!(u != v);
    }
}

/// Stations that draw the destination of each packet send over radio hops, to whoever is in reach, without any wire.
#[test]
fn a_station_draws_among_others() {
    let station = |name: &str, x: u32| {
        format!(
            "nodes.{name} = {{ kind = \"station\", medium = \"air\", at = [\"{x} m\", \"0 m\"], buffer = \"30 packets\" }}\n"
        )
    };
    let text = |last: u32| {
        format!(
            r#"
duration = "100 ms"
media.air = {{ phy = {{ standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }}, mac = {{ access = "dcf" }}, channel = {{ model = "disc", transmit = "100 m" }} }}
{}{}{}
flows.f = {{ from = "S", to = "*", pattern = "random", source = {{ kind = "cbr", packet = "1000 B", rate = "800 kbit/s" }} }}
"#,
            station("S", 0),
            station("T", 50),
            station("U", last)
        )
    };
    assert_eq!(refused(&text(90)), "");
    assert!(refused(&text(150)).contains("U is out of reach"));
}

/// A slot of a fabric lasts 1 ps at least. A frame of 1018 B, 64 cells of 16 B, crosses in 64 slots, so that it comes as much later than through a switch
/// without a fabric: 64 ps where the line of 8 Tbit/s takes 16 ps for a cell, and the fabric 64 cells in that time.
#[test]
fn a_slot_of_a_fabric_lasts_a_picosecond() {
    let delivered = |model: &str| {
        let (_, records, _) = recorded(&format!(
            r#"
duration = "1 ms"
nodes = {{ A = {{ kind = "host" }}, W = {{ kind = "switch", {model} }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "8000 Gbit/s", delay = "0 s" }}
links.b = {{ ends = ["W", "B"], rate = "8000 Gbit/s", delay = "0 s" }}
flows.f = {{ from = "A", to = "B", packet = "1000 B", source = {{ kind = "packet-list", at_us = [10], bytes = [1000] }} }}
"#
        ));
        instants(&records, What::Deliver, 0, None)
    };
    let plain = delivered(r#"model = "output-queued""#);
    let queued = delivered(
        r#"model = "input-queued", discipline = "virtual-output-queues", cell = "16 B", speedup = 64"#,
    );
    assert_eq!(queued, [plain[0] + 64]);
}
