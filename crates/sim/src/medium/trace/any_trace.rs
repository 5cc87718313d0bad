//! Every trace: a file here and a row of `TRACES`. `file` is the recorded one, the others are generators that need no file.

use backwater_transport::random::Random;
use backwater_transport::units::Time;

use super::file::Recorded;
use super::schedule::Schedule;
use super::{adversarial, cellreplay, constant, cox, file, listed, periodic, random_walk, rates};

impl AnyTrace {
    /// The opportunities of a file, where it has one.
    pub fn recorded(&self) -> Option<&Recorded> {
        match self {
            AnyTrace::Recorded(recorded) => Some(recorded),
            AnyTrace::Listed(listed) => Some(listed.recorded()),
            AnyTrace::CellReplay(replay) => Some(replay.heavy()),
            _ => None,
        }
    }

    /// The same, repeated or not. None where the trace is generated and has no end.
    pub fn repeated(&self, repeat: bool) -> Option<AnyTrace> {
        match self.clone() {
            AnyTrace::Recorded(recorded) => Some(recorded.repeated(repeat).into()),
            AnyTrace::Listed(listed) => Some(listed.repeated(repeat).into()),
            AnyTrace::CellReplay(replay) => Some(replay.repeated(repeat).into()),
            _ => None,
        }
    }

    /// The same, begun at a millisecond that the seed chooses. None where the trace is not the file of a recording that
    /// repeats.
    pub fn begun_anywhere(&self) -> Option<AnyTrace> {
        match self.clone() {
            AnyTrace::Recorded(recorded) if recorded.repeats() => {
                Some(recorded.begun_anywhere().into())
            }
            _ => None,
        }
    }
}

backwater_transport::parts! {
    /// Any trace.
    pub enum AnyTrace: Schedule {
        #[inline]
        fn next(&mut self, size: u64, random: &mut Random) -> Option<Time>;
        fn up_to(&self, size: u64, end: Time) -> Option<u64>;
        fn steps(&self, size: u64) -> f64;
        fn is_random(&self) -> bool;
    }

    /// Every trace a link can name.
    pub static TRACES;

    file::Recorded,
    listed::Listed,
    constant::Constant,
    periodic::Periodic,
    random_walk::RandomWalk,
    rates::Rates,
    cox::Cox,
    adversarial::Adversarial,
    cellreplay::CellReplay,
}
