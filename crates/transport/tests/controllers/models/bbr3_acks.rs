//! What an acknowledgement, a loss and a transmission make of BBRv3's model of the path.

use backwater_transport::building_blocks::bbr3_engine::State;
use backwater_transport::controller::{Ack, Cause, Congestion, Lost, Sent};
use backwater_transport::units::Span;

use super::INITIAL;
use super::bbr3_model::{Bbr3, NONE, SEG, Seen};

impl Bbr3 {
    fn take(&mut self, ack: &Ack) {
        (self.now, self.delivered) = (ack.now, ack.delivered);
        (self.flight, self.full_window) = (ack.in_flight as f64, ack.cwnd_limited);
        self.counted.0 += ack.acked as f64;
        self.counted.1 += ack.marked as f64;
        self.seen = Seen {
            acked: ack.acked as f64,
            ..Seen::default()
        };
        if let Some(rate) = &ack.rate {
            self.seen = Seen {
                rate: rate.delivered as f64 * (1e12 / rate.interval.0 as f64),
                delivered: rate.delivered as f64,
                prior: Some(rate.prior_delivered),
                limited: rate.app_limited || rate.prior_delivered < self.limited_below,
                tx: rate.tx_in_flight as f64,
                lost: rate.lost as f64,
                ..self.seen
            };
        }
        if let (Some(rtt), false) = (ack.rtt, self.timed) {
            self.timed = true;
            (self.min_rtt.1, self.probe_min.1, self.burst.0) = (self.now, self.now, self.now);
            let seconds = ack.srtt.max(rtt).0 as f64 / 1e12;
            self.pacing = self.given.startup * INITIAL as f64 / seconds;
        }
        let prior = self.seen.prior;
        self.starts = prior.map_or(ack.round_start, |prior| prior >= self.next_round);
    }

    /// Rate and flight of the present round, and the bounds that a round with losses sets.
    fn learn_rates(&mut self) {
        self.latest.0 = self.latest.0.max(self.seen.rate);
        self.latest.1 = self.latest.1.max(self.seen.delivered);
        self.loss_round_starts = self
            .seen
            .prior
            .is_some_and(|prior| prior >= self.loss_round);
        if self.loss_round_starts {
            self.loss_round = self.delivered;
        }
        if self.starts {
            self.next_round = self.delivered;
            self.rounds += 1;
            self.rounds_since_up += 1;
        }
        if self.seen.rate > 0.0 && (!self.seen.limited || self.seen.rate >= self.max_bw()) {
            let cycle = self.cycles.last_mut().expect("a cycle");
            *cycle = cycle.max(self.seen.rate);
        }
        if self.loss_round_starts {
            if !matches!(self.state, State::Startup | State::Refill | State::Up) {
                self.lower_bounds();
            }
            self.losses = false;
        }
    }

    fn lower_bounds(&mut self) {
        let marked = self.answers_marks() && self.counted.1 > 0.0;
        let from = self.short_flight.min(if self.short_flight.is_finite() {
            NONE
        } else {
            self.window
        });
        let mut to = if self.losses || marked {
            from
        } else {
            self.short_flight
        };
        if self.losses {
            let rate = if self.short_bw.is_finite() {
                self.short_bw
            } else {
                self.max_bw()
            };
            self.short_bw = (rate * self.given.beta).max(self.latest.0);
            to = (from * self.given.beta).max(self.latest.1);
        }
        if let (true, Some((_, factor, ..))) = (marked, self.given.marks) {
            to = to.min(from * (1.0 - self.alpha * factor));
        }
        self.short_flight = to;
    }

    /// The average share of marks, once a round. Two rounds with too many end Startup, one ends a probe.
    fn learn_marks(&mut self) {
        if !self.starts {
            return;
        }
        let (acked, marked) = std::mem::take(&mut self.counted);
        let Some((gain, _, threshold, _)) = self.given.marks.filter(|_| self.answers_marks())
        else {
            return;
        };
        let share = if acked > 0.0 { marked / acked } else { 0.0 };
        self.alpha += gain * (share - self.alpha);
        self.marked_rounds = if share < threshold {
            0
        } else {
            self.marked_rounds + 1
        };
        if self.state == State::Startup && self.marked_rounds > 1 {
            (self.full_now, self.full) = (true, true);
            self.long_flight = self.bdp(1.0);
        }
        if self.probing && self.marked_rounds > 0 {
            self.probe_was_too_high();
        }
    }

    fn learn_bursts(&mut self) {
        let mut expected = self.bw * ((self.now.0 - self.burst.0.0) as f64 / 1e12);
        if self.burst.1 <= expected {
            self.burst = (self.now, 0.0);
            expected = 0.0;
        }
        self.burst.1 += self.seen.acked;
        let excess = (self.burst.1 - expected).min(self.window).max(0.0).floor();
        let memory = if self.full {
            self.given.extra_rounds
        } else {
            1
        };
        let now = self.rounds;
        self.excesses.retain(|one| one.0 + memory >= now);
        self.excesses.push((now, excess));
    }

    fn learn_full_pipe(&mut self) {
        if self.full_now || !self.starts || self.seen.limited || self.seen.rate == 0.0 {
            return;
        }
        let (base, flat) = self.plateau;
        self.plateau = match self.seen.rate < base + base / 4.0 {
            true => (base, flat + 1),
            false => (self.seen.rate, 0),
        };
        self.full_now = self.plateau.1 == 3;
        self.full |= self.full_now;
    }

