//! Places that are told: their responders answer, and what these want moved is moved.

use std::sync::Arc;

use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use super::World;
use crate::cause::Cause;
use crate::event::Event;
use crate::ids::{FlowId, PacketId, PortId, StationId};
use crate::limit::Limit;
use crate::mechanism::carrier::{AIR_UNIT, quantum};
use crate::mechanism::notice::Notice;
use crate::mechanism::responder::{AnyResponder, Knobs, Moved, Responder, Transmitter};
use crate::medium::wifi::radio::Held;
use crate::packet::{List, Traffic};
use crate::record::fingerprint::Mark;
use crate::record::{Record, What};
use crate::table::Id;

/// Packets of a held flow that wait, where the station's buffer counts bytes or nothing.
const MOST_HELD: u64 = 100;

impl World {
    /// The reaction time of the oldest notice at a port is over.
    pub(super) fn react(&mut self, id: PortId, now: Time) {
        self.catch_up(id, now);
        let port = &mut self.ports[id];
        let posted = port
            .more
            .reacting
            .pop_front()
            .expect("a notice for each reaction");
        let notice = self.mail.take(posted);
        let gates = port
            .gates
            .as_mut()
            .expect("a port that can be told has gates");
        gates.sweep(now);
        if notice.quanta() > 0 && !notice.origin.is_none() {
            gates.origin = (notice.origin, notice.origin_classes);
        }
        let mut knobs = Knobs {
            now,
            unit: quantum(port.more.rate),
            gates: Some(gates),
            next: None,
            transmitter: None,
        };
        owned(&mut port.more.responders, notice.mechanism).react(&notice, &mut knobs);
        if port.more.managed.is_none() {
            port.shut_until = gates.shut_until();
        }
        port.retry(now);
        self.mind_drain(id, now);
        self.fingerprint.add(
            Mark::Knob,
            now,
            id.0,
            u64::from(notice.classes) << 16 | u64::from(notice.quanta()),
        );
        if let Some(records) = &mut self.record {
            records.push(Record {
                at: now,
                what: What::Knob,
                port: id,
                flow: Id::NONE,
                seq: 0,
                to: 0,
                len: 0,
                traffic: Traffic::new(7, Ecn::NotEct),
                value: u64::from(notice.quanta()),
                notice: Some(Arc::new(notice)),
                header: None,
            });
        }
        self.catch_up(id, now);
    }

    /// A frame starts after its port stood idle with it waiting: counts it if the queue that closed
    /// the gate is not on its path.
    pub(super) fn count_victim(&mut self, id: PortId, packet_id: PacketId) {
        let port = &self.ports[id];
        if port.far_row == u32::MAX {
            return;
        }
        let packet = &self.packets[packet_id];
        let (flow, egress) = (
            packet.flow,
            self.forwarding.egress(port.far_row, packet.flow, packet.to),
        );
        let (origin, classes) = port
            .gates
            .as_ref()
            .expect("a port that stalls has gates")
            .origin;
        if egress != origin || classes >> packet.class() & 1 == 0 {
            self.ports[id].more.sent.victims += 1;
            self.flows[flow].stats.victims += 1;
        }
    }

    /// A notice has reached the station that it is for, maybe once more.
    pub(crate) fn heed(&mut self, from: u32, station: u32, now: Time) {
        let sender = &mut self.air.radios[from as usize];
        let sent = sender.notices.front_mut().expect("the frame that was sent");
        if !std::mem::replace(&mut sent.heard, true) {
            self.obey(from, station, now);
        }
    }

    /// A station has received the management frame that another sends; one without a responder for it does nothing.
    pub(crate) fn obey(&mut self, from: u32, station: u32, now: Time) {
        let sender = &self.air.radios[from as usize];
        let sent = sender.notices.front().expect("the frame that was sent");
        let notice = sent.notice.clone();
        if !notice.everybody_obeys() && !self.are_peers(from, station) {
            return;
        }
        self.answer_at(from, station, &notice, now);
    }

    /// The responder of a station answers a notice, maybe one of its own.
    pub(super) fn answer_at(&mut self, from: u32, station: u32, notice: &Notice, now: Time) {
        let responders = &self.air.radios[station as usize].responders;
        let mut owners = responders.iter().map(|(mechanism, _)| *mechanism);
        if let Some(at) = owners.position(|owner| owner == notice.mechanism) {
            let next = (from != station).then_some(from);
            let unit = notice.unit().unwrap_or(AIR_UNIT);
            for notice in notice.by_category() {
                let react = |r: &mut AnyResponder, knobs: &mut Knobs| r.react(&notice, knobs);
                self.move_station(station, at, (next, unit), now, react);
            }
        }
    }

    /// What a station was told may have expired.
    pub(super) fn expire(&mut self, id: StationId, now: Time) {
        for at in 0..self.air.radios[id.index()].responders.len() {
            self.move_station(id.0, at, (None, AIR_UNIT), now, |r, knobs| r.timer(knobs));
        }
    }

