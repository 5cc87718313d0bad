//! The linked list of segments in flight, in order of transmission. The links are in the segments.

use super::ring::Ring;

/// Identity that stands for no segment.
const NONE: u64 = u64::MAX;

/// The two ends of the list.
#[derive(Clone, Debug)]
pub(super) struct TransmissionOrder {
    oldest: u64,
    newest: u64,
}

impl Default for TransmissionOrder {
    fn default() -> TransmissionOrder {
        TransmissionOrder {
            oldest: NONE,
            newest: NONE,
        }
    }
}

impl TransmissionOrder {
    /// The segment sent first.
    #[inline]
    pub fn oldest(&self) -> Option<u64> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// The segment sent last.
    #[inline]
    pub fn newest(&self) -> Option<u64> {
        (self.newest != NONE).then_some(self.newest)
    }

    /// All identities grow by so much.
    pub fn shift(&mut self, by: u64) {
        for end in [&mut self.oldest, &mut self.newest] {
            if *end != NONE {
                *end += by;
            }
        }
    }

    /// The list begins at `first` from here on; none empties it.
    #[inline]
    pub fn cut_before(&mut self, first: Option<u64>, ring: &mut Ring) {
        match first {
            None => *self = TransmissionOrder::default(),
            Some(first) => {
                self.oldest = first;
                ring.segment_mut(first).before = 0;
            }
        }
    }

    /// Appends a segment that is not yet in the ring, and gives its link to the one before.
    #[inline(always)]
    pub fn append_new(&mut self, id: u64, ring: &mut Ring) -> i32 {
        let before = match self.newest {
            NONE => {
                self.oldest = id;
                0
            }
            newest => {
                let distance = distance(newest, id);
                ring.segment_mut(newest).after = distance;
                -distance
            }
        };
        self.newest = id;
        before
    }

    /// Appends a segment of the ring.
    pub fn append(&mut self, id: u64, ring: &mut Ring) {
        let before = self.append_new(id, ring);
        let segment = ring.segment_mut(id);
        (segment.before, segment.after) = (before, 0);
    }

    pub fn remove(&mut self, id: u64, ring: &mut Ring) {
        let segment = ring.segment(id);
        match (neighbour(id, segment.before), neighbour(id, segment.after)) {
            (None, after) => self.cut_before(after, ring),
            (Some(before), None) => {
                self.newest = before;
                ring.segment_mut(before).after = 0;
            }
            (Some(before), Some(after)) => {
                let distance = distance(before, after);
                ring.segment_mut(before).after = distance;
                ring.segment_mut(after).before = -distance;
            }
        }
    }
}

/// Distance in identity. It fits 31 bits: a window is at most 1 GiB.
fn distance(from: u64, to: u64) -> i32 {
    to.wrapping_sub(from) as i32
}

/// The segment at this distance; zero means none.
pub(super) fn neighbour(id: u64, distance: i32) -> Option<u64> {
    (distance != 0).then(|| id.wrapping_add_signed(i64::from(distance)))
}
