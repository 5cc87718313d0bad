//! The Hurst parameter of what a flow puts on its host's wire, by the variance-time plot.
//!
//! A wire without headers serves the flow's demands in their order at its line rate. Its busy time is counted in bins of
//! 10 ms, and in bins twice, four times … as long, up to 81.92 s. The variance of the busy share of a bin of
//! length t falls as t^(2H − 2) for self-similar traffic (Leland, Taqqu, Willinger, Wilson, On the Self-Similar Nature of
//! Ethernet Traffic, 1994, section 4.1), so H follows from the slope of a straight line through the logarithms. Poisson traffic has H = 0.5.
//! A variance counts from `LEAST` bins on: the mean of the sample, which moves with fewer, lowers it.

use backwater_transport::units::Time;

/// The shortest bin, 10 ms in ticks.
const BIN: u64 = 10_000_000_000;

/// Lengths of bins: 10 ms · 2^13 = 81.92 s is the longest.
const OCTAVES: usize = 14;

/// The octave that ends the short scales and begins the long ones: 1.28 s.
const MIDDLE: usize = 7;

/// So many bins give a variance.
const LEAST: u64 = 32;

/// Bins of one length.
#[derive(Clone, Debug, Default)]
struct Octave {
    /// Bins, their mean and the sum of squared distances from it (Welford).
    bins: u64,
    mean: f64,
    squares: f64,
    /// A bin that waits for its neighbour.
    pending: Option<f64>,
}

impl Octave {
    fn count(&mut self, value: f64) {
        self.bins += 1;
        let off = value - self.mean;
        self.mean += off / self.bins as f64;
        self.squares += off * (value - self.mean);
    }

    fn log_variance(&self) -> Option<f64> {
        let variance = self.squares / self.bins as f64;
        (self.bins >= LEAST && variance > 0.0).then(|| libm::log2(variance))
    }
}

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct VarianceTime {
    ps_per_byte: u64,
    /// The wire is simulated up to here, and its present bin ends there.
    now: Time,
    end: Time,
    /// Ticks of service that wait, and those given in the present bin.
    backlog: u64,
    served: u64,
    /// Whether the warm-up is over.
    warm: bool,
    octaves: [Octave; OCTAVES],
}

/// Hurst parameters; none where the run has too few of the longest bins.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Hurst {
    /// From 10 ms to 81.92 s.
    pub all: Option<f64>,
    /// From 10 ms to 1.28 s.
    pub short: Option<f64>,
    /// From 1.28 s to 81.92 s.
    pub long: Option<f64>,
}

impl VarianceTime {
    /// A wire that takes so long for a byte; the first bin begins at `from`.
    pub fn new(ps_per_byte: u64, from: Time) -> VarianceTime {
        VarianceTime {
            ps_per_byte,
            now: Time::ZERO,
            end: if from == Time::ZERO { Time(BIN) } else { from },
            backlog: 0,
            served: 0,
            warm: from == Time::ZERO,
            octaves: Default::default(),
        }
    }

    /// So many bytes are handed to the wire.
    pub fn demand(&mut self, bytes: u64, now: Time) {
        self.advance(now);
        let ticks = bytes.saturating_mul(self.ps_per_byte);
        self.backlog = self.backlog.saturating_add(ticks);
    }

    /// The parameters of what was handed over until `now`.
    pub fn hurst(&self, now: Time) -> Hurst {
        let mut whole = self.clone();
        whole.advance(now);
        Hurst {
            all: slope(&whole.octaves),
            short: slope(&whole.octaves[..=MIDDLE]),
            long: slope(&whole.octaves[MIDDLE..]),
        }
        .map(|slope| 1.0 + slope / 2.0)
    }

    fn advance(&mut self, to: Time) {
        while self.now < to {
            let stop = self.end.min(to);
            let span = stop.since(self.now).0;
            let served = self.backlog.min(span);
            self.backlog -= served;
            self.served += served;
            self.now = stop;
            if stop == self.end {
                self.close();
            }
        }
    }

    /// The present bin is over. What was served before the first one is forgotten.
    fn close(&mut self) {
        let mut value = self.served as f64 / BIN as f64;
        self.served = 0;
        self.end = Time(self.end.0 + BIN);
        if !self.warm {
            self.warm = true;
            return;
        }
        for octave in &mut self.octaves {
            octave.count(value);
            let Some(before) = octave.pending.take() else {
                octave.pending = Some(value);
                return;
            };
            value = 0.5 * (before + value);
        }
    }
}

impl Hurst {
    fn map(self, of: impl Fn(f64) -> f64) -> Hurst {
        Hurst {
            all: self.all.map(&of),
            short: self.short.map(&of),
            long: self.long.map(&of),
        }
    }
}

/// Slope of the straight line of least squares through the logarithms of the variances.
fn slope(octaves: &[Octave]) -> Option<f64> {
    let logs: Option<Vec<f64>> = octaves.iter().map(Octave::log_variance).collect();
    let logs = logs?;
    let middle = (logs.len() - 1) as f64 / 2.0;
    let (mut product, mut square) = (0.0, 0.0);
    for (place, log) in logs.iter().enumerate() {
        let off = place as f64 - middle;
        product += off * log;
        square += off * off;
    }
    Some(product / square)
}

#[cfg(test)]
mod tests {
    use backwater_transport::random::Random;
    use backwater_transport::units::Span;

    use super::*;

