//! A calendar queue: events in buckets of equal width, one turn of the wheel ahead. What lies more than a turn
//! ahead waits in a heap until its bucket is due.
//!
//! Reference: R. Brown, "Calendar queues: a fast O(1) priority queue implementation for the
//! simulation event set problem", CACM 31(10), 1988.
//! Differences: a bucket holds one turn only and no order; it is so wide that it holds a dozen events, which are
//! sorted together when it is due; width and number of buckets are looked at again after so many events, not
//! whenever the number of events doubles.
//!
//! When an event is due is as good as random, so what depends on it is not asked for with a branch: a chain of events
//! whose end nobody can foresee cost more than the rest of a bucket.

use backwater_transport::units::Time;

use super::heap::Heap;
use crate::event::{Key, MAX_RANKS};

/// Events later than those of the bucket that was taken out last.
#[derive(Clone, Debug)]
pub(super) struct Wheel {
    /// Ticks of a bucket, as a power of two.
    shift: u32,
    /// The width that would have suited the events since the last check.
    better: u32,
    /// Number of the bucket taken out last: instant >> shift, not wrapped.
    position: u64,
    /// Their events, in no order.
    buckets: Vec<Vec<HalfKey>>,
    /// Room of buckets that have been emptied, used again last in, first out: it is still in the caches then.
    spare: Vec<Vec<HalfKey>>,
    /// Events put into buckets, ever.
    put: u64,
    /// Events taken out of them, ever.
    taken: u64,
    heap: Heap,
    count: Count,
}

/// An event in its bucket. Thousands of them share the caches with the network, so it takes half of a key: the ticks
/// since the bucket begins, then what decides among events at one instant. Their order is that of the keys.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HalfKey(u64);

// Five bits tell all ranks apart.
const _: () = assert!(MAX_RANKS <= 32);

impl HalfKey {
    /// Of a tie, what there is no room for: rank, owner and serial have 5, 24 and 3 bits.
    const BEYOND: u64 = 0xe0ff_0000_00ff_fff8;

    #[inline]
    fn new(after: u64, tie: u64) -> HalfKey {
        HalfKey(after << 32 | tie >> 29 & 0xf800_0000 | tie >> 21 & 0x07ff_fff8 | tie & 7)
    }

    /// Ticks since its bucket begins.
    #[inline]
    pub(super) fn after(self) -> u64 {
        self.0 >> 32
    }

    /// The event, in a bucket that begins then.
    #[inline]
    pub(super) fn key(self, begin: u64) -> Key {
        let tie = (self.0 & 0xf800_0000) << 29 | (self.0 & 0x07ff_fff8) << 21 | self.0 & 7;
        Key::of(Time(begin + self.after()), tie)
    }
}

/// Puts an event into a bucket that is full or has never held any.
#[cold]
#[inline(never)]
fn make_room(bucket: &mut Vec<HalfKey>, spare: &mut Vec<Vec<HalfKey>>, place: HalfKey) {
    if bucket.capacity() == 0 {
        *bucket = spare.pop().unwrap_or_else(|| Vec::with_capacity(ROOM));
    }
    bucket.push(place);
}

/// Counters that tell whether the width suits, since the last check.
#[derive(Copy, Clone, Debug, Default)]
struct Count {
    /// Events that had been put into buckets then.
    put: u64,
    /// Events put into the heap.
    strays: u64,
    /// Buckets passed, empty ones included.
    passed: u64,
    /// Events until the next look.
    until: u64,
}

/// Events of a bucket, about: enough for the memory to work on many at once.
const FULL: u64 = 16;
/// As many are pending in the time of a bucket at first, as a guess. More are served then, those that are scheduled
/// meanwhile.
const PENDING: u64 = 5;
/// Events of a bucket for which there is room at once.
const ROOM: usize = 32;
/// Events between two looks at the width, at least.
const LOOK: u64 = 4096;
/// Buckets for each event pending, about, at most.
const TURN: usize = 8;
const FEWEST: usize = 256;
const MOST: usize = 1 << 22;
/// The widest bucket, as a power of two.
const WIDEST: u32 = u32::BITS;

impl Wheel {
    /// An empty wheel whose buckets suit these keys, which are not none and whose order it changes, better than one that
    /// did not. Its first bucket counts as taken out.
    pub(super) fn suited(keys: &mut [Key], old: Option<&Wheel>) -> Wheel {
        // Seven eighths of them, so that a few far away don't widen the buckets of all.
        let most = keys.len() - keys.len() / 8;
        let (sooner, last, _) = keys.select_nth_unstable(most - 1);
        let first = sooner.iter().fold(*last, |first, key| first.min(*key));
        let span = last.at().0 - first.at().0;
        let width = (span / most as u64).saturating_mul(PENDING).max(1);
        let shift = old.map_or(width.ilog2(), |old| old.better).min(WIDEST);
        // Twice the time of most of them, but not so many buckets that timers far away, which go to the heap then, make
        // of a few events a great table.
        let most = MOST.min(TURN * keys.len());
        let buckets = (span >> shift).min(most as u64) as usize * 2;
        let buckets = buckets.next_power_of_two().clamp(FEWEST, MOST);
        let same = old.filter(|old| old.shift == shift && old.buckets.len() == buckets);
        let until = LOOK.max(2 * keys.len() as u64);
        Wheel {
            shift,
            better: shift,
            position: first.at().0 >> shift,
            buckets: vec![Vec::new(); buckets],
            spare: Vec::new(),
            put: 0,
            taken: 0,
            heap: Heap::default(),
            count: Count {
                // Less often where there is nothing better.
                until: same.map_or(until, |same| same.count.until.saturating_mul(2)),
                ..Count::default()
            },
        }
    }

