//! Whose turn it is among the neighbours of a station, at the bounds of a turn.

use backwater_sim::medium::wifi::queue::turns::{Ready, Turn, Turns};
use backwater_transport::units::Span;

/// Turns of two neighbours, which both have packets.
fn turns(turn: Turn) -> Turns {
    let mut turns = Turns::of(turn).expect("turns");
    turns.join(7);
    turns.join(9);
    turns
}

fn next(turns: &mut Turns) -> Option<u32> {
    turns.choose(|_| Ready::Sends)
}

/// A neighbour whose turn is worth 300 us sends while a tick of it is left, and no longer when none is.
#[test]
fn a_turn_by_airtime_ends_with_its_last_tick() {
    let quantum = Span::micros(300);
    for (left, then) in [(1, 7), (0, 9)] {
        let mut turns = turns(Turn::Airtime(quantum));
        assert_eq!(next(&mut turns), Some(7));
        turns.charge(7, quantum.0 - left);
        assert_eq!(next(&mut turns), Some(then), "{left}");
    }
}

/// A neighbour that has used a tick too much of its turn has a tick less in the next one.
#[test]
fn what_was_used_too_much_is_missing_in_the_next_turn() {
    let quantum = Span::micros(300);
    let mut turns = turns(Turn::Airtime(quantum));
    assert_eq!(next(&mut turns), Some(7));
    turns.charge(7, quantum.0 + 1);
    assert_eq!(next(&mut turns), Some(9));
    turns.charge(9, quantum.0);
    assert_eq!(next(&mut turns), Some(7));
    turns.charge(7, quantum.0 - 2);
    assert_eq!(next(&mut turns), Some(7));
    turns.charge(7, 1);
    assert_eq!(next(&mut turns), Some(9));
}

/// What a neighbour sends is charged to it where turns are worth airtime. Of the hops the one that leads back is found.
#[test]
fn frames_that_a_neighbour_sends_shorten_its_turn() {
    let quantum = Span::micros(300);
    let mut turns = turns(Turn::Airtime(quantum));
    turns.charge_received(quantum.0, |hop| hop == 7);
    assert_eq!(next(&mut turns), Some(9));
    turns.charge(9, quantum.0);
    assert_eq!(next(&mut turns), Some(7));
}