    /// Lends a station's knobs to one of its responders, and moves what that wants moved.
    fn move_station(
        &mut self,
        station: u32,
        at: usize,
        (next, unit): (Option<u32>, Span),
        now: Time,
        act: impl FnOnce(&mut AnyResponder, &mut Knobs),
    ) {
        let radio = &mut self.air.radios[station as usize];
        let mut transmitter = Transmitter {
            written: radio.written.clone(),
            ..Transmitter::default()
        };
        if let Some(gates) = &mut radio.gates {
            gates.sweep(now);
        }
        let (gates, responder) = (radio.gates.as_deref_mut(), &mut radio.responders[at].1);
        let gated = gates.is_some();
        let mut knobs = Knobs {
            now,
            unit,
            gates,
            next,
            transmitter: Some(&mut transmitter),
        };
        act(responder, &mut knobs);
        if gated {
            self.gates_moved(station, now);
        }
        for at in transmitter.timers {
            self.calendar.push(at, Event::Expire(Id::raw(station)));
        }
        for moved in transmitter.moved {
            self.move_knob(station, &moved, now);
        }
        for (flow, rate) in transmitter.held {
            self.hold_to(station, flow, rate);
        }
    }

    /// Moves a category's parameters.
    fn move_knob(&mut self, station: u32, moved: &Moved, now: Time) {
        let (number, set) = (moved.category, moved.set);
        let count = self.station_count(station, now);
        let ear = self.air.ears[station as usize];
        let radio = &mut self.air.radios[station as usize];
        (radio.count.aifsn, radio.count.moved) = (count.aifsn, now);
        let medium = &self.air.media[radio.medium as usize];
        let base = if ear.busy { now } else { ear.base() };
        let first = radio.hops.first().copied();
        let c = &mut radio.categories[number];
        if let Some(pace) = moved.pace {
            c.pace = pace;
        }
        let changed = c.set.aifsn != set.aifsn;
        let ready = if ear.busy { Time::ZERO } else { now };
        c.move_to(set, base, ready, medium.sifs, medium.slot);
        let detail = u64::from(moved.level) << 8 | number as u64;
        self.fingerprint.add(Mark::Knob, now, station, detail);
        if let (Some(records), Some(hop), true) = (&mut self.record, first, changed) {
            records.push(Record {
                at: now,
                what: What::Aifsn,
                port: self.air.hops[hop as usize].port,
                flow: Id::NONE,
                seq: 0,
                to: 0,
                len: 0,
                traffic: Traffic::new(number as u8, Ecn::NotEct),
                value: u64::from(set.aifsn),
                notice: None,
                header: None,
            });
        }
        if !ear.busy {
            let at = self.air.expiry(station);
            self.attend(ear.cover, at);
        }
    }

    /// From now on a flow of the station's own goes no faster than this.
    fn hold_to(&mut self, station: u32, flow: FlowId, rate: Rate) {
        let flow_port = self.flows[flow].port;
        let port = self
            .air
            .hop(flow_port)
            .filter(|hop| hop.from == station)
            .map(|hop| hop.port);
        let radio = &mut self.air.radios[station as usize];
        match (radio.holds.iter_mut().find(|h| h.flow == flow), port) {
            (Some(held), _) => held.rate = rate,
            (None, Some(port)) => radio.holds.push(Held {
                flow,
                port,
                rate,
                next: Time::ZERO,
                list: List::default(),
                frames: 0,
            }),
            // A flow with many destinations has no one hop to hold it to.
            (None, None) => {}
        }
    }

    /// A packet of a flow that is held back waits for its turn.
    pub(crate) fn hold(&mut self, station: u32, packet_id: PacketId, now: Time) {
        let flow = self.packets[packet_id].flow;
        let radio = &mut self.air.radios[station as usize];
        let number = radio.category(self.packets[packet_id].class());
        let most = match radio.categories[number].buffer {
            Limit::Packets(most) => most,
            Limit::Bytes(_) | Limit::Unlimited => MOST_HELD,
        };
        let held = radio.holds.iter_mut().find(|h| h.flow == flow);
        let held = held.expect("a flow that is held");
        if held.frames >= most {
            let port = held.port;
            return self.lose_at_station(packet_id, Cause::BufferFull, port, now);
        }
        held.frames += 1;
        self.packets.append(&mut held.list, packet_id);
        if held.frames == 1 {
            self.calendar.push(held.next.max(now), Event::Release(flow));
        }
    }

    /// The turn of a held flow's next packet.
    pub(super) fn release_held(&mut self, flow: FlowId, now: Time) {
        let port = self.flows[flow].port;
        let hop = self.air.hop_number(port);
        let station = self.air.hops[hop as usize].from;
        let radio = &mut self.air.radios[station as usize];
        let held = radio.holds.iter_mut().find(|h| h.flow == flow);
        let held = held.expect("a flow that is held");
        let packet_id = self.packets.take_after(&mut held.list, Id::NONE);
        held.frames -= 1;
        let len = u64::from(self.packets[packet_id].len);
        held.next = now + held.rate.time_for(Bytes(len));
        if held.frames > 0 {
            self.calendar.push(held.next, Event::Release(flow));
        }
        self.queue_up(hop, packet_id, now);
    }
}

/// The responder of a mechanism among those that a place owns.
fn owned(responders: &mut [(u32, AnyResponder)], mechanism: u32) -> &mut AnyResponder {
    let found = responders.iter_mut().find(|(of, _)| *of == mechanism);
    let (_, responder) = found.expect("a place that is told owns a responder");
    responder
}
