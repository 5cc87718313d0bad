//! What BBRv1's model watches beside the rate: policers, bursts, its cycle, and the least round trip.

use backwater_transport::controller::Ack;

use super::bbr1_model::{Bbr1, Mode, Police, SEG};

impl Bbr1 {
    pub fn watch_policer(&mut self, starts: bool, losses: bool, limited: bool) {
        let from = (self.now, self.delivered, self.lost);
        self.police = match self.police {
            _ if !self.given.policer => return,
            Police::Found(rate, rounds) => {
                let rounds = rounds + u64::from(starts && matches!(self.mode, Mode::Probe(_)));
                if rounds == 48 {
                    self.police = Police::Idle;
                    return self.enter_probe();
                }
                Police::Found(rate, rounds)
            }
            Police::Idle if !losses || limited => Police::Idle,
            Police::Watching(..) if limited => Police::Idle,
            Police::Idle => Police::Watching(from.0, from.1, from.2, u64::from(starts), None),
            Police::Watching(at, delivered, lost, rounds, before) => {
                let rounds = rounds + u64::from(starts);
                let whole = (self.delivered - delivered) as f64;
                let gone = (self.lost - lost) as f64;
                let seconds = (self.now.0 - at.0) as f64 / 1e12;
                let ends = losses && whole > 0.0 && gone * 256.0 >= 50.0 * whole && seconds >= 1e-3;
                match (rounds, ends) {
                    (17.., _) => Police::Idle,
                    (4.., true) => {
                        let rate = whole / seconds;
                        let off = |before: f64| (rate - before).abs();
                        match before {
                            Some(b) if 8.0 * off(b) <= b || off(b) * 8.0 <= 4000.0 => {
                                Police::Found((rate + b) / 2.0, 0)
                            }
                            _ => Police::Watching(from.0, from.1, from.2, 0, Some(rate)),
                        }
                    }
                    _ => Police::Watching(at, delivered, lost, rounds, before),
                }
            }
        };
    }

    pub fn measure_burst(&mut self, starts: bool, acked: f64) {
        self.burst_rounds += u64::from(starts);
        let seconds = (self.now.0 - self.burst.0.0) as f64 / 1e12;
        if self.burst.1 <= self.rate() * seconds {
            self.burst = (self.now, acked);
            self.excesses
                .push((self.burst_rounds / 5, acked.min(self.window)));
            return;
        }
        self.burst.1 += acked;
        let beyond = self.burst.1 - self.rate() * seconds;
        self.excesses
            .push((self.burst_rounds / 5, beyond.min(self.window)));
    }

    /// The greatest excess of this stretch and the one before.
    pub fn excess(&self) -> f64 {
        let fresh = self
            .excesses
            .iter()
            .filter(|one| one.0 + 1 >= self.burst_rounds / 5);
        fresh.map(|one| one.1).fold(0.0, f64::max)
    }

    pub fn cycle(&mut self, losses: bool) {
        let Mode::Probe(phase) = self.mode else {
            return;
        };
        let long = self
            .min_rtt
            .is_some_and(|rtt| self.now > self.cycle_at.after(rtt));
        let next = match phase {
            0 => long && (losses || self.flight >= self.path_holds(1.25)),
            1 => long || self.flight <= self.path_holds(1.0),
            _ => long,
        };
        if next && !self.policed() {
            self.mode = Mode::Probe((phase + 1) % 8);
            self.cycle_at = self.now;
        }
    }

    pub fn least_round_trip(&mut self, ack: &Ack, starts: bool) {
        let expired = self.now > self.min_at.after(self.given.filter);
        if let Some(rtt) = ack.rtt
            && (expired || self.min_rtt.is_none_or(|least| rtt <= least))
        {
            (self.min_rtt, self.min_at) = (Some(rtt), self.now);
        }
        if expired && !self.idle && self.mode != Mode::Least {
            self.keep_window();
            self.mode = Mode::Least;
            self.done_at = None;
        }
        if self.mode == Mode::Least {
            self.limited_below = self.delivered + ack.in_flight;
            if self.done_at.is_some() {
                self.done_round |= starts;
                if self.done_round {
                    self.leave_least();
                }
            } else if self.flight <= 4.0 * SEG {
                self.done_at = Some(self.now.after(self.given.stay));
                self.done_round = false;
                self.next_round = self.delivered;
            }
        }
        self.idle &= ack.acked == 0;
    }

    pub fn leave_least(&mut self) {
        if self.done_at.is_none_or(|done| self.now <= done) {
            return;
        }
        self.min_at = self.now;
        self.window = self.window.max(self.kept);
        if self.full {
            self.enter_probe();
        } else {
            self.mode = Mode::Startup;
        }
    }
}
