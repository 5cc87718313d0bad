//! Flows with a transport: what the application writes becomes segments, what arrives becomes
//! acknowledgements, and what they say moves the sender.

use backwater_transport::endpoint::{Receiver, Sender};
use backwater_transport::segment::{AckSegment, Ecn, Segment, Signal};
use backwater_transport::units::Time;

use super::World;
use crate::altered::Numbered;
use crate::connection::{Header, Side};
use crate::ids::{ConnectionId, FlowId, PacketId, PortId};
use crate::network::Role;
use crate::shared::Shared;
use crate::source::Source;

/// A packet of a connection that leaves: IP bytes, codepoint, and the value by which it is spread over paths.
struct Leaving {
    len: u64,
    ecn: Ecn,
    value: Option<u16>,
}

impl Leaving {
    /// One that takes no marks and is not spread.
    fn unmarked(len: u64) -> Leaving {
        Leaving {
            len,
            ecn: Ecn::NotEct,
            value: None,
        }
    }
}

impl World {
    /// The application of a flow writes; `u64::MAX` bytes never end.
    pub(super) fn write(&mut self, id: ConnectionId, bytes: u64, now: Time) {
        let c = &mut self.ends.connections[id];
        c.written = c.written.saturating_add(bytes);
        c.sender.write(bytes);
        if c.written < u64::MAX && c.protocol.row().reliable {
            let transfers = c.transfers.get_or_insert_default();
            transfers.push_back((c.written, bytes, now));
        }
        self.send_all(id, now);
    }

