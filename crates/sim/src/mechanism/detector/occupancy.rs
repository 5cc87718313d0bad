//! Detects: all that a station holds rising above a share of its buffer; or, if asked to warn early, what it holds for others
//! rising above another share. When a notice is about to expire, congestion lasts if what it holds for others is still as
//! much as a third share; it is over when that has fallen to a fourth.
//! Tells and responds: left to the recipe.
//! Reference: S4 (TCC, LSCC), 3.1 and 4.1: 60 %, 40 %, 20 % and 10 %.
//! Differences: S4 speaks of the buffer in the third test; a saturated own source holds 20 % for ever, so this counts what is
//! held for others, as the fourth test does. `count = "all"` is the other reading, in both. The last frame of a transmission
//! that was given up counts like one that was sent.

use backwater_transport::part::{Default, Kind, Opt, Part, Refusal};

use super::row::{Build, Detector};
use crate::knob::Knob;
use crate::mechanism::moment::{Moment, Signal};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::place::View;

/// Marks as shares of the buffer.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Occupancy {
    high: f64,
    early_warning: Option<f64>,
    still: f64,
    low: f64,
    /// Counts own packets too when it asks whether congestion lasts or is over.
    all: bool,
}

impl Occupancy {
    /// Share of the buffer that decides whether congestion lasts.
    fn counted(&self, view: &View) -> f64 {
        if self.all {
            view.filled()
        } else {
            forwarded(view)
        }
    }
}

/// Share of the buffer held for others.
fn forwarded(view: &View) -> f64 {
    let holdings = view.holdings.expect("bytes by neighbour were asked for");
    let (own, others) = (holdings.own(view.class), holdings.forwarded(view.class));
    match own + others {
        0 => 0.0,
        all => view.filled() * others as f64 / all as f64,
    }
}

impl Detector for Occupancy {
    fn knob(&mut self) -> Option<Knob<'_>> {
        Some(Knob::share("high", self.low, &mut self.high))
    }

    fn needs(&self) -> Needs {
        NEEDS
    }

    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        match moment {
            Moment::Enqueued(_) if view.congested => None,
            Moment::Enqueued(_) if view.filled() > self.high => Some(Signal::Congested),
            Moment::Enqueued(_) => {
                let above = |mark: f64| forwarded(view) > mark;
                self.early_warning
                    .is_some_and(above)
                    .then_some(Signal::EarlyWarning)
            }
            Moment::Expiring if self.counted(view) >= self.still => Some(Signal::Congested),
            Moment::Expiring => Some(Signal::Clear),
            Moment::Sent(_) | Moment::Lost(_) => {
                (self.counted(view) <= self.low).then_some(Signal::Clear)
            }
            Moment::Refused(_) | Moment::Timer | Moment::Overheard(_) => None,
        }
    }

    fn may_relieve(&self, view: &View) -> bool {
        // A departure that is foreseen is not booked by neighbour yet, so it may relieve.
        let unknown = !self.all && view.holdings.is_none();
        unknown || self.counted(view) <= self.low
    }

    fn slack(&self, buffer: u64) -> Option<u64> {
        Some(buffer - libm::floor(self.high * buffer as f64) as u64)
    }
}

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::BOUND.and(Set::HOLDINGS)).giving(Set::QUEUE);

const fn mark(name: &'static str, default: Default, help: &'static str) -> Opt {
    Opt::new(name, Kind::Share, default, help)
        .at_least("0 %")
        .at_most("100 %")
}

