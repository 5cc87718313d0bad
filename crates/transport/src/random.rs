//! Random streams. Each component draws from its own stream, keyed by (seed, kind, name), so a new
//! component does not change the draws of the others. Distributions are by inverse transform on our own
//! uniform, because distribution crates change their values between versions.
//!
//! Generator: xoshiro256++ (Blackman and Vigna), seeded by SplitMix64 from an FNV-1a hash of the key.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::product;
use crate::walk::Walk;

/// One component's stream.
#[derive(Clone, Debug)]
pub struct Random {
    generator: Xoshiro256PlusPlus,
    /// The hash of its key: seed, kind, name, and what it was keyed anew by.
    key: u64,
}

/// Goes on with an FNV-1a hash.
fn hashed<'a>(hash: u64, bytes: impl Iterator<Item = &'a u8>) -> u64 {
    bytes.fold(hash, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl Random {
    /// The stream of component `name` of kind `kind` in the run with this `seed`.
    pub fn stream(seed: u64, kind: &str, name: &str) -> Random {
        let seed = seed.to_le_bytes();
        let named = kind.as_bytes().iter().chain(&[0]).chain(name.as_bytes());
        Random::keyed(hashed(0xcbf2_9ce4_8422_2325, seed.iter().chain(named)))
    }

    fn keyed(key: u64) -> Random {
        Random {
            generator: Xoshiro256PlusPlus::seed_from_u64(key),
            key,
        }
    }

    /// Begins another stream: that of (seed, kind, name, `by`), after all that this one was keyed anew by before.
    pub fn rekey(&mut self, by: u64) {
        let by = by.to_le_bytes();
        let with = [0].iter().chain(b"reseed").chain(&by);
        *self = Random::keyed(hashed(self.key, with));
    }

    /// Two draws of a copy stand for the state: 128 bits of it.
    pub fn walk(&self, walk: &mut Walk) {
        let mut copy = self.generator.clone();
        walk.same(copy.next_u64());
        walk.same(copy.next_u64());
    }

    /// Uniform on (0, 1]: never zero, so its logarithm is finite.
    pub fn unit(&mut self) -> f64 {
        ((self.generator.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Uniform integer in `low..=high`, by multiply-shift (bias below 2⁻⁶⁴ × range).
    ///
    /// # Panics
    /// When `low > high`, or the range is all of u64.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        // The width is one more than the difference, and may take 65 bits.
        let drawn = self.generator.next_u64();
        low + ((product::whole(drawn, high - low) + u128::from(drawn)) >> 64) as u64
    }

    /// Exponential with this mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(self.unit())
    }

    /// Pareto with shape `alpha` and least value `least`.
    pub fn pareto(&mut self, alpha: f64, least: f64) -> f64 {
        least * libm::pow(self.unit(), -1.0 / alpha)
    }

    /// Standard normal (Box–Muller, cosine branch).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(self.unit()));
        radius * libm::cos(2.0 * std::f64::consts::PI * self.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_kind_and_name() {
        let first = |s, k, n| Random::stream(s, k, n).between(0, u64::MAX - 1);
        let base = first(1, "source", "f1");
        assert_eq!(base, first(1, "source", "f1"));
        for other in [
            first(2, "source", "f1"),
            first(1, "queue", "f1"),
            first(1, "source", "f2"),
            first(1, "sourc", "ef1"),
        ] {
            assert_ne!(base, other);
        }
    }

    /// The lineage is part of the key: all of it, in its order, and nothing that was drawn before.
    #[test]
    fn a_stream_that_is_keyed_anew_depends_on_its_whole_lineage() {
        let after = |name, lineage: &[u64], drawn: usize| {
            let mut random = Random::stream(1, "source", name);
            lineage.iter().for_each(|k| {
                for _ in 0..drawn {
                    random.unit();
                }
                random.rekey(*k);
            });
            random.between(0, u64::MAX - 1)
        };
        assert_eq!(after("f", &[7], 0), after("f", &[7], 5));
        let lineages: [(&str, &[u64]); 7] = [
            ("f", &[]),
            ("f", &[7]),
            ("g", &[7]),
            ("f", &[8]),
            ("f", &[7, 8]),
            ("f", &[8, 7]),
            ("f", &[8, 8]),
        ];
        let firsts = lineages.map(|(name, lineage)| after(name, lineage, 0));
        for (i, first) in firsts.iter().enumerate() {
            assert!(!firsts[..i].contains(first), "{:?}", lineages[i]);
        }
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut r = Random::stream(7, "test", "moments");
        let n = 200_000;
        let mean = |f: &mut dyn FnMut() -> f64| (0..n).map(|_| f()).sum::<f64>() / f64::from(n);
        // Standard errors: exponential 1/√n = 0.0022; uniform integer 0.0065; Pareto α=3 0.0019.
        assert!((mean(&mut || r.exponential(1.0)) - 1.0).abs() < 0.01);
        assert!((mean(&mut || r.between(0, 9) as f64) - 4.5).abs() < 0.03);
        assert!((mean(&mut || r.pareto(3.0, 1.0)) - 1.5).abs() < 0.01);
        assert!(mean(&mut || r.normal()).abs() < 0.01);
        assert!((mean(&mut || libm::pow(r.normal(), 2.0)) - 1.0).abs() < 0.02);
    }
}
