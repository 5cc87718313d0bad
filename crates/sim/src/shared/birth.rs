//! Packets come into being and set off.

use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use super::{Onward, Shared};
use crate::cause::Cause;
use crate::ids::{FlowId, NodeId, PacketId};
use crate::network::Flow;
use crate::packet::{Packet, Traffic};
use crate::table::Id;

impl Shared {
    /// Makes a packet of a flow.
    #[inline(always)]
    pub(crate) fn create(
        &mut self,
        id: FlowId,
        len: u16,
        seq: u32,
        ecn: Ecn,
        now: Time,
    ) -> PacketId {
        let flow = &mut self.network.flows[id];
        let to = flow.to.draw(&mut flow.compass);
        flow.entered.add(u64::from(len));
        let packet = Packet {
            next: Id::NONE,
            flow: id,
            to,
            len,
            traffic: Traffic::new(flow.class, ecn),
            seq,
            ingress: Id::NONE,
            entry: 0,
            born: now,
            at: now,
            serial: 0,
            waited: 0,
            gated: 0,
        };
        let packet_id = self.network.packets.create(packet);
        self.network.labels.clear(packet_id);
        self.network.spent.begin(packet_id);
        packet_id
    }

    /// A new packet of a flow enters the first queue on its route.
    #[inline(always)]
    pub(crate) fn set_off(&mut self, id: FlowId, packet_id: PacketId, now: Time) -> Onward {
        let Flow { port, from, .. } = self.network.flows[id];
        let port = match port.is_none() {
            false => port,
            true => {
                let to = self.network.packets[packet_id].to;
                self.network
                    .plan
                    .forwarding
                    .egress(self.network.nodes[from].row, id, to)
            }
        };
        self.enqueue(port, packet_id, now)
    }

    /// A new packet of a flow enters the queue of a node on the way, in which it came into being.
    pub(crate) fn set_off_from(&mut self, node: NodeId, packet_id: PacketId, now: Time) -> Onward {
        let Packet { flow, to, .. } = self.network.packets[packet_id];
        let row = self.network.nodes[node].row;
        let mut egress = self.network.plan.forwarding.egress(row, flow, to);
        if egress.is_none() {
            // Wires have gone down since the way back was looked at.
            let over = self.network.nodes[node].ports[0];
            let books = &mut self.run.books;
            self.network
                .lose(books, packet_id, Cause::LinkDown, over, now);
            return Onward::Done;
        }
        if egress.is_open() {
            egress = self.choose_way(egress, now);
        }
        self.enqueue(egress, packet_id, now)
    }

    /// A packet comes into being at its host.
    #[inline(always)]
    pub(crate) fn originate(&mut self, id: FlowId, len: u16, seq: u32, now: Time) -> Onward {
        let packet_id = self.create(id, len, seq, self.network.flows[id].ecn, now);
        self.set_off(id, packet_id, now)
    }

    /// A source that always has something to send puts a packet in the place of the one that left.
    pub(crate) fn refill(&mut self, id: FlowId, now: Time) -> Onward {
        let flow = &mut self.network.flows[id];
        let Some(len) = flow.fill() else {
            return Onward::Done;
        };
        if now >= flow.stop {
            return Onward::Done;
        }
        let seq = flow.seq;
        flow.seq = seq.wrapping_add(1);
        self.originate(id, len as u16, seq, now)
    }
}
