//! LEDBAT++: sections 4.1 to 4.4 of its draft, with a target of 62.5 ms and a base of 125 ms, so that the gain is 1 and differences are
//! binary.

use backwater_transport::controller::{Ack, AnyController, Cause, Controller};

use crate::{ack, after, build, near, shown, state, tell, tell_at, window};

const BASE: f64 = 125.0;

fn built(options: &[(&str, &str)]) -> AnyController {
    let usual = [("target", "62.5 ms"), ("filter", "none")];
    build("ledbat-pp", &[&usual, options].concat())
}

/// So many bytes, after a round trip with so much queueing, in this round.
fn queued(now: f64, bytes: u64, queueing: f64, number: u64) -> Ack<'static> {
    Ack {
        round: number,
        ..ack(now, bytes, BASE + queueing)
    }
}

/// GAIN = 1 / min(16, ⌈2 TARGET / base⌉); 16 where no base is known.
#[test]
fn the_gain_falls_with_the_base() {
    near(shown(&build("ledbat-pp", &[]), "gain"), 1.0 / 16.0);
    for (target, base, part) in [
        ("60 ms", 1000.0, 1.0),
        ("60 ms", 120.0, 1.0),
        ("60 ms", 119.0, 2.0),
        ("60 ms", 59.0, 3.0),
        ("60 ms", 8.1, 15.0),
        ("60 ms", 7.5, 16.0),
        ("60 ms", 5.0, 16.0),
    ] {
        let mut c = build("ledbat-pp", &[("target", target)]);
        let first = after(&mut c, &ack(0.0, 1600, base));
        near(shown(&c, "gain"), 1.0 / part);
        // Slow start adds so much of what is acknowledged.
        assert_eq!(first, 2_000 + (1600.0 / part) as u64);
    }
}

/// Behind 3/4 of the target the first slow start ends; the slowdown follows two rounds later, is two segments for two rounds, and slow
/// start brings the window back whatever the delay. That took 3 s, so the next is due 27 s later.
#[test]
fn slowdowns_follow_the_first_slow_start_and_each_other() {
    let mut c = built(&[]);
    assert_eq!(state(&c), (None, "slow start"));
    assert_eq!(after(&mut c, &queued(0.0, 1_000, 0.0, 1)), 3_000);
    assert_eq!(after(&mut c, &queued(0.0, 5_000, 46.875, 1)), 8_000);
    assert_eq!(after(&mut c, &queued(0.0, 5_000, 46.876, 1)), 8_000);
    assert_eq!(state(&c), (None, "avoidance"));
    // At the gain until the round is there.
    assert_eq!(after(&mut c, &queued(0.0, 8_000, 0.0, 2)), 9_000);
    let free = Ack {
        cwnd_limited: false,
        ..queued(0.0, 8_000, 0.0, 2)
    };
    assert_eq!(after(&mut c, &free), 9_000);
    assert_eq!(after(&mut c, &queued(1000.0, 8_000, 0.0, 3)), 2_000);
    assert_eq!(state(&c), (Some(9_000), "slowdown"));
    assert_eq!(after(&mut c, &queued(2000.0, 8_000, 0.0, 4)), 2_000);
    assert_eq!(after(&mut c, &queued(2000.0, 8_000, 0.0, 5)), 2_000);
    assert_eq!(state(&c), (Some(9_000), "slow start"));
    assert_eq!(after(&mut c, &queued(2500.0, 6_000, 100.0, 5)), 8_000);
    // Not beyond ssthresh: there slow start is over with the next acknowledgement.
    c.on_ack(&queued(3000.0, 1_500, 100.0, 5));
    assert_eq!(after(&mut c, &queued(4000.0, 1_000, 0.0, 6)), 9_000);
    assert_eq!(state(&c), (Some(9_000), "avoidance"));
    let due = 4000.0 + 9.0 * 3000.0;
    assert_eq!(after(&mut c, &queued(due - 0.001, 9_000, 0.0, 7)), 10_000);
    assert_eq!(after(&mut c, &queued(due, 9_000, 0.0, 20)), 2_000);
    assert_eq!(state(&c), (Some(10_000), "slowdown"));
    // At the window of ssthresh itself slow start is over, too.
    assert_eq!(after(&mut c, &queued(due, 1_000, 0.0, 22)), 2_000);
    assert_eq!(after(&mut c, &queued(due, 8_000, 0.0, 22)), 10_000);
    assert_eq!(after(&mut c, &queued(due, 9_000, 0.0, 22)), 10_000);
    assert_eq!(state(&c), (Some(10_000), "avoidance"));
}

/// The options of slowdowns: three rounds, and two times as long until the next. One of no time at all would be due at once.
#[test]
fn slowdowns_are_as_long_and_as_far_apart_as_is_written() {
    let mut c = built(&[("slowdown-rounds", "3"), ("slowdown-every", "2")]);
    for (now, bytes, queueing, number, expected) in [
        (0.0, 2_000, 0.0, 1, 4_000),
        (0.0, 2_000, 50.0, 1, 4_000),
        (1000.0, 1_000, 0.0, 3, 2_000),
        (1000.0, 1_000, 0.0, 5, 2_000),
        (1000.0, 1_000, 0.0, 6, 2_000),
        (1000.0, 2_000, 0.0, 6, 4_000),
        (2000.0, 1_000, 0.0, 6, 4_000),
        (3999.9, 4_000, 0.0, 7, 5_000),
        (4000.0, 1_000, 0.0, 8, 2_000),
    ] {
        let got = after(&mut c, &queued(now, bytes, queueing, number));
        assert_eq!(got, expected, "{now} {number}");
    }
}

