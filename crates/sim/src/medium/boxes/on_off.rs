//! The link is on and off by turns; packets that arrive while it is off are lost.
//!
//! When: open first. Lengths are exponential with the given means, or constant.
//! Reference: mahimahi mm-onoff (exponential) and mm-intermittent (constant). No deviations.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::{AnyBox, Build, Pass, PathBox};
use crate::cause::Cause;

/// See the head of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct OnOff {
    /// Lengths while open and while shut.
    spans: [Span; 2],
    exponential: bool,
    /// Whether it is shut now, and until when it is as it is; not known before the first packet.
    shut: bool,
    until: Option<Time>,
}

impl OnOff {
    /// The same after an older one, whose present period keeps its length.
    pub(super) fn after(&self, old: &OnOff) -> OnOff {
        OnOff {
            shut: old.shut,
            until: old.until,
            ..self.clone()
        }
    }

    fn length(&self, random: &mut Random) -> Span {
        let mean = self.spans[usize::from(self.shut)];
        match self.exponential {
            // A length of no time would not let time pass.
            true => Span::from_seconds(random.exponential(mean.seconds())).max(Span(1)),
            false => mean,
        }
    }
}

impl PathBox for OnOff {
    fn pass(&mut self, now: Time, random: &mut Random) -> Pass {
        let mut until = match self.until {
            Some(until) => until,
            None => Time::ZERO.after(self.length(random)),
        };
        while until <= now {
            self.shut = !self.shut;
            until = until.after(self.length(random));
        }
        self.until = Some(until);
        if self.shut {
            Pass::Lost(Cause::LinkOff)
        } else {
            Pass::At(now)
        }
    }
}

pub(super) const PART: Part<Build> = Part {
    id: "on-off",
    aliases: &["intermittent"],
    summary: "open and shut by turns; what comes while it is shut is lost",
    source: "mahimahi mm-onoff and mm-intermittent",
    options: &[
        Opt::new(
            "on",
            Kind::Span,
            Default::Required,
            "mean length while open",
        )
        .at_least("1 ms")
        .at_most("100000 s"),
        Opt::new(
            "off",
            Kind::Span,
            Default::Required,
            "mean length while shut",
        )
        .at_least("1 ms")
        .at_most("100000 s"),
        Opt::new(
            "lengths",
            Kind::Choice(&["exponential", "constant"]),
            Default::Is("exponential"),
            "law of the lengths",
        ),
    ],
    build: |args| {
        Ok(AnyBox::OnOff(OnOff {
            spans: [args.span("on"), args.span("off")],
            exponential: args.choice("lengths") == "exponential",
            shut: false,
            until: None,
        }))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(on: u64, off: u64) -> OnOff {
        OnOff {
            spans: [Span::millis(on), Span::millis(off)],
            exponential: false,
            shut: false,
            until: None,
        }
    }

    /// Open for 10 ms. From 5 ms on the lengths are others: the way is still open until 10, shut until 13 and open until 113.
    #[test]
    fn one_in_the_place_of_another_ends_the_present_period_first() {
        let at = |ms| Time::ZERO + Span::millis(ms);
        let (mut old, mut random) = (constant(10, 10), Random::stream(1, "box", ""));
        assert_eq!(old.pass(at(5), &mut random), Pass::At(at(5)));
        let mut new = constant(100, 3).after(&old);
        let open =
            [9, 12, 14, 112, 114].map(|ms| new.pass(at(ms), &mut random) == Pass::At(at(ms)));
        assert_eq!(open, [true, false, true, true, false]);
    }
}
