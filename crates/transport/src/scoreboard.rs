//! What the sender knows about each segment that is not yet acknowledged: a ring in the order of the
//! stream, threaded by a list in the order of (re)transmission, so that neither an acknowledgement
//! nor the search for losses looks at more segments than it changes.

use crate::rate::Snapshot;
use crate::units::Time;

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
/// Places of a ring, at least.
const FEWEST: usize = 16;

/// A segment, as it is told.
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
}

/// A segment, as it is kept: in a cache line. Numbers that differ by less than 2³² among the segments
/// outstanding, because no window is so large, are kept modulo that.
#[derive(Copy, Clone, Debug, Default)]
#[repr(align(64))]
struct Kept {
    sent: Time,
    first_sent: Time,
    delivered_time: Time,
    delivered: u64,
    start: u32,
    number: u32,
    len: u32,
    tx_in_flight: u32,
    lost: u32,
    /// Its neighbours in the order of transmission, as identities from its own; zero for none.
    before: i32,
    after: i32,
    state: State,
    resent: u8,
    app_limited: bool,
}

impl Kept {
    fn leave(&mut self, number: u64, snapshot: &Snapshot) {
        self.number = number as u32;
        self.sent = snapshot.sent;
        self.first_sent = snapshot.first_sent;
        self.delivered_time = snapshot.delivered_time;
        self.delivered = snapshot.delivered;
        self.tx_in_flight = u32::try_from(snapshot.tx_in_flight).unwrap_or(u32::MAX);
        self.lost = snapshot.lost;
        self.app_limited = snapshot.app_limited;
    }

    /// In full, where `end` bytes and transmissions before `number` are the last.
    #[inline(always)]
    fn told(&self, end: u64, number: u64) -> Entry {
        Entry {
            start: whole(self.start, end),
            len: self.len,
            state: self.state,
            resent: self.resent,
            number: whole(self.number, number),
            snapshot: Snapshot {
                sent: self.sent,
                first_sent: self.first_sent,
                delivered_time: self.delivered_time,
                delivered: self.delivered,
                tx_in_flight: u64::from(self.tx_in_flight),
                lost: self.lost,
                app_limited: self.app_limited,
            },
        }
    }
}

/// Segments that were taken out together.
#[derive(Copy, Clone, Debug)]
pub struct Run {
    /// How many.
    pub segments: u64,
    /// Their payload bytes.
    pub bytes: u64,
    /// The byte after the first of them.
    pub first_end: u64,
    /// The last of them.
    pub last: Entry,
}

/// The number up to `last` of which these are the low 32 bits.
#[inline(always)]
fn whole(low: u32, last: u64) -> u64 {
    last - u64::from((last as u32).wrapping_sub(low))
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
    /// A power of two of places, or none: a segment's is its identity modulo that.
    ring: Vec<Kept>,
    base: u64,
    count: usize,
    /// The byte after the last segment.
    end: u64,
    /// Number of the last transmission.
    number: u64,
    oldest: u64,
    newest: u64,
    in_flight: u64,
    lost: u64,
    /// No lost segment lies below.
    lost_from: u64,
    /// What is selectively acknowledged: `[first, end)`, disjoint, not adjacent, ascending.
    ranges: Vec<(u64, u64)>,
    sacked_segments: u32,
}

impl Default for Scoreboard {
    fn default() -> Scoreboard {
        Scoreboard {
            ring: Vec::new(),
            base: 0,
            count: 0,
            end: 0,
            number: 0,
            oldest: NONE,
            newest: NONE,
            in_flight: 0,
            lost: 0,
            lost_from: 0,
            ranges: Vec::new(),
            sacked_segments: 0,
        }
    }
}

impl Scoreboard {
    /// Reads a word of each cache line that an acknowledgement touches: the first two segments, the last,
    /// and the places of two more.
    #[inline]
    pub fn touch(&self) -> u64 {
        let ids = self.ids();
        let lines = [
            ids.start,
            ids.start + 1,
            self.newest,
            ids.end,
            ids.end.wrapping_add(1),
        ];
        let lines = lines.map(|id| self.ring.get(self.place(id)));
        let lines = lines.into_iter().flatten();
        lines.fold(self.in_flight, |read, kept| read ^ kept.delivered)
    }

