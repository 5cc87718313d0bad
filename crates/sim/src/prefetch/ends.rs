//! Prefetching where flows have a transport: an acknowledgement waits for the connection, its sender and its segments
//! one after the other, and a fast link serves several packets before the list is read again.

use backwater_transport::endpoint::Sender;
use backwater_transport::units::Time;

use super::{TOGETHER, Trail};
use crate::calendar::Calendar;
use crate::ends::Ends;
use crate::ids::{PacketId, PortId};
use crate::network::{Flow, Network, Port, Role, Traits};
use crate::packet::Packet;
use crate::table::Id;

/// Packets of a list that are followed, behind its first.
const DEEP: usize = 8;

type Lists = Trail<PacketId, { TOGETHER + 1 }>;
type Received = Trail<(Role, PacketId), { TOGETHER + 1 }>;

/// Follows packets to the ends that receive them, and what these send in answer.
pub(super) fn follow(
    calendar: &Calendar,
    network: &Network,
    ends: &Ends,
    arrivals: &[PortId],
) -> u64 {
    let mut read = 0;
    let mut wires = Lists::new(Id::NONE);
    let mut queues = Lists::new(Id::NONE);
    for id in arrivals {
        let port = &network.ports[*id];
        read ^= accounts(network, port);
        wires.push(port.wire.head(), true);
        let waiting = port.queue(0).list.head();
        queues.push(waiting, !waiting.is_none());
    }
    for _ in 0..DEEP {
        next_in_queues(network, &mut queues);
    }
    let mut received = Received::new((Role::None, Id::NONE));
    for first in wires.all() {
        read ^= end_of_wire(network, *first, &mut received);
    }
    let last = calendar.soonest().first();
    let horizon = last.map_or(Time::ZERO, |key| key.at());
    for _ in 0..DEEP {
        read ^= next_on_wires(network, &mut wires, horizon);
    }
    for (role, packet) in received.all() {
        read ^= end(network, ends, *role, *packet);
    }
    for (role, _) in received.all() {
        read ^= answer(network, ends, *role);
    }
    for (role, _) in received.all() {
        read ^= segments(ends, *role);
    }
    read
}

/// The switch, where it keeps accounts.
#[inline]
fn accounts(network: &Network, port: &Port) -> u64 {
    match port.is(Traits::ACCOUNTED) {
        true => u64::from(network.nodes[port.node].alarms),
        false => 0,
    }
}

/// Goes on to the next packets of all queues.
#[inline]
fn next_in_queues(network: &Network, queues: &mut Lists) {
    let count = std::mem::take(&mut queues.count);
    for i in 0..count {
        let next = network.packets[queues.at[i]].next;
        queues.push(next, !next.is_none());
    }
}

/// Goes on to the packets that arrive next over each wire, up to the horizon, and the ports that they go to.
#[inline]
fn next_on_wires(network: &Network, wires: &mut Lists, horizon: Time) -> u64 {
    let mut read = 0;
    let count = std::mem::take(&mut wires.count);
    for i in 0..count {
        let next = network.packets[wires.at[i]].next;
        if next.is_none() {
            continue;
        }
        let packet = &network.packets[next];
        if packet.at <= horizon && !packet.ingress.is_open() {
            read ^= network.ports[packet.ingress].prefetch();
            wires.push(next, true);
        }
    }
    read
}

/// Where a frame that arrives goes.
#[inline]
fn end_of_wire(network: &Network, packet: PacketId, received: &mut Received) -> u64 {
    let Packet { flow, ingress, .. } = network.packets[packet];
    if !ingress.is_open() {
        let port = &network.ports[ingress];
        port.prefetch() ^ accounts(network, port)
    } else if !flow.is_none() && ingress.is_none() {
        let Flow { stats, role, .. } = &network.flows[flow];
        received.push((*role, packet), *role != Role::None);
        stats.prefetch()
    } else {
        0
    }
}

/// The end of a connection that receives the packet.
#[inline]
fn end(network: &Network, ends: &Ends, role: Role, packet: PacketId) -> u64 {
    let end = match role {
        Role::None => 0,
        Role::Data(id) => ends.connections[id].prefetch_receiver(),
        Role::Acks(id) => ends.connections[id].prefetch_sender(),
    };
    end ^ network.headers.prefetch(packet)
}

/// The answer that it sends.
#[inline]
fn answer(network: &Network, ends: &Ends, role: Role) -> u64 {
    let (end, answers) = match role {
        Role::None => return 0,
        Role::Data(id) => (0, ends.connections[id].acks),
        Role::Acks(id) => {
            let c = &ends.connections[id];
            (c.sender.prefetch(), c.data)
        }
    };
    let flow = &network.flows[answers];
    // A station has none.
    let port = match flow.port.is_none() {
        true => 0,
        false => network.ports[flow.port].prefetch(),
    };
    end ^ flow.prefetch() ^ port
}

/// The segments that an acknowledgement is about.
#[inline]
fn segments(ends: &Ends, role: Role) -> u64 {
    match role {
        Role::Acks(id) => ends.connections[id].sender.prefetch_segments(),
        Role::None | Role::Data(_) => 0,
    }
}
