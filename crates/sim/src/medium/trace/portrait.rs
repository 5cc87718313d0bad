//! The figures of a trace: its rate, how much and how long the rate stays off its mean, how opportunities
//! cluster, and how long there were none. A recording and a model are described by the same figures.
//!
//! Rates are taken over whole bins from the beginning; what is left at the end is not counted. The
//! *Allan variance* is half the mean square of the difference between neighbouring bins: unlike the variance
//! it sees only what changes from one bin to the next.

use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::any_trace::AnyTrace;
use super::schedule::Schedule;
use super::{MILLISECOND, floor};

/// A gap of this many mean intervals between opportunities counts as an outage, if it is no shorter than
/// `OUTAGE_MS`. In Poisson opportunities at a constant rate one in 22,000 would.
const INTERVALS: f64 = 10.0;
/// No shorter gap is an outage, ms. Base stations schedule within less.
const OUTAGE_MS: f64 = 200.0;
/// Bins of the Allan variance of neighbouring counts, ms: two ticks of the model, within which rates stand.
const NEAR_MS: u64 = 40;
/// Bins in which the rate itself is looked at, ms.
const SHORT_MS: u64 = 100;
const LONG_MS: u64 = 1000;
/// Distances of the autocorrelation, in bins of a second.
pub const LAGS: [usize; 3] = [1, 2, 5];

/// Opportunities in whole milliseconds, and how long they were watched.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Milliseconds of the opportunities, in order.
    pub stamps: Vec<u64>,
    /// Milliseconds from the beginning to the end.
    pub length: u64,
    /// Bytes of an opportunity.
    pub opportunity: u64,
}

/// See the head of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Portrait {
    /// Length in seconds.
    pub length_s: f64,
    /// Number of opportunities.
    pub opportunities: u64,
    /// Mean rate, bit/s.
    pub mean_bps: f64,
    /// Standard deviation over mean of the rate in 100 ms; none without an opportunity.
    pub cv_100ms: Option<f64>,
    /// The same in a second.
    pub cv_1s: Option<f64>,
    /// Autocorrelation of the rate in a second at `LAGS`; none where the rate never changes.
    pub autocorrelation: [Option<f64>; LAGS.len()],
    /// Variance over mean of the number of opportunities in 40 ms, as Allan variance: 1 for a Poisson
    /// process, more where several come at once.
    pub dispersion: Option<f64>,
    /// From this length on a gap is an outage, s.
    pub outage_from_s: f64,
    /// Number of outages.
    pub outages: u64,
    /// Share of time in outages.
    pub outage_share: f64,
    /// The longest gap, s.
    pub gap_max_s: f64,
}

impl Recording {
    /// The figures of a trace in a run of this length, and no more opportunities than `most`.
    pub fn of(
        mut trace: AnyTrace,
        opportunity: u64,
        length: Span,
        most: usize,
        random: &mut Random,
    ) -> Recording {
        let end = Time(length.0);
        let instants = std::iter::from_fn(|| trace.next(opportunity, random));
        let stamps = instants.take_while(|at| *at <= end).take(most);
        Recording {
            stamps: stamps.map(|at| floor(at).0 / MILLISECOND.0).collect(),
            length: length.0 / MILLISECOND.0,
            opportunity,
        }
    }

    /// Bits of an opportunity.
    pub(super) fn bits(&self) -> f64 {
        (8 * self.opportunity) as f64
    }

    /// Seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.length as f64 / 1e3
    }

    /// Mean rate, bit/s.
    pub(super) fn mean(&self) -> f64 {
        self.stamps.len() as f64 * self.bits() / self.seconds()
    }

    /// Opportunities in each whole bin of so many milliseconds.
    fn counts(&self, bin: u64) -> Vec<f64> {
        let mut counts = vec![0.0; (self.length / bin) as usize];
        for at in &self.stamps {
            if let Some(count) = counts.get_mut((at / bin) as usize) {
                *count += 1.0;
            }
        }
        counts
    }

    /// Rates in bins of a second, bit/s.
    pub(super) fn rates(&self) -> Vec<f64> {
        let per = self.bits() * 1e3 / LONG_MS as f64;
        self.counts(LONG_MS).into_iter().map(|n| n * per).collect()
    }

    /// Lengths of the gaps that are outages in ms, and from which length on they are.
    pub(super) fn outages(&self) -> (Vec<u64>, f64) {
        let interval = self.length as f64 / self.stamps.len().max(1) as f64;
        let from = (INTERVALS * interval).max(OUTAGE_MS);
        let long = self.gaps().filter(|gap| *gap as f64 >= from);
        (long.collect(), from)
    }

    /// Gaps between opportunities, from the beginning to the end.
    fn gaps(&self) -> impl Iterator<Item = u64> {
        let marks = || [0].into_iter().chain(self.stamps.iter().copied());
        let next = self.stamps.iter().copied().chain([self.length]);
        marks().zip(next).map(|(a, b)| b.saturating_sub(a))
    }

    /// Variance over mean of the number of opportunities in a short bin, by neighbouring bins.
    pub(super) fn dispersion(&self) -> Option<f64> {
        let counts = self.counts(NEAR_MS);
        let mean = mean(&counts)?;
        (mean > 0.0).then(|| allan(&counts).map(|square| square / mean))?
    }

    /// Describes it.
    pub fn portrait(&self) -> Portrait {
        let (outages, from) = self.outages();
        let rates = self.rates();
        Portrait {
            length_s: self.seconds(),
            opportunities: self.stamps.len() as u64,
            mean_bps: self.mean(),
            cv_100ms: spread(&self.counts(SHORT_MS)),
            cv_1s: spread(&rates),
            autocorrelation: LAGS.map(|lag| autocorrelation(&rates, lag)),
            dispersion: self.dispersion(),
            outage_from_s: from / 1e3,
            outages: outages.len() as u64,
            outage_share: outages.iter().sum::<u64>() as f64 / self.length as f64,
            gap_max_s: self.gaps().max().unwrap_or(0) as f64 / 1e3,
        }
    }
}

