//! Flows with a transport: what the application writes becomes segments, what arrives becomes
//! acknowledgements, and what they say moves the sender.

use backwater_transport::endpoint::Protocol;
use backwater_transport::segment::{AckSegment, Ecn};
use backwater_transport::units::Time;

use super::World;
use crate::connection::{Connection, Header, Shown, Side, ack_bytes};
use crate::event::Event;
use crate::ids::{ConnectionId, FlowId, PacketId, PortId};
use crate::network::{Flow, Part};
use crate::packet::Traffic;
use crate::record::{Record, What};

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
    pub(super) fn hear_header(&mut self, part: Part, packet: PacketId, ecn: Ecn, now: Time) {
        match part {
            Part::Data(id) => self.hear_segment(id, packet, ecn, now),
            Part::Acks(id) => self.hear_ack(id, packet, now),
            Part::None => unreachable!("a header without a connection"),
        }
    }

    /// A segment has come to the receiving end.
    fn hear_segment(&mut self, id: ConnectionId, packet: PacketId, ecn: Ecn, now: Time) {
        if self.ends.progress.due(now) {
            let connections = &self.ends.connections;
            self.ends
                .progress
                .note(now, |id| connections[id].receiver.delivered());
        }
        let c = &mut self.ends.connections[id];
        let Header::Data(segment, _) = &self.network.headers[packet] else {
            unreachable!("an acknowledgement among the data");
        };
        let ack = c.receiver.on_segment(now, segment, ecn);
        if c.transfers.is_some() {
            self.end_transfers(id, now);
        }
        if let Some(ack) = ack {
            self.acknowledge(id, ack, now);
        }
        self.set_alarm(id, Side::Receiver);
    }

    /// Transfers may have been delivered whole.
    fn end_transfers(&mut self, id: ConnectionId, now: Time) {
        let delivered = self.ends.connections[id].receiver.delivered();
        let ended = |t: &mut (u64, u64, Time)| t.0 <= delivered;
        let next = |c: &mut Connection| c.transfers.as_mut()?.pop_front_if(ended);
        while let Some((_, bytes, written)) = next(&mut self.ends.connections[id]) {
            self.complete(id, bytes, written, now);
        }
    }

    /// An acknowledgement has come to the sending end.
    fn hear_ack(&mut self, id: ConnectionId, packet: PacketId, now: Time) {
        let c = &mut self.ends.connections[id];
        let Header::Ack(ack) = &self.network.headers[packet] else {
            unreachable!("data among the acknowledgements");
        };
        c.heard = ack.received;
        c.stats.round_trip(now.since(ack.echo));
        c.sender.on_ack(now, ack);
        let (data, answered) = (c.data, c.waiting && ack.upto == c.written);
        self.send_all(id, now);
        if answered {
            self.ends.connections[id].waiting = false;
            self.ask(data, now);
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
                self.set_alarm(id, side);
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
        self.set_alarm(id, Side::Sender);
        if self.books.record.is_some() {
            self.show(id, now);
        }
    }

    fn acknowledge(&mut self, id: ConnectionId, ack: AckSegment, now: Time) {
        let c = &self.ends.connections[id];
        let len = ack_bytes(c.protocol, ack.blocks.count() as u64) + ack.feedback_bytes();
        self.depart(c.acks, len, Ecn::NotEct, Header::Ack(ack), now);
    }

    #[inline(always)]
    fn depart(&mut self, id: FlowId, len: u64, ecn: Ecn, header: Header, now: Time) {
        let flow = &mut self.network.flows[id];
        let seq = flow.seq;
        flow.seq = seq.wrapping_add(1);
        let packet = self.create(id, len as u16, seq, ecn, now);
        self.network.headers.put(packet, header);
        self.set_off(id, packet, now);
    }

    /// Sees to it that an end is called when something is due.
    #[inline(always)]
    fn set_alarm(&mut self, id: ConnectionId, side: Side) {
        let c = &mut self.ends.connections[id];
        let due = match side {
            Side::Sender => c.sender.due(),
            Side::Receiver => c.receiver.due(),
        };
        if c.alarms.needs(side, due) {
            let connection = id;
            self.clock
                .calendar
                .push(due, Event::Timer { connection, side });
        }
    }

    /// Records what has changed about the sender.
    #[cold]
    fn show(&mut self, id: ConnectionId, now: Time) {
        let c = &mut self.ends.connections[id];
        let inspect = c.sender.inspect();
        let shown = Shown {
            window: inspect.window,
            threshold: inspect.controller.ssthresh,
            srtt: inspect.srtt,
            pacing: inspect.pacing.map(|rate| rate.0),
        };
        let before = std::mem::replace(&mut c.shown, shown);
        let (flow, number) = (c.data, c.sender.counters().segments);
        let rows = [
            (What::Window, Some(shown.window), Some(before.window)),
            (What::Threshold, shown.threshold, before.threshold),
            (What::Srtt, Some(shown.srtt.0), Some(before.srtt.0)),
            (What::Pacing, shown.pacing, before.pacing),
        ];
        let port = self.first_port(flow);
        // A connection has one receiver.
        let to = self.network.flows[flow].to.iter().next().unwrap_or(0);
        for (what, value, before) in rows {
            let Some(value) = value.filter(|_| value != before) else {
                continue;
            };
            let records = self.books.record.as_mut().expect("a run that is recorded");
            records.push(Record {
                at: now,
                what,
                port,
                flow,
                seq: number as u32,
                to,
                len: 0,
                traffic: Traffic::default(),
                value,
                notice: None,
                header: None,
            });
        }
    }

    fn first_port(&self, flow: FlowId) -> PortId {
        let Flow { port, ref path, .. } = self.network.flows[flow];
        if port.is_none() { path[0] } else { port }
    }
}
