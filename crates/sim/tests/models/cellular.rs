//! The cellular model beside the closed forms of its parts.

use backwater_sim::medium::trace::{AnyTrace, Schedule};
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::Time;

use crate::traces::{MS, S, built, first, rate, span};

/// Options of the cellular model in Mbit/s, chance, ms and numbers.
fn cox(
    peak: f64,
    volatility: f64,
    reversion: f64,
    sticky: f64,
    outage: u64,
    burst: f64,
) -> AnyTrace {
    let given = [
        ("peak", rate((peak * 1e6) as u64)),
        ("volatility", rate((volatility * 1e6) as u64)),
        ("reversion", Value::Number(reversion)),
        ("sticky", Value::Share(sticky)),
        ("outage", span(outage)),
        ("burst", Value::Number(burst)),
    ];
    built("cox", &given).expect("legal options")
}

/// With a return of 20/s and next to no motion the rate stays at half of the peak: Poisson events, each of which brings a geometric number
/// of opportunities. 20,000 of 8,000 bits at 4 Mbit/s take 40 s on average.
#[test]
fn opportunities_at_a_steady_rate_are_poisson_and_their_bursts_geometric() {
    for (burst, mean) in [(1.0, 1.0), (4.0, 4.0)] {
        let mut trace = cox(8.0, 1e-6, 20.0, 0.0, 100, burst);
        // The first rate is drawn between the bounds; a second later it has returned.
        let all = first(&mut trace, 1_000, 40_000, 3);
        let all: Vec<u64> = all
            .into_iter()
            .filter(|at| u128::from(*at) > S)
            .take(20_000)
            .collect();
        let begun = all[0];
        let took = (all[all.len() - 1] - begun) as f64 / 1e12;
        // The number of events N has a deviation of √N, and each brings `burst` with a variance of burst² − burst.
        let events = 20_000.0 / mean;
        let relative = libm::sqrt((1.0 + (mean - 1.0) / mean) / events);
        assert!(
            (took / 40.0 - 1.0).abs() < 4.0 * relative,
            "{burst}: {took}"
        );
        let mut sizes: Vec<u64> = Vec::new();
        let mut gaps: Vec<f64> = Vec::new();
        let mut last = 0;
        for at in &all {
            if *at == last {
                *sizes.last_mut().expect("one before") += 1;
            } else {
                if last > 0 {
                    gaps.push((*at - last) as f64 / 1e12);
                }
                sizes.push(1);
                last = *at;
            }
        }
        let n = sizes.len() as f64;
        let found = sizes.iter().sum::<u64>() as f64 / n;
        let deviation = libm::sqrt((mean * mean - mean) / n);
        assert!(
            (found - mean).abs() <= 4.0 * deviation + 2e-3,
            "{burst}: {found}"
        );
        // One in `burst` events is alone.
        let alone = sizes.iter().filter(|size| **size == 1).count() as f64 / n;
        let error = libm::sqrt(0.25 / n);
        assert!((alone - 1.0 / mean).abs() < 4.0 * error, "{burst}: {alone}");
        // Gaps are exponential: of those longer than their mean a share of 1/e.
        let mean_gap = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let long = gaps.iter().filter(|gap| **gap > mean_gap).count() as f64 / gaps.len() as f64;
        assert!(
            (long - libm::exp(-1.0)).abs() < 4.0 * error,
            "{burst}: {long}"
        );
        assert!(
            (mean_gap / (mean * 2e-3) - 1.0).abs() < 4.0 / libm::sqrt(n),
            "{mean_gap}"
        );
    }
}

