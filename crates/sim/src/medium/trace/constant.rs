//! Opportunities at a constant rate.
//!
//! When: as soon as another opportunity's bytes have come together; the first after one interval.
//! Reference: the constant traces that come with mahimahi: a line for each millisecond is 12.032 Mbit/s.
//! No deviations.

use backwater_transport::part::Part;
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Time};

use super::schedule::{Build, Integrator, Schedule, brought};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Constant {
    rate: Rate,
    integral: Integrator,
}

impl Schedule for Constant {
    fn next(&mut self, size: u64, _: &mut Random) -> Option<Time> {
        self.integral.next(self.rate, Time::NEVER, size)
    }

    fn up_to(&self, size: u64, end: Time) -> Option<u64> {
        Some(brought(self.rate, size, end))
    }
}

pub(super) const PART: Part<Build<Constant>> = Part {
    id: "constant",
    aliases: &[],
    summary: "opportunities at a constant rate",
    source: "mahimahi's constant-rate traces",
    options: &[super::rate("rate", "rate of the link")],
    build: |args| {
        Ok(Constant {
            rate: args.rate("rate"),
            integral: Integrator::default(),
        })
    },
};
