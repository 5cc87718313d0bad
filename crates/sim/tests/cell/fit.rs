//! A generator that is fitted to its own trace finds its own parameters again.

use backwater_sim::medium::trace::fit::{ESTIMATORS, Fit};
use backwater_sim::medium::trace::portrait::Recording;
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span};

use crate::net::generated;

const OPPORTUNITY: u64 = 1504;

fn fit(id: &str, recording: &Recording) -> Fit {
    let estimator = ESTIMATORS
        .iter()
        .find(|e| e.id == id)
        .expect("an estimator");
    estimator
        .fit(recording)
        .expect("a recording that is long enough")
}

/// The recording that these options give in so many seconds.
fn make(id: &str, given: &[(&'static str, Value)], seconds: u64, seed: u64) -> Recording {
    let mut random = Random::stream(seed, "trace", "recovery");
    let length = Span::secs(seconds);
    Recording::of(
        generated(id, given),
        OPPORTUNITY,
        length,
        usize::MAX,
        &mut random,
    )
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Rate(rate) => rate.0 as f64,
        Value::Span(span) => span.seconds(),
        Value::Share(x) | Value::Number(x) => *x,
        other => panic!("no number: {other:?}"),
    }
}

fn mbit(n: f64) -> Value {
    Value::Rate(Rate((n * 1e6) as u64))
}

/// The values that a fit found, each over the value that made the trace.
fn recovered(id: &str, given: &[(&'static str, Value)], seconds: u64, seed: u64) -> Vec<f64> {
    let found = fit(id, &make(id, given, seconds, seed)).options;
    let one = |(name, value): &(&str, Value)| {
        let (_, mine) = found.0.iter().find(|(n, _)| n == name).expect("an option");
        number(mine) / number(value)
    };
    given.iter().map(one).collect()
}

/// Over four hours. A rate that returns with 1/s between bounds that a motion of 0.5 fills at π²·0.5²/2 =
/// 1.2/s forgets in 0.45 s, so there are T/2τ = 16,000 independent rates: 0.4 % of standard error for
/// the peak, √(0.8/16,000) = 0.7 % for the variance. A second forgets 0.8 of the rate, known to 1 %, and
/// d ln 0.8 / d ln σ² is 0.3: 1.7 % for the volatility, and 4 % for the reversion, which is what is left of
/// the variance. Of about 1000 outages N = 650 are longer than the least, exponentially so. Their squares over
/// their sum, S2/S1, have the relative variance (20/4 + 1 - 2·4/2)/N = 2/N: 5.5 % for the mean, and as much for the
/// number, S1 over it; the reversion's 4 % move the visits to zero by 7 %: 9 % for `sticky`. The model's own runs, 3.3 times
/// as long, make all of it 1.14 times as large. Allowed are three standard errors or more, of six comparisons.
#[test]
fn a_model_finds_its_own_parameters_again() {
    let given = [
        ("peak", mbit(1.0)),
        ("volatility", mbit(0.5)),
        ("reversion", Value::Number(1.0)),
        ("sticky", Value::Share(0.1)),
        ("outage", Value::Span(Span::millis(500))),
        ("burst", Value::Number(1.5)),
    ];
    let allowed = [0.02, 0.06, 0.15, 0.30, 0.19, 0.02];
    let found = recovered("cox", &given, 4 * 3600, 1);
    for ((name, _), (ratio, allowed)) in given.iter().zip(found.iter().zip(allowed)) {
        assert!((ratio - 1.0).abs() < allowed, "{name}: {found:?}");
    }
}

/// Over an hour and a half. Steps of 1 in 0.2 s between bounds 8 apart forget in 2·8²/(π²·5) = 2.6 s: a
/// thousand independent rates give the mean to 0.07 and the width to 1.4 %, so each bound to 0.09; a
/// second's forgetting, 0.2 of the rate known to 3 %, gives the step to 2 %.
#[test]
fn a_walk_finds_its_own_bounds_again() {
    let given = [
        ("low", mbit(2.0)),
        ("high", mbit(10.0)),
        ("step", mbit(1.0)),
    ];
    let every = ("every", Value::Span(Span::millis(200)));
    let given = [given.as_slice(), &[every]].concat();
    let found = recovered("random-walk", &given, 5400, 1);
    for (ratio, allowed) in found.iter().zip([0.15, 0.03, 0.08, 1e-9]) {
        assert!((ratio - 1.0).abs() < allowed, "{found:?}");
    }
}

#[test]
fn a_constant_rate_is_its_mean() {
    let found = recovered("constant", &[("rate", mbit(6.0))], 60, 1);
    assert!((found[0] - 1.0).abs() < 0.001, "{found:?}");
}

/// A recording without outages, or one that never changes, gives a model without.
#[test]
fn what_is_not_in_the_recording_is_not_in_the_model() {
    let steady = make("constant", &[("rate", mbit(6.0))], 60, 1);
    let found = fit("cox", &steady);
    let option = |name| number(&found.options.0.iter().find(|(n, _)| *n == name).unwrap().1);
    assert_eq!((option("sticky"), option("burst")), (0.0, 1.0));
    for run in &found.runs {
        assert_eq!(run.outages, 0);
        assert!((run.mean_bps / 6e6 - 1.0).abs() < 0.02, "{}", run.mean_bps);
        // Poisson opportunities at 499 a second vary by 1/√499 = 4.5 %.
        assert!(run.cv_1s.unwrap() < 0.06, "{:?}", run.cv_1s);
    }
}
