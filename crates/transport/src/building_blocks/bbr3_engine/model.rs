//! The model of the path: rates, round trips, aggregation and bounds (section 5.5 of the draft).

use super::engine::{Engine, State, Undo};
use crate::building_blocks::bbr_common;
use crate::segment::Ecn;
use crate::units::Span;

/// Rounds with too many marks that end Startup (Linux `bbr_full_ecn_cnt`).
const FULL_ECN_COUNT: u32 = 2;

impl<const LINUX: bool> Engine<LINUX> {
    /// BDPMultiple: the initial window until there is a round trip.
    pub(super) fn bdp_multiple(&self, gain: f64) -> f64 {
        bbr_common::bdp(self.min_rtt, self.bw, gain, self.initial)
    }

    /// QuantizationBudget, with three quanta of 1 ms at the pacing rate.
    pub(super) fn quantized(&self, inflight: f64) -> f64 {
        let quantum = (self.pacing_rate * 1e-3).min(65536.0).max(2.0 * self.mss);
        let up = match self.state {
            State::Up => 2.0 * self.mss,
            _ => 0.0,
        };
        inflight.max(3.0 * quantum).max(self.c.min_pipe) + up
    }

    pub(super) fn inflight(&self, gain: f64) -> f64 {
        self.quantized(self.bdp_multiple(gain))
    }

    pub(super) fn inflight_with_headroom(&self) -> f64 {
        if self.inflight_longterm.is_infinite() {
            return f64::INFINITY;
        }
        let headroom = self.mss.max(self.c.headroom * self.inflight_longterm);
        (self.inflight_longterm - headroom).max(self.c.min_pipe)
    }

    pub(super) fn target_inflight(&self) -> f64 {
        self.bdp_multiple(1.0).min(self.cwnd)
    }

    pub(super) fn extra_acked(&self) -> f64 {
        let extra = self.extra_acked.get().unwrap_or(0) as f64;
        match self.c.extra_acked_cap {
            Some(cap) => extra.min(self.bw * cap.seconds()),
            None => extra,
        }
    }

    pub(super) fn start_round(&mut self) {
        self.next_round_delivered = self.delivered;
    }

    fn update_round(&mut self) {
        // Without a sample the sender's round count decides.
        self.round_start = match self.rs.prior_delivered {
            Some(prior) => prior >= self.next_round_delivered,
            None => self.rs.round_start,
        };
        if self.round_start {
            self.start_round();
            self.round_count += 1;
            self.rounds_since_probe_up += 1;
        }
    }

    pub(super) fn update_latest_delivery_signals(&mut self) {
        self.loss.round_start = false;
        self.bw_latest = self.bw_latest.max(self.rs.rate);
        self.inflight_latest = self.inflight_latest.max(self.rs.delivered);
        if self
            .rs
            .prior_delivered
            .is_some_and(|prior| prior >= self.loss.round_delivered)
        {
            self.loss.round_delivered = self.delivered;
            self.loss.round_start = true;
        }
    }

    pub(super) fn advance_latest_delivery_signals(&mut self) {
        if self.loss.round_start {
            self.bw_latest = self.rs.rate;
            self.inflight_latest = self.rs.delivered;
            self.loss.ranges = 0;
            self.loss.last = None;
        }
    }

    pub(super) fn reset_congestion_signals(&mut self) {
        self.loss.in_round = false;
        self.bw_latest = 0.0;
        self.inflight_latest = 0.0;
    }

    pub(super) fn reset_short_term_model(&mut self) {
        self.bw_shortterm = f64::INFINITY;
        self.inflight_shortterm = f64::INFINITY;
    }

    pub(super) fn update_congestion_signals(&mut self) {
        self.update_round();
        if self.rs.rate > 0.0 && (self.rs.rate >= self.max_bw || !self.rs.app_limited) {
            self.cycles[1] = self.cycles[1].max(self.rs.rate);
            self.max_bw = self.cycles[0].max(self.cycles[1]);
        }
        if self.loss.round_start {
            self.adapt_lower_bounds();
            self.loss.in_round = false;
        }
    }

    /// A cycle without samples does not replace one with samples.
    pub(super) fn advance_max_bw_filter(&mut self) {
        if self.cycles[1] > 0.0 {
            self.cycles = [self.cycles[1], 0.0];
            self.max_bw = self.cycles[0];
        }
    }

    fn adapt_lower_bounds(&mut self) {
        if matches!(self.state, State::Startup | State::Refill | State::Up) {
            return;
        }
        let marked = self.ecn_eligible() && self.ecn_round.marked > 0.0;
        if !self.loss.in_round && !marked {
            return;
        }
        if self.inflight_shortterm.is_infinite() {
            self.inflight_shortterm = self.cwnd;
        }
        let mut inflight = self.inflight_shortterm;
        if self.loss.in_round {
            if self.bw_shortterm.is_infinite() {
                self.bw_shortterm = self.max_bw;
            }
            self.bw_shortterm = self.bw_latest.max(self.c.beta * self.bw_shortterm);
            inflight = self.inflight_latest.max(self.c.beta * inflight);
        }
        if marked {
            let kept = 1.0 - self.ecn_alpha * self.c.ecn_factor;
            inflight = inflight.min(kept * self.inflight_shortterm);
        }
        self.inflight_shortterm = inflight;
    }

