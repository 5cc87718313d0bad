//! The sending end: a NACK opens a recovery, in which what is missing is sent again once.

use std::collections::VecDeque;

use super::credit::{Credit, request};
use super::packet::{Packet, Recovering};
use crate::controller::AnyController;
use crate::controller_interface::{Cause, Sent};
use crate::ends::Sender;
use crate::queue_pair::{QueuePair, may_leave};
use crate::rate::{Newest, Snapshot};
use crate::segment::{AckSegment, Segment, Signal};
use crate::sender_core::SenderCore;
use crate::sender_state::AckSummary;
use crate::setup::SenderSetup;
use crate::units::Time;

/// Packets in flight up to which the lower timeout holds.
const FEW: usize = 3;

/// The sender.
#[derive(Clone, Debug)]
pub struct IrnSender {
    core: SenderCore,
    mss: u64,
    pair: QueuePair,
    written: u64,
    una: u64,
    nxt: u64,
    number: u64,
    packets: VecDeque<Packet>,
    /// Packets acknowledged cumulatively.
    popped: u64,
    sacked_bytes: u64,
    /// Packets of which only the header came, to be sent again.
    trimmed: u64,
    trimmed_bytes: u64,
    /// A packet that was trimmed is reported to the controller when it left after so many others: once a round trip.
    reported: u64,
    recovering: Option<Recovering>,
    deadline: Time,
    paced: bool,
    /// Where the receiver paces its senders.
    credit: Option<Credit>,
}

impl IrnSender {
    /// A sender with nothing to send yet.
    pub fn new(setup: &SenderSetup, controller: AnyController) -> IrnSender {
        assert!(setup.mss > 0 && setup.mss <= u64::from(u32::MAX));
        IrnSender {
            core: SenderCore::new(setup, controller),
            mss: setup.mss,
            pair: setup.pair,
            written: 0,
            una: 0,
            nxt: 0,
            number: 0,
            packets: VecDeque::new(),
            popped: 0,
            sacked_bytes: 0,
            trimmed: 0,
            trimmed_bytes: 0,
            reported: 0,
            recovering: None,
            deadline: Time::NEVER,
            paced: false,
            credit: setup
                .pair
                .pull
                .map(|pull| Credit::new(pull, setup.mss, setup.frame)),
        }
    }

    /// Bytes that wait to be sent, for the first time or because only their header came.
    fn waiting(&self) -> u64 {
        (self.written - self.nxt).saturating_add(self.trimmed_bytes)
    }

    /// Asks for credit, if that is what data wait for.
    fn request(&mut self, now: Time) -> Option<Segment> {
        let (waiting, window) = (self.waiting(), self.core.window());
        let wanted = self.credit.as_mut()?.request(waiting, window)?;
        self.number += 1;
        if self.deadline == Time::NEVER {
            self.restart_timer(now);
        }
        Some(request(now, self.number - 1, self.nxt, wanted))
    }

    /// Place of the packet to send again, if the recovery at hand has one left.
    fn missing(&mut self) -> Option<usize> {
        let recovering = self.recovering.as_mut()?;
        let mut place = recovering.from.saturating_sub(self.popped) as usize;
        while let Some(packet) = self.packets.get(place)
            && packet.end() <= recovering.highest
        {
            recovering.from = self.popped + place as u64;
            if !packet.sacked && !packet.resent {
                return Some(place);
            }
            place += 1;
        }
        None
    }

    /// The packet that leaves now, if any may: what is missing, whatever the window, or new data.
    fn choose(&mut self, now: Time) -> Option<usize> {
        self.paced = false;
        let missing = self.missing();
        let trimmed = (self.trimmed > 0)
            .then(|| self.packets.iter().position(|p| p.trimmed))
            .flatten();
        if missing.is_none() {
            if trimmed.is_none() && self.written == self.nxt {
                if self.in_flight() < self.core.window() {
                    self.core.sampler.limit(self.in_flight());
                }
                return None;
            }
            let (flight, kept) = (self.in_flight(), self.packets.len());
            if !may_leave(&mut self.core, self.pair.cap, flight, kept) {
                return None;
            }
            if self.credit.as_ref().is_some_and(|c| !c.is_left()) {
                return None;
            }
        }
        if now < self.core.release() {
            self.paced = true;
            return None;
        }
        let missing = missing.or(trimmed);
        if missing.is_none() {
            let len = self.mss.min(self.written - self.nxt);
            self.packets.push_back(Packet {
                start: self.nxt,
                len: len as u32,
                number: 0,
                again: false,
                sacked: false,
                resent: false,
                trimmed: false,
                snapshot: Snapshot::default(),
            });
        }
        Some(missing.unwrap_or(self.packets.len() - 1))
    }

