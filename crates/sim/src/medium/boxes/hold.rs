//! Packets are held and come out together at the multiples of a period, as where a receiver or a radio answers in bursts.
//!
//! When: at the first multiple of the period that is not before the packet's own instant.
//! Reference: aggregated acknowledgements in Arun et al., "Starvation in end-to-end congestion control", SIGCOMM 2022.
//! Differences: none known.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::{AnyBox, Build, Pass, PathBox};

/// See the head of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    period: Span,
    /// When the packet before came out.
    last: Time,
}

impl Hold {
    /// With nothing inside.
    pub fn new(period: Span) -> Hold {
        Hold {
            period,
            last: Time::ZERO,
        }
    }

    /// The same behind an older one, whose packets stay in front.
    pub(super) fn after(&self, old: &Hold) -> Hold {
        Hold {
            last: old.last,
            ..self.clone()
        }
    }
}

impl PathBox for Hold {
    fn pass(&mut self, now: Time, _: &mut Random) -> Pass {
        let multiple = now.0.div_ceil(self.period.0).saturating_mul(self.period.0);
        self.last = Time(multiple).max(self.last);
        Pass::At(self.last)
    }
}

pub(super) const PART: Part<Build> = Part {
    id: "hold",
    aliases: &[],
    summary: "packets are held and come out together at the multiples of a period",
    source: "Arun et al., SIGCOMM 2022, section 5",
    options: &[Opt::new(
        "period",
        Kind::Span,
        Default::Required,
        "the time between two openings",
    )
    .at_least("1 us")
    .at_most("1000 s")],
    build: |args| Ok(AnyBox::Hold(Hold::new(args.span("period")))),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_come_out_at_multiples() {
        let at = |ms| Time::ZERO + Span::millis(ms);
        let (mut one, mut random) = (Hold::new(Span::millis(60)), Random::stream(1, "box", ""));
        let out = [0, 1, 59, 60, 61, 120].map(|ms| one.pass(at(ms), &mut random));
        assert_eq!(out, [0, 60, 60, 60, 120, 120].map(|ms| Pass::At(at(ms))));
        let mut other = Hold::new(Span::millis(7)).after(&one);
        assert_eq!(other.pass(at(100), &mut random), Pass::At(at(120)));
    }
}
