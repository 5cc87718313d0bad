//! Numbers of the two ends of a connection: those that matter as differences, those that matter up to a point only, and
//! those that come closer to an end that stands still.

use super::{Purpose, Seen, Walk};
use crate::units::{Span, Time};

/// Full segments up to which a distance to an end is compared exactly.
const NEAR: u64 = 64;

/// The numbers of a connection with which others are compared: those of its sender.
#[derive(Copy, Clone, Debug, Default)]
pub struct Base {
    /// Of the next transmission.
    pub number: u64,
    /// Of the first byte that has not been sent.
    pub byte: u64,
    /// Of the one of these that acknowledgements count up to.
    pub upto: u64,
    /// Bytes delivered.
    pub delivered: u64,
    /// Bytes lost.
    pub lost: u64,
    /// Bytes that came with a congestion mark.
    pub ce_bytes: u64,
}

/// The packets of a connection that are on their way.
#[derive(Copy, Clone, Debug)]
pub struct OnTheWay {
    /// How many.
    pub packets: u64,
    /// The least number of a transmission that they are or tell of.
    pub number: u64,
    /// The least byte that they have or tell of.
    pub byte: u64,
}

impl Default for OnTheWay {
    fn default() -> OnTheWay {
        OnTheWay {
            packets: 0,
            number: u64::MAX,
            byte: u64::MAX,
        }
    }
}

impl OnTheWay {
    /// A packet that is of this transmission or tells of it, and of bytes from `byte` on.
    pub fn add(&mut self, number: u64, byte: u64) {
        self.packets += 1;
        self.number = self.number.min(number);
        self.byte = self.byte.min(byte);
    }
}

/// A number that grows towards another one: where both are kept, and how far they have to stay apart.
#[derive(Copy, Clone, Debug)]
pub(super) struct Distance {
    number: usize,
    end: usize,
    apart: u64,
}

impl Distance {
    /// How many more periods there may be; none where the one before was not like any other.
    fn periods(self, before: &[u128], after: &[u128]) -> Option<u64> {
        let growth = |at: usize| after[at].wrapping_sub(before[at]);
        let (number, end) = (growth(self.number), growth(self.end));
        if number == end {
            return Some(u64::MAX);
        }
        // Within a period, too, the number stays so far below the end.
        let least = number.saturating_add(u128::from(self.apart));
        let left =
            |seen: &[u128]| seen[self.end].checked_sub(seen[self.number].saturating_add(least));
        left(before)?;
        match number.checked_sub(end) {
            None => Some(u64::MAX),
            Some(closer) => Some(u64::try_from(left(after)? / closer).unwrap_or(u64::MAX)),
        }
    }
}

impl Seen {
    /// How many periods may follow before a number comes close to an end that stands still; none where one was close, or an instant
    /// neither stayed nor moved by a period.
    pub(super) fn periods(&self, before: &Seen, period: Span) -> Option<u64> {
        for at in &self.settled {
            let moved = self.grows[*at].wrapping_sub(before.grows[*at]);
            if moved != 0 && moved != u128::from(period.0) {
                return None;
            }
        }
        let mut periods = u64::MAX;
        for distance in &self.distances {
            periods = periods.min(distance.periods(&before.grows, &self.grows)?);
        }
        Some(periods)
    }
}

impl Walk {
    /// A number that matters only where it is not below `from`.
    pub fn above(&mut self, number: &mut u64, from: u64) {
        self.same(match number.checked_sub(from) {
            None => 0,
            Some(above) => above.saturating_add(1),
        });
        self.count(number);
    }

    /// A number that grows up to an end, which may grow as well. Only that it comes within `apart` of it matters: where it is far from
    /// an end that grows less, as many periods are skipped as leave it so far.
    pub fn up_to(&mut self, number: u64, end: &mut u64, apart: u64) {
        let left = end.saturating_sub(number);
        self.same(left.min(apart.saturating_mul(NEAR)));
        if self.purpose == Purpose::Keep {
            let number_at = self.grows.len();
            self.distances.push(Distance {
                number: number_at,
                end: number_at + 1,
                apart,
            });
        }
        let mut number = number;
        self.count(&mut number);
        self.count(end);
    }

    /// An instant of the past that belongs to something that stays or moves as a whole.
    pub fn settled(&mut self, at: &mut Time) {
        if self.purpose == Purpose::Keep {
            self.settled.push(self.grows.len());
        }
        self.last(at);
    }

    /// A number that is kept without its high half, as a difference from `base`.
    pub fn low(&mut self, low: &mut u32, base: u64) {
        self.number(low, base as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::Repeat;

    fn seen(number: u64, end: u64, apart: u64) -> Seen {
        let mut walk = Walk::keep(Time(number));
        walk.up_to(number, &mut { end }, apart);
        walk.seen().expect("no part that is not visited")
    }

    /// 1000 a period from 5000 on, 300 to be kept free: the period before the last ends at 98,700 − 1000 at most, so 91 of them follow
    /// the one from 5000 to 6000. A number whose end grows alike has no bound, and one that was close is no recurrence.
    #[test]
    fn a_number_stays_apart_from_its_end_for_so_many_periods() {
        let periods = |before: (u64, u64), after: (u64, u64)| {
            let (before, after) = (seen(before.0, before.1, 300), seen(after.0, after.1, 300));
            after.periods(&before, Span(1000))
        };
        assert_eq!(periods((5000, 99_000), (6000, 99_000)), Some(91));
        assert_eq!(periods((5000, 5500), (6000, 6500)), Some(u64::MAX));
        assert_eq!(periods((5000, 99_000), (6000, 100_001)), Some(u64::MAX));
        assert_eq!(periods((5000, 6299), (6000, 6299)), None);
        assert_eq!(periods((5000, 6300), (6000, 6300)), None);
    }

    /// A mark that everything has passed may stay behind; one ahead keeps its distance, and is written anew.
    #[test]
    fn what_is_below_matters_no_more() {
        let state = |number: u64, from: u64| {
            let mut walk = Walk::look(Time::ZERO);
            walk.above(&mut { number }, from);
            walk.seen().expect("no part that is not visited").state
        };
        assert_eq!(state(3, 100), state(99, 100));
        assert_ne!(state(99, 100), state(100, 100));
        assert_eq!(state(107, 100), state(207, 200));
        let kept = |number: u64| {
            let mut walk = Walk::keep(Time::ZERO);
            walk.above(&mut { number }, number);
            walk.seen().expect("no part that is not visited")
        };
        let repeat = Repeat {
            period: Span(10),
            began: Time::ZERO,
            periods: 4,
        };
        let mut number = 120;
        Walk::write(Time(10), kept(100), kept(120), repeat).above(&mut number, 120);
        assert_eq!(number, 200);
    }
}
