//! Steps of the knobs of a station: how far each step goes, how far they go in all, and what ends them.

use backwater_transport::part::{Args, Value};

use super::super::Hold;
use super::*;
use crate::mechanism::notice::{Form, OwnFlow, Step};
use crate::table::Id;

const BASE: Category = Category {
    aifsn: 3,
    cw_min: 15,
    cw_max: 255,
    txop: Span::micros(3008),
};

/// The parameters after steps. A window doubles up to its largest.
#[test]
fn parameters_after_steps() {
    let of = |knob, level| {
        let AnyResponder::Steps(steps) = Steps::responder(knob, 2, [15; 4], None) else {
            panic!("steps");
        };
        let set = steps.apply(BASE, level);
        (set.aifsn, set.cw_min, set.cw_max, set.txop)
    };
    let txop = Span::micros(3008);
    assert_eq!(of(Knob::Aifsn, 4), (6, 15, 255, txop));
    let windows = [0, 1, 2, 3, 4, 5].map(|level| of(Knob::CwMin, level));
    assert_eq!(
        windows,
        [15, 31, 63, 127, 255, 255].map(|cw| (3, cw, 255, txop))
    );
    assert_eq!(of(Knob::Txop, 3), (3, 15, 255, Span::micros(376)));
    assert_eq!(of(Knob::Rate, 3), (3, 15, 255, txop));
}

fn notice(classes: u8, ask: Ask) -> Notice {
    Notice {
        mechanism: 0,
        form: Form::Request(50),
        classes,
        ask,
        hosts: None,
        origin: Id::NONE,
        origin_classes: 0,
        key: 0,
    }
}

/// Answers of a responder at 10 ms on four categories, in units of 1 ms; none at its timer.
fn answer(responder: &mut AnyResponder, ms: u64, notice: Option<&Notice>) -> Transmitter {
    let mut transmitter = Transmitter {
        written: [BASE; 4].into(),
        ..Transmitter::default()
    };
    let mut knobs = Knobs {
        now: Time::ZERO + Span::millis(ms),
        timer_from: Time::ZERO + Span::millis(ms),
        unit: Span::millis(1),
        gates: None,
        next: None,
        transmitter: Some(&mut transmitter),
    };
    match notice {
        Some(notice) => responder.react(notice, &mut knobs),
        None => responder.timer(&mut knobs),
    }
    transmitter
}

fn step(less: bool, rate: u64, expiry: Option<u64>) -> Ask {
    Ask::Step(Step {
        less,
        rate: Rate(rate),
        expiry: expiry.map(Span::millis),
        period: Span::millis(4),
    })
}

/// Each category named takes a step; one that holds until the next has no timer. A category that has taken all goes no further,
/// and one without any back no further.
#[test]
fn every_category_that_is_named_takes_a_step() {
    let mut responder = Steps::responder(Knob::Aifsn, 2, [1, 2, 3, 4], None);
    let levels = |t: &Transmitter| {
        t.moved
            .iter()
            .map(|m| (m.category, m.level, m.set.aifsn))
            .collect::<Vec<_>>()
    };
    let first = answer(
        &mut responder,
        10,
        Some(&notice(0b1011, step(true, 9, None))),
    );
    assert_eq!(levels(&first), [(0, 1, 3), (1, 1, 3), (3, 1, 3)]);
    assert!(first.timers.is_empty() && first.moved.iter().all(|m| m.pace.is_none()));
    let second = answer(
        &mut responder,
        11,
        Some(&notice(0b11, step(true, 9, Some(5)))),
    );
    assert_eq!(levels(&second), [(0, 1, 3), (1, 2, 4)]);
    assert_eq!(second.timers[..], [Time::ZERO + Span::millis(16); 2]);
    let back = answer(
        &mut responder,
        12,
        Some(&notice(0b101, step(false, 9, Some(5)))),
    );
    assert_eq!(levels(&back), [(0, 0, 2), (2, 0, 2)]);
    assert!(back.timers.is_empty());
    // At 16 ms category 1 takes a step back, and 4 ms later the last.
    let timed = answer(&mut responder, 16, None);
    assert_eq!(
        (levels(&timed), &timed.timers[..]),
        (vec![(1, 1, 3)], &[Time::ZERO + Span::millis(20)][..])
    );
    let last = answer(&mut responder, 20, None);
    assert_eq!(
        (levels(&last), last.timers.is_empty()),
        (vec![(1, 0, 2)], true)
    );
    assert_eq!(last.moved[0].pace, Some(None));
    assert!(levels(&answer(&mut responder, 24, None)).is_empty());
}

/// A bucket of the rate asked for, a bit per second at least, holds while there are steps; a pause names no rate.
#[test]
fn a_rate_holds_while_there_are_steps() {
    let mut responder = Steps::responder(Knob::Rate, 2, [1; 4], None);
    let mut pace = |ask| answer(&mut responder, 10, Some(&notice(1, ask))).moved[0].pace;
    assert_eq!(pace(step(true, 5000, Some(5))), Some(Some(Rate(5000))));
    assert_eq!(pace(step(true, 0, Some(5))), Some(Some(Rate(1))));
    assert_eq!(pace(step(false, 5000, Some(5))), Some(None));
    assert_eq!(pace(Ask::Limit(Rate(700), 3)), Some(Some(Rate(700))));
    assert_eq!(pace(Ask::Stop(3)), Some(None));
    assert_eq!(pace(Ask::Limit(Rate(700), 0)), Some(None));
}

/// Own flows are held where shares are kept of them.
#[test]
fn own_flows_are_held_where_shares_are_kept() {
    let own = Ask::Own(OwnFlow {
        flow: Id::raw(4),
        gets: 1e6,
        forwarded: Some(0.1e6),
        congested: true,
    });
    for expected in [0, 1] {
        let own_flows = Value::Flag(expected == 1);
        let shares = Shares::of(&Args(vec![
            ("own", own_flows),
            ("own_while", Value::Choice("congested")),
        ]));
        let mut responder = Steps::responder(Knob::Rate, 2, [1; 4], shares);
        let held = answer(&mut responder, 10, Some(&notice(1, own))).held;
        assert_eq!(held.len(), expected);
        if let Some((flow, hold)) = held.first() {
            assert_eq!((*flow, *hold), (Id::raw(4), Hold::To(Rate(900_000))));
        }
    }
}
