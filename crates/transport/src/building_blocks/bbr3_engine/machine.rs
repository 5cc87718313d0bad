//! The state machine (section 5.3 of the draft).

use super::engine::{AckPhase, Engine, State};
use crate::building_blocks::bbr_common::{self, Plateau};
use crate::units::Span;

impl<const LINUX: bool> Engine<LINUX> {
    fn reset_full_bw(&mut self) {
        self.plateau = Plateau::default();
        self.full_bw_now = false;
    }

    pub(super) fn check_full_bw_reached(&mut self) {
        if self.full_bw_now || !self.round_start || self.rs.app_limited || self.rs.rate == 0.0 {
            return;
        }
        self.full_bw_now = self.plateau.update(self.rs.rate);
        self.full_bw_reached |= self.full_bw_now;
    }

    pub(super) fn check_startup_done(&mut self, recovering: bool) {
        if self.state != State::Startup {
            return;
        }
        self.check_startup_high_loss(recovering);
        if self.full_bw_reached {
            self.state = State::Drain;
            self.drain_start_round = self.round_count;
        }
    }

    fn check_startup_high_loss(&mut self, recovering: bool) {
        let whole_round = self.recovering && self.round_count > self.loss.recovery_round;
        if self.loss.round_start
            && recovering
            && whole_round
            && self.loss.ranges >= self.c.full_loss_count
            && self.is_inflight_too_high()
        {
            self.undo.state = Some(State::Startup);
            self.full_bw_now = true;
            self.full_bw_reached = true;
            self.inflight_longterm = self.bdp_multiple(1.0).max(self.inflight_latest);
        }
    }

    pub(super) fn check_drain_done(&mut self) {
        if self.state != State::Drain {
            return;
        }
        let late = self
            .c
            .drain_rounds
            .is_some_and(|rounds| self.round_count > self.drain_start_round + rounds);
        if late || self.in_flight <= self.inflight(1.0) {
            self.start_down();
        }
    }

    fn in_probe_bw(&self) -> bool {
        matches!(
            self.state,
            State::Down | State::Cruise | State::Refill | State::Up
        )
    }

    fn start_down(&mut self) {
        self.reset_congestion_signals();
        self.probe_up_acked_per_inc = f64::INFINITY;
        self.rounds_since_probe_up = self.random.between(0, 1);
        let extra = self.random.unit() * self.c.wait_random.seconds();
        self.bw_probe_wait = self.c.wait + Span::from_seconds(extra);
        self.cycle_stamp = self.now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.start_round();
        self.state = State::Down;
    }

    fn start_refill(&mut self) {
        self.reset_short_term_model();
        self.bw_probe_up_rounds = 0;
        self.bw_probe_up_acked = 0.0;
        self.prev_probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.state = State::Refill;
    }

