//! The random stream of a trace. It is drawn from several times, by the link, its logs and laws of explicit feedback, so all of
//! them begin anew at the same opportunity.

use backwater_transport::random::Random;

/// A stream, and where in the trace it was keyed anew.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    random: Random,
    /// Opportunities drawn.
    pub drawn: u64,
    /// After so many opportunities, by what; ascending.
    rekeyed: Vec<(u64, u64)>,
}

impl Stream {
    /// At the beginning of a trace.
    pub fn new(random: Random) -> Stream {
        Stream {
            random,
            drawn: 0,
            rekeyed: Vec::new(),
        }
    }

    /// The state from which the next opportunity is drawn.
    pub fn for_next(&mut self) -> &mut Random {
        for (after, by) in &self.rekeyed {
            if *after == self.drawn {
                self.random.rekey(*by);
            }
        }
        self.drawn += 1;
        &mut self.random
    }

    /// It begins anew after so many opportunities, of which the next was not drawn yet.
    pub fn rekey(&mut self, after: u64, by: u64) {
        debug_assert!(after >= self.drawn, "not drawn yet");
        self.rekeyed.push((after, by));
    }
}
