//! A packet-delivery process with an unknown rate: Poisson counts whose rate is a Brownian motion that
//! stays at zero during outages. Rates are in bins; the belief is one probability per bin.
//!
//! Reference: Winstein, Sivaraman and Balakrishnan, "Stochastic forecasts achieve high throughput and
//! low delay over cellular networks", NSDI 2013, section 3, and the authors' program. The arithmetic is
//! the program's, so forecasts agree to the packet: one bin beyond the range, steps cut off at five
//! deviations, and a normal distribution from a table of bin midpoints, which makes the rate drift by
//! -0.03 packets/s at every tick.

use crate::units::Span;

/// Ticks that a forecast looks ahead.
pub const HORIZON: usize = 8;

/// Constants of the process.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Greatest rate, packets/s.
    pub most: f64,
    /// Bins between zero and `most`.
    pub bins: usize,
    /// Length of a tick.
    pub tick: Span,
    /// Brownian motion: deviation after a second, packets/s.
    pub sigma: f64,
    /// Rate at which an outage ends, 1/s.
    pub escape: f64,
    /// Counts in one tick that are modelled: 0 up to below this.
    pub counts: usize,
    /// Share of outcomes that may fall short of the forecast.
    pub quantile: f64,
    /// Read the normal distribution from the authors' table rather than exactly.
    pub tabulated: bool,
}

/// Tables computed once from the constants.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Mean packets in a tick, by bin, and their logarithms.
    means: Vec<f64>,
    logs: Vec<f64>,
    /// By bin: the first bin that a tick can lead to, and the probabilities from there.
    steps: Vec<(usize, Vec<f64>)>,
    /// By tick ahead: probability of at most n packets, at `[n * bins + bin at the start]`.
    totals: Vec<Vec<f64>>,
    quantile: f64,
}

impl Process {
    /// The tables.
    pub fn tables(&self) -> Tables {
        let means = self.means();
        let steps = self.steps();
        let totals = self.totals(&means, &steps);
        Tables {
            logs: means.iter().map(|mean| libm::log(*mean)).collect(),
            means,
            steps,
            totals,
            quantile: self.quantile,
        }
    }

    fn width(&self) -> f64 {
        self.most / self.bins as f64
    }

    /// Rate of a bin: its middle, but zero for the first.
    fn rate(&self, bin: usize) -> f64 {
        match bin {
            0 => 0.0,
            _ => (bin as f64 + 0.5) * self.width(),
        }
    }

    fn means(&self) -> Vec<f64> {
        let tick = self.tick.seconds();
        (0..=self.bins).map(|i| self.rate(i) * tick).collect()
    }

    /// Deviation of the rate after a tick, packets/s. A tick moves it by at most five of them, and a bin more: wider than
    /// ten, bins can be left upwards only.
    pub fn deviation(&self) -> f64 {
        self.sigma * libm::sqrt(self.tick.seconds())
    }

    fn steps(&self) -> Vec<(usize, Vec<f64>)> {
        let tick = self.tick.seconds();
        let deviation = self.deviation();
        let shift = match self.tabulated {
            true => self.most / (128 * self.bins) as f64,
            false => 0.0,
        };
        let below = |x: f64| match x {
            x if x <= -self.most => 0.0,
            x if x >= self.most => 1.0,
            x => 0.5 * libm::erfc(-(x + shift) / (deviation * std::f64::consts::SQRT_2)),
        };
        let bin = |rate: f64| ((rate / self.width()).max(0.0) as usize).min(self.bins);
        let stay = libm::exp(-self.escape * tick);
        (0..=self.bins)
            .map(|from| {
                let rate = self.rate(from);
                let first = bin(rate - 5.0 * deviation);
                let last = (bin(rate + 5.0 * deviation) + 1).min(self.bins);
                let weight = |to: usize| {
                    let floor = match to {
                        0 => f64::NEG_INFINITY,
                        _ => to as f64 * self.width(),
                    };
                    let ceiling = match to {
                        to if to == self.bins => f64::INFINITY,
                        _ => (to + 1) as f64 * self.width(),
                    };
                    let outage = match (from, to) {
                        (0, 0) => stay,
                        (0, _) => 1.0 - stay,
                        _ => 1.0,
                    };
                    outage * (below(ceiling - rate) - below(floor - rate))
                };
                (first, (first..=last).map(weight).collect())
            })
            .collect()
    }

