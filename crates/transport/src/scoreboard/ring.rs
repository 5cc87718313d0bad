//! The ring of packed segments in stream order. Segments have identities that grow by one along the
//! stream; a segment's slot is its identity modulo the number of slots.

use super::entry::Packed;

/// Least number of slots.
const MIN_SLOTS: usize = 16;

/// The ring.
#[derive(Clone, Debug, Default)]
pub(super) struct Ring {
    /// A power of two of slots, or none.
    slots: Vec<Packed>,
    base: u64,
    count: usize,
}

impl Ring {
    /// Number of slots.
    #[cfg(test)]
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Identity of the first segment.
    #[inline]
    pub fn base(&self) -> u64 {
        self.base
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Identities of the segments.
    #[inline]
    pub fn ids(&self) -> std::ops::Range<u64> {
        self.base..self.base + self.count as u64
    }

    /// The content of this identity's slot, used or not; none in a ring without slots.
    #[inline]
    pub fn slot_content(&self, id: u64) -> Option<&Packed> {
        self.slots.get(self.slot(id))
    }

    #[inline]
    pub fn segment(&self, id: u64) -> &Packed {
        &self.slots[self.slot(id)]
    }

    #[inline]
    pub fn segment_mut(&mut self, id: u64) -> &mut Packed {
        let slot = self.slot(id);
        &mut self.slots[slot]
    }

    #[inline]
    fn slot(&self, id: u64) -> usize {
        id as usize & self.slots.len().wrapping_sub(1)
    }

    /// All identities grow by so much.
    pub fn shift(&mut self, by: u64) {
        self.base += by;
        if !self.slots.is_empty() {
            let way = by as usize & (self.slots.len() - 1);
            self.slots.rotate_right(way);
        }
    }

    /// Adds a segment at the end.
    #[inline(always)]
    pub fn push(&mut self, segment: Packed) {
        let id = self.ids().end;
        if self.count == self.slots.len() {
            self.grow();
        }
        self.count += 1;
        *self.segment_mut(id) = segment;
    }

    /// Removes segments from the front. Segments use all slots round-robin, so unused slots would waste
    /// cache: each time that the front wraps around, the ring may shrink.
    #[inline]
    pub fn pop(&mut self, segments: u64) {
        let wrapped = self.slot(self.base) + segments as usize >= self.slots.len();
        self.base += segments;
        self.count -= segments as usize;
        if wrapped {
            self.shrink();
        }
    }

    /// Doubles the ring.
    #[cold]
    fn grow(&mut self) {
        self.resize((2 * self.slots.len()).max(MIN_SLOTS));
    }

    /// Halves the ring when few slots are used.
    #[cold]
    fn shrink(&mut self) {
        if self.slots.len() > MIN_SLOTS && 3 * self.count <= self.slots.len() {
            self.resize(self.slots.len() / 2);
        }
    }

    fn resize(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.slots, vec![Packed::default(); slots]);
        for id in self.ids() {
            *self.segment_mut(id) = old[id as usize % old.len()];
        }
    }
}
