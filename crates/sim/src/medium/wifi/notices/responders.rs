//! Stations that are told: their responders answer, and what these want moved is moved.

use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Span, Time};

use crate::ids::FlowId;
use crate::knob::Range;
use crate::mechanism::carrier::AIR_UNIT;
use crate::mechanism::notice::Notice;
use crate::mechanism::responder::{AnyResponder, Hold, Knobs, Moved, Responder, Transmitter};
use crate::medium::access::CATEGORIES;
use crate::medium::wifi::air::Air;
use crate::medium::wifi::events::Code;
use crate::medium::wifi::radio::Hop;
use crate::packet::Traffic;
use crate::record::fingerprint::Mark;
use crate::record::{Record, What};
use crate::run::Run;
use crate::shared::Shared;
use crate::spec::Unchangeable;
use crate::table::Id;

/// Why a responder is called.
struct Occasion {
    /// The station that the notice came from; none for a timer and for what a station tells itself.
    next: Option<u32>,
    /// The unit of its quanta.
    unit: Span,
    now: Time,
}

/// Least and greatest AIFSN that a scenario may write.
const SLOTS: (f64, f64) = (1.0, 255.0);

impl Air {
    /// The bounds of the AIFSN of a station that answers no notices, and where it stands.
    pub(crate) fn range(
        &self,
        node: &str,
        category: &str,
        option: &str,
    ) -> Result<Range, Unchangeable> {
        let (station, number) = self.category(node, category, option)?;
        let now = f64::from(self.radios[station as usize].categories[number].set.aifsn);
        let (low, high) = SLOTS;
        Ok(Range { low, high, now })
    }

    /// Numbers of a station and of its access category.
    fn category(
        &self,
        node: &str,
        category: &str,
        option: &str,
    ) -> Result<(u32, usize), Unchangeable> {
        let refuse = |what, fix| Err(Unchangeable { what, fix });
        let Some(station) = self.radios.iter().position(|one| one.name == node) else {
            let what = format!("there is no station `{node}`");
            return refuse(what, "name one of the scenario");
        };
        let of = &self.radios[station];
        // The one queue of DCF is best effort.
        let number = match of.categories.len() {
            1 => (category == "BE").then_some(0),
            _ => CATEGORIES.iter().position(|one| *one == category),
        };
        let Some(number) = number.filter(|_| option == "aifsn") else {
            let what = format!("the station `{node}` has no `{category}.{option}` to move");
            return refuse(what, "write nodes.NAME.ac.BE.aifsn");
        };
        if !of.responders.is_empty() {
            let what = format!("a mechanism moves the parameters of `{node}`");
            return refuse(what, "take a station that answers no notices");
        }
        Ok((station as u32, number))
    }

    /// Gives such a category another AIFSN from now on.
    pub(crate) fn turn(
        &mut self,
        run: &mut Run,
        (node, name): (&str, &str),
        value: f64,
        now: Time,
    ) {
        let Ok((station, category)) = self.category(node, name, "aifsn") else {
            return;
        };
        let slots = value.clamp(SLOTS.0, SLOTS.1) as u8;
        let radio = &mut self.radios[station as usize];
        if radio.categories[category].set.aifsn == slots {
            return;
        }
        radio.written[category].aifsn = slots;
        let moved = Moved {
            category,
            set: radio.written[category],
            pace: None,
            level: radio.steps[category],
        };
        self.move_knob(run, station, &moved, now);
    }

    /// Moves a category's parameters.
    fn move_knob(&mut self, run: &mut Run, station: u32, moved: &Moved, now: Time) {
        let (number, set) = (moved.category, moved.set);
        let count = self.station_count(station, now);
        self.leave_record(station);
        let sense = self.sensing[station as usize];
        let radio = &mut self.radios[station as usize];
        (radio.count.aifsn, radio.count.moved) = (count.aifsn, now);
        let medium = &self.media[radio.medium as usize];
        let base = if sense.busy { now } else { sense.base() };
        let first = radio.hops.first().copied();
        radio.steps[number] = moved.level;
        let c = &mut radio.categories[number];
        if let Some(pace) = moved.pace {
            c.pace = pace;
        }
        let changed = c.set.aifsn != set.aifsn;
        let ready = if sense.busy { Time::ZERO } else { now };
        c.move_to(set, base, ready, medium.sifs, medium.slot);
        let detail = u64::from(moved.level) << 8 | number as u64;
        run.books.fingerprint.add(Mark::Knob, now, station, detail);
        if let (Some(records), Some(hop), true) = (&mut run.books.record, first, changed) {
            records.push(Record {
                at: now,
                what: What::Aifsn,
                port: self.hops[hop as usize].port,
                flow: Id::NONE,
                seq: 0,
                to: 0,
                len: 0,
                traffic: Traffic::new(number as u8, Ecn::NotEct),
                value: u64::from(set.aifsn),
                gated: 0,
                notice: None,
                header: None,
            });
        }
        if !sense.busy {
            let at = self.expiry(station);
            self.schedule_group(&mut run.calendar, sense.cover, at);
        }
    }
}

