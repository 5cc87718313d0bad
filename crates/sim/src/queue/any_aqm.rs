//! The enum of all algorithms of active queue management, made from their list, and one at work at a port.

use backwater_transport::random::Random;
use backwater_transport::units::Rate;

use super::AnyAqm;
use super::aqm::Aqm;
use super::row::ClassQueue;

macro_rules! aqms {
    ($($module:ident::$name:ident),* $(,)?) => {
        /// Every algorithm.
        #[derive(Clone, Debug)]
        pub enum AnyAqm {
            $(#[doc = "See its file."] $name(Box<$module::$name>),)*
            /// From outside this crate.
            Custom(Box<dyn CustomAqm>),
        }

        $(impl From<$module::$name> for AnyAqm {
            fn from(aqm: $module::$name) -> AnyAqm {
                AnyAqm::$name(Box::new(aqm))
            }
        })*

        impl Aqm for AnyAqm {
            fn attach(&mut self, rate: Rate, random: &mut Random) {
                match self {
                    $(AnyAqm::$name(a) => a.attach(rate, random),)*
                    AnyAqm::Custom(a) => a.attach(rate, random),
                }
            }
            fn stream(&mut self) -> Option<&mut Random> {
                match self {
                    $(AnyAqm::$name(a) => a.stream(),)*
                    AnyAqm::Custom(a) => a.stream(),
                }
            }
            fn line_rate(&mut self, rate: Rate) {
                match self {
                    $(AnyAqm::$name(a) => a.line_rate(rate),)*
                    AnyAqm::Custom(a) => a.line_rate(rate),
                }
            }
            fn warning(&self) -> Option<String> {
                match self {
                    $(AnyAqm::$name(a) => a.warning(),)*
                    AnyAqm::Custom(a) => a.warning(),
                }
            }
            fn knob(&mut self) -> Option<Knob<'_>> {
                match self {
                    $(AnyAqm::$name(a) => a.knob(),)*
                    AnyAqm::Custom(a) => a.knob(),
                }
            }
            fn queues(&self) -> usize {
                match self {
                    $(AnyAqm::$name(a) => a.queues(),)*
                    AnyAqm::Custom(a) => a.queues(),
                }
            }
            fn classify(&mut self, packet: &Parties) -> usize {
                match self {
                    $(AnyAqm::$name(a) => a.classify(packet),)*
                    AnyAqm::Custom(a) => a.classify(packet),
                }
            }
            fn update(&mut self, now: Time, waiting: &Waiting) {
                match self {
                    $(AnyAqm::$name(a) => a.update(now, waiting),)*
                    AnyAqm::Custom(a) => a.update(now, waiting),
                }
            }
            fn victim(&self, arriving: &Frame, queues: &[ClassQueue]) -> Option<usize> {
                match self {
                    $(AnyAqm::$name(a) => a.victim(arriving, queues),)*
                    AnyAqm::Custom(a) => a.victim(arriving, queues),
                }
            }
            fn push(&mut self, frame: &Frame, random: &mut Random) -> Verdict {
                match self {
                    $(AnyAqm::$name(a) => a.push(frame, random),)*
                    AnyAqm::Custom(a) => a.push(frame, random),
                }
            }
            fn refused(&mut self, frame: &Frame, judged: bool, random: &mut Random) {
                match self {
                    $(AnyAqm::$name(a) => a.refused(frame, judged, random),)*
                    AnyAqm::Custom(a) => a.refused(frame, judged, random),
                }
            }
            fn choose(&mut self, queues: &[ClassQueue]) -> usize {
                match self {
                    $(AnyAqm::$name(a) => a.choose(queues),)*
                    AnyAqm::Custom(a) => a.choose(queues),
                }
            }
            fn pop(&mut self, frame: &Frame) -> Verdict {
                match self {
                    $(AnyAqm::$name(a) => a.pop(frame),)*
                    AnyAqm::Custom(a) => a.pop(frame),
                }
            }
            fn takes_next(&self) -> bool {
                match self {
                    $(AnyAqm::$name(a) => a.takes_next(),)*
                    AnyAqm::Custom(a) => a.takes_next(),
                }
            }
            fn emptied(&mut self, now: Time) {
                match self {
                    $(AnyAqm::$name(a) => a.emptied(now),)*
                    AnyAqm::Custom(a) => a.emptied(now),
                }
            }
        }
    };
}

pub(super) use aqms;

/// An algorithm at a port.
#[derive(Clone, Debug)]
pub struct Managed {
    /// The algorithm.
    pub aqm: AnyAqm,
    /// Its own queues; empty where it watches the class queues.
    pub queues: Vec<ClassQueue>,
    /// Its stream.
    pub random: Random,
}

impl Managed {
    /// Puts a copy of an algorithm to a port.
    pub fn new(prototype: &AnyAqm, rate: Rate, mut random: Random) -> Managed {
        let mut aqm = prototype.clone();
        aqm.attach(rate, &mut random);
        let queues = vec![ClassQueue::default(); aqm.queues()];
        Managed {
            aqm,
            queues,
            random,
        }
    }

    /// What it draws from now on is drawn anew.
    pub(crate) fn rekey(&mut self, by: u64) {
        self.random.rekey(by);
        if let Some(own) = self.aqm.stream() {
            own.rekey(by);
        }
    }
}
