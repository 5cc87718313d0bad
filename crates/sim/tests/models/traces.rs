//! Generated traces beside the integral of their rate.

use backwater_sim::medium::trace::{AnyTrace, Schedule, TRACES};
use backwater_transport::part::{Args, Refusal, Value};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Rate, Span};

pub const S: u128 = 1_000_000_000_000;
pub const MS: u64 = Span::millis(1).0;

pub fn built(id: &str, given: &[(&'static str, Value)]) -> Result<AnyTrace, Refusal> {
    let part = TRACES.iter().find(|part| part.id == id).expect("a trace");
    (part.build)(&Args(given.to_vec()))
}

pub fn rate(bps: u64) -> Value {
    Value::Rate(Rate(bps))
}

pub fn span(ms: u64) -> Value {
    Value::Span(Span::millis(ms))
}

/// The first instants of a trace.
pub fn first(trace: &mut AnyTrace, size: u64, count: usize, seed: u64) -> Vec<u64> {
    let mut random = Random::stream(seed, "models", "trace");
    let all = std::iter::from_fn(|| trace.next(size, &mut random));
    all.take(count).map(|at| at.0).collect()
}

/// When n times `size` bytes have come together at rates that hold for a while each: (ticks, bit/s), the last for ever.
fn instants(pieces: impl Iterator<Item = (u64, u64)>, size: u64, count: usize) -> Vec<u64> {
    let whole = u128::from(size) * 8 * S;
    let (mut found, mut begin, mut bits) = (Vec::new(), 0u128, 0u128);
    for (ticks, bps) in pieces {
        let (ticks, bps) = (u128::from(ticks), u128::from(bps));
        // n whole opportunities are complete when the sum reaches n · whole, rounded up to a tick.
        while found.len() < count && bps > 0 {
            let missing = whole * (found.len() as u128 + 1) - bits;
            let wait = missing.div_ceil(bps);
            if wait > ticks {
                break;
            }
            found.push((begin + wait) as u64);
        }
        begin += ticks;
        bits += ticks * bps;
        if found.len() == count {
            break;
        }
    }
    found
}

#[test]
fn opportunities_come_when_the_rate_has_brought_their_bytes() {
    let mut random = Random::stream(1, "models", "rates");
    for _ in 0..40 {
        let (high, low) = (random.between(1, 20_000_000), random.between(0, 3_000_000));
        let (period, percent) = (random.between(3, 400), random.between(5, 95));
        let size = random.between(100, 1504);
        let share = percent as f64 / 100.0;
        let given = [
            ("high", rate(high)),
            ("low", rate(low)),
            ("period", span(period)),
            ("share", Value::Share(share)),
        ];
        let mut trace = built("periodic", &given).expect("legal options");
        let mean = high as f64 * share + low as f64 * (1.0 - share);
        // A period has two steps.
        let steps = 2.0 * (8 * size) as f64 / mean / (period as f64 / 1e3);
        assert!((trace.steps(size) / steps - 1.0).abs() < 1e-9);
        let ticks = period * MS;
        let part = (ticks as f64 * share).round() as u64;
        let pieces = (0..).flat_map(|_| [(part, high), (ticks - part, low)]);
        let due = instants(pieces, size, 60);
        assert_eq!(first(&mut trace, size, 60, 1), due);
    }
    for _ in 0..40 {
        let mut at = vec![0];
        let mut bps = vec![random.between(0, 9_000_000)];
        for _ in 0..random.between(0, 9) {
            at.push(at[at.len() - 1] + random.between(1, 90));
            bps.push(random.between(0, 4) * random.between(0, 3_000_000));
        }
        bps.push(random.between(1, 9_000_000));
        at.push(at[at.len() - 1] + 7);
        let given = [
            ("at_ms", Value::Series(at.as_slice().into())),
            ("rate_bps", Value::Series(bps.as_slice().into())),
        ];
        let mut trace = built("rates", &given).expect("legal options");
        let ends = at.iter().skip(1).map(|ms| ms * MS).chain([u64::MAX]);
        let lengths = at.iter().zip(ends).map(|(ms, end)| end - ms * MS);
        let due = instants(lengths.zip(bps.iter().copied()), 700, 50);
        assert_eq!(first(&mut trace, 700, 50, 1), due);
        // At its fastest, counted in milliseconds.
        let fastest = *bps.iter().max().expect("rates") as f64;
        let steps = 5_600.0 / fastest / 1e-3;
        assert!((trace.steps(700) / steps - 1.0).abs() < 1e-9);
    }
}

/// A part that has no length, and bounds that leave no room for a step.
#[test]
fn what_is_no_rate_is_refused() {
    let refused = |id, given: &[(&'static str, Value)]| built(id, given).unwrap_err().option;
    let periodic = |share| {
        [
            ("high", rate(9)),
            ("low", rate(1)),
            ("period", span(10)),
            ("share", Value::Share(share)),
        ]
    };
    assert_eq!(refused("periodic", &periodic(0.0)), "share");
    assert_eq!(refused("periodic", &periodic(1.0)), "share");
    let walk = |low, high, step| {
        [
            ("low", rate(low)),
            ("high", rate(high)),
            ("step", rate(step)),
            ("every", span(5)),
        ]
    };
    assert_eq!(refused("random-walk", &walk(10, 9, 1)), "step");
    assert_eq!(refused("random-walk", &walk(10, 30, 11)), "step");
    assert!(built("random-walk", &walk(10, 30, 10)).is_ok());
    let lists = |at: &[u64], bps: &[u64]| {
        [
            ("at_ms", Value::Series(at.into())),
            ("rate_bps", Value::Series(bps.into())),
        ]
    };
    assert_eq!(refused("rates", &lists(&[0, 4, 3], &[1, 1, 1])), "at_ms");
    // A line of 100 Gbit/s is the fastest.
    let most = 100_000_000_000;
    assert_eq!(refused("rates", &lists(&[0], &[most + 1])), "rate_bps");
    assert!(built("rates", &lists(&[0], &[most])).is_ok());
    let said = built("rates", &lists(&[0, 7, 3, 2], &[1; 4])).unwrap_err();
    assert!(said.what.contains("3 comes after 7"), "{}", said.what);
}

/// Bits in each step of a walk, from an opportunity for each byte.
fn walk(low: u64, high: u64, step: u64, seed: u64, steps: usize) -> Vec<u64> {
    const EVERY: u64 = 40;
    let given = [
        ("low", rate(low)),
        ("high", rate(high)),
        ("step", rate(step)),
        ("every", span(EVERY)),
    ];
    let mut trace = built("random-walk", &given).expect("legal options");
    let mean = (low + high) as f64 / 2.0;
    let apart = 8.0 / mean / (EVERY as f64 / 1e3);
    assert!((trace.steps(1) / apart - 1.0).abs() < 1e-9);
    let mut random = Random::stream(seed, "models", "walk");
    let mut counts = vec![0; steps];
    while let Some(at) = trace.next(1, &mut random) {
        let number = ((at.0 - 1) / (EVERY * MS)) as usize;
        let Some(count) = counts.get_mut(number) else {
            break;
        };
        *count += 1;
    }
    // Of 40 ms, in bit/s.
    counts.iter().map(|bytes| bytes * 8 * 25).collect()
}

/// From 20 to 60 kbit/s by steps of 10 kbit/s from 40 on: five rates, of which those at the ends are left one way and each other by either
/// with equal chance. In 4,000 steps the ends are visited in an eighth each and the others in a quarter.
#[test]
fn a_walk_takes_one_step_at_a_time_between_its_bounds() {
    // A byte is 200 bit/s of a step; it may fall to the next.
    let near = |bps: u64, rate: u64| bps.abs_diff(rate) <= 200;
    let levels = [20_000, 30_000, 40_000, 50_000, 60_000];
    let mut ends = 0;
    let mut up = 0;
    for seed in 1..=4 {
        let bps = walk(20_000, 60_000, 10_000, seed, 1_000);
        let level = |bps: &u64| levels.iter().position(|rate| near(*bps, *rate));
        let found: Option<Vec<usize>> = bps.iter().map(level).collect();
        let found = found.unwrap_or_else(|| panic!("{bps:?}"));
        assert_eq!(found[0], 2, "midway");
        assert!(found.windows(2).all(|pair| pair[0].abs_diff(pair[1]) == 1));
        ends += found.iter().filter(|level| **level % 4 == 0).count();
        up += found
            .windows(2)
            .filter(|pair| pair[0] % 4 != 0 && pair[1] > pair[0])
            .count();
    }
    // Even and odd levels take turns: of the even ones two quarters are ends. Half of 2,000, a standard deviation of 22 and more where visits
    // cluster; and of 3,000 steps within half are up, with one of 27.
    assert!(ends.abs_diff(1_000) < 120, "{ends}");
    assert!(up.abs_diff(1_500) < 140, "{up}");
}

/// A walk that may stand at zero, whose first rate lies midway where the room is odd.
#[test]
fn a_walk_may_stand_still_at_zero() {
    let bps = walk(0, 20_000, 10_000, 3, 400);
    assert!(bps.iter().any(|bps| *bps <= 200) && bps.iter().any(|bps| *bps >= 19_800));
    assert!(bps[0].abs_diff(10_000) <= 200);
    for pair in bps.windows(2) {
        assert!(
            pair[0].abs_diff(pair[1]).abs_diff(10_000) <= 400,
            "{pair:?}"
        );
    }
}

/// By every instant an adversary has carried at most C·t and no less than C·t − W; it waits for as long as that allows, or draws an instant up
/// to then.
#[test]
fn an_adversary_uses_its_slack_and_no_more() {
    for (pattern, bps, slack, size) in [
        ("sawtooth", 8_000_000, 30_000, 1500),
        ("sawtooth", 999_983, 1_504, 1504),
        ("random", 5_000_011, 9_000, 700),
    ] {
        let given = [
            ("rate", rate(bps)),
            ("slack", Value::Bytes(Bytes(slack))),
            ("pattern", Value::Choice(pattern)),
        ];
        let mut trace = built("adversarial", &given).expect("legal options");
        let all = first(&mut trace, size, 3_000, 1);
        let bytes = |at: u64| u128::from(at) * u128::from(bps) / 8;
        let mut latest = 0u128;
        for (n, at) in all.iter().enumerate() {
            let (before, after) = (
                n as u128 * u128::from(size) * S,
                (n as u128 + 1) * u128::from(size) * S,
            );
            assert!(after <= bytes(*at) + S, "{pattern}: more than C·t");
            let behind = bytes(*at).saturating_sub(before);
            assert!(
                behind <= u128::from(slack) * S + S,
                "{pattern}: behind by more than W"
            );
            latest = latest.max(behind);
        }
        assert!(
            latest * 100 >= u128::from(slack) * S * 98,
            "{pattern}: {latest}"
        );
        if pattern == "sawtooth" {
            // Each burst waits until the bound forces it: the first when W bytes are allowed.
            assert_eq!(
                all[0],
                (u128::from(slack) * 8 * S).div_ceil(u128::from(bps)) as u64
            );
            let burst = all.iter().filter(|at| **at == all[0]).count() as u64;
            assert_eq!(burst, slack / size);
        } else {
            let distinct: std::collections::BTreeSet<_> = all.iter().collect();
            assert!(distinct.len() > 300, "{}", distinct.len());
        }
    }
}
