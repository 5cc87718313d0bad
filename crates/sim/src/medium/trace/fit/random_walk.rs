//! Estimates: the middle of the bounds as the mean rate; their distance and the step from variance and
//! Allan variance of the rate in a second, for which a reflected motion has closed forms (`wander.rs`).
//! The variance that uneven opportunities add is subtracted first. A walk takes whole steps, so half of the room between the
//! bounds has a whole number of them: else the walk would not reach its bounds, and vary less than the recording.

use backwater_transport::part::{Args, Value};
use backwater_transport::units::{Rate, Span};

use super::{Estimator, Found, Wander, rate, reflected};

/// Time between steps, s: the generator's default.
const EVERY: f64 = 0.2;
pub(super) const ESTIMATOR: Estimator = Estimator {
    id: "random-walk",
    fit: |recording| {
        let (width, sigma) = reflected(&Wander::of(recording));
        let middle = recording.mean();
        // Bounds of three digits differ.
        let half = (width / 2.0).min(middle).max(1e3).max(middle / 100.0);
        let step = sigma * libm::sqrt(EVERY);
        let (low, high) = (
            rate(middle - half, 0.0, 1e11),
            rate(middle + half, 1e3, 1e11),
        );
        let (Value::Rate(least), Value::Rate(most)) = (&low, &high) else {
            unreachable!("rates")
        };
        let room = (most.0 - least.0) / 2;
        let steps = libm::round(room as f64 / step).clamp(1.0, room as f64);
        let step = Value::Rate(Rate(room / steps as u64));
        let every = Value::Span(Span::from_seconds(EVERY));
        Found::sure(Args(vec![
            ("low", low),
            ("high", high),
            ("step", step),
            ("every", every),
        ]))
    },
};
