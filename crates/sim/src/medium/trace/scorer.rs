//! Delays and throughput of a trace link, and those of a sender that knows the trace.
//!
//! *Signal delay* (mahimahi's graph script): for each millisecond in which packets came that left
//! again, the smallest delay from the queue's entrance to departure; a millisecond without has one more
//! than the next; of these the 95th percentile, index int(0.95 n). The delay box is outside.
//! *Omniscient*: a sender whose packets arrive exactly at the opportunities. Its age is taken at the milliseconds at which a
//! flow's was, so that no flow can have less.

use std::ops::RangeInclusive;

use backwater_transport::units::{Span, Time};

use super::{First, MILLISECOND, Schedule, Server, floor};

/// No packet of that millisecond has left.
const NONE: u32 = u32::MAX;

/// Packets that have left a link.
#[derive(Clone, Debug, Default)]
pub struct Scorer {
    /// Smallest delay in ms of the packets that came in each millisecond.
    least: Vec<u32>,
    /// Bytes of the packets taken so far, by the link's account.
    bytes: u64,
    /// Packets taken.
    packets: u64,
    /// Departure and bytes of the last one taken, which may lie ahead.
    last: (Time, u64),
    /// The bytes of that packet that opportunities carry, each with its instant.
    parts: Vec<(Time, u64)>,
    /// Packets and bytes that had left when counting began.
    base: (u64, u64),
    /// Bytes that opportunities had carried when counting began.
    carried_base: u64,
}

/// The figures of an omniscient sender.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Omniscient {
    /// Bytes that the opportunities carry.
    pub bytes: u64,
    /// 95th percentile of the signal delay, ms.
    pub signal_p95: u64,
}

impl Scorer {
    /// A packet that came to the queue at `queued` leaves at `departs`.
    pub fn took(&mut self, queued: Time, departs: Time, bytes: u64) {
        self.bytes += bytes;
        self.packets += 1;
        self.last = (departs, bytes);
        if departs == Time::NEVER {
            return;
        }
        let (came, left) = (queued.0 / MILLISECOND.0, departs.0 / MILLISECOND.0);
        let came = came as usize;
        if self.least.len() <= came {
            self.least.resize(came + 1, NONE);
        }
        let delay = (left - came as u64) as u32;
        self.least[came] = self.least[came].min(delay);
    }

    /// The packet taken next begins.
    pub fn begin_packet(&mut self) {
        self.parts.clear();
    }

    /// An opportunity carries so many bytes of it.
    pub fn carries(&mut self, at: Time, bytes: u64) {
        self.parts.push((at, bytes));
    }

    /// Bytes that opportunities have carried since counting began, also of a packet that has not left.
    pub fn carried(&self, now: Time) -> u64 {
        self.carried_by(now) - self.carried_base
    }

    fn carried_by(&self, now: Time) -> u64 {
        let ahead = self.parts.iter().filter(|(at, _)| *at > now);
        self.bytes - ahead.map(|(_, bytes)| bytes).sum::<u64>()
    }

    /// Counting begins.
    pub fn warm(&mut self, now: Time) {
        self.carried_base = self.carried_by(now);
        self.base = self.since_beginning(now);
    }

    /// Packets that have left since counting began, and their bytes.
    pub fn left(&self, now: Time) -> (u64, u64) {
        let (packets, bytes) = self.since_beginning(now);
        (packets - self.base.0, bytes - self.base.1)
    }

    fn since_beginning(&self, now: Time) -> (u64, u64) {
        let ahead = self.packets > 0 && self.last.0 > now;
        match ahead {
            true => (self.packets - 1, self.bytes - self.last.1),
            false => (self.packets, self.bytes),
        }
    }

    /// 95th percentile of the signal delay in ms over the packets that came from `from` on and have left
    /// by `now`; none where there are none.
    pub fn signal_p95(&self, from: Time, now: Time) -> Option<u64> {
        let (from, now) = (from.0.div_ceil(MILLISECOND.0), now.0 / MILLISECOND.0);
        let known = |(came, least): (usize, &u32)| {
            let left = came as u64 + u64::from(*least);
            (*least != NONE && came as u64 >= from && left <= now)
                .then_some((came as u64, u64::from(*least)))
        };
        signal_p95(self.least.iter().enumerate().filter_map(known))
    }
}

/// The 95th percentile of the signal delay, from (millisecond, smallest delay) in order of time.
pub(super) fn signal_p95(known: impl DoubleEndedIterator<Item = (u64, u64)>) -> Option<u64> {
    let mut all = Vec::new();
    let mut after: Option<(u64, u64)> = None;
    for (came, delay) in known.rev() {
        if let Some((next, of_next)) = after {
            all.extend((1..next - came).map(|back| of_next + back));
        }
        all.push(delay);
        after = Some((came, delay));
    }
    percentile95(all)
}

