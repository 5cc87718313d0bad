//! Detects: at a relay, what came in to be forwarded exceeding what its next stations acknowledged, in any
//! access category, over a sliding window; and, where that is not so, a medium that is not fully used.
//! Tells and responds: left to the recipe.
//! Reference: S0 (IEEE 802.11-05/0562r0), looked at every 250 ms over one second.
//! Differences: alpha and the mark of a medium not fully used are not in the source; 1.02 and 80 % are ours. With 1.02 both
//! hops of the source's network carry the same within 3 %, as it says; with 1.08 first hops carry 4 to 5 % more.

use backwater_transport::part::{Default, Kind, Opt, Part};

use super::row::{Build, Detector, PERIOD, WINDOW, rhythm};
use crate::mechanism::moment::{Moment, Signal};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::place::{Rhythm, View};

/// See the head of the file.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct RateComparison {
    /// Congested where more than `alpha` times what left came in.
    pub alpha: f64,
    /// Not fully used where the medium was busy for less than this share.
    pub busy_below: f64,
    /// Where a rate tells instead: not fully used where the last period had less than this share of the window's best.
    pub rate_below: Option<f64>,
    /// When it looks.
    pub rhythm: Rhythm,
}

impl Detector for RateComparison {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn rhythm(&self) -> Option<Rhythm> {
        Some(self.rhythm)
    }

    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        let (Moment::Timer, Some(rates)) = (moment, view.rates) else {
            return None;
        };
        let idle = match self.rate_below {
            None => rates.busy.expect("a shared medium") < self.busy_below,
            Some(share) => (rates.left_last as f64) < share * rates.left_best as f64,
        };
        Some(if rates.came as f64 > self.alpha * rates.left as f64 {
            Signal::Congested
        } else if idle {
            Signal::Underused
        } else {
            Signal::Clear
        })
    }
}

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::RATES.and(Set::BUSY)).giving(Set::QUEUE);

/// The row.
pub const PART: Part<Build<RateComparison>> = Part {
    id: "rate-comparison",
    aliases: &[],
    summary: "more came in to be forwarded than left within the window, or the shared medium is not fully used",
    source: "S0; IEEE 802.11-05/0562r0",
    options: &[
        Opt::new(
            "alpha",
            Kind::Number,
            Default::Is("1.02"),
            "congested where more than alpha times what left came in",
        )
        .at_least("1.0")
        .at_most("10.0"),
        Opt::new(
            "busy_below",
            Kind::Share,
            Default::Is("80 %"),
            "share of time below which a busy medium counts as not fully used",
        )
        .at_least("0 %")
        .at_most("100 %"),
        Opt::new(
            "underused",
            Kind::Choice(&["busy", "rate"]),
            Default::Is("busy"),
            "what tells that the path is not fully used: the share of time for which the medium is busy, or what left in the last period against the best of the window",
        ),
        Opt::new(
            "rate_below",
            Kind::Share,
            Default::Is("90 %"),
            "with underused = \"rate\", share of the best period below which the last one counts as not fully used",
        )
        .at_least("0 %")
        .at_most("100 %"),
        PERIOD,
        WINDOW,
    ],
    build: |args| {
        Ok(RateComparison {
            alpha: args.number("alpha"),
            busy_below: args.share("busy_below"),
            rate_below: (args.choice("underused") == "rate").then(|| args.share("rate_below")),
            rhythm: rhythm(args),
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::place::Rates;
    use backwater_transport::units::{Span, Time};

    /// The signal where so much of the medium is busy, or left in the last period and in the best.
    fn says(rate_below: Option<f64>, busy: f64, left: [u64; 2]) -> Option<Signal> {
        let mut detector = RateComparison {
            alpha: 1.0,
            busy_below: 0.5,
            rate_below,
            rhythm: Rhythm {
                period: Span::millis(1),
                window: 1,
            },
        };
        let rates = Rates {
            came: 100,
            left: 100,
            left_last: left[0],
            left_best: left[1],
            busy: Some(busy),
        };
        let view = View {
            rates: Some(&rates),
            ..View::level(Time::ZERO, 0, 0, 100)
        };
        detector.observe(&Moment::Timer, &view)
    }

    /// A mark that is met is not passed: as much leaves as comes, at half of the medium or half of the best rate.
    #[test]
    fn underuse_begins_below_its_mark() {
        assert_eq!(says(None, 0.5, [0, 100]), Some(Signal::Clear));
        assert_eq!(says(None, 0.499, [0, 100]), Some(Signal::Underused));
        assert_eq!(says(Some(0.5), 0.0, [50, 100]), Some(Signal::Clear));
        assert_eq!(says(Some(0.5), 0.0, [49, 100]), Some(Signal::Underused));
    }
}