    fn restart_timer(&mut self, now: Time) {
        let waits = self.credit.is_some() && self.waiting() > 0;
        let timeout = match self.packets.len() <= FEW {
            true => self.pair.timeout_low.or(self.pair.timeout),
            false => self.pair.timeout,
        };
        self.deadline = match timeout {
            Some(timeout) if !self.packets.is_empty() || waits => now.after(timeout),
            _ => Time::NEVER,
        };
    }

    fn count(summary: &mut AckSummary, packet: &Packet) {
        summary.acked += u64::from(packet.len);
        summary.segments += 1;
        if summary.newest.is_none_or(|n| packet.number > n.number) {
            summary.newest = Some(Newest {
                number: packet.number,
                again: packet.again,
                snapshot: packet.snapshot,
            });
        }
    }

    /// Everything below has arrived.
    fn advance(&mut self, now: Time, upto: u64, summary: &mut AckSummary) {
        while let Some(packet) = self.packets.pop_front_if(|p| p.end() <= upto) {
            self.popped += 1;
            self.count_trimmed(packet.trimmed, false, packet.len);
            match packet.sacked {
                true => self.sacked_bytes -= u64::from(packet.len),
                false => IrnSender::count(summary, &packet),
            }
        }
        summary.advanced = upto - self.una;
        self.core.counters.acked += summary.advanced;
        self.una = upto;
        self.restart_timer(now);
    }

    /// The packets of this block have arrived out of order.
    fn take_block(&mut self, first: u64, end: u64, summary: &mut AckSummary) {
        let from = self.packets.partition_point(|p| p.start < first);
        for packet in self.packets.iter_mut().skip(from) {
            if packet.end() > end {
                break;
            }
            if !std::mem::replace(&mut packet.sacked, true) {
                self.sacked_bytes += u64::from(packet.len);
                if std::mem::take(&mut packet.trimmed) {
                    self.trimmed -= 1;
                    self.trimmed_bytes -= u64::from(packet.len);
                }
                IrnSender::count(summary, packet);
            }
        }
    }

    /// A packet counts as trimmed no longer, or from now on.
    fn count_trimmed(&mut self, was: bool, is: bool, len: u32) {
        self.trimmed = self.trimmed + u64::from(is) - u64::from(was);
        let len = u64::from(len);
        self.trimmed_bytes = self.trimmed_bytes + u64::from(is) * len - u64::from(was) * len;
    }

    /// Of the packet that begins here, and left with this number, only the header came: it is sent again when the window lets it.
    fn on_trimmed(&mut self, now: Time, start: u64, number: u64, summary: &mut AckSummary) {
        let place = self.packets.partition_point(|p| p.start < start);
        let Some(packet) = self.packets.get_mut(place) else {
            return;
        };
        if (packet.start, packet.number) != (start, number) || packet.sacked || packet.trimmed {
            return;
        }
        packet.trimmed = true;
        let (len, flight) = (packet.len, self.in_flight());
        self.count_trimmed(false, true, len);
        self.core.counters.lost += 1;
        summary.lost += u64::from(len);
        summary.lost_segments += 1;
        if number >= self.reported {
            self.reported = self.number;
            self.core
                .report_congestion(now, Cause::Loss, flight, u64::from(len), flight);
        }
    }

    /// Something is missing below `highest`.
    fn recover(&mut self, now: Time, highest: u64, cause: Cause, flight: u64) {
        if let Some(recovering) = &mut self.recovering
            && cause == Cause::Loss
        {
            recovering.highest = recovering.highest.max(highest);
            return;
        }
        for packet in &mut self.packets {
            packet.resent = false;
        }
        self.recovering = Some(Recovering {
            until: self.nxt,
            highest,
            from: self.popped,
        });
        self.core.counters.recoveries += 1;
        self.core
            .report_congestion(now, cause, flight, self.mss, flight);
    }
}

impl Sender for IrnSender {
    fn core(&self) -> &SenderCore {
        &self.core
    }

    fn core_mut(&mut self) -> &mut SenderCore {
        &mut self.core
    }

