//! Packets that a caller injects while the world runs.

use backwater_sim::cause::Cause;
use backwater_sim::ids::NodeId;
use backwater_sim::table::Id;
use backwater_sim::world::{Exit, Fate, Injected, Rejected, World};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Time};

use crate::aqm::queue;
use crate::net::{MBIT, Net};
use crate::random::source;

/// Two hosts A and B at a switch, and a third, D, behind a line of 10 Mbit/s.
fn net() -> (Net, usize) {
    let mut net = Net::new(1.0);
    let switch = net.switch("W");
    for name in ["A", "B"] {
        let host = net.host(name);
        net.link(host, switch, 100 * MBIT);
    }
    let host = net.host("D");
    net.link(switch, host, 10 * MBIT);
    net.flow("f", 1, 3, source("outside", &[]));
    (net, 4)
}

fn node(world: &World, name: &str) -> NodeId {
    world.node(name).expect("a node of this name")
}

fn to(world: &World, name: &str, tag: u64) -> Injected {
    Injected {
        to: node(world, name),
        class: 0,
        len: Bytes(1500),
        ecn: Ecn::NotEct,
        hash: None,
        tag,
    }
}

fn run(world: &mut World) -> Vec<Exit> {
    world.advance(world.end());
    assert!(world.report().conserved);
    world.take_exits()
}

#[test]
fn a_node_sends_to_any_other_without_a_flow_in_the_scenario() {
    let mut world = net().0.world();
    let a = node(&world, "A");
    for (tag, name) in (0..).zip(["D", "B", "D"]) {
        let packet = to(&world, name, tag);
        world.inject(Time(0), a, packet).expect("a route");
    }
    let exits = run(&mut world);
    // 1518 B frames with preamble and gap: B at 2 × 1526 B × 80 ns behind the first, D's line is ten times slower.
    let seen: Vec<_> = exits.iter().map(|e| (e.tag, e.node, e.fate)).collect();
    let (b, d) = (node(&world, "B"), node(&world, "D"));
    let all = Fate::Delivered;
    assert_eq!(seen, [(1, b, all), (0, d, all), (2, d, all)]);
}

#[test]
fn simultaneous_packets_keep_the_order_in_which_they_were_injected() {
    // The flow to D is made first. Were flows served in their order, its packet would overtake that to B.
    let mut world = net().0.world();
    let a = node(&world, "A");
    for (at, name, tag) in [
        (0, "D", 0),
        (9_000_000_000, "B", 1),
        (9_000_000_000, "D", 2),
    ] {
        let packet = to(&world, name, tag);
        world.inject(Time(at), a, packet).expect("a route");
    }
    let mut sent = Vec::new();
    world.start_recording();
    world.advance(world.end());
    for record in world.take_records() {
        if record.what == backwater_sim::record::What::Send && record.port.index() == 0 {
            sent.push(world.network().flows[record.flow].name.clone());
        }
    }
    assert_eq!(sent, ["f", "A>B#0", "f"]);
}

#[test]
fn fair_queues_see_the_hash_of_the_five_tuple() {
    // 40 packets of one five-tuple wait at the slow line when one of another comes: with queues by five-tuple it goes
    // ahead of all but the packet in transmission; without hashes both are one flow, and it goes last.
    // It comes there 41 × 122 us after the beginning; each packet takes 1.22 ms there, so 4 have left.
    // The greatest hash means none, so it is taken for the one before it, and for no other.
    for (hashes, places) in [
        (Some([3, 7]), 4..=6),
        (Some([u32::MAX - 2, u32::MAX]), 4..=6),
        (Some([u32::MAX - 1, u32::MAX]), 40..=40),
        (None, 40..=40),
    ] {
        let (mut net, port) = net();
        net.0.ports[port].aqm = queue("fq-codel", &[]).aqm;
        let mut world = net.world();
        let a = node(&world, "A");
        for tag in 0..41 {
            let mut packet = to(&world, "D", tag);
            packet.hash = hashes.map(|hashes| hashes[usize::from(tag == 40)]);
            world.inject(Time(0), a, packet).expect("a route");
        }
        let exits = run(&mut world);
        let found = exits
            .iter()
            .position(|e| e.tag == 40)
            .expect("it is delivered");
        assert!(places.contains(&found), "{hashes:?}: {found}");
    }
}

