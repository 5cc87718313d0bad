//! Generated traces, against their laws.

use backwater_sim::medium::trace::{AnyTrace, First, Schedule, Server, ServerSpec};
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::net::{MS, at, generated};

fn mbit(n: f64) -> Value {
    Value::Rate(Rate((n * 1e6) as u64))
}

fn draw(mut trace: AnyTrace, size: u64, seconds: u64) -> Vec<Time> {
    let mut random = Random::stream(1, "trace", "test");
    let end = at(1000 * seconds);
    let instants = std::iter::from_fn(|| trace.next(size, &mut random));
    let all: Vec<Time> = instants.take_while(|t| *t <= end).collect();
    assert!(all.is_sorted());
    all
}

#[test]
fn a_constant_rate_has_even_opportunities() {
    let all = draw(generated("constant", &[("rate", mbit(12.0))]), 1500, 1);
    assert_eq!(all.len(), 1000);
    assert!(all.iter().zip(1..).all(|(t, ms)| *t == at(ms)));
    // 7 Mbit/s does not divide: the n-th comes when n × 12,000 bits have come together.
    let all = draw(generated("constant", &[("rate", mbit(7.0))]), 1500, 10);
    assert_eq!(all.len(), 5833);
    let due = |n: u128| (n * 12_000 * 1_000_000_000_000).div_ceil(7_000_000) as u64;
    assert!(
        all.iter().zip(1..).all(|(t, n)| t.0.abs_diff(due(n)) <= 1),
        "{:?}",
        &all[..3]
    );
}

#[test]
fn a_periodic_rate_alternates() {
    let given = [
        ("high", mbit(12.0)),
        ("low", mbit(1.2)),
        ("period", Value::Span(Span::secs(2))),
        ("share", Value::Share(0.25)),
    ];
    let all = draw(generated("periodic", &given), 1500, 20);
    let within = |from: u64, to: u64| {
        all.iter()
            .filter(|t| **t > at(from) && **t <= at(to))
            .count()
    };
    // 500 opportunities in the half second at 12 Mbit/s, 150 in the rest.
    for period in 0..10 {
        let begin = 2000 * period;
        assert_eq!(within(begin, begin + 500), 500);
        assert_eq!(within(begin + 500, begin + 2000), 150);
    }
}

#[test]
fn a_random_walk_keeps_its_bounds_and_moves() {
    let given = [
        ("low", mbit(2.0)),
        ("high", mbit(10.0)),
        ("step", mbit(1.0)),
        ("every", Value::Span(Span::millis(200))),
    ];
    let all = draw(generated("random-walk", &given), 1500, 400);
    let mut counts = vec![0u64; 2000];
    for t in &all {
        counts[((t.0 - 1) / (200 * MS)) as usize] += 1;
    }
    // 2 to 10 Mbit/s are 33.3 to 166.7 opportunities in 200 ms.
    assert!(counts.iter().all(|n| (33..=167).contains(n)));
    assert!(counts.iter().any(|n| *n < 40) && counts.iter().any(|n| *n > 160));
    // The mean of a reflected walk is midway: 6 Mbit/s.
    let mean = all.len() as f64 * 12_000.0 / 400.0;
    assert!((mean / 6e6 - 1.0).abs() < 0.15, "{mean}");
}

#[test]
fn an_adversary_stays_within_its_bound_and_uses_it() {
    for pattern in ["sawtooth", "random"] {
        let given = [
            ("rate", mbit(8.0)),
            ("slack", Value::Bytes(Bytes(30_000))),
            ("pattern", Value::Choice(pattern)),
        ];
        let all = draw(generated("adversarial", &given), 1500, 20);
        // By every instant: C·t - W ≤ service ≤ C·t, in bytes at 1 B/µs; just before an opportunity and
        // just after it.
        let mut worst = 0.0_f64;
        for (n, t) in (0_u32..).zip(&all) {
            let (before, after) = (f64::from(n) * 1500.0, f64::from(n + 1) * 1500.0);
            let allowed = t.seconds() * 1e6;
            assert!(after <= allowed + 1e-6, "{pattern}: {t}");
            worst = worst.max(allowed - before);
        }
        assert!(worst <= 30_000.0 + 1e-6, "{pattern}: {worst}");
        assert!(worst > 29_000.0, "{pattern}: {worst}");
        let mean = all.len() as f64 * 12_000.0 / 20.0;
        assert!((mean / 8e6 - 1.0).abs() < 0.01, "{pattern}: {mean}");
    }
}

