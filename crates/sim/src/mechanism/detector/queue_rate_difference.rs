//! Detects: at a relay, by two inputs for each access category, its queue (share of the buffer) and the
//! difference of rates (what came in to be forwarded less what left, over the larger of the two). The queue is
//! Low or High, the difference Low, Medium or High: the state whose membership, a normal function, is the greatest.
//!
//! | queue | difference Low | Medium | High |
//! |---|---|---|---|
//! | Low | request (for more) | nothing | request (for less) |
//! | High | nothing | announcement | announcement |
//!
//! Tells and responds: left to the recipe.
//! Reference: IEEE 802.11-06/1308r0, table of criteria for congestion control requests and announcements.
//! Differences: the source gives neither means nor deviations; ours are options, and the difference is a share, not
//! bit/s, so that they hold at any rate. An announcement, there a broadcast, becomes a request for less to every upstream
//! station, whatever its flows get. Both states of the queue have one deviation, so the nearer mean decides.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};

use super::row::{Build, Detector, PERIOD, WINDOW, rhythm};
use crate::mechanism::moment::{Moment, Signal};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::place::{Rates, Rhythm, View};

/// See the head of the file.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct QueueRateDifference {
    /// Means of the queue's states Low and High.
    pub queue: [f64; 2],
    /// Mean of the difference's state High; that of Low is its negative, that of Medium is zero.
    pub difference: f64,
    /// Deviation of Low and High.
    pub outer: f64,
    /// Deviation of Medium.
    pub medium: f64,
    /// When it looks.
    pub rhythm: Rhythm,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum State {
    Low,
    Medium,
    High,
}

/// Distance from a mean in deviations: the nearer mean has the greater membership by a normal function, also where both are too small for a
/// number.
fn distance(value: f64, mean: f64, deviation: f64) -> f64 {
    ((value - mean) / deviation).abs()
}

impl QueueRateDifference {
    fn queue(&self, filled: f64) -> State {
        let [low, high] = self.queue;
        match filled - low > high - filled {
            true => State::High,
            false => State::Low,
        }
    }

    fn difference(&self, rates: &Rates) -> State {
        let larger = rates.came.max(rates.left);
        if larger == 0 {
            return State::Medium;
        }
        let value = (rates.came as f64 - rates.left as f64) / larger as f64;
        let from = |mean, deviation| distance(value, mean, deviation);
        let medium = from(0.0, self.medium);
        if from(self.difference, self.outer) < medium {
            State::High
        } else if from(-self.difference, self.outer) < medium {
            State::Low
        } else {
            State::Medium
        }
    }

    /// The source's table.
    fn judge(&self, filled: f64, rates: &Rates) -> Signal {
        match (self.queue(filled), self.difference(rates)) {
            (State::High, State::Low) => Signal::Easing,
            (State::High, State::Medium | State::High) => Signal::CongestedByAll,
            (_, State::Low) => Signal::Underused,
            (_, State::Medium) => Signal::Clear,
            (_, State::High) => Signal::Congested,
        }
    }
}

impl Detector for QueueRateDifference {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn rhythm(&self) -> Option<Rhythm> {
        Some(self.rhythm)
    }

    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        match (moment, view.rates) {
            (Moment::Timer, Some(rates)) => Some(self.judge(view.filled(), rates)),
            _ => None,
        }
    }
}

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::RATES.and(Set::BOUND)).giving(Set::QUEUE);

/// The row.
pub const PART: Part<Build<QueueRateDifference>> = Part {
    id: "queue-rate-difference",
    aliases: &["11-06/1308"],
    summary: "the queue, low or high, and the difference of rates in and out, low, medium or high, by normal membership functions",
    source: "IEEE 802.11-06/1308r0",
    options: &[
        Opt::new(
            "queue_low",
            Kind::Share,
            Default::Is("0 %"),
            "share of the buffer that is the mean of a low queue",
        ),
        Opt::new(
            "queue_high",
            Kind::Share,
            Default::Is("100 %"),
            "share of the buffer that is the mean of a high queue",
        ),
        Opt::new(
            "difference",
            Kind::Share,
            Default::Is("16 %"),
            "mean of a high difference of rates, as a share of the larger rate; that of a low one is its negative",
        )
        .at_least("0.1 %"),
        Opt::new(
            "deviation",
            Kind::Share,
            Default::Is("8 %"),
            "deviation of a high and of a low difference",
        )
        .at_least("0.1 %"),
        Opt::new(
            "deviation_medium",
            Kind::Share,
            Default::Is("8 %"),
            "deviation of a medium difference, whose mean is zero",
        )
        .at_least("0.1 %"),
        PERIOD,
        WINDOW,
    ],
    build,
};

fn build(args: &Args) -> Result<QueueRateDifference, Refusal> {
    let queue = [args.share("queue_low"), args.share("queue_high")];
    if queue[0] >= queue[1] {
        return Err(Refusal {
            option: "queue_high",
            what: "a high queue is no longer than a low one".into(),
            fix: "write a share above `queue_low`".into(),
        });
    }
    let detector = QueueRateDifference {
        queue,
        difference: args.share("difference"),
        outer: args.share("deviation"),
        medium: args.share("deviation_medium"),
        rhythm: rhythm(args),
    };
    Ok(detector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwater_transport::units::Span;

    fn detector() -> QueueRateDifference {
        QueueRateDifference {
            queue: [0.0, 1.0],
            difference: 0.16,
            outer: 0.08,
            medium: 0.08,
            rhythm: Rhythm {
                period: Span::millis(250),
                window: 4,
            },
        }
    }

    fn rates(came: u64, left: u64) -> Rates {
        Rates {
            came,
            left,
            left_last: left,
            left_best: left,
            busy: None,
        }
    }

    #[test]
    fn judgements_are_those_of_the_table() {
        let [low, medium, high] = [(60, 100), (100, 100), (100, 60)];
        for (queued, (came, left), expected) in [
            (0.2, low, Signal::Underused),
            (0.2, medium, Signal::Clear),
            (0.2, high, Signal::Congested),
            (0.8, low, Signal::Easing),
            (0.8, medium, Signal::CongestedByAll),
            (0.8, high, Signal::CongestedByAll),
        ] {
            let found = detector().judge(queued, &rates(came, left));
            assert_eq!(found, expected, "{queued} {came}/{left}");
        }
        assert_eq!(detector().judge(0.0, &rates(0, 0)), Signal::Clear);
    }

    /// exp(−x²/2s²) = exp(−(d − x)²/2t²) where x = d·s/(s + t): 8 % of what came in for s = t = 8 %, d = 16 %;
    /// 4 % for s = 4 %, t = 12 %. Queues part half-way between their means.
    #[test]
    fn states_change_where_memberships_are_equal() {
        for (medium, outer, left) in [(0.08, 0.08, 92_000), (0.04, 0.12, 96_000)] {
            let d = QueueRateDifference {
                medium,
                outer,
                ..detector()
            };
            let judge = |left| d.judge(0.0, &rates(100_000, left));
            assert_eq!(judge(left + 10), Signal::Clear);
            assert_eq!(judge(left - 10), Signal::Congested);
            let back = |came| d.judge(0.0, &rates(came, 100_000));
            assert_eq!(back(left + 10), Signal::Clear);
            assert_eq!(back(left - 10), Signal::Underused);
        }
        let d = QueueRateDifference {
            queue: [0.1, 0.5],
            ..detector()
        };
        assert_eq!(d.judge(0.29, &rates(100, 100)), Signal::Clear);
        assert_eq!(d.judge(0.31, &rates(100, 100)), Signal::CongestedByAll);
    }
}
