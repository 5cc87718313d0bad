//! Prague, acknowledgement by acknowledgement: its draft, RFC 9331 section 4.3, and the module. The weight of a round is 1/4 here.

use backwater_transport::controller::{Ack, AnyController, Cause, Controller};
use backwater_transport::units::Rate;

use crate::{ack, after, build, near, sent, shown, state, tell, try_build, window};

fn built(options: &[(&str, &str)]) -> AnyController {
    build("prague", &[&[("gain", "0.25")], options].concat())
}

/// So many bytes are acknowledged, of which so many were marked, after so many ms.
fn marked(now: f64, bytes: u64, among: u64, rtt: f64) -> Ack<'static> {
    Ack {
        marked: among,
        ..ack(now, bytes, rtt)
    }
}

fn ends(now: f64, bytes: u64, among: u64, rtt: f64) -> Ack<'static> {
    Ack {
        round_start: true,
        ..marked(now, bytes, among, rtt)
    }
}

fn bytes(c: &AnyController) -> f64 {
    shown(c, "window_B")
}

/// α ← α + g (F − α) with a round, once in a round trip of 100 ms. It begins with nothing.
#[test]
fn alpha_moves_once_in_a_round_trip() {
    let mut c = built(&[("first-mark", "alpha")]);
    near(shown(&c, "alpha"), 0.0);
    let quarter = 0.25 / 4.0;
    for (ack, alpha) in [
        (ends(99.9, 4, 1, 100.0), 0.0),
        (marked(150.0, 0, 0, 100.0), 0.0),
        (ends(150.0, 0, 0, 100.0), quarter),
        (ends(249.9, 2, 0, 100.0), quarter),
        (ends(250.0, 0, 0, 100.0), quarter * 0.75),
        (ends(350.0, 0, 0, 100.0), quarter * 0.75),
    ] {
        c.on_ack(&ack);
        near(shown(&c, "alpha"), alpha);
    }
    // At the round trip itself, too.
    let mut c = built(&[("first-mark", "alpha")]);
    c.on_ack(&ends(100.0, 4, 1, 100.0));
    near(shown(&c, "alpha"), quarter);
}

/// The first mark halves. The next reduction is a round trip later, by α / 2; not before, and never below what the slowest rate sends in
/// a round trip.
#[test]
fn marks_reduce_once_in_a_round_trip() {
    let mut c = built(&[]);
    for (now, expected) in [
        (100.0, 5_000.0),
        (199.9, 5_000.0),
        (200.0, 2_500.0),
        (299.9, 2_500.0),
        (300.0, 1_250.0),
        // 100 kbit/s in 100 ms are 1,250 bytes, but a segment is enough.
        (400.0, 1_000.0),
    ] {
        c.on_ack(&marked(now, 1_000, 1_000, 100.0));
        near(bytes(&c), expected);
        near(shown(&c, "alpha"), 1.0);
    }
    // 40 ms of it are 500 bytes; of 1 bit/s one byte is left.
    c.on_ack(&marked(500.0, 1_000, 1_000, 40.0));
    c.on_ack(&marked(600.0, 1_000, 1_000, 40.0));
    near(bytes(&c), 500.0);
    let mut slow = built(&[("slowest", "1 bit/s")]);
    for number in 1..=16 {
        slow.on_ack(&marked(200.0 * f64::from(number), 1_000, 1_000, 100.0));
    }
    near(bytes(&slow), 1.0);
    assert_eq!(window(&slow), 1_000);
}

/// Only the first mark halves: after a round without marks alpha is 3/4, and the next mark takes 3/8.
#[test]
fn the_second_mark_goes_by_the_average() {
    let mut c = built(&[]);
    c.on_ack(&ends(100.0, 1_000, 1_000, 100.0));
    near(bytes(&c), 5_000.0);
    c.on_ack(&ends(150.0, 0, 0, 100.0));
    c.on_ack(&ends(250.0, 0, 0, 100.0));
    let before = shown(&c, "alpha");
    c.on_ack(&Ack {
        cwnd_limited: false,
        ..ends(350.0, 1_000, 0, 100.0)
    });
    near(shown(&c, "alpha"), before * 0.75);
    c.on_ack(&marked(450.0, 1_000, 1_000, 100.0));
    near(bytes(&c), 5_000.0 * (1.0 - before * 0.375));
}

