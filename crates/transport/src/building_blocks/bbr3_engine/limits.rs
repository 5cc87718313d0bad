//! Pacing rate and window (section 5.6 of the draft).

use super::engine::{Engine, State};
use crate::building_blocks::{bbr_common, bounds};

impl<const LINUX: bool> Engine<LINUX> {
    pub(super) fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => self.c.startup_pacing,
            State::Drain => self.c.drain_pacing,
            State::Down => self.c.down_pacing,
            State::Up => self.c.up_pacing,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
        }
    }

    pub(super) fn cwnd_gain(&self) -> f64 {
        match self.state {
            State::Up => self.c.up_cwnd_gain,
            State::ProbeRtt => self.c.probe_rtt_gain,
            _ => self.c.cwnd_gain,
        }
    }

    pub(super) fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.bw * (1.0 - self.c.margin);
        self.pacing_rate = bbr_common::pacing_rate(self.pacing_rate, rate, self.full_bw_reached);
    }

    /// SetCwnd and both bounds (section 5.6.4).
    pub(super) fn set_cwnd(&mut self) {
        let max_inflight = self.quantized(self.bdp_multiple(self.cwnd_gain()) + self.extra_acked());
        let cwnd = bbr_common::grown_cwnd(
            self.cwnd,
            self.rs.newly_acked,
            max_inflight,
            self.full_bw_reached,
            (self.delivered as f64) < self.initial,
        );
        self.cwnd = cwnd.max(self.c.min_pipe);
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_target());
        }
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.inflight_longterm,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Startup | State::Drain => f64::INFINITY,
        };
        let cap = cap.min(self.inflight_shortterm).max(self.c.min_pipe);
        self.cwnd = self.cwnd.min(cap).min(bounds::MAX_WINDOW);
    }

    pub(super) fn save_cwnd(&mut self) {
        let reduced = self.recovering || self.state == State::ProbeRtt;
        self.prior_cwnd = bbr_common::saved_cwnd(self.cwnd, self.prior_cwnd, reduced);
    }

    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }
}
