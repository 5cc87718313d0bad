//! The delays of one flow, in the classes of an HDR histogram of three significant digits. A network
//! has thousands of flows, so a flow keeps only the classes between its least and its greatest
//! delay, a byte for each and more only for those that go beyond it, and counts some delays at a time, since the
//! counts of thousands of flows have left the caches each time: the last ones lie in four cache lines.

use std::borrow::Cow;

use backwater_transport::walk::Walk;

/// Delays in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Delays {
    /// Classes of the last delays, not counted yet.
    recent: [u16; RECENT],
    held: u16,
    /// Class of the first count.
    first: u16,
    /// Counts modulo 256.
    low: Vec<u8>,
    /// Classes whose counts went beyond that, ascending, and how often they did.
    high: Vec<(u16, u32)>,
}

const RECENT: usize = 126;
/// Values below this have a class of their own; above it a class spans 2^b of them where the value
/// has 11 + b bits, which are the classes of `Histogram::new(3)`.
const EXACT: u64 = 2048;
/// Counts are added so many at a time.
const BLOCK: u16 = 64;

impl Default for Delays {
    fn default() -> Self {
        Delays {
            recent: [0; RECENT],
            held: 0,
            first: 0,
            low: Vec::new(),
            high: Vec::new(),
        }
    }
}

fn class(value: u64) -> u16 {
    let beyond = EXACT.leading_zeros() + 1 - (value | (EXACT - 1)).leading_zeros();
    // At most 53 · 1024 + 2047.
    ((u64::from(beyond) << 10) + (value >> beyond)) as u16
}

/// The least value of a class.
fn least(class: u16) -> u64 {
    let beyond = (class >> 10).saturating_sub(1);
    u64::from(class - (beyond << 10)) << beyond
}

/// The greatest value of a class.
fn greatest(class: u16) -> u64 {
    let beyond = (class >> 10).saturating_sub(1);
    least(class) + ((1 << beyond) - 1)
}