    fn start_up(&mut self) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.start_round();
        self.reset_full_bw();
        self.plateau.rate = self.rs.rate;
        self.state = State::Up;
        self.raise_inflight_longterm_slope();
    }

    pub(super) fn update_probe_bw_cycle_phase(&mut self) {
        if !self.full_bw_reached || self.adapt_long_term_model() {
            return;
        }
        match self.state {
            State::Down => {
                if !self.probe_if_due() && self.is_time_to_cruise() {
                    self.state = State::Cruise;
                }
            }
            State::Cruise => {
                self.probe_if_due();
            }
            State::Refill => {
                if self.round_start {
                    self.is_bw_probe_sample = true;
                    self.start_up();
                }
            }
            State::Up => {
                if self.is_time_to_go_down() {
                    self.prev_probe_too_high = false;
                    self.start_down();
                }
            }
            State::Startup | State::Drain | State::ProbeRtt => {}
        }
    }

    /// IsTimeToProbeBW; starts the probe.
    fn probe_if_due(&mut self) -> bool {
        let elapsed = self.now > self.cycle_stamp.after(self.bw_probe_wait);
        // TargetInflight counts packets here: as many rounds as Reno would take.
        let rounds = (self.target_inflight() / self.mss).min(self.c.most_rounds as f64);
        let due = elapsed || self.rounds_since_probe_up as f64 >= rounds;
        if due {
            self.start_refill();
        }
        due
    }

    fn is_time_to_cruise(&self) -> bool {
        let bdp = bbr_common::bdp(self.min_rtt, self.max_bw, 1.0, self.initial);
        self.in_flight <= self.inflight_with_headroom() && self.in_flight <= self.quantized(bdp)
    }

    fn is_time_to_go_down(&mut self) -> bool {
        if self.prev_probe_too_high && self.in_flight >= self.inflight_longterm {
            self.prev_probe_precautionary = true;
            return true;
        }
        if self.cwnd_limited && self.cwnd >= self.inflight_longterm {
            self.reset_full_bw();
            self.plateau.rate = self.rs.rate;
            return false;
        }
        self.full_bw_now
    }

    fn raise_inflight_longterm_slope(&mut self) {
        let growth = (1u64 << self.bw_probe_up_rounds) as f64;
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(30);
        self.probe_up_acked_per_inc = (self.cwnd / growth).max(self.mss);
    }

    fn probe_inflight_longterm_upward(&mut self) {
        if !self.cwnd_limited || self.cwnd < self.inflight_longterm {
            return;
        }
        self.bw_probe_up_acked += self.rs.newly_acked;
        if self.bw_probe_up_acked >= self.probe_up_acked_per_inc {
            let steps = libm::floor(self.bw_probe_up_acked / self.probe_up_acked_per_inc);
            self.bw_probe_up_acked -= steps * self.probe_up_acked_per_inc;
            self.inflight_longterm += steps * self.mss;
        }
        if self.round_start {
            self.raise_inflight_longterm_slope();
        }
    }

    /// True if it has changed the state.
    fn adapt_long_term_model(&mut self) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.round_start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.round_start {
            self.is_bw_probe_sample = false;
            self.ack_phase = AckPhase::Init;
            if self.in_probe_bw() && !self.rs.app_limited {
                self.advance_max_bw_filter();
            }
            if self.in_probe_bw() && self.prev_probe_precautionary && !self.prev_probe_too_high {
                self.start_refill();
                return true;
            }
        }
        if !self.is_inflight_too_high() && self.inflight_longterm.is_finite() {
            self.inflight_longterm = self.inflight_longterm.max(self.rs.tx_in_flight);
            if self.state == State::Up {
                self.probe_inflight_longterm_upward();
            }
        }
        false
    }

    pub(super) fn handle_inflight_too_high(&mut self) {
        self.prev_probe_too_high = true;
        self.is_bw_probe_sample = false;
        if !self.rs.app_limited {
            self.inflight_longterm = self
                .rs
                .tx_in_flight
                .max(self.target_inflight() * self.c.beta);
        }
        if self.state == State::Up {
            self.undo.state = Some(State::Up);
            self.start_down();
        }
    }

    pub(super) fn handle_spurious_loss(&mut self) {
        self.restore_cwnd();
        self.loss.in_round = false;
        self.reset_full_bw();
        self.bw_shortterm = self.bw_shortterm.max(self.undo.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(self.undo.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(self.undo.inflight_longterm);
        match self.undo.state {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_bw_reached = false;
                if self.state != State::ProbeRtt {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if self.state != State::Up && self.state != State::ProbeRtt => {
                self.start_refill();
            }
            _ => {}
        }
        self.undo.state = None;
    }

    /// The window of ProbeRTT: from the present model, or in the draft's head from the expired one.
    pub(super) fn probe_rtt_target(&self) -> f64 {
        match self.c.head {
            true => self.probe_rtt_cwnd,
            false => self
                .bdp_multiple(self.c.probe_rtt_gain)
                .max(self.c.min_pipe),
        }
    }

    pub(super) fn check_probe_rtt(&mut self) {
        if self.state != State::ProbeRtt && self.probe_rtt_expired && !self.idle_restart {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.probe_rtt_done_stamp = None;
            self.ack_phase = AckPhase::ProbeStopping;
            self.start_round();
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt();
        }
        if self.rs.delivered > 0.0 {
            self.idle_restart = false;
        }
    }

    fn handle_probe_rtt(&mut self) {
        self.ignored_below = self.delivered + self.in_flight as u64;
        match self.probe_rtt_done_stamp {
            None if self.in_flight <= self.probe_rtt_target() => {
                self.probe_rtt_done_stamp = Some(self.now.after(self.c.probe_rtt_duration));
                self.probe_rtt_round_done = false;
                self.start_round();
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

    fn check_probe_rtt_done(&mut self) {
        if self
            .probe_rtt_done_stamp
            .is_none_or(|done| self.now <= done)
        {
            return;
        }
        self.probe_rtt_min_stamp = self.now;
        if self.c.head {
            self.min_rtt_stamp = self.now;
        }
        if self.c.probe_rtt_ends_cycle {
            self.advance_max_bw_filter();
        }
        self.restore_cwnd();
        self.reset_short_term_model();
        if self.full_bw_reached {
            self.start_down();
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }

    pub(super) fn restart_from_idle(&mut self) {
        self.idle_restart = true;
        self.aggregation.start = self.now;
        if self.in_probe_bw() {
            self.set_pacing_rate(1.0);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done();
        }
    }
}
