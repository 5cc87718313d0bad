//! Laws of random spans: a draw, and the residual life, which is what an observer who comes at a
//! random instant still has to wait. A renewal process whose first span is a residual life is
//! stationary: it has no transient and its mean rate is exact over every window.
//!
//! The residual life has the density P(T > t)/E\[T\] (Cox, Renewal Theory, 1962, 5.1). With u uniform
//! on (0, 1\] as P(residual > x), its inverse is for
//!
//! * U(0, 2m): (1 − x/2m)² = u, so x = 2m(1 − √u);
//! * the exponential law: the law itself;
//! * Pareto with least value k = m(α − 1)/α: P(residual > x) = 1 − x/m up to k, where it is 1/α, then
//!   (1/α)(k/x)^(α−1). So x = m(1 − u) for u ≥ 1/α and x = k(αu)^(−1/(α−1)) below. For α ≤ 2 its mean
//!   is infinite: some of many such processes are silent for very long, which is how the superposition
//!   comes to be long-range dependent.

use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span, Time};

use super::later;

/// A law with a mean in seconds. Each draw is rounded to the nearest tick, so that errors don't add up.
#[derive(Copy, Clone, Debug)]
pub(super) enum Law {
    /// Between zero and twice the mean.
    Uniform { mean: f64 },
    /// Memoryless.
    Exponential { mean: f64 },
    /// P(T > t) = (k/t)^alpha from k on. `alpha` is above one, or there is no mean.
    Pareto { mean: f64, alpha: f64 },
}

impl Law {
    /// The mean in seconds.
    pub(super) fn mean(&self) -> f64 {
        match *self {
            Law::Uniform { mean } | Law::Exponential { mean } | Law::Pareto { mean, .. } => mean,
        }
    }

    /// A whole span.
    pub(super) fn draw(&self, random: &mut Random) -> Span {
        Span::from_seconds(match *self {
            Law::Uniform { mean } => 2.0 * mean * random.unit(),
            Law::Exponential { mean } => random.exponential(mean),
            Law::Pareto { mean, alpha } => random.pareto(alpha, pareto_least(mean, alpha)),
        })
    }

    /// The rest of the current span.
    pub(super) fn residual(&self, random: &mut Random) -> Span {
        Span::from_seconds(match *self {
            Law::Uniform { mean } => 2.0 * mean * (1.0 - libm::sqrt(random.unit())),
            Law::Exponential { mean } => random.exponential(mean),
            Law::Pareto { mean, alpha } => {
                let above = random.unit();
                if above * alpha >= 1.0 {
                    mean * (1.0 - above)
                } else {
                    pareto_least(mean, alpha) * libm::pow(alpha * above, -1.0 / (alpha - 1.0))
                }
            }
        })
    }
}

fn pareto_least(mean: f64, alpha: f64) -> f64 {
    mean * (alpha - 1.0) / alpha
}

/// Seconds between bursts of so many bytes in the mean, at this mean rate.
pub(super) fn mean_gap(bytes: f64, rate: Rate) -> f64 {
    8.0 * bytes / rate.0 as f64
}

/// Instants with independent spans of one law between them, stationary from the first call.
#[derive(Clone, Debug)]
pub(super) struct Renewal {
    law: Law,
    begun: bool,
}

impl Renewal {
    /// Not begun.
    pub(super) fn new(law: Law) -> Renewal {
        Renewal { law, begun: false }
    }

    /// The instant that follows `now`.
    pub(super) fn next(&mut self, now: Time, random: &mut Random) -> Option<Time> {
        let span = if self.begun {
            self.law.draw(random)
        } else {
            self.law.residual(random)
        };
        self.begun = true;
        later(now, span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest distance between the law of the draws and the cumulative distribution `law`, times √n:
    /// below 1.95 at the 0.1 % level (Kolmogorov and Smirnov).
    fn distance(mut draw: impl FnMut() -> Span, law: impl Fn(f64) -> f64) -> f64 {
        let mut values: Vec<f64> = (0..200_000).map(|_| draw().seconds()).collect();
        values.sort_by(f64::total_cmp);
        let n = values.len() as f64;
        let off = values
            .iter()
            .enumerate()
            .map(|(i, v)| (law(*v) - (i as f64 + 0.5) / n).abs());
        off.fold(0.0, f64::max) * n.sqrt()
    }

    #[test]
    fn residual_lives_have_the_density_of_what_outlives_them() {
        let mut random = Random::stream(1, "test", "residual");
        // ∫₀ˣ P(T > t) dt / E[T] by the midpoint rule.
        let integral = |outlives: &dyn Fn(f64) -> f64, mean: f64, x: f64| {
            let step = x / 300.0;
            (0..300)
                .map(|i| outlives((f64::from(i) + 0.5) * step))
                .sum::<f64>()
                * step
                / mean
        };
        let uniform = |t: f64| (1.0 - t / 4.0).max(0.0);
        let exponential = |t: f64| (-t / 2.0).exp();
        // The least value is 2 s · 0.5/1.5.
        let pareto = |t: f64| (2.0 / 3.0 / t.max(2.0 / 3.0)).powf(1.5);
        // Far out a closed form, because the midpoint rule gets coarse.
        let tail = |x: f64| 1.0 - (2.0 / 3.0 / x).sqrt() / 1.5;
        let law = Law::Uniform { mean: 2.0 };
        assert!(distance(|| law.residual(&mut random), |x| integral(&uniform, 2.0, x)) < 1.95);
        let law = Law::Exponential { mean: 2.0 };
        assert!(
            distance(
                || law.residual(&mut random),
                |x| integral(&exponential, 2.0, x)
            ) < 1.95
        );
        let law = Law::Pareto {
            mean: 2.0,
            alpha: 1.5,
        };
        let residual = |x: f64| {
            if x < 3.0 {
                integral(&pareto, 2.0, x)
            } else {
                tail(x)
            }
        };
        assert!((residual(2.999) - tail(2.999)).abs() < 1e-3);
        assert!(distance(|| law.residual(&mut random), residual) < 1.95);
    }

    #[test]
    fn draws_have_their_laws() {
        let mut random = Random::stream(1, "test", "draw");
        let law = Law::Pareto {
            mean: 2.0,
            alpha: 1.5,
        };
        let pareto = |x: f64| 1.0 - (2.0 / 3.0 / x).powf(1.5);
        assert!(distance(|| law.draw(&mut random), pareto) < 1.95);
        let law = Law::Uniform { mean: 2.0 };
        assert!(distance(|| law.draw(&mut random), |x| x / 4.0) < 1.95);
        let law = Law::Exponential { mean: 2.0 };
        assert!(distance(|| law.draw(&mut random), |x| 1.0 - (-x / 2.0).exp()) < 1.95);
    }
}
