//! The pending events: a 4-ary heap of 16-byte keys. Four children share a cache line, and a pop
//! leaves a hole at the root that the next push fills, because most events schedule their own
//! successor.

use backwater_transport::units::Time;

use crate::event::{Event, Key};

/// Pending events, earliest first.
#[derive(Clone, Debug, Default)]
pub struct Calendar {
    heap: Vec<Key>,
    /// The root has been served and its place is free.
    hole: bool,
}

const WAYS: usize = 4;

impl Calendar {
    /// Schedules an event.
    pub fn push(&mut self, at: Time, event: Event) {
        let key = Key::new(at, event);
        if self.hole {
            self.hole = false;
            self.sift_down(key);
        } else {
            self.heap.push(key);
            self.sift_up(self.heap.len() - 1);
        }
    }

    /// The instant of the next event.
    pub fn next_at(&mut self) -> Option<Time> {
        self.fill();
        self.heap.first().map(|k| k.at())
    }

    /// Takes the next event if it is due at `until` or before.
    pub fn pop(&mut self, until: Time) -> Option<(Time, Event)> {
        self.fill();
        let key = *self.heap.first()?;
        if key.at() > until {
            return None;
        }
        self.hole = true;
        Some((key.at(), key.event()))
    }

    fn fill(&mut self) {
        if self.hole {
            self.hole = false;
            let last = self.heap.pop().expect("a hole is an element");
            if !self.heap.is_empty() {
                self.sift_down(last);
            }
        }
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
            let mut least = 0;
            for child in 1..children.len() {
                if children[child] < children[least] {
                    least = child;
                }
            }
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
