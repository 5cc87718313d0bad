//! A station's queues: how packets come in and leave, and what a station counts.

use backwater_transport::units::Time;

use crate::cause::Cause;
use crate::ids::{FlowId, PacketId, PortId};
use crate::medium::ethernet;
use crate::medium::wifi::air::Air;
use crate::medium::wifi::mac::category::Room;
use crate::medium::wifi::mac::window::Ghost;
use crate::medium::wifi::radio::{Edcaf, Freed, Hop, LastRoute, Line};
use crate::network::Network;
use crate::packet::Packet;
use crate::record::What;
use crate::shared::{Handover, Onward, Shared};

impl Air {
    /// The port by which a station's node sends a packet on; none where the node is its destination. Most packets go where
    /// the one before went.
    pub(crate) fn route_on(
        &mut self,
        network: &Network,
        station: u32,
        packet_id: PacketId,
    ) -> PortId {
        let Packet { flow, to, .. } = network.packets[packet_id];
        let radio = &mut self.radios[station as usize];
        if to == radio.host {
            return PortId::NONE;
        }
        if (radio.route.flow, radio.route.to) != (flow, to) {
            let row = network.nodes[radio.node].row;
            let port = network.plan.forwarding.egress(row, flow, to);
            radio.route = LastRoute { flow, to, port };
        }
        radio.route.port
    }
}

impl Air {
    /// A packet moves on that has come over this port, or was born at a station: it stays on the air, or its host has it.
    pub(crate) fn move_on(&mut self, cx: &mut Shared, onward: Onward, over: PortId, now: Time) {
        match onward {
            Onward::Done => {}
            Onward::Accept(port, packet) => self.enqueue_at_station(cx, port, packet, now),
            Onward::Host(packet) => cx.handovers.push(Handover { packet, over }),
        }
    }

    /// A packet comes to a port whose frames wait at a station: it joins the queue, or waits behind others of a flow that
    /// the station holds back.
    pub(crate) fn enqueue_at_station(
        &mut self,
        cx: &mut Shared,
        port: PortId,
        packet_id: PacketId,
        now: Time,
    ) {
        let hop = self.hop_number(port);
        let station = self.hops[hop as usize].from;
        self.came_to_station(&cx.network, &mut cx.mechanisms, station, packet_id, now);
        let packet = &cx.network.packets[packet_id];
        let born_here = packet.ingress.is_none();
        let radio = &self.radios[station as usize];
        if born_here && radio.holds.iter().any(|h| h.flow == packet.flow) {
            self.hold(cx, station, packet_id, now);
        } else {
            self.enqueue_at_hop(cx, hop, packet_id, now);
        }
    }

    /// A packet comes into the queue of a hop, or is lost.
    pub(crate) fn enqueue_at_hop(
        &mut self,
        cx: &mut Shared,
        hop: u32,
        packet_id: PacketId,
        now: Time,
    ) {
        let Hop {
            from: station,
            port,
            ..
        } = self.hops[hop as usize];
        let packet = &cx.network.packets[packet_id];
        let (own, size) = (self.enters_with(packet), packet.frame());
        let radio = &mut self.radios[station as usize];
        let number = radio.category(packet.class());
        let line = Line { hop, number };
        let fits = match radio.categories[number].room(own, size, radio.own_share) {
            Room::Free => !self.blocked_share_is_full(&cx.network, line, packet_id, now),
            Room::ShareFull => false,
            Room::Full if radio.categories[number].manages() => {
                if self.displace(cx, (station, number, hop), packet_id, now) {
                    return self.enqueue_at_hop(cx, hop, packet_id, now);
                }
                false
            }
            Room::Full => self.make_room(cx, station, number, packet_id, now),
        };
        if !fits {
            self.tell_overflow(&cx.network, (station, number, hop), packet_id, now);
            return self.refuse_at_station(cx, line, packet_id, Cause::BufferFull, now);
        }
        let c = &mut self.radios[station as usize].categories[number];
        match c.manages() {
            false => self.line_up(&mut cx.network, station, number, hop, packet_id),
            true if self.admit_at_station(cx, (station, number, hop), packet_id, now) => {}
            true => return self.refuse_at_station(cx, line, packet_id, Cause::Aqm, now),
        }
        self.stamp_station_arrival(&mut cx.network, station, packet_id, false, now);
        let c = &mut self.radios[station as usize].categories[number];
        c.book(own, size);
        cx.network.spent[packet_id].stall_clock = c.stall_clock(now);
        // Frames of a flow that was held to a rate join later than they came.
        let late = now.0 - cx.network.packets[packet_id].at.0;
        cx.network.ports[port].hold_late(number, size, late);
        if cx.run.books.record.is_some() {
            let held = cx.network.ports[port].queue(number).bytes;
            cx.network.note(
                &mut cx.run.books,
                packet_id,
                What::Enqueue.noted(now, port, held),
            );
        }
        if let Some(arranged) = &mut c.arranged
            && (arranged.for_single_hops() || !arranged.manages())
        {
            arranged.join_turns(hop);
        }
        self.one_more(&mut cx.run.calendar, station, number, now);
        self.tell_backlog(&mut cx.network, station, now);
        self.observe_station_arrival(cx, line, packet_id, true, now);
        self.fill_driver(cx, station, number, now);
    }

