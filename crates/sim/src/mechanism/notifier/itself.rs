//! Detects: left to the recipe. Tells: the station itself, without a frame, to contend less or more, a step at a time. A step
//! takes several equal judgements of the detector in a row: log2(CW) of them for less and 15 - log2(CW) for more, where CW is the
//! present CWmin plus one. So a station with a small window is quick to step back, and one with a large window is
//! quick to return. Any other judgement ends the row. A step holds until the next one.
//! A detector that names a priority (differential-backlog) is obeyed at once.
//! Responds: left to the recipe.
//! Reference: EZ-flow (Aziz, Starobinski, Thiran, El Fawal, CoNEXT 2009), channel access adaptation.
//! Differences: CWmin goes up to CWmax, the source's to 2^15. With another responder than cw-min, CW is what CWmin would be.

use std::collections::VecDeque;

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::units::{Rate, Span};

use super::{AnyNotifier, Build};
use crate::mechanism::carrier::{Told, Toward};
use crate::mechanism::moment::Signal;
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::notice::{Ask, Form, Notice, Step};
use crate::medium::access::Category;
use crate::table::Id;

/// What it needs.
pub const NEEDS: Needs = Needs::of(Set::STATION.and(Set::NEXT_QUEUE).and(Set::STEPS));

/// What the notifier decides.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Itself {
    /// log2 of the CWmin at which one judgement is enough for a step back.
    pub exponent: u32,
}

/// What a station has told itself.
#[derive(Clone, Debug)]
pub struct OwnSteps {
    terms: Itself,
    /// Whose responder answers.
    number: u32,
    rows: Vec<Row>,
}

/// Judgements of a category.
#[derive(Copy, Clone, Debug)]
struct Row {
    /// log2 of CWmin without any step.
    exponent: u32,
    most: u32,
    level: u32,
    less: u32,
    more: u32,
}

impl OwnSteps {
    /// A station that has told itself nothing. `most` is how far its responder can step back.
    pub fn new(terms: Itself, number: u32, categories: &[Category], most: [u8; 4]) -> OwnSteps {
        let exponent = |window: u32| (window + 1).ilog2();
        let row = |(category, most): (&Category, u8)| Row {
            exponent: exponent(category.cw_min),
            most: u32::from(most).min(exponent(category.cw_max) - exponent(category.cw_min)),
            level: 0,
            less: 0,
            more: 0,
        };
        let rows = categories.iter().zip(most).map(row).collect();
        OwnSteps {
            terms,
            number,
            rows,
        }
    }

    /// The detector has judged a category.
    pub fn judge(&mut self, class: usize, signal: Signal, out: &mut VecDeque<Told>) {
        if let Signal::Back(steps) = signal {
            return self.step_to(class, u32::from(steps), out);
        }
        if let Some(less) = self.rows[class].judge(signal, self.terms.exponent) {
            out.push_back(self.tell(class, less));
        }
    }

    /// Takes all steps to a priority at once.
    fn step_to(&mut self, class: usize, steps: u32, out: &mut VecDeque<Told>) {
        let wanted = steps.min(self.rows[class].most);
        let level = std::mem::replace(&mut self.rows[class].level, wanted);
        for _ in 0..wanted.abs_diff(level) {
            out.push_back(self.tell(class, wanted > level));
        }
    }

    fn tell(&self, class: usize, less: bool) -> Told {
        let step = Step {
            less,
            rate: Rate(0),
            expiry: None,
            period: Span::ZERO,
        };
        let notice = Notice {
            mechanism: self.number,
            form: Form::Request(0),
            classes: 1 << class,
            ask: Ask::Step(step),
            hosts: None,
            origin: Id::NONE,
            origin_classes: 0,
            key: self.number << 16,
        };
        Told {
            to: Toward::Itself,
            notice,
        }
    }
}

impl Row {
    /// Gives whether the step is one for less, where one is due.
    fn judge(&mut self, signal: Signal, largest: u32) -> Option<bool> {
        let exponent = self.exponent + self.level;
        if signal.congested() {
            (self.less, self.more) = (self.less + 1, 0);
        } else if signal == Signal::Underused {
            (self.less, self.more) = (0, self.more + 1);
        } else {
            (self.less, self.more) = (0, 0);
        }
        if self.less >= exponent && self.less > 0 {
            self.less = 0;
            let steps = self.level < self.most;
            self.level += u32::from(steps);
            return steps.then_some(true);
        }
        if self.more >= largest.saturating_sub(exponent) && self.more > 0 {
            self.more = 0;
            let steps = self.level > 0;
            self.level -= u32::from(steps);
            return steps.then_some(false);
        }
        None
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "itself",
    aliases: &["caa"],
    summary: "the station itself, without a frame: a step after several equal judgements in a row, more of them the further it has stepped back",
    source: "EZ-flow, CoNEXT 2009",
    options: &[Opt::new(
        "exponent",
        Kind::Count,
        Default::Is("15"),
        "log2 of the largest window: a step for more takes this less log2(CWmin) judgements",
    )
    .at_least("4")
    .at_most("15")],
    build: |args| {
        Ok(AnyNotifier::Itself(Itself {
            exponent: args.count("exponent") as u32,
        }))
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    const SIXTEEN: Category = Category {
        aifsn: 2,
        cw_min: 15,
        cw_max: 1023,
        txop: Span::ZERO,
    };

    /// Judgements until a step comes, and whether it is one for less.
    fn until_step(steps: &mut OwnSteps, signal: Signal) -> Option<(u32, bool)> {
        let mut out = VecDeque::new();
        (1..=20).find_map(|n| {
            steps.judge(0, signal, &mut out);
            let told = out.pop_front()?;
            let Ask::Step(step) = told.notice.ask else {
                unreachable!("it asks for steps");
            };
            assert_eq!((told.to, step.expiry), (Toward::Itself, None));
            Some((n, step.less))
        })
    }

    /// The source: log2(CW) judgements to double CW, 15 - log2(CW) to halve it; 2^10 is the largest here.
    #[test]
    fn a_step_takes_more_judgements_the_further_the_station_has_stepped_back() {
        let terms = Itself { exponent: 15 };
        let mut steps = OwnSteps::new(terms, 0, &[SIXTEEN], [11; 4]);
        for expected in 4..10 {
            let found = until_step(&mut steps, Signal::Congested);
            assert_eq!(found, Some((expected, true)));
        }
        assert_eq!(until_step(&mut steps, Signal::Congested), None);
        steps.judge(0, Signal::Clear, &mut VecDeque::new());
        for expected in 5..11 {
            let found = until_step(&mut steps, Signal::Underused);
            assert_eq!(found, Some((expected, false)));
        }
        assert_eq!(until_step(&mut steps, Signal::Underused), None);
    }

    #[test]
    fn another_judgement_ends_the_row() {
        let terms = Itself { exponent: 15 };
        for between in [Signal::Clear, Signal::Underused] {
            let mut steps = OwnSteps::new(terms, 0, &[SIXTEEN], [11; 4]);
            let mut out = VecDeque::new();
            for _ in 0..10 {
                for _ in 0..3 {
                    steps.judge(0, Signal::Congested, &mut out);
                }
                steps.judge(0, between, &mut out);
            }
            assert!(out.is_empty(), "{between:?}");
        }
    }
}
