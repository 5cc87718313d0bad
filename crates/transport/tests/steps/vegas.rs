//! Vegas, round by round: round trips are binary fractions of a second, so that a difference is a whole number of segments.

use backwater_transport::controller::{Ack, AnyController, Cause, Controller};

use crate::{ack, after, build, idle, round, shown, state, tell, try_build, window};

/// 250 ms without a queue.
const BASE: f64 = 250.0;

fn limited(ack: Ack<'static>, cwnd_limited: bool) -> Ack<'static> {
    Ack {
        cwnd_limited,
        ..ack
    }
}

/// So many samples of a round of which this is the least; the last begins the next round. Nothing of it alone grows a window.
fn ends(c: &mut AnyController, samples: usize, rtt: f64) -> u64 {
    for number in 1..samples {
        c.on_ack(&limited(ack(0.0, 0, rtt + number as f64), false));
    }
    after(c, &limited(round(0.0, 0, rtt), false))
}

/// In avoidance with this window, and the base is known.
fn avoiding(variant: &str, segments: u64) -> AnyController {
    let mut c = build("vegas", &[("variant", variant)]);
    tell(&mut c, Cause::Loss, 2_000 * segments);
    c.on_ack(&limited(ack(0.0, 0, BASE), false));
    c.on_ack(&limited(round(0.0, 0, BASE), false));
    assert_eq!(window(&c), 1_000 * segments);
    assert_eq!(state(&c), (Some(1_000 * segments), "avoidance"));
    c
}

/// diff = cwnd (RTT − base) / base in Linux, and / RTT in the paper. α = 2 and β = 4 themselves are between.
#[test]
fn the_window_stays_from_two_to_four_segments_in_the_queue() {
    for (variant, segments, rtt, diff, expected) in [
        ("linux", 8, 312.5, 2.0, 8_000),
        ("linux", 8, 312.4, 1.9968, 9_000),
        ("linux", 8, 375.0, 4.0, 8_000),
        ("linux", 8, 375.1, 4.0032, 7_000),
        ("paper", 6, 375.0, 2.0, 6_000),
        ("paper", 6, 374.9, 6.0 * 124.9 / 374.9, 7_000),
        ("paper", 8, 500.0, 4.0, 8_000),
        ("paper", 8, 500.1, 8.0 * 250.1 / 500.1, 7_000),
    ] {
        let mut c = avoiding(variant, segments);
        assert_eq!(ends(&mut c, 3, rtt), expected, "{variant} {rtt}");
        let got = shown(&c, "diff_pkts");
        assert!((got - diff).abs() < 1e-9, "{variant} {rtt}: {got}");
        // A window that falls takes ssthresh with it; it never makes slow start of it.
        let threshold = expected.min(1_000 * segments);
        assert_eq!(state(&c), (Some(threshold), "avoidance"));
    }
}

/// Two segments are left.
#[test]
fn the_window_keeps_two_segments() {
    let mut c = avoiding("linux", 3);
    for expected in [2_000, 2_000] {
        assert_eq!(ends(&mut c, 3, 8.0 * BASE), expected);
    }
}

/// Two round trips or fewer tell nothing: a segment as Reno, where the window was full. What was counted belongs to its round.
#[test]
fn a_round_of_two_samples_is_one_of_reno() {
    let mut c = avoiding("linux", 8);
    for (samples, cwnd_limited, recovering, expected) in [
        (2, true, false, 9_000),
        (1, true, false, 10_000),
        (2, false, false, 10_000),
        (2, true, true, 10_000),
        (0, true, false, 11_000),
        (2, true, false, 12_000),
    ] {
        for _ in 1..samples {
            c.on_ack(&limited(ack(0.0, 0, 1000.0), false));
        }
        let last = Ack {
            rtt: round(0.0, 1, 1000.0).rtt.filter(|_| samples > 0),
            cwnd_limited,
            recovering,
            ..round(0.0, 1, 1000.0)
        };
        assert_eq!(after(&mut c, &last), expected);
    }
    // The least of three counts, and the round before does not: 12 (312.5 − 250) / 250 = 3 segments.
    assert_eq!(ends(&mut c, 3, 312.5), 12_000);
    assert!((shown(&c, "diff_pkts") - 3.0).abs() < 1e-9);
}

/// More than γ in the queue end slow start, with cwnd base/RTT and one segment: of ten at twice the base six. γ itself does not.
#[test]
fn slow_start_ends_above_gamma() {
    let after_a_round = |gamma, rtt| {
        let mut c = build("vegas", &[("gamma", gamma)]);
        assert_eq!(shown(&c, "diff_pkts"), 0.0);
        c.on_ack(&limited(ack(0.0, 0, BASE), false));
        c.on_ack(&limited(round(0.0, 0, BASE), false));
        ends(&mut c, 3, rtt);
        (window(&c), state(&c))
    };
    let slow = (10_000, (None, "slow start"));
    assert_eq!(after_a_round("2.5", 312.5), slow);
    let left = |window| (window, (Some(window), "avoidance"));
    assert_eq!(after_a_round("2.5", 312.6), left(8_997));
    assert_eq!(after_a_round("1", 500.0), left(6_000));
    // Not more than the window, and two segments at least.
    assert_eq!(after_a_round("0", 260.0), left(10_000));
    assert_eq!(after_a_round("1", 25_000.0), left(2_000));
}

/// A window of slow start grows with each acknowledgement in the rounds in which it doubles: in the paper in every other one.
#[test]
fn the_paper_doubles_in_every_other_round() {
    for (variant, expected) in [
        ("linux", [11_000, 12_000, 13_000, 14_000, 15_000]),
        ("paper", [11_000, 11_000, 12_000, 12_000, 13_000]),
    ] {
        let mut c = build("vegas", &[("variant", variant)]);
        let mut got = vec![after(&mut c, &ack(0.0, 1000, BASE))];
        got.extend((0..4).map(|_| after(&mut c, &round(0.0, 1000, BASE))));
        assert_eq!(got, expected, "{variant}");
    }
    // In avoidance acknowledgements alone change nothing.
    let mut c = avoiding("linux", 8);
    assert_eq!(after(&mut c, &ack(0.0, 8_000, BASE)), 8_000);
}

/// The reaction to a loss is Reno's.
#[test]
fn losses_and_idle_times_are_answered_as_by_reno() {
    let mut c = build("vegas", &[]);
    tell(&mut c, Cause::Loss, 12_000);
    assert_eq!((window(&c), state(&c).0), (6_000, Some(6_000)));
    idle(&mut c, 0.0, 4_000, 7_000);
    assert_eq!((window(&c), state(&c).0), (4_000, Some(7_000)));
    tell(&mut c, Cause::Timeout, 12_000);
    assert_eq!((window(&c), state(&c).0), (1_000, Some(6_000)));
    tell(&mut c, Cause::Spurious, 0);
    assert_eq!((window(&c), state(&c).0), (4_000, Some(7_000)));
}

/// The fewest packets may be the most.
#[test]
fn equal_bounds_are_no_contradiction() {
    assert!(try_build("vegas", &[("alpha", "3"), ("beta", "3")]).is_ok());
    assert!(try_build("vegas", &[("alpha", "3.1"), ("beta", "3")]).is_err());
}
