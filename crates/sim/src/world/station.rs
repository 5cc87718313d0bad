//! A station's queues: how packets come in and leave, and what a station counts.

use backwater_transport::units::Time;

use super::World;
use crate::cause::Cause;
use crate::ids::{FlowId, PacketId, PortId};
use crate::medium::wifi::air::Spent;
use crate::medium::wifi::mac::Room;
use crate::medium::wifi::radio::{Ghost, StationCount};
use crate::packet::Packet;
use crate::record::What;
use crate::source::AnySource;

impl World {
    /// A packet comes to a station from one of its own flows: into its queue, or first in line behind
    /// others of a flow that the station holds back.
    pub(super) fn hand_over(&mut self, station: u32, packet_id: PacketId, now: Time) {
        let spent = &mut self.air.spent;
        if spent.len() <= packet_id.index() {
            spent.resize(packet_id.index() + 1, Spent::default());
        }
        spent[packet_id.index()] = Spent::default();
        self.packets[packet_id].at = now;
        self.came_to_station(station, None, packet_id);
        let flow = self.packets[packet_id].flow;
        let radio = &self.air.radios[station as usize];
        if radio.holds.iter().any(|h| h.flow == flow) {
            self.hold(station, packet_id, now);
        } else {
            self.queue_up(station, packet_id, now);
        }
    }

    /// A packet comes into a station's queue, or is lost.
    pub(super) fn queue_up(&mut self, station: u32, packet_id: PacketId, now: Time) {
        let Packet {
            flow,
            to,
            len,
            ingress,
            traffic,
            ..
        } = self.packets[packet_id];
        let hop = self.way(station, flow, to);
        let radio = &mut self.air.radios[station as usize];
        let number = radio.category(traffic.class());
        let (own, size) = (ingress.is_none(), u64::from(len));
        let fits = match radio.categories[number].room(own, size, radio.own_share) {
            Room::Free => true,
            Room::ShareFull => false,
            Room::Full => self.make_room(station, number, packet_id, now),
        };
        if !fits {
            self.look_at_station_arrival(station, hop, number, packet_id, false, now);
            let port = self.air.hops[hop as usize].port;
            return self.crowd_out(station, packet_id, port, now);
        }
        let c = &mut self.air.radios[station as usize].categories[number];
        c.book(own, size);
        let held = c.bytes;
        self.line_up(station, number, hop, packet_id);
        let backlog = &mut self.air.hops[hop as usize].backlog;
        backlog.grow(self.packets[packet_id].frame(), now);
        if self.record.is_some() {
            let port = self.air.hops[hop as usize].port;
            self.note(What::Enqueue, now, port, packet_id, held);
        }
        self.one_more(station, number, now);
        self.look_at_station_arrival(station, hop, number, packet_id, true, now);
    }

    /// The hop by which a station's packets go to a host. Stations have one way only, and most packets go where the
    /// one before went.
    fn way(&mut self, station: u32, flow: FlowId, to: u32) -> u32 {
        let radio = &self.air.radios[station as usize];
        if radio.way.0 == to {
            return radio.way.1;
        }
        let port = self.forwarding.egress(radio.row, flow, to);
        let hop = self.air.hop_number(port);
        self.air.radios[station as usize].way = (to, hop);
        hop
    }

    /// A category has one more frame to send.
    pub(super) fn one_more(&mut self, station: u32, number: usize, now: Time) {
        let ear = &mut self.air.ears[station as usize];
        let radio = &mut self.air.radios[station as usize];
        let medium = &self.air.media[radio.medium as usize];
        let c = &mut radio.categories[number];
        c.frames += 1;
        if c.frames > 1 {
            return;
        }
        let ready = if ear.busy {
            c.slots > 0
        } else {
            c.admit(ear.base(), now, medium.slot, medium.mac.countdown)
        };
        if !ready {
            c.draw(&mut radio.random);
        }
        let attended = (!ear.busy).then_some(ear.cover);
        self.air.count_down(station, number);
        if let Some(group) = attended {
            let at = self.air.expiry(station);
            self.attend(group, at);
        }
    }

