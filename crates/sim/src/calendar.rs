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
use wheel::Wheel;

/// Pending events, earliest first.
#[derive(Clone, Debug)]
pub struct Calendar {
    /// The soonest events, from `start` to `end`, the soonest last: what is scheduled is more often soon
    /// than late. None is later than any in the heap.
    near: [Key; ROOM],
    start: usize,
    end: usize,
    /// Fewer in the list than this are made more.
    low: usize,
    heap: Heap,
    /// What is not earlier than this goes to the wheel; `NEVER` while there is none.
    edge: Key,
    wheel: Option<Box<Wheel>>,
}

/// Places for the list to move on in.
const ROOM: usize = 64;
/// Events that the list may hold.
const NEAR: usize = 32;
/// Events that the list should hold where there is a wheel, so that it is known what comes next.
const LOW: usize = 12;
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
            low: 1,
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

    /// The instant of the next event.
    pub fn next_at(&mut self) -> Option<Time> {
        self.fill();
        self.soonest().last().map(|k| k.at())
    }

    /// Takes the next event if it is due at `until` or before.
    #[inline]
    pub fn pop(&mut self, until: Time) -> Option<(Time, Event)> {
        self.fill();
        let key = *self.soonest().last()?;
        if key.at() > until {
            return None;
        }
        self.end -= 1;
        Some((key.at(), key.event()))
    }

    /// Makes sure that the next event is in the list, if there is one; in a large network the next few.
    /// Gives the number of events that have joined the list at its start, where the latest are.
    #[inline]
    pub fn fill(&mut self) -> usize {
        if self.end - self.start < self.low {
            self.fetch()
        } else {
            0
        }
    }

    /// The soonest events, as many as are in the list, the soonest last.
    #[inline]
    pub fn soonest(&self) -> &[Key] {
        &self.near[self.start..self.end]
    }

    fn push_key(&mut self, key: Key) {
        if key >= self.edge {
            let wheel = self.wheel.as_mut().expect("an edge is that of a wheel");
            return wheel.push(key);
        }
        if !self.heap.is_empty() && (self.start == self.end || key > self.near[self.start]) {
            return self.push_far(key);
        }
        if self.end == ROOM {
            self.make_room();
            return self.push_key(key);
        }
        let mut place = self.end;
        while place > self.start && self.near[place - 1] < key {
            self.near[place] = self.near[place - 1];
            place -= 1;
        }
        self.near[place] = key;
        self.end += 1;
    }

    #[inline(never)]
    fn push_far(&mut self, key: Key) {
        self.heap.push(key);
        if self.heap.len() > CROWD && self.wheel.is_none() {
            self.arrange();
        }
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
    }

    /// Moves the soonest of the heap to the list, once that is empty, or else those of the next buckets.
    #[inline(never)]
    fn fetch(&mut self) -> usize {
        let mut fresh = 0;
        while self.end - self.start < self.low && self.heap.is_empty() {
            let Some(wheel) = &mut self.wheel else {
                break;
            };
            if wheel.misfits() {
                self.arrange();
                continue;
            }
            let bucket = self.take_bucket();
            if bucket == 0 {
                break;
            }
            fresh += bucket;
        }
        if self.start == self.end {
            (self.start, self.end) = (0, self.heap.len().min(MOVE));
            for place in (0..self.end).rev() {
                self.near[place] = self.heap.pop().expect("as many as were counted");
            }
        }
        fresh
    }

    /// Moves the events of the next bucket, which are later than all others outside the wheel, to the
    /// list; to the heap if they are too many. Gives their number, zero when the wheel is empty.
    fn take_bucket(&mut self) -> usize {
        let wheel = self.wheel.as_mut().expect("only a wheel has buckets");
        let mut fresh = [Key::default(); NEAR];
        let mut count = 0;
        let heap = &mut self.heap;
        let some = wheel.turn(|key| {
            if count < fresh.len() {
                fresh[count] = key;
            } else {
                heap.push(key);
            }
            count += 1;
        });
        if !some {
            return 0;
        }
        self.edge = wheel.edge();
        if count > fresh.len() {
            fresh.iter().for_each(|key| heap.push(*key));
            return count;
        }
        if self.start < count {
            // The list holds fewer than `LOW`, so that there is room below it and some above.
            let place = NEAR + (self.start + LOW - self.end);
            self.near.copy_within(self.start..self.end, place);
            (self.start, self.end) = (place, NEAR + LOW);
        }
        self.start -= count;
        // Sorted by counting how many are greater: no branch of it depends on the keys.
        let mut ranks = [self.start; NEAR];
        for i in 1..count {
            for j in 0..i {
                let greater = usize::from(fresh[j] < fresh[i]);
                ranks[j] += greater;
                ranks[i] += 1 - greater;
            }
        }
        for (key, rank) in fresh[..count].iter().zip(ranks) {
            self.near[rank] = *key;
        }
        count
    }

    /// Puts all events into a wheel that suits them, or, if they are few, makes do without.
    fn arrange(&mut self) {
        let old = self.wheel.take();
        let mut keys = self.soonest().to_vec();
        keys.extend(self.heap.keys());
        keys.extend(old.iter().flat_map(|w| w.keys()));
        keys.sort_unstable();
        *self = Calendar::default();
        if keys.len() > CROWD {
            let mut wheel = Wheel::suited(&keys);
            if let Some(old) = old {
                wheel.succeed(&old);
            }
            self.edge = wheel.edge();
            self.low = LOW;
            self.wheel = Some(Box::new(wheel));
        }
        for key in keys {
            self.push_key(key);
        }
    }
}
