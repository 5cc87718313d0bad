//! Every packet comes out a constant time later. The delay may change at given
//! instants, as when a path changes. Packets come out in the order in which they went in.
//!
//! Reference: mahimahi mm-delay; the delay queue of cellsim.
//! Differences: with `clock = "exact"` the time is exact. The emulators count whole milliseconds from the
//! millisecond in which a packet comes, so a packet can leave up to 1 ms early: `clock = "ms"`.

use backwater_transport::part::{Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::{AnyBox, Build, Pass, PathBox};
use crate::medium::trace::floor;

/// See the head of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Delay {
    delay: Span,
    /// Delays, each with the instant from which it holds.
    then: Option<(Time, Span)>,
    milliseconds: bool,
    /// When the previous packet came out.
    last: Time,
}

impl Delay {
    /// The same delay for ever, counted from a packet's instant or from its millisecond.
    pub fn constant(delay: Span, milliseconds: bool) -> Delay {
        Delay {
            delay,
            then: None,
            milliseconds,
            last: Time::ZERO,
        }
    }

    /// The same behind an older one, whose packets stay in front.
    pub(super) fn after(&self, old: &Delay) -> Delay {
        Delay {
            last: old.last,
            ..self.clone()
        }
    }

    /// The shortest of its delays.
    pub fn least(&self) -> Span {
        self.then
            .map_or(self.delay, |(_, then)| then.min(self.delay))
    }
}

impl PathBox for Delay {
    fn pass(&mut self, now: Time, _: &mut Random) -> Pass {
        let from = if self.milliseconds { floor(now) } else { now };
        let delay = match self.then {
            Some((at, then)) if now >= at => then,
            _ => self.delay,
        };
        self.last = from.after(delay).max(now).max(self.last);
        Pass::At(self.last)
    }
}

pub(super) const PART: Part<Build> = Part {
    id: "delay",
    aliases: &[],
    summary: "a constant delay",
    source: "mahimahi mm-delay",
    options: &[
        Opt::new("delay", Kind::Span, Default::Required, "how long").at_most("1000 s"),
        Opt::new(
            "then",
            Kind::Span,
            Default::Absent,
            "how long from the instant `at` on",
        )
        .at_most("1000 s"),
        Opt::new("at", Kind::Span, Default::Absent, "when the delay changes").at_most("100000 s"),
        Opt::new(
            "clock",
            Kind::Choice(&["exact", "ms"]),
            Default::Is("exact"),
            "count from the instant at which a packet comes, or from its millisecond",
        ),
    ],
    build: |args| {
        let then = match (args.has("at"), args.has("then")) {
            (true, true) => Some((Time::ZERO.after(args.span("at")), args.span("then"))),
            (false, false) => None,
            (at, _) => {
                let (option, other) = if at { ("at", "then") } else { ("then", "at") };
                return Err(Refusal {
                    option,
                    what: "a change of delay has an instant and a new delay".to_owned(),
                    fix: format!("write `{other}` too"),
                });
            }
        };
        Ok(AnyBox::Delay(Delay {
            then,
            ..Delay::constant(args.span("delay"), args.choice("clock") == "ms")
        }))
    },
};
