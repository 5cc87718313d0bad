//! A rate that alternates between two values.
//!
//! When: at the rate `high` for the first part of each period, at `low` for the rest.
//! Reference: the square-wave links of the RFC 5166 metrics (responsiveness to sudden changes).
//! No deviations.

use backwater_transport::part::{Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span, Time};

use super::schedule::{Build, Integrator, Schedule, steps_apart};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Periodic {
    /// Rates of the two parts, and how long each lasts.
    parts: [(Rate, Span); 2],
    integral: Integrator,
    /// Which part it is.
    part: usize,
    /// When the part ends.
    until: Time,
}

impl Schedule for Periodic {
    fn next(&mut self, size: u64, _: &mut Random) -> Option<Time> {
        // Ends, because one of the rates is above zero.
        loop {
            let (rate, _) = self.parts[self.part];
            if let Some(at) = self.integral.next(rate, self.until, size) {
                return Some(at);
            }
            if self.until == Time::NEVER {
                return None;
            }
            self.part = 1 - self.part;
            self.until = self.until.after(self.parts[self.part].1);
        }
    }

    fn steps(&self, size: u64) -> f64 {
        let period = self.parts[0].1 + self.parts[1].1;
        let bits = self
            .parts
            .map(|(rate, span)| rate.0 as f64 * span.seconds());
        let mean_bps = (bits[0] + bits[1]) / period.seconds();
        2.0 * steps_apart(size, mean_bps, period)
    }
}

pub(super) const PART: Part<Build<Periodic>> = Part {
    id: "periodic",
    aliases: &["square"],
    summary: "a rate that alternates between two values",
    source: "RFC 5166 section 2.3",
    options: &[
        super::rate("high", "rate in the first part of each period"),
        Opt::new(
            "low",
            Kind::Rate,
            Default::Is("0 bit/s"),
            "rate in the rest",
        )
        .at_most("100 Gbit/s"),
        Opt::new(
            "period",
            Kind::Span,
            Default::Is("10 s"),
            "length of a period",
        )
        .at_least("1 ms")
        .at_most("100000 s"),
        Opt::new(
            "share",
            Kind::Share,
            Default::Is("50 %"),
            "part of the period at `high`",
        ),
    ],
    build: |args| {
        let (period, share) = (args.span("period"), args.share("share"));
        let first = Span(libm::floor(period.0 as f64 * share + 0.5) as u64);
        if first == Span::ZERO || first >= period {
            return Err(Refusal {
                option: "share",
                what: "one of the two parts of the period has no length".into(),
                fix: "write a share between 0 % and 100 %, or kind = \"constant\"".into(),
            });
        }
        Ok(Periodic {
            parts: [
                (args.rate("high"), first),
                (args.rate("low"), period - first),
            ],
            integral: Integrator::default(),
            part: 0,
            until: Time(first.0),
        })
    },
};
