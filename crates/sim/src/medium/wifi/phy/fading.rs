//! Block fading: the gain of a pair of stations is drawn anew for each block of time, alike both ways, independently of other blocks
//! and pairs. Its mean is 1. A frame keeps the gain of the block in which it begins.
//!
//! The draws of a block come from a stream of (seed, pair, block), so they depend neither on the order of events nor on how often a
//! pair talks.
//!
//! Reference: Goldsmith, Wireless Communications, 3.2.2 (Rayleigh, Rician, Nakagami); Marsaglia and Tsang (2000) for gamma variates.
//! Left out: change within a block, correlation between neighbouring blocks, fading that differs over the band.

use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

/// How the gain is distributed.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Law {
    /// Nakagami with this shape: the power gain is gamma. 1 is Rayleigh.
    Nakagami(f64),
    /// Rician: a direct path of so many times the power of all others.
    Rician(f64),
}

/// Block fading of a channel.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct BlockFading {
    /// The gain.
    pub law: Law,
    /// Length of a block: the coherence time.
    pub coherence: Span,
}

impl Law {
    /// Draws a power gain.
    pub fn draw(self, random: &mut Random) -> f64 {
        match self {
            Law::Nakagami(1.0) => random.exponential(1.0),
            Law::Nakagami(shape) => gamma(random, shape) / shape,
            Law::Rician(direct) => {
                let scattered = libm::sqrt(0.5 / (direct + 1.0));
                let real = libm::sqrt(direct / (direct + 1.0)) + scattered * random.normal();
                let imaginary = scattered * random.normal();
                real * real + imaginary * imaginary
            }
        }
    }
}

