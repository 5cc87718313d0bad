//! Sources: when a flow wants to send, and how much. A source is a file here and a row of
//! `SOURCES`. It says the next demand and nothing else: cutting into frames, queueing and
//! counting happen elsewhere.

use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Time};

/// So many payload bytes handed to the sending host at an instant.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// When.
    pub at: Time,
    /// How much. Never zero.
    pub bytes: Bytes,
}

/// When a flow wants to send, and how much.
pub trait Source {
    /// The demand that follows; `None` when there is none left. Called once at the start with the
    /// flow's start time, then at each demand's own instant. `at` never lies before `now`.
    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand>;
}
