//! Every packet comes out a constant time later.
//!
//! Reference: mahimahi mm-delay; the delay queue of cellsim.
//! Differences: with `clock = "exact"` the time is exact. The emulators count whole milliseconds from the
//! millisecond in which a packet comes, so that it may come out up to 1 ms early: `clock = "ms"`.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::{AnyBox, Build, Pass, PathBox};
use crate::medium::trace::floor;

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Delay {
    /// How long.
    pub delay: Span,
    /// Whether it is counted from the beginning of the millisecond.
    pub milliseconds: bool,
}

impl PathBox for Delay {
    fn pass(&mut self, now: Time, _: &mut Random) -> Pass {
        let from = if self.milliseconds { floor(now) } else { now };
        Pass::At(from.after(self.delay).max(now))
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
            "clock",
            Kind::Choice(&["exact", "ms"]),
            Default::Is("exact"),
            "count from the instant at which a packet comes, or from its millisecond",
        ),
    ],
    build: |args| {
        Ok(AnyBox::Delay(Delay {
            delay: args.span("delay"),
            milliseconds: args.choice("clock") == "ms",
        }))
    },
};
