//! Room in the buffer of a station, and who is told of what waits there.

use backwater_transport::units::Time;

use crate::cause::Cause;
use crate::ids::{PacketId, PortId};
use crate::medium::wifi::air::Air;
use crate::medium::wifi::mac::window::First;
use crate::medium::wifi::radio::{Edcaf, Freed, Radio};
use crate::network::Network;
use crate::shared::Shared;
use crate::stamp::Backlog;

impl Air {
    /// The same, but a source that always has something to send waits for its turn.
    pub(crate) fn release_room(&mut self, network: &mut Network, at: Edcaf, freed: Freed) {
        let radio = &mut self.radios[at.station as usize];
        radio.categories[at.number].release(freed.own, freed.size);
        let flow = &network.flows[freed.flow];
        let again = flow.from == radio.node && flow.fill().is_some();
        if again {
            radio.owed.push_back(freed.flow);
        }
        if flow.from == radio.node {
            network.note_left(freed.flow, freed.size);
        }
    }

    /// A station's queue does not take a packet, or loses it. A source that always has something to send tries again when
    /// there is room.
    pub(crate) fn lose_at_station(
        &mut self,
        cx: &mut Shared,
        packet_id: PacketId,
        cause: Cause,
        port: PortId,
        now: Time,
    ) {
        let (flow, own) = {
            let packet = &cx.network.packets[packet_id];
            (packet.flow, packet.ingress.is_none())
        };
        if own {
            let bytes = cx.network.packets[packet_id].frame();
            cx.network.note_left(flow, bytes);
        }
        cx.network
            .lose(&mut cx.run.books, packet_id, cause, port, now);
        let station = self.hop(port).expect("a radio hop").from;
        if own && cx.network.flows[flow].fill().is_some() {
            self.radios[station as usize].owed.push_back(flow);
        }
    }

    /// The packets that wait at a station have changed.
    #[inline(always)]
    pub(crate) fn tell_backlog(&self, network: &mut Network, station: u32, now: Time) {
        let radio = &self.radios[station as usize];
        if !radio.laws.is_empty() {
            self.tell_laws(network, radio, now);
        }
    }

    #[inline(never)]
    pub(crate) fn tell_laws(&self, network: &mut Network, radio: &Radio, now: Time) {
        for shown in radio.laws.iter().filter(|s| s.own) {
            let mut backlog = Backlog::default();
            for c in &radio.categories {
                backlog.bytes += c.bytes - c.passed.bytes;
                backlog.packets += u64::from(c.frames) - c.passed.packets;
            }
            network.set_backlog(shown.law, backlog, now);
        }
    }

    /// A frame whose packet had departed is done with.
    pub(crate) fn end_passed_frame(&mut self, Edcaf { station, number }: Edcaf, bytes: u64) {
        let passed = &mut self.radios[station as usize].categories[number].passed;
        passed.packets -= 1;
        passed.bytes -= bytes;
    }

    /// A packet has come to a station's queue, or is lost: the laws that watch the queue see it.
    #[inline]
    pub(crate) fn stamp_station_arrival(
        &self,
        network: &mut Network,
        station: u32,
        packet_id: PacketId,
        lost: bool,
        now: Time,
    ) {
        let laws = &self.radios[station as usize].laws;
        for shown in laws.iter().filter(|s| s.own && s.observes) {
            network.show_arrival(shown.law, packet_id, lost, now);
        }
    }

    /// Bytes on the air of the first data frame of a hop.
    pub(crate) fn first_frame(&self, network: &Network, hop: u32, number: usize) -> u64 {
        let hop = &self.hops[hop as usize];
        let len = match hop.first(network, number) {
            First::Ghost(ghost) => ghost.len,
            First::Waits(id) => network.packets[id].len,
            First::None => unreachable!("a hop without a frame"),
        };
        u64::from(len) + self.header_bytes(hop.from)
    }

    /// Whether a packet has come later than its flow's budget.
    pub(crate) fn is_late(&self, network: &Network, packet_id: PacketId, now: Time) -> bool {
        let packet = &network.packets[packet_id];
        let budget = self.budgets.get(packet.flow.index()).copied().flatten();
        budget.is_some_and(|budget| now.0 - packet.born.0 > budget.0)
    }
}
