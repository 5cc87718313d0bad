//! Interval laws, sizes and rates of the uniform, Poisson and constant sources.

use super::*;

const N: usize = 400_000;

fn long(id: &str, options: Options) -> Vec<Demand> {
    let mut source = make(id, options).expect(id);
    take(&mut source, Time::ZERO, &mut stream("long"), N)
}

#[test]
fn uniform_intervals_lie_between_zero_and_twice_their_mean() {
    // T = 8 · 6000 / 3 Mbit/s = 16 ms; standard error of the mean T/√(3N).
    let got = long("uniform-fixed", vec![size("burst", 6000), rate(3_000_000)]);
    let intervals = gaps(&got);
    let (middle, _) = mean(&intervals);
    assert!(
        (middle - 0.016).abs() < 4.0 * 0.016 / (3.0 * N as f64).sqrt(),
        "{middle}"
    );
    assert!(follows(intervals, |x| (x / 0.032).clamp(0.0, 1.0)));
    assert!(got.iter().all(|demand| demand.bytes == Bytes(6000)));
}

#[test]
fn uniform_sizes_have_the_mean_m_plus_32() {
    let got = long(
        "uniform-uniform",
        vec![size("burst", 6000), rate(3_000_000)],
    );
    let sizes: Vec<f64> = got.iter().map(|demand| demand.bytes.0 as f64).collect();
    // Standard error (12000 − 64)/√12/√N = 5.4 B, which tells M + 32 from M and from M − 32.
    let (middle, _) = mean(&sizes);
    assert!((middle - 6032.0).abs() < 4.0 * 5.45, "{middle}");
    assert!(follows(gaps(&got), |x| (x / 0.032).clamp(0.0, 1.0)));
    let got = long("uniform-uniform", vec![size("burst", 33), rate(3_000_000)]);
    for bytes in 64..=66 {
        // A third each; standard error √(2/9/N) = 0.00075.
        let share = got.iter().filter(|d| d.bytes.0 == bytes).count() as f64 / N as f64;
        assert!((share - 1.0 / 3.0).abs() < 0.003, "{bytes}: {share}");
    }
    let only = long("uniform-uniform", vec![size("burst", 32), rate(3_000_000)]);
    assert!(only.iter().all(|demand| demand.bytes == Bytes(64)));
}

#[test]
fn the_first_interval_makes_the_rate_exact_from_the_start_on() {
    // A window of a quarter interval: 0.25 bursts in the mean. A first interval U(0, 2T) would give
    // 0.133, a burst at the start 1.13.
    let uniform = make("uniform-fixed", vec![size("burst", 6000), rate(3_000_000)]).expect("built");
    let batch = ("batch", Value::Count(1));
    let poisson = make(
        "batch-poisson",
        vec![batch, size("packet", 6000), rate(3_000_000)],
    );
    for source in [uniform, poisson.expect("built")] {
        let count = |i| amount(&source, &format!("f{i}"), Span::millis(4)).1 as f64;
        let (middle, error) = mean(&(0..20_000).map(count).collect::<Vec<_>>());
        assert!(
            (middle - 0.25).abs() < 4.0 * error && error < 0.004,
            "{middle} ± {error}"
        );
    }
}

#[test]
fn poisson_intervals_are_exponential() {
    let got = long("poisson", vec![size("packet", 1500), rate(3_000_000)]);
    // 8 · 1500 / 3 Mbit/s = 4 ms
    assert!(follows(gaps(&got), |x| 1.0 - (-x / 0.004).exp()));
    assert!(got.iter().all(|demand| demand.bytes == Bytes(1500)));
}

#[test]
fn a_batch_is_that_many_packets_at_one_instant() {
    let batch = ("batch", Value::Count(4));
    let got = long(
        "batch-poisson",
        vec![batch, size("packet", 1000), rate(8_000_000)],
    );
    for four in got.chunks(4) {
        assert!(
            four.iter()
                .all(|d| d.at == four[0].at && d.bytes == Bytes(1000))
        );
    }
    let firsts: Vec<Demand> = got.chunks(4).map(|four| four[0]).collect();
    assert!(follows(gaps(&firsts), |x| 1.0 - (-x / 0.004).exp()));
}

