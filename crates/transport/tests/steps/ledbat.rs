//! LEDBAT: RFC 6817 section 2.4.2, with delays that are binary parts of a target of 62.5 ms, and the filters of its delays.

use backwater_transport::controller::{Ack, AnyController, Cause, Controller};

use crate::{ack, after, build, near, shown, span, tell, window};

/// So many bytes are acknowledged that were so long on the way; enough was in flight.
fn delayed(now: f64, bytes: u64, delay: f64) -> Ack<'static> {
    Ack {
        one_way: Some(span(delay)),
        prior_in_flight: 50_000,
        ..ack(now, bytes, 100.0)
    }
}

fn built(options: &[(&str, &str)]) -> AnyController {
    let usual = [("target", "62.5 ms"), ("filter", "none")];
    build("ledbat", &[&usual, options].concat())
}

/// cwnd += GAIN · off_target · bytes · MSS / cwnd, with off_target = (TARGET − queueing) / TARGET.
#[test]
fn the_window_moves_by_the_distance_from_the_target() {
    let mut c = built(&[]);
    let mut expected = 2_000.0;
    for (delay, bytes, off) in [
        (125.0, 1_000, 1.0),
        (125.0, 3_000, 1.0),
        (156.25, 2_000, 0.5),
        (187.5, 2_000, 0.0),
        (250.0, 500, -1.0),
        (125.0, 700, 1.0),
    ] {
        c.on_ack(&delayed(0.0, bytes, delay));
        expected += off * bytes as f64 * 1_000.0 / expected;
        let got = window(&c) as f64;
        assert!((got - expected).abs() < 1.0, "{delay}: {got} {expected}");
    }
    let mut half = built(&[("gain", "0.5")]);
    assert_eq!(after(&mut half, &delayed(0.0, 1_000, 125.0)), 2_250);
}

/// Nothing happens before a delay is known, in recovery, or where nothing new is acknowledged; one byte is something.
#[test]
fn acknowledgements_that_say_nothing_change_nothing() {
    let mut c = built(&[]);
    let silent = Ack {
        one_way: None,
        ..delayed(0.0, 1_000, 0.0)
    };
    assert_eq!(after(&mut c, &silent), 2_000);
    let recovering = Ack {
        recovering: true,
        ..delayed(0.0, 1_000, 125.0)
    };
    assert_eq!(after(&mut c, &recovering), 2_000);
    assert_eq!(after(&mut c, &delayed(0.0, 0, 125.0)), 2_000);
    for expected in [2_000, 2_000, 2_001] {
        assert_eq!(after(&mut c, &delayed(0.0, 1, 125.0)), expected);
    }
    // The delay is that of before.
    assert_eq!(after(&mut c, &silent), 2_501);
}

/// ALLOWED_INCREASE: a segment beyond what was in flight. MIN_CWND: two.
#[test]
fn the_window_keeps_to_the_flight_and_to_two_segments() {
    let mut c = built(&[]);
    for (flight, bytes, expected) in [
        (1_400, 1_000, 2_400),
        (2_000, 100_000, 3_000),
        (500, 1_000, 2_000),
    ] {
        let bounded = Ack {
            prior_in_flight: flight,
            ..delayed(0.0, bytes, 125.0)
        };
        assert_eq!(after(&mut c, &bounded), expected, "{flight}");
    }
    let mut c = built(&[("allowed-increase", "3 packets"), ("least", "4 packets")]);
    assert_eq!(window(&c), 4_000);
    let bounded = Ack {
        prior_in_flight: 2_000,
        ..delayed(0.0, 100_000, 125.0)
    };
    assert_eq!(after(&mut c, &bounded), 5_000);
    assert_eq!(after(&mut c, &delayed(0.0, 100_000, 1000.0)), 4_000);
}

/// Half at a loss or a mark, not below the least and never upwards; a segment at a timeout.
#[test]
fn losses_halve_and_timeouts_leave_a_segment() {
    let grown = || {
        let mut c = built(&[]);
        assert_eq!(after(&mut c, &delayed(0.0, 16_000, 125.0)), 10_000);
        c
    };
    for (cause, left) in [
        (Cause::Loss, 5_000),
        (Cause::Mark, 5_000),
        (Cause::Timeout, 1_000),
        (Cause::Recovered, 10_000),
    ] {
        let mut c = grown();
        tell(&mut c, cause, 10_000);
        assert_eq!(window(&c), left, "{cause:?}");
        tell(&mut c, Cause::Spurious, 0);
        assert_eq!(window(&c), 10_000, "{cause:?}");
    }
    let mut c = grown();
    for left in [5_000, 2_500, 2_000, 2_000] {
        tell(&mut c, Cause::Loss, 10_000);
        assert_eq!(window(&c), left);
    }
    tell(&mut c, Cause::Timeout, 10_000);
    tell(&mut c, Cause::Loss, 10_000);
    assert_eq!(window(&c), 1_000);
    tell(&mut c, Cause::Spurious, 0);
    assert_eq!(window(&c), 1_000);
}

/// The queueing delay after samples of 40, 120, 80, 100 and 200 ms: by the least of the last two, by a mean of weight 1/2, and by the last.
#[test]
fn a_filter_smooths_the_delay_over_its_base() {
    for (filter, expected) in [
        ("min", [0.0, 0.0, 40.0, 40.0, 60.0]),
        ("ewma", [0.0, 40.0, 40.0, 50.0, 105.0]),
        ("none", [0.0, 80.0, 40.0, 60.0, 160.0]),
    ] {
        let options = [("filter", filter), ("samples", "2")];
        let mut c = build("ledbat", &options);
        assert_eq!(shown(&c, "queueing_s"), 0.0);
        assert_eq!(shown(&c, "base_s"), 0.0);
        for (sample, queueing) in [40.0, 120.0, 80.0, 100.0, 200.0].into_iter().zip(expected) {
            c.on_ack(&delayed(0.0, 1, sample));
            near(shown(&c, "base_s"), 0.04);
            let got = shown(&c, "queueing_s");
            assert!((got - queueing / 1e3).abs() < 1e-12, "{filter}: {got}");
        }
        assert_eq!(c.inspect().state, "avoidance");
    }
}

/// BASE_HISTORY: the least of a stretch counts until as many stretches have begun behind it. A stretch ends when its length is over.
#[test]
fn the_base_is_that_of_the_stretches_kept() {
    let options = [("minute", "1 s"), ("history", "2"), ("filter", "none")];
    let mut c = build("ledbat", &options);
    for (now, sample, base) in [
        (500.0, 50.0, 50.0),
        (700.0, 40.0, 40.0),
        (1499.0, 60.0, 40.0),
        // The second stretch begins.
        (1500.0, 80.0, 40.0),
        (2499.0, 70.0, 40.0),
        // The third: of the first nothing is left.
        (2500.0, 90.0, 70.0),
        (4000.0, 95.0, 90.0),
    ] {
        c.on_ack(&delayed(now, 1, sample));
        near(shown(&c, "base_s"), base / 1e3);
    }
}
