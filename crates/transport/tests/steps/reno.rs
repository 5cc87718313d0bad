//! Reno and NewReno: RFC 5681 sections 3.1, 3.2 and 4.1, RFC 6582 section 3.2, RFC 8511.

use backwater_transport::controller::{Ack, AnyController, Cause, Controller, Reduction};
use backwater_transport::segment::Ecn;

use crate::{ack, after, build, idle, state, tell, window};

const BOTH: [&str; 2] = ["reno", "newreno"];

/// Acknowledges these bytes, one acknowledgement each; the windows after them.
fn windows<const N: usize>(c: &mut AnyController, bytes: [u64; N]) -> [u64; N] {
    bytes.map(|bytes| after(c, &ack(0.0, bytes, 100.0)))
}

/// min(N, SMSS) for each acknowledgement; nothing in recovery, and nothing where the window was not full.
#[test]
fn slow_start_adds_what_is_acknowledged_up_to_a_segment() {
    for id in BOTH {
        let mut c = build(id, &[]);
        assert_eq!(state(&c), (None, "slow start"));
        assert_eq!(window(&c), 10_000);
        let got = windows(&mut c, [400, 1000, 3000]);
        assert_eq!(got, [10_400, 11_400, 12_400], "{id}");
        for (recovering, cwnd_limited) in [(true, true), (false, false)] {
            let other = Ack {
                recovering,
                cwnd_limited,
                ..ack(0.0, 1000, 100.0)
            };
            assert_eq!(after(&mut c, &other), 12_400, "{id}");
        }
    }
}

/// At ssthresh slow start is over. A segment for each window acknowledged, at its last byte; what covers more than a window counts as one.
#[test]
fn avoidance_adds_a_segment_for_each_window() {
    for id in BOTH {
        let mut c = build(id, &[]);
        tell(&mut c, Cause::Loss, 20_000);
        assert_eq!(state(&c), (Some(10_000), "avoidance"));
        let got = windows(&mut c, [9_999, 1, 10_999, 1]);
        assert_eq!(got, [10_000, 11_000, 11_000, 12_000], "{id}");
        let got = windows(&mut c, [30_000, 12_999, 1]);
        assert_eq!(got, [13_000, 13_000, 14_000], "{id}");
        // What was acknowledged before a loss counts no more behind it.
        windows(&mut c, [7_000]);
        tell(&mut c, Cause::Loss, 9_001);
        let got = windows(&mut c, [4_499, 1]);
        assert_eq!(got, [4_500, 5_500], "{id}");
    }
}

/// ssthresh = max(FlightSize / 2, 2 SMSS); 0.8 of it at a mark with ABE, and half at a loss still.
#[test]
fn a_loss_leaves_half_of_the_flight_and_two_segments_at_least() {
    for id in BOTH {
        let left = |abe, cause, flight| {
            let mut c = build(id, &[("abe", abe)]);
            tell(&mut c, cause, flight);
            assert_eq!(state(&c).0, Some(window(&c)));
            window(&c)
        };
        for (flight, half) in [(3_999, 2_000), (4_002, 2_001), (30_000, 15_000)] {
            assert_eq!(left("false", Cause::Loss, flight), half);
            assert_eq!(left("true", Cause::Loss, flight), half);
            assert_eq!(left("false", Cause::Mark, flight), half);
        }
        assert_eq!(left("true", Cause::Mark, 20_000), 16_000);
    }
}

/// One segment, then slow start to half of the flight, and not a byte beyond.
#[test]
fn a_timeout_leaves_a_segment_and_slow_start_to_half_of_the_flight() {
    for id in BOTH {
        let mut c = build(id, &[("abe", "true")]);
        tell(&mut c, Cause::Timeout, 8_000);
        assert_eq!(state(&c), (Some(4_000), "slow start"));
        let got = windows(&mut c, [1000, 1000, 1000, 3_999, 1]);
        assert_eq!(got, [2_000, 3_000, 4_000, 4_000, 5_000], "{id}");
        assert_eq!(state(&c), (Some(4_000), "avoidance"));
    }
}

/// The window is the one before, or stays where it has grown beyond; the threshold is the one before.
#[test]
fn what_was_spurious_is_undone() {
    for id in BOTH {
        for (cause, flight, expected) in [
            (Cause::Timeout, 20_000, 10_000),
            (Cause::Loss, 8_000, 10_000),
            (Cause::Mark, 8_000, 10_000),
            (Cause::Loss, 30_000, 15_000),
        ] {
            let mut c = build(id, &[]);
            tell(&mut c, cause, flight);
            tell(&mut c, Cause::Spurious, 0);
            assert_eq!(window(&c), expected, "{id} {cause:?}");
            assert_eq!(state(&c).0, None);
        }
        let mut c = build(id, &[]);
        tell(&mut c, Cause::Loss, 16_000);
        tell(&mut c, Cause::Loss, 8_000);
        tell(&mut c, Cause::Spurious, 0);
        assert_eq!((window(&c), state(&c).0), (8_000, Some(8_000)));
    }
}

/// An idle time bounds the window from above and ssthresh from below.
#[test]
fn an_idle_time_lowers_the_window_and_raises_the_threshold() {
    for id in BOTH {
        let mut c = build(id, &[]);
        tell(&mut c, Cause::Loss, 20_000);
        for (most, least, expected) in [(4_000, 12_000, 12_000), (8_000, 5_000, 12_000)] {
            idle(&mut c, 0.0, most, least);
            assert_eq!((window(&c), state(&c).0), (4_000, Some(expected)));
        }
    }
}

/// RFC 6582, a full acknowledgement: min(ssthresh, max(FlightSize, SMSS) + SMSS), once, and only after a fast retransmission.
#[test]
fn newreno_leaves_recovery_with_the_flight_and_a_segment() {
    let mut c = build("newreno", &[]);
    let mut ends = |told: &[(Cause, u64)]| {
        for (cause, flight) in told {
            tell(&mut c, *cause, *flight);
        }
        window(&c)
    };
    assert_eq!(ends(&[(Cause::Recovered, 3_000)]), 10_000);
    for (flight, expected) in [
        (0, 2_000),
        (1_500, 2_500),
        (3_000, 4_000),
        (9_000, 10_000),
        (9_500, 10_000),
    ] {
        let got = ends(&[(Cause::Loss, 20_000), (Cause::Recovered, flight)]);
        assert_eq!(got, expected, "{flight}");
        assert_eq!(ends(&[(Cause::Recovered, 500)]), expected, "once");
    }
    let late = [(Cause::Timeout, 20_000), (Cause::Recovered, 5_000)];
    assert_eq!(ends(&late), 1_000);
    let mut reno = build("reno", &[]);
    tell(&mut reno, Cause::Loss, 20_000);
    tell(&mut reno, Cause::Recovered, 3_000);
    assert_eq!(window(&reno), 10_000);
    // The next window is counted from there.
    let mut c = build("newreno", &[]);
    tell(&mut c, Cause::Loss, 20_000);
    tell(&mut c, Cause::Recovered, 9_500);
    assert_eq!(windows(&mut c, [9_999, 1]), [10_000, 11_000]);
}

/// What is told of marks and losses comes down in recovery, and no codepoint is set by the controller itself.
#[test]
fn a_window_of_rfc_5681_comes_down_in_proportion() {
    for id in ["reno", "newreno", "cubic", "vegas", "westwood", "fast"] {
        let c = build(id, &[]);
        assert_eq!(c.reduction(), Reduction::Proportional, "{id}");
        assert_eq!(c.ecn(), Ecn::NotEct, "{id}");
    }
}
