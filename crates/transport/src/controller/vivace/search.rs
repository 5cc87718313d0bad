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

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::super::interval::Interval;
    use super::super::utility::Utility;
    use super::*;
    use crate::random::Random;
    use crate::units::{Span, Time};

    /// In the middle of a search at 10 Mbit/s.
    fn moving(paper: bool) -> Vivace {
        Vivace {
            mss: 1000.0,
            initial: 10.0,
            random: Random::stream(1, "test", "vivace"),
            utility: Utility {
                exponent: 0.9,
                latency: 900.0,
                loss: 11.35,
                deviation: 0.0,
                tolerance: 0.01,
                rewards: true,
            },
            paper,
            epsilon: 0.05,
            step: 1.0,
            boundary: 0.05,
            growth: 0.1,
            least_change: 0.05,
            least: 0.1,
            phase: Phase::Moving,
            rate: 10.0,
            sending: 10.0,
            last_utility: 0.0,
            last_rate: 10.0,
            same_sign_steps: 0,
            up: true,
            out_of_bound: 0,
            queue: VecDeque::new(),
            results: [[None; 2]; 2],
            intervals: VecDeque::new(),
            srtt: 0.1,
            next_number: 0,
            now: Time::ZERO,
            interval_ends: Time::ZERO,
        }
    }

    /// Section 5.1 of the paper: the k-th step in one direction is k times as large up to the third, and 2k - 3 times from there on; in the program
    /// k^1.2 times: 2^1.2 = 2.297397, 3^1.2 = 3.737193, 4^1.2 = 5.278032.
    #[test]
    fn steps_in_one_direction_grow() {
        let factors = |paper| {
            let mut vivace = moving(paper);
            [1, 2, 3, 4, 5].map(|steps| {
                vivace.same_sign_steps = steps;
                vivace.amplifier()
            })
        };
        assert_eq!(factors(true), [1.0, 2.0, 3.0, 5.0, 7.0]);
        let published = [1.0, 2.297_397, 3.737_193, 5.278_032, 6.898_648];
        for (ours, theirs) in factors(false).into_iter().zip(published) {
            assert!((ours - theirs).abs() < 1e-6, "{ours} {theirs}");
        }
    }

    /// An interval in which nothing left has no utility: the search begins anew with trials.
    #[test]
    fn an_interval_without_a_segment_begins_the_search_anew() {
        let mut vivace = moving(true);
        let mut interval = Interval::new(0, Time::ZERO, Purpose::Step);
        (interval.end, interval.lasted) = (Some(0), Span::millis(100).seconds());
        vivace.intervals.push_back(interval);
        vivace.evaluate_finished(1);
        assert!(matches!(vivace.phase, Phase::Moving), "not finished");
        vivace.evaluate_finished(2);
        assert!(matches!(vivace.phase, Phase::Probing));
        // Nor has one without a length.
        let mut interval = Interval::new(0, Time::ZERO, Purpose::Step);
        interval.sent = 1000.0;
        assert_eq!(vivace.evaluate(&interval), None);
        (interval.sent, interval.lasted) = (0.0, 0.5);
        assert_eq!(vivace.evaluate(&interval), None);
        interval.sent = 1.0;
        assert!(vivace.evaluate(&interval).is_some());
    }
}
