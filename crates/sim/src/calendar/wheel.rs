//! A calendar queue: events in buckets of equal width, one turn of the wheel ahead, and those beyond
//! it in a heap. A bucket is a list without order; whoever takes it out sorts it, which is cheap
//! because it holds a handful.
//!
//! Reference: R. Brown, "Calendar queues: a fast O(1) priority queue implementation for the
//! simulation event set problem", CACM 31(10), 1988.
//! Differences: a bucket holds one turn only and later events wait in the heap, so that no bucket is
//! searched twice; a bit map skips empty buckets; width and number of buckets are looked at again
//! after so many events, not whenever the number of events doubles.

use super::heap::Heap;
use crate::event::Key;

/// Events later than those of the bucket that was taken out last.
#[derive(Clone, Debug)]
pub(super) struct Wheel {
    /// Ticks of a bucket, as a power of two.
    shift: u32,
    /// Number of the bucket taken out last: instant >> shift, not wrapped.
    turned: u64,
    /// First slot of each bucket, or `NONE`.
    heads: Vec<u32>,
    /// Bit b: bucket b is not empty.
    marks: Vec<u64>,
    slots: Vec<Slot>,
    free: u32,
    /// Events in buckets.
    held: usize,
    beyond: Heap,
    count: Count,
}

/// An event and the next slot of its bucket, or of the free list.
#[derive(Copy, Clone, Debug)]
struct Slot {
    key: Key,
    next: u32,
}

/// What tells whether the width suits, since the last look.
#[derive(Copy, Clone, Debug, Default)]
struct Count {
    /// Buckets taken out.
    taken: u64,
    /// Events put into buckets.
    put: u64,
    /// Events that went beyond the turn.
    strays: u64,
    /// Events until the next look.
    until: u64,
}

const NONE: u32 = u32::MAX;
/// Events that a bucket should hold.
const FILL: u64 = 4;
/// Events between two looks at the width, at least.
const LOOK: u64 = 4096;
const FEWEST: usize = 256;
const MOST: usize = 1 << 20;

impl Wheel {
    /// An empty wheel whose buckets suit these keys, which are in order and not none. Its first bucket
    /// counts as taken out.
    pub(super) fn suited(keys: &[Key]) -> Wheel {
        // Seven eighths of them, so that a few far away don't widen the buckets of all.
        let most = keys.len() - keys.len() / 8;
        let span = keys[most - 1].at().0 - keys[0].at().0;
        let width = (span / most as u64).saturating_mul(FILL).max(1);
        let shift = width.ilog2();
        let buckets = keys.len().next_power_of_two().clamp(FEWEST, MOST);
        Wheel {
            shift,
            turned: keys[0].at().0 >> shift,
            heads: vec![NONE; buckets],
            marks: vec![0; buckets / 64],
            slots: Vec::new(),
            free: NONE,
            held: 0,
            beyond: Heap::default(),
            count: Count {
                until: LOOK.max(2 * keys.len() as u64),
                ..Count::default()
            },
        }
    }

    /// Takes the place of a wheel that was found unsuitable: looks less often where it is no other.
    pub(super) fn succeed(&mut self, old: &Wheel) {
        if self.shift == old.shift && self.heads.len() == old.heads.len() {
            self.count.until = old.count.until.saturating_mul(2);
        }
    }

    /// The least key that the wheel takes: what comes before it is of a bucket that was taken out.
    pub(super) fn edge(&self) -> Key {
        if self.turned < u64::MAX >> self.shift {
            Key::least((self.turned + 1) << self.shift)
        } else {
            Key::NEVER
        }
    }

    /// Number of events.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.held + self.beyond.len()
    }

    /// Adds an event at or after the edge.
    #[inline]
    pub(super) fn push(&mut self, key: Key) {
        let bucket = key.at().0 >> self.shift;
        if bucket - self.turned < self.heads.len() as u64 {
            self.put(bucket, key);
        } else {
            self.count.strays += 1;
            self.beyond.push(key);
        }
    }

    #[inline]
    fn put(&mut self, bucket: u64, key: Key) {
        let b = bucket as usize & (self.heads.len() - 1);
        let slot = Slot {
            key,
            next: self.heads[b],
        };
        self.marks[b / 64] |= 1 << (b % 64);
        self.heads[b] = if self.free == NONE {
            self.slots.push(slot);
            u32::try_from(self.slots.len() - 1).expect("fewer than 2^32 pending events")
        } else {
            let at = self.free;
            let place = &mut self.slots[at as usize];
            self.free = place.next;
            *place = slot;
            at
        };
        self.held += 1;
        self.count.put += 1;
    }

    /// Takes out the next bucket that is not empty: to be emptied with `next_of` at once.
    pub(super) fn turn(&mut self) -> Option<Bucket> {
        if self.held == 0 {
            // The first one beyond says how far to turn.
            self.turned = (self.beyond.first()?.at().0 >> self.shift) - 1;
            self.reach();
        }
        let size = self.heads.len();
        let from = (self.turned + 1) as usize & (size - 1);
        let ahead = self.empty_from(from);
        self.turned += 1 + ahead as u64;
        self.reach();
        self.count.taken += 1;
        let b = (from + ahead) & (size - 1);
        self.marks[b / 64] &= !(1 << (b % 64));
        Some(Bucket(std::mem::replace(&mut self.heads[b], NONE)))
    }

    /// Takes an event out of a bucket that was taken out.
    #[inline]
    pub(super) fn next_of(&mut self, bucket: &mut Bucket) -> Option<Key> {
        let at = bucket.0;
        let slot = self.slots.get_mut(at as usize)?;
        bucket.0 = std::mem::replace(&mut slot.next, self.free);
        self.free = at;
        self.held -= 1;
        Some(slot.key)
    }

    /// Number of empty buckets from this one to the next that is not.
    fn empty_from(&self, from: usize) -> usize {
        let rest = self.marks[from / 64] >> (from % 64);
        if rest != 0 {
            return rest.trailing_zeros() as usize;
        }
        let (mut word, mut empty) = (from / 64, 64 - from % 64);
        loop {
            word = (word + 1) & (self.marks.len() - 1);
            if self.marks[word] != 0 {
                return empty + self.marks[word].trailing_zeros() as usize;
            }
            empty += 64;
        }
    }

    /// Puts into buckets what has come within one turn.
    fn reach(&mut self) {
        while let Some(key) = self.beyond.first() {
            let bucket = key.at().0 >> self.shift;
            if bucket - self.turned >= self.heads.len() as u64 {
                break;
            }
            self.beyond.pop();
            self.put(bucket, key);
        }
    }

    /// Whether other buckets might do better. Costs a comparison most of the time.
    pub(super) fn misfits(&mut self) -> bool {
        let Count {
            taken,
            put,
            strays,
            until,
        } = self.count;
        if put + strays < until {
            return false;
        }
        self.count = Count {
            until,
            ..Count::default()
        };
        put > 4 * FILL * taken || put < taken + taken / 2 || strays > put / 2
    }

    /// All events, in no order.
    pub(super) fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        let in_buckets = self.heads.iter().flat_map(move |head| {
            let mut at = *head;
            std::iter::from_fn(move || {
                let slot = self.slots.get(at as usize)?;
                at = slot.next;
                Some(slot.key)
            })
        });
        in_buckets.chain(self.beyond.keys())
    }
}

/// What is left of a bucket that was taken out: its first slot.
#[derive(Debug)]
pub(super) struct Bucket(u32);
