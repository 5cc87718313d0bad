//! The pending events: the soonest few in a sorted list, the others in a 4-ary heap behind it. A
//! small network never leaves the list; in a large one most events enter the heap far from its root
//! and come back a handful at a time. Keys take 16 bytes, so that four children share a cache line.

use backwater_transport::units::Time;

use crate::event::{Event, Key};

/// Pending events, earliest first.
#[derive(Clone, Debug, Default)]
pub struct Calendar {
    /// The soonest `len` events, the soonest last. None is later than any in the heap.
    near: [Key; NEAR],
    len: usize,
    heap: Vec<Key>,
}

const WAYS: usize = 4;
/// Places in the sorted list.
const NEAR: usize = 24;
/// Events that come from the heap, or go there, at a time.
const MOVE: usize = 8;

impl Calendar {
    /// Schedules an event.
    pub fn push(&mut self, at: Time, event: Event) {
        let key = Key::new(at, event);
        if self.len == NEAR {
            self.spill();
        }
        let behind_all = self.len == 0 || key > self.near[0];
        if behind_all && !self.heap.is_empty() {
            return self.push_far(key);
        }
        let mut place = self.len;
        while place > 0 && self.near[place - 1] < key {
            self.near[place] = self.near[place - 1];
            place -= 1;
        }
        self.near[place] = key;
        self.len += 1;
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

    /// Moves the latest of the list to the heap.
    #[inline(never)]
    fn spill(&mut self) {
        for place in 0..MOVE {
            self.push_far(self.near[place]);
        }
        self.near.copy_within(MOVE.., 0);
        self.len -= MOVE;
    }

    /// Moves the soonest of the heap to the list, which is empty.
    #[inline(never)]
    fn fetch(&mut self) {
        let count = self.heap.len().min(MOVE);
        for place in (0..count).rev() {
            self.near[place] = self.pop_far();
        }
        self.len = count;
    }

    fn push_far(&mut self, key: Key) {
        self.heap.push(key);
        self.sift_up(self.heap.len() - 1);
    }

    fn pop_far(&mut self) -> Key {
        let last = self.heap.pop().expect("a heap that is not empty");
        let Some(first) = self.heap.first().copied() else {
            return last;
        };
        self.sift_down(last);
        first
    }

    fn sift_up(&mut self, mut at: usize) {
        let key = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / WAYS;
            if self.heap[parent] <= key {
                break;
            }
            self.heap[at] = self.heap[parent];
            at = parent;
        }
        self.heap[at] = key;
    }

    /// Puts `key` in place of the root and lets it sink.
    fn sift_down(&mut self, key: Key) {
        let heap = self.heap.as_mut_slice();
        let mut at = 0;
        loop {
            let first = at * WAYS + 1;
            if first >= heap.len() {
                break;
            }
            let children = &heap[first..heap.len().min(first + WAYS)];
            let least = match children {
                // A tournament: two comparisons that don't wait for each other, then a third.
                [a, b, c, d] => {
                    let (i, left) = if b < a { (1, b) } else { (0, a) };
                    let (j, right) = if d < c { (3, d) } else { (2, c) };
                    if right < left { j } else { i }
                }
                few => {
                    (1..few.len()).fold(0, |least, i| if few[i] < few[least] { i } else { least })
                }
            };
            if children[least] >= key {
                break;
            }
            heap[at] = children[least];
            at = first + least;
        }
        heap[at] = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_mix_of_pushes_and_pops_is_served_in_order(steps in prop::collection::vec((0u64..50, 0u32..9, any::<bool>()), 1..400)) {
            let mut calendar = Calendar::default();
            let mut model: Vec<Key> = Vec::new();
            for (at, owner, pop) in steps {
                if pop {
                    model.sort();
                    let expected = (!model.is_empty()).then(|| model.remove(0));
                    let got = calendar.pop(Time::NEVER).map(|(at, e)| Key::new(at, e));
                    prop_assert_eq!(got, expected);
                } else {
                    calendar.push(Time(at), Event::Arrive(Id::raw(owner)));
                    model.push(Key::new(Time(at), Event::Arrive(Id::raw(owner))));
                }
            }
        }
    }
}
