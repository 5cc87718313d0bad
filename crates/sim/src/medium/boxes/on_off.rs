//! The way is open and shut by turns; what comes while it is shut is lost.
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
