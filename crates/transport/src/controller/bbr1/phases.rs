//! BBRv1's states: STARTUP, DRAIN, the gain cycle of PROBE_BW, and PROBE_RTT.

use super::state::{Bbr1, CYCLE, State};
use crate::controller_interface::Ack;
use crate::units::Span;

impl Bbr1 {
    pub(super) fn check_full_bw(&mut self, app_limited: bool) {
        if self.full_bw_reached || !self.round_start || app_limited {
            return;
        }
        self.full_bw_reached = self.plateau.update(self.max_bw());
    }

    pub(super) fn check_drain(&mut self) {
        if self.state == State::Startup && self.full_bw_reached {
            self.state = State::Drain;
        }
        if self.state == State::Drain && self.in_flight <= self.inflight(1.0) {
            self.probe_bw();
        }
    }

    /// Enters PROBE_BW in a random phase, except the draining one.
    pub(super) fn probe_bw(&mut self) {
        self.state = State::ProbeBw;
        self.phase = (CYCLE.len() - self.random.between(0, 6) as usize) % CYCLE.len();
        self.phase_stamp = self.now;
    }

    pub(super) fn update_phase(&mut self, losses: bool) {
        if self.state != State::ProbeBw || self.policer.in_use {
            return;
        }
        let gone = Span(self.now.0.saturating_sub(self.phase_stamp.0));
        let long = gone > self.min_rtt;
        let gain = CYCLE[self.phase];
        let over = if gain > 1.0 {
            long && (losses || self.in_flight >= self.inflight(gain))
        } else if gain < 1.0 {
            long || self.in_flight <= self.inflight(1.0)
        } else {
            long
        };
        if over {
            self.phase = (self.phase + 1) % CYCLE.len();
            self.phase_stamp = self.now;
        }
    }

    pub(super) fn update_min_rtt(&mut self, ack: &Ack) {
        let expired = self.now > self.min_rtt_stamp.after(self.min_rtt_filter);
        if let Some(rtt) = ack.rtt
            && (rtt <= self.min_rtt || expired)
        {
            self.min_rtt = rtt;
            self.min_rtt_stamp = self.now;
        }
        if expired && !self.idle_restart && self.state != State::ProbeRtt {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.probe_rtt_done = None;
        }
        if self.state == State::ProbeRtt {
            self.ignored_below = self.delivered + self.in_flight as u64;
            match self.probe_rtt_done {
                None if self.in_flight <= self.min_cwnd() => {
                    self.probe_rtt_done = Some(self.now.after(self.probe_rtt));
                    self.probe_rtt_round_done = false;
                    self.next_round = self.delivered;
                }
                None => {}
                Some(_) => {
                    self.probe_rtt_round_done |= self.round_start;
                    if self.probe_rtt_round_done {
                        self.check_probe_rtt_done();
                    }
                }
            }
        }
        if ack.acked > 0 {
            self.idle_restart = false;
        }
    }

    pub(super) fn check_probe_rtt_done(&mut self) {
        if self.probe_rtt_done.is_none_or(|done| self.now <= done) {
            return;
        }
        self.min_rtt_stamp = self.now;
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        match self.full_bw_reached {
            true => self.probe_bw(),
            false => self.state = State::Startup,
        }
    }
}
