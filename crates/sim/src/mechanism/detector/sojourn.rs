//! Detects: a frame that has waited in an output queue longer than `high`, seen when another joins; over when a departure
//! leaves the first in line one that has waited less than `low`, or none.
//! Tells and responds: left to the recipe.
//! Reference: ours. CoDel judges a queue by how long its frames wait (RFC 8289 section 3.2); S2 judges it by its bytes
//! (`watermark`). A mark in time holds at any line rate, and on a medium whose rate changes.
//! Differences: CoDel waits for an interval before it acts. Back-pressure must act before the buffer overflows, so this does not.

use backwater_transport::part::{Default, Kind, Opt, Part, Refusal};
use backwater_transport::units::Span;

use super::row::{Build, Detector};
use crate::mechanism::moment::{Moment, Signal};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::place::View;

/// Marks as waiting times.
#[derive(Clone, Debug)]
pub struct Sojourn {
    high: Span,
    low: Span,
}

impl Detector for Sojourn {
    fn needs(&self) -> Needs {
        NEEDS
    }

    #[inline]
    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        match moment {
            Moment::Enqueued(_) if !view.congested => {
                (view.sojourn > self.high).then_some(Signal::Congested)
            }
            Moment::Sent(_) | Moment::Lost(_) => self.may_relieve(view).then_some(Signal::Clear),
            _ => None,
        }
    }

    fn may_relieve(&self, view: &View) -> bool {
        view.sojourn < self.low
    }
}

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::SOJOURN).giving(Set::QUEUE);

/// The row.
pub const PART: Part<Build<Sojourn>> = Part {
    id: "sojourn",
    aliases: &["waiting-time"],
    summary: "congested when the first frame in line has waited longer than a mark, until it has waited less than another",
    source: "ours; RFC 8289 section 3.2",
    options: &[
        Opt::new(
            "high",
            Kind::Span,
            Default::Is("2 ms"),
            "waiting time above which the queue is congested",
        )
        .at_most("10 s"),
        Opt::new(
            "low",
            Kind::Span,
            Default::Is("1 ms"),
            "waiting time below which congestion is over",
        )
        .at_least("1 ns")
        .at_most("10 s"),
    ],
    build: |args| {
        let (high, low) = (args.span("high"), args.span("low"));
        if low > high {
            return Err(Refusal {
                option: "low",
                what: "the low mark lies above the high mark".into(),
                fix: "write a low mark no higher than the high mark".into(),
            });
        }
        Ok(Sojourn { high, low })
    },
};

#[cfg(test)]
mod tests {
    use backwater_transport::units::Time;

    use super::*;
    use crate::mechanism::moment::Seen;

    #[test]
    fn alarm_above_the_high_mark_and_relief_below_the_low_one() {
        let mut d = Sojourn {
            high: Span::millis(2),
            low: Span::millis(1),
        };
        let seen = Seen::of_class(0);
        let (came, left) = (Moment::Enqueued(&seen), Moment::Sent(&seen));
        let at = |waited| View {
            sojourn: waited,
            ..View::level(Time::ZERO, 0, 1000, u64::MAX)
        };
        assert_eq!(d.observe(&came, &at(Span::millis(2))), None);
        let longer = Span(Span::millis(2).0 + 1);
        assert_eq!(d.observe(&came, &at(longer)), Some(Signal::Congested));
        assert_eq!(d.observe(&left, &at(Span::millis(1))), None);
        let shorter = Span(Span::millis(1).0 - 1);
        assert_eq!(d.observe(&left, &at(shorter)), Some(Signal::Clear));
    }
}
