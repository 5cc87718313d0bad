//! Loss detection from selective acknowledgements by counting (RFC 6675).
//!
//! Differences: a segment counts as lost once, so the loss of a retransmission is left to the timer,
//! as in the RFC; the duplicates of its section 5 are counted as segments selectively acknowledged;
//! segments that are not lost by that count are not sent again (`NextSeg` rules 3 and 4).

use crate::scoreboard::{Scoreboard, State};
use crate::walk::Walk;

/// DupThresh.
const THRESHOLD: u32 = 3;

/// How far the search for losses has come.
#[derive(Clone, Debug, Default)]
pub struct Sack {
    /// Segments below this identity have been checked.
    judged: u64,
}

impl Sack {
    pub(super) fn walk(&mut self, walk: &mut Walk, first: u64) {
        let Sack { judged } = self;
        walk.above(judged, first);
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::Snapshot;

    /// Ten segments of so many bytes, of which those are selectively acknowledged; what is lost of a stream with segments of
    /// 1000 B.
    fn lost(len: u64, sacked: &[u64]) -> Vec<u64> {
        let mut board = Scoreboard::default();
        for number in 0..10 {
            board.push(number * len, len as u32, number, Snapshot::default());
        }
        for id in sacked {
            board.sack(id * len, (id + 1) * len, |_| {});
        }
        let mut lost = Vec::new();
        Sack::default().detect(&board, 1000, &mut lost);
        lost
    }

    /// RFC 6675, `IsLost`: three ranges above, or more than two full segments' bytes.
    #[test]
    fn three_ranges_or_more_than_two_segments_above_make_a_loss() {
        assert_eq!(lost(10, &[2, 4, 6]), [0, 1]);
        assert_eq!(lost(10, &[2, 4]), []);
        assert_eq!(lost(1000, &[3, 4, 5]), [0, 1, 2]);
        assert_eq!(lost(1000, &[3, 4]), []);
    }

    /// Section 5: three duplicates mean that the first segment is lost, however small those above it are; of the second that says nothing.
    #[test]
    fn three_small_segments_above_make_the_first_a_loss() {
        assert_eq!(lost(10, &[2, 3, 4]), [0]);
        assert_eq!(lost(10, &[2, 3]), []);
    }
}