    fn in_flight(&self) -> u64 {
        let sacked = match self.pair.counts_sacked {
            true => 0,
            false => self.sacked_bytes,
        };
        self.nxt - self.una - sacked - self.trimmed_bytes
    }

    fn write(&mut self, bytes: u64) {
        self.written = self.written.saturating_add(bytes);
    }

    fn poll(&mut self, now: Time) -> Option<Segment> {
        let flight = self.in_flight();
        let Some(place) = self.choose(now) else {
            return self.request(now);
        };
        let number = self.number;
        self.number += 1;
        let packet = &mut self.packets[place];
        let (start, len) = (packet.start, u64::from(packet.len));
        let again = start < self.nxt;
        let snapshot = self.core.sampler.on_send(now, flight, len);
        (packet.number, packet.again, packet.resent) = (number, again, again);
        packet.snapshot = snapshot;
        let was = std::mem::take(&mut packet.trimmed);
        self.count_trimmed(was, false, len as u32);
        let packet = &self.packets[place];
        self.nxt = self.nxt.max(packet.end());
        if self.deadline == Time::NEVER {
            self.restart_timer(now);
        }
        let sent = Sent {
            now,
            number,
            len,
            in_flight: self.in_flight(),
            again,
            app_limited: self.nxt == self.written,
        };
        let mut segment = self.core.send(sent, start, start + len == self.written);
        let (waiting, window) = (self.waiting(), self.core.window());
        if let Some(credit) = &mut self.credit {
            credit.spend(len);
            let wanted = credit.say(waiting, window, again);
            segment.feedback = Some(Box::new(wanted));
        }
        Some(segment)
    }

    fn on_ack(&mut self, now: Time, ack: &AckSegment) {
        if ack.upto > self.nxt || ack.upto < self.una {
            return;
        }
        if let Some(credit) = &mut self.credit {
            credit.hear();
        }
        let flight = self.in_flight();
        let mut summary = AckSummary {
            prior_in_flight: flight,
            ..AckSummary::default()
        };
        if ack.upto > self.una {
            self.advance(now, ack.upto, &mut summary);
        }
        let block = ack.sack().next();
        if let Some(start) = ack.trimmed() {
            self.on_trimmed(now, start, ack.number, &mut summary);
        }
        if let Some((first, end)) = block {
            self.take_block(first, end, &mut summary);
        }
        self.core.sampler.on_delivered(now, summary.acked);
        self.core.measure(now, ack, &mut summary);
        if self.recovering.is_some_and(|r| self.una >= r.until) {
            self.recovering = None;
            self.core
                .report_congestion(now, Cause::Recovered, flight, 0, 0);
        }
        if let Some((_, end)) = block.filter(|b| ack.nack && b.0 < b.1) {
            self.recover(now, end, Cause::Loss, flight);
        }
        let packets = u64::from(summary.segments);
        summary.marked = self.core.newly_marked(ack, summary.acked, packets);
        let (flight, recovering) = (self.in_flight(), self.recovering.is_some());
        self.core.on_ack(now, ack, &summary, flight, recovering);
    }

    fn on_signal(&mut self, now: Time, signal: &Signal) {
        match (signal, &mut self.credit) {
            (Signal::Credit { granted }, Some(credit)) => credit.take(*granted),
            _ => self.core.on_signal(now, signal),
        }
    }

    fn on_timer(&mut self, now: Time) {
        self.core.on_timer(now);
        if self.deadline > now {
            return;
        }
        if let Some(credit) = &mut self.credit
            && self.packets.is_empty()
        {
            credit.forget();
            return self.restart_timer(now);
        }
        self.core.counters.timeouts += 1;
        let flight = self.in_flight();
        // The first packet goes again, and what lies below a packet that has arrived; others may be on their way.
        let arrived = self.packets.iter().rev().find(|p| p.sacked);
        let known = arrived.or(self.packets.front()).map(Packet::end);
        self.recover(now, known.unwrap_or(self.nxt), Cause::Timeout, flight);
        self.restart_timer(now);
    }

    fn due(&self) -> Time {
        self.core.due(self.deadline, self.paced)
    }

    fn has_no_timer(&self) -> bool {
        self.nxt > self.una && self.deadline == Time::NEVER
    }

    fn prefetch(&self) -> u64 {
        self.core.prefetch() ^ self.una ^ self.packets.front().map_or(0, |p| p.start)
    }

    fn mss(&self) -> u64 {
        self.mss
    }
}