impl Air {
    /// Lends a station's knobs to one of its responders, and moves what that wants moved.
    fn move_station(
        &mut self,
        cx: &mut Shared,
        station: u32,
        at: usize,
        occasion: Occasion,
        act: impl FnOnce(&mut AnyResponder, &mut Knobs),
    ) {
        let Occasion { next, unit, now } = occasion;
        let radio = &mut self.radios[station as usize];
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
            timer_from: now,
            unit,
            gates,
            next,
            transmitter: Some(&mut transmitter),
        };
        act(responder, &mut knobs);
        if gated {
            self.gates_moved(&mut cx.run.calendar, station, now);
        }
        for at in transmitter.timers {
            cx.run.calendar.push(at, Code::Expire.of(station));
        }
        for moved in transmitter.moved {
            self.move_knob(&mut cx.run, station, &moved, now);
        }
        for (flow, hold) in transmitter.held {
            match hold {
                Hold::To(rate) => self.hold_to(&cx.network, station, flow, rate),
                Hold::End => self.end_hold(station, flow),
            }
        }
    }

    /// An instruction to a station may have expired.
    pub(crate) fn expire(&mut self, cx: &mut Shared, id: u32, now: Time) {
        for at in 0..self.radios[id as usize].responders.len() {
            let occasion = Occasion {
                next: None,
                unit: AIR_UNIT,
                now,
            };
            self.move_station(cx, id, at, occasion, |r, knobs| r.timer(knobs));
        }
    }

    /// The responder of a station answers a notice, maybe one of its own.
    pub(crate) fn answer_at(
        &mut self,
        cx: &mut Shared,
        from: u32,
        station: u32,
        notice: &Notice,
        now: Time,
    ) {
        let responders = &self.radios[station as usize].responders;
        let mut owners = responders.iter().map(|(mechanism, _)| *mechanism);
        if let Some(at) = owners.position(|owner| owner == notice.mechanism) {
            let next = (from != station).then_some(from);
            if next.is_some() {
                cx.mechanisms.note_heard(notice.mechanism);
            }
            let unit = notice.unit().unwrap_or(AIR_UNIT);
            for notice in notice.by_category() {
                let react = |r: &mut AnyResponder, knobs: &mut Knobs| r.react(&notice, knobs);
                self.move_station(cx, station, at, Occasion { next, unit, now }, react);
            }
        }
    }

    /// A station has received the management frame that another sends; one without a responder for it does nothing.
    pub(crate) fn receive_management_frame(
        &mut self,
        cx: &mut Shared,
        from: u32,
        station: u32,
        now: Time,
    ) {
        let sender = &self.radios[from as usize];
        let sent = sender.notices.front().expect("the frame that was sent");
        let notice = sent.notice.clone();
        if !notice.is_for_all_receivers() && !self.are_peers(from, station) {
            return;
        }
        self.answer_at(cx, from, station, &notice, now);
    }

    /// A notice has reached the station that it is for, maybe once more.
    pub(crate) fn receive_notice(&mut self, cx: &mut Shared, from: u32, station: u32, now: Time) {
        let sender = &mut self.radios[from as usize];
        let sent = sender.notices.front_mut().expect("the frame that was sent");
        if !std::mem::replace(&mut sent.heard, true) {
            self.receive_management_frame(cx, from, station, now);
        }
    }

    /// The turn of a held flow's next packet.
    pub(crate) fn release_held(&mut self, cx: &mut Shared, flow: FlowId, now: Time) {
        let port = cx.network.flows[flow].port;
        let hop = self.hop_number(port);
        let Hop { from, rate, .. } = self.hops[hop as usize];
        let radio = &mut self.radios[from as usize];
        let at = radio.holds.iter().position(|h| h.flow == flow);
        let at = at.expect("a flow that is held");
        let held = &mut radio.holds[at];
        let packet_id = cx.network.packets.take_after(&mut held.list, Id::NONE);
        held.frames -= 1;
        let len = u64::from(cx.network.packets[packet_id].len);
        held.next = now + held.rate.unwrap_or(rate).time_for(Bytes(len));
        if held.frames > 0 {
            cx.run.calendar.push(held.next, Code::Release.of(flow.0));
        } else if held.rate.is_none() {
            radio.holds.remove(at);
        }
        self.enqueue_at_hop(cx, hop, packet_id, now);
    }
}
