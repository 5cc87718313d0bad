//! The state of gates and bars that decides whether a run recurs, and what becomes of it when periods are skipped.

use backwater_transport::units::{Span, Time};
use backwater_transport::walk::{Repeat, Walk};

use super::{bar, bucket};
use crate::mechanism::gates::{Bar, Gates};
use crate::mechanism::origins::tests::stop;

fn state(gates: &mut Gates) -> Vec<u64> {
    let mut walk = Walk::look(Time(10));
    gates.walk(&mut walk);
    walk.seen().expect("all is visited").state
}

/// Two ports whose gates or bars differ in anything that is read later are not in one state.
#[test]
fn gates_and_bars_are_part_of_the_state() {
    let mut all = vec![Gates::default()];
    for (classes, until) in [(1, 30), (0b10, 30), (1, 40)] {
        let mut gates = Gates::default();
        gates.set(Time(10), classes, Time(until));
        all.push(gates);
    }
    let mut told = Gates::default();
    told.origins.note(&stop(1, 1, None, 7));
    all.push(told);
    let next = |next| Bar {
        next: Some(next),
        ..bar(1, 50)
    };
    let paced = |rate, tolerance, due| Bar {
        bucket: bucket(rate, tolerance, due),
        ..bar(1, 50)
    };
    for one in [
        bar(1, 50),
        bar(2, 50),
        bar(1, 60),
        Bar {
            classes: 1,
            ..bar(1, 50)
        },
        next(3),
        next(4),
        paced(8, 1, 20),
        paced(9, 1, 20),
        paced(8, 2, 20),
        paced(8, 1, 21),
    ] {
        let mut gates = Gates::default();
        gates.lower(Time(10), one);
        all.push(gates);
    }
    // What went to a neighbour was stopped, and is counted.
    for of in [3, 4] {
        let mut gates = Gates::default();
        gates.lower(Time(5), next(of));
        gates.lift(Time(5), 1, Some(of));
        all.push(gates);
    }
    // Of two neighbours that were spoken of one is stopped.
    for lifted in [3, 4] {
        let mut gates = Gates::default();
        for of in [3, 4] {
            gates.lower(Time(5), next(of));
        }
        gates.lift(Time(5), 1, Some(lifted));
        all.push(gates);
    }
    let states: Vec<_> = all.iter_mut().map(state).collect();
    for (n, one) in states.iter().enumerate() {
        let same = states[..n].iter().position(|other| other == one);
        assert_eq!(same, None, "{n}");
    }
}

/// Each period of 50 ticks closes a gate, and a bar and its bucket, from its 40th tick on for 40 ticks. After three periods the port is
/// closed up to 30 ticks later, and was for 40 ticks in each.
#[test]
fn instants_of_gates_move_with_the_periods() {
    let mut gates = Gates::default();
    let close = |gates: &mut Gates, at: u64| {
        gates.sweep(Time(at));
        gates.set(Time(at), 1, Time(at + 40));
        gates.lower(Time(at), bar(1, at + 40));
        let paced = Bar {
            bucket: bucket(8_000_000, 0, at + 35),
            until: Time(at + 45),
            ..bar(2, 0)
        };
        gates.lower(Time(at), paced);
    };
    let keep = |gates: &mut Gates, now: u64| {
        let mut walk = Walk::keep(Time(now));
        gates.walk(&mut walk);
        walk.seen().expect("all is visited")
    };
    close(&mut gates, 90);
    let before = keep(&mut gates, 100);
    close(&mut gates, 140);
    let mut after = keep(&mut gates, 150);
    assert!(after.recurs(&before, Span(50)).is_some());
    let repeat = Repeat {
        period: Span(50),
        began: Time(100),
        periods: 2,
    };
    gates.walk(&mut Walk::write(Time(150), before, after, repeat));
    let at = Time(250);
    assert_eq!(gates.opens(0, 0, at), Time(280));
    assert_eq!(gates.opens(1, 0, at), Time(280));
    // The gate, the bar, and the end of the bar with the bucket.
    assert_eq!(gates.next_opening(at), Some(Time(275)));
    assert_eq!(gates.next_opening(Time(280)), Some(Time(285)));
    // 40 ticks in each of three periods, and 10 of the fourth.
    assert_eq!((gates.closed(at)[0], gates.closed(at)[1]), (130, 130));
    let toward = gates.closed_toward(None, at);
    assert_eq!((toward[0], toward[1]), (130, 130));
    assert_eq!(gates.stopped_since(0, None, at), Some(Time(240)));
    gates.open(at);
    assert_eq!(gates.shut_until(), at);
}

/// A gate alone: that nothing is held back from its instant on is known without a look at each class.
#[test]
fn the_latest_gate_moves_with_the_periods() {
    let mut gates = Gates::default();
    let keep = |gates: &mut Gates, from: u64| {
        gates.set(Time(from), 1, Time(from + 40));
        let mut walk = Walk::keep(Time(from + 10));
        gates.walk(&mut walk);
        walk.seen().expect("all is visited")
    };
    let (before, after) = (keep(&mut gates, 90), keep(&mut gates, 140));
    let repeat = Repeat {
        period: Span(50),
        began: Time(100),
        periods: 2,
    };
    gates.walk(&mut Walk::write(Time(150), before, after, repeat));
    assert_eq!(gates.shut_until(), Time(280));
}