/// A cellular model: Mbit/s, chance and mean length in ms of an outage, opportunities at once.
fn cox(peak: f64, volatility: f64, (sticky, outage): (f64, u64), burst: f64) -> AnyTrace {
    let given = [
        ("peak", mbit(peak)),
        ("volatility", mbit(volatility)),
        ("reversion", Value::Number(0.0)),
        ("sticky", Value::Share(sticky)),
        ("outage", Value::Span(Span::millis(outage))),
        ("burst", Value::Number(burst)),
    ];
    generated("cox", &given)
}

#[test]
fn a_cellular_model_has_its_mean_its_spread_and_its_outages() {
    let given = |sticky: f64| cox(10.0, 4.0, (sticky, 500), 1.0);
    let gaps = |all: &[Time], ms: u64| {
        all.windows(2)
            .filter(|p| p[1].0 - p[0].0 >= ms * MS)
            .count()
    };
    // Without outages a motion reflected at 0 and 10 Mbit/s is uniform: mean 5, deviation 10/√12 = 2.9.
    let calm = draw(given(0.0), 1504, 2000);
    let mean = calm.len() as f64 * 12_032.0 / 2000.0;
    assert!((mean / 5e6 - 1.0).abs() < 0.1, "{mean}");
    let mut seconds = vec![0.0; 2000];
    for t in &calm {
        seconds[(t.0 / 1_000_000_000_000).min(1999) as usize] += 12_032.0;
    }
    let square = seconds.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>() / 2000.0;
    let deviation = libm::sqrt(square);
    assert!((2.4e6..3.1e6).contains(&deviation), "{deviation}");
    // With them there are gaps that were not there before, and less comes through.
    let stormy = draw(given(0.3), 1504, 2000);
    assert!(gaps(&stormy, 400) > 10 * (gaps(&calm, 400) + 1));
    assert!(stormy.len() < calm.len());
}

/// Outages are exponential: what is left of one after 10 s is 1,000 s on average, as at its beginning.
#[test]
fn long_outages_last_as_long_as_asked() {
    let all = draw(cox(1.0, 4.0, (0.01, 1_000_000), 1.0), 1504, 3_000_000);
    let gaps = all.windows(2).map(|p| p[1].since(p[0]).seconds());
    let long: Vec<f64> = gaps.filter(|s| *s > 10.0).collect();
    // Two percent of them are followed by another before an opportunity comes.
    let mean = long.iter().sum::<f64>() / long.len() as f64;
    assert!((950.0..1100.0).contains(&mean), "{mean}");
    assert!(long.len() > 1000, "{}", long.len());
}

/// 12,032 bits of an opportunity over the mean rate and the length of a step.
#[test]
fn traces_say_how_many_steps_opportunities_are_apart() {
    let near = |trace: AnyTrace, steps: f64| {
        let said = trace.steps(1504);
        assert!((said / steps - 1.0).abs() < 1e-9, "{said} {steps}");
    };
    near(cox(0.1, 1.0, (0.1, 1000), 3.0), 3.0 * 12_032.0 / 5e4 / 0.02);
    // A constant rate has no steps.
    let constant = generated("constant", &[("rate", mbit(3.0))]);
    assert!(constant.steps(1504).abs() < f64::EPSILON);
    let walk = [
        ("low", mbit(0.0)),
        ("high", mbit(0.2)),
        ("step", mbit(0.01)),
        ("every", Value::Span(Span::millis(5))),
    ];
    near(generated("random-walk", &walk), 12_032.0 / 1e5 / 0.005);
    let periodic = [
        ("high", mbit(0.4)),
        ("low", mbit(0.0)),
        ("period", Value::Span(Span::millis(10))),
        ("share", Value::Share(0.25)),
    ];
    near(
        generated("periodic", &periodic),
        2.0 * 12_032.0 / 1e5 / 0.01,
    );
}