#[test]
fn a_mark_and_the_cause_of_a_loss_come_back_with_the_packet() {
    for (ecn, aqm_marks) in [(Ecn::Ect0, true), (Ecn::NotEct, false)] {
        let (mut net, port) = net();
        net.0.ports[port].aqm = queue("codel", &[]).aqm;
        let mut world = net.world();
        let a = node(&world, "A");
        // 20 Mbit/s for 0.36 s into 10 Mbit/s: the sojourn passes 5 ms for longer than 100 ms.
        for tag in 0..600 {
            let packet = Injected {
                ecn,
                ..to(&world, "D", tag)
            };
            let at = Time(tag * 600_000_000);
            world.inject(at, a, packet).expect("a route");
        }
        let exits = run(&mut world);
        assert_eq!(exits.len(), 600);
        let marked = exits.iter().filter(|e| e.ecn == Ecn::Ce).count();
        let dropped: Vec<_> = exits.iter().filter(|e| e.fate != Fate::Delivered).collect();
        assert_eq!((marked > 0, !dropped.is_empty()), (aqm_marks, !aqm_marks));
        let w = node(&world, "W");
        assert!(
            dropped
                .iter()
                .all(|e| e.fate == Fate::Dropped(Cause::Aqm) && e.node == w)
        );
    }
}

#[test]
fn what_cannot_be_injected_is_rejected_and_leaves_the_world_as_it_was() {
    let mut world = net().0.world();
    let a = node(&world, "A");
    let packet = to(&world, "D", 0);
    let mut rejected = |from: NodeId, packet: Injected, at: u64| {
        world.inject(Time(at), from, packet).expect_err("rejected")
    };
    let w = Id::new(0);
    assert_eq!(
        rejected(a, Injected { to: w, ..packet }, 0),
        Rejected::NoHost(w)
    );
    assert_eq!(rejected(w, packet, 0), Rejected::NoHost(w));
    // The world has four nodes.
    for far in [Id::raw(4), Id::raw(99)] {
        let packet = Injected { to: far, ..packet };
        assert_eq!(rejected(a, packet, 0), Rejected::NoHost(far));
    }
    assert_eq!(
        rejected(a, Injected { to: a, ..packet }, 0),
        Rejected::Own("A".into())
    );
    let (class, at_a) = (8, "A".to_owned());
    let no_class = Rejected::NoClass(class, at_a);
    assert_eq!(rejected(a, Injected { class, ..packet }, 0), no_class);
    for len in [0, 1501] {
        let packet = Injected {
            len: Bytes(len),
            ..packet
        };
        let most = 1500;
        assert_eq!(rejected(a, packet, 0), Rejected::Length { len, most });
    }
    world.advance(Time(5));
    let past = world.inject(Time(4), a, packet).expect_err("rejected");
    assert_eq!(
        past,
        Rejected::Past {
            at: Time(4),
            now: Time(5)
        }
    );
    assert!(run(&mut world).is_empty());
}

#[test]
fn a_world_goes_on_beyond_the_end_of_its_scenario() {
    let mut world = net().0.world();
    let a = node(&world, "A");
    world.advance(world.end());
    for tag in 0..3 {
        let packet = to(&world, "D", tag);
        let at = Time(world.now().0 + 1_000_000_000_000);
        world.inject(at, a, packet).expect("a route");
        world.advance(Time(at.0 + 10_000_000_000));
        assert_eq!(world.take_exits().len(), 1);
    }
    assert!(world.report().conserved);
}
