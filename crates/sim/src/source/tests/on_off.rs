//! On/off sources.

use super::*;

fn options(on: Span, off: Span, alpha: Option<f64>) -> Options {
    let mut options = vec![size("packet", 1500), rate(10_000_000)];
    options.extend([("on", Value::Span(on)), ("off", Value::Span(off))]);
    options.extend(alpha.map(|alpha| ("alpha", Value::Number(alpha))));
    options
}

fn exponential(on: Span, off: Span) -> AnySource {
    make("exponential-on-off", options(on, off, None)).expect("built")
}

/// A packet of 1500 B at 10 Mbit/s.
const PACKET: Span = Span::micros(1200);

#[test]
fn the_mean_rate_is_the_peak_rate_times_the_share_of_on_time() {
    // On time in t has the variance 2·on²·off²/(on + off)³·t (alternating renewal process). Over 20000 s
    // with 0.1 s and 0.3 s: √562.5 = 23.7 s of 5000 s, 0.47 %.
    let source = exponential(Span::millis(100), Span::millis(300));
    let (bytes, _) = amount(&source, "long", Span::secs(20_000));
    let got = bytes as f64 * 8.0 / 20_000.0;
    assert!((got / 2_500_000.0 - 1.0).abs() < 4.0 * 0.0047, "{got}");
}

#[test]
fn an_interrupted_packet_is_carried_on_with() {
    // Periods of a tenth of a packet: hardly an on period is long enough for one.
    // Standard error 0.02 %: on 0.12 ms, off 0.12 ms, √(2·0.12⁴/0.24³·10⁶ ms²) = 173 ms of 500 s.
    let source = exponential(Span::micros(120), Span::micros(120));
    let (bytes, _) = amount(&source, "long", Span::secs(1000));
    assert!((bytes as f64 * 8.0 / 5e9 - 1.0).abs() < 0.002, "{bytes}");
}

#[test]
fn packets_are_back_to_back_while_on_and_off_periods_exponential() {
    let mut source = exponential(Span::millis(1000), Span::millis(300));
    let got = take(&mut source, Time::ZERO, &mut stream("gaps"), 400_000);
    let spans: Vec<Span> = got
        .windows(2)
        .map(|pair| pair[1].at.since(pair[0].at))
        .collect();
    assert!(spans.iter().all(|span| *span >= PACKET));
    let off: Vec<f64> = spans
        .iter()
        .filter(|s| **s > PACKET)
        .map(|s| (*s - PACKET).seconds())
        .collect();
    // An on period ends within a packet with probability 1 − exp(−1.2/1000) = 0.0012: some 480 times.
    assert!((380..580).contains(&off.len()), "{}", off.len());
    assert!(follows(off, |x| 1.0 - (-x / 0.3).exp()));
}

#[test]
fn without_off_time_packets_never_stop() {
    let mut source = exponential(Span::millis(1), Span::ZERO);
    let first = |i| {
        let mut random = stream(&format!("f{i}"));
        take(&mut source.clone(), Time::ZERO, &mut random, 1)[0]
            .at
            .seconds()
    };
    let firsts = (0..2000).map(first).collect();
    assert!(follows(firsts, |x| (x / PACKET.seconds()).clamp(0.0, 1.0)));
    let got = take(&mut source, Time::ZERO, &mut stream("cbr"), 1000);
    assert!(
        got.windows(2)
            .all(|pair| pair[1].at.since(pair[0].at) == PACKET)
    );
}

#[test]
fn the_start_is_stationary() {
    // Whatever the window, the mean is a quarter of 10 Mbit/s. A start with a whole off period would give
    // next to nothing in the first 30 ms, a start with an on period four times as much.
    let (on, off) = (Span::millis(100), Span::millis(300));
    let pareto = make("pareto-on-off", options(on, off, Some(1.5))).expect("built");
    for source in [exponential(on, off), pareto] {
        for window in [Span::millis(30), Span::secs(2)] {
            let rate =
                |i| amount(&source, &format!("f{i}"), window).0 as f64 * 8.0 / window.seconds();
            let (middle, error) = mean(&(0..5000).map(rate).collect::<Vec<_>>());
            assert!(
                (middle - 2.5e6).abs() < 4.0 * error && error < 70_000.0,
                "{middle} ± {error}"
            );
        }
    }
}

