//! Ways that packets take when wires are down, and flows that wait for others.

use backwater_sim::record::What;
use backwater_transport::units::Time;

use crate::net::*;

/// The wire from W to V goes down at 1 ms, and W sends by U from 2 ms on. Before the queue to U stands a box of 5 ms. A packet of 1000 B takes
/// 8.208 us on each of three wires of 1 Gbit/s before it goes down, and on four afterwards.
#[test]
fn a_way_around_a_dead_wire_leads_through_its_boxes() {
    let (_, records, _) = recorded(
        r#"
duration = "20 ms"
routing = { kind = "shortest-path" }
nodes = { A = { kind = "host" }, B = { kind = "host" }, W = { kind = "switch" }, U = { kind = "switch" }, V = { kind = "switch" } }
links.in = { ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }
links.short = { ends = ["W", "V"], rate = "1 Gbit/s", delay = "0 s" }
links.wu = { ends = ["W", "U"], rate = "1 Gbit/s", delay = "0 s", boxes = [{ kind = "delay", delay = "5 ms" }] }
links.uv = { ends = ["U", "V"], rate = "1 Gbit/s", delay = "0 s" }
links.out = { ends = ["V", "B"], rate = "1 Gbit/s", delay = "0 s" }
events.cut = { kind = "down", links = ["short"], at = "1 ms", converge = "1 ms" }
flows.f = { from = "A", to = "B", packet = "1000 B", source = { kind = "packet-list", at_us = [0, 3000], bytes = [1000] } }
"#,
    );
    let hop = 8_208_000;
    let delivered = instants(&records, What::Deliver, 0, None);
    assert_eq!(delivered, [3 * hop, 3 * MS + 5 * MS + 4 * hop]);
}

/// A transfer that waits for another begins when that has been delivered, or a while later where it says so.
#[test]
fn a_transfer_begins_a_while_after_another() {
    for (after, wait) in [("f", 0), ("f + 500 us", 500 * US)] {
        let (_, records, _) = recorded(&format!(
            r#"
duration = "20 ms"
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "B"], rate = "1 Gbit/s", delay = "1 us" }}
flows.f = {{ from = "A", to = "B", transport = "tcp", controller = {{ kind = "fixed" }}, source = {{ kind = "bulk", size = "1 kB" }} }}
flows.g = {{ from = "A", to = "B", after = ["{after}"], transport = "tcp", controller = {{ kind = "fixed" }}, source = {{ kind = "bulk", size = "1 kB" }} }}
"#
        ));
        let delivered = instants(&records, What::Deliver, 0, None);
        let entered = instants(&records, What::Send, 1, None);
        assert_eq!(entered, [delivered[0] + wait], "{after}");
    }
}

/// The wire of a host and one of two ways to its switch are down. Switches that know it forward around the second also what goes to that host, so that
/// all of it is lost at the last wire.
#[test]
fn what_goes_to_a_host_behind_a_dead_wire_goes_around_others() {
    let (report, _, world) = recorded(
        r#"
duration = "4 ms"
topology = { kind = "leaf-spine", leaves = 2, spines = 2, hosts = 1, rate = "10 Gbit/s", delay = "1 us" }
routing = { kind = "ecmp", choose = "round-robin" }
events.cut = { kind = "down", links = ["l0-s0", "h1-l1"], at = "1 ms", converge = "100 us" }
flows.f = { from = "h0", to = "h1", packet = "1000 B", source = { kind = "cbr", packet = "1000 B", rate = "80 Mbit/s", phase = "start" } }
"#,
    );
    let lost = |name: &str| {
        let rows = report.drops.iter();
        let here = rows.filter(|row| row.key.1 == port(&world, name));
        here.map(|row| row.count.packets).sum::<u64>()
    };
    // A packet each 100 us, and one or two before the switches know.
    let [first, last] = ["l0>s0", "l1>h1"].map(lost);
    assert!(first <= 1 && last.abs_diff(30) <= 2, "{first} {last}");
    assert_eq!(first + last, report.dropped);
}

/// A box of 5 ms in front of a wire becomes one of 7 ms in the middle of a run, and holds packets for so long from then on. A packet of 1000 B takes
/// 8.208 us on each of two wires of 1 Gbit/s. No box stands before the other wire, and none can come there.
#[test]
fn a_box_is_changed_before_its_own_wire() {
    let text = |ms: u32| {
        format!(
            r#"
duration = "40 ms"
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }}, W = {{ kind = "switch" }} }}
links.in = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s", boxes = [{{ kind = "delay", delay = "{ms} ms" }}] }}
links.out = {{ ends = ["W", "B"], rate = "1 Gbit/s", delay = "0 s" }}
flows.f = {{ from = "A", to = "B", packet = "1000 B", source = {{ kind = "packet-list", at_us = [0, 20000], bytes = [1000] }} }}
"#
        )
    };
    let boxes = |ms: u32| {
        let spec = resolved(&text(ms)).spec();
        let direction = spec.links[0].directions[0].as_ref();
        direction.expect("a link with boxes").boxes.clone()
    };
    let mut world = built(&text(5));
    world.start_recording();
    world.advance(Time(10 * MS));
    let (before, after) = (boxes(5), boxes(7));
    let [boxed, plain] = ["A>W", "W>B"].map(|name| port(&world, name));
    let changed = world.change_boxes(boxed, [&before, &after]);
    assert!(changed.is_ok());
    assert!(world.change_boxes(plain, [&before, &after]).is_err());
    finished(&mut world);
    let delivered = instants(&world.take_records(), What::Deliver, 0, None);
    let wires = 2 * 8_208_000;
    assert_eq!(delivered, [5 * MS + wires, 27 * MS + wires]);
}

/// Where each node has one way only there are no groups of equal ways. Two ways of a switch to a host are one.
#[test]
fn groups_are_of_several_ways() {
    let groups = |spines: u32| {
        let world = built(&format!(
            r#"
duration = "1 ms"
topology = {{ kind = "leaf-spine", leaves = 2, spines = {spines}, hosts = 1, rate = "1 Gbit/s", delay = "1 us" }}
routing = {{ kind = "ecmp" }}
flows.f = {{ from = "h0", to = "h1", source = {{ kind = "cbr", packet = "1000 B", rate = "8 Mbit/s" }} }}
"#
        ));
        let groups = world.network().equal_ways().iter();
        groups.map(Vec::len).collect::<Vec<usize>>()
    };
    assert_eq!(groups(1), [0; 0]);
    assert_eq!(groups(2), [2]);
}