/// A free motion reflected at 0 and at the peak is uniform between them. Its rate in a second has, by the closed form of `fit`, the
/// variance peak²/12 less what a second evens out, and with a return r the variance σ²/2r where the bounds are far.
#[test]
fn the_rate_of_the_cellular_model_has_the_spread_of_its_law() {
    let rates = |mut trace: AnyTrace, seconds: usize, size: u64| {
        let mut random = Random::stream(5, "models", "cox");
        let mut sums = vec![0.0; seconds];
        while let Some(Time(at)) = trace.next(size, &mut random) {
            let Some(sum) = sums.get_mut((u128::from(at) / S) as usize) else {
                break;
            };
            *sum += (8 * size) as f64;
        }
        let mean = sums.iter().sum::<f64>() / seconds as f64;
        let squares = sums.iter().map(|x| (x - mean) * (x - mean));
        (mean, squares.sum::<f64>() / seconds as f64)
    };
    // An Ornstein-Uhlenbeck process about 5 Mbit/s with r = 2/s and σ = 1 Mbit/s·√s⁻¹: the mean over a second has the variance
    // σ²/2r · 2(r − 1 + e⁻ʳ)/r². Poisson counts add mean · bits.
    let (mean, square) = rates(cox(10.0, 1.0, 2.0, 0.0, 100, 1.0), 4_000, 1_000);
    assert!((mean / 5e6 - 1.0).abs() < 0.01, "{mean}");
    let r: f64 = 2.0;
    let law = 1e12 / (2.0 * r) * 2.0 * (r - 1.0 + libm::exp(-r)) / (r * r) + 5e6 * 8_000.0;
    // 4,000 seconds that forget in half a second: a deviation of √(2/3,000), 2.6 %; steps of 20 ms change the law by r · 20 ms / 2.
    assert!((square / law - 1.0).abs() < 0.12, "{square} {law}");
    // Without a return, peak 2 and σ = 2: the slowest of its modes forgets with π²σ²/2·peak² = 4.93/s.
    let (mean, square) = rates(cox(2.0, 2.0, 0.0, 0.0, 100, 1.0), 6_000, 500);
    assert!((mean / 1e6 - 1.0).abs() < 0.03, "{mean}");
    let law: f64 = (0..200)
        .map(|i| {
            let n = f64::from(2 * i + 1) * std::f64::consts::PI;
            let k = n * n / 2.0;
            let c = 8.0 * 4e12 / libm::pow(n, 4.0);
            c * 2.0 * (k - 1.0 + libm::exp(-k)) / (k * k)
        })
        .sum::<f64>()
        + 1e6 * 4_000.0;
    assert!((square / law - 1.0).abs() < 0.12, "{square} {law}");
}

/// Outages of two seconds on average: what is left of one after a second is as long as the whole. Twice the chance makes about twice as many.
#[test]
fn outages_last_as_long_and_come_as_often_as_asked() {
    let outages = |sticky: f64, seconds: u64| {
        let mut trace = cox(1.0, 1.0, 0.0, sticky, 2_000, 1.0);
        let mut random = Random::stream(9, "models", "outage");
        let (mut last, mut gaps) = (0, Vec::new());
        while let Some(Time(at)) = trace.next(500, &mut random) {
            if at > seconds * 1000 * MS {
                break;
            }
            gaps.push((at - last) as f64 / 1e12);
            last = at;
        }
        // 125 opportunities a second on average: a gap of a second is no chance, since the rate moves by a seventh of the peak in 20 ms.
        let long: Vec<f64> = gaps.into_iter().filter(|s| *s > 1.0).collect();
        let beyond = long.iter().map(|s| s - 1.0).sum::<f64>() / long.len().max(1) as f64;
        (long.len() as f64, beyond)
    };
    let (few, beyond) = outages(0.02, 20_000);
    // 500 of them or so: a standard error of a twentieth. One in a hundred is followed by another before an opportunity comes.
    assert!((1.65..2.4).contains(&beyond), "{beyond}");
    let (more, beyond) = outages(0.04, 20_000);
    assert!((1.7..2.4).contains(&beyond), "{beyond}");
    assert!((1.5..2.2).contains(&(more / few)), "{more} {few}");
    // Where each visit to zero sticks, one outage follows the other.
    let (_, beyond) = outages(1.0, 5_000);
    assert!(beyond > 3.0, "{beyond}");
    assert_eq!(outages(0.0, 2_000).0, 0.0);
}
