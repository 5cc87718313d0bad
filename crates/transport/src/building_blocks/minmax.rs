//! Minimum and maximum filters over a sliding window of time or rounds.

use std::collections::VecDeque;

/// Minimum or maximum over a sliding window. It keeps only values that can still become the extremum.
/// The newest value never expires.
#[derive(Clone, Debug)]
pub struct MinMaxFilter {
    is_min: bool,
    values: VecDeque<(u64, u64)>,
}

impl MinMaxFilter {
    /// The least value.
    pub fn min() -> MinMaxFilter {
        MinMaxFilter {
            is_min: true,
            values: VecDeque::new(),
        }
    }

    /// The greatest value.
    pub fn max() -> MinMaxFilter {
        MinMaxFilter {
            is_min: false,
            values: VecDeque::new(),
        }
    }

    /// Takes a value, and forgets values from before `at - window`.
    pub fn update(&mut self, at: u64, window: u64, value: u64) {
        let is_min = self.is_min;
        let beaten = |old: u64| if is_min { old >= value } else { old <= value };
        while self.values.back().is_some_and(|(_, old)| beaten(*old)) {
            self.values.pop_back();
        }
        self.values.push_back((at, value));
        self.expire(at, window);
    }

    /// Forgets values from before `at - window`, but never the newest.
    pub fn expire(&mut self, at: u64, window: u64) {
        while self.values.len() > 1 && self.values[0].0.saturating_add(window) < at {
            self.values.pop_front();
        }
    }

    /// The minimum or maximum; none before the first value.
    pub fn get(&self) -> Option<u64> {
        self.values.front().map(|(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extreme_leaves_with_its_window() {
        let mut least = MinMaxFilter::min();
        let mut greatest = MinMaxFilter::max();
        let mut seen = Vec::new();
        for (at, value) in [(0, 5), (1, 3), (2, 4), (12, 6), (13, 6), (40, 9)] {
            least.update(at, 10, value);
            greatest.update(at, 10, value);
            seen.push((least.get(), greatest.get()));
        }
        let both = |a, b| (Some(a), Some(b));
        assert_eq!(
            seen,
            [
                both(5, 5),
                both(3, 5),
                both(3, 5),
                both(4, 6),
                both(6, 6),
                both(9, 9)
            ]
        );
    }

    /// Of a value that goes, the least behind it counts, and the newest stays however old it is.
    #[test]
    fn the_newest_value_stays() {
        let mut least = MinMaxFilter::min();
        assert_eq!(least.get(), None);
        for (at, value) in [(0, 3), (10, 5)] {
            least.update(at, 10, value);
        }
        assert_eq!(least.get(), Some(3));
        for (at, expected) in [(10, 3), (11, 5), (1_000, 5)] {
            least.expire(at, 10);
            assert_eq!(least.get(), Some(expected), "{at}");
        }
    }
}
