//! Flows with a transport: what the application writes becomes segments, what arrives becomes
//! acknowledgements, and what they say moves the sender.

use backwater_transport::endpoint::Protocol;
use backwater_transport::segment::{AckSegment, Ecn};
use backwater_transport::units::Time;

use super::World;
use crate::connection::{Header, Side, ack_bytes};
use crate::ids::{ConnectionId, FlowId, PacketId, PortId};
use crate::network::Part;

impl World {
    /// The application of a flow writes; `u64::MAX` bytes never end.
    pub(super) fn write(&mut self, id: ConnectionId, bytes: u64, now: Time) {
        let c = &mut self.ends.connections[id];
        c.written = c.written.saturating_add(bytes);
        c.sender.write(bytes);
        if c.written < u64::MAX && c.protocol == Protocol::Stream {
            let transfers = c.transfers.get_or_insert_default();
            transfers.push_back((c.written, bytes, now));
        }
        self.send_all(id, now);
    }

    /// A packet of a connection has come to its end.
    pub(super) fn receive_header(&mut self, part: Part, packet: PacketId, ecn: Ecn, now: Time) {
        match part {
            Part::Data(id) => self.receive_segment(id, packet, ecn, now),
            Part::Acks(id) => self.receive_ack(id, packet, now),
            Part::None => unreachable!("a header without a connection"),
        }
    }

    /// A segment has come to the receiving end.
    fn receive_segment(&mut self, id: ConnectionId, packet: PacketId, ecn: Ecn, now: Time) {
        if self.ends.progress.due(now) {
            let connections = &self.ends.connections;
            self.ends
                .progress
                .note(now, |id| connections[id].receiver.delivered());
        }
        let c = &mut self.ends.connections[id];
        let Header::Data(segment, _) = &self.shared.network.headers[packet] else {
            unreachable!("an acknowledgement among the data");
        };
        if let Some(liar) = &mut c.liar {
            liar.see(segment.start + u64::from(segment.len), segment.sent);
        }
        let ack = c.receiver.on_segment(now, segment, ecn);
        let transfers = c.transfers.is_some();
        if self.ends.log.is_some() {
            self.ends.note_delivered(id, now);
        }
        if transfers {
            self.ends.end_transfers(&self.shared.network, id, now);
        }
        if let Some(ack) = ack {
            self.acknowledge(id, ack, now);
        }
        self.ends
            .set_alarm(&mut self.shared.run.calendar, id, Side::Receiver);
    }

    /// An acknowledgement has come to the sending end.
    fn receive_ack(&mut self, id: ConnectionId, packet: PacketId, now: Time) {
        let c = &mut self.ends.connections[id];
        let Header::Ack(ack) = &self.shared.network.headers[packet] else {
            unreachable!("data among the acknowledgements");
        };
        c.heard = ack.received;
        c.stats.round_trip(now.since(ack.echo));
        c.sender.on_ack(now, ack);
        let (data, answered) = (c.data, c.waiting && ack.upto == c.written);
        self.send_all(id, now);
        if answered {
            self.ends.connections[id].waiting = false;
            self.shared
                .network
                .ask(&mut self.shared.run.calendar, data, now);
        }
    }

    /// A timer of a connection may be due.
    pub(super) fn ring(&mut self, id: ConnectionId, side: Side, now: Time) {
        let c = &mut self.ends.connections[id];
        c.alarms.rang(side);
        match side {
            Side::Sender => {
                if c.sender.due() <= now {
                    c.sender.on_timer(now);
                }
                self.send_all(id, now);
            }
            Side::Receiver => {
                if c.receiver.due() <= now
                    && let Some(ack) = c.receiver.on_timer(now)
                {
                    self.acknowledge(id, ack, now);
                }
                self.ends.set_alarm(&mut self.shared.run.calendar, id, side);
            }
        }
    }

    /// Sends what may leave now.
    fn send_all(&mut self, id: ConnectionId, now: Time) {
        if now >= self.ends.connections[id].stop {
            return;
        }
        loop {
            let c = &mut self.ends.connections[id];
            let Some(segment) = c.sender.poll(now) else {
                break;
            };
            let len = u64::from(c.header) + u64::from(segment.len);
            let (flow, ecn) = (c.data, segment.ecn);
            let header = Header::Data(segment, c.heard);
            self.depart(flow, len, ecn, header, now);
        }
        let c = &mut self.ends.connections[id];
        c.stats.window(c.sender.window(), now);
        self.ends
            .set_alarm(&mut self.shared.run.calendar, id, Side::Sender);
        if self.shared.run.books.record.is_some() {
            self.ends
                .show(&self.shared.network, &mut self.shared.run.books, id, now);
        }
    }

    fn acknowledge(&mut self, id: ConnectionId, ack: AckSegment, now: Time) {
        match &mut self.ends.connections[id].liar {
            None => self.depart_ack(id, ack, now),
            Some(liar) => {
                for lie in liar.tell(ack) {
                    self.depart_ack(id, lie, now);
                }
            }
        }
    }

    #[inline(always)]
    fn depart_ack(&mut self, id: ConnectionId, ack: AckSegment, now: Time) {
        let c = &self.ends.connections[id];
        let len = ack_bytes(c.protocol, ack.blocks.count() as u64) + ack.feedback_bytes();
        self.depart(c.acks, len, Ecn::NotEct, Header::Ack(ack), now);
    }

    #[inline(always)]
    fn depart(&mut self, id: FlowId, len: u64, ecn: Ecn, header: Header, now: Time) {
        let flow = &mut self.shared.network.flows[id];
        let seq = flow.seq;
        flow.seq = seq.wrapping_add(1);
        let packet = self.shared.create(id, len as u16, seq, ecn, now);
        self.shared.network.headers.put(packet, header);
        let onward = self.shared.set_off(id, packet, now);
        self.move_on(onward, PortId::NONE, now);
    }
}
