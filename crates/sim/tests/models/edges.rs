//! Detectors at the edges of their marks, and what they say of themselves.

use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Identity, Moment, Overheard, Seen, Signal};
use backwater_sim::mechanism::place::{Holdings, Rates, View};
use backwater_sim::mechanism::{AnyDetector, DETECTORS};
use backwater_sim::table::Id;
use backwater_transport::part::Value;
use backwater_transport::units::Time;

use crate::detectors::{CLEAR, CONGESTED, made, share, span};
use crate::options::fill;
use crate::traces::MS;

/// Where nothing is held, or nothing is known of a level.
fn nothing() -> View<'static> {
    View::level(Time::ZERO, 0, 0, 100)
}

/// Detectors of levels remember nothing, so that a run with one may be skipped. All others do.
#[test]
fn detectors_of_levels_remember_nothing() {
    let forget: Vec<_> = DETECTORS
        .iter()
        .filter(|row| {
            let made = (row.build)(&fill(row.options, &[])).expect("legal defaults");
            !made.remembers()
        })
        .map(|row| row.id)
        .collect();
    let levels = ["watermark", "ingress-watermark", "dynamic-threshold"];
    assert_eq!(forget, levels);
}

/// The upper mark of a detector with two can be moved between the lower one and all there is. Others have nothing to move.
#[test]
fn upper_marks_can_be_moved() {
    let knobs: Vec<_> = DETECTORS
        .iter()
        .filter_map(|row| {
            let mut made = (row.build)(&fill(row.options, &[])).expect("legal defaults");
            let knob = made.knob()?;
            Some((row.id, knob.name, knob.now()))
        })
        .collect();
    let expected = [
        ("watermark", "high", 0.8),
        ("ingress-watermark", "xoff", 100_000.0),
        ("occupancy", "high", 0.6),
    ];
    assert_eq!(knobs, expected);
    let mut made = made("occupancy", &[]);
    made.knob().expect("a knob").turn(0.5);
    assert_eq!(made.slack(1000), Some(500));
}

/// A byte reaches a threshold of one.
#[test]
fn a_single_byte_may_reach_a_dynamic_threshold() {
    let mut made = made("dynamic-threshold", &[]);
    let seen = Seen::of_class(0);
    let mut came = |held| {
        let view = View::level(Time::ZERO, 0, held, 1);
        made.observe(&Moment::Enqueued(&seen), &view)
    };
    assert_eq!((came(0), came(1)), (None, CONGESTED));
}

/// A detector that fills at a rate, of 50 kB.
fn filling(high: f64, low: f64, horizon: u64, window: u64) -> AnyDetector {
    let given = [
        share("high", high),
        share("low", low),
        span("horizon", horizon),
        span("window", window),
    ];
    made("fill-rate", &given)
}

/// What it says when a frame comes, or leaves, after so many microseconds and leaves so much.
fn at(made: &mut AnyDetector, came: bool, us: u64, held: u64) -> Option<Signal> {
    let seen = Seen::of_class(0);
    let view = View::level(Time(us * MS / 1000), 0, held, 50_000);
    let moment = match came {
        true => Moment::Enqueued(&seen),
        false => Moment::Sent(&seen),
    };
    made.observe(&moment, &view)
}

/// Nothing came in the window before a frame that comes two windows after the last sample, or later: the level had not risen. One that
/// comes earlier has risen by 12 kB in 1.9 ms, 63 kB in 10 ms.
#[test]
fn a_frame_after_a_window_of_silence_is_no_rise() {
    for (us, expected) in [(1_900, CONGESTED), (2_000, None), (2_500, None)] {
        let mut made = filling(0.8, 0.2, 10, 1);
        assert_eq!(at(&mut made, true, us, 12_000), expected, "{us}");
    }
}

/// 1000 B/ms for 21 ms are congestion. After its end a queue of 9,999 B takes 2,001 B in half a millisecond, 80 kB in 20 ms: though it held
/// more before, that is congestion again.
#[test]
fn a_fill_rate_is_taken_anew_after_an_alarm() {
    let mut made = filling(0.8, 0.2, 20, 1);
    for ms in 0..=20 {
        assert_eq!(at(&mut made, true, 1000 * ms, 1000 * ms), None, "{ms}");
    }
    assert_eq!(at(&mut made, true, 21_000, 21_000), CONGESTED);
    assert_eq!(at(&mut made, false, 21_500, 9_999), CLEAR);
    assert_eq!(at(&mut made, true, 22_000, 12_000), CONGESTED);
    let below = |held| made.may_relieve(&View::level(Time::ZERO, 0, held, 50_000));
    assert_eq!([10_000, 9_999].map(below), [false, true]);
}

/// A queue begins empty, so that what it holds came in the window of 10 ms: in 9 ms comes nine tenths of that again. From 21,050 B that
/// ends at the mark of 39,995 B.
#[test]
fn a_queue_fills_from_nothing() {
    for (held, expected) in [(21_051, CONGESTED), (21_049, None)] {
        let mut made = filling(0.7999, 0.0, 9, 10);
        assert_eq!(at(&mut made, true, 1000, held), expected, "{held} B");
    }
}

