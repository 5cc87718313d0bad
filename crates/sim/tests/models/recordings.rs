//! Recordings that are written by hand: their figures, and the models that are fitted to them.

use backwater_sim::medium::trace::file;
use backwater_sim::medium::trace::fit::{ESTIMATORS, Fit, RUNS};
use backwater_sim::medium::trace::portrait::Recording;
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::Span;

use crate::traces::{built, rate};

fn fit(id: &str, recording: &Recording) -> Fit {
    let found = ESTIMATORS.iter().find(|one| one.id == id);
    let found = found.expect("an estimator").fit(recording);
    found.expect("a recording that is long enough")
}

fn option(found: &Fit, name: &str) -> f64 {
    let named = found.options.0.iter().find(|(n, _)| *n == name);
    match &named.expect("an option").1 {
        Value::Rate(rate) => rate.0 as f64,
        Value::Span(span) => span.seconds(),
        Value::Share(x) | Value::Number(x) => *x,
        other => panic!("no number: {other:?}"),
    }
}

/// So many opportunities in each bin of so many milliseconds, evenly.
fn binned(counts: &[u64], bin: u64, opportunity: u64) -> Recording {
    let bins = (0..).step_by(bin as usize).zip(counts);
    let stamps = bins.flat_map(|(begin, n)| (0..*n).map(move |i| begin + i * bin / n));
    Recording {
        stamps: stamps.collect(),
        length: counts.len() as u64 * bin,
        opportunity,
    }
}

/// A constant rate of one opportunity in a millisecond, watched for 250 ms: its instants in milliseconds, no more of them than
/// are asked for.
#[test]
fn a_trace_is_recorded_in_milliseconds() {
    let record = |most| {
        let trace = built("constant", &[("rate", rate(8_000 * 1_504))]);
        let mut random = Random::stream(1, "models", "record");
        let length = Span::millis(250);
        Recording::of(trace.expect("a rate"), 1_504, length, most, &mut random)
    };
    let all = record(usize::MAX);
    assert_eq!((all.length, all.opportunity), (250, 1_504));
    assert_eq!(all.stamps, (1..=250).collect::<Vec<_>>());
    assert_eq!(record(3).stamps, [1, 2, 3]);
    assert_eq!(all.portrait().length_s, 0.25);
}

/// Three opportunities in 40 ms and one in the next: half the square of their difference is 2, and so is the mean. One bin has
/// no neighbour.
#[test]
fn two_bins_tell_how_opportunities_cluster() {
    assert_eq!(binned(&[3, 1], 40, 1504).portrait().dispersion, Some(1.0));
    assert_eq!(binned(&[3], 40, 1504).portrait().dispersion, None);
}

/// One byte each second for 100 s, and two in the 50th. In hundredths deviations are −1, and 99 once: their squares are 9,900,
/// and products of neighbours are 97 − 2 · 99 = −101. However small the rate, it varies.
#[test]
fn a_slow_rate_has_its_autocorrelation() {
    let mut counts = [1; 100];
    counts[49] = 2;
    let found = binned(&counts, 1000, 1).portrait();
    let first = found.autocorrelation[0].expect("it varies");
    assert!((first + 101.0 / 9_900.0).abs() < 1e-12, "{first}");
}

/// Ten mean intervals make an outage where opportunities are rare: with one in 5 s they are 50 s, and with two 25 s.
#[test]
fn rare_opportunities_make_long_outages() {
    for (stamps, from) in [(vec![1000], 50.0), (vec![1000, 4000], 25.0)] {
        let recording = Recording {
            stamps,
            length: 5000,
            opportunity: 1504,
        };
        assert_eq!(recording.portrait().outage_from_s, from);
    }
}

/// A sign before something that is no number makes it no negative one.
#[test]
fn what_is_no_number_is_not_called_negative() {
    for (content, why) in [
        ("-", "is not a whole number"),
        ("-x", "is not a whole number"),
        ("-7", "is negative"),
    ] {
        let said = file::read(content.as_bytes()).expect_err("refused");
        assert!(said.to_string().contains(why), "{said}");
    }
}

/// From 200 ms on a gap is an outage where opportunities are frequent: this one lasts for a tenth of the time.
#[test]
fn a_gap_of_just_the_least_length_is_an_outage() {
    for (gap, outages, share) in [(199, 0, 0.0), (200, 1, 0.1)] {
        let recording = Recording {
            stamps: (0..=1000).chain(1000 + gap..=2000).collect(),
            length: 2000,
            opportunity: 1504,
        };
        let found = recording.portrait();
        assert_eq!((found.outages, found.outage_share), (outages, share));
    }
}

/// Counts in 40 ms swing by 10 about 19 or 21, second by second: those of a second vary by 25 about 500, which is less than
/// such bursts alone bring about. So the rate stands still, and bursts of b have the dispersion 2 b − 1, half the mean square
/// of the difference between neighbours over the mean.
#[test]
fn a_steady_rate_that_comes_in_bursts_is_found() {
    let counts: Vec<u64> = (0..30 * 25)
        .map(|bin| {
            let middle = 19 + 2 * (bin / 25 % 2);
            match bin % 25 {
                24 => middle,
                place if place % 2 == 0 => middle - 10,
                _ => middle + 10,
            }
        })
        .collect();
    let found = fit("cox", &binned(&counts, 40, 1504));
    let squares = counts.windows(2).map(|two| two[0].abs_diff(two[1]).pow(2));
    let square = squares.sum::<u64>() as f64 / 2.0 / (counts.len() - 1) as f64;
    let burst = (square / 20.0 + 1.0) / 2.0;
    // Three digits are kept.
    assert!((option(&found, "burst") - burst).abs() <= 0.005, "{burst}");
    assert_eq!(option(&found, "volatility"), 1.0);
    assert_eq!(option(&found, "reversion"), 20.0);
    assert_eq!(option(&found, "sticky"), 0.0);
}

