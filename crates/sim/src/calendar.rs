//! The pending events: the soonest few in a sorted list, and behind it a heap for what finds no place
//! there. A small network never leaves the list. In a large one the heap would take hundreds of
//! instructions per event, so a calendar queue holds all but the next moment, a few events, which
//! pass through the list. The order of service is that of the keys, whatever holds them.

mod heap;
#[cfg(test)]
mod tests;
mod wheel;

use backwater_transport::units::Time;

use crate::event::{Event, Key};
use heap::Heap;
use wheel::{HalfKey, Wheel};

/// Pending events, earliest first.
#[derive(Clone, Debug)]
pub struct Calendar {
    /// The soonest events, from `start` to `end`, the soonest last: what is scheduled is more often soon
    /// than late. None is later than any in the heap.
    near: [Key; ROOM],
    start: usize,
    end: usize,
    /// Events that join the list together, at least.
    batch: usize,
    /// An event that is not sooner finds no place in the list: it is later than one in the heap may be, or it is for the
    /// wheel.
    bound: Key,
    heap: Heap,
    /// Events at this instant or later go to the wheel; `NEVER` while there is none.
    edge: Key,
    wheel: Option<Box<Wheel>>,
}

/// Places for the list to move on in.
const ROOM: usize = 192;
/// Events that the list may hold.
const NEAR: usize = 48;
/// Events that join the list together where they are prefetched: so many that the memory works on several reads at
/// once.
const PREFETCH: usize = 16;
/// Steps from the soonest event in which the place of a new one is sought, before the rest of the list is halved.
const STEPS: usize = 12;
/// Events that come from the heap, or go there, at a time.
const MOVE: usize = 8;
/// A heap longer than this is worth a wheel.
const CROWD: usize = 64;

impl Default for Calendar {
    fn default() -> Self {
        Calendar {
            near: [Key::default(); ROOM],
            start: 0,
            end: 0,
            batch: 1,
            bound: Key::NEVER,
            heap: Heap::default(),
            edge: Key::NEVER,
            wheel: None,
        }
    }
}

impl Calendar {
    /// Schedules an event.
    #[inline]
    pub fn push(&mut self, at: Time, event: Event) {
        self.push_key(Key::new(at, event));
    }

    /// The same without a call, for the place that schedules most of them.
    #[inline(always)]
    pub(crate) fn push_here(&mut self, at: Time, event: Event) {
        self.place(Key::new(at, event));
    }

    /// The instant of the next event.
    pub fn next_at(&mut self) -> Option<Time> {
        self.fill();
        self.soonest().last().map(|k| k.at())
    }

    /// Takes the next event if it is due at `until` or before.
    #[inline]
    pub fn pop(&mut self, until: Time) -> Option<Key> {
        self.fill();
        self.pop_near(until)
    }

    /// The same where the calendar has just been filled.
    #[inline(always)]
    pub(crate) fn pop_near(&mut self, until: Time) -> Option<Key> {
        if self.start == self.end {
            return None;
        }
        let last = self.end - 1;
        let key = self.near[last];
        if key.at() > until {
            return None;
        }
        self.end = last;
        Some(key)
    }

    /// From now on, once there are many events, the next few join the list early, so that what they read can be
    /// prefetched.
    pub fn prefetch(&mut self) {
        self.batch = PREFETCH;
    }

    /// Whether there are many events and the next few are in the list early.
    pub fn prefetches(&self) -> bool {
        self.batch > 1 && self.wheel.is_some()
    }

    /// Makes sure that the next event is in the list, if there is one. True where the list was empty, so that
    /// all in it are new.
    #[inline]
    pub fn fill(&mut self) -> bool {
        let empty = self.start == self.end;
        if empty {
            self.fetch();
        }
        empty
    }

    /// The soonest events, as many as are in the list, the soonest last.
    #[inline]
    pub fn soonest(&self) -> &[Key] {
        &self.near[self.start..self.end]
    }

    fn push_key(&mut self, key: Key) {
        self.place(key);
    }

