//! The search for the rate of greatest utility: doubling, pairs of trials, steps along the gradient.

use super::interval::Purpose;
use super::{Phase, Vivace};

impl Vivace {
    pub(super) fn set_rate(&mut self, rate: f64) {
        self.rate = rate.clamp(self.least, 1e7);
    }

    pub(super) fn on_step_result(&mut self, utility: f64, rate: f64) {
        match self.phase {
            Phase::Starting => {
                if utility > self.last_utility {
                    self.last_utility = utility;
                    self.last_rate = self.rate;
                    // If less was sent than the rate allows, the doubling starts from what was sent.
                    self.set_rate(2.0 * self.rate.min(1.5 * rate));
                    self.queue.push_back(Purpose::Step);
                } else {
                    self.set_rate(self.last_rate);
                    self.probe();
                }
            }
            Phase::Moving => {
                let change = self.rate - self.last_rate;
                let gradient = match change.abs() > 1e-9 {
                    true => (utility - self.last_utility) / change,
                    false => 0.0,
                };
                if (gradient > 0.0) == self.up && gradient != 0.0 {
                    self.last_utility = utility;
                    self.advance(gradient);
                } else {
                    self.set_rate(self.last_rate);
                    self.probe();
                }
            }
            Phase::Probing => {}
        }
    }

    /// All four trials are finished: both pairs must agree.
    pub(super) fn on_trial_result(&mut self) {
        let [[Some(d0), Some(u0)], [Some(d1), Some(u1)]] = self.results else {
            return;
        };
        if (u0 > d0) != (u1 > d1) {
            self.probe();
            return;
        }
        let width = 2.0 * self.epsilon * self.rate;
        let gradient = ((u0 - d0) + (u1 - d1)) / 2.0 / width;
        self.phase = Phase::Moving;
        self.up = gradient > 0.0;
        self.same_sign_steps = 0;
        self.out_of_bound = 0;
        self.last_utility = (u0 + d0 + u1 + d1) / 4.0;
        self.advance(gradient);
    }

    /// Confidence amplifier (section 5.1 of the paper).
    fn amplifier(&self) -> f64 {
        let same_sign_steps = f64::from(self.same_sign_steps);
        match (self.paper, self.same_sign_steps) {
            (true, 0..=3) => same_sign_steps,
            (true, _) => 2.0 * same_sign_steps - 3.0,
            (false, _) => libm::pow(same_sign_steps, 1.2),
        }
    }

    /// A step along the gradient, within the dynamic boundary.
    fn advance(&mut self, gradient: f64) {
        self.same_sign_steps += 1;
        let wanted = self.amplifier() * self.step * gradient;
        let bound = (self.boundary + self.growth * f64::from(self.out_of_bound)) * self.rate;
        let within = wanted.abs() <= bound;
        self.out_of_bound = if within { 0 } else { self.out_of_bound + 1 };
        let size = wanted.abs().min(bound).max(self.least_change);
        self.last_rate = self.rate;
        self.set_rate(self.rate + if wanted > 0.0 { size } else { -size });
        self.queue.clear();
        self.queue.push_back(Purpose::Step);
    }

    pub(super) fn probe(&mut self) {
        self.phase = Phase::Probing;
        self.results = [[None; 2]; 2];
        self.queue.clear();
        for pair in 0..2 {
            let first = self.random.between(0, 1) == 1;
            self.queue.push_back(Purpose::Trial(pair, first));
            self.queue.push_back(Purpose::Trial(pair, !first));
        }
        // Trials of an abandoned round no longer count.
        for interval in &mut self.intervals {
            interval.purpose = Purpose::Fill;
        }
    }
}
