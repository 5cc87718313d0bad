//! The signals of `ewma`, `slope` and `late` at the numbers at which they begin. The window begins with two packets.

use backwater_transport::controller::{Ack, AnyController, Cause, Controller, Reduction};
use backwater_transport::units::Time;

use crate::{ack, after, at, build, near, sent, shown, tell_at, window};

const ALL: [&str; 3] = ["ewma", "slope", "late"];

/// α packets for each window acknowledged, up to the cap; from `least` on.
#[test]
fn the_window_grows_by_alpha_for_each_window() {
    for id in ALL {
        let options = [("alpha", "3"), ("cap", "6 packets"), ("least", "3 packets")];
        let mut c = build(id, &options);
        assert_eq!(window(&c), 3_000);
        // A binary round trip: 62.5 ms.
        for (bytes, expected) in [(2_000, 5_000), (500, 5_300), (9_000, 6_000)] {
            assert_eq!(after(&mut c, &ack(0.0, bytes, 62.5)), expected, "{id}");
        }
        let silent = Ack {
            rtt: None,
            ..ack(0.0, 9_000, 62.5)
        };
        assert_eq!(after(&mut c, &silent), 6_000);
        assert_eq!(c.reduction(), Reduction::Direct);
        assert_eq!((c.limits().pacing, c.limits().wake), (None, Time::NEVER));
    }
}

/// A round trip of the threshold is not longer: the window grows. One above it halves, once until a shorter one comes, and not below the
/// least.
#[test]
fn a_signal_begins_above_the_threshold() {
    for id in ALL {
        // A mean of one or two samples, as short as the options allow.
        let options = [("threshold", "62.5 ms"), ("least", "4 packets")];
        let own: &[_] = match id {
            "ewma" => &[("gain", "1")],
            "slope" => &[("n", "2"), ("steepest", "1000")],
            _ => &[],
        };
        let mut c = build(id, &[&options, own].concat());
        assert_eq!(c.inspect().state, "armed");
        let mut now = 0.0;
        for (rtt, expected, state) in [
            (62.5, 10_000, "armed"),
            (62.5, 12_400, "armed"),
            (64.0, 6_200, "cut"),
            (64.0, 6_200, "cut"),
            (60.0, 6_200, "armed"),
            (60.0, 6_200, "armed"),
            (66.0, 4_000, "cut"),
        ] {
            now += 1000.0;
            let bytes = if rtt == 62.5 { 24_000 } else { 0 };
            let got = after(&mut c, &ack(now, bytes, rtt));
            assert_eq!((got, c.inspect().state), (expected, state), "{id} {now}");
        }
    }
}

/// A loss or a timeout decreases, once like a long delay; a mark does not.
#[test]
fn losses_decrease_once() {
    for id in ALL {
        for (cause, left) in [
            (Cause::Loss, 4_000),
            (Cause::Timeout, 4_000),
            (Cause::Mark, 8_000),
            (Cause::Spurious, 8_000),
            (Cause::Recovered, 8_000),
        ] {
            let mut c = build(id, &[]);
            assert_eq!(after(&mut c, &ack(0.0, 12_000, 40.0)), 8_000);
            for _ in 0..2 {
                tell_at(&mut c, 1.0, cause, 8_000);
                assert_eq!(window(&c), left, "{id} {cause:?}");
            }
        }
    }
}

/// The average begins with the first sample; of those without a gain it is the last. A slope is taken of samples of `slope` alone.
#[test]
fn what_is_shown_is_what_was_sensed() {
    for (id, average, slope) in [
        ("ewma", 0.0425, 0.0),
        ("slope", 0.06, 0.5),
        ("late", 0.06, 0.0),
    ] {
        let mut c = build(id, &[]);
        assert_eq!(shown(&c, "average_rtt_s"), 0.0, "{id}");
        assert_eq!(shown(&c, "slope"), 0.0, "{id}");
        c.on_ack(&ack(1000.0, 0, 40.0));
        near(shown(&c, "average_rtt_s"), 0.04);
        assert_eq!(shown(&c, "slope"), 0.0, "{id}");
        c.on_ack(&ack(1040.0, 0, 60.0));
        near(shown(&c, "average_rtt_s"), average);
        let got = shown(&c, "slope");
        assert!((got - slope).abs() < 1e-9, "{id}: {got}");
    }
}

