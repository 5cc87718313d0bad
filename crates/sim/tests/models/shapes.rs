//! Random traces at the edges of their shapes: outages and the ticks behind them, steps beyond the bounds, and who is random.

use backwater_sim::medium::trace::{Cox, Schedule, Shape};
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::Time;

use crate::traces::{built, first, rate, span};

/// The first instants up to `end` s of a model, in opportunities of so many bytes.
fn instants(mut trace: impl Schedule, size: u64, end: f64) -> Vec<f64> {
    let mut random = Random::stream(4, "models", "shape");
    let all = std::iter::from_fn(|| trace.next(size, &mut random)).map(Time::seconds);
    all.take_while(|at| *at <= end).collect()
}

/// In an outage the rate is nought, and it moves again at the next multiple of 20 ms. Opportunities come each 80 us at half of
/// the peak, so that the first one behind an outage follows such a multiple within a millisecond, unless the rate stays next to
/// nought for a step: steps have a deviation of a third of the peak.
#[test]
fn after_an_outage_the_rate_moves_at_the_next_tick() {
    let shape = Shape {
        peak: 2e5,
        volatility: 4.8e5,
        reversion: 0.0,
        sticky: 1.0,
        outage: 0.2,
        burst: 1.0,
    };
    let all = instants(Cox::new(shape), 1, 20.0);
    let behind = all.windows(2).filter(|pair| pair[1] - pair[0] > 0.05);
    let late: Vec<f64> = behind.map(|pair| pair[1] * 1e3 % 20.0).collect();
    let soon = late.iter().filter(|ms| **ms < 1.0).count();
    assert!(late.len() > 20 && soon * 5 >= late.len() * 4, "{late:?}");
}

/// From a rate of nought a walk by steps with the deviation s goes below nought by s/√2 on average (Feller II, section XII.5). As
/// its square grows by s² at each tick and the upper bound L turns it back, that takes √2·L/s ticks. With L = 2 bit/s and
/// s = 0.2 bit/s · √20 ms these are 2 s of motion between two outages of 100 s. From 1 bit/s it would take 75 s.
#[test]
fn the_rate_begins_again_from_nought_behind_an_outage() {
    let shape = Shape {
        peak: 2.0,
        volatility: 0.2,
        reversion: 0.0,
        sticky: 1.0,
        outage: 100.0,
        burst: 1.0,
    };
    let (seconds, step) = (240_000.0, 0.2 * libm::sqrt(0.02));
    let between = libm::sqrt(2.0) * 2.0 / step * 0.02;
    let moving = seconds / (1.0 + 100.0 / between);
    // An eighth of an opportunity a second. The rate forgets in 20 s, so that 4,700 s tell its mean to 6 %, and the
    // number of outages to a little more.
    let found = instants(Cox::new(shape), 1, seconds).len() as f64 / (moving / 8.0);
    assert!((found - 1.0).abs() < 0.4, "{found}");
    // The same from options, all a thousand times as large.
    let given = [
        ("peak", rate(2_000)),
        ("volatility", rate(200)),
        ("reversion", Value::Number(0.0)),
        ("sticky", Value::Share(1.0)),
        ("outage", span(100_000)),
        ("burst", Value::Number(1.0)),
    ];
    let trace = built("cox", &given).expect("legal options");
    let found = instants(trace, 1_000, seconds).len() as f64 / (moving / 8.0);
    assert!((found - 1.0).abs() < 0.4, "{found}");
}

/// A step of a hundred times the peak is reflected at both ends as often as it takes, and the rate is uniform at each tick: half
/// of the peak on average. Of 2,000 ticks the mean has a standard error of 1.3 %.
#[test]
fn a_long_step_is_reflected_as_often_as_it_takes() {
    let shape = Shape {
        peak: 4e3,
        volatility: 3e6,
        reversion: 0.0,
        sticky: 0.0,
        outage: 1.0,
        burst: 1.0,
    };
    let found = instants(Cox::new(shape), 1, 40.0).len() as f64 * 8.0 / 40.0;
    assert!((found / 2e3 - 1.0).abs() < 0.06, "{found}");
}