    /// The least key that the wheel takes: what comes before it is of a bucket that was taken out.
    pub(super) fn edge(&self) -> Key {
        if self.position < u64::MAX >> self.shift {
            Key::least((self.position + 1) << self.shift)
        } else {
            Key::NEVER
        }
    }

    /// Adds an event at or after the edge.
    #[inline]
    pub(super) fn push(&mut self, key: Key) {
        let (at, tie) = (key.at().0, key.tie());
        let number = at >> self.shift;
        let buckets = self.buckets.len() as u64;
        if number - self.position >= buckets || tie & HalfKey::BEYOND != 0 {
            self.count.strays += 1;
            return self.heap.push(key);
        }
        self.put += 1;
        let place = HalfKey::new(at - (number << self.shift), tie);
        let bucket = &mut self.buckets[(number & (buckets - 1)) as usize];
        if bucket.len() == bucket.capacity() {
            return make_room(bucket, &mut self.spare, place);
        }
        bucket.push(place);
    }

    /// Takes out the events of the next bucket that has any, in no order, but for its strays. None when the wheel is
    /// empty.
    #[inline]
    pub(super) fn next_bucket(&mut self) -> Option<Vec<HalfKey>> {
        let stray = self.heap.first().map(|key| key.at().0 >> self.shift);
        let (from, mask) = (self.position, self.buckets.len() - 1);
        if self.put > self.taken {
            self.position += 1;
            while self.buckets[self.position as usize & mask].is_empty()
                && stray != Some(self.position)
            {
                self.position += 1;
            }
        } else {
            self.position = stray?;
        }
        self.count.passed += self.position - from;
        let due = std::mem::take(&mut self.buckets[self.position as usize & mask]);
        self.taken += due.len() as u64;
        Some(due)
    }

    /// Takes a stray of the bucket that was taken out last.
    #[inline]
    pub(super) fn stray(&mut self) -> Option<Key> {
        let first = self.heap.first()?;
        (first.at().0 >> self.shift == self.position).then(|| self.heap.pop())?
    }

    /// The instant at which the bucket that was taken out last begins, and its ticks as a power of two.
    #[inline]
    pub(super) fn bucket(&self) -> (u64, u32) {
        (self.position << self.shift, self.shift)
    }

    /// Takes over the rooms of a wheel that is given up.
    pub(super) fn take_rooms(&mut self, old: Wheel) {
        self.spare = old.spare;
        for bucket in old.buckets {
            self.give_back(bucket);
        }
    }

    /// Takes the room of a bucket back.
    #[inline]
    pub(super) fn give_back(&mut self, mut room: Vec<HalfKey>) {
        if room.capacity() > 0 {
            room.clear();
            self.spare.push(room);
        }
    }

    /// Whether other buckets might do better. Costs a comparison most of the time.
    #[inline]
    pub(super) fn misfits(&mut self) -> bool {
        let Count {
            put,
            strays,
            passed,
            until,
        } = self.count;
        let put = self.put - put;
        if put + strays < until {
            return false;
        }
        self.count = Count {
            put: self.put,
            until,
            ..Count::default()
        };
        let events = put + strays;
        if events < FULL / 2 * passed {
            let few = (FULL * passed / events).ilog2();
            self.better = (self.shift + few).min(WIDEST);
        } else if events > FULL * 2 * passed {
            let many = (events / (FULL * passed.max(1))).ilog2();
            self.better = self.shift.saturating_sub(many);
        }
        self.better != self.shift || strays > put / 4
    }

    /// How many buckets there are.
    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        self.buckets.len()
    }

    /// Buckets that have a room for events, and rooms that wait for one.
    #[cfg(test)]
    pub(super) fn rooms(&self) -> usize {
        let held = self.buckets.iter().filter(|bucket| bucket.capacity() > 0);
        held.count() + self.spare.len()
    }

    /// All events, in no order.
    pub(super) fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        let (next, mask) = (self.position + 1, self.buckets.len() as u64 - 1);
        // Most are empty.
        let held = self.buckets.iter().zip(0u64..);
        let held = held.filter(|(bucket, _)| !bucket.is_empty());
        let held = held.flat_map(move |(bucket, place)| {
            let begin = (next + (place.wrapping_sub(next) & mask)) << self.shift;
            bucket.iter().map(move |event| event.key(begin))
        });
        held.chain(self.heap.keys())
    }
}
