//! What the sender knows about each segment that is not yet acknowledged: a ring in the order of the
//! stream, threaded by a list in the order of (re)transmission, so that neither an acknowledgement
//! nor the search for losses looks at more segments than it changes.

use std::collections::VecDeque;

use crate::rate::Snapshot;

/// Where a segment is.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// On its way, for all we know.
    #[default]
    Flying,
    /// Declared lost and not sent again since.
    Lost,
    /// Selectively acknowledged.
    Sacked,
}

/// No segment.
const NONE: u64 = u64::MAX;

/// A segment.
#[derive(Copy, Clone, Debug, Default)]
pub struct Entry {
    /// First byte.
    pub start: u64,
    /// Payload bytes.
    pub len: u32,
    /// Where it is.
    pub state: State,
    /// How often it was sent again.
    pub resent: u8,
    /// Number of its last transmission.
    pub number: u64,
    /// The counters as it last left.
    pub snapshot: Snapshot,
    before: u64,
    after: u64,
}

impl Entry {
    /// The byte after its last.
    pub fn end(&self) -> u64 {
        self.start + u64::from(self.len)
    }

    /// Whether it was sent more than once.
    pub fn again(&self) -> bool {
        self.resent > 0
    }
}

/// The ring. Segments have identities that grow by one along the stream.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    ring: VecDeque<Entry>,
    base: u64,
    oldest: u64,
    newest: u64,
    in_flight: u64,
    lost: u64,
    sacked: u64,
    /// No lost segment lies below.
    lost_from: u64,
    /// What is selectively acknowledged: `[first, end)`, disjoint, not adjacent, ascending.
    ranges: Vec<(u64, u64)>,
    sacked_segments: u32,
}

impl Default for Scoreboard {
    fn default() -> Scoreboard {
        Scoreboard {
            ring: VecDeque::new(),
            base: 0,
            oldest: NONE,
            newest: NONE,
            in_flight: 0,
            lost: 0,
            sacked: 0,
            lost_from: 0,
            ranges: Vec::new(),
            sacked_segments: 0,
        }
    }
}

impl Scoreboard {
    /// Bytes flying.
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Bytes lost and not sent again.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Segments selectively acknowledged.
    pub fn sacked_segments(&self) -> u32 {
        self.sacked_segments
    }

    /// What is selectively acknowledged, ascending.
    pub fn ranges(&self) -> &[(u64, u64)] {
        &self.ranges
    }

    /// Nothing is outstanding.
    pub fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    /// The segments' identities.
    pub fn ids(&self) -> std::ops::Range<u64> {
        self.base..self.base + self.ring.len() as u64
    }

    /// A segment.
    pub fn entry(&self, id: u64) -> &Entry {
        &self.ring[(id - self.base) as usize]
    }

    fn entry_mut(&mut self, id: u64) -> &mut Entry {
        &mut self.ring[(id - self.base) as usize]
    }

    /// The first segment.
    pub fn front(&self) -> Option<&Entry> {
        self.ring.front()
    }

    /// A new segment leaves.
    pub fn push(&mut self, start: u64, len: u32, number: u64, snapshot: Snapshot) {
        let id = self.ids().end;
        self.in_flight += u64::from(len);
        self.ring.push_back(Entry {
            start,
            len,
            number,
            snapshot,
            ..Entry::default()
        });
        self.link(id);
    }

    /// The first segment is acknowledged with all before it.
    pub fn pop(&mut self) -> Entry {
        self.leave(self.base);
        self.base += 1;
        self.ring.pop_front().expect("the caller saw it")
    }

    /// A segment leaves again.
    pub fn resend(&mut self, id: u64, number: u64, snapshot: Snapshot) {
        self.leave(id);
        let entry = self.entry_mut(id);
        entry.state = State::Flying;
        entry.resent = entry.resent.saturating_add(1);
        entry.number = number;
        entry.snapshot = snapshot;
        let len = u64::from(entry.len);
        self.in_flight += len;
        self.link(id);
    }

    /// Declares a flying segment lost.
    pub fn lose(&mut self, id: u64) {
        assert_eq!(
            self.entry(id).state,
            State::Flying,
            "a segment is lost once"
        );
        self.leave(id);
        let entry = self.entry_mut(id);
        entry.state = State::Lost;
        let len = u64::from(entry.len);
        self.lost += len;
        self.lost_from = self.lost_from.min(id);
    }

    /// The first lost segment.
    pub fn first_lost(&mut self) -> Option<u64> {
        if self.lost == 0 {
            self.lost_from = self.ids().end;
            return None;
        }
        self.lost_from = self.lost_from.max(self.base);
        while self.entry(self.lost_from).state != State::Lost {
            self.lost_from += 1;
        }
        Some(self.lost_from)
    }

