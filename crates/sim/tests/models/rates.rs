//! Rates of a bit in a second, and opportunities that are too large for all time.

use backwater_sim::medium::trace::{Rates, Schedule};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

/// The first opportunity of so many bytes at these rates, each from its millisecond on.
fn first(at_ms: &[u64], rates: &[u64], size: u64) -> Option<Time> {
    let mut trace = Rates::new(at_ms, rates).expect("legal rates");
    trace.next(size, &mut Random::stream(1, "models", "rates"))
}

/// In the first millisecond 1,000 bits of 8,000 come together, and then one each second.
#[test]
fn what_has_come_together_stays_when_the_rate_falls_to_a_bit_in_a_second() {
    let due = Time(Span::millis(1).0) + Span::secs(7_000);
    assert_eq!(first(&[0, 1], &[1_000_000, 1], 1_000), Some(due));
}

/// 1,000 bits and 7,000 bits make an opportunity of 1,000 B at the very instant at which the rate falls to nought.
#[test]
fn an_opportunity_may_end_with_its_rate() {
    let rates = [1_000_000, 7_000_000, 0, 1_000_000];
    let found = first(&[0, 1, 2, 3], &rates, 1_000);
    assert_eq!(found, Some(Time(Span::millis(2).0)));
}

/// A clock of picoseconds in 64 bits ends after 18,446,744 s: 2,305,843 bytes come before that at a bit in a second, and no more.
#[test]
fn what_would_come_behind_the_end_of_time_does_not_come() {
    let most = 18_446_744 / 8;
    assert_eq!(first(&[0], &[1], most), Some(Time(Span::secs(8 * most).0)));
    assert_eq!(first(&[0], &[1], most + 1), None);
}

/// A byte at a bit in a second is eight seconds away, 8,000 steps of a millisecond.
#[test]
fn the_slowest_rate_has_its_steps() {
    let trace = Rates::new(&[0], &[1]).expect("legal rates");
    assert!((trace.steps(1) / 8_000.0 - 1.0).abs() < 1e-12);
}
