//! Estimates: the parameters whose long run has the same moments as the recording (indirect inference).
//!
//! The likelihood of the process has no closed form, but each parameter moves one moment before all
//! others, so the parameters are corrected by what is wrong with the moments of a long run until nothing is:
//!
//! * `peak` by the mean rate, which is half of it but for outages;
//! * `volatility` by the Allan variance of the rate in a second over its variance, which is how much of
//!   the rate a second forgets. The ratio can be met even where the variance cannot, because the recording
//!   has heavier tails than a bounded motion;
//! * `reversion` by the variance of the rate in a second, whose inverse is about
//!   12/peak² + 2·reversion/volatility²: exact where only the bounds or only the return hold the rate;
//! * `burst` by the dispersion of counts in 40 ms, 2·burst − 1;
//! * `outage` by the time by which gaps are longer than an outage's least length, its square over itself: an
//!   exponential time has no memory, and its square is twice the square of its mean;
//! * `sticky` by the sum of these times.
//!
//! Gaps that come without an outage, where the rate is near zero, are in the recording and in the run; they
//! are many and short, and squares see little of them. No mean is longer than the longest gap.
//!
//! Reference: Gouriéroux, Monfort and Renault, Indirect Inference, Journal of Applied Econometrics 8 (1993).

use backwater_transport::part::{Args, Value};
use backwater_transport::random::Random;
use backwater_transport::units::Span;

use super::super::any_trace::AnyTrace;
use super::super::cox::{Cox, Shape};
use super::{Estimator, Found, Recording, Wander, deviation, rate, rounded};

/// The run is so many times as long as the recording, so that its own error adds a hundredth.
const LONGER: f64 = 50.0;
/// No run has more opportunities, unless the recording has.
const MOST: f64 = 2e6;
/// Nor is it longer, s, unless the recording is.
const LONGEST: f64 = 50_000.0;
/// Corrections at most.
const ROUNDS: usize = 25;
/// No further correction once none changes a parameter by more.
const NEAR: f64 = 0.003;
/// The fit has not settled where the spreads of its last runs differ by more. A run's own error is a few percent.
const APART: f64 = 1.25;
/// So many runs are the last.
const LAST: usize = 4;
/// The greatest factor of one correction.
const STEP: f64 = 2.0;
/// A rate that varies by less of its mean than this stands still.
const STEADY: f64 = 0.01;
/// The first guess of an outage is no shorter, s.
const SHORTEST: f64 = 0.1;
/// The fastest return to the middle, 1/s: the option's bound.
const FASTEST: f64 = 20.0;

/// The figures that are matched.
#[derive(Copy, Clone, Debug)]
struct Moments {
    mean: f64,
    wander: Wander,
    dispersion: f64,
    /// By how much outages are longer than the least: the sum over a second of the recording, and the sum
    /// of squares over it, s.
    beyond: f64,
    square: f64,
    /// The longest gap, s.
    longest: f64,
}

impl Moments {
    fn of(recording: &Recording) -> Moments {
        let (gaps, from) = recording.outages();
        let beyond = || gaps.iter().map(|gap| (*gap as f64 - from) / 1e3);
        let (sum, squares): (f64, f64) = (beyond().sum(), beyond().map(|s| s * s).sum());
        Moments {
            mean: recording.mean(),
            wander: Wander::of(recording),
            dispersion: recording.dispersion().unwrap_or(1.0),
            beyond: sum / recording.seconds(),
            square: if sum > 0.0 { squares / sum } else { 0.0 },
            longest: gaps.iter().max().map_or(0.0, |gap| *gap as f64 / 1e3),
        }
    }
}

/// How much of the rate a second forgets: 1 less the autocorrelation.
fn forgotten(moments: &Moments) -> f64 {
    moments.wander.allan / moments.wander.variance
}

/// By what a parameter is multiplied whose moment is `found` where `wanted` is.
fn ratio(wanted: f64, found: f64) -> f64 {
    match found > 0.0 {
        true => (wanted / found).clamp(1.0 / STEP, STEP),
        false => STEP,
    }
}

/// Within the bounds of the generator's options.
fn bounded(shape: Shape) -> Shape {
    Shape {
        peak: shape.peak.clamp(1e4, 1e10),
        volatility: shape.volatility.clamp(1.0, 1e10),
        reversion: shape.reversion.clamp(0.0, FASTEST),
        sticky: shape.sticky.clamp(0.0, 1.0),
        outage: shape.outage.clamp(1e-3, 1e3),
        burst: shape.burst.clamp(1.0, 1e3),
    }
}

