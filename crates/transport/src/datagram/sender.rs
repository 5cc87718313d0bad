//! The sending end of the datagram protocol.

use std::collections::VecDeque;

use crate::controller::AnyController;
use crate::controller_interface::{Cause, Sent};
use crate::ends::Sender;
use crate::rate::{Newest, Snapshot};
use crate::segment::{AckSegment, Segment};
use crate::sender_core::SenderCore;
use crate::sender_state::AckSummary;
use crate::setup::{MAX_UNACKNOWLEDGED, SenderSetup};
use crate::units::{Span, Time};
use crate::walk::{Base, OnTheWay, Walk};

/// Overtaken packets remembered for late arrival.
const REMEMBERED: usize = 64;

/// Losses that count as one congestion event: from `from` on, until `until` is acknowledged.
#[derive(Copy, Clone, Debug)]
pub(super) struct Episode {
    pub(super) from: u64,
    pub(super) until: u64,
    /// Packets lost in it that have not arrived.
    pub(super) missing: u64,
}

/// The sender.
#[derive(Clone, Debug)]
pub struct DatagramSender {
    pub(super) core: SenderCore,
    pub(super) mss: u64,
    pub(super) silence: Span,
    pub(super) written: u64,
    pub(super) sent: u64,
    /// Packets in flight: those from `next - flying.len()` on.
    pub(super) packets: VecDeque<(u32, Snapshot)>,
    pub(super) next: u64,
    pub(super) in_flight: u64,
    pub(super) overtaken: VecDeque<(u64, u32)>,
    pub(super) episode: Option<Episode>,
    /// Packets from this number on left after the last reported loss.
    pub(super) first_after_reduction: u64,
    pub(super) mark_ends: u64,
    pub(super) deadline: Time,
    pub(super) extra: bool,
    pub(super) paced: bool,
}

impl DatagramSender {
    /// A sender with nothing to send yet.
    pub fn new(setup: &SenderSetup, controller: AnyController) -> DatagramSender {
        assert!(setup.mss > 0 && setup.mss <= u64::from(u32::MAX));
        DatagramSender {
            core: SenderCore::new(setup, controller),
            mss: setup.mss,
            silence: setup.silence,
            written: 0,
            sent: 0,
            packets: VecDeque::new(),
            next: 0,
            in_flight: 0,
            overtaken: VecDeque::new(),
            episode: None,
            first_after_reduction: 0,
            mark_ends: 0,
            deadline: Time::NEVER,
            extra: false,
            paced: false,
        }
    }

    /// Bytes of the packet that leaves now, if any may.
    fn next(&mut self, now: Time) -> Option<u64> {
        self.paced = false;
        let mut len = self.mss.min(self.written - self.sent);
        if len == 0 {
            if self.in_flight < self.core.window() {
                self.core.sampler.limit(self.in_flight);
            }
            self.extra = false;
            return None;
        }
        if !self.extra {
            let allowed = self.in_flight + len <= self.core.window();
            let full = self.packets.len() as u64 >= MAX_UNACKNOWLEDGED;
            self.core.capped |= allowed && full;
            if !allowed || full {
                let heartbeat = self.core.heartbeat();
                if heartbeat > 0 {
                    len = len.min(heartbeat);
                    return Some(len);
                }
                self.core.note_window_limited();
                if self.deadline == Time::NEVER {
                    self.deadline = now.after(self.silence);
                }
                return None;
            }
            if now < self.core.release() {
                self.paced = true;
                return None;
            }
        }
        self.extra = false;
        Some(len)
    }

    #[inline(always)]
    fn leave(&mut self, now: Time, len: u64) -> Segment {
        self.deadline = now.after(self.silence);
        let snapshot = self.core.sampler.on_send(now, self.in_flight, len);
        let (number, start) = (self.next, self.sent);
        self.packets.push_back((len as u32, snapshot));
        self.next += 1;
        self.sent += len;
        self.in_flight += len;
        let sent = Sent {
            now,
            number,
            len,
            in_flight: self.in_flight,
            again: false,
            app_limited: self.sent == self.written,
        };
        self.core.send(sent, start, true)
    }

    fn deliver(
        &mut self,
        now: Time,
        ack: &AckSegment,
        len: u32,
        snapshot: &Snapshot,
        summary: &mut AckSummary,
    ) {
        let rtt = self.core.rtt.told(now.since(snapshot.sent));
        summary.rtt = Some(rtt);
        summary.one_way = Some(Span(ack.received.0.saturating_sub(snapshot.sent.0)));
        self.core.rtt.sample(rtt);
        self.core.rtt.observe(rtt);
        self.core.sampler.on_delivered(now, u64::from(len));
        summary.newest = Some(Newest {
            number: ack.number,
            again: false,
            snapshot: *snapshot,
        });
        self.count(len, summary);
    }

    fn count(&mut self, len: u32, summary: &mut AckSummary) {
        summary.acked += u64::from(len);
        summary.advanced = summary.acked;
        summary.segments += 1;
        self.core.counters.acked += u64::from(len);
    }