    #[inline(always)]
    fn place(&mut self, key: Key) {
        let (start, end) = (self.start, self.end);
        if key >= self.bound || end >= ROOM {
            return self.push_behind(key);
        }
        if let Some(far) = end.checked_sub(STEPS)
            && far >= start
            && self.near[far] < key
        {
            return self.insert_late(key);
        }
        let mut hole = end;
        // Most differ in their instants, and 64 bits are compared sooner than 128.
        while hole > start && self.near[hole - 1].at() < key.at() {
            self.near[hole] = self.near[hole - 1];
            hole -= 1;
        }
        while hole > start && self.near[hole - 1] < key {
            self.near[hole] = self.near[hole - 1];
            hole -= 1;
        }
        self.near[hole] = key;
        self.end = end + 1;
    }

    /// Puts an event where it belongs that finds no place in the list.
    #[inline(never)]
    fn push_behind(&mut self, key: Key) {
        if key >= self.edge {
            let wheel = self.wheel.as_mut().expect("an edge is that of a wheel");
            return wheel.push(key);
        }
        if key < self.bound {
            self.make_room();
            return self.push_key(key);
        }
        self.heap.push(key);
        if self.heap.len() > CROWD && self.wheel.is_none() {
            self.arrange();
        }
    }

    /// To be called when the list begins anew, or the heap has ceased to be empty or has become so.
    fn set_bound(&mut self) {
        self.bound = match self.heap.is_empty() {
            true => self.edge,
            false => self.edge.min(self.near[self.start]),
        };
    }

    /// Puts an event into the list behind so many that moving them one by one would take longer.
    #[inline(never)]
    fn insert_late(&mut self, key: Key) {
        let (start, end) = (self.start, self.end);
        let later = self.near[start..end].partition_point(|other| *other >= key);
        self.near.copy_within(start + later..end, start + later + 1);
        self.near[start + later] = key;
        self.end += 1;
    }

    /// Moves the list down in its room, without its latest events if it is long: they go to the heap.
    #[inline(never)]
    fn make_room(&mut self) {
        if self.end - self.start > NEAR {
            let kept = self.end - (NEAR - MOVE);
            let late = self.near[self.start..kept].iter();
            late.for_each(|key| self.heap.push(*key));
            self.start = kept;
        }
        self.near.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        self.set_bound();
    }

    /// Moves the soonest of the heap to the list, which is empty, or else those of the next buckets.
    #[inline(never)]
    fn fetch(&mut self) {
        if self.heap.is_empty() && self.wheel.as_mut().is_some_and(|wheel| wheel.misfits()) {
            self.arrange();
        }
        if self.start == self.end && self.heap.is_empty() {
            self.take_buckets();
        }
        if self.start == self.end {
            (self.start, self.end) = (0, self.heap.len().min(MOVE));
            for place in (0..self.end).rev() {
                self.near[place] = self.heap.pop().expect("as many as were counted");
            }
        }
        self.set_bound();
    }

    /// Moves the events of the next bucket, which are later than all others outside the wheel, to the list, those of
    /// several if a bucket holds few; to the heap what is too much for it.
    #[inline]
    fn take_buckets(&mut self) {
        let Some(wheel) = &mut self.wheel else {
            return;
        };
        // Some room is left above, for what is scheduled soon.
        let end = ROOM - MOVE;
        let mut start = end;
        while end - start < self.batch && self.heap.is_empty() {
            let Some(due) = wheel.next_bucket() else {
                break;
            };
            if due.len() > start.min(SORT) {
                let begin = wheel.bucket().0;
                let mut keys: Vec<Key> = due.iter().map(|place| place.key(begin)).collect();
                keys.sort_unstable();
                let soon = keys.len().min(start);
                for key in &keys[..soon] {
                    start -= 1;
                    self.near[start] = *key;
                }
                keys[soon..].iter().for_each(|key| self.heap.push(*key));
            } else {
                let next = start - due.len();
                sort(&due, wheel.bucket(), &mut self.near[next..start]);
                start = next;
            }
            wheel.give_back(due);
            while let Some(key) = wheel.stray() {
                if start == 0 {
                    // None in the heap may be sooner than any in the list.
                    self.heap.push(key.max(self.near[0]));
                    if key >= self.near[0] {
                        continue;
                    }
                    start = 1;
                }
                start -= 1;
                let mut place = start;
                while place + 1 < end && self.near[place + 1] > key {
                    self.near[place] = self.near[place + 1];
                    place += 1;
                }
                self.near[place] = key;
            }
        }
        (self.start, self.end) = (start, end);
        self.edge = wheel.edge();
    }