    /// Takes a segment out of the account of its state, and out of the list if it flies.
    fn leave(&mut self, id: u64) {
        let entry = self.entry(id);
        let (len, before, after) = (u64::from(entry.len), entry.before, entry.after);
        match entry.state {
            State::Flying => {
                self.in_flight -= len;
                self.unlink(before, after);
            }
            State::Lost => self.lost -= len,
            State::Sacked => {
                self.sacked -= len;
                self.sacked_segments -= 1;
            }
        }
    }

    /// The segment that begins at this byte, or the first that begins above it.
    pub fn find(&self, byte: u64) -> u64 {
        let Some(front) = self.ring.front() else {
            return self.base;
        };
        // Segments are mostly of one size, so the guess is mostly right.
        let guess = byte.saturating_sub(front.start) / u64::from(front.len);
        if self
            .ring
            .get(guess as usize)
            .is_some_and(|e| e.start == byte)
        {
            return self.base + guess;
        }
        self.base + self.ring.partition_point(|e| e.start < byte) as u64
    }

    /// Bytes `[from, to)` are selectively acknowledged. Calls `newly` for each segment for which
    /// that is news, with the state it was in.
    pub fn sack(&mut self, from: u64, to: u64, mut newly: impl FnMut(&Entry)) {
        let mut at = from.max(self.front().map_or(to, |e| e.start));
        while at < to {
            let next = self.ranges.partition_point(|r| r.1 <= at);
            let known = self.ranges.get(next).copied();
            if let Some((_, end)) = known.filter(|r| r.0 <= at) {
                at = end;
                continue;
            }
            let stop = known.map_or(to, |r| r.0.min(to));
            let first = self.find(at);
            let mut id = first;
            let mut end = at;
            while id < self.ids().end && self.entry(id).end() <= stop {
                newly(self.entry(id));
                self.leave(id);
                let entry = self.entry_mut(id);
                entry.state = State::Sacked;
                end = entry.end();
                let len = u64::from(entry.len);
                self.sacked += len;
                self.sacked_segments += 1;
                id += 1;
            }
            if id > first {
                self.cover(self.entry(first).start, end);
            }
            at = stop;
        }
    }

    /// Adds a range that touches no other but at its ends.
    fn cover(&mut self, from: u64, to: u64) {
        let at = self.ranges.partition_point(|r| r.1 < from);
        let joins_below = self.ranges.get(at).is_some_and(|r| r.1 == from);
        let above = at + usize::from(joins_below);
        let joins_above = self.ranges.get(above).is_some_and(|r| r.0 == to);
        match (joins_below, joins_above) {
            (true, true) => {
                self.ranges[at].1 = self.ranges[above].1;
                self.ranges.remove(above);
            }
            (true, false) => self.ranges[at].1 = to,
            (false, true) => self.ranges[at].0 = from,
            (false, false) => self.ranges.insert(at, (from, to)),
        }
    }

    /// All below this byte is acknowledged: forgets ranges below.
    pub fn settle(&mut self, una: u64) {
        if self.ranges.first().is_some_and(|r| r.1 <= una) {
            let gone = self.ranges.partition_point(|r| r.1 <= una);
            self.ranges.drain(..gone);
        }
    }

    /// The segment in flight that was sent first.
    pub fn oldest(&self) -> Option<u64> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// The segment in flight that was sent next after this one.
    pub fn sent_after(&self, id: u64) -> Option<u64> {
        let after = self.entry(id).after;
        (after != NONE).then_some(after)
    }

    /// Nothing was lost after all: all that is lost and not sent again counts as flying.
    pub fn unlose(&mut self) {
        let mut flying: Vec<(u64, u64)> = Vec::new();
        for id in self.ids() {
            let entry = self.entry_mut(id);
            if entry.state == State::Lost {
                entry.state = State::Flying;
            }
            if entry.state == State::Flying {
                flying.push((entry.number, id));
            }
        }
        self.in_flight += std::mem::take(&mut self.lost);
        flying.sort_unstable();
        (self.oldest, self.newest) = (NONE, NONE);
        for (_, id) in flying {
            self.link(id);
        }
    }

    /// Appends to the list in order of transmission.
    fn link(&mut self, id: u64) {
        let newest = self.newest;
        let entry = self.entry_mut(id);
        entry.before = newest;
        entry.after = NONE;
        match newest {
            NONE => self.oldest = id,
            n => self.entry_mut(n).after = id,
        }
        self.newest = id;
    }

    fn unlink(&mut self, before: u64, after: u64) {
        match before {
            NONE => self.oldest = after,
            b => self.entry_mut(b).after = after,
        }
        match after {
            NONE => self.newest = before,
            a => self.entry_mut(a).before = before,
        }
    }
}
