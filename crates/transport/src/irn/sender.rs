//! The sending end: a NACK opens a recovery, in which what is missing is sent again once.

use std::collections::VecDeque;

use crate::controller::AnyController;
use crate::controller_interface::{Cause, Driven, Sent};
use crate::ends::Sender;
use crate::queue_pair::QueuePair;
use crate::rate::{Newest, Snapshot};
use crate::segment::{AckSegment, Segment, Signal};
use crate::sender_core::{AckSummary, SenderCore};
use crate::sender_state::{Inspection, SenderCounters};
use crate::setup::{MAX_UNACKNOWLEDGED, SenderSetup};
use crate::units::{Span, Time};

/// Packets in flight up to which the lower timeout holds.
const FEW: usize = 3;

/// A packet that is not acknowledged cumulatively.
#[derive(Copy, Clone, Debug)]
struct Packet {
    start: u64,
    len: u32,
    number: u64,
    again: bool,
    /// Acknowledged selectively.
    sacked: bool,
    /// Sent again in the recovery at hand.
    resent: bool,
    snapshot: Snapshot,
}

impl Packet {
    fn end(&self) -> u64 {
        self.start + u64::from(self.len)
    }
}

/// A recovery.
#[derive(Copy, Clone, Debug)]
struct Recovering {
    /// It ends when all below have arrived.
    until: u64,
    /// What lies below and is missing is sent again.
    highest: u64,
    /// Packets popped since the sender began, at the first that may have to be sent again.
    from: u64,
}

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
    recovering: Option<Recovering>,
    deadline: Time,
    paced: bool,
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
            recovering: None,
            deadline: Time::NEVER,
            paced: false,
        }
    }

    fn in_flight(&self) -> u64 {
        let sacked = match self.pair.counts_sacked {
            true => 0,
            false => self.sacked_bytes,
        };
        self.nxt - self.una - sacked
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
        if missing.is_none() {
            if self.written == self.nxt {
                if self.in_flight() < self.core.window() {
                    self.core.sampler.limit(self.in_flight());
                }
                return None;
            }
            let full = self.packets.len() as u64 >= MAX_UNACKNOWLEDGED;
            let window = self.core.window().max(1).min(self.pair.cap);
            if self.in_flight() >= window || full {
                self.core.note_window_limited();
                return None;
            }
        }
        if now < self.core.release() {
            self.paced = true;
            return None;
        }
        if missing.is_none() {
            let len = self.mss.min(self.written - self.nxt);
            self.packets.push_back(Packet {
                start: self.nxt,
                len: len as u32,
                number: 0,
                again: false,
                sacked: false,
                resent: false,
                snapshot: Snapshot::default(),
            });
        }
        Some(missing.unwrap_or(self.packets.len() - 1))
    }

    fn restart_timer(&mut self, now: Time) {
        let timeout = match self.packets.len() <= FEW {
            true => self.pair.timeout_low.or(self.pair.timeout),
            false => self.pair.timeout,
        };
        self.deadline = match timeout {
            Some(timeout) if !self.packets.is_empty() => now.after(timeout),
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
                IrnSender::count(summary, packet);
            }
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
    fn write(&mut self, bytes: u64) {
        self.written = self.written.saturating_add(bytes);
    }

    fn poll(&mut self, now: Time) -> Option<Segment> {
        let flight = self.in_flight();
        let place = self.choose(now)?;
        let number = self.number;
        self.number += 1;
        let packet = &mut self.packets[place];
        let (start, len) = (packet.start, u64::from(packet.len));
        let again = start < self.nxt;
        let snapshot = self.core.sampler.on_send(now, flight, len);
        (packet.number, packet.again, packet.resent) = (number, again, again);
        packet.snapshot = snapshot;
        self.nxt = self.nxt.max(packet.end());
        if self.deadline == Time::NEVER {
            self.restart_timer(now);
        }
        let feedback = self.core.on_sent(Sent {
            now,
            number,
            len,
            in_flight: self.in_flight(),
            again,
            app_limited: self.nxt == self.written,
        });
        Some(Segment {
            number,
            start,
            len: len as u32,
            again,
            // Every packet takes marks: nothing else tells of congestion.
            ecn: self.core.codepoint(false),
            cwr: false,
            push: start + len == self.written,
            sent: now,
            feedback,
        })
    }

    fn on_ack(&mut self, now: Time, ack: &AckSegment) {
        if ack.upto > self.nxt || ack.upto < self.una {
            return;
        }
        let flight = self.in_flight();
        let mut summary = AckSummary {
            prior_in_flight: flight,
            ..AckSummary::default()
        };
        if ack.upto > self.una {
            self.advance(now, ack.upto, &mut summary);
        }
        let block = ack.sack().next().filter(|_| ack.nack);
        if let Some((first, end)) = block {
            self.take_block(first, end, &mut summary);
        }
        self.core.sampler.on_delivered(now, summary.acked);
        let rtt = Span(now.0.saturating_sub(ack.echo.0));
        summary.rtt = Some(rtt);
        summary.one_way = Some(Span(ack.received.0.saturating_sub(ack.echo.0)));
        self.core.rtt.sample(rtt);
        self.core.rtt.observe(rtt);
        if self.recovering.is_some_and(|r| self.una >= r.until) {
            self.recovering = None;
            self.core
                .report_congestion(now, Cause::Recovered, flight, 0, 0);
        }
        if let Some((_, end)) = block {
            self.recover(now, end, Cause::Loss, flight);
        }
        let packets = u64::from(summary.segments);
        summary.marked = self.core.newly_marked(ack, summary.acked, packets);
        let (flight, recovering) = (self.in_flight(), self.recovering.is_some());
        self.core.on_ack(now, ack, &summary, flight, recovering);
    }

    fn on_signal(&mut self, now: Time, signal: &Signal) {
        self.core.on_signal(now, signal);
    }

    fn on_timer(&mut self, now: Time) {
        self.core.on_timer(now);
        if self.deadline > now {
            return;
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
        let pacing = if self.paced {
            self.core.release()
        } else {
            Time::NEVER
        };
        self.deadline.min(self.core.wake()).min(pacing)
    }

    fn prefetch(&self) -> u64 {
        self.core.prefetch() ^ self.una ^ self.packets.front().map_or(0, |p| p.start)
    }

    fn counters(&self) -> &SenderCounters {
        &self.core.counters
    }

    fn mss(&self) -> u64 {
        self.mss
    }

    fn window(&self) -> u64 {
        self.core.window()
    }

    fn controller(&self) -> &AnyController {
        self.core.controller()
    }

    fn drive(&mut self, outside: &mut dyn FnMut(&mut Driven)) {
        self.core.drive(outside);
    }

    fn inspect(&self) -> Inspection {
        self.core.inspect(self.window(), self.in_flight())
    }
}
