//! Recovery of a stream: losses found, congestion reported, false losses undone, marks answered.

use super::delivery::Delivery;
use super::sender::{Phase, StreamSender};
use crate::controller_interface::Cause;
use crate::ends::Sender;
use crate::recovery::Detector;
use crate::recovery::prr::Prr;
use crate::recovery::tlp::Verdict;
use crate::scoreboard::State;
use crate::segment::AckSegment;
use crate::sender_state::AckSummary;
use crate::units::Time;

impl StreamSender {
    /// RFC 6582: duplicate and partial acknowledgements.
    pub(super) fn count_duplicates(
        &mut self,
        now: Time,
        ack: &AckSegment,
        outstanding: u64,
        summary: &mut AckSummary,
    ) {
        let Detector::NewReno(newreno) = &mut self.detector else {
            return;
        };
        if summary.acked > 0 {
            let partial = self.phase == Phase::Fast && self.una < self.recover;
            newreno.on_advance(summary.acked, partial);
            if partial {
                self.mark_front_lost(now, summary);
            }
            self.leave_recovery(now);
        } else if outstanding > 0 && ack.upto == self.una && self.phase != Phase::Timeout {
            let told = newreno.on_duplicate(outstanding);
            let delivered = newreno.deliver_duplicate(outstanding);
            self.core.sampler.on_delivered(now, delivered);
            if told && self.phase == Phase::Open && self.una >= self.guard {
                let mut before = *summary;
                before.prior_in_flight = newreno.flight();
                self.mark_front_lost(now, summary);
                (before.lost, before.tx_in_flight) = (summary.lost, summary.tx_in_flight);
                self.enter_fast(now, &before);
            }
        }
    }

    fn mark_front_lost(&mut self, now: Time, summary: &mut AckSummary) {
        let id = self.scoreboard.ids().start;
        if self.scoreboard.entry(id).state == State::InFlight {
            self.losses.push(id);
            self.declare_lost(now, summary);
        }
    }

    /// RFC 6675 or RFC 8985, and the undo of reductions after spurious losses.
    pub(super) fn detect_losses(&mut self, now: Time, ack: &AckSegment, delivery: &mut Delivery) {
        if let Detector::Rack(rack) = &mut self.detector {
            rack.on_ack(self.una, self.nxt, delivery.dsack.is_some());
        }
        self.undo_spurious(now, delivery);
        self.check_probe_result(now, ack, delivery);
        self.detect(now, &mut delivery.summary);
        self.leave_recovery(now);
        if self.needs_reduction() {
            let summary = delivery.summary;
            self.enter_fast(now, &summary);
            // If everything is already repaired, recovery ends at once.
            self.leave_recovery(now);
        }
    }

    /// Whether there are losses without a window reduction. The loss of a segment sent after the last
    /// reduction is a new congestion indication (RFC 5681 section 4.3): for a retransmission at once,
    /// for new data when recovery ends.
    pub(super) fn needs_reduction(&self) -> bool {
        match self.phase {
            Phase::Open => self.scoreboard.lost() > 0 || self.new_data_lost,
            Phase::Fast => self.retransmission_lost,
            Phase::Timeout => false,
        }
    }

    pub(super) fn detect(&mut self, now: Time, summary: &mut AckSummary) {
        let flow = self.flow(now);
        match &mut self.detector {
            Detector::Rack(rack) => rack.detect(flow, &self.scoreboard, &mut self.losses),
            Detector::Sack(sack) => sack.detect(&self.scoreboard, self.mss, &mut self.losses),
            Detector::NewReno(_) => {}
        }
        self.declare_lost(now, summary);
    }

    /// Takes the segments in `losses` out of flight.
    pub(super) fn declare_lost(&mut self, now: Time, summary: &mut AckSummary) {
        self.retransmission_lost = false;
        if self.losses.is_empty() {
            return;
        }
        let mut losses = std::mem::take(&mut self.losses);
        for id in losses.drain(..) {
            self.scoreboard.mark_lost(id);
            let entry = self.scoreboard.entry(id);
            let len = u64::from(entry.len);
            if entry.number >= self.first_after_reduction {
                let new = entry.start >= self.recover;
                self.new_data_lost |= new;
                self.retransmission_lost |= !new;
            }
            self.episode_lost += len;
            summary.lost += len;
            summary.lost_segments += 1;
            summary.tx_in_flight = entry.snapshot.tx_in_flight;
            let flight = self.in_flight();
            self.core
                .on_lost(now, entry.number, len, &entry.snapshot, flight);
        }
        self.losses = losses;
    }

