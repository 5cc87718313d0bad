//! A model that is fitted to a recording gives its moments back.

use backwater_sim::medium::trace::fit::{ESTIMATORS, Fit, RUNS};
use backwater_sim::medium::trace::portrait::{Portrait, Recording};
use backwater_transport::part::{Args, Value};
use backwater_transport::random::Random;
use backwater_transport::units::Span;

use crate::traces::{built, rate};

const OPPORTUNITY: u64 = 1504;

fn fit(id: &str, recording: &Recording) -> Result<Fit, String> {
    let found = ESTIMATORS.iter().find(|one| one.id == id);
    found.expect("an estimator").fit(recording)
}

fn run(id: &str, options: &Args, seconds: u64, seed: u64) -> Recording {
    let trace = built(id, &options.0).expect("legal options");
    let mut random = Random::stream(seed, "models", "fit");
    Recording::of(
        trace,
        OPPORTUNITY,
        Span::secs(seconds),
        usize::MAX,
        &mut random,
    )
}

fn option(found: &Fit, name: &str) -> f64 {
    let (_, value) = found
        .options
        .0
        .iter()
        .find(|(n, _)| *n == name)
        .expect(name);
    match value {
        Value::Rate(rate) => rate.0 as f64,
        Value::Span(span) => span.seconds(),
        Value::Share(x) | Value::Number(x) => *x,
        other => panic!("no number: {other:?}"),
    }
}

/// Three digits and no more.
fn short(x: f64) -> bool {
    let digits = format!("{x:.9e}");
    digits
        .split('e')
        .next()
        .expect("digits")
        .trim_end_matches('0')
        .len()
        <= 4
}

fn near(what: &str, found: f64, due: f64, within: f64) {
    assert!((found - due).abs() <= within, "{what}: {found} for {due}");
}

/// Parameters are those whose long run has the moments of the recording. So a run with other draws has them, too, within its own error. The
/// peak, the volatility and the burst are known as well as three minutes tell them; a rare long outage and frequent short ones are not told apart.
#[test]
fn a_fitted_model_has_the_moments_of_its_recording() {
    let made = Args(vec![
        ("peak", rate(2_000_000)),
        ("volatility", rate(900_000)),
        ("reversion", Value::Number(0.5)),
        ("sticky", Value::Share(0.2)),
        ("outage", Value::Span(Span::millis(700))),
        ("burst", Value::Number(2.0)),
    ]);
    let recording = run("cox", &made, 200, 4);
    let found = fit("cox", &recording).expect("long enough");
    assert_eq!((found.id, found.runs.len() as u64), ("cox", RUNS));
    assert_eq!(found.warning, None);
    assert!(found.runs.iter().all(|run| run.length_s == 200.0));
    assert_ne!(found.runs[0], found.runs[1]);
    let seen = recording.portrait();
    assert_eq!(found.recording, seen);
    let again = run("cox", &found.options, 10_000, 8).portrait();
    near("mean", again.mean_bps / seen.mean_bps, 1.0, 0.03);
    let spread = |portrait: &Portrait| portrait.cv_1s.expect("it varies");
    near("spread", spread(&again) / spread(&seen), 1.0, 0.08);
    let lag = |portrait: &Portrait| portrait.autocorrelation[0].expect("it varies");
    near("lag", lag(&again), lag(&seen), 0.07);
    let bursts = |portrait: &Portrait| portrait.dispersion.expect("opportunities");
    near("bursts", bursts(&again) / bursts(&seen), 1.0, 0.05);
    near("outages", again.outage_share, seen.outage_share, 0.04);
    for (name, _) in &found.options.0 {
        let value = option(&found, name);
        assert!(short(value), "{name}: {value}");
    }
    near("peak", option(&found, "peak") / 2e6, 1.0, 0.25);
    near("volatility", option(&found, "volatility") / 9e5, 1.0, 0.4);
    near("burst", option(&found, "burst"), 2.0, 0.2);
}

/// In 25 s a slow rate shows neither its bounds nor a return: corrections jump between no return and a fast one.
/// That is said, with the remedy.
#[test]
fn a_recording_that_is_too_short_to_tell_is_warned_of() {
    let made = Args(vec![
        ("peak", rate(2_000_000)),
        ("volatility", rate(300_000)),
        ("reversion", Value::Number(0.0)),
        ("sticky", Value::Share(0.0)),
        ("outage", Value::Span(Span::millis(500))),
        ("burst", Value::Number(1.0)),
    ]);
    let found = fit("cox", &run("cox", &made, 25, 1)).expect("long enough");
    let warning = found.warning.expect("runs that differ");
    assert!(warning.contains("did not settle"), "{warning}");
    assert!(warning.contains("; record for longer"), "{warning}");
}

/// Opportunities at 2 Mbit/s, one after the other: nothing varies, so the model stands still at twice half of it.
#[test]
fn a_steady_recording_gives_a_steady_model() {
    let recording = run("constant", &Args(vec![("rate", rate(2_000_000))]), 40, 1);
    let found = fit("cox", &recording).expect("long enough");
    near("peak", option(&found, "peak"), 4e6, 4e4);
    assert_eq!(option(&found, "volatility"), 1.0);
    assert_eq!(option(&found, "reversion"), 20.0);
    assert_eq!(
        (option(&found, "sticky"), option(&found, "burst")),
        (0.0, 1.0)
    );
    // A walk has bounds that three digits tell apart, and a step between them.
    let walk = fit("random-walk", &recording).expect("long enough");
    near(
        "middle",
        (option(&walk, "low") + option(&walk, "high")) / 4e6,
        1.0,
        0.01,
    );
    assert!(option(&walk, "step") >= 1.0);
    assert!(
        walk.runs
            .iter()
            .all(|run| (run.mean_bps / 2e6 - 1.0).abs() < 0.03)
    );
    let constant = fit("constant", &recording).expect("long enough");
    near("rate", option(&constant, "rate"), 2e6, 1e4);
}