    /// Cumulative counts over 1, 2, … ticks from each certain start. As in the reference, the counts of
    /// the ticks are independent, each with the mixture of rates reached from the start.
    fn totals(&self, means: &[f64], steps: &[(usize, Vec<f64>)]) -> Vec<Vec<f64>> {
        let bins = means.len();
        // One tick's counts by present bin, and a last column of ones that gives the remaining mass.
        let columns = self.counts + 1;
        let mut ahead: Vec<f64> = Vec::with_capacity(bins * columns);
        for mean in means {
            ahead.extend((0..self.counts).map(|count| poisson(*mean, count)));
            ahead.push(1.0);
        }
        let mut sums: Vec<Vec<f64>> = vec![vec![1.0]; bins];
        let mut totals = Vec::with_capacity(HORIZON);
        for _ in 0..HORIZON {
            for (bin, sum) in sums.iter_mut().enumerate() {
                let row = &ahead[bin * columns..][..columns];
                let mass = row[self.counts];
                let mut longer = vec![0.0; sum.len() + self.counts - 1];
                for (have, p) in sum.iter().enumerate() {
                    for (count, q) in row[..self.counts].iter().enumerate() {
                        longer[have + count] += p * (q / mass);
                    }
                }
                *sum = longer;
            }
            let most = sums[0].len();
            let mut table = vec![0.0; most * bins];
            for (bin, sum) in sums.iter().enumerate() {
                let mut below = 0.0;
                for (n, p) in sum.iter().enumerate() {
                    below += p;
                    table[n * bins + bin] = below;
                }
            }
            totals.push(table);
            ahead = step_back(&ahead, columns, steps);
        }
        totals
    }
}

/// Expectation one tick earlier: `later` has a row for each bin.
fn step_back(later: &[f64], columns: usize, steps: &[(usize, Vec<f64>)]) -> Vec<f64> {
    let mut earlier = vec![0.0; later.len()];
    for (row, (first, weights)) in earlier.chunks_exact_mut(columns).zip(steps) {
        for (weight, next) in weights
            .iter()
            .zip(later[first * columns..].chunks_exact(columns))
        {
            for (have, value) in row.iter_mut().zip(next) {
                *have += weight * value;
            }
        }
    }
    earlier
}

fn poisson(mean: f64, count: usize) -> f64 {
    match (mean == 0.0, count) {
        (true, 0) => 1.0,
        (true, _) => 0.0,
        _ => {
            let n = count as f64;
            libm::exp(n * libm::log(mean) - mean - libm::lgamma(n + 1.0))
        }
    }
}

impl Tables {
    /// Belief before any observation: uniform.
    pub fn prior(&self) -> Vec<f64> {
        vec![1.0 / self.means.len() as f64; self.means.len()]
    }

    /// Belief one tick later without observation.
    pub fn evolve(&self, belief: &mut Vec<f64>) {
        let mut next = vec![0.0; belief.len()];
        for (p, (first, weights)) in belief.iter().zip(&self.steps) {
            if *p == 0.0 {
                continue;
            }
            for (to, weight) in next[*first..].iter_mut().zip(weights) {
                *to += p * weight;
            }
        }
        *belief = next;
        normalise(belief);
    }

    /// Belief after `count` packets in the tick.
    pub fn observe(&self, belief: &mut [f64], count: usize) {
        // Relative to the likeliest bin, so an improbable count cannot underflow every bin to zero. The
        // factorial is common to all bins and cancels.
        let n = count as f64;
        let log = |mean: f64, log: f64| match (mean == 0.0, count) {
            (true, 0) => 0.0,
            (true, _) => f64::NEG_INFINITY,
            _ => n * log - mean,
        };
        let best = self
            .means
            .iter()
            .zip(&self.logs)
            .zip(&*belief)
            .filter(|(_, p)| **p > 0.0)
            .map(|((mean, l), _)| log(*mean, *l))
            .fold(f64::NEG_INFINITY, f64::max);
        if best == f64::NEG_INFINITY {
            return;
        }
        for ((p, mean), l) in belief.iter_mut().zip(&self.means).zip(&self.logs) {
            // A rate that is ruled out may be likelier than all others by more than a number can say.
            if *p > 0.0 {
                *p *= libm::exp(log(*mean, *l) - best);
            }
        }
        normalise(belief);
    }

    /// Mean of the belief, packets in a tick.
    pub fn mean(&self, belief: &[f64]) -> f64 {
        dot(belief, &self.means)
    }

