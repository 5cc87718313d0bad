//! Frames on the air. A station that waits has no event of its own: when a frame ends, the stations that
//! it made idle form a group under its sender, and the group has one event, at the earliest instant at
//! which one of them would send. When it comes, whoever still counts to that instant sends; the others
//! have become busy, and the frame that made them so will look after them.
//!
//! Two stations that begin at one instant don't hear each other in time: a station that becomes busy at
//! the instant at which it would send is marked `due`, and sends all the same.

use backwater_transport::units::{Span, Time};

use super::World;
use crate::event::Event;
use crate::medium::wifi::air::{
    Exchange, Frame, FrameKind, Ghost, NOBODY, Radio, Reply, Spent, StationCount, Tried,
};
use crate::medium::wifi::phy;
use crate::medium::wifi::reception::Coded;
use crate::network::{Flow, Port};
use crate::packet::Packet;
use crate::record::{Cause, What};
use crate::source::AnySource;
use crate::spec::Limit;
use crate::table::Id;

impl World {
    /// A packet comes to a station from one of its own flows: into its queue, or first in line behind
    /// others of a flow that the station holds back.
    pub(super) fn hand_over(&mut self, station: u32, packet_id: Id<Packet>, now: Time) {
        let spent = &mut self.air.spent;
        if spent.len() <= packet_id.index() {
            spent.resize(packet_id.index() + 1, Spent::default());
        }
        spent[packet_id.index()] = Spent::default();
        self.packets[packet_id].at = now;
        let packet = &self.packets[packet_id];
        let radio = &mut self.air.radios[station as usize];
        let number = radio.category(packet.class());
        if let Some(relay) = &mut radio.relay {
            relay.came(None, number as u8, packet.flow, u64::from(packet.len));
        }
        if radio.holds.iter().any(|h| h.flow == packet.flow) {
            self.hold(station, packet_id, now);
        } else {
            self.queue_up(station, packet_id, now);
        }
    }

    /// A packet comes into a station's queue, or is lost.
    pub(super) fn queue_up(&mut self, station: u32, packet_id: Id<Packet>, now: Time) {
        let Packet {
            flow,
            to,
            len,
            ingress,
            traffic,
            ..
        } = self.packets[packet_id];
        let row = self.air.radios[station as usize].row;
        let port = self.forwarding.egress(row, flow, to);
        let hop = port.0 - self.air.first_port;
        let radio = &mut self.air.radios[station as usize];
        let number = radio.category(traffic.class());
        let c = &mut radio.categories[number];
        let own = ingress.is_none();
        let size = u64::from(len);
        let share = if own {
            radio.own_share
        } else if radio.own_share < 1.0 {
            1.0 - radio.own_share
        } else {
            1.0
        };
        let (mine, step) = match (own, c.buffer) {
            (true, Limit::Bytes(_)) => (c.own_bytes, size),
            (false, Limit::Bytes(_)) => (c.bytes - c.own_bytes, size),
            (true, _) => (u64::from(c.own_frames), 1),
            (false, _) => (u64::from(c.frames - c.own_frames), 1),
        };
        let fits = |held: u64, room: u64| {
            held + step <= room && mine + step <= libm::floor(room as f64 * share) as u64
        };
        let fits = match c.buffer {
            Limit::Unlimited => true,
            Limit::Bytes(room) => fits(c.bytes, room.0),
            Limit::Packets(room) => fits(u64::from(c.frames), room),
        };
        if !fits {
            return self.lose(packet_id, Cause::BufferFull, port, now);
        }
        c.bytes += size;
        if own {
            c.own_frames += 1;
            c.own_bytes += size;
        }
        let held = c.bytes;
        let queue = &mut self.air.hops[hop as usize].queues[number];
        self.packets.append(&mut queue.list, packet_id);
        if self.record.is_some() {
            self.note(What::Enqueue, now, port, packet_id, held);
        }
        self.one_more(station, number, now);
    }

