//! How the rate in a second wanders, and what a Brownian motion between two bounds would make of it.

use super::super::portrait::{self, Recording};

/// Variance and Allan variance of the rate in a second, (bit/s)², without what single opportunities add.
#[derive(Copy, Clone, Debug)]
pub(super) struct Wander {
    pub variance: f64,
    pub allan: f64,
}

impl Wander {
    /// Of a recording.
    pub fn of(recording: &Recording) -> Wander {
        let rates = recording.rates();
        let noise = recording.dispersion().unwrap_or(0.0) * recording.mean() * recording.bits();
        let without = |square: Option<f64>| (square.unwrap_or(0.0) - noise).max(1.0);
        Wander {
            variance: without(portrait::variance(&rates)),
            allan: without(portrait::allan(&rates)),
        }
    }
}

/// Width and deviation in a second of the reflected motion whose means over a second have this variance and
/// this Allan variance.
pub(super) fn reflected(wander: &Wander) -> (f64, f64) {
    let mut width = libm::sqrt(12.0 * wander.variance);
    let mut sigma = deviation(width, wander.allan);
    for _ in 0..ROUNDS {
        // A mean over a second varies less than the motion itself.
        let seen = variance_of_reflected(width, sigma, 1.0);
        width *= libm::sqrt(wander.variance / seen);
        sigma = deviation(width, wander.allan);
    }
    (width, sigma)
}

/// The deviation in a second that gives this Allan variance over a second: the slower of two, since a
/// motion that is faster than `SEEN` evens itself out within the second.
pub(super) fn deviation(width: f64, square: f64) -> f64 {
    let (mut low, mut high) = (width * 1e-6, width * SEEN);
    for _ in 0..ROUNDS {
        let middle = libm::sqrt(low * high);
        match allan_of_reflected(width, middle, 1.0) < square {
            true => low = middle,
            false => high = middle,
        }
    }
    libm::sqrt(low * high)
}

/// Steps of iterations that halve what is wrong, or better.
const ROUNDS: usize = 60;
/// Terms of the series. They fall with the fourth power, and with the second where the motion is slow:
/// two thousandths are left out of one whose deviation is a thousandth of the width.
const TERMS: u32 = 200;
/// The deviation over the width at which the Allan variance over a second is greatest.
const SEEN: f64 = 0.6;

/// Allan variance of a Brownian motion's mean over windows of length `w`, the motion reflected at both ends
/// of an interval of length `l`, its deviation `sigma` in a second.
///
/// Stationary, its covariance is Σ over odd n of 8 l²/(nπ)⁴ · exp(−n²π²σ²t/2l²), and for a covariance
/// c·exp(−kt) the Allan variance is c/(kw)² · (2(kw − 1 + e⁻ᵏʷ) − (1 − e⁻ᵏʷ)²).
fn allan_of_reflected(l: f64, sigma: f64, w: f64) -> f64 {
    modes(l, sigma, w, |k, gone| {
        (2.0 * (k - gone) - gone * gone) / (k * k)
    })
}

/// Variance of the same means: c/(kw)² · 2(kw − 1 + e⁻ᵏʷ) for each term.
fn variance_of_reflected(l: f64, sigma: f64, w: f64) -> f64 {
    modes(l, sigma, w, |k, gone| 2.0 * (k - gone) / (k * k))
}

/// The sum over the terms of the covariance, of kw and 1 − e⁻ᵏʷ.
fn modes(l: f64, sigma: f64, w: f64, of: impl Fn(f64, f64) -> f64) -> f64 {
    let term = |i: u32| {
        let n = f64::from(2 * i + 1) * core::f64::consts::PI;
        let k = n * n * sigma * sigma / (2.0 * l * l) * w;
        8.0 * l * l / libm::pow(n, 4.0) * of(k, -libm::expm1(-k))
    };
    (0..TERMS).map(term).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Limits worked out by hand: a slow motion is free, σ²w/3; a fast one is noise about the middle
    /// whose covariance sums to Σ 8 l²/(nπ)⁴ · 2l²/(n²π²σ²) = l⁴/(60 σ²) · (1/w), since Σ 1/n⁶ over odd n
    /// is π⁶/960.
    #[test]
    fn the_closed_form_has_its_limits() {
        let slow = allan_of_reflected(1000.0, 1.0, 1.0);
        assert!((slow / (1.0 / 3.0) - 1.0).abs() < 0.01, "{slow}");
        let fast = allan_of_reflected(1.0, 100.0, 1.0);
        let white = 2.0 * 8.0 * 2.0 / 960.0 / 1e4;
        assert!((fast / white - 1.0).abs() < 0.01, "{fast} {white}");
    }

    #[test]
    fn a_motion_is_found_again_from_its_closed_forms() {
        for sigma in [0.2, 2.0, 4.0] {
            let wander = Wander {
                variance: variance_of_reflected(10.0, sigma, 1.0),
                allan: allan_of_reflected(10.0, sigma, 1.0),
            };
            let (width, found) = reflected(&wander);
            assert!((width / 10.0 - 1.0).abs() < 1e-6, "{width}");
            assert!((found / sigma - 1.0).abs() < 1e-6, "{found}");
        }
    }
}
