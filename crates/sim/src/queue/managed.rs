//! An algorithm of active queue management at work at a port.

use backwater_transport::random::Random;
use backwater_transport::units::Rate;

use super::AnyAqm;
use super::aqm::Aqm;
use super::row::ClassQueue;

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

    /// Its random numbers from now on are drawn anew.
    pub(crate) fn rekey(&mut self, by: u64) {
        self.random.rekey(by);
        if let Some(own) = self.aqm.stream() {
            own.rekey(by);
        }
    }
}