    /// A category has one more frame to send.
    pub(super) fn one_more(&mut self, station: u32, number: usize, now: Time) {
        let ear = &mut self.air.ears[station as usize];
        let radio = &mut self.air.radios[station as usize];
        let medium = &self.air.media[radio.medium as usize];
        let c = &mut radio.categories[number];
        c.frames += 1;
        if c.frames > 1 {
            return;
        }
        let ready = if ear.busy {
            c.slots > 0
        } else {
            c.admit(ear.base(), now, medium.slot, medium.mac.countdown)
        };
        if !ready {
            c.draw(&mut radio.random);
        }
        ear.counting |= 1 << number;
        if !ear.busy {
            let group = ear.cover;
            let at = self.air.expiry(station);
            self.attend(group, at);
        }
    }

    /// Has a group looked after at `at`, if no event comes before.
    pub(super) fn attend(&mut self, group: u32, at: Time) {
        let armed = &mut self.air.radios[group as usize].armed;
        if at < *armed {
            *armed = at;
            self.calendar.push(at, Event::Contend(Id::raw(group)));
        }
    }

    /// The earliest instant at which a station of a group would send.
    fn soonest(&self, group: u32) -> Time {
        let others = self.air.reach[group as usize].iter().map(|l| l.to);
        let mut soonest = Time::NEVER;
        for station in others.chain([group]) {
            let ear = &self.air.ears[station as usize];
            if ear.counting != 0 && !ear.busy && ear.cover == group {
                soonest = soonest.min(self.air.expiry(station));
            }
        }
        soonest
    }

    /// A group's event: whoever has counted down sends.
    pub(super) fn contend(&mut self, group: Id<Radio>, now: Time) {
        let group = group.0;
        let radio = &mut self.air.radios[group as usize];
        if radio.armed != now {
            return;
        }
        radio.armed = Time::NEVER;
        let reach = self.air.reach[group as usize].len();
        for i in 0..=reach {
            let station = match self.air.reach[group as usize].get(i) {
                Some(link) => link.to,
                None => group,
            };
            let ear = &self.air.ears[station as usize];
            if ear.counting == 0 || ear.cover != group {
                continue;
            }
            let due = if ear.busy {
                ear.due != 0 && ear.busy_since == now
            } else {
                self.air.expiry(station) == now
            };
            if due {
                self.fire(station, now);
            }
        }
        let at = self.soonest(group);
        self.attend(group, at);
    }

    /// A station's counter has run out, maybe those of several categories.
    fn fire(&mut self, station: u32, now: Time) {
        if !self.air.ears[station as usize].busy {
            self.air.freeze(station, now);
        }
        let ear = &mut self.air.ears[station as usize];
        let due = std::mem::take(&mut ear.due);
        let winner = 7 - due.leading_zeros() as usize;
        for number in (0..winner).filter(|n| due >> n & 1 == 1) {
            let radio = &mut self.air.radios[station as usize];
            radio.count.internal += 1;
            let of_data = radio.notices.is_empty() || !radio.is_top(number);
            let hop = of_data.then(|| self.air.head(station, number, &self.packets));
            self.failed(station, number, hop, false, now, now);
        }
        self.begin(station, winner, now, None);
    }