    /// Forgets an event wherever it is scheduled. Takes as long as all events are many.
    pub fn cancel(&mut self, event: Event) {
        let mut keys = self.all();
        keys.retain(|key| key.event() != event);
        self.replace(keys);
    }

    /// Puts all events into a wheel that suits them, or, if they are few, makes do without.
    fn arrange(&mut self) {
        self.replace(self.all());
    }

    /// All events, in order.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let mut keys = self.all();
        keys.sort_unstable();
        keys
    }

    /// All events, in no order.
    fn all(&self) -> Vec<Key> {
        let mut keys = self.soonest().to_vec();
        keys.extend(self.heap.keys());
        if let Some(wheel) = &self.wheel {
            // Not by `extend`, which would ask each of thousands of buckets anew.
            wheel.keys().for_each(|key| keys.push(key));
        }
        keys
    }

    /// Puts other events in the place of all.
    pub(crate) fn replace(&mut self, mut keys: Vec<Key>) {
        let old = self.wheel.take();
        *self = Calendar {
            batch: self.batch,
            ..Calendar::default()
        };
        if keys.len() > CROWD {
            let mut wheel = Wheel::suited(&mut keys, old.as_deref());
            if let Some(old) = old {
                wheel.take_rooms(*old);
            }
            self.edge = wheel.edge();
            self.bound = self.edge;
            self.wheel = Some(Box::new(wheel));
        }
        for key in keys {
            self.push_key(key);
        }
    }
}

/// The most events that are sorted without a look at how they lie.
const SORT: usize = 64;
/// Comparisons at once.
const LANES: usize = 16;
/// Bits for the place of one of them.
const PLACE: u32 = SORT.ilog2();
/// The places, so that a list of them is gone through in step with others.
const PLACES: [i16; SORT] = {
    let mut places = [0; SORT];
    let mut place = 0;
    while place < SORT {
        places[place] = place as i16;
        place += 1;
    }
    places
};

/// Puts the events of a bucket, which begins then and has 2^`shift` ticks, in order, the latest first. How one
/// compares with another cannot be predicted, so each is compared with all, many at once, which needs no branch:
/// its place is the number of later ones.
#[inline]
fn sort(due: &[HalfKey], (begin, shift): (u64, u32), list: &mut [Key]) {
    // Ticks since the bucket began, in as many bits as there are, and the place, so that no two are equal.
    let coarse = shift.saturating_sub(i16::BITS - 1 - PLACE);
    let mut marks = [[-1i16; LANES]; SORT / LANES];
    let marked = marks.as_flattened_mut()[..due.len()].iter_mut();
    for ((mark, event), place) in marked.zip(due).zip(&PLACES) {
        *mark = (event.after() >> coarse << PLACE) as i16 | place;
    }
    let used = marks[..due.len().div_ceil(LANES)].as_flattened();
    for (event, mark) in due.iter().zip(used) {
        // A check for overflow would be done one by one.
        let later = used.iter().fold(0u16, |later, other| {
            later.wrapping_add(u16::from(other > mark))
        });
        list[usize::from(later)] = event.key(begin);
    }
    // Those too close to each other.
    for i in 1..list.len() {
        let mut place = i;
        while place > 0 && list[place - 1] < list[place] {
            list.swap(place - 1, place);
            place -= 1;
        }
    }
}
