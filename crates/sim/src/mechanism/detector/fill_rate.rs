//! Detects: bytes in an output queue that would rise above the high mark within the horizon at the
//! rate at which they have risen lately; over when they fall below the low mark.
//! Tells and responds: left to the recipe.
//! Reference: S2 "based on the rate at which buffer is filling up"; form used here:
//! congested when occupancy + rate × horizon > high mark.
//! Differences: the rate is that over the last `window` at least and three windows at most, so that a burst after an
//! idle time is not averaged with it; a falling queue counts as rate zero; the rate is taken anew after each alarm.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::units::{Span, Time};

use super::row::{Build, Detector};
use super::watermark::{HIGH, LOW, ordered};
use crate::limit::MAX_CLASSES;
use crate::mechanism::moment::{Moment, Signal};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::place::View;

/// Marks, horizon, and the two latest samples of each class.
#[derive(Clone, Debug)]
pub struct FillRate {
    high: f64,
    low: f64,
    horizon: Span,
    window: Span,
    samples: [[(Time, u64); 2]; MAX_CLASSES],
}

impl FillRate {
    /// Whether this level lies below the low mark.
    fn below(&self, level: &View) -> bool {
        (level.held as f64) < self.low * level.room as f64
    }

    /// Whether the queue would pass the high mark within the horizon.
    fn ahead(&mut self, level: &View) -> bool {
        let samples = &mut self.samples[level.class];
        let since = level.now.since(samples[1].0);
        if since >= self.window.times(2) {
            // Samples are taken by the first frame a window after the last, so nothing came in that
            // window: what stands there now stood there a window ago, if not more.
            let before = Time(level.now.0 - self.window.0);
            *samples = [(before, level.held), (level.now, level.held)];
        } else if since >= self.window {
            *samples = [samples[1], (level.now, level.held)];
        }
        let (then, was) = samples[0];
        let elapsed = level.now.since(then).max(self.window).seconds();
        let rise = level.held.saturating_sub(was) as f64;
        let ahead = rise / elapsed * self.horizon.seconds();
        !self.below(level) && level.held as f64 + ahead > self.high * level.room as f64
    }
}

impl Detector for FillRate {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn observe(&mut self, moment: &Moment, level: &View) -> Option<Signal> {
        match moment {
            Moment::Enqueued(_) if !level.congested => {
                self.ahead(level).then_some(Signal::Congested)
            }
            Moment::Sent(_) | Moment::Lost(_) if self.below(level) => {
                self.samples[level.class] = [(level.now, level.held); 2];
                Some(Signal::Clear)
            }
            _ => None,
        }
    }

    fn may_relieve(&self, level: &View) -> bool {
        self.below(level)
    }
}

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::BOUND).giving(Set::QUEUE);

/// The row.
pub const PART: Part<Build<FillRate>> = Part {
    id: "fill-rate",
    aliases: &[],
    summary: "congested when the queue would pass the high mark within the horizon at its present fill rate",
    source: "S2 congestion detection by fill rate",
    options: &[
        HIGH,
        LOW,
        Opt::new(
            "horizon",
            Kind::Span,
            Default::Is("5 ms"),
            "how far ahead the fill rate is extrapolated",
        )
        .at_least("0 s")
        .at_most("10 s"),
        Opt::new(
            "window",
            Kind::Span,
            Default::Is("5 ms"),
            "least time between the samples from which the rate is taken",
        )
        .at_least("1 ns")
        .at_most("10 s"),
    ],
    build: |args| {
        let (high, low) = (args.share("high"), args.share("low"));
        ordered(high, low)?;
        Ok(FillRate {
            high,
            low,
            horizon: args.span("horizon"),
            window: args.span("window"),
            samples: [[(Time::ZERO, 0); 2]; MAX_CLASSES],
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    fn detector() -> FillRate {
        FillRate {
            high: 0.8,
            low: 0.2,
            horizon: Span::millis(10),
            window: Span::millis(1),
            samples: [[(Time::ZERO, 0); 2]; MAX_CLASSES],
        }
    }

    /// First congested level, in bytes, of a queue that fills at `rate` bytes per ms.
    fn alarm(rate: u64) -> u64 {
        let mut d = detector();
        (0..)
            .map(|ms| (Time::ZERO + Span::millis(ms), ms * rate))
            .find(|(now, held)| d.ahead(&View::level(*now, 0, *held, 50_000)))
            .expect("it fills")
            .1
    }

    #[test]
    fn a_faster_fill_alarms_earlier() {
        // held + 10 ms · rate > 40 000: at 1000 B/ms first above 30 000, at 2000 B/ms above 20 000.
        assert_eq!(alarm(1000), 31_000);
        assert_eq!(alarm(2000), 22_000);
    }

    /// First congested level of a queue that fills at `rate` bytes in each tenth of a millisecond,
    /// after it stood empty for `idle`.
    fn alarm_after(idle: Span, rate: u64) -> u64 {
        let mut d = detector();
        (1..)
            .map(|i| (Time::ZERO + idle + Span::micros(100 * i), i * rate))
            .find(|(now, held)| d.ahead(&View::level(*now, 0, *held, 50_000)))
            .expect("it fills")
            .1
    }

    #[test]
    fn a_burst_after_an_idle_time_is_seen_within_the_window() {
        // 3 kB in each 0.1 ms. 12 kB is the first level above the low mark; 9 kB of it have come since
        // the window of 1 ms before the first frame, 1.3 ms ago: 10 ms more pass the mark of 40 kB.
        for idle in [2, 500, 500_000] {
            assert_eq!(alarm_after(Span::millis(idle), 3_000), 12_000, "{idle} ms");
        }
    }

    /// Relief at 9 kB leaves no earlier sample. Two frames right behind it are 2 kB in the window of 1 ms, and 10 ms more of that end
    /// at 31 kB of the 40 kB; four are 4 kB, and end at 53 kB.
    #[test]
    fn a_rise_right_after_relief_counts_over_the_window() {
        let alarms = |bytes: u64| {
            let mut d = detector();
            let at = |us| Time::ZERO + Span::millis(50) + Span::micros(us);
            d.samples[0] = [(at(0), 9_000); 2];
            d.ahead(&View::level(at(20), 0, 9_000 + bytes, 50_000))
        };
        assert!(!alarms(2_000));
        assert!(alarms(4_000));
    }

    /// A queue at its high mark that has not risen, at an instant after which no time has passed, is not above it.
    #[test]
    fn a_level_without_a_rise_is_compared_with_the_mark_itself() {
        let mut d = detector();
        d.samples[0] = [(Time::ZERO, 40_000); 2];
        let mut ahead = |held| d.ahead(&View::level(Time::ZERO, 0, held, 50_000));
        assert!(!ahead(40_000), "80 % of 50 kB");
        assert!(ahead(40_001));
    }
}
