//! The byte ranges that are selectively acknowledged.

/// Ranges `[first, end)`: disjoint, not adjacent, ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct SackRanges(pub(super) Vec<(u64, u64)>);

impl SackRanges {
    pub fn as_slice(&self) -> &[(u64, u64)] {
        &self.0
    }

    /// The first range that ends above this byte.
    pub fn ending_above(&self, byte: u64) -> Option<(u64, u64)> {
        let next = self.0.partition_point(|r| r.1 <= byte);
        self.0.get(next).copied()
    }

    /// Adds a range that overlaps no other. It may touch others at its ends.
    pub fn insert(&mut self, from: u64, to: u64) {
        let ranges = &mut self.0;
        let at = ranges.partition_point(|r| r.1 < from);
        let joins_below = ranges.get(at).is_some_and(|r| r.1 == from);
        let above = at + usize::from(joins_below);
        let joins_above = ranges.get(above).is_some_and(|r| r.0 == to);
        match (joins_below, joins_above) {
            (true, true) => {
                ranges[at].1 = ranges[above].1;
                ranges.remove(above);
            }
            (true, false) => ranges[at].1 = to,
            (false, true) => ranges[at].0 = from,
            (false, false) => ranges.insert(at, (from, to)),
        }
    }

    /// Forgets the ranges that end at or below this byte.
    pub fn forget_below(&mut self, byte: u64) {
        if self.0.first().is_some_and(|r| r.1 <= byte) {
            let gone = self.0.partition_point(|r| r.1 <= byte);
            self.0.drain(..gone);
        }
    }
}