/// Index int(0.95 n) of the sorted values.
pub fn percentile95(mut all: Vec<u64>) -> Option<u64> {
    let index = all.len() * 95 / 100;
    (index < all.len()).then(|| *all.select_nth_unstable(index).1)
}

impl Server {
    /// The bound from `from` to `end`; none where there was no opportunity.
    pub fn omniscient(&self, from: Time, end: Time) -> Option<Omniscient> {
        let window = self.opportunities(end).filter(move |at| *at >= from);
        let (mut count, mut stamps) = (0, Vec::new());
        for at in window {
            count += 1;
            let ms = at.0 / MILLISECOND.0;
            if stamps.last() != Some(&ms) {
                stamps.push(ms);
            }
        }
        let bytes = count * self.spec.opportunity;
        // Where opportunities go first, a packet must have come a millisecond before its own.
        let early = u64::from(self.spec.first == First::Opportunity);
        let met = stamps.iter().filter(|at| **at >= early);
        Some(Omniscient {
            bytes,
            signal_p95: signal_p95(met.map(|at| (*at - early, early)))?,
        })
    }

    /// 95th percentile of the age of the newest packet delivered at these milliseconds, in ms, where each packet comes to the
    /// queue at an opportunity, `before` after its creation, and to its receiver `after` later.
    pub fn least_age_p95(
        &self,
        sampled: RangeInclusive<u64>,
        before: Span,
        after: Span,
    ) -> Option<u64> {
        let mut due = self.opportunities(Time(sampled.end() * MILLISECOND.0));
        let (mut coming, mut newest) = (due.next(), None);
        let mut counts: Vec<u64> = Vec::new();
        for ms in sampled {
            let at = Time(ms * MILLISECOND.0);
            while let Some(one) = coming.filter(|one| one.after(after) <= at) {
                (newest, coming) = (Some(one), due.next());
            }
            let Some(newest) = newest else { continue };
            let age = at.since(newest).0 + before.0;
            let age = (age / MILLISECOND.0) as usize;
            counts.resize(counts.len().max(age + 1), 0);
            counts[age] += 1;
        }
        let mut left = counts.iter().sum::<u64>() * 95 / 100;
        let found = counts.iter().position(|count| {
            let here = left < *count;
            left = left.saturating_sub(*count);
            here
        });
        found.map(|age| age as u64)
    }

    /// How many opportunities there are from `from` up to and including `end`, used or not.
    pub fn offered(&self, from: Time, end: Time) -> u64 {
        let before = from.0.checked_sub(1).map(Time);
        let counted = || {
            Some((
                self.up_to(end)?,
                before.map_or(Some(0), |end| self.up_to(end))?,
            ))
        };
        match counted() {
            Some((all, before)) => all.saturating_sub(before),
            None => self.opportunities(end).filter(|at| *at >= from).count() as u64,
        }
    }

    /// How many there are up to and including `end`, where that needs no drawing.
    fn up_to(&self, end: Time) -> Option<u64> {
        // On a clock of milliseconds an opportunity comes at the beginning of its millisecond.
        let end = match self.spec.milliseconds {
            true => Time(floor(end).0.saturating_add(MILLISECOND.0 - 1)),
            false => end,
        };
        let (trace, stream) = &*self.origin;
        match stream.never_turns() {
            true => trace.up_to(self.spec.opportunity, end),
            false => None,
        }
    }

    /// Mean rate of the opportunities from `from` to `end`, bit/s.
    pub fn capacity(&self, from: Time, end: Time) -> f64 {
        let bits = self.offered(from, end) as f64 * self.spec.opportunity as f64 * 8.0;
        let span: Span = end.since(from);
        if span == Span::ZERO {
            0.0
        } else {
            bits / span.seconds()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Time {
        Time(n * MILLISECOND.0)
    }

    #[test]
    fn missing_milliseconds_count_backwards_from_the_next_packet() {
        // Worked out by hand. Packets that came at 2 take 5 and 7, one that came at 5 takes 5: with the
        // missing milliseconds 2 → 5, 3 → 7, 4 → 6, 5 → 5.
        let mut scorer = Scorer::default();
        for (came, left) in [(2, 7), (2, 9), (5, 10)] {
            scorer.took(ms(came), ms(left), 1504);
        }
        assert_eq!(scorer.signal_p95(Time::ZERO, ms(10)), Some(7));
        // Of those that came from 3 on, or that have left by 9, one is known.
        assert_eq!(scorer.signal_p95(ms(3), ms(10)), Some(5));
        assert_eq!(scorer.signal_p95(Time::ZERO, ms(9)), Some(5));
        assert_eq!(scorer.left(ms(10)), (3, 3 * 1504));
        assert_eq!(scorer.left(ms(9)), (2, 2 * 1504));
    }

    #[test]
    fn the_percentile_is_the_one_of_the_graph_script() {
        assert_eq!(percentile95((0..100).collect()), Some(95));
        assert_eq!(percentile95((0..20).collect()), Some(19));
        assert_eq!(percentile95(Vec::new()), None);
    }
}
