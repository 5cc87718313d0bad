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
    /// The soonest `len` events, the soonest last. None is later than any in the heap.
    near: [Key; NEAR],
    len: usize,
    heap: Heap,
    /// What is not earlier than this goes to the wheel; `NEVER` while there is none.
    edge: Key,
    wheel: Option<Box<Wheel>>,
}

/// Places in the sorted list.
const NEAR: usize = 24;
/// Events that come from the heap, or go there, at a time.
const MOVE: usize = 8;
/// A heap longer than this is worth a wheel.
const CROWD: usize = 64;

impl Default for Calendar {
    fn default() -> Self {
        Calendar {
            near: [Key::default(); NEAR],
            len: 0,
            heap: Heap::default(),
            edge: Key::NEVER,
            wheel: None,
        }
    }
}

impl Calendar {
    /// Schedules an event.
    pub fn push(&mut self, at: Time, event: Event) {
        self.push_key(Key::new(at, event));
    }

    /// The instant of the next event.
    pub fn next_at(&mut self) -> Option<Time> {
        if self.len == 0 {
            self.fetch();
        }
        self.near[..self.len].last().map(|k| k.at())
    }

    /// Takes the next event if it is due at `until` or before.
    pub fn pop(&mut self, until: Time) -> Option<(Time, Event)> {
        if self.len == 0 {
            self.fetch();
        }
        let key = *self.near[..self.len].last()?;
        if key.at() > until {
            return None;
        }
        self.len -= 1;
        Some((key.at(), key.event()))
    }

    fn push_key(&mut self, key: Key) {
        if key >= self.edge {
            let wheel = self.wheel.as_mut().expect("an edge is that of a wheel");
            return wheel.push(key);
        }
        if self.len == NEAR {
            self.spill();
            return self.push_key(key);
        }
        let behind_all = self.len == 0 || key > self.near[0];
        if behind_all && !self.heap.is_empty() {
            return self.heap.push(key);
        }
        let mut place = self.len;
        while place > 0 && self.near[place - 1] < key {
            self.near[place] = self.near[place - 1];
            place -= 1;
        }
        self.near[place] = key;
        self.len += 1;
    }

    /// Moves the latest of the list to the heap.
    #[cold]
    fn spill(&mut self) {
        for place in 0..MOVE {
            self.heap.push(self.near[place]);
        }
        self.near.copy_within(MOVE.., 0);
        self.len -= MOVE;
        if self.heap.len() > CROWD && self.wheel.is_none() {
            self.arrange();
        }
    }

    /// Moves the soonest of the heap to the list, which is empty, or else those of the next bucket.
    #[inline(never)]
    fn fetch(&mut self) {
        if !self.heap.is_empty() {
            let count = self.heap.len().min(MOVE);
            for place in (0..count).rev() {
                self.near[place] = self.heap.pop().expect("as many as were counted");
            }
            self.len = count;
            return;
        }
        let Some(wheel) = &mut self.wheel else {
            return;
        };
        if wheel.misfits() {
            return self.arrange();
        }
        let Some(mut bucket) = wheel.turn() else {
            return;
        };
        self.edge = wheel.edge();
        while let Some(key) = self.wheel.as_mut().and_then(|w| w.next_of(&mut bucket)) {
            self.push_key(key);
        }
    }

    /// Puts all events into a wheel that suits them, or, if they are few, makes do without.
    fn arrange(&mut self) {
        let old = self.wheel.take();
        let mut keys: Vec<Key> = self.near[..self.len].to_vec();
        keys.extend(self.heap.keys());
        keys.extend(old.iter().flat_map(|w| w.keys()));
        keys.sort_unstable();
        self.len = 0;
        self.heap = Heap::default();
        self.edge = Key::NEVER;
        if keys.len() > CROWD {
            let mut wheel = Wheel::suited(&keys);
            if let Some(old) = old {
                wheel.succeed(&old);
            }
            self.edge = wheel.edge();
            self.wheel = Some(Box::new(wheel));
        }
        for key in keys {
            self.push_key(key);
        }
    }
}