/// Slow start: two segments for an acknowledgement at most. Behind it a segment for each window of bytes that were not marked.
#[test]
fn the_window_grows_by_what_was_not_marked() {
    let mut c = built(&[]);
    for (acked, advanced, expected) in [
        (5_000, 5_000, 12_000.0),
        (1, 1, 12_001.0),
        (0, 1_000, 12_001.0),
        (999, 999, 13_000.0),
    ] {
        c.on_ack(&Ack {
            acked,
            ..ack(0.0, advanced, 100.0)
        });
        near(bytes(&c), expected);
    }
    assert_eq!(state(&c), (None, "slow start"));
    c.on_ack(&marked(100.0, 1_000, 1_000, 100.0));
    assert_eq!(state(&c), (Some(6_500), "avoidance"));
    let mut expected = 6_500.0;
    for (acked, among) in [(2_600, 0), (1_000, 400), (1, 0)] {
        c.on_ack(&marked(101.0, acked, among, 100.0));
        expected += 1_000.0 * (acked - among) as f64 / expected;
        near(bytes(&c), expected);
    }
    let free = Ack {
        cwnd_limited: false,
        ..ack(101.0, 1_000, 100.0)
    };
    c.on_ack(&free);
    near(bytes(&c), expected);
    // Whole segments may be in flight.
    assert_eq!(window(&c), 7_000);
}

/// From the fourth round behind slow start on, a round trip of 10 ms is taken for 25: (10/25)² of a segment. Rounds of slow start do not
/// count, and one of 50 ms or more is what it is.
#[test]
fn short_round_trips_are_scaled_after_four_rounds() {
    let rounds = |c: &mut AnyController, count, rtt| {
        for _ in 0..count {
            c.on_ack(&ends(1000.0, 0, 0, rtt));
        }
        (shown(c, "increase"), shown(c, "virtual_rtt_s"))
    };
    let mut c = built(&[]);
    assert_eq!(rounds(&mut c, 9, 10.0), (1.0, 0.01));
    c.on_ack(&marked(1000.0, 1_000, 1_000, 10.0));
    assert_eq!(rounds(&mut c, 3, 10.0), (1.0, 0.01));
    let (increase, longer) = rounds(&mut c, 1, 10.0);
    near(increase, 0.16);
    assert_eq!(longer, 0.025);
    for (rtt, longer) in [(25.0, 0.025), (50.0, 0.05), (100.0, 0.1)] {
        assert_eq!(rounds(&mut c, 1, rtt), (1.0, longer));
    }
    // A window is worth .16 segments then, and 25 ms lie between two reductions.
    c.on_ack(&ack(1000.0, 0, 10.0));
    c.on_ack(&ack(1000.0, 5_000, 10.0));
    near(bytes(&c), 5_160.0);
    for (now, share) in [(1024.9, 1.0), (1025.0, 0.5)] {
        c.on_ack(&marked(now, 1, 1, 10.0));
        near(bytes(&c), share * 5_160.0);
    }
}

/// While no round trip is known nothing is scaled.
#[test]
fn an_unknown_round_trip_is_not_scaled() {
    let mut c = built(&[]);
    tell(&mut c, Cause::Loss, 0);
    for _ in 0..5 {
        c.on_ack(&ends(1000.0, 0, 0, 0.0));
    }
    let scaled = (shown(&c, "increase"), shown(&c, "virtual_rtt_s"));
    assert_eq!(scaled, (1.0, 0.0));
    assert_eq!(c.limits().pacing, None);
}

