//! The scoreboard: what the sender knows about each segment that is not yet acknowledged. It is a ring in
//! stream order with a linked list in order of transmission, so an acknowledgement and the search for
//! losses visit only the segments that they change.

mod entry;
mod order;
mod ranges;
mod ring;
mod walk;

pub use entry::{Entry, State};

use crate::rate::Snapshot;
use entry::{Packed, widen};
use order::{TransmissionOrder, neighbour};
use ranges::SackRanges;
use ring::Ring;

/// Consecutive segments that one acknowledgement removes together.
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

/// The scoreboard. Segments have identities that grow by one along the stream.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    ring: Ring,
    order: TransmissionOrder,
    /// The byte after the last segment.
    end: u64,
    /// Number of the last transmission.
    number: u64,
    in_flight: u64,
    lost: u64,
    /// No lost segment lies below.
    lost_from: u64,
    ranges: SackRanges,
    sacked_segments: u32,
}

impl Scoreboard {
    /// Reads a word of each cache line that an acknowledgement touches: the first two segments, the last,
    /// and the slots of two more.
    #[inline]
    pub fn prefetch(&self) -> u64 {
        let ids = self.ids();
        let lines = [
            ids.start,
            ids.start + 1,
            self.order.newest().unwrap_or(u64::MAX),
            ids.end,
            ids.end.wrapping_add(1),
        ];
        let lines = lines.map(|id| self.ring.slot_content(id));
        let lines = lines.into_iter().flatten();
        lines.fold(self.in_flight, |read, segment| read ^ segment.delivered)
    }

    /// Bytes in flight.
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Bytes declared lost and not sent again.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Retransmissions in flight.
    pub fn retransmissions_in_flight(&self) -> u64 {
        let segments = self.ids().map(|id| self.ring.segment(id));
        let again = segments.filter(|s| s.state == State::InFlight && s.retransmissions > 0);
        again.count() as u64
    }

    /// Segments selectively acknowledged.
    pub fn sacked_segments(&self) -> u32 {
        self.sacked_segments
    }

    /// The ranges selectively acknowledged, ascending.
    pub fn ranges(&self) -> &[(u64, u64)] {
        self.ranges.as_slice()
    }

    /// Nothing is outstanding.
    pub fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    /// The segments' identities.
    pub fn ids(&self) -> std::ops::Range<u64> {
        self.ring.ids()
    }

    /// A segment.
    #[inline]
    pub fn entry(&self, id: u64) -> Entry {
        self.ring.segment(id).unpack(self.end, self.number)
    }

    /// The first segment.
    #[inline]
    pub fn front(&self) -> Option<Entry> {
        (!self.is_empty()).then(|| self.entry(self.ring.base()))
    }

    /// Adds a new segment.
    #[inline(always)]
    pub fn push(&mut self, start: u64, len: u32, number: u64, snapshot: Snapshot) {
        let id = self.ids().end;
        self.in_flight += u64::from(len);
        let before = self.order.append_new(id, &mut self.ring);
        (self.end, self.number) = (start + u64::from(len), number);
        let mut segment = Packed {
            start: start as u32,
            len,
            before,
            ..Packed::default()
        };
        segment.set_transmission(number, &snapshot);
        self.ring.push(segment);
    }

    /// Removes the first segment: it is cumulatively acknowledged.
    pub fn pop(&mut self) {
        self.subtract(self.ring.base());
        self.ring.pop(1);
    }

    /// Retransmits a segment.
    pub fn retransmit(&mut self, id: u64, number: u64, snapshot: Snapshot) {
        self.subtract(id);
        self.number = number;
        let segment = self.ring.segment_mut(id);
        segment.state = State::InFlight;
        segment.retransmissions = segment.retransmissions.saturating_add(1);
        segment.set_transmission(number, &snapshot);
        let len = u64::from(segment.len);
        self.in_flight += len;
        self.order.append(id, &mut self.ring);
    }

    /// Declares a segment in flight lost.
    pub fn mark_lost(&mut self, id: u64) {
        assert_eq!(
            self.ring.segment(id).state,
            State::InFlight,
            "only a segment in flight can be lost"
        );
        self.subtract(id);
        let segment = self.ring.segment_mut(id);
        segment.state = State::Lost;
        let len = u64::from(segment.len);
        self.lost += len;
        self.lost_from = self.lost_from.min(id);
    }