    /// Begins an exchange with the frame that is first now, in a TXOP that lasts until then if it has
    /// begun already.
    fn begin(&mut self, station: u32, number: usize, now: Time, until: Option<Time>) {
        let radio = &self.air.radios[station as usize];
        let medium = &self.air.media[radio.medium as usize];
        let (hop, to, bytes, rate) = match radio.notices.front().filter(|_| radio.is_top(number)) {
            Some(notice) => (None, notice.to, notice.bytes, medium.phy.control),
            None => {
                let (number, bytes) = self.first_frame(station, number);
                let hop = &self.air.hops[number as usize];
                (Some(number), hop.to, bytes, hop.rate)
            }
        };
        let data = medium.phy.airtime(bytes, rate);
        let rts = to != NOBODY && bytes > medium.mac.rts_above;
        let txop = radio.categories[number].set.txop;
        let exchange = Exchange {
            category: number as u8,
            hop,
            to,
            data,
            bytes,
            rate,
            rts,
            cleared: false,
            begun: now,
            txop_end: until.unwrap_or(now + txop),
            own_end: now,
        };
        let kind = match (rts, to) {
            (true, _) => FrameKind::Rts,
            (false, NOBODY) => FrameKind::Group,
            (false, _) => FrameKind::Data,
        };
        let radio = &mut self.air.radios[station as usize];
        radio.exchange = Some(exchange);
        if to != NOBODY {
            radio.count.attempts += 1;
        }
        if hop.is_none() {
            radio.count.management += 1;
        }
        self.emit(station, kind, to, now);
    }

    /// A station begins to send a frame.
    fn emit(&mut self, station: u32, kind: FrameKind, to: u32, now: Time) {
        let air = &mut self.air;
        let radio = &mut air.radios[station as usize];
        let medium = &air.media[radio.medium as usize];
        let data = radio.exchange.map_or(Span::ZERO, |e| e.data);
        let (span, rest) = match (kind, radio.reply) {
            (FrameKind::Cts, Reply::Cts { rest, .. }) => (medium.cts, rest),
            (FrameKind::Rts, _) => (medium.rts, medium.rest(kind, data)),
            (FrameKind::Ack, _) => (medium.ack, Span::ZERO),
            _ => (data, medium.rest(kind, data)),
        };
        radio.count.airtime += span.0;
        radio.frame = Some(Frame {
            kind,
            to,
            begin: now,
            rest,
        });
        let ends = now + span + medium.delta;
        if self.air_log.is_some() {
            self.log_frame(station, kind, to, rest, now);
        }
        let air = &mut self.air;
        let medium = &air.media[air.radios[station as usize].medium as usize];
        let busy_from = medium.busy_from;
        if !air.ears[station as usize].busy {
            air.freeze(station, now);
        }
        let ear = &mut air.ears[station as usize];
        ear.sending = true;
        ear.lock = NOBODY;
        self.calendar.push(ends, Event::Silence(Id::raw(station)));
        let radio = &air.radios[station as usize];
        let medium = &air.media[radio.medium as usize];
        if let Some(receivers) = &medium.receivers {
            let (bytes, rate) = match (kind, radio.exchange) {
                (FrameKind::Rts, _) => (phy::RTS, medium.phy.control),
                (FrameKind::Cts, _) => (phy::CTS, medium.phy.control),
                (FrameKind::Ack, _) => (phy::ACK, medium.phy.control),
                (_, exchange) => {
                    let exchange = exchange.expect("a data frame belongs to an exchange");
                    (exchange.bytes, exchange.rate)
                }
            };
            let coded = Coded::new(receivers.rung(rate), bytes, span + medium.delta);
            return air.arrive(station, coded, now);
        }
        for i in 0..air.reach[station as usize].len() {
            let link = air.reach[station as usize][i];
            let ear = &mut air.ears[link.to as usize];
            let quiet = ear.power == 0;
            ear.energy += link.energy;
            ear.power += link.power;
            if ear.lock != NOBODY {
                let medium = &air.media[air.radios[station as usize].medium as usize];
                ear.damaged |= medium.damages(ear.wanted, ear.power);
            } else if link.decodes && !ear.sending && quiet {
                ear.lock = station;
                ear.wanted = link.power;
                ear.damaged = false;
                ear.confirm_nav(now);
            }
            if !ear.busy && (ear.energy >= busy_from || ear.lock != NOBODY) {
                air.freeze(link.to, now);
            }
        }
    }