pub(super) fn mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().sum();
    (!values.is_empty()).then(|| sum / values.len() as f64)
}

/// Mean square of the distance from the mean.
pub(super) fn variance(values: &[f64]) -> Option<f64> {
    let middle = mean(values)?;
    let squares: f64 = values.iter().map(|x| (x - middle) * (x - middle)).sum();
    Some(squares / values.len() as f64)
}

/// Half the mean square of the difference between neighbours.
pub(super) fn allan(values: &[f64]) -> Option<f64> {
    let squares = values.windows(2).map(|p| (p[1] - p[0]) * (p[1] - p[0]));
    let sum: f64 = squares.sum();
    (values.len() > 1).then(|| sum / 2.0 / (values.len() - 1) as f64)
}

fn spread(values: &[f64]) -> Option<f64> {
    let middle = mean(values).filter(|m| *m > 0.0)?;
    variance(values).map(|square| libm::sqrt(square) / middle)
}

fn autocorrelation(values: &[f64], lag: usize) -> Option<f64> {
    let (middle, square) = (mean(values)?, variance(values)?);
    let pairs = values.iter().zip(values.get(lag..)?);
    let sum: f64 = pairs.map(|(a, b)| (a - middle) * (b - middle)).sum();
    (square > 0.0).then(|| sum / square / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked out by hand. In four seconds 2, 0, 2, 4 opportunities of 125 bytes: rates of 2, 0, 2, 4 kbit/s.
    fn small() -> Recording {
        Recording {
            stamps: vec![100, 200, 2000, 2900, 3000, 3001, 3002, 3999],
            length: 4000,
            opportunity: 125,
        }
    }

    #[test]
    fn a_portrait_is_what_is_worked_out_by_hand() {
        let found = small().portrait();
        assert_eq!((found.length_s, found.opportunities), (4.0, 8));
        assert_eq!(found.mean_bps, 2000.0);
        // Variance (0 + 4 + 0 + 4)/4 = 2.
        assert!((found.cv_1s.unwrap() - libm::sqrt(2.0) / 2.0).abs() < 1e-12);
        // Of forty bins one has 3, five have 1: mean 0.2, mean square (9 + 5)/40 = 0.35, variance 0.31.
        assert!((found.cv_100ms.unwrap() - libm::sqrt(0.31) / 0.2).abs() < 1e-12);
        // Deviations 0, -2, 0, 2: products at lag 1 are 0, 0, 0; at lag 2 0 and -4, over 4 × 2.
        assert_eq!(found.autocorrelation, [Some(0.0), Some(-0.5), None]);
        // Ten intervals of 500 ms.
        assert_eq!((found.outage_from_s, found.outages), (5.0, 0));
        assert_eq!(found.gap_max_s, 1.8);
        // A hundred bins of 40 ms; 2, 5, 50, 72 and 99 have one, 75 has three. Every one of them has empty
        // neighbours; the last has one only: (2 × (4 × 1 + 9) + 1) / 2 / 99, over a mean of 0.08.
        assert!((found.dispersion.unwrap() - 27.0 / 198.0 / 0.08).abs() < 1e-12);
    }

    #[test]
    fn outages_are_long_gaps_the_ends_included() {
        // 300 ms without, then one each millisecond up to 1000, and nothing up to 1500.
        let found = Recording {
            stamps: (300..1000).collect(),
            length: 1500,
            opportunity: 1500,
        }
        .portrait();
        assert_eq!((found.outage_from_s, found.outages), (0.2, 2));
        assert!((found.outage_share - 801.0 / 1500.0).abs() < 1e-12);
        assert_eq!(found.gap_max_s, 0.501);
    }

    #[test]
    fn what_cannot_be_said_is_not() {
        let nothing = Recording {
            stamps: vec![],
            length: 5000,
            opportunity: 1500,
        }
        .portrait();
        assert_eq!(
            (nothing.mean_bps, nothing.cv_1s, nothing.dispersion),
            (0.0, None, None)
        );
        assert_eq!((nothing.outages, nothing.outage_share), (0, 0.0));
        let steady: Vec<u64> = (0..5000).collect();
        let steady = Recording {
            stamps: steady,
            length: 5000,
            opportunity: 1500,
        }
        .portrait();
        assert_eq!((steady.cv_1s, steady.autocorrelation[0]), (Some(0.0), None));
    }
}
