//! Frames on the air. A station that waits has no event of its own: when a frame ends, the stations that
//! it made idle form a group under its sender, and the group has one event, at the earliest instant at
//! which one of them would send. When it comes, whoever still counts to that instant sends; the others
//! have become busy, and join the group of the frame that made them so.
//!
//! Two stations that begin at one instant don't hear each other in time: a station that becomes busy at
//! the instant at which it would send is marked `due`, and still sends.

use backwater_transport::units::{Rate, Span, Time};

use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::air_log::{AirFrame, Fate};
use crate::medium::wifi::events::Code;
use crate::medium::wifi::mac::failure::Attempt;
use crate::medium::wifi::mac::frame::{Exchange, Frame, FrameKind};
use crate::medium::wifi::phy::mode::Mode;
use crate::medium::wifi::radio::Edcaf;
use crate::shared::Shared;

impl Air {
    /// A group's event: whoever has counted down sends.
    pub(crate) fn contend(&mut self, cx: &mut Shared, group: u32, now: Time) {
        if self.groups[group as usize].armed != now {
            return;
        }
        self.groups[group as usize].armed = Time::NEVER;
        self.set_due_of_group_apart(group, now);
        let mut from = 0;
        while let Some((number, station)) = self.next_member(group, from) {
            from = number + 1;
            let sense = &self.sensing[station as usize];
            if sense.counting == 0 || sense.cover != group {
                continue;
            }
            let due = if sense.busy {
                sense.due != 0 && sense.since == now
            } else {
                self.expiry(station) == now
            };
            if due {
                self.fire(cx, station, now);
            }
        }
        self.schedule_soonest(&mut cx.run.calendar, group);
    }

    /// A station's counter has run out, maybe those of several categories. The highest that has a frame to send, which
    /// gates and queue management settle now, sends it.
    fn fire(&mut self, cx: &mut Shared, station: u32, now: Time) {
        if !self.has_frames_ready(cx, station, now) {
            return;
        }
        if !self.sensing[station as usize].busy {
            self.freeze(station, now);
        }
        let sense = &mut self.sensing[station as usize];
        let due = std::mem::take(&mut sense.due);
        let winner = 7 - due.leading_zeros() as usize;
        for number in (0..winner).filter(|n| due >> n & 1 == 1) {
            let first = self.next_frame(cx, station, number, now);
            let first = first.expect("a category that is due has a frame");
            self.radios[station as usize].count.internal += 1;
            let attempt = Attempt {
                hop: first,
                cleared: false,
            };
            self.failed(cx, Edcaf { station, number }, attempt, now, now);
        }
        let first = self.next_frame(cx, station, winner, now);
        let first = first.expect("a category that is due has a frame");
        let at = Edcaf {
            station,
            number: winner,
        };
        self.begin(cx, at, first, now, None);
    }

    /// Begins an exchange with the first frame of a hop, or with a management frame where `hop` is `None`, in a TXOP that
    /// lasts until then if it has begun already.
    pub(crate) fn begin(
        &mut self,
        cx: &mut Shared,
        at: Edcaf,
        hop: Option<u32>,
        now: Time,
        until: Option<Time>,
    ) {
        let Edcaf { station, number } = at;
        let radio = &mut self.radios[station as usize];
        let txop = radio.categories[number].set.txop;
        let until = until.unwrap_or_else(|| {
            radio.protected.clear();
            now + txop
        });
        let (kind, mut exchange) = self.plan(cx, at, hop, now, until);
        let to = exchange.to;
        if until > now {
            exchange.goes_on = self.expects_another(station, number, kind, &exchange);
        }
        let radio = &mut self.radios[station as usize];
        let unfinished = radio.exchange.replace(exchange);
        debug_assert!(unfinished.is_none(), "a station has one exchange");
        if to != NOBODY {
            radio.count.attempts += 1;
        }
        if hop.is_none() {
            radio.count.management += 1;
        }
        self.emit(cx, station, kind, to, now);
    }

    /// The exchange that a category would begin now, and the kind of its first frame.
    pub(in crate::medium::wifi) fn plan(
        &self,
        cx: &Shared,
        at: Edcaf,
        hop: Option<u32>,
        now: Time,
        until: Time,
    ) -> (FrameKind, Exchange) {
        if let Some(planned) = self.plan_under_session(cx, at, hop, now, until) {
            return planned;
        }
        let Edcaf { station, number } = at;
        let medium = self.medium(station);
        let mut field = None;
        let (to, bytes, rate, mode) = match hop {
            None => {
                let radio = &self.radios[station as usize];
                let notice = radio.notices.front().expect("a management frame waits");
                let rate = medium.phy.control;
                (notice.to, notice.bytes, rate, None)
            }
            Some(hop) => {
                let bytes = self.first_frame(&cx.network, hop, number);
                let hop = &self.hops[hop as usize];
                field = self.field_toward(station, hop.to);
                let bytes = bytes + field.unwrap_or(0);
                (hop.to, bytes, hop.rate, hop.mode)
            }
        };
        let rts = to != NOBODY && self.needs_rts(station, to, bytes);
        let kind = match (rts, to) {
            (true, _) => FrameKind::Rts,
            (false, NOBODY) => FrameKind::Group,
            (false, _) => FrameKind::Data,
        };
        let data = medium.data(bytes, rate, mode.as_ref());
        let reference = mode.map_or(rate, |mode| mode.reference());
        let exchange = Exchange {
            category: number as u8,
            hop,
            count: 1,
            mpdus: 1,
            to,
            data,
            ack: medium.ack(reference),
            bytes,
            field: field.is_some(),
            rate,
            reference,
            rts,
            block: false,
            goes_on: false,
            cleared: false,
            begun: now,
            txop_end: until,
            own_end: now,
        };
        (kind, exchange)
    }

