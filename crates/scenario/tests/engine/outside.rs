//! Packets from outside: the ways that they find, and what does not fit.

use backwater_sim::ids::FlowId;
use backwater_sim::record::What;
use backwater_sim::world::{Fate, Injected, Rejected, World};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Time};

use crate::net::*;

pub fn inject(
    world: &mut World,
    [from, to]: [&str; 2],
    class: u8,
    len: u64,
) -> Result<FlowId, Rejected> {
    let [from, to] = [from, to].map(|name| world.node(name).expect("a node"));
    let packet = Injected {
        to,
        class,
        len: Bytes(len),
        ecn: Ecn::NotEct,
        hash: None,
        tag: len,
    };
    let now = world.now();
    world.inject(now, from, packet)
}

/// A packet goes over the radio hop that a flow of the scenario has made, and where no flow goes there is no way.
#[test]
fn a_packet_goes_over_a_radio_hop_that_a_flow_has_made() {
    let mut world = built(
        r#"
duration = "1 s"
media.air = { phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }, mac = { access = "dcf" }, channel = { model = "disc", transmit = "100 m" } }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "30 packets" }
nodes.B = { kind = "station", medium = "air", at = ["50 m", "0 m"], buffer = "30 packets" }
flows.f = { from = "A", to = "B", source = { kind = "cbr", packet = "1000 B", rate = "80 kbit/s" } }
"#,
    );
    assert!(world.has_categories());
    assert!(inject(&mut world, ["A", "B"], 0, 700).is_ok());
    let back = inject(&mut world, ["B", "A"], 0, 700);
    assert_eq!(back, Err(Rejected::NoRoute("B".into(), "A".into())));
    world.advance(world.end());
    let exits = world.take_exits();
    let fates: Vec<_> = exits.iter().map(|exit| (exit.tag, exit.fate)).collect();
    assert_eq!(fates, [(700, Fate::Delivered)]);
}

/// A port with two queues has none for class 2. A port with one takes every class.
#[test]
fn a_packet_finds_a_queue_of_its_class() {
    let mut world = built(
        r#"
duration = "1 s"
nodes = { A = { kind = "host" }, W = { kind = "switch" }, B = { kind = "host" } }
links.a = { ends = ["A", "W"], rate = "100 Mbit/s", delay = "0 s" }
links.b = { ends = ["W", "B"], rate = "100 Mbit/s", delay = "0 s" }
ports."W>B" = { queue = { kind = "strict-priority", classes = 2 } }
flows.f = { from = "B", to = "A", source = { kind = "outside" } }
"#,
    );
    assert!(!world.has_categories());
    assert!(inject(&mut world, ["A", "B"], 1, 1000).is_ok());
    for class in [2, 3] {
        let said = inject(&mut world, ["A", "B"], class, 1000);
        assert_eq!(said, Err(Rejected::NoClass(class, "W>B".into())));
    }
    assert!(inject(&mut world, ["B", "A"], 7, 1000).is_ok());
}

/// An opportunity of 1,004 B with 4 B beside the packet carries 1,000 B, where packets go whole.
#[test]
fn a_packet_fits_an_opportunity_with_what_is_beside_it() {
    let mut world = built(
        r#"
duration = "1 s"
nodes = { A = { kind = "host" }, B = { kind = "host" } }
links.a = { kind = "trace", from = "A", to = "B", opportunity = "1004 B", overhead = "4 B", trace = { kind = "constant", rate = "12 Mbit/s" } }
links.b = { from = "B", to = "A", rate = "1 Gbit/s", delay = "0 s" }
flows.f = { from = "B", to = "A", source = { kind = "outside" } }
"#,
    );
    let said = inject(&mut world, ["A", "B"], 0, 1001);
    let too_long = Rejected::Length {
        len: 1001,
        most: 1000,
    };
    assert_eq!(said, Err(too_long));
    let flow = inject(&mut world, ["A", "B"], 0, 1000).expect("a way");
    // How long packets have been under way is measured where a trace serves them.
    assert!(world.network().flows[flow].stats.age.is_some());
    let back = inject(&mut world, ["B", "A"], 0, 1).expect("a way");
    assert!(world.network().flows[back].stats.age.is_none());
    assert_eq!(
        inject(&mut world, ["B", "A"], 0, 0),
        Err(Rejected::Length { len: 0, most: 1500 })
    );
    world.advance(Time(20 * MS));
    assert_eq!(world.take_exits().len(), 2);
}

