//! Which bytes of a stream have arrived, and which blocks to report (RFC 2018, RFC 2883).

use crate::segment::{AckSegment, SACK_BLOCKS};
use crate::walk::{Base, Walk};

/// Above all bytes of a stream.
const NO_BYTE: u64 = u64::MAX;

/// All bytes below `next` and the blocks above have arrived. Segments in order use the first two fields
/// only.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Reassembly {
    next: u64,
    /// `[first, end)`, disjoint, not adjacent, ascending.
    blocks: Vec<(u64, u64)>,
    /// One byte of each block reported last, the newest first; `NO_BYTE` behind the last.
    recent: [u64; SACK_BLOCKS],
}

impl Default for Reassembly {
    fn default() -> Self {
        Reassembly {
            next: 0,
            blocks: Vec::new(),
            recent: [NO_BYTE; SACK_BLOCKS],
        }
    }
}

impl Reassembly {
    /// A byte that was reported and lies below all blocks names none any more.
    pub(crate) fn walk(&mut self, walk: &mut Walk, base: &Base) {
        let Reassembly {
            next,
            blocks,
            recent,
        } = self;
        for byte in recent {
            let names = (*next..NO_BYTE).contains(byte);
            walk.same(names);
            if names {
                walk.long(byte, base.byte);
            }
        }
        walk.same(blocks.len() as u64);
        for (first, end) in blocks {
            walk.long(first, base.byte);
            walk.long(end, base.byte);
        }
        walk.long(next, base.byte);
    }

    /// Next byte expected.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Whether bytes are missing below a block that has arrived.
    pub fn gaps(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Bytes `[start, end)` have arrived. False if they are all duplicates.
    #[inline(always)]
    pub fn insert(&mut self, start: u64, end: u64) -> bool {
        if end <= self.next {
            return false;
        }
        if start <= self.next {
            self.next = end;
            let covered = self.blocks.iter().take_while(|b| b.0 <= self.next).count();
            if covered > 0 {
                self.next = self.next.max(self.blocks[covered - 1].1);
                self.blocks.drain(..covered);
            }
            return true;
        }
        // The blocks that touch [start, end) become one.
        let from = self.blocks.partition_point(|b| b.1 < start);
        let to = self.blocks.partition_point(|b| b.0 <= end);
        let mut fresh = true;
        if from == to {
            self.blocks.insert(from, (start, end));
        } else {
            let (low, high) = (self.blocks[from].0, self.blocks[to - 1].1);
            fresh = to > from + 1 || start < low || end > high;
            self.blocks[from] = (low.min(start), high.max(end));
            self.blocks.drain(from + 1..to);
        }
        self.remember(start, from);
        fresh
    }

    /// Puts a block first in the list of blocks to report. Each block is listed once.
    fn remember(&mut self, byte: u64, block: usize) {
        let mut recent = self.recent.iter();
        let at = recent.position(|r| self.block_of(*r).is_none_or(|b| b == block));
        let last = at.unwrap_or(SACK_BLOCKS - 1);
        self.recent.copy_within(0..last, 1);
        self.recent[0] = byte;
    }

    fn block_of(&self, byte: u64) -> Option<usize> {
        let at = self.blocks.partition_point(|b| b.1 <= byte);
        self.blocks
            .get(at)
            .is_some_and(|b| b.0 <= byte)
            .then_some(at)
    }

    /// Adds the blocks to report: first that of the newest segment, then those reported before it.
    pub fn report(&self, ack: &mut AckSegment) {
        if self.blocks.is_empty() {
            return;
        }
        let duplicate = ack.blocks.count();
        for byte in &self.recent {
            let Some(at) = self.block_of(*byte) else {
                continue;
            };
            let block = self.blocks[at];
            if !ack.sack().skip(duplicate).any(|told| told == block) {
                ack.report(block.0, block.1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(r: &Reassembly) -> Vec<(u64, u64)> {
        let mut ack = AckSegment {
            upto: r.next(),
            ..AckSegment::default()
        };
        r.report(&mut ack);
        ack.sack().collect()
    }

    /// RFC 2018 section 4, third example of its kind: every other segment is missing, then the
    /// holes fill. The newest block comes first, then those reported before it.
    #[test]
    fn blocks_are_reported_newest_first() {
        let mut r = Reassembly::default();
        assert!(r.insert(0, 10));
        assert!(r.insert(20, 30));
        assert!(r.insert(40, 50));
        assert!(r.insert(60, 70));
        assert!(r.insert(80, 90));
        assert_eq!(report(&r), [(80, 90), (60, 70), (40, 50)]);
        // Extending the newest keeps the others.
        for i in 9..20 {
            assert!(r.insert(10 * i, 10 * i + 10));
        }
        assert_eq!(report(&r), [(80, 200), (60, 70), (40, 50)]);
        assert!(r.insert(30, 40));
        assert_eq!(report(&r), [(20, 50), (80, 200), (60, 70)]);
        assert!(!r.insert(30, 40));
        assert!(r.insert(10, 20));
        assert_eq!(r.next(), 50);
        assert_eq!(report(&r), [(80, 200), (60, 70)]);
        assert!(!r.insert(40, 50));
        assert!(r.insert(50, 90));
        assert_eq!(r.next(), 200);
        assert!(!r.gaps());
    }
}
