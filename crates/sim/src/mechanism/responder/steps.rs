//! Code that responders share which contend less for an 802.11 medium, step by step, for the access category named. A
//! request for less, a PAUSE and each repetition of it are a step; a request for more, and the end of
//! a PAUSE, take one back. Requests that expire are taken back step by step.

use backwater_transport::part::{Default, Kind, Opt};
use backwater_transport::units::{Rate, Span, Time};

use super::own::Shares;
use super::{AnyResponder, Knobs, Moved, Responder, Transmitter};
use crate::limit::MAX_CLASSES;
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::notice::{Ask, Notice};
use crate::medium::access::Category;

/// Their needs.
pub const NEEDS: Needs = Needs::of(Set::TRANSMITTER).giving(Set::STEPS);

/// The needs of those that answer with a rate.
pub const NEEDS_OF_RATE: Needs = Needs::of(Set::TRANSMITTER.and(Set::RATE).and(Set::ROOM));

/// The parameter that a step changes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Knob {
    /// AIFSN, by one.
    Aifsn,
    /// CWmin, doubled.
    CwMin,
    /// TXOP limit, halved.
    Txop,
    /// A token bucket of the rate asked for.
    Rate,
}

/// How a station answers, and how far it has stepped back.
#[derive(Clone, Debug)]
pub struct Steps {
    /// The parameter that a step changes.
    knob: Knob,
    /// AIFSN without any step.
    lowest: u8,
    /// Most steps of each access category, lowest first.
    most: [u8; 4],
    /// Rates of the station's own flows, where it holds them.
    own: Option<Shares>,
    stepped: [Option<Stepped>; 4],
}

/// How far a category has stepped back.
#[derive(Copy, Clone, Debug)]
struct Stepped {
    level: u8,
    /// When a step is taken back.
    until: Time,
    /// And how long after it the next.
    period: Span,
}

/// A step of a category, as it was asked for.
#[derive(Copy, Clone, Debug)]
struct Asked {
    less: bool,
    rate: Option<Rate>,
    expiry: Option<Span>,
    period: Span,
}

impl Steps {
    /// A responder that has not stepped back. `lowest` is the AIFSN without any step; `own` says how own flows are held.
    pub fn responder(knob: Knob, lowest: u8, most: [u8; 4], own: Option<Shares>) -> AnyResponder {
        AnyResponder::Steps(Box::new(Steps {
            knob,
            lowest,
            most,
            own,
            stepped: [None; 4],
        }))
    }

    /// Parameters after so many steps.
    fn apply(&self, base: Category, level: u8) -> Category {
        match self.knob {
            Knob::Aifsn => Category {
                aifsn: self.lowest + level,
                ..base
            },
            Knob::CwMin => Category {
                cw_min: ((base.cw_min + 1) << level).min(base.cw_max + 1) - 1,
                ..base
            },
            Knob::Txop => Category {
                txop: Span(base.txop.0 >> level),
                ..base
            },
            Knob::Rate => base,
        }
    }

    fn step(&mut self, number: usize, asked: Asked, now: Time, transmitter: &mut Transmitter) {
        let stepped = self.stepped[number].get_or_insert(Stepped {
            level: 0,
            until: now,
            period: asked.period,
        });
        stepped.level = match asked.less {
            true => (stepped.level + 1).min(self.most[number]),
            false => stepped.level.saturating_sub(1),
        };
        stepped.period = asked.period;
        stepped.until = asked.expiry.map_or(Time::NEVER, |expiry| now + expiry);
        let (level, until, base) = (stepped.level, stepped.until, transmitter.written[number]);
        if level > 0 && asked.expiry.is_some() {
            transmitter.timers.push(until);
        }
        let bucket = asked.rate.filter(|_| level > 0);
        transmitter.moved.push(Moved {
            category: number,
            set: self.apply(base, level),
            pace: (self.knob == Knob::Rate).then_some(bucket.map(|rate| Rate(rate.0.max(1)))),
            level,
        });
    }
}

impl Responder for Steps {
    fn needs(&self) -> Needs {
        match self.knob {
            Knob::Rate => NEEDS_OF_RATE,
            Knob::Aifsn | Knob::CwMin | Knob::Txop => NEEDS,
        }
    }

    fn most(&self) -> [u8; 4] {
        self.most
    }

    fn react(&mut self, notice: &Notice, knobs: &mut Knobs) {
        let (now, unit) = (knobs.now, knobs.unit);
        let transmitter = knobs.transmitter();
        let asked = match notice.ask {
            Ask::Own(own) => {
                let hold = self.own.as_mut().and_then(|shares| shares.adapt(&own));
                transmitter.held.extend(hold.map(|hold| (own.flow, hold)));
                return;
            }
            Ask::Step(step) => Asked {
                less: step.less,
                rate: Some(step.rate),
                expiry: step.expiry,
                period: step.period,
            },
            Ask::Stop(quanta) | Ask::Limit(_, quanta) => {
                let timer = unit.times(u64::from(quanta));
                Asked {
                    less: quanta > 0,
                    rate: notice.rate(),
                    expiry: Some(timer),
                    period: timer,
                }
            }
        };
        let named = (0..transmitter.written.len().min(MAX_CLASSES))
            .filter(|number| notice.classes >> number & 1 == 1);
        for number in named.collect::<Vec<_>>() {
            self.step(number, asked, now, transmitter);
        }
    }