/// Hosts A, H and B in a row, and a switch beside H: who has two wires sends over the right one and forwards nothing for others. Packets between two
/// nodes in one class are of one flow, and those of another class of another.
#[test]
fn a_host_with_two_wires_sends_over_both_and_forwards_over_none() {
    let mut world = built(
        r#"
duration = "1 s"
routing = { kind = "shortest-path" }
nodes = { A = { kind = "host" }, H = { kind = "host" }, W = { kind = "switch" }, B = { kind = "host" } }
links.a = { ends = ["A", "H"], rate = "100 Mbit/s", delay = "0 s" }
links.h = { ends = ["H", "W"], rate = "100 Mbit/s", delay = "0 s" }
links.b = { ends = ["W", "B"], rate = "100 Mbit/s", delay = "0 s" }
flows.f = { from = "H", to = "B", source = { kind = "outside" } }
"#,
    );
    let there = inject(&mut world, ["H", "B"], 0, 700).expect("a way");
    let back = inject(&mut world, ["H", "A"], 0, 800).expect("a way");
    let around = inject(&mut world, ["A", "B"], 0, 900);
    assert_eq!(around, Err(Rejected::NoRoute("A".into(), "B".into())));
    assert_ne!(there, back);
    for (way, class, flow) in [
        (["H", "A"], 0, Some(back)),
        (["H", "B"], 0, Some(there)),
        (["H", "A"], 1, None),
    ] {
        let flows = world.network().flows.len();
        let found = inject(&mut world, way, class, 100).expect("a way");
        assert_eq!(
            world.network().flows.len(),
            flows + usize::from(flow.is_none())
        );
        assert!(flow.is_none_or(|flow| flow == found), "{way:?} {class}");
    }
    world.start_recording();
    world.advance(world.end());
    let records = world.take_records();
    let entered = records
        .iter()
        .filter(|r| r.what == What::Enqueue && r.flow == back);
    // Packets of a flow are numbered from nought on.
    assert_eq!(entered.map(|r| r.seq).collect::<Vec<u32>>(), [0, 1]);
    let exits = world.take_exits();
    assert!(exits.iter().all(|exit| exit.fate == Fate::Delivered));
    let mut tags: Vec<u64> = exits.iter().map(|exit| exit.tag).collect();
    tags.sort_unstable();
    assert_eq!(tags, [100, 100, 100, 700, 800]);
}

/// A host whose only wire has a box of 5 ms sends through it what a caller injects.
#[test]
fn what_is_injected_goes_through_the_box_of_its_wire() {
    let mut world = built(
        r#"
duration = "20 ms"
nodes = { A = { kind = "host" }, B = { kind = "host" }, W = { kind = "switch" } }
links.a = { ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s", boxes = [{ kind = "delay", delay = "5 ms" }] }
links.b = { ends = ["W", "B"], rate = "1 Gbit/s", delay = "0 s" }
flows.f = { from = "B", to = "A", source = { kind = "outside" } }
"#,
    );
    world.start_recording();
    inject(&mut world, ["A", "B"], 0, 1000).expect("a way");
    world.advance(world.end());
    let records = world.take_records();
    let delivered = records.iter().filter(|r| r.what == What::Deliver);
    let delivered: Vec<u64> = delivered.map(|r| r.at.0).collect();
    assert_eq!(delivered, [5 * MS + 2 * (8 + 1_018) * 8_000]);
}