    /// At 1 Gbit/s and at 1 Mbit/s.
    const FAST: u64 = 8_000;
    const SLOW: u64 = 8_000_000;
    const HOUR: u64 = 3600;

    /// Demands of so many bytes at exponential intervals over four hours.
    fn memoryless(bytes: u64, per_second: f64) -> Hurst {
        let mut random = Random::stream(1, "test", "memoryless");
        let mut wire = VarianceTime::new(FAST, Time::ZERO);
        let (mut now, end) = (Time::ZERO, Time::ZERO + Span::secs(4 * HOUR));
        loop {
            now += Span::from_seconds(random.exponential(1.0 / per_second));
            if now >= end {
                return wire.hurst(end);
            }
            wire.demand(bytes, now);
        }
    }

    #[test]
    fn independent_increments_have_one_half_at_all_scales() {
        // The variance of a mean of independent bins falls as 1/t. A variance of n bins has a relative error of √(2/n);
        // the longest bins, of which there are 175, decide: 11 %, 0.15 of an octave, over 6 octaves 0.02 in H.
        let hurst = memoryless(1000, 500.0);
        for h in [hurst.all, hurst.short, hurst.long] {
            let h = h.expect("four hours");
            assert!((h - 0.5).abs() < 0.06, "{hurst:?}");
        }
    }

    #[test]
    fn too_short_a_run_gives_no_parameter() {
        let mut wire = VarianceTime::new(SLOW, Time::ZERO);
        wire.demand(1000, Time::ZERO);
        let hurst = wire.hurst(Time::ZERO + Span::secs(2600));
        assert_eq!((hurst.all, hurst.long), (None, None));
        assert!(hurst.short.is_some());
    }

    #[test]
    fn bins_begin_at_the_end_of_the_warm_up_and_a_wire_serves_no_faster_than_its_rate() {
        // 10 kB at 1 Mbit/s take 80 ms: 3.5 ms of the warm-up, 7 full bins, 65 % of the eighth.
        let from = Time::ZERO + Span::micros(3500);
        let mut wire = VarianceTime::new(SLOW, from);
        wire.demand(10_000, Time::ZERO);
        wire.advance(from + Span::millis(100));
        let first = &wire.octaves[0];
        assert_eq!(first.bins, 10);
        assert!((first.mean * 10.0 - 7.65).abs() < 1e-9, "{}", first.mean);
    }
    /// The slope of the logarithms of variances of so many shares of bins, by sums of all bins and of their squares.
    fn reference(bins: &[f64], octaves: std::ops::Range<usize>) -> Option<f64> {
        let (mut n, mut x, mut y, mut xy, mut xx) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for octave in octaves {
            let of = |chunk: &[f64]| chunk.iter().sum::<f64>() / chunk.len() as f64;
            let means: Vec<f64> = bins.chunks_exact(1 << octave).map(of).collect();
            if means.len() < 32 {
                return None;
            }
            let mean = of(&means);
            let squares: Vec<f64> = means.iter().map(|m| m * m).collect();
            let log = (of(&squares) - mean * mean).log2();
            let at = octave as f64;
            (n, x, y, xy, xx) = (n + 1.0, x + at, y + log, xy + at * log, xx + at * at);
        }
        Some(1.0 + (n * xy - x * y) / (n * xx - x * x) / 2.0)
    }

    /// Demands of all sizes at random instants, beside a list of all bins. 32 of the longest are enough, and 31 are not.
    #[test]
    fn slopes_are_those_of_the_variances_of_all_bins() {
        for (from, long) in [(0, 32), (7_777_777, 32), (7_777_777, 31)] {
            let mut random = Random::stream(1, "test", "reference");
            let warm = Time(from);
            let mut wire = VarianceTime::new(SLOW, warm);
            let end = Time(from + (long * 8192 + 11) * BIN + 3_000_000_000);
            let mut busy = vec![0.0; long as usize * 8192 + 11];
            let (mut now, mut free) = (Time::ZERO, 0);
            loop {
                now += Span(random.between(0, 60 * BIN));
                if now >= end {
                    break;
                }
                let bytes = random.between(1, 60_000);
                wire.demand(bytes, now);
                let begin = now.0.max(free);
                free = begin + bytes * SLOW;
                // The parts of the transmission that lie in each bin.
                let mut at = begin.max(from);
                while at < free {
                    let bin = (at - from) / BIN;
                    let next = (from + (bin + 1) * BIN).min(free);
                    if let Some(share) = busy.get_mut(bin as usize) {
                        *share += (next - at) as f64 / BIN as f64;
                    }
                    at = next;
                }
            }
            let hurst = wire.hurst(end);
            let close = |got: Option<f64>, octaves| match (got, reference(&busy, octaves)) {
                (Some(got), Some(wanted)) => (got - wanted).abs() < 1e-9,
                (got, wanted) => got == wanted,
            };
            assert!(close(hurst.all, 0..14), "{from} {long}: {hurst:?}");
            assert!(close(hurst.short, 0..8), "{from} {long}: {hurst:?}");
            assert!(close(hurst.long, 7..14), "{from} {long}: {hurst:?}");
            assert_eq!(hurst.all.is_some(), long == 32);
        }
    }

    /// A line that is never busy, or always, has no variance and so no slope.
    #[test]
    fn a_constant_share_has_no_parameter() {
        let idle = VarianceTime::new(SLOW, Time::ZERO);
        assert_eq!(idle.hurst(Time(9000 * BIN)), Hurst::default());
        assert_eq!(Octave::default().log_variance(), None);
    }
}
