//! BBRv3's states in the model of the draft: what changes them, and what they change.

use backwater_transport::building_blocks::bbr3_engine::State;
use backwater_transport::units::Span;

use super::bbr3_model::{Acks, Bbr3, NONE, SEG};

impl Bbr3 {
    fn new_plateau(&mut self, rate: f64) {
        self.plateau = (rate, 0);
        self.full_now = false;
    }

    fn in_cycle(&self) -> bool {
        !matches!(self.state, State::Startup | State::Drain | State::ProbeRtt)
    }

    pub fn change_state(&mut self, recovering: bool) {
        if self.state == State::Startup {
            self.startup(recovering);
        }
        if self.state == State::Drain {
            let rounds = self.rounds - self.drain_from;
            let long = self.given.drain_rounds.is_some_and(|most| rounds > most);
            if long || self.flight <= self.budget(self.bdp(1.0)) {
                self.go_down();
            }
        }
        if self.full && !self.learn_long_term() {
            self.cycle();
        }
    }

    /// A round of at least so many ranges of losses and more than the threshold ends it, once recovery has lasted a round.
    fn startup(&mut self, recovering: bool) {
        let long = self.recovery && recovering && self.rounds > self.recovery_round;
        let many = self.ranges >= self.given.ranges && self.too_much_lost();
        if self.loss_round_starts && long && many {
            self.undo.0 = Some(State::Startup);
            (self.full_now, self.full) = (true, true);
            self.long_flight = self.bdp(1.0).max(self.latest.1);
        }
        if self.full {
            self.state = State::Drain;
            self.drain_from = self.rounds;
        }
    }

    fn go_down(&mut self) {
        self.losses = false;
        self.latest = (0.0, 0.0);
        self.up_each = NONE;
        self.rounds_since_up = self.random.between(0, 1);
        let more = self.random.unit() * self.given.wait_random;
        self.wait = Span(self.given.wait.0 + (more * 1e12 + 0.5).floor() as u64);
        self.cycle_at = self.now;
        self.acks = Acks::Stopping;
        self.next_round = self.delivered;
        self.state = State::Down;
    }

    fn refill(&mut self) {
        (self.short_bw, self.short_flight) = (NONE, NONE);
        (self.up_rounds, self.up_acked) = (0, 0.0);
        self.precautionary = false;
        self.acks = Acks::Refilling;
        self.next_round = self.delivered;
        self.state = State::Refill;
    }

    fn cycle(&mut self) {
        match self.state {
            State::Down | State::Cruise => {
                let reno = (self.target() / SEG).min(self.given.probe_rounds);
                let waited = self.now > self.cycle_at.after(self.wait);
                if waited || self.rounds_since_up as f64 >= reno {
                    return self.refill();
                }
                let most = self
                    .with_headroom()
                    .min(self.budget(self.bdp_at(self.max_bw())));
                if self.flight <= most {
                    self.state = State::Cruise;
                }
            }
            State::Refill if self.starts => {
                self.probing = true;
                self.acks = Acks::Starting;
                self.next_round = self.delivered;
                self.new_plateau(self.seen.rate);
                self.state = State::Up;
                self.steeper();
            }
            State::Up => self.up(),
            _ => {}
        }
    }

    fn up(&mut self) {
        let bounded = self.full_window && self.window >= self.long_flight;
        if self.too_high && self.flight >= self.long_flight {
            self.precautionary = true;
        } else if bounded {
            return self.new_plateau(self.seen.rate);
        } else if !self.full_now {
            return;
        }
        self.too_high = false;
        self.go_down();
    }

    /// In each round of Up the bound grows by twice as many segments for a window.
    fn steeper(&mut self) {
        self.up_each = (self.window * 0.5_f64.powi(self.up_rounds)).max(SEG);
        self.up_rounds = (self.up_rounds + 1).min(30);
    }

    /// The long-term bound, and the end of a probe. True if a probe follows at once.
    fn learn_long_term(&mut self) -> bool {
        match self.acks {
            Acks::Starting if self.starts => self.acks = Acks::Feedback,
            Acks::Stopping if self.starts => {
                (self.probing, self.acks) = (false, Acks::Init);
                if self.in_cycle() && !self.seen.limited {
                    self.next_cycle();
                }
                if self.in_cycle() && self.precautionary && !self.too_high {
                    self.refill();
                    return true;
                }
            }
            _ => {}
        }
        if self.too_much_lost() || self.long_flight == NONE {
            return false;
        }
        self.long_flight = self.long_flight.max(self.seen.tx);
        if self.state == State::Up && self.full_window && self.window >= self.long_flight {
            self.up_acked += self.seen.acked;
            while self.up_acked >= self.up_each {
                self.up_acked -= self.up_each;
                self.long_flight += SEG;
            }
            if self.starts {
                self.steeper();
            }
        }
        false
    }

    /// A cycle without a sample is none.
    fn next_cycle(&mut self) {
        if self.cycles.last() > Some(&0.0) {
            self.cycles.push(0.0);
        }
    }

    pub fn probe_was_too_high(&mut self) {
        (self.too_high, self.probing) = (true, false);
        if !self.seen.limited {
            self.long_flight = (self.given.beta * self.target()).max(self.seen.tx);
        }
        if self.state == State::Up {
            self.undo.0 = Some(State::Up);
            self.go_down();
        }
    }

    pub fn undo_losses(&mut self) {
        self.window = self.window.max(self.kept);
        self.losses = false;
        self.new_plateau(0.0);
        let (state, bw, short, long) = self.undo;
        self.short_bw = self.short_bw.max(bw);
        self.short_flight = self.short_flight.max(short);
        self.long_flight = self.long_flight.max(long);
        self.undo.0 = None;
        let Some(state) = state.filter(|state| *state != self.state) else {
            return;
        };
        if state == State::Startup {
            self.full = false;
        }
        if self.state == State::ProbeRtt {
            return;
        }
        match state {
            State::Startup => self.state = State::Startup,
            _ => self.refill(),
        }
    }

    /// The most in flight while the round trip is measured.
    pub fn least_window(&self) -> f64 {
        match self.given.head {
            true => self.head_window,
            false => self.bdp(0.5).max(4.0 * SEG),
        }
    }

    pub fn probe_round_trip(&mut self) {
        if self.state != State::ProbeRtt && self.expired && !self.idle {
            self.keep_window();
            self.state = State::ProbeRtt;
            self.done_at = None;
            self.acks = Acks::Stopping;
            self.next_round = self.delivered;
        }
        if self.state == State::ProbeRtt {
            self.limited_below = self.delivered + self.flight as u64;
            if self.done_at.is_some() {
                self.done_round |= self.starts;
                if self.done_round {
                    self.leave_least_flight();
                }
            } else if self.flight <= self.least_window() {
                self.done_at = Some(self.now.after(self.given.stay));
                self.done_round = false;
                self.next_round = self.delivered;
            }
        }
        self.idle &= self.seen.delivered == 0.0;
    }

    pub fn leave_least_flight(&mut self) {
        if self.done_at.is_none_or(|done| self.now <= done) {
            return;
        }
        self.probe_min.1 = self.now;
        if self.given.head {
            self.min_rtt.1 = self.now;
        }
        if self.given.ends_cycle {
            self.next_cycle();
        }
        self.window = self.window.max(self.kept);
        (self.short_bw, self.short_flight) = (NONE, NONE);
        if self.full {
            self.go_down();
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }
}
