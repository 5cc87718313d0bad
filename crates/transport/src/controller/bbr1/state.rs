//! BBRv1's state, its model of the path, its pacing rate and its window. Rates are in bytes/s.

use super::aggregation::ExtraAcked;
use super::policer::Policer;
use crate::building_blocks::bbr_common::{self, Plateau};
use crate::building_blocks::bounds;
use crate::building_blocks::minmax::MinMaxFilter;
use crate::controller_interface::Ack;
use crate::random::Random;
use crate::units::{Span, Time};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// Pacing gains of PROBE_BW, each for a round trip.
pub(super) const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

/// BBRv1's state; bytes and bytes/s.
#[derive(Clone, Debug)]
pub struct Bbr1 {
    pub(super) mss: f64,
    pub(super) initial: f64,
    pub(super) random: Random,
    pub(super) high_gain: f64,
    pub(super) cwnd_gain: f64,
    pub(super) bw_rounds: u64,
    pub(super) min_rtt_filter: Span,
    pub(super) probe_rtt: Span,
    pub(super) margin: f64,
    pub(super) state: State,
    pub(super) now: Time,
    pub(super) cwnd: f64,
    pub(super) prior_cwnd: f64,
    pub(super) pacing_rate: f64,
    pub(super) seen_rtt: bool,
    pub(super) bw: MinMaxFilter,
    pub(super) min_rtt: Span,
    pub(super) min_rtt_stamp: Time,
    pub(super) in_flight: f64,
    pub(super) delivered: u64,
    /// Total bytes lost.
    pub(super) lost: u64,
    /// No round begins before this many bytes are delivered. A change of state may cut a round short.
    pub(super) next_round: u64,
    pub(super) round_start: bool,
    pub(super) plateau: Plateau,
    pub(super) full_bw_reached: bool,
    pub(super) phase: usize,
    pub(super) phase_stamp: Time,
    pub(super) probe_rtt_done: Option<Time>,
    pub(super) probe_rtt_round_done: bool,
    pub(super) idle_restart: bool,
    pub(super) ignored_below: u64,
    /// Nothing is sent again.
    pub(super) datagrams: bool,
    pub(super) recovering: bool,
    /// Bytes delivered when the last packet was lost or the last timer expired.
    pub(super) last_loss: u64,
    /// Recovery ends with this acknowledgement, unless another begins.
    pub(super) leaving: bool,
    pub(super) conserving: bool,
    /// None if the option `aggregation` is off.
    pub(super) aggregation: Option<ExtraAcked>,
    pub(super) policer: Policer,
}

impl Bbr1 {
    pub(super) fn bandwidth(&self) -> f64 {
        match self.policer.in_use {
            true => self.policer.rate,
            false => self.max_bw(),
        }
    }

    pub(super) fn max_bw(&self) -> f64 {
        self.bw.get().unwrap_or(0) as f64
    }

