//! A rate that walks at random between two bounds.
//!
//! When: at the present rate, which moves by `step` up or down, with equal chance, at each tick of
//! `every`; a step beyond a bound is taken the other way. The first rate lies midway.
//! Reference: simple random walk with reflecting bounds. No deviations.

use backwater_transport::part::{Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span, Time};

use super::schedule::{Build, Integrator, Schedule, steps_apart};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct RandomWalk {
    low: u64,
    high: u64,
    step: u64,
    every: Span,
    rate: u64,
    integral: Integrator,
    until: Time,
}

impl Schedule for RandomWalk {
    fn is_random(&self) -> bool {
        true
    }

    fn next(&mut self, size: u64, random: &mut Random) -> Option<Time> {
        // Ends, because a rate of zero is left at the next step.
        loop {
            if let Some(at) = self.integral.next(Rate(self.rate), self.until, size) {
                return Some(at);
            }
            if self.until == Time::NEVER {
                return None;
            }
            self.until = self.until.after(self.every);
            let up = random.between(0, 1) == 1;
            self.rate = match up {
                true if self.rate + self.step <= self.high => self.rate + self.step,
                false if self.rate >= self.low + self.step => self.rate - self.step,
                true => self.rate - self.step,
                false => self.rate + self.step,
            };
        }
    }

    fn steps(&self, size: u64) -> f64 {
        steps_apart(size, (self.low + self.high) as f64 / 2.0, self.every)
    }
}

pub(super) const PART: Part<Build<RandomWalk>> = Part {
    id: "random-walk",
    aliases: &[],
    summary: "a rate that walks at random between two bounds",
    source: "simple random walk with reflecting bounds",
    options: &[
        Opt::new("low", Kind::Rate, Default::Is("0 bit/s"), "least rate").at_most("100 Gbit/s"),
        super::rate("high", "greatest rate"),
        super::rate("step", "by how much the rate moves"),
        Opt::new(
            "every",
            Kind::Span,
            Default::Is("200 ms"),
            "time between steps",
        )
        .at_least("1 ms")
        .at_most("1000 s"),
    ],
    build: |args| {
        let (low, high) = (args.rate("low").0, args.rate("high").0);
        let step = args.rate("step").0;
        if high < low || (high - low) / 2 < step {
            return Err(Refusal {
                option: "step",
                what: format!(
                    "steps of {step} bit/s leave the room between {low} and {high} bit/s"
                ),
                fix: "write a step of at most half of high - low".into(),
            });
        }
        let every = args.span("every");
        Ok(RandomWalk {
            low,
            high,
            step,
            every,
            rate: low + (high - low) / 2,
            integral: Integrator::default(),
            until: Time(every.0),
        })
    },
};
