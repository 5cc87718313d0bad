//! A calendar queue: events in buckets of equal width, one turn of the wheel ahead. A bucket is a chain of
//! places in an arena that is used again last in, first out. What lies more than a turn ahead waits in a heap
//! until its bucket is due.
//!
//! Reference: R. Brown, "Calendar queues: a fast O(1) priority queue implementation for the
//! simulation event set problem", CACM 31(10), 1988.
//! Differences: a bucket holds one turn only and no order, and is so narrow that it holds few events, because
//! how many there are cannot be predicted; a bit for each says which have any; width and number
//! of buckets are looked at again after so many events, not whenever the number of events doubles.

use backwater_transport::units::Time;

use super::heap::Heap;
use crate::event::Key;

/// Events later than those of the bucket that was taken out last.
#[derive(Clone, Debug)]
pub(super) struct Wheel {
    /// Ticks of a bucket, as a power of two.
    shift: u32,
    /// Number of the bucket taken out last: instant >> shift, not wrapped.
    turned: u64,
    /// The first place of each bucket; `NONE` for an empty one.
    first: Vec<u32>,
    /// A bit for each bucket: it holds something.
    some: Vec<u64>,
    places: Vec<Place>,
    /// The first place that is free.
    free: u32,
    /// Events in buckets.
    held: usize,
    heap: Heap,
    count: Count,
}

/// An event, and the place behind it in its chain. Thousands of them share the caches with the network, so of
/// the instant only what the bucket does not tell is kept.
#[derive(Copy, Clone, Debug)]
struct Place {
    tie: u64,
    /// Ticks since the bucket begins.
    after: u32,
    next: u32,
}

impl Place {
    /// The event, in a bucket that begins then.
    #[inline]
    fn key(&self, bucket: u64) -> Key {
        Key::of(Time(bucket + u64::from(self.after)), self.tie)
    }
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

const NONE: u32 = u32::MAX;
/// Buckets for the time in which one of the events pending is due. More than these are served then, those
/// that are scheduled meanwhile.
const FINE: u64 = 2;
/// Buckets for each event pending.
const TURN: usize = 8;
/// Events between two looks at the width, at least.
const LOOK: u64 = 4096;
const FEWEST: usize = 1024;
const MOST: usize = 1 << 22;
/// The widest bucket, as a power of two.
const WIDEST: u32 = u32::BITS;

impl Wheel {
    /// An empty wheel whose buckets suit these keys, which are in order and not none. Its first bucket
    /// counts as taken out.
    pub(super) fn suited(keys: &[Key]) -> Wheel {
        // Seven eighths of them, so that a few far away don't widen the buckets of all.
        let most = keys.len() - keys.len() / 8;
        let span = keys[most - 1].at().0 - keys[0].at().0;
        let width = (span / (most as u64 * FINE)).max(1);
        let shift = width.ilog2().min(WIDEST);
        let buckets = (keys.len() * TURN).next_power_of_two();
        let buckets = buckets.clamp(FEWEST, MOST);
        Wheel {
            shift,
            turned: keys[0].at().0 >> shift,
            first: vec![NONE; buckets],
            some: vec![0; buckets / 64],
            places: Vec::new(),
            free: NONE,
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
        if self.shift == old.shift && self.first.len() == old.first.len() {
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
        if bucket - self.turned >= self.first.len() as u64 {
            self.count.strays += 1;
            return self.heap.push(key);
        }
        let b = bucket as usize & (self.first.len() - 1);
        let place = Place {
            tie: key.tie(),
            after: (key.at().0 - (bucket << self.shift)) as u32,
            next: self.first[b],
        };
        let at = self.free;
        if at == NONE {
            self.first[b] = self.places.len() as u32;
            self.places.push(place);
        } else {
            self.first[b] = at;
            self.free = self.places[at as usize].next;
            self.places[at as usize] = place;
        }
        self.some[b / 64] |= 1 << (b % 64);
        self.held += 1;
        self.count.put += 1;
    }

    /// Takes out the events of the next bucket that has any, in no order. False when the wheel is empty.
    #[inline]
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
        let b = next as usize & (self.first.len() - 1);
        self.some[b / 64] &= !(1 << (b % 64));
        let from = next << self.shift;
        let mut at = std::mem::replace(&mut self.first[b], NONE);
        while at != NONE {
            let place = &mut self.places[at as usize];
            take(place.key(from));
            let next = std::mem::replace(&mut place.next, self.free);
            self.free = at;
            at = next;
            self.held -= 1;
        }
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
    #[inline]
    fn next(&self) -> u64 {
        let from = (self.turned + 1) as usize & (self.first.len() - 1);
        let rest = self.some[from / 64] >> (from % 64);
        if rest != 0 {
            return self.turned + 1 + u64::from(rest.trailing_zeros());
        }
        self.next_word(from)
    }

    /// The same, where none of the bits behind that of `from` in its word is set.
    fn next_word(&self, from: usize) -> u64 {
        let (before, after) = self.some.split_at(from / 64 + 1);
        let mut words = after.iter().chain(before).enumerate();
        let (ahead, word) = words
            .find(|(_, word)| **word != 0)
            .expect("a bucket that is not empty");
        let skipped = 64 - from % 64 + ahead * 64;
        self.turned + 1 + skipped as u64 + u64::from(word.trailing_zeros())
    }

    /// Whether other buckets might do better. Costs a comparison most of the time.
    #[inline]
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
        turned > 8 * put || put > 2 * turned || strays > put / 4
    }

    /// All events, in no order.
    pub(super) fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        let buckets = (self.turned + 1..).take(self.first.len());
        let chained = buckets.flat_map(move |bucket| {
            let mut at = self.first[bucket as usize & (self.first.len() - 1)];
            std::iter::from_fn(move || {
                let place = self.places.get(at as usize)?;
                at = place.next;
                Some(place.key(bucket << self.shift))
            })
        });
        chained.chain(self.heap.keys())
    }
}