/// The row.
pub const PART: Part<Build<Occupancy>> = Part {
    id: "occupancy",
    aliases: &[],
    summary: "congested when a buffer fills above a mark, until little is held for others",
    source: "S4, 3.1 and 4.1",
    options: &[
        mark(
            "high",
            Default::Is("60 %"),
            "share of the buffer above which a station is congested",
        ),
        mark(
            "early_warning",
            Default::Absent,
            "share of the buffer held for others above which those who own much of it are told early; nobody where it is left out",
        ),
        mark(
            "still",
            Default::Is("20 %"),
            "share that must still be held when a notice is about to expire for congestion to last",
        ),
        mark(
            "low",
            Default::Is("10 %"),
            "share down to which a departure ends congestion",
        ),
        Opt::new(
            "count",
            Kind::Choice(&["forwarded", "all"]),
            Default::Is("forwarded"),
            "what `still` and `low` are shares of: packets held for others, or all packets",
        ),
    ],
    build: |args| {
        let occupancy = Occupancy {
            high: args.share("high"),
            early_warning: args
                .has("early_warning")
                .then(|| args.share("early_warning")),
            still: args.share("still"),
            low: args.share("low"),
            all: args.choice("count") == "all",
        };
        if occupancy.low > occupancy.still {
            return Err(Refusal {
                option: "low",
                what: format!(
                    "congestion would be over below {} % and last from {} % on",
                    occupancy.low * 100.0,
                    occupancy.still * 100.0
                ),
                fix: "write a `low` no higher than `still`".into(),
            });
        }
        Ok(occupancy)
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::moment::Seen;
    use crate::mechanism::place::Holdings;
    use backwater_transport::units::{Span, Time};

    const PLAIN: Occupancy = Occupancy {
        high: 0.6,
        early_warning: Some(0.4),
        still: 0.2,
        low: 0.1,
        all: false,
    };

    fn frame(prev: Option<u32>, bytes: u64) -> Seen {
        Seen {
            class: 0,
            bytes,
            prev,
            next: Some(9),
            sojourn: Span::ZERO,
            airtime: Span::ZERO,
            retries: 0,
            packet: None,
            to: None,
        }
    }

    /// The signal of the detector when a station holds so much of 1000 B of its own and so much for others.
    fn says(
        d: Occupancy,
        moment: &Moment,
        own: u64,
        others: u64,
        congested: bool,
    ) -> Option<Signal> {
        let mut held = Holdings::default();
        held.observe(&Moment::Enqueued(&frame(None, own)));
        held.observe(&Moment::Enqueued(&frame(Some(3), others)));
        let view = View {
            congested,
            holdings: Some(&held),
            ..View::level(Time::ZERO, 0, own + others, 1000)
        };
        d.clone().observe(moment, &view)
    }

    #[test]
    fn the_four_marks_say_when_congestion_begins_lasts_and_ends() {
        let seen = frame(None, 0);
        let (came, left) = (Moment::Enqueued(&seen), Moment::Sent(&seen));
        let expiring = Moment::Expiring;
        for (moment, own, others, congested, expected) in [
            (&came, 200, 400, false, None),
            (&came, 200, 401, false, Some(Signal::Congested)),
            (&came, 200, 401, true, None),
            (&came, 0, 401, false, Some(Signal::EarlyWarning)),
            (&came, 0, 400, false, None),
            // A saturated own source holds 200 for ever: that alone is no congestion.
            (&expiring, 200, 199, true, Some(Signal::Clear)),
            (&expiring, 200, 200, true, Some(Signal::Congested)),
            (&left, 200, 101, true, None),
            (&left, 200, 100, true, Some(Signal::Clear)),
        ] {
            let said = says(PLAIN, moment, own, others, congested);
            assert_eq!(said, expected, "{moment:?} {own} {others}");
        }
        let literal = Occupancy {
            early_warning: None,
            all: true,
            ..PLAIN
        };
        let said = says(literal, &expiring, 200, 0, true);
        assert_eq!(said, Some(Signal::Congested));
        assert_eq!(says(literal, &left, 200, 0, true), None);
        assert_eq!(says(literal, &came, 0, 500, false), None);
    }

    /// Forwarded bytes count, of 1000 B; where all count, nothing has to be known of neighbours. A look that could only say no
    /// is spared.
    #[test]
    fn a_departure_may_relieve_where_what_counts_is_at_the_low_mark() {
        let mut held = Holdings::default();
        held.observe(&Moment::Enqueued(&frame(None, 200)));
        held.observe(&Moment::Enqueued(&frame(Some(3), 101)));
        let view = View {
            holdings: Some(&held),
            ..View::level(Time::ZERO, 0, 301, 1000)
        };
        assert!(!PLAIN.may_relieve(&view));
        let mut held = held.clone();
        held.observe(&Moment::Sent(&frame(Some(3), 1)));
        let view = View {
            holdings: Some(&held),
            ..View::level(Time::ZERO, 0, 300, 1000)
        };
        assert!(PLAIN.may_relieve(&view));
        assert!(PLAIN.may_relieve(&View::level(Time::ZERO, 0, 900, 1000)));
        let literal = Occupancy { all: true, ..PLAIN };
        let may = |held| literal.may_relieve(&View::level(Time::ZERO, 0, held, 1000));
        assert_eq!([100, 101].map(may), [true, false]);
    }

    #[test]
    fn what_lies_above_the_high_mark_is_slack() {
        assert_eq!(PLAIN.slack(1000), Some(400));
    }
}
