//! Numbers of things in places of equal length: genomes of a search, and the instants that they stand for.

use std::sync::Arc;

use crate::draws::Draws;
use crate::spread::{Uneven, even, spread};

/// How many things each place has. Ordered as lists of numbers are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Counts(Arc<[u32]>);

impl Counts {
    /// Of numbers that are there.
    pub fn new(counts: impl Into<Arc<[u32]>>) -> Counts {
        Counts(counts.into())
    }

    /// `count` things over `places`, not quite evenly.
    pub fn spread(count: u32, places: usize, uneven: Uneven, draws: &mut Draws) -> Counts {
        Counts(spread(count, places, uneven, &mut || draws.unit()).into())
    }

    /// The numbers.
    pub fn list(&self) -> &[u32] {
        &self.0
    }

    /// A hash that is the same in each process.
    pub fn hash(&self) -> u64 {
        let pairs = self.0.chunks(2).map(|pair| match pair {
            [one, other] => u64::from(*one) << 32 | u64::from(*other),
            one => u64::from(one[0]),
        });
        // Fibonacci hashing: the odd number nearest to 2^64 over the golden ratio.
        pairs.fold(self.0.len() as u64, |hash, pair| {
            (hash.rotate_left(23) ^ pair).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }

    /// How many things the places from `low` to before `high` have.
    pub fn sum(&self, low: usize, high: usize) -> u64 {
        self.0[low..high]
            .iter()
            .map(|count| u64::from(*count))
            .sum()
    }

    /// How often a place has another number than the one before it, and by how much in all.
    pub fn variation(&self) -> (usize, u64) {
        let pairs = self.0.windows(2);
        let steps = pairs
            .map(|pair| pair[0].abs_diff(pair[1]))
            .filter(|by| *by > 0);
        steps.fold((0, 0), |(changes, far), by| {
            (changes + 1, far + u64::from(by))
        })
    }

    fn changed(&self, change: impl FnOnce(&mut [u32])) -> Counts {
        let mut made = Vec::from(&*self.0);
        change(&mut made);
        Counts(made.into())
    }

    /// The same with other numbers from `low` on.
    pub fn with(&self, low: usize, part: &[u32]) -> Counts {
        self.changed(|made| made[low..low + part.len()].copy_from_slice(part))
    }

    /// The same with places from `low` to before `high` that begin `by` later and end with those before.
    pub fn rolled(&self, low: usize, high: usize, by: usize) -> Counts {
        self.changed(|made| made[low..high].rotate_left(by))
    }

    /// The same with two stretches of so many places exchanged, if they do not overlap.
    pub fn exchanged(&self, one: usize, other: usize, length: usize) -> Counts {
        if one.abs_diff(other) < length {
            return self.clone();
        }
        self.changed(|made| {
            let (first, last) = (one.min(other), one.max(other));
            let (before, after) = made.split_at_mut(last);
            before[first..first + length].swap_with_slice(&mut after[..length]);
        })
    }

    /// The same whose places from `low + length` on repeat those before, so many at a time.
    pub fn repeated(&self, low: usize, length: usize) -> Counts {
        self.changed(|made| {
            for at in low + length..made.len() {
                made[at] = made[at - length];
            }
        })
    }

    /// The same with the things from `low` to before `high` evenly over these places.
    pub fn even(&self, low: usize, high: usize) -> Counts {
        let mut part = Vec::with_capacity(high - low);
        // A sum of 32-bit numbers within a genome's bounds.
        even(self.sum(low, high) as u32, high - low, &mut part);
        self.with(low, &part)
    }

    /// The same with a moving mean from `low` to before `high`: the running sum is averaged over up to `half` places on either
    /// side and rounded down, so that the number of things is kept.
    pub fn smooth(&self, low: usize, high: usize, half: usize) -> Counts {
        let length = high - low;
        // Sums before each place, and sums of these.
        let (mut sums, mut totals) = (vec![0_u64], vec![0_u64, 0]);
        for count in &self.0[low..high] {
            sums.push(sums[sums.len() - 1] + u64::from(*count));
            totals.push(totals[totals.len() - 1] + sums[sums.len() - 1]);
        }
        let (mut part, mut before) = (Vec::with_capacity(length), 0);
        for at in 1..=length {
            let near = half.min(at).min(length - at);
            let mean = (totals[at + near + 1] - totals[at - near]) / (2 * near as u64 + 1);
            let now = mean.max(before);
            part.push((now - before) as u32);
            before = now;
        }
        self.with(low, &part)
    }

    /// The same within bounds for one thing a place on average: those up to the end of any place are at most as many as the
    /// places, and at most `lag` fewer. What comes too soon waits, what comes too late is brought forward.
    pub fn within(&self, lag: u64) -> Counts {
        let (mut sum, mut before) = (0_u64, 0_u64);
        let kept = self.0.iter().zip(1_u64..).map(|(count, places)| {
            sum += u64::from(*count);
            let now = sum.max(places.saturating_sub(lag)).min(places);
            let added = now - before;
            before = now;
            added as u32
        });
        Counts(kept.collect())
    }

    /// The same with no more than `most` things: the last ones are left out.
    pub fn at_most(&self, most: u64) -> Counts {
        let mut left = most;
        let kept = self.0.iter().map(|count| {
            let taken = u64::from(*count).min(left);
            left -= taken;
            taken as u32
        });
        Counts(kept.collect())
    }

    /// The places after which both have had as many things, some but not all of them.
    fn meetings(&self, other: &Counts) -> Vec<usize> {
        let (all, mut here, mut there) = (self.sum(0, self.0.len()), 0_u64, 0_u64);
        let mut found = Vec::new();
        for (at, (one, two)) in self.0.iter().zip(other.0.iter()).enumerate() {
            here += u64::from(*one);
            there += u64::from(*two);
            if here == there && here > 0 && here < all {
                found.push(at + 1);
            }
        }
        found
    }

    /// The first part of this and the rest of another, cut where both have had as many things; this one where they never have.
    pub fn crossed(&self, other: &Counts, draws: &mut Draws) -> Counts {
        let cuts = self.meetings(other);
        if cuts.is_empty() {
            return self.clone();
        }
        let cut = cuts[(draws.unit() * cuts.len() as f64) as usize];
        self.with(cut, &other.0[cut..])
    }
}

/// Instants in order, which take little room until they are needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instants {
    /// As they are.
    Listed(Vec<u64>),
    /// Things of a place, all at its end; places have the length 1.
    Ends(Counts),
    /// Things of a place, evenly from its beginning on; places have this length.
    Evenly(Counts, u64),
    /// The whole numbers at which as much as `size` has come together, as often as it has, with `per_step` for each of `steps`.
    Filled {
        /// What is added in each step, for a while each.
        per_step: Vec<u64>,
        /// How long.
        steps: Vec<u64>,
        /// See above; above zero.
        size: u64,
    },
}

impl Instants {
    /// All of them.
    pub fn list(&self) -> Vec<u64> {
        let mut found = Vec::new();
        match self {
            Instants::Listed(list) => return list.clone(),
            Instants::Ends(counts) => {
                for (end, count) in (1..).zip(counts.list()) {
                    found.extend((0..*count).map(|_| end));
                }
            }
            Instants::Evenly(counts, length) => {
                for (place, count) in (0..).zip(counts.list()) {
                    let within = |number| u64::from(number) * length / u64::from(*count);
                    found.extend((0..*count).map(|number| place * length + within(number)));
                }
            }
            Instants::Filled {
                per_step,
                steps,
                size,
            } => {
                let (mut at, mut sum) = (0, 0);
                for (added, lasts) in per_step.iter().zip(steps) {
                    for _ in 0..*lasts {
                        (at, sum) = (at + 1, sum + added);
                        while sum >= *size {
                            sum -= size;
                            found.push(at);
                        }
                    }
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{Counts, Instants};
    use crate::draws::Draws;

    fn of(counts: &[u32]) -> Counts {
        Counts::new(counts)
    }

    #[test]
    fn what_comes_too_soon_waits_and_what_comes_too_late_is_brought_forward() {
        // By hand: sums 4 4 4 4 may be 1 2 3 4, and sums 0 0 0 4 must be 0 0 1 4 with a lag of 2.
        assert_eq!(of(&[4, 0, 0, 0]).within(2), of(&[1, 1, 1, 1]));
        assert_eq!(of(&[0, 0, 0, 4]).within(2), of(&[0, 0, 1, 3]));
        assert_eq!(of(&[0, 2, 0, 2]).within(2), of(&[0, 2, 0, 2]));
        assert_eq!(of(&[2, 3, 1, 4]).at_most(6), of(&[2, 3, 1, 0]));
        assert_eq!(of(&[2, 3, 1, 4]).at_most(4), of(&[2, 2, 0, 0]));
    }

    #[test]
    fn a_part_is_exchanged_rolled_repeated_or_made_even() {
        let some = of(&[1, 2, 3, 4, 5, 6]);
        assert_eq!(some.exchanged(4, 1, 2), of(&[1, 5, 6, 4, 2, 3]));
        assert_eq!(some.exchanged(1, 2, 2), some);
        assert_eq!(some.rolled(1, 5, 1), of(&[1, 3, 4, 5, 2, 6]));
        assert_eq!(some.repeated(1, 2), of(&[1, 2, 3, 2, 3, 2]));
        // 9 over 2: half of them, rounded down, come first.
        assert_eq!(some.even(3, 5), of(&[1, 2, 3, 4, 5, 6]));
        assert_eq!(some.even(1, 4), of(&[1, 3, 3, 3, 5, 6]));
        assert_eq!(some.sum(1, 4), 9);
        assert_eq!(of(&[3, 3, 1, 5]).variation(), (2, 6));
    }

    #[test]
    fn a_moving_mean_keeps_the_sum() {
        // Sums 0 0 6 6 6 before each place and at the end; means of three: 0, 2, 4, 6, 6.
        assert_eq!(
            of(&[9, 0, 6, 0, 0, 9]).smooth(1, 5, 1),
            of(&[9, 2, 2, 2, 0, 9])
        );
        assert_eq!(of(&[0, 5, 0]).smooth(0, 3, 1).sum(0, 3), 5);
    }

    #[test]
    fn a_child_of_two_is_cut_where_both_have_sent_as_much() {
        let (one, other) = (of(&[2, 0, 1, 1]), of(&[0, 2, 2, 0]));
        assert_eq!(one.meetings(&other), [2]);
        let child = one.crossed(&other, &mut Draws::keyed("any"));
        assert_eq!(child, of(&[2, 0, 2, 0]));
        let apart = of(&[0, 0, 0, 4]);
        assert_eq!(one.crossed(&apart, &mut Draws::keyed("any")), one);
    }

    #[test]
    fn instants_are_those_that_are_counted_by_hand() {
        let counts = of(&[2, 0, 3]);
        assert_eq!(Instants::Ends(counts.clone()).list(), [1, 1, 3, 3, 3]);
        assert_eq!(Instants::Evenly(counts, 10).list(), [0, 5, 20, 23, 26]);
        // 5 and 5 are 10, 7 and 7 more 24: 8 has come once at 2, twice at 3 and three times at 4.
        let filled = Instants::Filled {
            per_step: vec![5, 7],
            steps: vec![2, 2],
            size: 8,
        };
        assert_eq!(filled.list(), [2, 3, 4]);
    }

    #[test]
    fn order_and_hash_follow_the_numbers() {
        assert!(of(&[1, 9]) < of(&[2, 0]));
        assert!(of(&[1]) < of(&[1, 0]));
        let hashes = [&[1, 2][..], &[2, 1], &[1, 2, 0], &[0, 1, 2]].map(|list| of(list).hash());
        assert!((0..4).all(|i| !hashes[..i].contains(&hashes[i])));
    }
}