impl Delays {
    /// One more.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.recent[usize::from(self.held)] = class(ns);
        self.held += 1;
        if usize::from(self.held) == RECENT {
            self.count();
        }
    }

    /// Reads a word of the cache line that a record touches.
    #[inline]
    pub fn prefetch(&self) -> u64 {
        u64::from(self.held)
    }

    #[inline(never)]
    fn count(&mut self) {
        for at in 0..usize::from(self.held) {
            let class = self.recent[at];
            // Below the first it is out of bounds as well.
            let place = usize::from(class).wrapping_sub(usize::from(self.first));
            let Some(count) = self.low.get_mut(place) else {
                self.count_beyond(class);
                continue;
            };
            *count = count.wrapping_add(1);
            if *count == 0 {
                self.carry(class, 1);
            }
        }
        self.held = 0;
    }

    /// The first delay of a class for which there is no room yet.
    #[cold]
    fn count_beyond(&mut self, class: u16) {
        self.span(class, class);
        self.low[usize::from(class - self.first)] = 1;
    }

    /// Makes room for these classes and those between.
    fn span(&mut self, low: u16, high: u16) {
        let (low, high) = (low / BLOCK * BLOCK, high / BLOCK * BLOCK + BLOCK);
        if self.low.is_empty() {
            self.first = low;
        }
        if low < self.first {
            let more = usize::from(self.first - low);
            self.low.splice(..0, std::iter::repeat_n(0, more));
            self.first = low;
        }
        let span = usize::from(high - self.first);
        if span > self.low.len() {
            self.low.resize(span, 0);
        }
    }

    #[cold]
    fn carry(&mut self, class: u16, times: u32) {
        match self.high.binary_search_by_key(&class, |high| high.0) {
            Ok(at) => self.high[at].1 += times,
            Err(at) => self.high.insert(at, (class, times)),
        }
    }

    /// Classes of what is counted, ascending, and how many are in each. Most blocks of classes are empty, and are passed over
    /// as a whole.
    fn counts(&self) -> impl Iterator<Item = (u16, u64)> + '_ {
        let blocks = (self.first..)
            .step_by(usize::from(BLOCK))
            .zip(self.low.chunks(usize::from(BLOCK)));
        let used = blocks.filter(|(first, block)| {
            let beyond = |high: &(u16, u32)| high.0 / BLOCK == first / BLOCK;
            block.iter().fold(0, |all, low| all | low) != 0 || self.high.iter().any(beyond)
        });
        let counts = used.flat_map(|(first, block)| {
            let count = |(class, low): (u16, &u8)| (class, self.beyond(class) | u64::from(*low));
            (first..).zip(block).map(count)
        });
        counts.filter(|(_, count)| *count > 0)
    }

    /// The part of a class's count that its byte does not hold.
    fn beyond(&self, class: u16) -> u64 {
        let at = self.high.binary_search_by_key(&class, |high| high.0);
        at.map_or(0, |at| u64::from(self.high[at].1) << 8)
    }

    /// These with all of them counted.
    fn counted(&self) -> Cow<'_, Delays> {
        if self.held == 0 {
            return Cow::Borrowed(self);
        }
        let mut all = self.clone();
        all.count();
        Cow::Owned(all)
    }

    /// How many.
    pub fn len(&self) -> u64 {
        let low: u64 = self.low.iter().map(|low| u64::from(*low)).sum();
        let high: u64 = self.high.iter().map(|high| u64::from(high.1)).sum();
        u64::from(self.held) + low + (high << 8)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.held == 0 && self.low.is_empty()
    }

    /// The delay in nanoseconds that a share `q` of them does not exceed, as the greatest of its class;
    /// for `q` = 0 the least of the first; zero where there is none.
    pub fn quantile(&self, q: f64) -> u64 {
        let all = self.counted();
        let wanted = libm::ceil(q.min(1.0) * all.len() as f64) as u64;
        let mut below = 0;
        for (class, count) in all.counts() {
            below += count;
            if below >= wanted.max(1) {
                return if q == 0.0 {
                    least(class)
                } else {
                    greatest(class)
                };
            }
        }
        0
    }

    /// Their mean, each counted as the middle of its class, which is within a thousandth of it; zero for none.
    pub fn mean(&self) -> f64 {
        let sum = |(class, times): (u16, u64)| {
            (least(class) + greatest(class)) as f64 / 2.0 * times as f64
        };
        let all = self.counted();
        all.counts().map(sum).sum::<f64>() / all.len().max(1) as f64
    }

    /// Every class that occurs has a counter that grows. A class that occurs for the first time is a change.
    pub(crate) fn walk(&mut self, walk: &mut Walk) {
        self.count();
        let counts: Vec<(u16, u64)> = self.counts().collect();
        walk.same(counts.len() as u64);
        for (class, before) in counts {
            walk.same(class);
            let mut count = before;
            walk.count(&mut count);
            if count > before {
                self.low[usize::from(class - self.first)] = count as u8;
                let more = (count >> 8) - (before >> 8);
                if more > 0 {
                    self.carry(class, more as u32);
                }
            }
        }
    }

    /// Takes in the delays of another flow.
    pub fn add(&mut self, other: &Delays) {
        self.count();
        let other = other.counted();
        let (Some(low), Some(high)) = (other.counts().next(), other.counts().last()) else {
            return;
        };
        self.span(low.0, high.0);
        for (class, more) in other.counts() {
            let place = usize::from(class - self.first);
            let sum = u64::from(self.low[place]) + more;
            self.low[place] = sum as u8;
            if sum >> 8 > 0 {
                self.carry(class, (sum >> 8) as u32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::Histogram;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn quantiles_are_those_of_the_library(
            // Below the last class, whose end the library takes to be one less. A run lasts 53 days at most.
            values in prop::collection::vec((1u32..64, any::<u64>()), 0..200),
            one in any::<u64>(),
            often in 0usize..1000
        ) {
            // Of two flows, one of which counts a delay beyond a byte.
            let mut delays = [Delays::default(), Delays::default()];
            let mut library = Histogram::<u32>::new(3).expect("three digits");
            let again = std::iter::repeat_n((12, one), often);
            let all = values.iter().copied().chain([(11, one)]).chain(again);
            for (i, (bits, value)) in all.enumerate() {
                let value = value >> bits;
                delays[usize::from(i % 7 == 0)].record(value);
                library.record(value).expect("resizes itself");
            }
            let [mut ours, other] = delays;
            ours.add(&other);
            prop_assert_eq!(ours.len(), library.len());
            prop_assert!((ours.mean() / library.mean() - 1.0).abs() < 1e-3);
            for percent in 0..=100 {
                let q = f64::from(percent) / 100.0;
                prop_assert_eq!(ours.quantile(q), library.value_at_quantile(q));
            }
        }
    }

    #[test]
    fn classes_follow_each_other_without_gap() {
        for c in 0..class(u64::MAX) {
            assert_eq!(class(least(c)), c);
            assert_eq!(class(least(c + 1) - 1), c);
        }
        assert_eq!(class(u64::MAX), 53 * 1024 + 2047);
    }

    #[test]
    fn a_flow_keeps_the_span_of_its_delays_only() {
        let mut delays = Delays::default();
        (0..1000).for_each(|i| delays.record(1_000_000_000 + 1000 * (i % 7)));
        assert_eq!((delays.len(), delays.is_empty()), (1000, false));
        assert_eq!(delays.low.len(), usize::from(BLOCK));
        assert_eq!(
            (Delays::default().len(), Delays::default().quantile(0.5)),
            (0, 0)
        );
    }

    /// One value, and 127 of which the last is not yet counted: a mean is that of all of them, within a thousandth.
    #[test]
    fn a_mean_has_what_is_not_yet_counted() {
        let mut delays = Delays::default();
        delays.record(1_000_000);
        assert!(
            (delays.mean() / 1e6 - 1.0).abs() < 1e-3,
            "{}",
            delays.mean()
        );
        (0..126).for_each(|_| delays.record(2_000_000));
        let expected = (1e6 + 126.0 * 2e6) / 127.0;
        assert!(
            (delays.mean() / expected - 1.0).abs() < 1e-3,
            "{}",
            delays.mean()
        );
    }
    /// Counts beyond a byte, of flows that are taken in one after the other, and of classes on both sides of those known before.
    #[test]
    fn counts_go_beyond_a_byte() {
        let many = |times: u64, ns: u64| {
            let mut delays = Delays::default();
            (0..times).for_each(|_| delays.record(ns));
            delays
        };
        let mut all = many(300, 5_000_000);
        for (times, ns) in [
            (200, 5_000_000),
            (12, 5_000_000),
            (700, 1_000),
            (257, 9_000_000_000),
        ] {
            all.add(&many(times, ns));
        }
        assert_eq!(all.len(), 300 + 200 + 12 + 700 + 257);
        let counts: Vec<u64> = all.counted().counts().map(|one| one.1).collect();
        assert_eq!(counts, [700, 512, 257]);
        let classes: Vec<u16> = all.counted().counts().map(|one| one.0).collect();
        assert_eq!(classes, [1_000, 5_000_000, 9_000_000_000].map(class));
        let mean = (700.0 * 1e3 + 512.0 * 5e6 + 257.0 * 9e9) / 1469.0;
        assert!((all.mean() / mean - 1.0).abs() < 1e-3, "{}", all.mean());
        assert_eq!(many(1, 1_000).mean(), 1_000.0);
        all.add(&Delays::default());
        assert_eq!(all.len(), 1469);
    }

    /// A share of none is the least of the first class, all that of the last; a share is that of the least number of delays that reach it.
    #[test]
    fn quantiles_are_at_whole_delays() {
        let mut delays = Delays::default();
        [10, 20, 30, 3_001].iter().for_each(|ns| delays.record(*ns));
        let of = |q| delays.quantile(q);
        assert_eq!([of(0.0), of(0.25), of(0.2501), of(0.5)], [10, 10, 20, 20]);
        // From 2048 on a class has two values.
        assert_eq!(
            [of(0.75), of(0.7501), of(1.0), of(2.0)],
            [30, 3_001, 3_001, 3_001]
        );
        let mut one = Delays::default();
        one.record(3_001);
        assert_eq!([one.quantile(0.0), one.quantile(1.0)], [3_000, 3_001]);
    }
}
