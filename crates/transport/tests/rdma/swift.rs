//! Swift: algorithm 1 of SIGCOMM 2020, acknowledgement by acknowledgement.

use backwater_transport::controller::{AnyController, Cause, Controller, Reduction};
use backwater_transport::units::Rate;

use crate::{ack, build, congestion, near, shown, try_build};

/// A target of 100 us without hops, and of 20 us more at most for small windows, from .25 of a packet on; zero from 4 packets on: α = 20
/// / (2 − .5).
fn built(options: &[(&str, &str)]) -> AnyController {
    let usual = [
        ("base", "100 us"),
        ("hops", "0"),
        ("range", "20 us"),
        ("fs_min", "0.25"),
        ("fs_max", "4"),
    ];
    build("swift", &[options, &usual].concat())
}

fn window(c: &AnyController) -> f64 {
    shown(c, "window_pkts")
}

fn hear(c: &mut AnyController, now: f64, bytes: u64, rtt: f64) -> f64 {
    c.on_ack(&ack(now, bytes, rtt));
    window(c)
}

/// The first window is the transport's, and not more than the largest. A round trip of the target leaves it: it does not rise.
#[test]
fn the_target_falls_with_the_window() {
    let c = built(&[]);
    near(window(&c), 4.0);
    near(shown(&c, "target_s"), 100e-6);
    near(window(&build("swift", &[("base", "20 us")])), 10.0);
    // Down by a half each 20 us: 2, 1, .5, .25, .125 packets.
    let mut c = built(&[]);
    for (number, part) in [
        (1.0, 20.0 / 1.5 * (0.5_f64.sqrt() - 0.5)),
        (2.0, 20.0 / 1.5 * 0.5),
        (3.0, 20.0 / 1.5 * (2.0_f64.sqrt() - 0.5)),
        (4.0, 20.0),
        (5.0, 20.0),
    ] {
        let expected = 4.0 / f64::exp2(number);
        near(hear(&mut c, 100.0 * number, 0, 1000.0), expected);
        near(shown(&c, "target_s"), (100.0 + part) * 1e-6);
        let paced = c.inspect().state == "paced";
        assert_eq!(paced, expected < 1.0);
        assert_eq!(c.limits().pacing.is_some(), paced);
        let whole = (expected * 1000.0) as u64;
        assert_eq!(c.limits().window, whole.max(1000));
    }
    // An eighth of a packet of 1,048 bytes in each 20 us is below the base of 100.
    assert_eq!(c.limits().pacing, Some(Rate(10_480_000)));
}

/// ai / w for each packet below the target, ai below one packet. In proportion to what is acknowledged.
#[test]
fn a_window_rises_by_a_packet_in_a_round_trip() {
    let mut c = built(&[("ai", "0.5")]);
    near(hear(&mut c, 100.0, 0, 1000.0), 2.0);
    near(hear(&mut c, 100.0, 500, 90.0), 2.125);
    near(hear(&mut c, 100.0, 3_000, 90.0), 2.125 + 1.5 / 2.125);
    near(hear(&mut c, 100.0, 90_000, 90.0), 4.0);
    for number in 2..=5 {
        hear(&mut c, 100.0 * f64::from(number), 0, 1000.0);
    }
    near(window(&c), 0.25);
    near(hear(&mut c, 501.0, 500, 90.0), 0.5);
}

/// 1 − β (delay − target) / delay, at most by half; with a round trip between two. A decrease that is none doesn't count.
#[test]
fn a_window_falls_by_the_share_beyond_the_target() {
    let mut c = built(&[("beta", "0.5"), ("max_mdf", "30 %")]);
    near(hear(&mut c, 100.0, 0, 125.0), 4.0 * 0.9);
    near(hear(&mut c, 119.9, 0, 1000.0), 3.6);
    near(hear(&mut c, 120.0, 0, 1000.0), 3.6 * 0.7);
    // Losses, too.
    c.on_congestion(&congestion(139.9, Cause::Loss));
    near(window(&c), 2.52);
    c.on_congestion(&congestion(140.0, Cause::Loss));
    near(window(&c), 2.52 * 0.7);
    for cause in [Cause::Mark, Cause::Spurious, Cause::Recovered] {
        c.on_congestion(&congestion(500.0, cause));
        near(window(&c), 2.52 * 0.7);
    }
    assert_eq!(c.reduction(), Reduction::Direct);
}

/// The fifth timeout in a row leaves a thousandth of a packet, and from there on nothing is taken. A pace is one bit a second at least.
#[test]
fn the_least_window_has_a_pace() {
    let mut c = built(&[]);
    let mut silent = ack(0.0, 0, 20.0);
    silent.rtt = None;
    for number in 1..=5 {
        near(window(&c), 4.0 / f64::from(1 << (number - 1)));
        c.on_congestion(&congestion(10.0 * f64::from(number), Cause::Timeout));
    }
    c.on_ack(&silent);
    near(window(&c), 0.001);
    // No round trip was known, so that nothing lay between, and the base is the time.
    let pace = c.limits().pacing.expect("a pace").0;
    assert!(pace.abs_diff(83_840) <= 1, "{pace}");
    for number in 6..=8 {
        c.on_congestion(&congestion(10.0 * f64::from(number), Cause::Loss));
        near(window(&c), 0.001);
    }
    // A smoothed round trip of 100 s.
    let mut long = ack(100.0, 0, 1000.0);
    long.srtt = crate::span(100e6);
    c.on_ack(&long);
    assert_eq!(c.limits().pacing, Some(Rate(1)));
}

/// The window of the largest target lies below that of the smallest.
#[test]
fn the_ends_of_the_scaling_differ() {
    let legal = |least| {
        let options = [("base", "20 us"), ("fs_min", least), ("fs_max", "3")];
        try_build("swift", &options).is_ok()
    };
    assert_eq!(["2.9", "3", "3.1"].map(legal), [true, false, false]);
}
