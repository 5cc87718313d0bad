//! The delays of one flow, in the classes of an HDR histogram of three significant digits. A network
//! has thousands of flows, so a flow keeps only the classes between its least and its greatest
//! delay, and counts a few delays at a time: the last ones lie in one cache line.

use hdrhistogram::Histogram;

/// Delays in nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Delays {
    /// Classes of the last delays, not counted yet.
    recent: [u16; RECENT],
    held: u16,
    /// Class of the first count.
    first: u16,
    counts: Vec<u32>,
}

const RECENT: usize = 30;
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
            counts: Vec::new(),
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
    pub fn touch(&self) -> u64 {
        u64::from(self.held)
    }

    #[inline(never)]
    fn count(&mut self) {
        let recent = &self.recent[..usize::from(self.held)];
        let (Some(low), Some(high)) = (recent.iter().min(), recent.iter().max()) else {
            return;
        };
        let (low, high) = (low / BLOCK * BLOCK, high / BLOCK * BLOCK + BLOCK);
        if self.counts.is_empty() {
            self.first = low;
        }
        if low < self.first {
            let more = usize::from(self.first - low);
            self.counts.splice(..0, std::iter::repeat_n(0, more));
            self.first = low;
        }
        let span = usize::from(high - self.first);
        if span > self.counts.len() {
            self.counts.resize(span, 0);
        }
        for class in recent {
            let count = &mut self.counts[usize::from(class - self.first)];
            *count = count.saturating_add(1);
        }
        self.held = 0;
    }

    /// The same as a histogram of the library, for quantiles.
    pub fn histogram(&self) -> Histogram<u32> {
        let mut all = self.clone();
        all.count();
        let mut histogram = Histogram::new(3).expect("three digits are within the library's range");
        for (class, count) in (all.first..).zip(&all.counts) {
            if *count > 0 {
                histogram
                    .record_n(least(class), *count)
                    .expect("a histogram that resizes itself");
            }
        }
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_library(
            values in prop::collection::vec((0u32..64, any::<u64>()), 0..200),
            one in any::<u64>()
        ) {
            let mut delays = Delays::default();
            let mut library = Histogram::<u32>::new(3).expect("three digits");
            for (bits, value) in values.iter().copied().chain([(11, one), (12, one)]) {
                let value = value >> bits;
                delays.record(value);
                library.record(value).expect("resizes itself");
            }
            let ours = delays.histogram();
            prop_assert_eq!(ours.len(), library.len());
            for percent in 0..=100 {
                let q = f64::from(percent) / 100.0;
                prop_assert_eq!(ours.value_at_quantile(q), library.value_at_quantile(q));
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
        assert_eq!(delays.histogram().len(), 1000);
        assert_eq!(delays.counts.len(), usize::from(BLOCK));
    }
}
