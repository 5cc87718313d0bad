//! Detects: bytes in an output queue rising above the high mark; over when they fall below the low.
//! Tells and responds: left to the recipe.
//! Reference: S2 "Congestion Detection": high threshold low enough for what arrives before control
//! acts, low threshold high enough to prevent starvation.
//! Differences: the frame in transmission counts as held until its last bit has left.

use backwater_transport::part::{Default, Kind, Opt, Part, Refusal};

use super::row::{Build, Detector};
use crate::knob::Knob;
use crate::mechanism::moment::{Moment, Signal};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::place::View;

/// Marks as shares of the queue's buffer.
#[derive(Clone, Debug)]
pub struct Watermark {
    high: f64,
    low: f64,
}

impl Watermark {
    /// Whether this level lies below the low mark.
    fn below(&self, level: &View) -> bool {
        (level.held as f64) < self.low * level.room as f64
    }
}

impl Detector for Watermark {
    fn remembers(&self) -> bool {
        false
    }

    fn knob(&mut self) -> Option<Knob<'_>> {
        Some(Knob::share("high", self.low, &mut self.high))
    }

    fn needs(&self) -> Needs {
        NEEDS
    }

    #[inline]
    fn observe(&mut self, moment: &Moment, level: &View) -> Option<Signal> {
        match moment {
            Moment::Enqueued(_) if !level.congested => {
                let above = level.held as f64 > self.high * level.room as f64;
                above.then_some(Signal::Congested)
            }
            Moment::Sent(_) | Moment::Lost(_) => self.below(level).then_some(Signal::Clear),
            _ => None,
        }
    }

    fn may_relieve(&self, level: &View) -> bool {
        self.below(level)
    }

    fn slack(&self, buffer: u64) -> Option<u64> {
        Some(buffer - libm::floor(self.high * buffer as f64) as u64)
    }
}

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::BOUND).giving(Set::QUEUE);

/// Options of the marks, shared with `fill_rate`.
pub(super) const HIGH: Opt = Opt::new(
    "high",
    Kind::Share,
    Default::Is("80 %"),
    "share of the buffer above which the queue is congested",
)
.at_least("0 %")
.at_most("100 %");
/// The low mark.
pub(super) const LOW: Opt = Opt::new(
    "low",
    Kind::Share,
    Default::Is("70 %"),
    "share of the buffer below which congestion is over",
)
.at_least("0 %")
.at_most("100 %");

/// Refuses marks in the wrong order.
pub(super) fn ordered(high: f64, low: f64) -> Result<(), Refusal> {
    if low <= high {
        return Ok(());
    }
    Err(Refusal {
        option: "low",
        what: format!(
            "the low mark ({} %) lies above the high mark ({} %)",
            low * 100.0,
            high * 100.0
        ),
        fix: "write a low mark no higher than the high mark".into(),
    })
}

/// The row.
pub const PART: Part<Build<Watermark>> = Part {
    id: "watermark",
    aliases: &[],
    summary: "congested when a queue's bytes rise above a mark, until they fall below another",
    source: "S2 congestion detection",
    options: &[HIGH, LOW],
    build: |args| {
        let (high, low) = (args.share("high"), args.share("low"));
        ordered(high, low)?;
        Ok(Watermark { high, low })
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::moment::Seen;
    use backwater_transport::units::Time;

    #[test]
    fn alarm_above_the_high_mark_and_relief_below_the_low_one() {
        let mut d = Watermark {
            high: 0.8,
            low: 0.7,
        };
        let seen = Seen::of_class(0);
        let at = |held| View::level(Time::ZERO, 0, held, 50_000);
        let came = Moment::Enqueued(&seen);
        let left = Moment::Sent(&seen);
        assert_eq!(d.observe(&came, &at(40_000)), None);
        assert_eq!(d.observe(&came, &at(40_001)), Some(Signal::Congested));
        assert_eq!(d.observe(&left, &at(35_000)), None);
        assert_eq!(d.observe(&left, &at(34_999)), Some(Signal::Clear));
    }
}
