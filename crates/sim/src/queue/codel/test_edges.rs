//! CoDel at its bounds, by the pseudocode of RFC 8289 section 5.

use backwater_transport::segment::Ecn;

use super::*;

const LAW: Law = Law {
    target: Span::millis(5),
    interval: Span::millis(100),
    frame: 1500,
    mark: true,
};

fn ms(n: u64) -> Time {
    Time(Span::millis(n).0)
}

fn frame(now: Time, sojourn: Span, bytes: u64, ecn: Ecn) -> Frame {
    Frame {
        now,
        queue: 0,
        size: 1500,
        ecn,
        sojourn,
        bytes,
        packets: 9,
    }
}

/// A delay of exactly the target is above it, a queue of exactly one frame is not; an interval later, that instant included,
/// somebody is told.
#[test]
fn the_target_is_above_and_a_frame_is_below() {
    let told = |sojourn: Span, bytes: u64, then: Time| {
        let mut state = State::default();
        let at = |now| frame(now, sojourn, bytes, Ecn::Ect0);
        assert_eq!(LAW.judge(&mut state, &at(ms(0))), Verdict::Accept);
        LAW.judge(&mut state, &at(then))
    };
    let target = LAW.target;
    assert_eq!(told(target, 1501, ms(100)), Verdict::Mark);
    assert_eq!(told(target, 1501, Time(ms(100).0 - 1)), Verdict::Accept);
    assert_eq!(told(target, 1500, ms(100)), Verdict::Accept);
    assert_eq!(told(Span(target.0 - 1), 1501, ms(100)), Verdict::Accept);
}

/// A dropping state that begins again within 16 intervals of the last drop goes on with the drops that it had since the one
/// before, if they were more than one; else with one. The next drop is due an interval by the root of that later.
#[test]
fn a_dropping_state_that_begins_again_goes_on() {
    let again = |count: u64, last_count: u64, now: u64| {
        let mut state = State {
            first_above: Some(ms(0)),
            drop_next: ms(1000),
            count,
            last_count,
            dropping: false,
            behind: Behind::Nothing,
        };
        let one = frame(ms(now), Span::millis(50), 9000, Ecn::Ect0);
        assert_eq!(LAW.judge(&mut state, &one), Verdict::Mark);
        assert!(state.dropping && state.count == state.last_count);
        let gap = 100.0 / libm::sqrt(state.count as f64);
        let due = state.drop_next.since(ms(now)).seconds() * 1e3;
        assert!((due - gap).abs() < 1e-6, "{due} {gap}");
        state.count
    };
    assert_eq!(again(9, 4, 2599), 5);
    assert_eq!(again(9, 4, 2600), 1);
    assert_eq!(again(6, 4, 2000), 2);
    assert_eq!(again(5, 4, 2000), 1);
    assert_eq!(again(9, 4, 900), 5);
}

/// An empty queue ends the dropping state, and what was behind a drop is judged like any other.
#[test]
fn an_empty_queue_ends_the_dropping_state() {
    let mut state = State {
        first_above: Some(ms(0)),
        drop_next: ms(1000),
        count: 9,
        last_count: 4,
        dropping: true,
        behind: Behind::First,
    };
    state.emptied();
    assert_eq!(
        (state.first_above, state.dropping, state.behind),
        (None, false, Behind::Nothing)
    );
    // In a dropping state nobody is told before the next drop is due, and the one at that instant is.
    let told = |now: Time| {
        let mut state = State {
            first_above: Some(ms(0)),
            drop_next: ms(1000),
            count: 3,
            last_count: 1,
            dropping: true,
            behind: Behind::Nothing,
        };
        let one = frame(now, Span::millis(50), 9000, Ecn::Ect0);
        (LAW.judge(&mut state, &one), state.count, state.drop_next)
    };
    assert_eq!(told(Time(ms(1000).0 - 1)), (Verdict::Accept, 3, ms(1000)));
    assert_eq!(told(ms(1000)), (Verdict::Mark, 4, ms(1050)));
}