/// A station that holds nothing holds nothing for others.
#[test]
fn nothing_held_is_no_congestion() {
    let mut made = made("occupancy", &[]);
    let held = Holdings::default();
    let view = View {
        holdings: Some(&held),
        ..nothing()
    };
    let left = Seen::of_class(0);
    assert_eq!(made.observe(&Moment::Sent(&left), &view), CLEAR);
    assert_eq!(made.observe(&Moment::Expiring, &view), CLEAR);
}

/// What a detector of rates says of a queue filled so far that received and sent so much.
fn by_rates(made: &mut AnyDetector, filled: u64, came: u64, left: u64) -> Option<Signal> {
    let rates = Rates {
        came,
        left,
        left_last: left,
        left_best: left,
        busy: None,
    };
    let view = View {
        rates: Some(&rates),
        ..View::level(Time::ZERO, 0, filled, 100)
    };
    made.observe(&Moment::Timer, &view)
}

/// A mark that is met is not passed: a queue and a difference half-way between two means are the lower and the medium one. A single byte
/// that came and did not leave is all the difference there can be.
#[test]
fn what_lies_half_way_between_two_means_is_the_lower_or_medium_one() {
    let given = [
        share("difference", 0.5),
        share("deviation", 0.125),
        share("deviation_medium", 0.125),
    ];
    let mut made = made("queue-rate-difference", &given);
    assert_eq!(by_rates(&mut made, 50, 100, 100), CLEAR);
    assert_eq!(
        by_rates(&mut made, 51, 100, 100),
        Some(Signal::CongestedByAll)
    );
    assert_eq!(by_rates(&mut made, 0, 100, 75), CLEAR);
    assert_eq!(by_rates(&mut made, 0, 100, 74), CONGESTED);
    assert_eq!(by_rates(&mut made, 0, 75, 100), CLEAR);
    assert_eq!(by_rates(&mut made, 0, 74, 100), Some(Signal::Underused));
    assert_eq!(by_rates(&mut made, 0, 1, 0), CONGESTED);
    assert_eq!(by_rates(&mut made, 0, 0, 0), CLEAR);
}

/// However small the deviations are, a difference of a half is nearer to the mean of a high one, 16 %, than to nought where the deviations
/// are equal.
#[test]
fn a_large_difference_of_rates_is_high_whatever_the_deviation() {
    for deviation in [0.001, 0.005, 0.01, 0.08] {
        let given = [
            share("deviation", deviation),
            share("deviation_medium", deviation),
        ];
        let mut made = made("queue-rate-difference", &given);
        assert_eq!(by_rates(&mut made, 0, 100, 50), CONGESTED, "{deviation}");
    }
}

fn toward(next: u32, to: u32) -> Seen {
    Seen {
        next: Some(next),
        to: Some(to),
        packet: Some(Identity {
            flow: Id::raw(0),
            seq: 0,
        }),
        ..Seen::of_class(0)
    }
}

pub fn overheard(by: u32, to: u32, backlog: u32) -> Overheard {
    Overheard {
        class: 0,
        by,
        packet: Identity {
            flow: Id::raw(0),
            seq: 0,
        },
        to,
        backlog: Some(backlog),
    }
}

/// A next station from which nothing has been overheard yet holds nothing, so another decides: it has sent on the only packet that it
/// got, and none waits there.
#[test]
fn a_next_station_that_was_never_overheard_holds_nothing() {
    let given = [("samples", Value::Count(1))];
    let mut made = made("overheard-backlog", &given);
    for next in [2, 1] {
        let seen = toward(next, 5);
        assert_eq!(made.observe(&Moment::Sent(&seen), &nothing()), None);
    }
    let seen = overheard(1, 5, 0);
    let said = made.observe(&Moment::Overheard(&seen), &nothing());
    assert_eq!(said, Some(Signal::Underused));
}

/// Station and host number 0 count as others do. Where nothing waits there is no priority, and what the next station holds as much of
/// as this one is not sent first, nor is anything where the oldest packet goes first.
#[test]
fn packets_that_wait_have_a_differential_backlog() {
    for (serve, first) in [("greatest", Some((0, 0))), ("oldest", None)] {
        let given = [("step", Value::Count(1)), ("serve", Value::Choice(serve))];
        let mut made = made("differential-backlog", &given);
        let mut tell = |moment: &Moment| {
            let said = made.observe(moment, &nothing());
            (said, made.serves_first(0))
        };
        let there = |backlog| overheard(0, 0, backlog);
        assert_eq!(tell(&Moment::Overheard(&there(0))), (None, None));
        let back = |steps| Some(Signal::Back(steps));
        let mine = toward(0, 0);
        assert_eq!(tell(&Moment::Enqueued(&mine)), (back(2), first));
        assert_eq!(tell(&Moment::Overheard(&there(1))), (back(3), None));
        // A second waits here, and none there any more.
        assert_eq!(tell(&Moment::Enqueued(&mine)), (back(2), first));
        assert_eq!(tell(&Moment::Overheard(&there(0))), (back(1), first));
    }
}