/// A slope of one is not steeper than one, and three of four samples say nothing. Instants and round trips are binary fractions of a
/// second.
#[test]
fn a_slope_acts_above_the_steepest_of_as_many_samples() {
    let options = [
        ("threshold", "100 s"),
        ("alpha", "0"),
        ("least", "8 packets"),
    ];
    let state = |samples: &[(f64, f64)]| {
        let mut c = build("slope", &options);
        for (now, rtt) in samples {
            c.on_ack(&ack(*now, 1_000, *rtt));
        }
        c.inspect().state
    };
    let rising = |step: f64| [0.0, 250.0, 500.0, 750.0].map(|now| (now, 500.0 + step * now));
    assert_eq!(state(&rising(1.0)), "armed");
    assert_eq!(state(&rising(1.001)), "cut");
    assert_eq!(state(&rising(2.0)[..3]), "armed");
    // The fifth sample takes the place of the first.
    let flat = [(0.0, 500.0), (250.0, 500.0), (500.0, 500.0)];
    let steep = [(750.0, 500.0), (1000.0, 900.0), (1250.0, 1400.0)];
    assert_eq!(state(&[&flat[..], &steep[..2]].concat()), "armed");
    assert_eq!(state(&[&flat[..], &steep[..]].concat()), "cut");
}

fn late_with(threshold: &'static str) -> AnyController {
    let mut c = build("late", &[("threshold", threshold)]);
    assert_eq!(after(&mut c, &ack(0.0, 12_000, 40.0)), 8_000);
    c
}

/// The oldest segment is late at the threshold, seen by the timer or by the acknowledgement of another; until then the timer waits for it.
#[test]
fn a_segment_is_late_at_the_threshold() {
    let mut c = late_with("70 ms");
    for number in [5, 6] {
        sent(&mut c, 10.0 * number as f64, number);
    }
    assert_eq!(c.limits().wake, at(120.0));
    // An older one is acknowledged a moment before, and at the instant itself.
    for (now, state) in [(119.999, "armed"), (120.0, "cut")] {
        let mut c = c.clone();
        let older = Ack {
            number: 4,
            ..ack(now, 0, 40.0)
        };
        c.on_ack(&older);
        assert_eq!(c.inspect().state, state, "{now}");
        let waits = if state == "cut" {
            Time::NEVER
        } else {
            at(120.0)
        };
        assert_eq!(c.limits().wake, waits);
    }
    // Its own acknowledgement leaves the next to be waited for.
    let own = Ack {
        number: 5,
        ..ack(119.0, 0, 40.0)
    };
    c.on_ack(&own);
    assert_eq!(c.limits().wake, at(130.0));
    c.on_timer(at(129.999));
    assert_eq!((window(&c), c.limits().wake), (8_000, at(130.0)));
    c.on_timer(at(130.0));
    assert_eq!((window(&c), c.limits().wake), (4_000, Time::NEVER));
}

/// No timer is set for an instant that has come: not with what else happens at it or behind it.
#[test]
fn a_timer_is_not_set_in_the_past() {
    for now in [70.0, 80.0] {
        let mut c = late_with("70 ms");
        sent(&mut c, 0.0, 5);
        assert_eq!(c.limits().wake, at(70.0));
        let mut told = c.clone();
        tell_at(&mut told, now, Cause::Recovered, 0);
        assert_eq!(told.limits().wake, Time::NEVER);
        sent(&mut c, now, 6);
        assert_eq!(c.limits().wake, Time::NEVER);
        assert_eq!(c.inspect().state, "armed");
    }
}

/// Behind a timeout nothing is outstanding that could be late.
#[test]
fn a_timeout_forgets_what_was_out() {
    let mut c = late_with("70 ms");
    sent(&mut c, 0.0, 5);
    tell_at(&mut c, 60.0, Cause::Timeout, 0);
    let older = Ack {
        number: 4,
        ..ack(100.0, 0, 40.0)
    };
    c.on_ack(&older);
    assert_eq!(c.inspect().state, "armed");
    assert_eq!(c.limits().wake, Time::NEVER);
}
