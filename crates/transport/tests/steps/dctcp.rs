//! DCTCP: RFC 8257 sections 3.3 to 3.5, with g = 1/4 and acknowledgements of a few bytes, so that one more or less shows.

use backwater_transport::controller::{Ack, AnyController, Cause, Controller};
use backwater_transport::segment::Ecn;

use crate::{ack, after, build, idle, near, sent, shown, state, tell, window};

fn built() -> AnyController {
    build("dctcp", &[("gain", "0.25")])
}

/// So many bytes are acknowledged, of which so many were marked, by the acknowledgement of this transmission.
fn marked(number: u64, bytes: u64, marked: u64) -> Ack<'static> {
    Ack {
        marked,
        number,
        ..ack(0.0, bytes, 100.0)
    }
}

/// The same, and a window of data ends with it.
fn ends(number: u64, bytes: u64, among: u64) -> Ack<'static> {
    Ack {
        round_start: true,
        ..marked(number, bytes, among)
    }
}

/// α ← α (1 − g) + g F, once for each window of data, where F is the share of its bytes that were marked.
#[test]
fn alpha_is_a_moving_average_of_the_share_of_marked_bytes() {
    let mut c = built();
    near(shown(&c, "alpha"), 1.0);
    c.on_ack(&ends(0, 3, 0));
    near(shown(&c, "alpha"), 0.75);
    c.on_ack(&marked(0, 2, 0));
    near(shown(&c, "alpha"), 0.75);
    // Of three bytes one was marked.
    c.on_ack(&ends(0, 1, 1));
    near(shown(&c, "alpha"), 0.75 * 0.75 + 0.25 / 3.0);
    let before = shown(&c, "alpha");
    // Not more can be marked than was acknowledged, and the windows before do not count.
    c.on_ack(&ends(0, 1, 5));
    near(shown(&c, "alpha"), before * 0.75 + 0.25);
    let before = shown(&c, "alpha");
    c.on_ack(&ends(0, 2, 0));
    near(shown(&c, "alpha"), before * 0.75);
    // A window without bytes says nothing.
    let before = shown(&c, "alpha");
    c.on_ack(&ends(0, 0, 0));
    near(shown(&c, "alpha"), before);
    let half = build("dctcp", &[("alpha", "50 %")]);
    near(shown(&half, "alpha"), 0.5);
    let mut usual = build("dctcp", &[]);
    usual.on_ack(&ends(0, 1, 0));
    near(shown(&usual, "alpha"), 15.0 / 16.0);
}

/// cwnd ← cwnd (1 − α/2) with the first mark of a window. No other, and no growth, before what was sent behind it is acknowledged.
#[test]
fn marks_reduce_once_in_a_window_of_data() {
    let mut c = built();
    sent(&mut c, 0.0, 9);
    assert_eq!(after(&mut c, &marked(3, 1000, 1)), 5_000);
    assert_eq!(state(&c), (Some(5_000), "avoidance"));
    for (bytes, among) in [(1000, 1000), (1000, 0)] {
        assert_eq!(after(&mut c, &marked(9, bytes, among)), 5_000);
    }
    sent(&mut c, 0.0, 12);
    assert_eq!(after(&mut c, &marked(10, 5_000, 0)), 6_000);
    // Of 8,000 bytes 1,001 were marked. The next mark reduces by half of α.
    c.on_ack(&ends(10, 0, 0));
    let alpha = 0.75 + 0.25 * 1001.0 / 8_000.0;
    near(shown(&c, "alpha"), alpha);
    let left = 6_000.0 * (1.0 - alpha / 2.0);
    let got = after(&mut c, &marked(10, 1, 1)) as f64;
    assert!((got - left).abs() < 1.0, "{got} {left}");
}