    /// Bytes flying.
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Bytes lost and not sent again.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Segments in flight that were sent before.
    pub fn resent_in_flight(&self) -> u64 {
        let kept = self.ids().map(|id| self.kept(id));
        let resent = kept.filter(|k| k.state == State::Flying && k.resent > 0);
        resent.count() as u64
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
        self.count == 0
    }

    /// The segments' identities.
    pub fn ids(&self) -> std::ops::Range<u64> {
        self.base..self.base + self.count as u64
    }

    /// A segment.
    #[inline]
    pub fn entry(&self, id: u64) -> Entry {
        self.kept(id).told(self.end, self.number)
    }

    #[inline]
    fn kept(&self, id: u64) -> &Kept {
        &self.ring[self.place(id)]
    }

    #[inline]
    fn kept_mut(&mut self, id: u64) -> &mut Kept {
        let place = self.place(id);
        &mut self.ring[place]
    }

    #[inline]
    fn place(&self, id: u64) -> usize {
        id as usize & self.ring.len().wrapping_sub(1)
    }

    /// The first segment.
    #[inline]
    pub fn front(&self) -> Option<Entry> {
        (self.count > 0).then(|| self.entry(self.base))
    }

    /// A new segment leaves.
    #[inline(always)]
    pub fn push(&mut self, start: u64, len: u32, number: u64, snapshot: Snapshot) {
        let id = self.ids().end;
        self.in_flight += u64::from(len);
        let before = match self.newest {
            NONE => {
                self.oldest = id;
                0
            }
            newest => {
                let distance = distance(newest, id);
                self.kept_mut(newest).after = distance;
                -distance
            }
        };
        self.newest = id;
        (self.end, self.number) = (start + u64::from(len), number);
        let mut kept = Kept {
            start: start as u32,
            len,
            before,
            ..Kept::default()
        };
        kept.leave(number, &snapshot);
        if self.count == self.ring.len() {
            self.grow();
        }
        self.count += 1;
        *self.kept_mut(id) = kept;
    }

    /// Doubles the places.
    #[cold]
    fn grow(&mut self) {
        self.move_to((2 * self.ring.len()).max(FEWEST));
    }

    /// Halves the places where few are used.
    #[cold]
    fn shrink(&mut self) {
        if self.ring.len() > FEWEST && 3 * self.count <= self.ring.len() {
            self.move_to(self.ring.len() / 2);
        }
    }

    fn move_to(&mut self, places: usize) {
        let old = std::mem::replace(&mut self.ring, vec![Kept::default(); places]);
        for id in self.ids() {
            *self.kept_mut(id) = old[id as usize % old.len()];
        }
    }

    /// The first segment is acknowledged with all before it.
    pub fn pop(&mut self) {
        self.leave(self.base);
        self.base += 1;
        self.count -= 1;
        // Segments use all places in turn, so those that are too many take others' room in the caches.
        if self.place(self.base) == 0 {
            self.shrink();
        }
    }

    /// A segment leaves again.
    pub fn resend(&mut self, id: u64, number: u64, snapshot: Snapshot) {
        self.leave(id);
        self.number = number;
        let kept = self.kept_mut(id);
        kept.state = State::Flying;
        kept.resent = kept.resent.saturating_add(1);
        kept.leave(number, &snapshot);
        let len = u64::from(kept.len);
        self.in_flight += len;
        self.link(id);
    }

    /// Declares a flying segment lost.
    pub fn lose(&mut self, id: u64) {
        assert_eq!(self.kept(id).state, State::Flying, "a segment is lost once");
        self.leave(id);
        let kept = self.kept_mut(id);
        kept.state = State::Lost;
        let len = u64::from(kept.len);
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
        while self.kept(self.lost_from).state != State::Lost {
            self.lost_from += 1;
        }
        Some(self.lost_from)
    }