    /// A packet of a connection has come to its end.
    pub(super) fn receive_header(&mut self, role: Role, packet: PacketId, ecn: Ecn, now: Time) {
        match role {
            Role::Data(id) => self.receive_segment(id, packet, ecn, now),
            Role::Acks(id) => self.receive_answer(id, packet, now),
            Role::None => unreachable!("a header without a connection"),
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
        let (transfers, queue_pair) = (c.transfers.is_some(), c.protocol.row().queue_pair);
        if self.ends.log.is_some() {
            self.ends.note_delivered(id, now);
        }
        if transfers {
            let ended = self.ends.end_transfers(&self.shared.network, id, now);
            self.begin_waiting(id, ended, now);
        }
        if let Some(ack) = ack {
            self.acknowledge(id, ack, now);
        }
        // Other receivers say nothing besides, and give no credit.
        if queue_pair {
            self.signal_all(id, now);
            self.note_credit(id, now);
        }
        self.ends
            .set_alarm(&mut self.shared.run.calendar, id, Side::Receiver);
    }

    /// An acknowledgement or a signal has come to the sending end.
    fn receive_answer(&mut self, id: ConnectionId, packet: PacketId, now: Time) {
        let c = &mut self.ends.connections[id];
        let ack = match &self.shared.network.headers[packet] {
            Header::Ack(ack) => ack,
            Header::Signal(signal) => {
                c.sender.on_signal(now, signal);
                return self.send_all(id, now);
            }
            Header::Data(..) => unreachable!("data among the acknowledgements"),
        };
        c.heard = ack.received;
        c.stats.round_trip(now.since(ack.echo));
        if let Some(spreading) = &mut c.spreading {
            spreading.on_ack(now, ack);
        }
        match &mut self.shared.run.books.altered {
            None => c.sender.on_ack(now, ack),
            Some(altered) => {
                let packet = Numbered::from(&self.shared.network.packets[packet]);
                altered.acknowledge(packet, &mut c.sender, ack, now);
            }
        }
        let (data, answered) = (c.data, c.waiting && ack.upto == c.written);
        self.send_all(id, now);
        if answered && !self.ends.graph.has(id) {
            self.ends.connections[id].waiting = false;
            self.shared
                .network
                .ask(&mut self.shared.run.calendar, data, now);
        }
    }

    /// A flow has delivered so many transfers: those of other flows that waited for them begin.
    fn begin_waiting(&mut self, id: ConnectionId, ended: u64, now: Time) {
        if ended == 0 {
            return;
        }
        for (next, at) in self.ends.graph.deliver(id, ended, now) {
            let data = self.ends.connections[next].data;
            if at > now {
                let Shared { network, run, .. } = &mut self.shared;
                network.ask(&mut run.calendar, data, at);
                continue;
            }
            let flow = &mut self.shared.network.flows[data];
            if now >= flow.stop {
                continue;
            }
            if let Some(demand) = flow.source.next(now, &mut flow.random) {
                self.write(next, demand.bytes.0, now);
            }
        }
    }

    /// A timer of a connection may be due.
    pub(super) fn serve_timer(&mut self, id: ConnectionId, side: Side, now: Time) {
        let c = &mut self.ends.connections[id];
        c.alarms.expired(side);
        match side {
            Side::Sender => {
                if c.sender.due() <= now {
                    c.sender.on_timer(now);
                    if let Some(spreading) = &mut c.spreading {
                        spreading.on_timer(now, c.sender.counters().timeouts);
                    }
                }
                self.send_all(id, now);
            }
            Side::Receiver => {
                if c.receiver.due() <= now
                    && let Some(ack) = c.receiver.on_timer(now)
                {
                    self.acknowledge(id, ack, now);
                }
                self.signal_all(id, now);
                self.ends.set_alarm(&mut self.shared.run.calendar, id, side);
            }
        }
    }

    /// Sends what may leave now.
    pub(super) fn send_all(&mut self, id: ConnectionId, now: Time) {
        if now >= self.ends.connections[id].stop {
            return;
        }
        if !self.ends.connections[id].card.is_none() {
            return self.ask_card(id, now);
        }
        if self.ends.connections[id].small_queue.is_some() {
            return self.send_within_limit(id, now);
        }
        while let Some(segment) = self.ends.connections[id].sender.poll(now) {
            self.depart_segment(id, segment, now);
        }
        self.after_sending(id, now);
    }

    #[inline(always)]
    pub(super) fn depart_segment(&mut self, id: ConnectionId, segment: Segment, now: Time) {
        let c = &mut self.ends.connections[id];
        let len = u64::from(c.header) + u64::from(segment.len);
        let (flow, ecn) = (c.data, segment.ecn);
        let spreading = c.spreading.as_mut();
        let value = spreading.map(|s| s.next(now, segment.number));
        let header = Header::Data(segment, c.heard);
        self.depart(flow, header, Leaving { len, ecn, value }, now);
    }

    #[inline(always)]
    pub(super) fn after_sending(&mut self, id: ConnectionId, now: Time) {
        self.ends
            .set_alarm(&mut self.shared.run.calendar, id, Side::Sender);
        self.note_sender(id, now);
    }

    /// The values that a sender shows after it was asked for segments.
    #[inline(always)]
    pub(super) fn note_sender(&mut self, id: ConnectionId, now: Time) {
        let c = &mut self.ends.connections[id];
        c.stats.window(c.sender.window(), now);
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
        let len = c.protocol.ack_bytes(ack.blocks.count() as u64) + ack.feedback_bytes();
        self.depart(c.acks, Header::Ack(ack), Leaving::unmarked(len), now);
    }

    /// Sends what the receiver has to say besides acknowledgements.
    #[inline(always)]
    fn signal_all(&mut self, id: ConnectionId, now: Time) {
        while let Some(signal) = self.ends.connections[id].receiver.next_signal(now) {
            match (signal, self.ends.connections[id].notify_gate) {
                (Signal::Congestion, Some(interval)) => self.notify_in_turn(id, interval, now),
                _ => self.depart_signal(id, signal, now),
            }
        }
    }

    #[inline(always)]
    fn depart(
        &mut self,
        id: FlowId,
        header: Header,
        Leaving { len, ecn, value }: Leaving,
        now: Time,
    ) {
        let flow = &mut self.shared.network.flows[id];
        let seq = flow.seq;
        flow.seq = seq.wrapping_add(1);
        let packet = self.shared.create(id, len as u16, seq, ecn, now);
        self.shared.network.headers.put(packet, header);
        if let Some(value) = value {
            self.shared.network.labels.spread(packet, id, value);
        }
        let onward = self.shared.set_off(id, packet, now);
        self.move_on(onward, PortId::NONE, now);
    }
}