    fn learn_round_trips(&mut self, rtt: Option<Span>) {
        let forgotten = self.now > self.min_rtt.1.after(self.given.filter);
        if self.given.head {
            self.expired = forgotten;
            if forgotten && self.state != State::ProbeRtt {
                self.head_window = self.bdp(0.5).max(4.0 * SEG);
            }
            if rtt.is_some_and(|rtt| forgotten || rtt < self.min_rtt.0) {
                self.min_rtt = (rtt.expect("a sample"), self.now);
            }
            return;
        }
        self.expired = self.now > self.probe_min.1.after(self.given.interval);
        if rtt.is_some_and(|rtt| self.expired || rtt < self.probe_min.0) {
            self.probe_min = (rtt.expect("a sample"), self.now);
        }
        if forgotten || self.probe_min.0 < self.min_rtt.0 {
            self.min_rtt = self.probe_min;
        }
    }

    fn gain(&self) -> f64 {
        match self.state {
            State::Startup => self.given.startup,
            State::Drain => self.given.drain,
            State::Down => self.given.down,
            State::Up => 1.25,
            _ => 1.0,
        }
    }

    pub fn pace(&mut self, gain: f64) {
        let wanted = gain * self.bw * (1.0 - self.given.margin);
        if wanted > 0.0 && (self.full || wanted > self.pacing) {
            self.pacing = wanted;
        }
    }

    fn size(&mut self) {
        let gain = match self.state {
            State::Up => 2.25,
            State::ProbeRtt => 0.5,
            _ => 2.0,
        };
        let most = self.budget(self.bdp(gain) + self.excess());
        if self.full {
            self.window = (self.window + self.seen.acked).min(most);
        } else if self.window < most || self.delivered < INITIAL {
            self.window += self.seen.acked;
        }
        self.window = self.window.max(4.0 * SEG);
        if self.state == State::ProbeRtt {
            self.window = self.window.min(self.least_window());
        }
        let bound = match self.state {
            State::Startup | State::Drain => NONE,
            State::Cruise | State::ProbeRtt => self.with_headroom(),
            State::Down | State::Refill | State::Up => self.long_flight,
        };
        let bound = bound.min(self.short_flight).max(4.0 * SEG);
        self.window = self.window.min(bound).min(1e11);
    }

    pub fn ack(&mut self, ack: &Ack) {
        self.take(ack);
        self.learn_rates();
        self.learn_marks();
        self.learn_bursts();
        self.learn_full_pipe();
        self.change_state(ack.recovering);
        self.learn_round_trips(ack.rtt);
        self.probe_round_trip();
        if self.loss_round_starts {
            self.latest = (self.seen.rate, self.seen.delivered);
            (self.ranges, self.last_lost) = (0, None);
        }
        self.bw = self.max_bw().min(self.short_bw);
        self.pace(self.gain());
        self.size();
    }

    pub fn open_episode(&mut self) {
        if !self.episode {
            self.episode = true;
            self.keep_window();
            self.undo = (None, self.short_bw, self.short_flight, self.long_flight);
        }
    }

    pub fn keep_window(&mut self) {
        let reduced = self.recovery || self.state == State::ProbeRtt;
        self.kept = if reduced {
            self.kept.max(self.window)
        } else {
            self.window
        };
    }

    pub fn lost(&mut self, lost: &Lost) {
        (self.now, self.flight) = (lost.now, lost.in_flight as f64);
        self.open_episode();
        if !self.losses {
            self.loss_round = self.delivered;
        }
        self.losses = true;
        let follows = self.last_lost.is_some_and(|last| lost.number == last + 1);
        self.ranges += u64::from(!follows);
        self.last_lost = Some(lost.number);
        if !self.probing {
            return;
        }
        self.seen.tx = lost.tx_in_flight as f64;
        self.seen.lost = lost.lost as f64;
        self.seen.limited = lost.app_limited;
        if self.too_much_lost() {
            // Of this segment so much fits that the share of loss is the threshold.
            let (len, share) = (lost.len as f64, self.given.threshold);
            let (flight, gone) = (self.seen.tx - len, self.seen.lost - len);
            self.seen.tx = flight + (share * flight - gone) / (1.0 - share);
            self.probe_was_too_high();
        }
    }

    pub fn congestion(&mut self, told: &Congestion) {
        self.now = told.now;
        match told.cause {
            Cause::Loss | Cause::Timeout => {
                self.open_episode();
                self.recovery = true;
                self.recovery_round = self.rounds;
                if told.cause == Cause::Timeout {
                    self.window = SEG;
                }
            }
            Cause::Recovered => {
                (self.recovery, self.episode) = (false, false);
                self.window = self.window.max(self.kept);
            }
            Cause::Spurious => {
                (self.recovery, self.episode) = (false, false);
                self.undo_losses();
            }
            Cause::Mark => {}
        }
    }

    pub fn sent(&mut self, sent: &Sent) {
        self.now = sent.now;
        if sent.in_flight == sent.len && self.delivered > 0 && !self.recovery {
            self.idle = true;
            self.burst.0 = self.now;
            match self.state {
                State::Startup | State::Drain => {}
                State::ProbeRtt => self.leave_least_flight(),
                _ => self.pace(1.0),
            }
        }
        self.flight = sent.in_flight as f64;
    }
}
