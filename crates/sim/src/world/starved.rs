//! Flows of which nothing arrives any more although they have packets.

use backwater_transport::units::Time;

use super::World;
use crate::network::{Flow, Role};
use crate::packet::Packet;

impl World {
    /// For each flow whether it had packets in the last third of the time so far, and none was delivered then: some
    /// waited all that time, or were lost. A flow of acknowledgements is never one.
    pub(super) fn starved(&self) -> Vec<bool> {
        let flows = &self.shared.network.flows;
        let from = Time(self.clock.now.0 - self.clock.now.0 / 3);
        let mut waits = vec![false; flows.ids().count()];
        for packet in self.data_packets().filter(|p| p.born < from) {
            waits[packet.flow.index()] = true;
        }
        let starves = |(flow, waits): (&Flow, bool)| {
            let stats = &flow.stats;
            let lost = stats.dropped.packets > 0 && stats.last_lost >= from;
            let came = stats.delivered.packets > 0 && stats.last >= from;
            !came && (waits || lost) && !matches!(flow.role, Role::Acks(_))
        };
        flows.iter().zip(waits).map(starves).collect()
    }

    /// Every data packet in the network.
    fn data_packets(&self) -> impl Iterator<Item = &Packet> {
        let packets = &self.shared.network.packets;
        let ports = self.shared.network.ports.iter();
        let lists = ports.flat_map(|port| port.lists().chain([&port.wire]));
        let judged = self.media.judged_packets(&self.shared.network);
        let judged = judged.map(|(_, p)| p);
        let reordered = self.media.reordered(&self.shared.network);
        let held = self.media.held(packets).chain(reordered).map(|(_, p)| p);
        let on_ports = lists.flat_map(|list| packets.walk(list));
        on_ports
            .filter(|p| !p.flow.is_none())
            .chain(judged)
            .chain(held)
    }
}