    pub(super) fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => self.high_gain,
            State::Drain => 1.0 / self.high_gain,
            State::ProbeBw if self.policer.in_use => 1.0,
            State::ProbeBw => CYCLE[self.phase],
            State::ProbeRtt => 1.0,
        }
    }

    pub(super) fn bdp(&self, bw: f64, gain: f64) -> f64 {
        bbr_common::bdp(self.min_rtt, bw, gain, self.initial)
    }

    /// Adds three bursts, rounds up to an even number of segments, adds two in the probing phase.
    pub(super) fn quantized(&self, bytes: f64) -> f64 {
        // Linux sends two segments at once above 1.2 Mbit/s.
        let least = if self.pacing_rate < 150_000.0 {
            1.0
        } else {
            2.0
        };
        let burst = libm::floor(self.pacing_rate / 1024.0 / self.mss).clamp(least, 127.0);
        let segments = libm::ceil(bytes / self.mss) + 3.0 * burst;
        let even = libm::ceil(segments / 2.0) * 2.0;
        let probing = self.state == State::ProbeBw && self.phase == 0;
        (even + if probing { 2.0 } else { 0.0 }) * self.mss
    }

    pub(super) fn inflight(&self, gain: f64) -> f64 {
        self.quantized(self.bdp(self.max_bw(), gain))
    }

    pub(super) fn min_cwnd(&self) -> f64 {
        4.0 * self.mss
    }

    pub(super) fn update_round(&mut self, ack: &Ack) {
        self.round_start = match &ack.rate {
            Some(rate) => rate.prior_delivered >= self.next_round,
            None => ack.round_start,
        };
        if self.round_start {
            self.next_round = ack.delivered;
            self.conserving = false;
        }
    }

    pub(super) fn update_bw(&mut self, ack: &Ack) -> bool {
        let Some(rate) = &ack.rate else { return false };
        let limited = rate.app_limited || rate.prior_delivered < self.ignored_below;
        let sample = rate.rate().0 / 8;
        if !limited || sample as f64 >= self.max_bw() {
            self.bw.update(ack.round, self.bw_rounds, sample);
        }
        limited
    }

    pub(super) fn update_aggregation(&mut self, ack: &Ack) {
        let rate = self.bandwidth();
        if let Some(aggregation) = &mut self.aggregation
            && ack.acked > 0
        {
            aggregation.update(ack, self.round_start, rate, self.cwnd);
        }
    }

    pub(super) fn save_cwnd(&mut self) {
        let reduced = self.recovering || self.state == State::ProbeRtt;
        self.prior_cwnd = bbr_common::saved_cwnd(self.cwnd, self.prior_cwnd, reduced);
    }

    pub(super) fn set_pacing(&mut self, gain: f64) {
        let rate = gain * self.bandwidth() * (1.0 - self.margin);
        self.pacing_rate = bbr_common::pacing_rate(self.pacing_rate, rate, self.full_bw_reached);
    }

    /// Recovery is over. As in Linux, it takes effect at the end of an acknowledgement. Datagrams have no retransmission
    /// that a recovery waits for: it lasts until a packet arrives that left after the last loss.
    pub(super) fn check_recovered(&mut self, ack: &Ack) {
        if ack.lost > 0 {
            self.last_loss = self.delivered;
        } else if self.datagrams && self.recovering {
            let newest = ack.rate.as_ref().map_or(0, |rate| rate.prior_delivered);
            self.leaving = newest > self.last_loss;
        }
        if std::mem::take(&mut self.leaving) {
            self.recovering = false;
            self.conserving = false;
            self.cwnd = self.cwnd.max(self.prior_cwnd);
        }
    }

    pub(super) fn set_cwnd(&mut self, ack: &Ack) {
        self.check_recovered(ack);
        if ack.acked == 0 {
            return;
        }
        let acked = ack.acked as f64;
        if ack.lost > 0 {
            self.cwnd = (self.cwnd - ack.lost as f64).max(self.mss);
        }
        if self.conserving {
            self.cwnd = self.cwnd.max(self.in_flight + acked);
        } else {
            let extra = match &self.aggregation {
                // At most the bytes of 100 ms.
                Some(a) if self.full_bw_reached => a.extra().min(self.bandwidth() * 0.1),
                _ => 0.0,
            };
            let gain = match self.state {
                State::Startup | State::Drain => self.high_gain,
                State::ProbeBw => self.cwnd_gain,
                State::ProbeRtt => 1.0,
            };
            let target = self.quantized(self.bdp(self.bandwidth(), gain) + extra);
            let before_initial = (self.delivered as f64) < self.initial;
            let full = self.full_bw_reached;
            let cwnd = bbr_common::grown_cwnd(self.cwnd, acked, target, full, before_initial);
            self.cwnd = cwnd.max(self.min_cwnd());
        }
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.min_cwnd());
        }
        self.cwnd = self.cwnd.min(bounds::MAX_WINDOW);
    }
}