/// W += GAIN − C W (queueing / TARGET − 1) segments in a round, not below −W/2; two segments are left. The window is 4,000 here.
#[test]
fn the_window_falls_in_proportion_to_the_excess() {
    for (strength, queueing, segments) in [
        ("1", 62.5, 1.0),
        ("1", 70.3125, 0.5),
        ("1", 78.125, 0.0),
        ("1", 93.75, -1.0),
        ("1", 109.375, -2.0),
        ("1", 125.0, -2.0),
        ("0.5", 125.0, -1.0),
        ("0.5", 1000.0, -2.0),
    ] {
        let mut c = built(&[("strength", strength)]);
        c.on_ack(&queued(0.0, 2_000, 0.0, 1));
        c.on_ack(&queued(0.0, 2_000, 50.0, 1));
        assert_eq!((window(&c), state(&c).1), (4_000, "avoidance"));
        let expected = (4_000.0 + segments * 250.0) as u64;
        let got = after(&mut c, &queued(0.0, 1_000, queueing, 1));
        assert_eq!(got, expected, "{strength} {queueing}");
        let lowest = after(&mut c, &queued(0.0, 100_000, 1000.0, 1));
        assert_eq!(lowest, 2_000);
    }
}

/// Nothing happens before a round trip is known, in recovery, or where nothing new is acknowledged; a byte is something.
#[test]
fn acknowledgements_that_say_nothing_change_nothing() {
    let mut c = built(&[]);
    let silent = Ack {
        rtt: None,
        ..queued(0.0, 1_000, 0.0, 0)
    };
    assert_eq!(after(&mut c, &silent), 2_000);
    let recovering = Ack {
        recovering: true,
        ..queued(0.0, 1_000, 0.0, 0)
    };
    assert_eq!(after(&mut c, &recovering), 2_000);
    // A round begins with it that is not slow start, if it counts.
    let nothing = queued(0.0, 0, 50.0, 0);
    assert_eq!(after(&mut c, &nothing), 2_000);
    assert_eq!(state(&c).1, "slow start");
    assert_eq!(after(&mut c, &queued(0.0, 1, 0.0, 0)), 2_001);
    assert_eq!(after(&mut c, &silent), 3_001);
}

/// A loss or a mark halves, to two segments at least, and slow start ends there.
#[test]
fn losses_halve_the_window() {
    let grown = || {
        let mut c = built(&[]);
        assert_eq!(after(&mut c, &queued(0.0, 6_000, 0.0, 1)), 8_000);
        c
    };
    for cause in [Cause::Loss, Cause::Mark] {
        let mut c = grown();
        for left in [4_000, 2_000, 2_000] {
            tell(&mut c, cause, 100_000);
            assert_eq!((window(&c), state(&c).0), (left, Some(left)));
        }
        let mut c = grown();
        tell(&mut c, cause, 100_000);
        tell(&mut c, Cause::Recovered, 100_000);
        assert_eq!(window(&c), 4_000);
        tell(&mut c, Cause::Spurious, 100_000);
        assert_eq!(window(&c), 8_000);
    }
    // There is nothing to undo at first.
    let mut c = built(&[]);
    tell(&mut c, Cause::Spurious, 100_000);
    assert_eq!(window(&c), 2_000);
}

/// A timeout leaves two segments and slow start to half of the window, as behind a slowdown that began then: 1 s, so the next is 9 s on.
#[test]
fn a_timeout_is_a_slowdown() {
    let mut c = built(&[]);
    c.on_ack(&queued(0.0, 6_000, 0.0, 1));
    c.on_ack(&queued(0.0, 6_000, 50.0, 1));
    assert_eq!((window(&c), state(&c)), (8_000, (None, "avoidance")));
    tell_at(&mut c, 1000.0, Cause::Timeout, 100_000);
    assert_eq!(
        (window(&c), state(&c)),
        (2_000, (Some(4_000), "slow start"))
    );
    let mut spurious = c.clone();
    tell(&mut spurious, Cause::Spurious, 0);
    assert_eq!(window(&spurious), 8_000);
    assert_eq!(after(&mut c, &queued(1500.0, 3_000, 100.0, 2)), 5_000);
    assert_eq!(after(&mut c, &queued(2000.0, 1_000, 0.0, 2)), 4_000);
    assert_eq!(state(&c).1, "avoidance");
    assert_eq!(after(&mut c, &queued(10_999.9, 4_000, 0.0, 9)), 5_000);
    assert_eq!(after(&mut c, &queued(11_000.0, 4_000, 0.0, 9)), 2_000);
    tell(&mut c, Cause::Timeout, 0);
    assert_eq!((window(&c), state(&c).0), (2_000, Some(2_000)));
}
