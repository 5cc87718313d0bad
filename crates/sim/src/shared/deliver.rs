//! Packets at the end of their way: whose they were, and how long they took.

use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use super::Shared;
use crate::books::{Exit, Fate};
use crate::ids::{PacketId, PortId};
use crate::network::Role;
use crate::record::What;
use crate::record::fingerprint::Mark;

impl Shared {
    /// A packet is at its host. Says of which connection it is; the caller has the header received before another packet is
    /// made.
    #[inline(always)]
    pub(crate) fn deliver(&mut self, id: PortId, packet_id: PacketId, now: Time) -> (Role, Ecn) {
        let packet = &self.network.packets[packet_id];
        let (flow_id, seq) = (packet.flow, packet.seq);
        let flow = &mut self.network.flows[flow_id];
        let delay = flow.stats.deliver(packet, now);
        if let Some(spent) = self.network.spent.get(packet_id) {
            let grouped = self.network.spent.grouped(packet_id);
            let met = [
                spent.contention,
                spent.retries,
                grouped.aggregate,
                grouped.reorder,
            ];
            flow.stats.met_on_air(met);
        }
        self.run
            .books
            .add_packet_mark(Mark::Deliver, now, (flow_id, seq), delay);
        if flow.outside {
            self.run.books.exits.push(Exit {
                at: now,
                node: self.network.hosts[packet.to as usize],
                flow: flow_id,
                tag: self.network.labels.tag(packet_id),
                ecn: packet.traffic.ecn(),
                fate: Fate::Delivered,
            });
        }
        let (role, ecn) = (flow.role, packet.traffic.ecn());
        if self.run.books.record.is_some() {
            self.network.note(
                &mut self.run.books,
                packet_id,
                What::Deliver.noted(now, id, delay),
            );
        }
        self.network.packets.free(packet_id);
        (role, ecn)
    }
}
