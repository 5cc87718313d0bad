//! A calendar queue: events in buckets of equal width, one turn of the wheel ahead. A bucket has places
//! for a handful; what finds none, and what lies more than a turn ahead, waits in a heap until its
//! bucket is due.
//!
//! Reference: R. Brown, "Calendar queues: a fast O(1) priority queue implementation for the
//! simulation event set problem", CACM 31(10), 1988.
//! Differences: a bucket holds one turn only and no order; the heap, so that no bucket is searched
//! twice and a thousand events at one instant do no harm; width and number of buckets are looked at
//! again after so many events, not whenever the number of events doubles.

use super::heap::Heap;
use crate::event::Key;

/// Events later than those of the bucket that was taken out last.
#[derive(Clone, Debug)]
pub(super) struct Wheel {
    /// Ticks of a bucket, as a power of two.
    shift: u32,
    /// Number of the bucket taken out last: instant >> shift, not wrapped.
    turned: u64,
    /// Places of all buckets, `PLACES` each.
    places: Vec<Key>,
    /// Places taken, for each bucket.
    taken: Vec<u8>,
    /// Events in buckets.
    held: usize,
    heap: Heap,
    count: Count,
}

/// What tells whether the width suits, since the last look.
#[derive(Copy, Clone, Debug, Default)]
struct Count {
    /// Events put into buckets.
    put: u64,
    /// Events put into the heap.
    strays: u64,
    /// Buckets turned by, empty ones included.
    turned: u64,
    /// Events until the next look.
    until: u64,
}

/// Events that a bucket should hold.
const FILL: u64 = 4;
/// Events that it can hold.
const PLACES: usize = 8;
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
            places: vec![Key::default(); buckets * PLACES],
            taken: vec![0; buckets],
            held: 0,
            heap: Heap::default(),
            count: Count {
                until: LOOK.max(2 * keys.len() as u64),
                ..Count::default()
            },
        }
    }

    /// Takes the place of a wheel that was found unsuitable: looks less often where it is no other.
    pub(super) fn succeed(&mut self, old: &Wheel) {
        if self.shift == old.shift && self.taken.len() == old.taken.len() {
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

    /// Adds an event at or after the edge.
    #[inline]
    pub(super) fn push(&mut self, key: Key) {
        let bucket = key.at().0 >> self.shift;
        if bucket - self.turned < self.taken.len() as u64 {
            let b = bucket as usize & (self.taken.len() - 1);
            let taken = &mut self.taken[b];
            if usize::from(*taken) < PLACES {
                self.places[b * PLACES + usize::from(*taken)] = key;
                *taken += 1;
                self.held += 1;
                self.count.put += 1;
                return;
            }
        }
        self.count.strays += 1;
        self.heap.push(key);
    }

    /// Takes out the events of the next bucket that has any, in no order. False when the wheel is empty.
    pub(super) fn turn(&mut self, mut take: impl FnMut(Key)) -> bool {
        let stray = self.heap.first().map(|key| key.at().0 >> self.shift);
        let next = match (self.held, stray) {
            (0, None) => return false,
            (0, Some(stray)) => stray,
            (_, None) => self.next(),
            (_, Some(stray)) => stray.min(self.next()),
        };
        self.count.turned += next - self.turned;
        self.turned = next;
        let b = next as usize & (self.taken.len() - 1);
        let taken = usize::from(std::mem::take(&mut self.taken[b]));
        self.held -= taken;
        let first = b * PLACES;
        self.places[first..first + taken]
            .iter()
            .for_each(|key| take(*key));
        if stray == Some(next) {
            while let Some(key) = self.heap.first()
                && key.at().0 >> self.shift == next
            {
                self.heap.pop();
                take(key);
            }
        }
        true
    }

    /// Number of the next bucket with an event in its places, of which there is one.
    fn next(&self) -> u64 {
        let from = (self.turned + 1) as usize & (self.taken.len() - 1);
        let (before, after) = self.taken.split_at(from);
        let mut ahead = after.iter().chain(before);
        let empty = ahead.position(|taken| *taken > 0);
        self.turned + 1 + empty.expect("a bucket that is not empty") as u64
    }

    /// Whether other buckets might do better. Costs a comparison most of the time.
    pub(super) fn misfits(&mut self) -> bool {
        let Count {
            put,
            strays,
            turned,
            until,
        } = self.count;
        if put + strays < until {
            return false;
        }
        self.count = Count {
            until,
            ..Count::default()
        };
        turned > 2 * put || put > 2 * FILL * turned || strays > put / 4
    }

    /// All events, in no order.
    pub(super) fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        let buckets = self.places.chunks_exact(PLACES).zip(&self.taken);
        let placed = buckets.flat_map(|(places, taken)| &places[..usize::from(*taken)]);
        placed.copied().chain(self.heap.keys())
    }
}