#[test]
fn pareto_off_periods_have_their_shape() {
    let (on, off) = (Span::millis(1000), Span::millis(300));
    let mut source = make("pareto-on-off", options(on, off, Some(1.5))).expect("built");
    let got = take(&mut source, Time::ZERO, &mut stream("gaps"), 400_000);
    let spans: Vec<f64> = gaps(&got)
        .iter()
        .map(|gap| gap - PACKET.seconds())
        .collect();
    let off: Vec<f64> = spans.into_iter().filter(|gap| *gap > 1e-9).collect();
    // Least value 0.3 s · (α − 1)/α = 0.1 s.
    assert!(off.len() > 100, "{}", off.len());
    assert!(follows(off, |x| if x < 0.1 {
        0.0
    } else {
        1.0 - (0.1 / x).powf(1.5)
    }));
}

#[test]
fn periods_that_no_packet_fits_are_refused() {
    // 1.2 ms for a packet.
    let tight = |on| make("exponential-on-off", options(on, Span::ZERO, None));
    assert!(tight(Span::nanos(1200)).is_ok());
    assert_eq!(
        tight(Span::nanos(1199)).expect_err("too short").option,
        "on"
    );
}

fn periodic(on: Span, off: Span, first: &'static str, phase: &'static str) -> AnySource {
    let mut options = vec![size("packet", 1500), rate(4_000_000)];
    options.extend([("on", Value::Span(on)), ("off", Value::Span(off))]);
    options.extend([
        ("first", Value::Choice(first)),
        ("phase", Value::Choice(phase)),
    ]);
    make("periodic-on-off", options).expect("built")
}

#[test]
fn fixed_periods_send_at_constant_intervals_while_they_last() {
    // 1500 B at 4 Mbit/s: a packet each 3 ms. Five seconds hold those at 0, 3, … 4998 ms.
    let five = Span::secs(5);
    for (first, begin) in [("on", 0), ("off", 5)] {
        let mut source = periodic(five, five, first, "start");
        let start = Time(7);
        let got = take(&mut source, start, &mut stream("p"), 2 * 1667);
        for (n, demand) in got.iter().enumerate() {
            let (period, packet) = (n as u64 / 1667, n as u64 % 1667);
            let at = Span::secs(begin + 10 * period) + Span::millis(3 * packet);
            assert_eq!(demand.at, start + at, "{first}, packet {n}");
        }
    }
}

#[test]
fn each_fixed_period_has_a_phase_of_its_own() {
    // Uniform within 3 ms: mean 1.5, standard deviation 3/√12 = 0.87 ms.
    let mut source = periodic(Span::millis(3), Span::millis(7), "on", "random");
    let got = take(&mut source, Time::ZERO, &mut stream("p"), 10_000);
    let phases: Vec<f64> = (0..)
        .zip(&got)
        .map(|(k, demand)| demand.at.since(Time::ZERO + Span::millis(10 * k)).seconds())
        .collect();
    assert!(follows(phases, |x| (x / 3e-3).clamp(0.0, 1.0)));
}

#[test]
fn a_fixed_on_period_without_a_packet_is_refused() {
    let options = vec![
        size("packet", 1500),
        rate(4_000_000),
        ("on", Value::Span(Span::millis(2))),
        ("off", Value::Span(Span::secs(1))),
        ("first", Value::Choice("on")),
        ("phase", Value::Choice("start")),
    ];
    let refused = make("periodic-on-off", options).expect_err("a packet takes 3 ms");
    assert_eq!(refused.option, "on");
    assert!(refused.what.contains("0.003 s"), "{}", refused.what);
}
