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

    /// What is left of a span under way.
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
