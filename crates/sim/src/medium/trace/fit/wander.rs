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
/// this Allan variance. No motion is faster than `SEEN`: where the Allan variance asks for more, the variance alone is met.
pub(super) fn reflected(wander: &Wander) -> (f64, f64) {
    let mut width = libm::sqrt(12.0 * wander.variance);
    let mut sigma = deviation(width, wander.allan);
    let mut change = f64::INFINITY;
    for _ in 0..ROUNDS {
        // A mean over a second varies less than the motion itself.
        let seen = variance_of_reflected(width, sigma, 1.0);
        let factor = libm::sqrt(wander.variance / seen);
        width *= factor;
        change = (factor - 1.0).abs();
        sigma = deviation(width, wander.allan);
    }
    // Where the Allan variance is about half of the variance, the width jumps between two values and never settles.
    match change <= SETTLED {
        true => (width, sigma),
        false => bisected(wander),
    }
}

/// The same by bisection: how much of the variance is Allan variance grows with the deviation over the width.
fn bisected(wander: &Wander) -> (f64, f64) {
    let wanted = wander.allan / wander.variance;
    let (mut low, mut high) = (1e-6, SEEN);
    for _ in 0..ROUNDS {
        let middle = libm::sqrt(low * high);
        let found = allan_of_reflected(1.0, middle, 1.0) / variance_of_reflected(1.0, middle, 1.0);
        match found < wanted {
            true => low = middle,
            false => high = middle,
        }
    }
    let ratio = libm::sqrt(low * high);
    let width = libm::sqrt(wander.variance / variance_of_reflected(1.0, ratio, 1.0));
    (width, ratio * width)
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
/// The width has settled once a step changes it by no more of itself.
const SETTLED: f64 = 1e-6;
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

    /// Variance and Allan variance of a mean over a second, without the series. Over its period 2l the motion is a
    /// triangle wave of a free motion. At two places that are d apart, |d| ≤ l, the wave has the covariance
    /// l²/12 − d²/2 + |d|³/3l; d is normal with the variance σ²t. The mean over a second has the variance
    /// 2 ∫ (1 − t) c(t) dt from 0 to 1, and its neighbour the covariance ∫ (1 − |t − 1|) c(t) dt from 0 to 2.
    fn by_integrals(l: f64, sigma: f64) -> (f64, f64) {
        let wave = |d: f64| {
            let folded = d.abs() % (2.0 * l);
            let d = folded.min(2.0 * l - folded);
            l * l / 12.0 - d * d / 2.0 + d * d * d / (3.0 * l)
        };
        let covariance = |t: f64| {
            let z = (0..200).map(|n| -6.0 + 0.06 * (f64::from(n) + 0.5));
            let density = |z: f64| libm::exp(-z * z / 2.0) / libm::sqrt(core::f64::consts::TAU);
            let one = |z: f64| 0.06 * density(z) * wave(sigma * libm::sqrt(t) * z);
            z.map(one).sum::<f64>()
        };
        let (mut own, mut neighbour) = (0.0, 0.0);
        let step = 2.0 / 400.0;
        for n in 0..400 {
            let t = step * (f64::from(n) + 0.5);
            let c = covariance(t);
            own += 2.0 * step * (1.0 - t).max(0.0) * c;
            neighbour += step * (1.0 - (t - 1.0).abs()) * c;
        }
        (own, own - neighbour)
    }

    /// Allan variance over variance from 0.40 to 0.75. From 0.64 on, at the fastest motion, only the variance is met.
    #[test]
    fn the_motion_has_the_variance_and_the_allan_variance_that_are_wanted() {
        let (variance, allan) = by_integrals(1.0, SEEN);
        let most = allan / variance;
        assert!((most - 0.636).abs() < 0.001, "{most}");
        for hundredths in (40..=75).step_by(5) {
            let wanted = f64::from(hundredths) / 100.0;
            let wander = Wander {
                variance: 9.0,
                allan: 9.0 * wanted,
            };
            let (width, sigma) = reflected(&wander);
            let (variance, allan) = by_integrals(width, sigma);
            let near = |found: f64, due: f64| (found / due - 1.0).abs() < 5e-4;
            assert!(near(variance, 9.0), "{wanted}: variance {variance}");
            let due = 9.0 * wanted.min(most);
            assert!(near(allan, due), "{wanted}: Allan variance {allan}");
        }
    }
}
