//! What gates of a station let go, and the port by which a packet leaves it.

use backwater_transport::units::Time;

use crate::ids::{PacketId, PortId};
use crate::mechanism::Mechanisms;
use crate::medium::wifi::air::Air;
use crate::network::Network;
use crate::packet::Packet;
use crate::table::Id;

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

    /// Where gates hold back destinations, brings the first packet of a hop that may go to its head, unless the present head
    /// has been tried.
    pub(crate) fn bring_forward(
        &mut self,
        network: &mut Network,
        station: u32,
        number: usize,
        hop: u32,
        now: Time,
    ) {
        let radio = &self.radios[station as usize];
        let served = &self.hops[hop as usize];
        if served.windows[number].first().has_begun()
            || !radio.gates.as_ref().is_some_and(|gates| gates.selective())
        {
            return;
        }
        let may_go = |p: &Packet| self.gate_opens(station, number, hop, Some(p.to), now) <= now;
        move_to_head(network, served.port, number, may_go);
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
        (open && move_to_head(network, port, number, |p| p.to == to)).then_some(hop)
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

/// Brings the oldest packet of a class that fits to the head of its queue; whether there is one.
fn move_to_head(
    network: &mut Network,
    port: PortId,
    number: usize,
    fits: impl Fn(&Packet) -> bool,
) -> bool {
    let (mut before, mut at) = (
        PacketId::NONE,
        network.ports[port].queue(number).list.head(),
    );
    while !at.is_none() && !fits(&network.packets[at]) {
        (before, at) = (at, network.packets[at].next);
    }
    if !at.is_none() && !before.is_none() {
        let list = &mut network.ports[port].queue_mut(number).list;
        let packet_id = network.packets.take_after(list, before);
        network.packets.insert_after(list, Id::NONE, packet_id);
    }
    !at.is_none()
}