fn corrected(shape: Shape, wanted: &Moments, found: &Moments) -> Shape {
    let volatility = shape.volatility * libm::sqrt(ratio(forgotten(wanted), forgotten(found)));
    let excess = 1.0 / wanted.wander.variance - 1.0 / found.wander.variance;
    let spread = (2.0 * shape.burst - 1.0) * ratio(wanted.dispersion, found.dispersion);
    // Where the recording has none, nothing is known of their length.
    let (sticky, outage) = match wanted.beyond > 0.0 {
        true => {
            let by = ratio(wanted.square, found.square);
            let outage = (shape.outage * by).min(wanted.longest);
            let sticky = shape.sticky * ratio(wanted.beyond, found.beyond) * shape.outage / outage;
            (sticky, outage)
        }
        false => (0.0, shape.outage),
    };
    bounded(Shape {
        peak: shape.peak * ratio(wanted.mean, found.mean),
        volatility,
        reversion: shape.reversion + 0.5 * volatility * volatility * excess,
        sticky,
        outage,
        burst: (spread + 1.0) / 2.0,
    })
}

/// Whether two shapes are as good as equal.
fn near(a: Shape, b: Shape) -> bool {
    let list = |s: Shape| {
        [
            s.peak,
            s.volatility,
            s.reversion,
            s.sticky,
            s.outage,
            s.burst,
        ]
    };
    let pairs = list(a).into_iter().zip(list(b));
    let near = |(a, b): (f64, f64)| (a - b).abs() <= NEAR * a.abs().max(b.abs());
    pairs.into_iter().all(near)
}

/// How far the moments of the rate are from those that are wanted: the sum of their logarithms' differences.
fn distance(wanted: &Moments, found: &Moments) -> f64 {
    let list = |m: &Moments| [m.mean, m.wander.variance, forgotten(m), m.dispersion];
    let pairs = list(wanted).into_iter().zip(list(found));
    pairs.map(|(a, b)| libm::log(a / b).abs()).sum()
}

/// The shape of the run that came nearest, and a warning, where the spreads of the last runs are far apart.
fn unsettled(wanted: &Moments, rounds: &[(Shape, Moments)]) -> Option<(Shape, String)> {
    let spread = |m: &Moments| libm::sqrt(m.wander.variance / wanted.wander.variance);
    let last = rounds.iter().rev().take(LAST).map(|(_, m)| spread(m));
    let (least, most) = last.fold((f64::INFINITY, 0.0f64), |(a, b), x| (a.min(x), b.max(x)));
    let by = |round: &&(Shape, Moments)| distance(wanted, &round.1);
    let nearest = rounds.iter().min_by(|a, b| by(a).total_cmp(&by(b)));
    let (shape, found) = nearest.filter(|_| most > APART * least)?;
    let near = spread(found);
    let warning = format!(
        "the fit did not settle: its last runs had {least:.2} to {most:.2} times the spread of the recording, and the options \
         are those of the run that came nearest ({near:.2} times); record for longer, or fit a random-walk"
    );
    Some((*shape, warning))
}

/// The shape, and a warning where the rounds have not settled.
fn fit(recording: &Recording) -> (Shape, Option<String>) {
    let wanted = Moments::of(recording);
    let per_second = recording.mean() / recording.bits();
    let seconds = (LONGER * recording.seconds())
        .min(MOST / per_second)
        .min(LONGEST);
    let length = Span::from_seconds(seconds.max(recording.seconds()));
    let peak = 2.0 * wanted.mean;
    let burst = (wanted.dispersion + 1.0) / 2.0;
    if wanted.wander.variance < STEADY * wanted.mean * STEADY * wanted.mean {
        let steady = Shape {
            peak,
            volatility: 0.0,
            reversion: FASTEST,
            sticky: 0.0,
            outage: SHORTEST,
            burst,
        };
        return (bounded(steady), None);
    }
    let mut shape = bounded(Shape {
        peak,
        volatility: deviation(peak, forgotten(&wanted) * peak * peak / 12.0),
        reversion: 0.0,
        sticky: 0.1,
        outage: (wanted.square / 2.0).max(SHORTEST),
        burst,
    });
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        // Every round draws the same random numbers, so that a small change of the parameters is one of the moments.
        let mut random = Random::stream(0, "trace", "fit");
        let trace = AnyTrace::Cox(Cox::new(shape));
        let run = Recording::of(
            trace,
            recording.opportunity,
            length,
            usize::MAX,
            &mut random,
        );
        let found = Moments::of(&run);
        let next = corrected(shape, &wanted, &found);
        if near(shape, next) {
            return (next, None);
        }
        rounds.push((shape, found));
        shape = next;
    }
    match unsettled(&wanted, &rounds) {
        Some((nearest, warning)) => (nearest, Some(warning)),
        None => (shape, None),
    }
}

pub(super) const ESTIMATOR: Estimator = Estimator {
    id: "cox",
    fit: |recording| {
        let (shape, warning) = fit(recording);
        let options = Args(vec![
            ("peak", rate(shape.peak, 1e4, 1e10)),
            ("volatility", rate(shape.volatility, 1.0, 1e10)),
            ("reversion", Value::Number(rounded(shape.reversion))),
            ("sticky", Value::Share(rounded(shape.sticky))),
            (
                "outage",
                Value::Span(Span::from_seconds(rounded(shape.outage))),
            ),
            ("burst", Value::Number(rounded(shape.burst))),
        ]);
        Found { options, warning }
    },
};

#[cfg(test)]
mod test_corrections;