/// Of a constant rate the number of opportunities up to an instant is known without drawing them: 3 Mbit/s bring 249 of 1,504 B
/// in a second. Of a random one it is not.
#[test]
fn only_a_constant_rate_is_counted_without_drawing() {
    let constant = generated("constant", &[("rate", mbit(3.0))]);
    let due = 3_000_000 / (8 * 1504);
    assert_eq!(constant.up_to(1504, at(1000)), Some(due));
    assert_eq!(cox(1.0, 1.0, (0.1, 1000), 1.0).up_to(1504, at(1000)), None);
}

/// A server that has looked beyond the end gives the same opportunities as the trace.
#[test]
fn a_server_knows_its_opportunities_up_to_any_end() {
    let trace = cox(1.0, 1.0, (0.1, 1000), 4.0);
    let random = || Random::stream(1, "trace", "test");
    let mut drawn = (trace.clone(), random());
    let all: Vec<Time> = std::iter::from_fn(|| drawn.0.next(1504, &mut drawn.1))
        .take(300)
        .collect();
    let spec = ServerSpec {
        trace,
        opportunity: 1504,
        overhead: 0,
        first: First::Arrival,
        whole: false,
        milliseconds: false,
        delay_behind: Span::ZERO,
    };
    let mut server = Server::new(spec, random());
    for looked in [0, 1, 40, 41, 200] {
        server.opens(all[looked], false);
        for end in [0, 1, 39, 40, 41, 42, 150, 250] {
            let end = Time(all[end].0 - 1);
            let due: Vec<Time> = all.iter().copied().filter(|at| *at <= end).collect();
            assert_eq!(server.opportunities(end).collect::<Vec<_>>(), due);
        }
    }
}

/// 10⁹ bits at 1,000,000,002 bit/s have come together a tick before a millisecond is over. On a clock of milliseconds they come at
/// its beginning.
#[test]
fn an_opportunity_in_the_last_tick_of_a_millisecond_belongs_to_it() {
    let trace = generated("constant", &[("rate", Value::Rate(Rate(1_000_000_002)))]);
    let spec = ServerSpec {
        trace,
        opportunity: 125_000,
        overhead: 0,
        first: First::Opportunity,
        whole: false,
        milliseconds: true,
        delay_behind: Span::ZERO,
    };
    let server = Server::new(spec, Random::stream(1, "trace", "test"));
    assert_eq!(server.offered(Time::ZERO, Time::ZERO), 1);
    assert_eq!(server.opportunities(Time::ZERO).count(), 1);
}

/// The n-th opportunity of a constant rate comes at ⌈8 n size / rate⌉, on a clock of milliseconds at the beginning of that one.
/// What is counted without drawing is what is drawn, wherever a window begins and ends.
#[test]
fn opportunities_of_a_constant_rate_are_counted_as_they_are_drawn() {
    let size = 1504;
    for (bps, exact) in [
        (3_000_000, true),
        (3_000_000, false),
        (7_654_321, true),
        (7_654_321, false),
    ] {
        let trace = generated("constant", &[("rate", Value::Rate(Rate(bps)))]);
        let spec = ServerSpec {
            trace,
            opportunity: size,
            overhead: 0,
            first: First::Opportunity,
            whole: false,
            milliseconds: !exact,
            delay_behind: Span::ZERO,
        };
        let server = Server::new(spec, Random::stream(1, "trace", "test"));
        let due =
            |n: u128| (n * 8 * u128::from(size) * 1_000_000_000_000).div_ceil(bps.into()) as u64;
        let due: Vec<u64> = (1..=300)
            .map(due)
            .map(|at| if exact { at } else { at / MS * MS })
            .collect();
        let edges = [
            0,
            1,
            due[7] - 1,
            due[7],
            due[7] + 1,
            due[8],
            200 * MS - 1,
            200 * MS,
            due[200],
        ];
        for from in edges {
            for end in edges.into_iter().filter(|end| *end >= from) {
                let within = due.iter().filter(|at| (from..=end).contains(*at)).count() as u64;
                assert_eq!(
                    server.offered(Time(from), Time(end)),
                    within,
                    "{from} to {end}"
                );
                let drawn = server.opportunities(Time(end)).filter(|at| at.0 >= from);
                assert_eq!(drawn.count() as u64, within, "{from} to {end}");
            }
        }
    }
}