    /// A packet that comes to a hop's queue is lost.
    fn refuse_at_station(
        &mut self,
        cx: &mut Shared,
        line: Line,
        packet_id: PacketId,
        cause: Cause,
        now: Time,
    ) {
        let Hop { from, port, .. } = self.hops[line.hop as usize];
        self.stamp_station_arrival(&mut cx.network, from, packet_id, true, now);
        self.observe_station_arrival(cx, line, packet_id, false, now);
        self.lose_at_station(cx, packet_id, cause, port, now);
    }

    /// A frame has left a station's queue for good.
    pub(crate) fn departed(
        &mut self,
        cx: &mut Shared,
        at: Edcaf,
        ghost: Ghost,
        now: Time,
        until: Time,
    ) {
        let Edcaf { station, number } = at;
        let radio = &mut self.radios[station as usize];
        let c = &mut radio.categories[number];
        c.since = until;
        c.stalled_at_since = c.stall_clock(now);
        c.current = None;
        if let Some(rounds) = &mut radio.rounds {
            rounds[number].leave(ghost.flow);
        }
        let freed = Freed {
            own: ghost.own,
            size: ethernet::frame(u64::from(ghost.len)),
            flow: ghost.flow,
        };
        self.make_free(cx, at, freed, now);
        self.fill_driver(cx, station, number, now);
    }

    /// Frames of a category have departed, those of a burst together: they have overtaken those that were tried and stay.
    #[inline]
    pub(crate) fn overtake(&mut self, Edcaf { station, number }: Edcaf) {
        let radio = &self.radios[station as usize];
        if radio.gates.is_some() || self.medium(station).aggregates() {
            for hop in &radio.categories[number].hops {
                self.hops[*hop as usize].windows[number].overtake();
            }
        }
    }

    /// A frame no longer takes room in a station's buffer; a source that always has something to send puts another in its
    /// place.
    pub(crate) fn make_free(&mut self, cx: &mut Shared, at: Edcaf, freed: Freed, now: Time) {
        self.release_room(&mut cx.network, at, freed);
        self.tell_backlog(&mut cx.network, at.station, now);
        self.refill_owed(cx, at.station, at.number, now);
    }

    /// There is room for one packet: that of the flow that has waited longest.
    #[inline(always)]
    pub(crate) fn refill_owed(&mut self, cx: &mut Shared, station: u32, number: usize, now: Time) {
        if !self.radios[station as usize].owed.is_empty() {
            self.refill_first_owed(cx, station, number, now);
        }
    }

    #[inline(never)]
    fn refill_first_owed(&mut self, cx: &mut Shared, station: u32, number: usize, now: Time) {
        let radio = &mut self.radios[station as usize];
        let (c, flows) = (&radio.categories[number], &cx.network.flows);
        let fits = |id: &FlowId| {
            let Some(bytes) = flows[*id].fill() else {
                return false;
            };
            let size = ethernet::frame(bytes);
            let mine = radio.category(flows[*id].class) == number;
            mine && matches!(c.room(true, size, radio.own_share), Room::Free)
        };
        if let Some(place) = radio.owed.iter().position(fits) {
            let flow = radio.owed.remove(place).expect("found above");
            let onward = cx.refill(flow, now);
            self.move_on(cx, onward, PortId::NONE, now);
        }
    }
}