    fn timer(&mut self, knobs: &mut Knobs) {
        let now = knobs.now;
        let transmitter = knobs.transmitter();
        for number in 0..transmitter.written.len() {
            let Some(stepped) = &mut self.stepped[number] else {
                continue;
            };
            if stepped.level == 0 || stepped.until != now {
                continue;
            }
            stepped.level -= 1;
            stepped.until = now + stepped.period;
            let (level, until, base) = (stepped.level, stepped.until, transmitter.written[number]);
            if level > 0 {
                transmitter.timers.push(until);
            }
            transmitter.moved.push(Moved {
                category: number,
                set: self.apply(base, level),
                pace: (level == 0).then_some(None),
                level,
            });
        }
    }
}

/// How many steps there are.
pub(super) const STEPS: Opt = Opt::new(
    "steps",
    Kind::Count,
    Default::Is("5"),
    "most steps, each a factor of two",
)
.at_least("1")
.at_most("15");

#[cfg(test)]
mod test_steps;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::notice::{Form, Step};
    use crate::table::Id;

    const BASE: Category = Category {
        aifsn: 2,
        cw_min: 15,
        cw_max: 1023,
        txop: Span::ZERO,
    };

    fn notice(ask: Ask) -> Notice {
        Notice {
            mechanism: 0,
            form: Form::Request(50),
            classes: 0b10,
            ask,
            hosts: None,
            origin: Id::NONE,
            origin_classes: 0,
            key: 0,
        }
    }

    /// Lets a responder answer at a time, and gives level and next timer.
    fn at(responder: &mut AnyResponder, ms: u64, ask: Option<Ask>) -> Option<(u8, Option<Time>)> {
        let mut transmitter = Transmitter {
            written: [BASE; 4].into(),
            ..Transmitter::default()
        };
        let mut knobs = Knobs {
            now: Time::ZERO + Span::millis(ms),
            timer_from: Time::ZERO + Span::millis(ms),
            unit: Span::millis(1),
            gates: None,
            next: None,
            transmitter: Some(&mut transmitter),
        };
        match ask {
            Some(ask) => responder.react(&notice(ask), &mut knobs),
            None => responder.timer(&mut knobs),
        }
        let moved = transmitter.moved.first()?;
        assert_eq!((moved.category, moved.set.aifsn), (1, 2 + moved.level));
        Some((moved.level, transmitter.timers.first().copied()))
    }

    fn step(less: bool) -> Option<Ask> {
        Some(Ask::Step(Step {
            less,
            rate: Rate(1_000_000),
            expiry: Some(Span::millis(1000)),
            period: Span::millis(250),
        }))
    }

    #[test]
    fn steps_expire_one_after_the_other_when_requests_stop() {
        let mut responder = Steps::responder(Knob::Aifsn, 2, [29; 4], None);
        let due = |ms| Some(Time::ZERO + Span::millis(ms));
        for level in 1..=3 {
            assert_eq!(at(&mut responder, 0, step(true)), Some((level, due(1000))));
        }
        // A timer that a later request has moved does nothing.
        assert_eq!(at(&mut responder, 500, step(true)), Some((4, due(1500))));
        assert_eq!(at(&mut responder, 1000, None), None);
        assert_eq!(at(&mut responder, 1500, None), Some((3, due(1750))));
        assert_eq!(at(&mut responder, 1600, step(false)), Some((2, due(2600))));
        assert_eq!(at(&mut responder, 2600, None), Some((1, due(2850))));
        assert_eq!(at(&mut responder, 2850, None), Some((0, None)));
    }

    #[test]
    fn a_pause_and_each_repetition_of_it_are_a_step_and_its_end_takes_one_back() {
        let mut responder = Steps::responder(Knob::Aifsn, 2, [2; 4], None);
        let due = |ms| Some(Time::ZERO + Span::millis(ms));
        let stop = |quanta| Some(Ask::Stop(quanta));
        assert_eq!(at(&mut responder, 0, stop(100)), Some((1, due(100))));
        assert_eq!(at(&mut responder, 50, stop(100)), Some((2, due(150))));
        assert_eq!(at(&mut responder, 100, stop(100)), Some((2, due(200))));
        assert_eq!(at(&mut responder, 120, stop(0)).map(|a| a.0), Some(1));
    }

    /// 3008 µs, the default of AC_VI in 802.11b: half of it for each step.
    #[test]
    fn each_step_halves_the_txop_limit() {
        let AnyResponder::Steps(steps) = Steps::responder(Knob::Txop, 0, [4; 4], None) else {
            panic!("steps");
        };
        let base = Category {
            txop: Span::micros(3008),
            ..BASE
        };
        let limits = [0, 1, 2, 3].map(|level| steps.apply(base, level).txop);
        assert_eq!(limits, [3008, 1504, 752, 376].map(Span::micros));
    }
}
