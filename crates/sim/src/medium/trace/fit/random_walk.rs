//! Estimates: the middle of the bounds as the mean rate; their distance and the step from variance and
//! Allan variance of the rate in a second, for which a reflected motion has closed forms (`wander.rs`).
//! The variance that uneven opportunities add is subtracted first. A walk takes whole steps, so half of the room between the
//! bounds has a whole number of them: else the walk would not reach its bounds, and vary less than the recording.

use backwater_transport::part::{Args, Value};
use backwater_transport::units::{Rate, Span};

use super::{Estimator, Found, Wander, rate, reflected};

/// Time between steps, s: the generator's default.
const EVERY: f64 = 0.2;
/// The least step and the greatest rate that the generator takes, bit/s.
const LEAST_STEP: u64 = 1_000;
const MOST: f64 = 1e11;

pub(super) const ESTIMATOR: Estimator = Estimator {
    id: "random-walk",
    fit: |recording| {
        let (width, sigma) = reflected(&Wander::of(recording));
        let middle = recording.mean();
        // Bounds of three digits differ, also where the upper one is the greatest rate.
        let least = LEAST_STEP as f64;
        let half = (width / 2.0).min(middle).max(least).max(middle / 100.0);
        let step = sigma * libm::sqrt(EVERY);
        let (low, high) = (
            rate(middle - half, 0.0, 0.98 * MOST),
            rate(middle + half, 2.0 * least, MOST),
        );
        let (Value::Rate(bottom), Value::Rate(top)) = (&low, &high) else {
            unreachable!("rates")
        };
        let room = (top.0 - bottom.0) / 2;
        let most_steps = (room / LEAST_STEP).max(1) as f64;
        let steps = libm::round(room as f64 / step).clamp(1.0, most_steps);
        let step = Value::Rate(Rate(room / steps as u64));
        let every = Value::Span(Span::from_seconds(EVERY));
        let holds = least..=0.98 * MOST;
        let warning = (!holds.contains(&middle)).then(|| {
            format!("the recording has {middle:.0} bit/s on average, and a walk holds 1 kbit/s to 98 Gbit/s: compare the means, or take another generator")
        });
        let options = Args(vec![
            ("low", low),
            ("high", high),
            ("step", step),
            ("every", every),
        ]);
        Found { options, warning }
    },
};