/// A rate that is on for a second and off for one is as wide as its mean allows: from nought to twice the mean. Uniform between
/// bounds w apart a rate has the variance w²/12, so that the motion is at least √12 times the mean wide. At its fastest it
/// moves by 0.6 w·√0.2 in a step, 0.93 of the mean: the walk goes from the middle to a bound in one step.
#[test]
fn a_walk_as_fast_as_can_be_takes_one_step_to_its_bound() {
    let counts: Vec<u64> = (0..40).map(|second| 40 * (second % 2)).collect();
    let recording = binned(&counts, 1000, 1504);
    let found = fit("random-walk", &recording);
    let mean = recording.portrait().mean_bps;
    assert_eq!(option(&found, "low"), 0.0);
    assert!((option(&found, "high") / mean - 2.0).abs() < 0.01);
    assert_eq!(option(&found, "step"), option(&found, "high") / 2.0);
}

/// Seconds with 90 and 110 opportunities by turns ask for the fastest motion, 0.6 of the width in a second. From the middle to a
/// bound that is half of the width, or 1/(2 · 0.6 · √0.2) = 1.9 steps of 200 ms: two, where the mean leaves room for them.
#[test]
fn a_walk_as_fast_as_can_be_takes_two_steps_to_a_far_bound() {
    let counts: Vec<u64> = (0..40).map(|second| 90 + 20 * (second % 2)).collect();
    let found = fit("random-walk", &binned(&counts, 1000, 1504));
    let [low, high, step] = ["low", "high", "step"].map(|name| option(&found, name));
    assert!(low > 0.0);
    assert!(
        (4.0 * step / (high - low) - 1.0).abs() < 1e-3,
        "{low} {high} {step}"
    );
    assert_eq!(option(&found, "every"), 0.2);
    // As many runs of the model are described as is said.
    assert_eq!(found.runs.len() as u64, RUNS);
}

/// The rate goes from 500 opportunities in a second to 1,000 and back by 25 in a second: the variance is 25² (20² + 2)/12 =
/// 20,938 and the Allan variance 25²/2. A slow motion has an Allan variance of σ²/3, which makes σ² = 938, and the mean over a
/// second takes σ²/6 from its variance w²/12, which makes w = 503. A step of 200 ms is σ·√0.2 = 13.7, and with the bounds, which
/// a motion of 0.06 w in a second meets now and then, a little more.
#[test]
fn a_slow_motion_is_found_from_its_closed_forms() {
    let counts: Vec<u64> = (0..40u64)
        .map(|n| 500 + 25 * (20 - n.abs_diff(20)))
        .collect();
    let recording = binned(&counts, 1000, 125);
    let found = fit("random-walk", &recording);
    let [low, high, step] = ["low", "high", "step"].map(|name| option(&found, name) / 1_000.0);
    assert!((high - low - 503.0).abs() < 15.0, "{low} {high}");
    assert!(((high + low) / 2.0 - 750.0).abs() < 5.0, "{low} {high}");
    assert!((13.0..15.6).contains(&step), "{step}");
}

/// A rate that varies by no more than a hundredth of its mean stands still: this one by 8 of 1,000 in a second.
#[test]
fn a_rate_within_a_hundredth_of_its_mean_stands_still() {
    let counts: Vec<u64> = (0..20).map(|n| 992 + 16 * (n % 2)).collect();
    let found = fit("cox", &binned(&counts, 1000, 1504));
    assert_eq!(option(&found, "volatility"), 1.0);
    assert_eq!(option(&found, "reversion"), 20.0);
}

/// No model is faster than 100 Gbit/s, whatever the recording.
#[test]
fn no_model_is_faster_than_its_options_allow() {
    let recording = binned(&[50; 20], 1000, 250_000_000);
    assert_eq!(recording.portrait().mean_bps, 1e11);
    assert_eq!(option(&fit("random-walk", &recording), "high"), 1e11);
    let faster = binned(&[100; 20], 1000, 250_000_000);
    assert_eq!(option(&fit("constant", &faster), "rate"), 1e11);
}

/// A walk takes steps of 1 kbit/s at least and rates of 100 Gbit/s at most, and what is fitted to a rate that stands still, to 240 bit/s
/// and to more than the greatest rate keeps to that. A mean that it cannot hold is told.
#[test]
fn a_fitted_walk_has_options_that_the_generator_takes() {
    for (counts, opportunity, held) in [
        (8, 31_250, true),
        (6, 5, false),
        (2_000, 500_000_000, false),
    ] {
        let found = fit("random-walk", &binned(&[counts; 40], 1000, opportunity));
        assert_eq!(found.warning.is_none(), held, "{opportunity}");
        let [low, high, step] = ["low", "high", "step"].map(|name| option(&found, name));
        assert!(
            step >= 1e3 && 2.0 * step <= high - low,
            "{low} {high} {step}"
        );
        assert!(low >= 0.0 && high <= 1e11, "{low} {high} {step}");
    }
}