    /// Recovery begins (RFC 5681 section 3.2, RFC 6582 section 3.2 step 2, RFC 9937), or a
    /// retransmission in the present recovery was lost. The latter reduces the window again but does
    /// not move the end: `recover` is set once (RFC 6675 section 5, step 4.1).
    pub(super) fn enter_fast(&mut self, now: Time, summary: &AckSummary) {
        let flight = summary.prior_in_flight;
        if self.phase != Phase::Fast {
            self.phase = Phase::Fast;
            self.recover = self.nxt;
            self.guard = self.nxt;
            self.episode_lost = summary.lost;
            self.undo
                .begin(self.una, self.scoreboard.retransmissions_in_flight());
        }
        self.new_data_lost = false;
        self.core.counters.recoveries += 1;
        // A mark already reduced the window in this window of data (RFC 3168 section 6.1.2).
        let marked = self.core.is_classic_ecn() && self.mark_ends > 0 && self.una <= self.mark_ends;
        if !marked {
            self.report_loss(now, Cause::Loss, flight, summary.lost, summary.tx_in_flight);
        }
        self.first_after_reduction = self.number;
        self.prr = self.proportional.then(|| Prr::new(self.mss, flight));
        self.bypass_window = !self.proportional;
    }

    /// A loss or a timeout reduces the window. The first new data afterwards carries CWR, whatever the
    /// reason for the reduction (RFC 3168 section 6.1.2).
    pub(super) fn report_loss(
        &mut self,
        now: Time,
        cause: Cause,
        flight: u64,
        lost: u64,
        tx_in_flight: u64,
    ) {
        self.cwr |= self.core.is_classic_ecn();
        self.core
            .report_congestion(now, cause, flight, lost, tx_in_flight);
    }

    fn leave_recovery(&mut self, now: Time) {
        if self.phase == Phase::Open || self.una < self.recover {
            return;
        }
        self.phase = Phase::Open;
        self.prr = None;
        if let Detector::Rack(rack) = &mut self.detector {
            rack.on_recovered();
        }
        let flight = self.in_flight();
        self.core
            .report_congestion(now, Cause::Recovered, flight, self.episode_lost, 0);
    }

    fn undo_spurious(&mut self, now: Time, delivery: &Delivery) {
        if let Some((start, _)) = delivery.dsack {
            self.undo.on_dsack(start);
        }
        if delivery.echoed {
            self.undo.on_echo();
        }
        // After a timeout the first segment decides for all (RFC 4015 section 3.2).
        let shown = if delivery.echoed && self.phase == Phase::Timeout {
            self.scoreboard.revert_losses();
            Some(self.undo.finish())
        } else if self.scoreboard.lost() == 0 {
            self.undo.all_spurious()
        } else {
            None
        };
        if let Some(resent) = shown {
            self.phase = Phase::Open;
            self.prr = None;
            self.new_data_lost = false;
            self.core.counters.spurious += resent;
            let flight = self.in_flight();
            self.core
                .report_congestion(now, Cause::Spurious, flight, 0, 0);
        }
    }

    /// A probe that repaired a loss is an indication of congestion (RFC 8985 section 7.4).
    fn check_probe_result(&mut self, now: Time, ack: &AckSegment, delivery: &Delivery) {
        let Some(tlp) = &mut self.tlp else {
            return;
        };
        let dsack = delivery.dsack.map(|d| d.1);
        let plain = delivery.summary.advanced == 0 && ack.blocks.count() == 0;
        if tlp.on_ack(ack.upto, dsack, plain) == Verdict::Repaired && self.phase == Phase::Open {
            self.core.counters.recoveries += 1;
            let flight = delivery.summary.prior_in_flight;
            let len = self.mss;
            self.report_loss(now, Cause::Loss, flight, len, flight);
            let flight = self.in_flight();
            self.core
                .report_congestion(now, Cause::Recovered, flight, len, 0);
        }
    }

    pub(super) fn react_to_marks(&mut self, now: Time, ack: &AckSegment, marked: u64, flight: u64) {
        // The classic echo lasts until CWR arrives: up to the end of recovery it tells of the window
        // that the loss has already reduced.
        let answered =
            self.una <= self.mark_ends || (self.core.is_classic_ecn() && self.una <= self.recover);
        let fresh = self.phase == Phase::Open && !answered;
        if fresh && self.core.reports_congestion(ack, marked) {
            self.mark_ends = self.nxt;
            self.cwr = true;
            self.core.counters.marks += 1;
            self.core.report_congestion(now, Cause::Mark, flight, 0, 0);
        }
    }
}