/// In recovery a mark reduces nothing, and nothing grows.
#[test]
fn recovery_is_left_alone() {
    let mut c = built();
    let recovering = Ack {
        recovering: true,
        ..marked(0, 1000, 1000)
    };
    assert_eq!(after(&mut c, &recovering), 10_000);
    let free = Ack {
        cwnd_limited: false,
        ..marked(0, 1000, 0)
    };
    assert_eq!(after(&mut c, &free), 10_000);
    assert_eq!(after(&mut c, &marked(0, 1000, 0)), 11_000);
}

/// Slow start: two segments for an acknowledgement at most (RFC 3465), up to ssthresh. What moves the cumulative acknowledgement but had
/// been acknowledged before does not count alone. Avoidance: a segment for each window, and one for more than a window.
#[test]
fn the_window_grows_as_that_of_reno() {
    let mut c = built();
    for (bytes, expected) in [(700, 10_700), (2_000, 12_700), (5_000, 14_700)] {
        assert_eq!(after(&mut c, &ack(0.0, bytes, 100.0)), expected);
    }
    let moved = |acked| Ack {
        acked,
        ..ack(0.0, 1000, 100.0)
    };
    assert_eq!(after(&mut c, &moved(0)), 14_700);
    assert_eq!(after(&mut c, &moved(1)), 15_700);
    tell(&mut c, Cause::Timeout, 5_000);
    assert_eq!(
        (window(&c), state(&c)),
        (1_000, (Some(2_500), "slow start"))
    );
    for (bytes, expected) in [(6_000, 2_500), (6_000, 3_500), (1_750, 4_000)] {
        assert_eq!(after(&mut c, &ack(0.0, bytes, 100.0)), expected);
    }
}

/// A loss leaves half of the flight, two segments at least; marks are not told twice; what was spurious is undone, upwards alone.
#[test]
fn losses_are_answered_as_by_reno() {
    let mut c = built();
    tell(&mut c, Cause::Mark, 4_000);
    tell(&mut c, Cause::Recovered, 4_000);
    assert_eq!(window(&c), 10_000);
    for (flight, left) in [(12_000, 6_000), (3_999, 2_000), (4_002, 2_001)] {
        tell(&mut c, Cause::Loss, flight);
        assert_eq!((window(&c), state(&c).0), (left, Some(left)));
    }
    tell(&mut c, Cause::Spurious, 0);
    assert_eq!((window(&c), state(&c).0), (2_001, Some(2_001)));
    for (cause, flight, window_then) in [
        (Cause::Loss, 8_000, 10_000),
        (Cause::Timeout, 8_000, 10_000),
        (Cause::Loss, 30_000, 15_000),
    ] {
        let mut c = built();
        tell(&mut c, cause, flight);
        tell(&mut c, Cause::Spurious, 0);
        assert_eq!((window(&c), state(&c).0), (window_then, None));
    }
}

/// An idle time bounds the window from above and ssthresh from below.
#[test]
fn an_idle_time_lowers_the_window_and_raises_the_threshold() {
    let mut c = built();
    tell(&mut c, Cause::Loss, 12_000);
    for (most, least) in [(4_000, 9_000), (5_000, 8_000)] {
        idle(&mut c, 0.0, most, least);
        assert_eq!((window(&c), state(&c).0), (4_000, Some(9_000)));
    }
    // One below a segment is a segment.
    idle(&mut c, 0.0, 1, 0);
    assert_eq!(window(&c), 1_000);
}

/// An acknowledgement of the very first transmission is no part of a reduction that has not been.
#[test]
fn the_first_transmission_counts() {
    let mut c = built();
    assert_eq!(after(&mut c, &marked(0, 1000, 0)), 11_000);
    // Nor of one that came before anything left again.
    let mut early = built();
    assert_eq!(after(&mut early, &marked(0, 1000, 1)), 5_000);
    assert_eq!(after(&mut early, &marked(0, 1000, 0)), 5_200);
    assert_eq!(c.ecn(), Ecn::Ect0);
    assert_eq!(build("dctcp", &[("ecn", "ect1")]).ecn(), Ecn::Ect1);
}
