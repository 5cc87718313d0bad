//! The random stream of a trace. It is drawn from several times, by the link, its logs and laws of explicit feedback, so all of
//! them begin anew, or go on with another trace, at the same opportunity.

use backwater_transport::random::Random;
use backwater_transport::units::Time;

use super::{AnyTrace, Schedule, ServerSpec};

/// What changes in the middle of a trace.
#[derive(Clone, Debug)]
pub(crate) enum Turn {
    /// The stream is keyed anew by this number.
    Reseed(u64),
    /// Opportunities are those of another trace with a stream of its own, as far as they lie behind an instant.
    Trace(AnyTrace, Random, Time),
    /// The trace goes on from this state, which it had here before, with another stream.
    Again(AnyTrace, Random),
}

impl Turn {
    /// Whether an opportunity that was drawn behind it is drawn again.
    pub fn draws_again(&self) -> bool {
        matches!(self, Turn::Trace(..) | Turn::Again(..))
    }
}

/// A stream, and where in the trace something changes.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    random: Random,
    /// Opportunities drawn.
    pub drawn: u64,
    /// After so many opportunities; ascending but for one that was given back.
    turns: Vec<(u64, Turn)>,
}

impl Stream {
    /// At the beginning of a trace.
    pub fn new(random: Random) -> Stream {
        Stream {
            random,
            drawn: 0,
            turns: Vec::new(),
        }
    }

    /// The next opportunity on the link's clock, of the trace that is in force there.
    pub fn next(&mut self, spec: &mut ServerSpec) -> Option<Time> {
        let mut after = None;
        for (_, turn) in self.turns.iter().filter(|turn| turn.0 == self.drawn) {
            match turn {
                Turn::Reseed(by) => self.random.rekey(*by),
                Turn::Trace(trace, random, from) => {
                    spec.trace = trace.clone();
                    self.random = random.clone();
                    after = Some(*from);
                }
                Turn::Again(trace, random) => {
                    spec.trace = trace.clone();
                    self.random = random.clone();
                }
            }
        }
        self.drawn += 1;
        loop {
            let at = spec.trace.next(spec.opportunity, &mut self.random);
            let at = spec.clock(at);
            if at.is_none_or(|at| after.is_none_or(|after| at > after)) {
                return at;
            }
        }
    }

    /// Something changes after so many opportunities, of which the next was not drawn yet.
    pub fn turn(&mut self, after: u64, turn: Turn) {
        debug_assert!(after >= self.drawn, "not drawn yet");
        self.turns.push((after, turn));
    }

    /// Gives the opportunity back that was drawn last: another trace begins there.
    pub fn give_back(&mut self) {
        self.drawn -= 1;
    }

    /// Whether the trace changes where the next opportunity is drawn.
    pub fn changes_here(&self) -> bool {
        let here = |turn: &&(u64, Turn)| turn.0 == self.drawn;
        let mut turns = self.turns.iter().filter(here);
        turns.any(|(_, turn)| matches!(turn, Turn::Trace(..)))
    }

    /// Whether it is one stream and one trace from the beginning on.
    pub fn never_turns(&self) -> bool {
        self.turns.is_empty()
    }

    /// A stream for another trace that begins after so many opportunities.
    pub fn another(&self, after: u64) -> Random {
        let mut random = self.random.clone();
        random.rekey(after);
        random
    }
}
