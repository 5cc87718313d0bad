//! Parts of a state that few networks have, or that stand out at few instants.

use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Span, Time};
use backwater_transport::walk::Repeat;

use super::build::{part, paused, ring};
use super::{World, busiest, first, network, packet, recurs};
use crate::ids::PortId;
use crate::mechanism::notice::{Ask, Form, Notice};
use crate::mechanism::{DETECTORS, NOTIFIERS};
use crate::network::Traits;
use crate::packet::Traffic;
use crate::queue::AnyScheduler;
use crate::spec::{NodeKind, Spec, SwitchModel};
use crate::table::Id;

/// The world of a spec after a while.
fn world(spec: &Spec, us: u64) -> World {
    let mut world = World::build(spec).expect("a legal network");
    world.advance(Time::ZERO + Span::micros(us));
    world
}

/// The first instant from 3 ms on, in steps of 7 us, at which something holds.
fn when(mut holds: impl FnMut(&World) -> bool) -> World {
    let mut us = 3_000;
    let mut world = world(&paused(), us);
    while !holds(&world) {
        us += 7;
        world.advance(Time::ZERO + Span::micros(us));
    }
    world
}

#[track_caller]
fn differs(world: &World, change: impl FnOnce(&mut World)) {
    assert!(recurs(world, world));
    let mut other = world.clone();
    change(&mut other);
    assert!(!recurs(world, &other));
}

/// Bytes that a switch counts against its shared memory, or against what has come in through a port.
#[test]
fn what_a_switch_counts_is_part_of_the_state() {
    let mut spec = paused();
    spec.nodes[2].kind = NodeKind::Switch(SwitchModel::SharedMemory {
        memory: Bytes(200_000),
        reserve: Bytes(0),
        headroom: Bytes(10_000),
        shift: 1,
    });
    differs(&world(&spec, 3_000), |w| {
        let pool = network(w).nodes[Id::raw(2)].pool.as_mut();
        assert!(pool.expect("a shared memory").admit(0, 0, 100));
    });
    let mut spec = paused();
    let marks =
        [("xoff", 20_000), ("xon", 10_000)].map(|(name, bytes)| (name, Value::Bytes(Bytes(bytes))));
    spec.mechanisms[0].at = vec![1];
    spec.mechanisms[0].detect = part(DETECTORS, "ingress-watermark", &marks);
    spec.mechanisms[0].notify = part(NOTIFIERS, "pfc", &[]);
    differs(&world(&spec, 3_000), |w| {
        let ledger = network(w).nodes[Id::raw(2)].ledger.as_mut();
        ledger.expect("accounts by ingress").add(0, 0, 100);
    });
}

/// Bytes of the second class queue, in which no frame waits.
#[test]
fn each_class_queue_is_part_of_the_state() {
    let mut spec = paused();
    spec.ports[5].scheduler = AnyScheduler::StrictPriority(2);
    differs(&world(&spec, 3_000), |w| {
        network(w).ports[Id::raw(5)].queues[1].bytes += 1;
    });
}

/// A packet of another flow, whose number lies as far behind the next of its flow; and one of another class alone.
#[test]
fn whose_packet_it_is_and_its_class_are_part_of_the_state() {
    let world = when(|w| w.shared.network.ports[busiest(w)].waiting >= 3);
    differs(&world, |w| {
        let flow = packet(w).flow;
        let other = Id::raw(1 - flow.0);
        let flows = &network(w).flows;
        let further = flows[other].seq.wrapping_sub(flows[flow].seq);
        let packet = packet(w);
        packet.seq = packet.seq.wrapping_add(further);
        packet.flow = other;
    });
    differs(&world, |w| {
        let traffic = packet(w).traffic;
        packet(w).traffic = Traffic::new(traffic.class() + 1, traffic.ecn());
    });
}

/// A packet that came into being in the warm-up is counted otherwise when it is lost.
#[test]
fn whether_a_packet_was_born_in_the_warm_up_is_part_of_the_state() {
    let mut world = when(|w| w.shared.network.ports[busiest(w)].waiting >= 3);
    let id = first(&world);
    let born = world.shared.network.packets[id].born;
    world.shared.run.books.warm_until = Some(Time(born.0 - 1));
    differs(&world, |w| w.shared.run.books.warm_until = Some(born));
}

/// A port with frames that came before it was stopped last: it matters when that ended.
#[test]
fn when_a_stop_ended_is_part_of_the_state_of_those_who_waited() {
    let world = when(|w| stopped_before(w).is_some());
    let id = stopped_before(&world).expect("found above");
    differs(&world, |w| network(w).ports[id].stall_end.0 -= 1);
}

/// The port whose oldest frame came before its last stop ended.
fn stopped_before(world: &World) -> Option<PortId> {
    let network = &world.shared.network;
    network.ports.ids().find(|id| {
        let port = &network.ports[*id];
        let ever = port.is(Traits::EVER_STALLED) && !port.is(Traits::STALLED);
        ever && port.waiting > 0 && port.stall_end > network.packets[port.queue.list.head()].at
    })
}

fn stop(units: u16) -> Notice {
    Notice {
        mechanism: 0,
        form: Form::Pause,
        classes: 1,
        ask: Ask::Stop(units),
        hosts: None,
        origin: Id::NONE,
        origin_classes: 1,
        key: 0,
    }
}

/// For how long a neighbour is to stop, in a frame on a wire and in a notice that waits for its reaction.
#[test]
fn what_a_notice_says_is_part_of_the_state() {
    let world = world(&paused(), 3_000);
    let reacting = |units| {
        let mut other = world.clone();
        let network = network(&mut other);
        let notice = network.mail.put(stop(units));
        network.ports[Id::raw(0)].more.reacting.push_back(notice);
        other
    };
    assert!(recurs(&reacting(7), &reacting(7)));
    assert!(!recurs(&reacting(7), &reacting(8)));
    let on_wire = |w: &World| {
        let network = &w.shared.network;
        let heads = network.ports.iter().map(|port| port.wire.head());
        let mut heads = heads.filter(|head| !head.is_none());
        heads.find(|head| network.packets[*head].flow.is_none())
    };
    let world = when(|w| on_wire(w).is_some());
    let notice = Id::raw(world.shared.network.packets[on_wire(&world).expect("found above")].to);
    differs(&world, |w| {
        let mut other = network(w).mail.see(notice).clone();
        other.ask = Ask::Stop(other.quanta() ^ 1);
        network(w).mail.replace(notice, other);
    });
}

/// A port that was free as a period began, and has a frame that waits, has sent nothing in that period, so that nothing is skipped. A port at whose node accounts are
/// kept, and which has never stalled, stands not still for that.
#[test]
fn a_port_that_was_free_as_a_period_began_is_looked_at() {
    let mut world = World::build(&ring([true; 3])).expect("a legal network");
    let now = Time::ZERO + Span::micros(5_001);
    world.advance(now);
    world.settle();
    let ports = &mut network(&mut world).ports;
    let idle = |id: &PortId| ports[*id].waiting == 0 && ports[*id].free_at() < now;
    let id = ports.ids().find(idle).expect("a port at rest");
    let repeat = |began| Repeat {
        period: Span::micros(1),
        began,
        periods: 9,
    };
    let before = Time::ZERO + Span::micros(5_000);
    ports[id].set(Traits::ACCOUNTED, true);
    let free = ports[id].free_at();
    assert_eq!(world.finds_deadlock(repeat(before)), None);
    network(&mut world).ports[id].waiting = 1;
    assert_eq!(world.finds_deadlock(repeat(free)), Some(now));
}