/// Mean waiting time in units of the service time, in a queue that serves each packet in `service`.
fn wait(demands: &[Demand], service: Span) -> f64 {
    let (mut free, mut total) = (Time::ZERO, 0.0);
    for demand in demands {
        let begin = free.max(demand.at);
        total += begin.since(demand.at).seconds();
        free = begin + service;
    }
    total / demands.len() as f64 / service.seconds()
}

#[test]
fn waiting_times_are_those_of_the_closed_forms() {
    // Packets of 1000 B served at 8 Mbit/s: S = 1 ms. M/D/1: ρ/(2(1 − ρ)). Batches add (B − 1)/(2(1 − ρ)).
    // The wait decorrelates over about S/(1 − ρ)², so N packets hold thousands of independent values.
    let service = Span::millis(1);
    let got = wait(
        &long("poisson", vec![size("packet", 1000), rate(4_000_000)]),
        service,
    );
    assert!((got / 0.5 - 1.0).abs() < 0.02, "{got}");
    let got = wait(
        &long("poisson", vec![size("packet", 1000), rate(6_400_000)]),
        service,
    );
    assert!((got / 2.0 - 1.0).abs() < 0.04, "{got}");
    for (batch, expected) in [(4, 6.1667), (8, 12.8333)] {
        let batch = ("batch", Value::Count(batch));
        let options = vec![batch, size("packet", 1000), rate(5_600_000)];
        let got = wait(&long("batch-poisson", options), service);
        assert!((got / expected - 1.0).abs() < 0.05, "{got} {expected}");
    }
}

/// Each packet is late by a uniform share of its interval, for itself; the rate and the order stay.
#[test]
fn jitter_is_uniform_and_does_not_add_up() {
    let options = vec![
        size("packet", 1500),
        rate(12_000_000),
        ("phase", Value::Choice("start")),
        ("jitter", Value::Share(0.5)),
    ];
    let mut jittered = make("cbr", options).expect("built");
    let got = take(&mut jittered, Time::ZERO, &mut stream("j"), 2000);
    assert!(got.windows(2).all(|pair| pair[0].at < pair[1].at));
    // 1500 B at 12 Mbit/s: one each millisecond.
    let late = |(n, demand): (usize, &Demand)| demand.at.seconds() * 1000.0 - n as f64;
    let lateness: Vec<f64> = got.iter().enumerate().map(late).collect();
    assert!(follows(lateness, |ms| (ms / 0.5).clamp(0.0, 1.0)));
}

#[test]
fn constant_intervals_do_not_drift() {
    let cbr = |phase| {
        let options = vec![
            size("packet", 1500),
            rate(7_000_000),
            ("phase", Value::Choice(phase)),
            ("jitter", Value::Share(0.0)),
        ];
        make("cbr", options).expect("built")
    };
    // 12000 bit at 7 Mbit/s take 1714285714.29 ticks. Packet 350000 is due after 600 s exactly.
    let got = take(&mut cbr("start"), Time(77), &mut stream("c"), 350_001);
    assert_eq!(got[0].at, Time(77));
    assert_eq!(got[1].at, Time(77 + 1_714_285_714));
    assert_eq!(got[350_000].at, Time(77 + 600 * PS_PER_S));
    let first: Vec<f64> = (0..2000)
        .map(|i| {
            take(
                &mut cbr("random"),
                Time::ZERO,
                &mut stream(&format!("c{i}")),
                1,
            )[0]
            .at
            .seconds()
        })
        .collect();
    assert!(follows(first, |x| (x * 7_000_000.0 / 12_000.0).clamp(0.0, 1.0)));
}