/// A walk between 1 and 5 Mbit/s by 0.5 each 200 ms; and one about a mean that is less than half of the width that its variance asks for.
#[test]
fn a_fitted_walk_has_the_moments_of_its_recording() {
    let made = Args(vec![
        ("low", rate(1_000_000)),
        ("high", rate(5_000_000)),
        ("step", rate(500_000)),
        ("every", Value::Span(Span::millis(200))),
    ]);
    let recording = run("random-walk", &made, 1_200, 2);
    let found = fit("random-walk", &recording).expect("long enough");
    let seen = recording.portrait();
    let again = run("random-walk", &found.options, 9_600, 3).portrait();
    near("mean", again.mean_bps / seen.mean_bps, 1.0, 0.03);
    near(
        "spread",
        again.cv_1s.unwrap() / seen.cv_1s.unwrap(),
        1.0,
        0.06,
    );
    near("low", option(&found, "low"), 1e6, 3.5e5);
    near("high", option(&found, "high"), 5e6, 3.5e5);
    near("step", option(&found, "step"), 5e5, 8e4);
    // Whole steps lead from the middle to the bounds.
    let steps = (option(&found, "high") - option(&found, "low")) / 2.0 / option(&found, "step");
    near("steps", steps, steps.round(), 1e-4);
    assert_eq!(option(&found, "every"), 0.2);
    // Half a minute of nothing and half of a rate: the middle is the mean, and no rate lies below zero.
    let half: Vec<u64> = (0..30_000).map(|n| 30_000 + n).collect();
    let recording = Recording {
        stamps: half,
        length: 60_000,
        opportunity: OPPORTUNITY,
    };
    let found = fit("random-walk", &recording).expect("long enough");
    let mean = recording.portrait().mean_bps;
    assert_eq!(option(&found, "low"), 0.0);
    near("high", option(&found, "high") / (2.0 * mean), 1.0, 0.01);
    let step = option(&found, "step");
    assert!(step >= 1.0 && step <= mean, "{step}");
}

/// 200 opportunities in 20 s are the least, and a hundred thousand seconds the longest.
#[test]
fn what_is_too_little_or_too_long_is_refused() {
    let even = |count: u64, length: u64| Recording {
        stamps: (1..=count).map(|n| n * length / count).collect(),
        length,
        opportunity: OPPORTUNITY,
    };
    assert!(fit("constant", &even(200, 20_000)).is_ok());
    for (recording, why) in [
        (even(199, 20_000), "199 opportunities"),
        (even(200, 19_999), "19.999 s"),
        (even(200, 100_000_001), "100000.001 s"),
    ] {
        let said = fit("constant", &recording).unwrap_err();
        assert!(said.contains(why), "{said}");
    }
    // No model is slower than 1 kbit/s.
    let longest = fit("constant", &even(200, 100_000_000)).expect("just short enough");
    assert_eq!(option(&longest, "rate"), 1e3);
}

/// Gaps say how long an outage is. A rate that varies but never stops says nothing, and neither
/// does one that stands still. Both models then have no outages, and the same length for them.
#[test]
fn without_outages_their_length_is_the_same_for_every_rate() {
    let made = Args(vec![
        ("peak", rate(6_000_000)),
        ("volatility", rate(900_000)),
        ("reversion", Value::Number(2.0)),
        ("sticky", Value::Share(0.0)),
        ("outage", Value::Span(Span::millis(100))),
        ("burst", Value::Number(1.0)),
    ]);
    let steady = run("constant", &Args(vec![("rate", rate(2_000_000))]), 20, 1);
    let varying = run("cox", &made, 20, 3);
    assert!(varying.portrait().cv_1s.expect("it varies") > 0.1);
    assert_eq!(varying.portrait().outages, 0);
    let found = [steady, varying].map(|recording| fit("cox", &recording).expect("long enough"));
    let [one, other] = found.map(|found| (option(&found, "sticky"), option(&found, "outage")));
    assert_eq!(one.0, 0.0);
    assert_eq!(one, other);
}

/// 1,000 opportunities in two of three seconds and 1,001 in the third: a variance of 2/9 about a
/// mean of 1,000 and a third. What is added up are squares of distances from the mean, so that no
/// digits are lost beside a mean that is two thousand times as large.
#[test]
fn a_small_spread_about_a_large_mean_is_exact() {
    let counts = [1_000, 1_000, 1_001];
    let seconds = (0u64..).step_by(1_000).zip(counts);
    let stamps = seconds.flat_map(|(begin, count)| (0..count).map(move |n| begin + n.min(999)));
    for opportunity in [125, 1_504] {
        let recording = Recording {
            stamps: stamps.clone().collect(),
            length: 3_000,
            opportunity,
        };
        let spread = recording.portrait().cv_1s.expect("it varies");
        let due = libm::sqrt(2.0 / 9.0) / (3_001.0 / 3.0);
        assert!((spread / due - 1.0).abs() < 1e-11, "{spread} {due}");
    }
}
