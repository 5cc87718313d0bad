//! A 4-ary heap of keys. Keys take 16 bytes, so that four children share a cache line.

use crate::event::Key;

/// Keys, the least first.
#[derive(Clone, Debug, Default)]
pub(super) struct Heap(Vec<Key>);

const WAYS: usize = 4;

impl Heap {
    /// Number of keys.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The least key.
    pub(super) fn first(&self) -> Option<Key> {
        self.0.first().copied()
    }

    /// All keys, in no order.
    pub(super) fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.0.iter().copied()
    }

    /// Adds a key.
    pub(super) fn push(&mut self, key: Key) {
        let mut at = self.0.len();
        self.0.push(key);
        while at > 0 {
            let parent = (at - 1) / WAYS;
            if self.0[parent] <= key {
                break;
            }
            self.0[at] = self.0[parent];
            at = parent;
        }
        self.0[at] = key;
    }

    /// Takes the least key out.
    pub(super) fn pop(&mut self) -> Option<Key> {
        let last = self.0.pop()?;
        let Some(first) = self.first() else {
            return Some(last);
        };
        self.sink(last);
        Some(first)
    }

    /// Puts `key` in place of the root and lets it sink.
    fn sink(&mut self, key: Key) {
        let heap = self.0.as_mut_slice();
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