/// How many opportunities of a byte come in each of the first ticks of 20 ms, with next to no motion.
fn ticks<const N: usize>(peak: f64, reversion: f64, seed: u64) -> [f64; N] {
    let mut trace = Cox::new(Shape {
        peak,
        volatility: 1.0,
        reversion,
        sticky: 0.0,
        outage: 1.0,
        burst: 1.0,
    });
    let mut random = Random::stream(seed, "models", "begin");
    let mut counts = [0.0; N];
    while let Some(at) = trace.next(1, &mut random) {
        let Some(count) = counts.get_mut((at.seconds() / 0.02) as usize) else {
            break;
        };
        *count += 1.0;
    }
    counts
}

/// The rate begins anywhere between nought and the peak: in the first 20 ms half of the most that there can be, 200
/// opportunities, with a deviation of 0.29 of that. Of 200 beginnings the mean is known to 4 %.
#[test]
fn the_rate_begins_anywhere_below_its_peak() {
    let begun = |seed| ticks::<1>(80e3, 0.0, seed)[0];
    let mean = (1..=200).map(begun).sum::<f64>() / 200.0;
    assert!((mean / 100.0 - 1.0).abs() < 0.16, "{mean}");
}

/// At each tick the rate loses r · 20 ms of its distance from the middle, 2,000 opportunities in a tick: 0.4 with r = 20 and 0.2
/// with r = 10. Distances have a deviation of 1,150 and counts one of 45: over 30 beginnings the share is known to 0.01.
#[test]
fn a_rate_returns_by_its_share_at_each_tick() {
    for (reversion, kept) in [(20.0, 0.6), (10.0, 0.8)] {
        let (mut square, mut product) = (0.0, 0.0);
        for seed in 1..=30 {
            let [first, second] = ticks(1.6e6, reversion, seed);
            square += (first - 2_000.0) * (first - 2_000.0);
            product += (first - 2_000.0) * (second - 2_000.0);
        }
        let found = product / square;
        assert!((found - kept).abs() < 0.04, "{reversion}: {found}");
    }
}

/// With a fast return the rate soon stands at half of the peak: 2,000 opportunities of a byte in a second. Each event brings a
/// geometric number of them with the mean b: one in b is alone. Of N opportunities the standard error is √((2 b − 1) N). The
/// first does not come at the beginning.
#[test]
fn bursts_are_geometric_and_leave_the_rate_as_it_is() {
    for burst in [1.0, 1.5, 4.0] {
        let shape = Shape {
            peak: 32e3,
            volatility: 1.0,
            reversion: 20.0,
            sticky: 0.0,
            outage: 1.0,
            burst,
        };
        let mut all = instants(Cox::new(shape), 1, 4.4);
        assert!(all[0] > 0.0);
        all.retain(|at| *at > 0.4);
        let due = 2_000.0 * 4.0;
        let deviation = libm::sqrt((2.0 * burst - 1.0) * due);
        let found = all.len() as f64;
        assert!((found - due).abs() < 4.0 * deviation, "{burst}: {found}");
        let events = all.chunk_by(|a, b| a.total_cmp(b).is_eq());
        let sizes: Vec<usize> = events.map(<[f64]>::len).collect();
        let alone = sizes.iter().filter(|size| **size == 1).count() as f64;
        let share = alone / sizes.len() as f64;
        let error = libm::sqrt(0.25 / sizes.len() as f64);
        assert!(
            (share - 1.0 / burst).abs() < 4.0 * error,
            "{burst}: {share}"
        );
    }
}

/// A trace is random where another stream gives other instants.
#[test]
fn what_is_random_says_so() {
    let walk = [
        ("low", rate(1_000_000)),
        ("high", rate(9_000_000)),
        ("step", rate(1_000_000)),
        ("every", span(5)),
    ];
    let periodic = [
        ("high", rate(9_000_000)),
        ("low", rate(1_000_000)),
        ("period", span(10)),
        ("share", Value::Share(0.5)),
    ];
    let constant = [("rate", rate(5_000_000))];
    let traces = [
        built("random-walk", &walk),
        built("periodic", &periodic),
        built("constant", &constant),
    ];
    for (trace, random) in traces.into_iter().zip([true, false, false]) {
        let trace = trace.expect("legal options");
        let instants = |seed| first(&mut trace.clone(), 1_504, 100, seed);
        assert_eq!(trace.is_random(), random);
        assert_eq!(instants(1) != instants(2), random);
    }
}