    /// The frame that a station sends has ended, and everybody has heard its end.
    pub(super) fn silence(&mut self, station: Id<Radio>, now: Time) {
        let station = station.0;
        let air = &mut self.air;
        let radio = &mut air.radios[station as usize];
        let frame = radio.frame.take().expect("a frame for its end");
        let medium = &air.media[radio.medium as usize];
        let (busy_from, extra, holds, resets) = (
            medium.busy_from,
            medium.bystander_defers,
            medium.nav_holds,
            medium.mac.nav_reset,
        );
        if let (Some(exchange), false) = (
            &mut radio.exchange,
            matches!(frame.kind, FrameKind::Cts | FrameKind::Ack),
        ) {
            exchange.own_end = now;
        }
        let mut understood = false;
        if medium.receivers.is_some() {
            air.fade(station, now);
        }
        for i in 0..air.reach[station as usize].len() {
            let link = air.reach[station as usize][i];
            let ear = &mut air.ears[link.to as usize];
            ear.energy -= link.energy;
            ear.power -= link.power;
            if ear.lock == station {
                ear.lock = NOBODY;
                if ear.damaged {
                    ear.defer = now + extra;
                } else {
                    ear.defer = now;
                    if frame.to == link.to {
                        understood = true;
                    } else if frame.rest > Span::ZERO {
                        let until = now + frame.rest;
                        if frame.kind == FrameKind::Rts && resets {
                            ear.nav_rts = until;
                            ear.nav_check = now + holds;
                        } else {
                            ear.nav = ear.nav.max(until);
                        }
                    }
                }
            }
            if ear.energy < busy_from && ear.lock == NOBODY && !ear.sending {
                ear.fall_silent(station, now);
            }
        }
        let ear = &mut air.ears[station as usize];
        ear.sending = false;
        if ear.energy < busy_from {
            ear.fall_silent(station, now);
        }
        self.conclude(station, frame, understood, now);
        let at = self.soonest(station);
        self.attend(station, at);
    }

    /// What follows from a frame that was understood by whom it was for, or was not.
    fn conclude(&mut self, station: u32, frame: Frame, understood: bool, now: Time) {
        let to = frame.to;
        match frame.kind {
            FrameKind::Rts => {
                // A station whose NAV says that others have the medium does not answer.
                let answers = understood && self.air.ears[to as usize].reserved() <= now;
                if answers {
                    let rest = self.air.medium(station).rest(
                        FrameKind::Cts,
                        self.air.radios[station as usize]
                            .exchange
                            .expect("an exchange begins with its RTS")
                            .data,
                    );
                    self.answer(to, Reply::Cts { to: station, rest }, now);
                } else {
                    self.exchange_failed(station, now);
                }
            }
            FrameKind::Cts if understood => self.answer(to, Reply::Go, now),
            FrameKind::Data if understood => {
                self.take_in(station, to, now);
                self.answer(to, Reply::Ack { to: station }, now);
            }
            FrameKind::Data => self.exchange_failed(station, now),
            FrameKind::Ack if understood => self.exchange_done(to, now),
            FrameKind::Cts | FrameKind::Ack => self.exchange_failed(to, now),
            FrameKind::Group => self.exchange_done(station, now),
        }
    }

    fn answer(&mut self, station: u32, reply: Reply, now: Time) {
        let sifs = self.air.medium(station).sifs;
        self.air.radios[station as usize].reply = reply;
        self.calendar
            .push(now + sifs, Event::Answer(Id::raw(station)));
    }

    /// A SIFS has passed.
    pub(super) fn answer_now(&mut self, station: Id<Radio>, now: Time) {
        let station = station.0;
        let radio = &self.air.radios[station as usize];
        match radio.reply {
            Reply::Cts { to, .. } => self.emit(station, FrameKind::Cts, to, now),
            Reply::Ack { to } => self.emit(station, FrameKind::Ack, to, now),
            Reply::Go => {
                let radio = &mut self.air.radios[station as usize];
                let exchange = radio.exchange.as_mut().expect("an exchange that goes on");
                exchange.cleared = true;
                let to = exchange.to;
                self.emit(station, FrameKind::Data, to, now);
            }
            Reply::Next { category, until } => {
                self.begin(station, usize::from(category), now, Some(until));
            }
            Reply::None => unreachable!("an answer was due"),
        }
        self.air.radios[station as usize].reply = Reply::None;
    }

