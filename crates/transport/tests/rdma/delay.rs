//! TIMELY and Swift: round trips, one after the other.

use backwater_transport::controller::{AnyController, Cause, Controller};
use backwater_transport::units::Rate;

use crate::{ack, build, congestion, near, shown};

/// TIMELY at 5 Gbit/s of 10, a step of 10 Mbit/s, after these round trips of 16 kB each. The first has none before it.
fn timely(variant: &str, round_trips: &[f64]) -> f64 {
    let options = [
        ("rate", "10 Gbit/s"),
        ("start", "50 %"),
        ("variant", variant),
    ];
    let mut c = build("timely", &options);
    for rtt in round_trips {
        // Half a completion says nothing.
        c.on_ack(&ack(0.0, 8000, 10.0 * rtt));
        c.on_ack(&ack(0.0, 8000, *rtt));
    }
    shown(&c, "rate_bps")
}

/// Four increases between the thresholds, one below, and one between: none of them is the fifth in a row.
#[test]
fn an_increase_below_the_lower_threshold_begins_the_count_anew() {
    let got = timely("original", &[240.0, 230.0, 220.0, 210.0, 200.0, 40.0, 50.0]);
    near(got, 5.06e9);
}

/// A flat round trip at the upper threshold is not above it: four steps, and the fifth is five.
#[test]
fn the_upper_threshold_lies_between() {
    near(timely("original", &[500.0; 6]), 5.09e9);
}

/// A slope of .0875 weighs 2 × .0875 + .5 = .675: .325 of a step, and 1 − .008 × .675 of the rate at twice the lower threshold. A slope of .4375 weighs
/// all.
#[test]
fn a_patched_flow_weighs_twice_the_slope_and_a_half() {
    near(timely("patched", &[98.0, 100.0]), 4.976_25e9);
    near(timely("patched", &[90.0, 100.0]), 4.96e9);
}

/// Swift with a base of 20 us, hops of 3 us and a range of 100 us.
fn swift(hops: &str) -> AnyController {
    build("swift", &[("base", "20 us"), ("hops", hops)])
}

fn window(c: &AnyController) -> f64 {
    shown(c, "window_pkts")
}

/// At ten packets the part that falls with the window is 32.655432 / √10 − 3.265543 = 7.061011 us; two hops of 3 us.
#[test]
fn swift_aims_at_base_and_hops_and_what_falls_with_the_window() {
    let c = swift("2");
    near(window(&c), 10.0);
    assert!((shown(&c, "target_s") * 1e6 - 33.061_011).abs() < 1e-5);
    assert!((shown(&swift("0"), "target_s") * 1e6 - 27.061_011).abs() < 1e-5);
}

/// A smoothed round trip of 20 us lies between two decreases, by delay or by loss. A delay of 200 us halves.
#[test]
fn swift_decreases_once_in_a_round_trip() {
    let mut c = swift("2");
    for (now, expected) in [(30.0, 5.0), (49.0, 5.0), (50.0, 2.5)] {
        c.on_ack(&ack(now, 1000, 200.0));
        near(window(&c), expected);
    }
    for (now, expected) in [(69.0, 2.5), (70.0, 1.25), (89.0, 1.25)] {
        c.on_congestion(&congestion(now, Cause::Loss));
        near(window(&c), expected);
    }
}

/// Four timeouts halve, the fifth in a row leaves the least window. An acknowledgement ends the row, and a loss doesn't belong to it.
#[test]
fn swift_restarts_at_the_fifth_timeout_in_a_row() {
    let mut c = swift("2");
    c.on_ack(&ack(0.0, 0, 20.0));
    let timeout =
        |c: &mut AnyController, now: f64| c.on_congestion(&congestion(now, Cause::Timeout));
    for number in 1..=4 {
        timeout(&mut c, 100.0 * f64::from(number));
        near(window(&c), 10.0 / f64::from(1 << number));
    }
    c.on_ack(&ack(410.0, 0, 20.0));
    let mut expected = 0.625;
    let timeouts = [5, 6, 7].map(|n| (n, Cause::Timeout));
    for (number, cause) in timeouts
        .into_iter()
        .chain([(8, Cause::Loss), (9, Cause::Timeout)])
    {
        c.on_congestion(&congestion(100.0 * f64::from(number), cause));
        expected /= 2.0;
        near(window(&c), expected);
    }
    timeout(&mut c, 1000.0);
    near(window(&c), 0.001);
    // One packet of 1,048 bytes in each thousand round trips of 20 us.
    assert_eq!(c.limits().pacing, Some(Rate(419_200)));
    assert_eq!(c.limits().window, 1000);
}

/// No more than the window from which on the part that falls with it is zero: 100 packets.
#[test]
fn swift_keeps_to_its_largest_window() {
    let mut c = swift("2");
    for _ in 0..2000 {
        c.on_ack(&ack(0.0, 10_000, 10.0));
    }
    near(window(&c), 100.0);
}
