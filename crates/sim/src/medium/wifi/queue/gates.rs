//! The frames that gates of a station let go, and the port by which a packet leaves it.

use backwater_transport::units::Time;

use crate::ids::{PacketId, PortId};
use crate::mechanism::Mechanisms;
use crate::medium::wifi::air::Air;
use crate::network::Network;
use crate::packet::Packet;

impl Air {
    /// When gates let the first frame of a hop go.
    pub(crate) fn hop_opens(
        &self,
        network: &Network,
        station: u32,
        number: usize,
        hop: u32,
        now: Time,
    ) -> Time {
        let served = &self.hops[hop as usize];
        let first = served.first(network, number).waits();
        let host = first.map(|id| network.packets[id].to);
        self.gate_opens(station, number, hop, host, now)
    }

    /// When gates let a frame of a category go to a hop and on to a host.
    pub(crate) fn gate_opens(
        &self,
        station: u32,
        number: usize,
        hop: u32,
        host: Option<u32>,
        now: Time,
    ) -> Time {
        match &self.radios[station as usize].gates {
            None => now,
            Some(gates) => {
                let next = Some(self.hops[hop as usize].to);
                gates.opens_toward(number as u8, next, host, now)
            }
        }
    }

    /// Where gates hold back destinations, brings the packets of a hop that may go to its head, behind those that were tried: one, or as
    /// many as a burst may have.
    pub(crate) fn bring_forward(
        &mut self,
        network: &mut Network,
        station: u32,
        number: usize,
        hop: u32,
        now: Time,
    ) {
        let radio = &self.radios[station as usize];
        if !radio.gates.as_ref().is_some_and(|gates| gates.selective()) {
            return;
        }
        let served = &self.hops[hop as usize];
        let window = &served.windows[number];
        let (tried, most) = match (window.session(), self.aggregation(hop, number)) {
            (Some(session), Some(limits)) => {
                let tried = session.frames.iter().filter(|tried| tried.waits());
                (tried.count(), usize::from(limits.window))
            }
            _ if window.first().has_begun() => return,
            _ => (0, 1),
        };
        let mut behind = PacketId::NONE;
        for _ in 0..tried {
            behind = served.behind(network, number, behind);
        }
        let may_go = |p: &Packet| self.gate_opens(station, number, hop, Some(p.to), now) <= now;
        for _ in tried..most {
            match move_behind(network, (served.port, number), behind, may_go) {
                Some(moved) => behind = moved,
                None => return,
            }
        }
    }

    /// The hop of the packets that a detector wants to be sent first, the oldest of them at its head. None where there is no such
    /// detector, where a gate holds them back, or where a frame has been tried already.
    pub(crate) fn hop_served_first(
        &self,
        network: &mut Network,
        mechanisms: &Mechanisms,
        station: u32,
        number: usize,
        now: Time,
    ) -> Option<u32> {
        let radio = &self.radios[station as usize];
        let (control, place) = radio.watch?;
        let (next, to) = mechanisms.controls[control].serves_first(place, number as u8)?;
        let category = &radio.categories[number];
        let begun = |hop: &u32| self.hops[*hop as usize].windows[number].first().has_begun();
        if category.current.is_some() || category.hops.iter().any(begun) {
            return None;
        }
        let toward = |hop: &&u32| self.hops[**hop as usize].to == next;
        let hop = *category.hops.iter().find(toward)?;
        let open = self.gate_opens(station, number, hop, Some(to), now) <= now;
        let port = self.hops[hop as usize].port;
        let moved =
            |n: &mut Network| move_behind(n, (port, number), PacketId::NONE, |p| p.to == to);
        (open && moved(network).is_some()).then_some(hop)
    }

    /// The port of the hop by which a packet leaves a station.
    pub(crate) fn port_of(&self, network: &Network, station: u32, packet: &Packet) -> PortId {
        let flow = &network.flows[packet.flow];
        match packet.ingress.is_none() && !flow.port.is_none() {
            true => flow.port,
            false => {
                let row = network.nodes[self.radios[station as usize].node].row;
                network.plan.forwarding.egress(row, packet.flow, packet.to)
            }
        }
    }

    /// The packets that queue management judges before they are bound to a hop, each with the port that counts it.
    pub(crate) fn judged_packets<'a>(
        &'a self,
        network: &'a Network,
    ) -> impl Iterator<Item = (PortId, &'a Packet)> {
        let radios = (0..self.radios.len() as u32).flat_map(|station| {
            let categories = &self.radios[station as usize].categories;
            let arranged = categories.iter().filter_map(|c| c.arranged.as_ref());
            let judged = arranged.flat_map(|a| &a.judged);
            judged.flat_map(move |judged| judged.queues().iter().map(move |q| (station, q)))
        });
        radios.flat_map(move |(station, queue)| {
            let packets = network.packets.walk(&queue.list);
            packets.map(move |p| (self.port_of(network, station, p), p))
        })
    }
}

/// Brings the oldest packet of a class behind `behind` that fits to the place behind it, at the head of the queue where that is none.
fn move_behind(
    network: &mut Network,
    (port, number): (PortId, usize),
    behind: PacketId,
    fits: impl Fn(&Packet) -> bool,
) -> Option<PacketId> {
    let next = |network: &Network, id: PacketId| match id.is_none() {
        true => network.ports[port].queue(number).list.head(),
        false => network.packets[id].next,
    };
    let (mut before, mut at) = (behind, next(network, behind));
    while !at.is_none() && !fits(&network.packets[at]) {
        (before, at) = (at, network.packets[at].next);
    }
    if !at.is_none() && before != behind {
        let list = &mut network.ports[port].queue_mut(number).list;
        let packet_id = network.packets.take_after(list, before);
        network.packets.insert_after(list, behind, packet_id);
    }
    (!at.is_none()).then_some(at)
}