    /// A data frame has reached its receiver: the packet moves on, once.
    fn take_in(&mut self, station: u32, receiver: u32, now: Time) {
        let radio = &self.air.radios[station as usize];
        let exchange = radio.exchange.expect("a data frame belongs to an exchange");
        let Some(hop_number) = exchange.hop else {
            return self.heed(station, receiver, now);
        };
        let number = usize::from(exchange.category);
        let since = radio.categories[number].since;
        let delta = self.air.medium(station).delta;
        let hop = &mut self.air.hops[hop_number as usize];
        let port_id = hop.port;
        let queue = &mut hop.queues[number];
        if queue.tried.ghost.is_some() {
            return;
        }
        let packet_id = self.packets.take_after(&mut queue.list, Id::NONE);
        let packet = &mut self.packets[packet_id];
        queue.tried.ghost = Some(Ghost {
            len: packet.len,
            at: packet.at,
            own: packet.ingress.is_none(),
            flow: packet.flow,
        });
        let first = packet.at.max(since);
        let retries = queue.tried.spent;
        let contention = exchange.begun.0 - first.0 - retries;
        let spent = &mut self.air.spent[packet_id.index()];
        spent.contention += contention;
        spent.retries += retries;
        packet.waited += exchange.begun.0 - packet.at.0;
        packet.serial += now.0 - delta.0 - exchange.begun.0;
        packet.ingress = port_id;
        let (to, size) = (packet.to, packet.frame());
        let arrived = packet.at;
        let port = &mut self.ports[port_id];
        port.count_sent(size, now.0 - arrived.0);
        if self.record.is_some() {
            let waited = exchange.begun.0 - arrived.0;
            self.note(What::Send, exchange.begun, port_id, packet_id, waited);
        }
        self.packet_hops += 1;
        if to == self.air.radios[receiver as usize].host {
            self.deliver_from_air(port_id, packet_id, now);
        } else {
            let packet = &mut self.packets[packet_id];
            packet.at = now;
            let (flow, len) = (packet.flow, u64::from(packet.len));
            if let Some(relay) = &mut self.air.radios[receiver as usize].relay {
                relay.came(Some(station), exchange.category, flow, len);
            }
            self.queue_up(receiver, packet_id, now);
        }
    }

    /// The sender's exchange got no answer, or one that it did not understand.
    fn exchange_failed(&mut self, station: u32, now: Time) {
        let radio = &mut self.air.radios[station as usize];
        let exchange = radio.exchange.take().expect("an exchange that failed");
        let defers = self.air.media[radio.medium as usize].sender_defers;
        radio.count.failures += 1;
        let known = exchange.own_end + defers;
        let ear = &mut self.air.ears[station as usize];
        ear.defer = ear.defer.max(known);
        let until = known.max(now);
        if let Some(hop) = exchange.hop {
            let hop = &mut self.air.hops[hop as usize];
            hop.airtime += now.0 - exchange.begun.0;
            hop.queues[usize::from(exchange.category)].tried.spent += until.0 - exchange.begun.0;
        }
        let number = usize::from(exchange.category);
        self.failed(station, number, exchange.hop, exchange.cleared, now, until);
    }

