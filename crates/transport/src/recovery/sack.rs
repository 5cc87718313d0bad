//! Loss detection from selective acknowledgements by counting (RFC 6675).
//!
//! Differences: a segment counts as lost once, so the loss of a retransmission is left to the timer,
//! as in the RFC; the duplicates of its section 5 are counted as segments selectively acknowledged;
//! segments that are not lost by that count are not sent again (`NextSeg` rules 3 and 4).

use crate::scoreboard::{Scoreboard, State};

/// DupThresh.
const THRESHOLD: u32 = 3;

/// How far the search for losses has come.
#[derive(Clone, Debug, Default)]
pub struct Sack {
    /// Segments below this identity have been checked.
    judged: u64,
}

impl Sack {
    /// Finds the lost segments: at least three ranges, or more than two segments' bytes, are
    /// selectively acknowledged above them (`IsLost`); the first also when three segments are.
    pub fn detect(&mut self, board: &Scoreboard, mss: u64, lost: &mut Vec<u64>) {
        let mut bytes = 0;
        let mut edge = None;
        for (n, range) in board.ranges().iter().rev().enumerate() {
            bytes += range.1 - range.0;
            if n + 1 >= THRESHOLD as usize || bytes > u64::from(THRESHOLD - 1) * mss {
                edge = Some(range.0);
                break;
            }
        }
        let ids = board.ids();
        let end = match edge {
            Some(byte) => board.find(byte),
            None if board.sacked_segments() >= THRESHOLD => ids.start + 1,
            None => return,
        };
        for id in self.judged.max(ids.start)..end {
            let entry = board.entry(id);
            if entry.state == State::InFlight && !entry.retransmitted() {
                lost.push(id);
            }
        }
        self.judged = self.judged.max(end);
    }
}