    fn ecn_eligible(&self) -> bool {
        self.c.ecn != Ecn::NotEct && self.min_rtt <= self.c.ecn_most_rtt
    }

    /// Linux v3: the share of marks in each round, its average, and the end of Startup by marks.
    pub(super) fn update_ecn(&mut self) {
        if !self.round_start {
            return;
        }
        self.ecn_round.ce_ratio = match self.ecn_eligible() && self.ecn_round.acked > 0.0 {
            true => self.ecn_round.marked / self.ecn_round.acked,
            false => 0.0,
        };
        self.ecn_round.acked = 0.0;
        self.ecn_round.marked = 0.0;
        if !self.ecn_eligible() {
            return;
        }
        self.ecn_alpha += self.c.ecn_gain * (self.ecn_round.ce_ratio - self.ecn_alpha);
        self.ecn_round.ce_rounds = match self.ecn_round.ce_ratio >= self.c.ecn_thresh {
            true => self.ecn_round.ce_rounds + 1,
            false => 0,
        };
        if self.state == State::Startup && self.ecn_round.ce_rounds >= FULL_ECN_COUNT {
            self.full_bw_now = true;
            self.full_bw_reached = true;
            self.inflight_longterm = self.bdp_multiple(1.0);
        }
        if self.is_bw_probe_sample && self.ecn_round.ce_rounds > 0 {
            self.handle_inflight_too_high();
        }
    }

    pub(super) fn update_ack_aggregation(&mut self) {
        let acked = self.rs.newly_acked;
        let extra = self.aggregation.excess(self.now, acked, self.bw, self.cwnd);
        let rounds = match self.full_bw_reached {
            true => self.c.extra_acked_rounds,
            false => 1,
        };
        self.extra_acked
            .update(self.round_count, rounds, extra as u64);
    }

    /// NoteLoss, and the range count for CheckStartupHighLoss.
    pub(super) fn note_loss(&mut self, number: u64) {
        self.begin_episode();
        if !self.loss.in_round {
            self.loss.round_delivered = self.delivered;
        }
        self.loss.in_round = true;
        if self.loss.last.is_none_or(|last| number != last + 1) {
            self.loss.ranges += 1;
        }
        self.loss.last = Some(number);
    }

    /// SaveStateUponLoss, unless an episode is open.
    pub(super) fn begin_episode(&mut self) {
        if self.episode {
            return;
        }
        self.episode = true;
        self.save_cwnd();
        self.undo = Undo {
            state: None,
            bw_shortterm: self.bw_shortterm,
            inflight_shortterm: self.inflight_shortterm,
            inflight_longterm: self.inflight_longterm,
        };
    }

    pub(super) fn is_inflight_too_high(&self) -> bool {
        self.rs.lost > self.rs.tx_in_flight * self.c.loss_thresh
    }

    /// InflightAtLoss: bytes in flight when losses crossed the threshold within this segment.
    pub(super) fn inflight_at_loss(&self, size: f64) -> f64 {
        let inflight_prev = self.rs.tx_in_flight - size;
        let lost_prev = self.rs.lost - size;
        let prefix = (self.c.loss_thresh * inflight_prev - lost_prev) / (1.0 - self.c.loss_thresh);
        inflight_prev + prefix
    }

    /// UpdateMinRTT: of draft-06 with a filter of its own for ProbeRTT, or of the draft's head.
    pub(super) fn update_min_rtt(&mut self, rtt: Option<Span>) {
        let expired = self.now > self.min_rtt_stamp.after(self.c.min_rtt_filter);
        if self.c.head {
            self.probe_rtt_expired = expired;
            if expired && self.state != State::ProbeRtt {
                let cwnd = self.bdp_multiple(self.c.probe_rtt_gain);
                self.probe_rtt_cwnd = cwnd.max(self.c.min_pipe);
            }
            if let Some(rtt) = rtt
                && (rtt < self.min_rtt || expired)
            {
                self.min_rtt = rtt;
                self.min_rtt_stamp = self.now;
            }
            return;
        }
        self.probe_rtt_expired =
            self.now > self.probe_rtt_min_stamp.after(self.c.probe_rtt_interval);
        if let Some(rtt) = rtt
            && (rtt < self.probe_rtt_min || self.probe_rtt_expired)
        {
            self.probe_rtt_min = rtt;
            self.probe_rtt_min_stamp = self.now;
        }
        if self.probe_rtt_min < self.min_rtt || expired {
            self.min_rtt = self.probe_rtt_min;
            self.min_rtt_stamp = self.probe_rtt_min_stamp;
        }
    }
}
