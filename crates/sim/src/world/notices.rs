//! Packets that acknowledge nothing: signals of receivers, and notices to sources, which leave the nodes whose queues have caused them.
//! Both are packets of the companion flow that brings back acknowledgements.

use backwater_transport::segment::{Ecn, Signal};
use backwater_transport::units::{Span, Time};

use super::World;
use crate::connection::Header;
use crate::event::Event;
use crate::ids::{ConnectionId, FlowId, PacketId, PortId};
use crate::source_notice::SourceNotice;

impl World {
    /// Sends a signal of a receiver.
    #[cold]
    pub(super) fn depart_signal(&mut self, id: ConnectionId, signal: Signal, now: Time) {
        let (acks, packet) = self.make_signal(id, signal, now);
        let onward = self.shared.set_off(acks, packet, now);
        self.move_on(onward, PortId::NONE, now);
    }

    /// A packet of a flow came with a mark, and its host tells of marks one by one.
    #[cold]
    pub(super) fn notify_in_turn(&mut self, id: ConnectionId, interval: Span, now: Time) {
        let port = self.shared.network.flows[self.ends.connections[id].acks].port;
        let gate = self.ends.notify_gates.entry(port).or_default();
        let (told, waits) = gate.mark(id, interval, now);
        if waits {
            let calendar = &mut self.shared.run.calendar;
            calendar.push(gate.opens, Event::Notify(port));
        }
        if told {
            self.depart_signal(id, Signal::Congestion, now);
        }
    }

    /// The gate of a host for notification packets opens.
    pub(super) fn notify_next(&mut self, port: PortId, now: Time) {
        let gate = self.ends.notify_gates.get_mut(&port);
        let gate = gate.expect("an event for a gate");
        let (next, others) = gate.open(now);
        if others {
            let calendar = &mut self.shared.run.calendar;
            calendar.push(gate.opens, Event::Notify(port));
        }
        if let Some(id) = next {
            self.depart_signal(id, Signal::Congestion, now);
        }
    }

    /// Sends the notices that the event has caused.
    #[inline]
    pub(super) fn tell_sources(&mut self, now: Time) {
        while !self.shared.network.source_notices.is_empty() {
            for notice in std::mem::take(&mut self.shared.network.source_notices) {
                self.send_notice(notice, now);
            }
        }
    }

    #[cold]
    fn send_notice(&mut self, notice: SourceNotice, now: Time) {
        let feedback = notice.feedback;
        let (_, packet) = self.make_signal(notice.connection, Signal::Notice { feedback }, now);
        let born = &mut self.shared.network.packets[packet];
        (born.ingress, born.entry) = notice.came;
        let onward = self.shared.set_off_from(notice.node, packet, now);
        self.move_on(onward, PortId::NONE, now);
    }

    /// Makes the packet of a signal, and says of which flow it is.
    fn make_signal(&mut self, id: ConnectionId, signal: Signal, now: Time) -> (FlowId, PacketId) {
        let c = &self.ends.connections[id];
        let (acks, class) = (c.acks, c.signal_class);
        let flow = &mut self.shared.network.flows[acks];
        let before = std::mem::replace(&mut flow.class, class);
        let seq = flow.seq;
        flow.seq = seq.wrapping_add(1);
        let len = signal.bytes() as u16;
        let packet = self.shared.create(acks, len, seq, Ecn::NotEct, now);
        self.shared.network.flows[acks].class = before;
        let header = Header::Signal(signal);
        self.shared.network.headers.put(packet, header);
        (acks, packet)
    }
}