/// Two windows in a round trip while the window is below half of ssthresh; else one, and a tenth less or more in turns of half a round
/// trip.
#[test]
fn the_pace_alternates_each_half_round_trip() {
    let pace = |c: &AnyController| c.limits().pacing.map(|rate| rate.0);
    let mut c = built(&[("pacing-wobble", "10 %"), ("slowest", "1 kbit/s")]);
    assert_eq!(pace(&c), None);
    c.on_ack(&ack(100.0, 0, 100.0));
    assert_eq!(pace(&c), Some(1_600_000));
    c.on_ack(&marked(149.9, 1_000, 1_000, 100.0));
    for (now, rate) in [
        (149.9, 360_000),
        (150.0, 440_000),
        (199.9, 440_000),
        (200.0, 360_000),
        (1000.0, 440_000),
        (1049.9, 440_000),
        (1050.0, 360_000),
    ] {
        c.on_ack(&ack(now, 0, 100.0));
        let got = pace(&c).expect("a pace");
        assert!(got.abs_diff(rate) <= 1, "{now}: {got}");
    }
    // ssthresh of two windows is not above them; one of a little more is.
    for (flight, rate) in [(4_000, 72_000), (4_002, 160_000)] {
        tell(&mut c, Cause::Timeout, flight);
        let got = pace(&c).expect("a pace");
        assert!(got.abs_diff(rate) <= 1, "{flight}: {got}");
    }
    let mut slow = built(&[("slowest", "3 Mbit/s")]);
    slow.on_ack(&ack(100.0, 0, 100.0));
    assert_eq!(slow.limits().pacing, Some(Rate(3_000_000)));
}

/// A loss halves the window, whatever is in flight. Until what was sent behind it is acknowledged nothing grows and no mark counts.
#[test]
fn a_loss_halves_once_in_a_round() {
    let mut c = built(&[]);
    sent(&mut c, 0.0, 9);
    tell(&mut c, Cause::Mark, 0);
    assert_eq!(bytes(&c), 10_000.0);
    tell(&mut c, Cause::Loss, 0);
    assert_eq!((bytes(&c), state(&c).0), (5_000.0, Some(5_000)));
    let numbered = |number, among| Ack {
        number,
        ..marked(1000.0, 1_000, among, 100.0)
    };
    for among in [0, 1_000] {
        c.on_ack(&numbered(9, among));
        assert_eq!(bytes(&c), 5_000.0);
    }
    c.on_ack(&numbered(10, 0));
    assert_eq!(bytes(&c), 5_200.0);
    let recovering = |among| Ack {
        recovering: true,
        ..numbered(10, among)
    };
    for among in [0, 1_000] {
        c.on_ack(&recovering(among));
        assert_eq!(bytes(&c), 5_200.0);
    }
    c.on_ack(&numbered(10, 1_000));
    assert_eq!(bytes(&c), 2_600.0);
    tell(&mut c, Cause::Timeout, 6_000);
    assert_eq!((bytes(&c), state(&c).0), (1_000.0, Some(3_000)));
    tell(&mut c, Cause::Spurious, 0);
    assert_eq!((bytes(&c), state(&c).0), (2_600.0, Some(3_000)));
}

/// A loss before anything was sent again leaves the acknowledgement of the first transmission to count, as it does before any loss.
#[test]
fn the_first_transmission_counts() {
    let mut c = built(&[]);
    assert_eq!(after(&mut c, &ack(0.0, 1_000, 100.0)), 11_000);
    tell(&mut c, Cause::Loss, 0);
    c.on_ack(&ack(0.0, 1_100, 100.0));
    near(bytes(&c), 5_700.0);
}

/// The target may be the longest round trip, and not more.
#[test]
fn the_target_lies_below_the_longest_round_trip() {
    for (target, longest, legal) in [
        ("100 ms", "100 ms", true),
        ("25 ms", "40 ms", true),
        ("41 ms", "40 ms", false),
    ] {
        let options = [("target-rtt", target), ("longest-rtt", longest)];
        assert_eq!(try_build("prague", &options).is_ok(), legal, "{target}");
    }
}
