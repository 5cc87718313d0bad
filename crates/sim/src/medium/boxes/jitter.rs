//! Every packet is delayed by a time of its own, uniform from 0 to a bound; packets come out in the order in which they
//! went in, so one with a long delay holds up those behind it.
//!
//! Reference: the delay variation of RFC 3393, as `tc-netem` has it with a uniform distribution.
//! Differences: netem reorders what jitter overtakes; here `reorder` does.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::{AnyBox, Build, Pass, PathBox};

/// See the head of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Jitter {
    most: Span,
    /// When the packet before came out.
    last: Time,
}

impl Jitter {
    /// The same behind an older one, whose packets stay in front.
    pub(super) fn after(&self, old: &Jitter) -> Jitter {
        Jitter {
            last: old.last,
            ..self.clone()
        }
    }
}

impl PathBox for Jitter {
    fn pass(&mut self, now: Time, random: &mut Random) -> Pass {
        let delay = Span(random.between(0, self.most.0));
        self.last = now.after(delay).max(self.last);
        Pass::At(self.last)
    }
}

pub(super) const PART: Part<Build> = Part {
    id: "jitter",
    aliases: &[],
    summary: "a delay drawn for each packet; the order is kept",
    source: "RFC 3393",
    options: &[Opt::new(
        "most",
        Kind::Span,
        Default::Required,
        "longest delay; each from 0 up to it is equally likely",
    )
    .at_most("1000 s")],
    build: |args| {
        Ok(AnyBox::Jitter(Jitter {
            most: args.span("most"),
            last: Time::ZERO,
        }))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet keeps its order: the first leaves at 40 ms, and the second, without jitter, overtakes nothing.
    #[test]
    fn one_in_the_place_of_another_keeps_the_order() {
        let at = |ms| Time::ZERO + Span::millis(ms);
        let old = Jitter {
            most: Span::ZERO,
            last: at(40),
        };
        let new = Jitter {
            most: Span::ZERO,
            last: Time::ZERO,
        };
        let mut random = Random::stream(1, "box", "");
        assert_eq!(new.after(&old).pass(at(10), &mut random), Pass::At(at(40)));
        assert_eq!(new.clone().pass(at(10), &mut random), Pass::At(at(10)));
    }
}