    /// Counts a failed transmission of a hop's first frame, or of a management frame where `hop` is
    /// `None`; gives it up after as many as it may have, and draws a new backoff.
    fn failed(
        &mut self,
        station: u32,
        number: usize,
        hop: Option<u32>,
        long: bool,
        now: Time,
        until: Time,
    ) {
        let air = &mut self.air;
        let radio = &mut air.radios[station as usize];
        let mac = &air.media[radio.medium as usize].mac;
        let limit = if long {
            mac.retry_long
        } else {
            mac.retry_short
        };
        let count = match hop {
            None => &mut radio.notices.front_mut().expect("one was sent").tries,
            Some(hop) => {
                radio.categories[number].current = Some(hop);
                let tried = &mut air.hops[hop as usize].queues[number].tried;
                match long {
                    true => &mut tried.long,
                    false => &mut tried.short,
                }
            }
        };
        *count += 1;
        let given_up = limit > 0 && *count >= limit;
        let c = &mut air.radios[station as usize].categories[number];
        c.widen();
        if given_up {
            c.cw = c.set.cw_min;
            air.radios[station as usize].count.retry_drops += 1;
            match hop {
                Some(hop) => self.give_up(station, hop, number, now, until),
                None => {
                    let radio = &mut self.air.radios[station as usize];
                    radio.notices.pop_front();
                    radio.categories[number].frames -= 1;
                }
            }
        }
        self.draw(station, number);
    }

    fn draw(&mut self, station: u32, number: usize) {
        let radio = &mut self.air.radios[station as usize];
        let c = &mut radio.categories[number];
        c.draw(&mut radio.random);
        let ear = &mut self.air.ears[station as usize];
        if c.slots > 0 || c.frames > 0 {
            ear.counting |= 1 << number;
        } else {
            ear.counting &= !(1 << number);
        }
    }

    /// The first frame of a hop's queue is given up; if its packet got through all the same, nothing
    /// is lost.
    fn give_up(&mut self, station: u32, hop: u32, number: usize, now: Time, until: Time) {
        let hop = &mut self.air.hops[hop as usize];
        let port = hop.port;
        let queue = &mut hop.queues[number];
        let lost = match queue.tried.ghost {
            Some(_) => None,
            None => Some(self.packets.take_after(&mut queue.list, Id::NONE)),
        };
        let ghost = match lost {
            Some(id) => {
                let packet = &self.packets[id];
                Ghost {
                    len: packet.len,
                    at: packet.at,
                    own: packet.ingress.is_none(),
                    flow: packet.flow,
                }
            }
            None => queue.tried.ghost.expect("looked at above"),
        };
        queue.tried = Tried::default();
        if let Some(id) = lost {
            self.lose(id, Cause::RetryLimit, port, now);
        }
        self.departed(station, number, ghost, now, until);
    }

    /// A frame has left a station's queue for good.
    fn departed(&mut self, station: u32, number: usize, ghost: Ghost, now: Time, until: Time) {
        let c = &mut self.air.radios[station as usize].categories[number];
        c.bytes -= u64::from(ghost.len);
        if ghost.own {
            c.own_frames -= 1;
            c.own_bytes -= u64::from(ghost.len);
        }
        c.frames -= 1;
        c.since = until;
        c.current = None;
        if ghost.own && matches!(self.flows[ghost.flow].source, AnySource::Saturated(_)) {
            self.refill(ghost.flow, now);
        }
    }

    /// The exchange succeeded, or needed no answer.
    fn exchange_done(&mut self, station: u32, now: Time) {
        let radio = &mut self.air.radios[station as usize];
        let exchange = radio.exchange.take().expect("an exchange that ended");
        let number = usize::from(exchange.category);
        let c = &mut radio.categories[number];
        c.cw = c.set.cw_min;
        match exchange.hop {
            Some(hop) => {
                let hop = &mut self.air.hops[hop as usize];
                hop.airtime += now.0 - exchange.begun.0;
                let tried = std::mem::take(&mut hop.queues[number].tried);
                let ghost = tried.ghost.expect("an ACK follows its data");
                let radio = &mut self.air.radios[station as usize];
                let len = u64::from(ghost.len);
                if let Some(relay) = &mut radio.relay {
                    relay.left(ghost.own, exchange.category, ghost.flow, len);
                }
                radio.categories[number].spend(len, now);
                self.departed(station, number, ghost, now, now);
            }
            None => {
                let sent = radio.notices.pop_front().expect("the frame that was sent");
                if let Some(relay) = &mut radio.relay {
                    relay.acknowledged(&sent.ask, now);
                }
                radio.categories[number].frames -= 1;
            }
        }
        if self.goes_on(station, number, exchange.txop_end, now) {
            let (category, until) = (exchange.category, exchange.txop_end);
            return self.answer(station, Reply::Next { category, until }, now);
        }
        self.draw(station, number);
    }

