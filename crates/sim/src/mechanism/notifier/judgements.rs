//! A station that tells itself to contend less or more: how many equal judgements of its detector in a row a step takes, and how far
//! it has stepped back.

use std::collections::VecDeque;

use backwater_transport::units::{Rate, Span};

use super::row::{AtNode, Cue, Cues, Facts, Notifier, Notify, Reach, Site};
use crate::mechanism::carrier::{Told, Toward};
use crate::mechanism::moment::Signal;
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::notice::{Ask, Form, Notice, Step, first_key};
use crate::mechanism::responder::Responder;
use crate::medium::access::Category;
use crate::table::Id;

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::STATION.and(Set::NEXT_QUEUE).and(Set::STEPS));

/// The decisions of the notifier.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OwnTerms {
    /// log2 of the CWmin at which one judgement is enough for a step back.
    pub exponent: u32,
}

impl Notify for OwnTerms {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn reach(&self) -> Reach {
        Reach::Itself
    }

    fn at(&self, site: &Site) -> Box<dyn AtNode> {
        let most = site.respond.most();
        Box::new(OwnSteps::new(*self, site.number, site.categories, most))
    }
}

/// The steps that a station has told itself.
#[derive(Clone, Debug)]
pub struct OwnSteps {
    terms: OwnTerms,
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

impl Notifier for OwnSteps {
    fn facts(&self) -> Facts {
        Facts::hearing(Cues::SIGNALS)
    }

    fn on(&mut self, cue: &Cue, out: &mut VecDeque<Told>) {
        if let Cue::Said { class, signal } = *cue {
            self.judge(class, signal, out);
        }
    }
}

impl OwnSteps {
    /// A station that has told itself nothing. `most` is how far its responder can step back.
    pub fn new(terms: OwnTerms, number: u32, categories: &[Category], most: [u8; 4]) -> OwnSteps {
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
    fn judge(&mut self, class: usize, signal: Signal, out: &mut VecDeque<Told>) {
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
            form: Form::Extension,
            classes: 1 << class,
            ask: Ask::Step(step),
            hosts: None,
            origin: Id::NONE,
            origin_classes: 0,
            key: first_key(self.number),
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
        let terms = OwnTerms { exponent: 15 };
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
        let terms = OwnTerms { exponent: 15 };
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

    const ONE: Category = Category {
        cw_min: 0,
        ..SIXTEEN
    };

    /// log2 of a window of one slot is nought, and so is what is left of an exponent that the window has reached: a step
    /// takes one judgement then, and no judgement of another kind.
    #[test]
    fn a_step_takes_at_least_one_judgement_of_its_kind() {
        let mut steps = OwnSteps::new(OwnTerms { exponent: 0 }, 0, &[ONE], [11; 4]);
        let mut out = VecDeque::new();
        for signal in [Signal::Underused, Signal::Clear] {
            steps.judge(0, signal, &mut out);
        }
        assert!(out.is_empty());
        assert_eq!(until_step(&mut steps, Signal::Congested), Some((1, true)));
        steps.judge(0, Signal::Clear, &mut out);
        assert!(out.is_empty());
        assert_eq!(until_step(&mut steps, Signal::Underused), Some((1, false)));
    }

    /// Congestion between judgements of underuse, or a calm between either, and the row begins anew.
    #[test]
    fn a_row_begins_anew_after_a_judgement_of_another_kind() {
        let terms = OwnTerms { exponent: 15 };
        let kinds = [Signal::Congested, Signal::Underused, Signal::Clear];
        for (kind, less, length) in [(kinds[0], true, 5), (kinds[1], false, 10)] {
            for between in kinds.into_iter().filter(|other| *other != kind) {
                // A step back, after which the exponent is 5: five judgements for less, ten for more.
                let mut steps = OwnSteps::new(terms, 0, &[SIXTEEN], [11; 4]);
                assert_eq!(until_step(&mut steps, Signal::Congested), Some((4, true)));
                let mut out = VecDeque::new();
                for _ in 1..length {
                    steps.judge(0, kind, &mut out);
                }
                steps.judge(0, between, &mut out);
                assert!(out.is_empty(), "{kind:?} {between:?}");
                let found = until_step(&mut steps, kind);
                assert_eq!(found, Some((length, less)), "{kind:?} {between:?}");
            }
        }
    }
}
