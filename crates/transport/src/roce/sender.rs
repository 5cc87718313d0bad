//! The sending end: it goes back to what a NACK asks for.

use std::collections::VecDeque;

use crate::controller::AnyController;
use crate::controller_interface::{Cause, Sent};
use crate::ends::Sender;
use crate::queue_pair::{QueuePair, may_leave};
use crate::rate::{Newest, Snapshot};
use crate::segment::{AckSegment, Segment};
use crate::sender_core::SenderCore;
use crate::sender_state::AckSummary;
use crate::setup::SenderSetup;
use crate::units::Time;

/// A packet in flight since the sender went back last.
#[derive(Copy, Clone, Debug)]
struct Flight {
    end: u64,
    number: u64,
    len: u32,
    again: bool,
    snapshot: Snapshot,
}

/// The sender.
#[derive(Clone, Debug)]
pub struct RoceSender {
    core: SenderCore,
    mss: u64,
    pair: QueuePair,
    written: u64,
    una: u64,
    nxt: u64,
    /// Bytes below were sent before.
    reached: u64,
    number: u64,
    flights: VecDeque<Flight>,
    /// A loss is reported again when more than this is acknowledged.
    recover: u64,
    deadline: Time,
    paced: bool,
}

impl RoceSender {
    /// A sender with nothing to send yet.
    pub fn new(setup: &SenderSetup, controller: AnyController) -> RoceSender {
        assert!(setup.mss > 0 && setup.mss <= u64::from(u32::MAX));
        RoceSender {
            core: SenderCore::new(setup, controller),
            mss: setup.mss,
            pair: setup.pair,
            written: 0,
            una: 0,
            nxt: 0,
            reached: 0,
            number: 0,
            flights: VecDeque::new(),
            recover: 0,
            deadline: Time::NEVER,
            paced: false,
        }
    }

    /// Bytes of the packet that leaves now, if any may. A packet leaves whole when less than a window is in flight.
    fn next_len(&mut self, now: Time) -> Option<u64> {
        self.paced = false;
        let len = self.mss.min(self.written - self.nxt);
        if len == 0 {
            if self.in_flight() < self.core.window() {
                self.core.sampler.limit(self.in_flight());
            }
            return None;
        }
        let (flight, kept) = (self.in_flight(), self.flights.len());
        if !may_leave(&mut self.core, self.pair.cap, flight, kept) {
            return None;
        }
        if now < self.core.release() {
            self.paced = true;
            return None;
        }
        Some(len)
    }

    fn restart_timer(&mut self, now: Time) {
        self.deadline = match self.pair.timeout {
            Some(timeout) if self.nxt > self.una => now.after(timeout),
            _ => Time::NEVER,
        };
    }

    /// Everything below has arrived.
    fn advance(&mut self, now: Time, upto: u64, summary: &mut AckSummary) {
        while let Some(flight) = self.flights.pop_front_if(|f| f.end <= upto) {
            summary.segments += 1;
            summary.newest = Some(Newest {
                number: flight.number,
                again: flight.again,
                snapshot: flight.snapshot,
            });
            summary.acked += u64::from(flight.len);
        }
        summary.advanced = upto - self.una;
        self.core.counters.acked += summary.advanced;
        self.core.sampler.on_delivered(now, summary.acked);
        self.una = upto;
        self.nxt = self.nxt.max(upto);
        self.restart_timer(now);
    }

    /// The receiver asks for this byte: everything from there on is sent again.
    fn go_back(&mut self, now: Time, to: u64, summary: &mut AckSummary) {
        let flight = self.in_flight();
        (self.una, self.nxt) = (to, to);
        self.flights.clear();
        self.core.counters.lost += 1;
        summary.lost += self.mss;
        summary.lost_segments += 1;
        self.restart_timer(now);
        if to >= self.recover {
            self.recover = self.reached;
            self.core.counters.recoveries += 1;
            self.core
                .report_congestion(now, Cause::Loss, flight, self.mss, flight);
        }
    }
}

impl Sender for RoceSender {
    fn core(&self) -> &SenderCore {
        &self.core
    }

    fn core_mut(&mut self) -> &mut SenderCore {
        &mut self.core
    }

    fn in_flight(&self) -> u64 {
        self.nxt - self.una
    }

    fn write(&mut self, bytes: u64) {
        self.written = self.written.saturating_add(bytes);
    }

    fn poll(&mut self, now: Time) -> Option<Segment> {
        let len = self.next_len(now)?;
        let (start, number) = (self.nxt, self.number);
        let snapshot = self.core.sampler.on_send(now, self.in_flight(), len);
        let again = start < self.reached;
        self.nxt += len;
        self.reached = self.reached.max(self.nxt);
        self.number += 1;
        self.flights.push_back(Flight {
            end: self.nxt,
            number,
            len: len as u32,
            again,
            snapshot,
        });
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
        Some(self.core.send(sent, start, self.nxt == self.written))
    }

    fn on_ack(&mut self, now: Time, ack: &AckSegment) {
        // An overtaken acknowledgement, or one of a message that has begun anew, says nothing.
        if ack.upto > self.reached || (ack.upto < self.una && !ack.nack) {
            return;
        }
        let mut summary = AckSummary {
            prior_in_flight: self.in_flight(),
            ..AckSummary::default()
        };
        if ack.upto > self.una {
            self.advance(now, ack.upto, &mut summary);
        }
        self.core.measure(now, ack, &mut summary);
        if ack.nack {
            self.go_back(now, ack.upto, &mut summary);
        }
        let packets = u64::from(summary.segments);
        summary.marked = self.core.newly_marked(ack, summary.acked, packets);
        let flight = self.in_flight();
        let recovering = self.una < self.recover;
        self.core.on_ack(now, ack, &summary, flight, recovering);
    }

    fn on_timer(&mut self, now: Time) {
        self.core.on_timer(now);
        if self.deadline > now {
            return;
        }
        let flight = self.in_flight();
        self.core.counters.timeouts += 1;
        self.nxt = self.una;
        self.flights.clear();
        self.deadline = Time::NEVER;
        self.recover = self.reached;
        self.core
            .report_congestion(now, Cause::Timeout, flight, self.mss, flight);
    }

    fn due(&self) -> Time {
        self.core.due(self.deadline, self.paced)
    }

    fn has_no_timer(&self) -> bool {
        self.nxt > self.una && self.deadline == Time::NEVER
    }

    fn prefetch(&self) -> u64 {
        self.core.prefetch() ^ self.una ^ self.flights.front().map_or(0, |f| f.end)
    }

    fn mss(&self) -> u64 {
        self.mss
    }
}