    /// Whether a frame of so many bytes to a neighbour begins with an RTS: in a TXOP under multiple protection the first one does.
    pub(super) fn needs_rts(&self, station: u32, to: u32, bytes: u64) -> bool {
        let protected = &self.radios[station as usize].protected;
        bytes > self.medium(station).mac.rts_above && !protected.contains(&to)
    }

    /// Whether the TXOP has room for one more exchange like this one, and the category a frame for it.
    fn expects_another(
        &self,
        station: u32,
        number: usize,
        kind: FrameKind,
        exchange: &Exchange,
    ) -> bool {
        let radio = &self.radios[station as usize];
        let notices = usize::from(exchange.hop.is_none());
        if radio.categories[number].frames < 2 || radio.notices.len() > notices {
            return false;
        }
        let medium = self.medium(station);
        let whole = medium.whole(kind, exchange);
        exchange.begun + whole + medium.sifs + whole <= exchange.txop_end
    }

    /// A station begins to send a frame.
    pub(crate) fn emit(
        &mut self,
        cx: &mut Shared,
        station: u32,
        kind: FrameKind,
        to: u32,
        now: Time,
    ) {
        self.leave_record(station);
        let began = match kind.is_answer() {
            true => to,
            false => station,
        };
        let exchange = self.radios[began as usize].exchange.as_ref();
        let exchange = exchange.expect("a frame belongs to an exchange");
        let medium = &self.media[self.radios[station as usize].medium as usize];
        let (bytes, rate, span) = medium.on_air(kind, exchange);
        let ends = now + span + medium.delta;
        let rest = medium.nav(kind, exchange, ends);
        let aggregates = medium.aggregates();
        let hop = exchange.hop.filter(|_| kind == FrameKind::Data);
        let mode = hop.and_then(|hop| self.hops[hop as usize].mode);
        let duration = match self.log {
            Some(_) => medium.duration(kind, exchange, now + span),
            None => Span::ZERO,
        };
        let radio = &mut self.radios[station as usize];
        radio.count.airtime += span.0;
        radio.count.frames += 1;
        radio.frame = Some(Frame {
            kind,
            to,
            holder: began,
            begin: now,
            sent: now + span,
            rest,
            missed: false,
        });
        if aggregates {
            self.lay_out(&cx.network, station, kind, now);
        }
        if self.log.is_some() {
            let frame = AirFrame {
                at: now,
                from: station,
                to,
                kind,
                duration,
                rate,
                mode,
                part: None,
                body: None,
                number: 0,
                retry: false,
                fate: Fate::OnAir,
            };
            self.log_frame(&cx.network, frame);
        }
        if !self.sensing[station as usize].busy {
            self.freeze(station, now);
        }
        let sense = &mut self.sensing[station as usize];
        sense.sending = true;
        sense.lock = NOBODY;
        cx.run.calendar.push(ends, Code::Silence.of(station));
        self.reach_receivers(cx, station, (rate, mode, bytes), ends, now);
    }

    /// A frame of so many bytes at this rate, or of a mode, reaches those around its sender.
    fn reach_receivers(
        &mut self,
        cx: &mut Shared,
        station: u32,
        (rate, mode, bytes): (Rate, Option<Mode>, u64),
        ends: Time,
        now: Time,
    ) {
        match &self.medium(station).receivers {
            Some(receivers) => {
                let rung = match &mode {
                    Some(mode) => receivers.rung_of(mode),
                    None => receivers.rung(rate),
                };
                self.arrive(station, rung, bytes, ends, now);
                self.fail_missed(cx, station, now);
            }
            None => self.begin_on_disc(station, now),
        }
    }

    /// A frame of this station has begun. Exchanges fail whose answers are missed from now on: that frame, or those
    /// that it overpowers.
    fn fail_missed(&mut self, cx: &mut Shared, station: u32, now: Time) {
        let mut sender = Some(station);
        while let Some(answering) = sender {
            if let Some(waiting) = self.addressee_that_misses(answering) {
                self.exchange_failed(cx, waiting, now);
            }
            sender = self.next_left();
        }
    }

    /// The frame that a station sends has ended, and everybody has heard its end.
    pub(crate) fn silence(&mut self, cx: &mut Shared, station: u32, now: Time) {
        let air = &mut *self;
        let radio = &mut air.radios[station as usize];
        let frame = radio.frame.take().expect("a frame for its end");
        if let (Some(exchange), false) = (&mut radio.exchange, frame.kind.is_answer()) {
            exchange.own_end = now;
        }
        air.heard.clear();
        air.damaged.clear();
        air.overheard.clear();
        match air.medium(station).receivers.is_some() {
            true => air.end_on_channel(station, &frame, now),
            false => air.end_on_disc(station, &frame, now),
        }
        let next = self.conclude(cx, station, frame, now);
        self.follow_again(station, next.is_some());
        match next {
            // Nobody counts down within a SIFS, and few have an idle medium after it.
            Some(next) => self.radios[next as usize].after = station,
            None => self.schedule_soonest(&mut cx.run.calendar, station),
        }
    }
}