    /// Whether the station may send its next frame without contending: all of the exchange fits what
    /// is left of its TXOP. 10.22.2.8.
    fn goes_on(&mut self, station: u32, number: usize, until: Time, now: Time) -> bool {
        let radio = &self.air.radios[station as usize];
        if until <= now || radio.categories[number].frames == 0 || !radio.notices.is_empty() {
            return false;
        }
        let medium = self.air.medium(station);
        let (hop, bytes) = self.first_frame(station, number);
        let data = medium.phy.airtime(bytes, self.air.hops[hop as usize].rate);
        let kind = if bytes > medium.mac.rts_above {
            FrameKind::Rts
        } else {
            FrameKind::Data
        };
        let own = if kind == FrameKind::Rts {
            medium.rts
        } else {
            data
        };
        now + medium.sifs + own + medium.delta + medium.rest(kind, data) <= until
    }

    /// The hop and the bytes on the air of the data frame that a category sends next.
    fn first_frame(&self, station: u32, number: usize) -> (u32, u64) {
        let air = &self.air;
        let hop = air.head(station, number, &self.packets);
        let queue = &air.hops[hop as usize].queues[number];
        let len = match queue.tried.ghost {
            Some(ghost) => ghost.len,
            None => self.packets[queue.list.head()].len,
        };
        (hop, u64::from(len) + air.medium(station).overhead)
    }

    /// A source that always has something to send puts a packet in the place of the one that left.
    fn refill(&mut self, id: Id<Flow>, now: Time) {
        let flow = &mut self.flows[id];
        let AnySource::Saturated(source) = &flow.source else {
            return;
        };
        if now >= flow.stop {
            return;
        }
        let len = source.packet().0.min(flow.packet);
        let seq = flow.seq;
        flow.seq = seq.wrapping_add(1);
        self.originate(id, len as u16, seq, now);
    }

    /// A packet has reached its host over the air: what it met there is part of the flow's delays.
    fn deliver_from_air(&mut self, port: Id<Port>, packet_id: Id<Packet>, now: Time) {
        let flow = self.packets[packet_id].flow;
        let spent = self.air.spent[packet_id.index()];
        self.deliver(port, packet_id, now);
        let stats = &mut self.flows[flow].stats;
        stats.met_on_air(spent.contention, spent.retries);
    }

    /// What a station has counted up to `now`.
    pub(super) fn station_count(&self, station: u32, now: Time) -> StationCount {
        let (radio, ear) = (
            &self.air.radios[station as usize],
            &self.air.ears[station as usize],
        );
        let mut count = radio.count.clone();
        count.busy = ear.busy_ticks
            + if ear.busy {
                now.0 - ear.busy_since.0
            } else {
                0
            };
        let span = now.0 - count.moved.0;
        for (sum, c) in count.aifsn.iter_mut().zip(&radio.categories) {
            *sum += span * u64::from(c.set.aifsn);
        }
        count.moved = now;
        count
    }

    /// The warm-up is over: what stations report begins here.
    pub(super) fn warm_air(&mut self, now: Time) {
        for station in 0..self.air.radios.len() {
            let count = self.station_count(station as u32, now);
            self.air.radios[station].base = count;
        }
        for hop in &mut self.air.hops {
            hop.airtime_base = hop.airtime;
        }
    }
}