    /// The first lost segment.
    pub fn first_lost(&mut self) -> Option<u64> {
        if self.lost == 0 {
            self.lost_from = self.ids().end;
            return None;
        }
        self.lost_from = self.lost_from.max(self.ring.base());
        while self.ring.segment(self.lost_from).state != State::Lost {
            self.lost_from += 1;
        }
        Some(self.lost_from)
    }

    /// Removes the first segments up to `upto` that were sent once and before all others in flight. Most
    /// acknowledgements cover just such a run; one pass is faster than segment by segment.
    #[inline]
    pub fn pop_run(&mut self, upto: u64) -> Option<Run> {
        let base = self.ring.base();
        if self.order.oldest() != Some(base) {
            return None;
        }
        let first = self.ring.segment(base);
        let first_end = widen(first.start, self.end) + u64::from(first.len);
        if first.retransmissions > 0 || first_end > upto {
            return None;
        }
        let (mut last, mut end) = (base, first_end);
        let mut after = first.after;
        while after == 1 {
            let next = self.ring.segment(last + 1);
            let next_end = end + u64::from(next.len);
            if next.retransmissions > 0 || next_end > upto {
                break;
            }
            (last, end, after) = (last + 1, next_end, next.after);
        }
        let segments = last + 1 - base;
        let bytes = end - widen(first.start, self.end);
        let run = Run {
            segments,
            bytes,
            first_end,
            last: self.entry(last),
        };
        self.in_flight -= bytes;
        self.order
            .cut_before(neighbour(last, after), &mut self.ring);
        self.ring.pop(segments);
        Some(run)
    }

    /// Subtracts a segment from the count of its state, and unlinks it if it is in flight.
    fn subtract(&mut self, id: u64) {
        let segment = self.ring.segment(id);
        let len = u64::from(segment.len);
        match segment.state {
            State::InFlight => {
                self.in_flight -= len;
                self.order.remove(id, &mut self.ring);
            }
            State::Lost => self.lost -= len,
            State::Sacked => self.sacked_segments -= 1,
        }
    }

    /// The segment that begins at this byte, or the first that begins above it.
    pub fn find(&self, byte: u64) -> u64 {
        let Some(front) = self.front() else {
            return self.ring.base();
        };
        // Most segments have one size, so the guess is mostly right.
        let guess = self.ring.base() + byte.saturating_sub(front.start) / u64::from(front.len);
        let (mut low, mut high) = (self.ring.base(), self.ids().end);
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

    /// Bytes `[from, to)` are selectively acknowledged. Calls `newly` for each segment that was not yet,
    /// with its state before.
    pub fn sack(&mut self, from: u64, to: u64, mut newly: impl FnMut(&Entry)) {
        let mut at = from.max(self.front().map_or(to, |e| e.start));
        while at < to {
            let known = self.ranges.ending_above(at);
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
                self.subtract(id);
                self.ring.segment_mut(id).state = State::Sacked;
                end = entry.end();
                self.sacked_segments += 1;
                id += 1;
            }
            if id > first {
                self.ranges.insert(self.entry(first).start, end);
            }
            at = stop;
        }
    }

    /// All bytes below `una` are acknowledged: forgets the ranges below.
    pub fn forget_below(&mut self, una: u64) {
        self.ranges.forget_below(una);
    }

    /// The segment in flight that was sent first.
    pub fn oldest(&self) -> Option<u64> {
        self.order.oldest()
    }

    /// The segment in flight that was sent next after this.
    pub fn next_sent(&self, id: u64) -> Option<u64> {
        neighbour(id, self.ring.segment(id).after)
    }

    /// No loss was real: every segment that is lost and not sent again counts as in flight.
    pub fn revert_losses(&mut self) {
        let mut in_flight: Vec<(u64, u64)> = Vec::new();
        for id in self.ids() {
            let segment = self.ring.segment_mut(id);
            if segment.state == State::Lost {
                segment.state = State::InFlight;
            }
            if segment.state == State::InFlight {
                in_flight.push((self.entry(id).number, id));
            }
        }
        self.in_flight += std::mem::take(&mut self.lost);
        in_flight.sort_unstable();
        self.order = TransmissionOrder::default();
        for (_, id) in in_flight {
            self.order.append(id, &mut self.ring);
        }
    }
}

#[cfg(test)]
mod tests;