    /// Packets that arrive by the end of each tick with the forecast's confidence. The search starts at
    /// `guess`, which receives the answer.
    pub fn forecast(&self, belief: &[f64], guess: &mut [u16; HORIZON]) {
        let bins = belief.len();
        for (table, answer) in self.totals.iter().zip(guess) {
            let most = table.len() / bins;
            let enough = |n: usize| dot(belief, &table[n * bins..][..bins]) >= self.quantile;
            let mut n = usize::from(*answer).min(most - 1);
            while n > 0 && enough(n - 1) {
                n -= 1;
            }
            while n < most && !enough(n) {
                n += 1;
            }
            // Above the greatest modelled count the reference answers one more than that.
            *answer = (n + usize::from(n == most)) as u16;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn normalise(belief: &mut [f64]) {
    let sum: f64 = belief.iter().sum();
    for p in belief {
        *p /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sprout() -> Process {
        Process {
            most: 1000.0,
            bins: 256,
            tick: Span::millis(20),
            sigma: 200.0,
            escape: 1.0,
            counts: 30,
            quantile: 0.05,
            tabulated: true,
        }
    }

    /// The observation of a tick: a count, or nothing to be learned.
    type Seen = &'static [(Option<usize>, usize)];

    /// Posterior mean in packets/s and the forecast of the authors' program, compiled and fed with
    /// these counts.
    const ORACLE: &[(Seen, f64, [u16; 8])] = &[
        (&[], 501.946, [1, 1, 3, 4, 5, 6, 8, 9]),
        (&[(Some(0), 5)], 4.702, [0; 8]),
        (&[(Some(1), 50)], 68.005, [0, 0, 0, 1, 1, 2, 3, 4]),
        (&[(Some(2), 50)], 113.119, [0, 1, 2, 2, 4, 5, 6, 7]),
        (&[(Some(4), 1)], 250.131, [1, 3, 4, 6, 8, 10, 12, 14]),
        (&[(Some(4), 50)], 209.281, [1, 3, 5, 8, 10, 13, 15, 18]),
        (&[(Some(8), 1)], 448.714, [3, 7, 12, 17, 21, 26, 30, 35]),
        (&[(Some(8), 5)], 411.490, [3, 9, 15, 20, 26, 32, 38, 44]),
        (&[(Some(8), 50)], 406.505, [3, 9, 15, 21, 27, 33, 39, 45]),
        (&[(Some(12), 50)], 605.259, [6, 15, 25, 34, 44, 54, 63, 73]),
        (&[(Some(16), 50)], 804.846, [9, 22, 35, 48, 62, 75, 89, 102]),
        (
            &[(Some(18), 50)],
            906.298,
            [11, 26, 41, 56, 71, 87, 102, 118],
        ),
        (
            &[(Some(8), 50), (Some(0), 1)],
            323.371,
            [2, 6, 10, 15, 19, 23, 27, 32],
        ),
        (
            &[(Some(8), 50), (Some(0), 3)],
            139.546,
            [0, 0, 1, 2, 3, 4, 5, 6],
        ),
        (&[(Some(8), 50), (Some(0), 10)], 2.702, [0; 8]),
        (
            &[(Some(8), 50), (Some(0), 50), (Some(8), 1)],
            112.993,
            [0, 1, 2, 3, 4, 6, 7, 8],
        ),
        (
            &[(Some(8), 50), (Some(0), 50), (Some(8), 3)],
            211.402,
            [1, 3, 6, 9, 11, 14, 17, 20],
        ),
        (
            &[(Some(8), 50), (None, 5)],
            406.353,
            [3, 8, 13, 18, 23, 29, 34, 39],
        ),
        (
            &[(Some(8), 50), (None, 25)],
            407.764,
            [2, 5, 8, 11, 14, 18, 21, 24],
        ),
    ];

    fn after(tables: &Tables, seen: Seen) -> Vec<f64> {
        let mut belief = tables.prior();
        for (count, times) in seen {
            for _ in 0..*times {
                tables.evolve(&mut belief);
                if let Some(count) = count {
                    tables.observe(&mut belief, *count);
                }
            }
        }
        belief
    }

    #[test]
    fn forecasts_are_those_of_the_reference() {
        let tables = sprout().tables();
        let mut answer = [0; HORIZON];
        for (seen, mean, forecast) in ORACLE {
            let belief = after(&tables, seen);
            let got = tables.mean(&belief) / 0.020;
            assert!(
                (got - mean).abs() < 1e-3,
                "{seen:?}: mean {got}, not {mean}"
            );
            tables.forecast(&belief, &mut answer);
            assert_eq!(answer, *forecast, "{seen:?}");
        }
    }

    #[test]
    fn belief_in_an_outage_is_that_of_the_reference() {
        let tables = sprout().tables();
        let zeros = |n| after(&tables, if n == 3 { ORACLE[13].0 } else { ORACLE[14].0 })[0];
        assert!((zeros(3) - 0.0151).abs() < 5e-5);
        assert!((zeros(10) - 0.9131).abs() < 5e-5);
        let belief = after(&tables, ORACLE[8].0);
        let mean = tables.mean(&belief);
        let square: f64 = tables
            .means
            .iter()
            .zip(&belief)
            .map(|(m, p)| p * (m - mean) * (m - mean))
            .sum();
        assert!((libm::sqrt(square) / 0.020 - 60.106).abs() < 1e-3);
    }

    #[test]
    fn the_drift_is_the_tables_and_goes_with_it() {
        // Away from both ends and at a start that is certain, a tick adds nothing in the mean but
        // the table's half bin, 1000/32768 packets/s, downward.
        let drift = |tabulated| {
            let tables = Process {
                tabulated,
                ..sprout()
            }
            .tables();
            let mut belief = vec![0.0; 257];
            belief[128] = 1.0;
            let before = tables.mean(&belief);
            tables.evolve(&mut belief);
            (tables.mean(&belief) - before) / 0.020
        };
        assert!(
            (drift(true) + 1000.0 / 32768.0).abs() < 1e-4,
            "{}",
            drift(true)
        );
        assert!(drift(false).abs() < 1e-4, "{}", drift(false));
    }

    #[test]
    fn an_impossible_count_leaves_a_belief() {
        let tables = sprout().tables();
        let mut belief = after(&tables, ORACLE[14].0);
        tables.evolve(&mut belief);
        tables.observe(&mut belief, 5000);
        assert!((belief.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}
