//! Frames that cross the fabric of an input-queued switch.

use backwater_transport::units::Time;

use super::{Onward, Shared};
use crate::cause::Cause;
use crate::event::Event;
use crate::ids::{NodeId, PacketId, PortId};
use crate::network::Fabric;
use crate::table::Id;

impl Shared {
    /// A frame for an output of an input-queued switch waits at its input.
    pub(super) fn wait_to_cross(&mut self, id: PortId, packet_id: PacketId, now: Time) {
        let network = &mut self.network;
        let packet = &network.packets[packet_id];
        let (input, size) = (usize::from(packet.entry), packet.frame());
        let port = &mut network.ports[id];
        let (node, output) = (port.node, port.local as usize);
        let fabric = network.nodes[node].fabric.as_mut().expect("a fabric");
        if !fabric.admit(input, output, size) {
            return network.lose(&mut self.run.books, packet_id, Cause::BufferFull, id, now);
        }
        port.hold(0, size);
        let crossing = port.more.service.crossing_mut().expect("a crossing");
        network
            .packets
            .append(&mut crossing.inputs[input], packet_id);
        if let Some(slot) = fabric.next_slot_for_arrival(now) {
            self.run.calendar.push(slot, Event::Cross(node));
        }
    }

    /// A slot of a fabric begins: frames whose last cell has crossed go on, and the next cells cross.
    pub(crate) fn cross(&mut self, node: NodeId, now: Time) {
        let mut fabric = self.network.nodes[node].fabric.take().expect("a fabric");
        for (output, input) in fabric.end_slot() {
            self.finish_crossing(&mut fabric, output, input, now);
        }
        let mut open = 0;
        for output in fabric.wanted() {
            let main = self.network.plan.boxes[&fabric.stage(output)];
            self.catch_up(main, now);
            // A frame that waits at the output would only grow a queue there.
            if self.network.ports[main].waiting == 0 {
                open |= 1 << output;
            }
        }
        let network = &self.network;
        fabric.begin_slot(open, |stage, input| {
            let service = &network.ports[stage].more.service;
            let crossing = service.crossing().expect("a crossing");
            network.packets[crossing.inputs[input].head()].frame()
        });
        if let Some(slot) = fabric.next_slot(now) {
            self.run.calendar.push(slot, Event::Cross(node));
        }
        self.network.nodes[node].fabric = Some(fabric);
    }

    /// The last cell of a frame has crossed.
    fn finish_crossing(&mut self, fabric: &mut Fabric, output: usize, input: usize, now: Time) {
        let network = &mut self.network;
        let port = &mut network.ports[fabric.stage(output)];
        let crossing = port.more.service.crossing_mut().expect("a crossing");
        let list = &mut crossing.inputs[input];
        let packet_id = network.packets.take_after(list, Id::NONE);
        let (last, next) = (list.is_empty(), crossing.next);
        let packet = &mut network.packets[packet_id];
        let (size, held) = (packet.frame(), now.since(packet.at).0);
        packet.waited += held;
        port.free(0, size);
        port.count_sent(size, held);
        fabric.release(input, output, size, last);
        let onward = self.enqueue(next, packet_id, now);
        debug_assert_eq!(onward, Onward::Done, "no shared medium is behind a fabric");
    }
}