    fn on_overtaken(&mut self, now: Time, number: u64, len: u32, snapshot: &Snapshot) {
        if self.overtaken.len() == REMEMBERED {
            self.overtaken.pop_front();
        }
        self.overtaken.push_back((number, len));
        let flight = self.in_flight;
        self.core
            .on_lost(now, number, u64::from(len), snapshot, flight);
    }

    fn on_late_arrival(&mut self, now: Time, number: u64, len: u32, summary: &mut AckSummary) {
        self.core.counters.spurious += 1;
        self.core.sampler.on_late(u64::from(len));
        self.count(len, summary);
        if let Some(e) = self.episode.as_mut().filter(|e| number >= e.from) {
            e.missing -= 1;
            if e.missing == 0 {
                self.episode = None;
                self.core
                    .report_congestion(now, Cause::Spurious, self.in_flight, 0, 0);
            }
        }
    }

    /// Losses begin an episode, which lasts until all packets then in flight are acknowledged or lost.
    /// Losses of the episode that this acknowledgement ended are not reported again.
    fn congestion(&mut self, now: Time, ack: &AckSegment, summary: &AckSummary) {
        if self.episode.is_some() {
            return;
        }
        let flight = summary.prior_in_flight;
        if summary.lost > 0 && ack.number > self.first_after_reduction {
            let from = self
                .first_after_reduction
                .max(ack.number - summary.lost_segments);
            self.episode = Some(Episode {
                from,
                until: self.next,
                missing: ack.number - from,
            });
            self.first_after_reduction = self.next;
            self.core.counters.recoveries += 1;
            self.core.report_congestion(
                now,
                Cause::Loss,
                flight,
                summary.lost,
                summary.tx_in_flight,
            );
        } else if self.core.reports_congestion(ack, summary.marked) && ack.number >= self.mark_ends
        {
            self.mark_ends = self.next;
            self.core.counters.marks += 1;
            self.core.report_congestion(now, Cause::Mark, flight, 0, 0);
        }
    }
}

impl Sender for DatagramSender {
    fn core(&self) -> &SenderCore {
        &self.core
    }

    fn core_mut(&mut self) -> &mut SenderCore {
        &mut self.core
    }

    fn take_options(&mut self, setup: &SenderSetup) {
        self.silence = setup.silence;
        self.core.take_options(setup);
    }

    fn in_flight(&self) -> u64 {
        self.in_flight
    }

    fn write(&mut self, bytes: u64) {
        self.written = self.written.saturating_add(bytes);
    }

    #[inline(always)]
    fn poll(&mut self, now: Time) -> Option<Segment> {
        let len = self.next(now)?;
        Some(self.leave(now, len))
    }

    fn on_ack(&mut self, now: Time, ack: &AckSegment) {
        if ack.number >= self.next {
            return;
        }
        self.deadline = now.after(self.silence);
        let mut summary = AckSummary {
            prior_in_flight: self.in_flight,
            ..AckSummary::default()
        };
        let first = self.next - self.packets.len() as u64;
        if let Some(e) = self.episode.filter(|e| ack.number >= e.until) {
            debug_assert!(e.from < e.until);
            self.episode = None;
            self.core
                .report_congestion(now, Cause::Recovered, self.in_flight, 0, 0);
        }
        if ack.number >= first {
            for number in first..=ack.number {
                let (len, snapshot) = self.packets.pop_front().expect("as many as are counted");
                self.in_flight -= u64::from(len);
                if number == ack.number {
                    self.deliver(now, ack, len, &snapshot, &mut summary);
                } else {
                    self.on_overtaken(now, number, len, &snapshot);
                    summary.lost += u64::from(len);
                    summary.lost_segments += 1;
                    summary.tx_in_flight = snapshot.tx_in_flight;
                }
            }
            if let Some(e) = self.episode.as_mut() {
                e.missing += ack.number - first;
            }
        } else if let Some(at) = self.overtaken.iter().position(|o| o.0 == ack.number) {
            let (_, len) = self.overtaken.remove(at).expect("found there");
            self.on_late_arrival(now, ack.number, len, &mut summary);
        } else {
            return;
        }
        summary.marked = self
            .core
            .newly_marked(ack, summary.acked, u64::from(summary.segments));
        self.congestion(now, ack, &summary);
        let recovering = self.episode.is_some();
        self.core
            .on_ack(now, ack, &summary, self.in_flight, recovering);
    }

    fn on_timer(&mut self, now: Time) {
        self.core.on_timer(now);
        if self.deadline <= now && self.written == self.sent {
            self.deadline = Time::NEVER;
        } else if self.deadline <= now {
            self.core.counters.timeouts += 1;
            self.extra = true;
            self.deadline = now.after(self.silence);
            self.core
                .report_congestion(now, Cause::Timeout, self.in_flight, 0, 0);
        }
    }

    fn due(&self) -> Time {
        self.core.due(self.deadline, self.paced)
    }

    fn prefetch(&self) -> u64 {
        self.core.prefetch() ^ self.in_flight ^ self.packets.front().map_or(0, |f| f.1.delivered)
    }

    fn mss(&self) -> u64 {
        self.mss
    }

    fn base(&self) -> Base {
        self.numbers()
    }

    fn walk(&mut self, walk: &mut Walk, flow: &str, on_the_way: &OnTheWay) {
        self.visit(walk, flow, on_the_way);
    }
}