    /// Takes out, of the first segments, those up to `upto` that were sent once and before all others in flight:
    /// how many, the end of the first and the last. That is what an acknowledgement mostly tells of, and
    /// quicker than one by one.
    #[inline]
    pub fn pop_run(&mut self, upto: u64) -> Option<Run> {
        if self.oldest != self.base || self.count == 0 {
            return None;
        }
        let first = self.kept(self.base);
        let first_end = whole(first.start, self.end) + u64::from(first.len);
        if first.resent > 0 || first_end > upto {
            return None;
        }
        let (mut last, mut end) = (self.base, first_end);
        let mut after = first.after;
        while after == 1 {
            let next = self.kept(last + 1);
            let next_end = end + u64::from(next.len);
            if next.resent > 0 || next_end > upto {
                break;
            }
            (last, end, after) = (last + 1, next_end, next.after);
        }
        let segments = last + 1 - self.base;
        let bytes = end - whole(self.kept(self.base).start, self.end);
        let run = Run {
            segments,
            bytes,
            first_end,
            last: self.entry(last),
        };
        self.in_flight -= bytes;
        match neighbour(last, after) {
            None => (self.oldest, self.newest) = (NONE, NONE),
            Some(next) => {
                self.oldest = next;
                self.kept_mut(next).before = 0;
            }
        }
        let turn = self.place(self.base) + segments as usize >= self.ring.len();
        self.base += segments;
        self.count -= segments as usize;
        if turn {
            self.shrink();
        }
        Some(run)
    }

    /// Takes a segment out of the account of its state, and out of the list if it flies.
    fn leave(&mut self, id: u64) {
        let kept = self.kept(id);
        let (len, before, after) = (u64::from(kept.len), kept.before, kept.after);
        match kept.state {
            State::Flying => {
                self.in_flight -= len;
                self.unlink(id, before, after);
            }
            State::Lost => self.lost -= len,
            State::Sacked => self.sacked_segments -= 1,
        }
    }

    /// The segment that begins at this byte, or the first that begins above it.
    pub fn find(&self, byte: u64) -> u64 {
        let Some(front) = self.front() else {
            return self.base;
        };
        // Segments are mostly of one size, so the guess is mostly right.
        let guess = self.base + byte.saturating_sub(front.start) / u64::from(front.len);
        let (mut low, mut high) = (self.base, self.ids().end);
        if guess < high && self.entry(guess).start == byte {
            return guess;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if self.entry(middle).start < byte {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
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
                let entry = self.entry(id);
                newly(&entry);
                self.leave(id);
                self.kept_mut(id).state = State::Sacked;
                end = entry.end();
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
        neighbour(id, self.kept(id).after)
    }

    /// Nothing was lost after all: all that is lost and not sent again counts as flying.
    pub fn unlose(&mut self) {
        let mut flying: Vec<(u64, u64)> = Vec::new();
        for id in self.ids() {
            let kept = self.kept_mut(id);
            if kept.state == State::Lost {
                kept.state = State::Flying;
            }
            if kept.state == State::Flying {
                flying.push((self.entry(id).number, id));
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
        self.newest = id;
        self.kept_mut(id).after = 0;
        match newest {
            NONE => {
                self.oldest = id;
                self.kept_mut(id).before = 0;
            }
            n => self.join(n, id),
        }
    }

    fn unlink(&mut self, id: u64, before: i32, after: i32) {
        match (neighbour(id, before), neighbour(id, after)) {
            (None, None) => (self.oldest, self.newest) = (NONE, NONE),
            (None, Some(a)) => {
                self.oldest = a;
                self.kept_mut(a).before = 0;
            }
            (Some(b), None) => {
                self.newest = b;
                self.kept_mut(b).after = 0;
            }
            (Some(b), Some(a)) => self.join(b, a),
        }
    }

    /// Makes two segments neighbours in the order of transmission.
    fn join(&mut self, before: u64, after: u64) {
        let distance = distance(before, after);
        self.kept_mut(before).after = distance;
        self.kept_mut(after).before = -distance;
    }
}

/// How far one segment lies behind another. No ring holds 2³¹ of them: a window is at most 1 GiB.
fn distance(from: u64, to: u64) -> i32 {
    to.wrapping_sub(from) as i32
}

/// The segment so far from this one in identity; none at no distance.
fn neighbour(id: u64, distance: i32) -> Option<u64> {
    (distance != 0).then(|| id.wrapping_add_signed(i64::from(distance)))
}

#[cfg(test)]
mod tests;