/// A gamma variate of scale 1, by a cube of a normal one that is accepted or drawn again.
fn gamma(random: &mut Random, shape: f64) -> f64 {
    if shape < 1.0 {
        return gamma(random, shape + 1.0) * libm::pow(random.unit(), 1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    loop {
        let x = random.normal();
        let root = 1.0 + c * x;
        if root > 0.0 {
            let v = root * root * root;
            if libm::log(random.unit()) < 0.5 * x * x + d - d * v + d * libm::log(v) {
                return d * v;
            }
        }
    }
}

/// A pair of stations.
#[derive(Clone, Debug)]
struct Pair {
    fading: BlockFading,
    random: Random,
    /// The block whose gain is known.
    block: u64,
    gain: f64,
}

impl Pair {
    fn gain(&mut self, now: Time) -> f64 {
        let block = now.0 / self.fading.coherence.0;
        if block != self.block {
            let mut random = self.random.clone();
            random.rekey(block);
            (self.block, self.gain) = (block, self.fading.law.draw(&mut random));
        }
        self.gain
    }
}

/// The gains between all stations whose channel fades.
#[derive(Clone, Debug, Default)]
pub(in crate::medium::wifi) struct Gains {
    pairs: Vec<Pair>,
    /// Places of pairs: for each station those with the stations that it reaches, in their order.
    of: Vec<Vec<u32>>,
}

impl Gains {
    /// The gains of stations, each of which reaches others; `fading` and `name` are those of a station.
    pub fn new<'a>(
        seed: u64,
        reach: &[Vec<u32>],
        fading: impl Fn(u32) -> Option<BlockFading>,
        name: impl Fn(u32) -> &'a str,
    ) -> Gains {
        let mut gains = Gains::default();
        let mut known = std::collections::BTreeMap::new();
        for (from, reached) in (0..).zip(reach) {
            let mut of = Vec::new();
            if let Some(fading) = fading(from) {
                for &to in reached {
                    let place = *known
                        .entry((from.min(to), from.max(to)))
                        .or_insert_with(|| {
                            let (a, b) = (name(from), name(to));
                            let key = format!("{}|{}", a.min(b), a.max(b));
                            gains.pairs.push(Pair {
                                fading,
                                random: Random::stream(seed, "fading", &key),
                                block: u64::MAX,
                                gain: 1.0,
                            });
                            gains.pairs.len() as u32 - 1
                        });
                    of.push(place);
                }
            }
            gains.of.push(of);
        }
        gains
    }

    /// Whether no channel fades.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Whether the channel of a station fades.
    pub fn has(&self, station: usize) -> bool {
        self.of.get(station).is_some_and(|of| !of.is_empty())
    }

    /// The gain now between a station and one that it reaches.
    pub fn gain(&mut self, station: usize, place: usize, now: Time) -> f64 {
        self.pairs[self.of[station][place] as usize].gain(now)
    }

    /// Blocks that begin later are drawn anew.
    pub fn rekey(&mut self, by: u64) {
        for pair in &mut self.pairs {
            pair.random.rekey(by);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gains(law: Law, coherence: Span, seed: u64) -> Gains {
        let fading = BlockFading { law, coherence };
        let names = ["a", "b"];
        Gains::new(
            seed,
            &[vec![1], vec![0]],
            |_| Some(fading),
            |n| names[n as usize],
        )
    }

    /// Shares of blocks below some gains against the distributions: exponential (Rayleigh), gamma of shape 2 and 1/2. Rician with K = 4: mean 1
    /// and variance (1 + 2 K) / (1 + K)^2, and the exponential one with K = 0.
    #[test]
    fn gains_are_distributed_as_the_law_says() {
        let n = 40_000u32;
        let drawn = |law: Law| -> Vec<f64> {
            let mut gains = gains(law, Span::millis(1), 7);
            let at = |block: u32| Time::ZERO + Span::millis(u64::from(block));
            (0..n).map(|block| gains.gain(0, 0, at(block))).collect()
        };
        let below = |all: &[f64], most: f64| {
            all.iter().filter(|g| **g < most).count() as f64 / f64::from(n)
        };
        let rayleigh = |g: f64| -libm::expm1(-g);
        let two = |g: f64| 1.0 - libm::exp(-2.0 * g) * (1.0 + 2.0 * g);
        let half = |g: f64| libm::erf(libm::sqrt(g / 2.0));
        let laws: [(Law, &dyn Fn(f64) -> f64); 4] = [
            (Law::Nakagami(1.0), &rayleigh),
            (Law::Nakagami(2.0), &two),
            (Law::Nakagami(0.5), &half),
            (Law::Rician(0.0), &rayleigh),
        ];
        for (law, share) in laws {
            let all = drawn(law);
            for gain in [0.05, 0.3, 1.0, 2.5] {
                let (found, expected) = (below(&all, gain), share(gain));
                let error = libm::sqrt(expected * (1.0 - expected) / f64::from(n));
                assert!(
                    (found - expected).abs() < 4.0 * error,
                    "{law:?} {gain}: {found}"
                );
            }
        }
        let all = drawn(Law::Rician(4.0));
        let mean = all.iter().sum::<f64>() / f64::from(n);
        let variance = all.iter().map(|g| (g - 1.0) * (g - 1.0)).sum::<f64>() / f64::from(n);
        let expected = 9.0 / 25.0;
        assert!(
            (mean - 1.0).abs() < 4.0 * libm::sqrt(expected / f64::from(n)),
            "{mean}"
        );
        assert!((variance / expected - 1.0).abs() < 0.05, "{variance}");
    }

    /// A gamma variate over its shape m has the mean 1 and the variance 1/m, for shapes on both sides of 1 and 4/3.
    #[test]
    fn gains_of_any_shape_have_the_mean_of_the_path() {
        let n = 40_000u32;
        for shape in [0.7, 1.1, 1.3, 4.0] {
            let mut gains = gains(Law::Nakagami(shape), Span::millis(1), 7);
            let at = |block: u32| Time::ZERO + Span::millis(u64::from(block));
            let all: Vec<f64> = (0..n).map(|block| gains.gain(0, 0, at(block))).collect();
            let mean = all.iter().sum::<f64>() / f64::from(n);
            let variance = all.iter().map(|g| (g - 1.0) * (g - 1.0)).sum::<f64>() / f64::from(n);
            let error = libm::sqrt(1.0 / shape / f64::from(n));
            assert!((mean - 1.0).abs() < 4.0 * error, "{shape}: {mean}");
            // The fourth central moment of a gamma law over its shape is (3 + 6/m)/m².
            let error = libm::sqrt((2.0 + 6.0 / shape) / f64::from(n));
            assert!(
                (variance * shape - 1.0).abs() < 4.0 * error,
                "{shape}: {variance}"
            );
        }
    }

    /// A gain stands for its block, and blocks are independent: the correlation over a lag of t falls as 1 - t / T to none at the coherence
    /// time T.
    #[test]
    fn gains_stand_for_a_block() {
        let mut gains = gains(Law::Nakagami(1.0), Span::millis(10), 7);
        let mut random = Random::stream(7, "lag", "");
        for (lag, expected) in [(0, 1.0), (2, 0.8), (5, 0.5), (10, 0.0), (15, 0.0)] {
            let (n, mut sum) = (20_000u64, 0.0);
            for block in 0..n {
                let at = Time::ZERO + Span::micros(30_000 * block + random.between(0, 9999));
                let first = gains.gain(0, 0, at) - 1.0;
                sum += first * (gains.gain(0, 0, at + Span::millis(lag)) - 1.0);
            }
            // The variance is 1; products of an exponential have a standard deviation of up to sqrt(8).
            let found = sum / n as f64;
            assert!(
                (found - expected).abs() < 4.0 * libm::sqrt(8.0 / n as f64),
                "{lag}: {found}"
            );
        }
    }

    /// Both ways are alike, whatever is asked first, and seeds differ.
    #[test]
    fn gains_depend_on_pair_and_block_only() {
        let law = Law::Nakagami(2.0);
        let at = |ms| Time::ZERO + Span::millis(ms);
        let (mut one, mut other) = (
            gains(law, Span::millis(1), 7),
            gains(law, Span::millis(1), 7),
        );
        let forth: Vec<f64> = (0..20).map(|ms| one.gain(0, 0, at(ms))).collect();
        let back: Vec<f64> = (0..20).rev().map(|ms| other.gain(1, 0, at(ms))).collect();
        assert!(forth.iter().eq(back.iter().rev()));
        assert_ne!(forth[0], gains(law, Span::millis(1), 8).gain(0, 0, at(0)));
    }
}