    /// The hop and the bytes on the air of the data frame that a category sends next.
    pub(super) fn first_frame(&mut self, station: u32, number: usize) -> (u32, u64) {
        let hop = self.head(station, number);
        let air = &self.air;
        let queue = &air.hops[hop as usize].queues[number];
        let len = match queue.tried.ghost {
            Some(ghost) => ghost.len,
            None => self.packets[queue.list.head()].len,
        };
        (hop, u64::from(len) + air.medium(station).overhead)
    }

    /// A frame has left a station's queue for good.
    pub(super) fn departed(
        &mut self,
        station: u32,
        number: usize,
        ghost: Ghost,
        now: Time,
        until: Time,
    ) {
        let c = &mut self.air.radios[station as usize].categories[number];
        c.release(ghost.own, u64::from(ghost.len));
        c.since = until;
        c.current = None;
        if let Some(turns) = &mut self.air.radios[station as usize].turns {
            turns[number].leave(ghost.flow);
        }
        let again = ghost.own && matches!(self.flows[ghost.flow].source, AnySource::Saturated(_));
        let radio = &mut self.air.radios[station as usize];
        if again {
            radio.owed.push_back(ghost.flow);
        }
        // There is room for one packet now: that of the flow that has waited longest.
        let (c, flows) = (&radio.categories[number], &self.flows);
        let fits = |id: &FlowId| {
            let AnySource::Saturated(source) = &flows[*id].source else {
                return false;
            };
            let size = source.packet().0.min(flows[*id].packet);
            let mine = radio.category(flows[*id].class) == number;
            mine && matches!(c.room(true, size, radio.own_share), Room::Free)
        };
        if let Some(place) = radio.owed.iter().position(fits) {
            let flow = radio.owed.remove(place).expect("found above");
            self.refill(flow, now);
        }
    }

    /// A station's buffer is full. A source that always has something to send tries again when there is room.
    pub(super) fn crowd_out(&mut self, station: u32, packet_id: PacketId, port: PortId, now: Time) {
        let (flow, own) = {
            let packet = &self.packets[packet_id];
            (packet.flow, packet.ingress.is_none())
        };
        self.lose(packet_id, Cause::BufferFull, port, now);
        if own && matches!(self.flows[flow].source, AnySource::Saturated(_)) {
            self.air.radios[station as usize].owed.push_back(flow);
        }
    }

    /// A source that always has something to send puts a packet in the place of the one that left.
    fn refill(&mut self, id: FlowId, now: Time) {
        let flow = &mut self.flows[id];
        let AnySource::Saturated(source) = &flow.source else {
            return;
        };
        if now >= flow.stop {
            return;
        }
        let len = source.packet().0.min(flow.packet);
        let seq = flow.seq;
        flow.seq = seq.wrapping_add(1);
        self.originate(id, len as u16, seq, now);
    }

    /// A packet has reached its host over the air: what it met there is part of the flow's delays.
    pub(super) fn deliver_from_air(&mut self, port: PortId, packet_id: PacketId, now: Time) {
        let flow = self.packets[packet_id].flow;
        let spent = self.air.spent[packet_id.index()];
        self.deliver(port, packet_id, now);
        let stats = &mut self.flows[flow].stats;
        stats.met_on_air(spent.contention, spent.retries);
    }

    /// What a station has counted up to `now`.
    pub(super) fn station_count(&self, station: u32, now: Time) -> StationCount {
        let (radio, ear) = (
            &self.air.radios[station as usize],
            &self.air.ears[station as usize],
        );
        let mut count = radio.count.clone();
        count.busy = ear.busy_ticks + if ear.busy { now.0 - ear.since.0 } else { 0 };
        let span = now.0 - count.moved.0;
        for (sum, c) in count.aifsn.iter_mut().zip(&radio.categories) {
            *sum += span * u64::from(c.set.aifsn);
        }
        count.moved = now;
        count
    }

    /// The warm-up is over: what stations report begins here.
    pub(super) fn warm_air(&mut self, now: Time) {
        for station in 0..self.air.radios.len() {
            let count = self.station_count(station as u32, now);
            *self.air.radios[station].base = count;
        }
        for hop in &mut self.air.hops {
            hop.airtime_base = hop.airtime;
            hop.backlog.restart();
        }
        for member in self.air.members.values_mut().flatten() {
            member.base = member.received;
        }
    }
}
