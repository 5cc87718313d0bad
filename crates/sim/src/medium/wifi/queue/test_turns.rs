//! Whose turn it is at a station, and for how much airtime packets wait.

use backwater_transport::units::Span;

use super::rounds::RoundRobin;
use super::turns::{Ready, Turn, Turns};
use crate::table::Id;

/// A new flow's first frame is of the round under way, or of the first; each further one of the next.
#[test]
fn a_flow_has_one_frame_in_each_round() {
    let (a, b, c) = (Id::raw(1), Id::raw(2), Id::raw(3));
    let mut rounds = RoundRobin::default();
    assert_eq!([rounds.join(a), rounds.join(a), rounds.join(b)], [1, 2, 1]);
    rounds.serve(5);
    rounds.serve(3);
    assert_eq!([rounds.join(a), rounds.join(a), rounds.join(c)], [5, 6, 5]);
    // Four frames of a, one each of b and c: b would hold two, a five.
    assert_eq!((rounds.richest(b), rounds.richest(a)), (Some(a), None));
    rounds.leave(a);
    rounds.leave(a);
    assert_eq!(rounds.richest(b), None);
    rounds.join(a);
    assert_eq!(rounds.richest(b), Some(a));
    rounds.give_up(a);
    assert_eq!((rounds.richest(b), rounds.join(a)), (None, 7));
}

fn turns(turn: Turn) -> Turns {
    let mut turns = Turns::of(turn).expect("turns");
    [10, 20, 30].into_iter().for_each(|hop| turns.join(hop));
    turns
}

const ALL: fn(u32) -> Ready = |_| Ready::Sends;

/// Each neighbour has one exchange, in the order in which they came; one that may not send now keeps its place behind the
/// others, and one without packets leaves.
#[test]
fn neighbours_take_turns() {
    assert!(Turns::of(Turn::Oldest).is_none());
    let mut round = turns(Turn::RoundRobin);
    let mut served = |ready: fn(u32) -> Ready| {
        let hop = round.choose(ready);
        hop.into_iter().for_each(|hop| round.charge(hop, 99));
        (hop, round.order().collect::<Vec<u32>>())
    };
    assert_eq!(served(ALL), (Some(10), vec![10, 20, 30]));
    assert_eq!(served(ALL), (Some(20), vec![20, 30, 10]));
    let shut: fn(u32) -> Ready = |hop| if hop == 30 { Ready::Shut } else { Ready::Sends };
    assert_eq!(served(shut), (Some(10), vec![10, 20, 30]));
    let empty: fn(u32) -> Ready = |hop| {
        if hop == 20 {
            Ready::Empty
        } else {
            Ready::Sends
        }
    };
    assert_eq!(served(empty), (Some(30), vec![30, 10]));
    assert_eq!(served(|_| Ready::Shut), (None, vec![30, 10]));
    assert_eq!(served(|_| Ready::Empty), (None, vec![30, 10]));
    round.join(20);
    round.join(20);
    assert_eq!(round.order().collect::<Vec<u32>>(), [30, 10, 20]);
}

/// By airtime a turn is worth 300 us: a neighbour sends while it has time left, at exactly none no more; then it gets 300 us
/// more and goes to the end. One that comes anew goes first, for one round.
#[test]
fn neighbours_share_airtime() {
    let mut shared = turns(Turn::Airtime(Span::micros(300)));
    let us = |n: u64| Span::micros(n).0;
    assert_eq!(shared.choose(ALL), Some(10));
    shared.charge(10, us(299));
    assert_eq!(shared.choose(ALL), Some(10));
    shared.charge(10, us(1));
    assert_eq!(shared.choose(ALL), Some(20));
    assert_eq!(shared.order().collect::<Vec<u32>>(), [20, 30, 10]);
    // What it sends counts as well; what somebody unknown sends does not.
    shared.charge_received(us(700), |hop| hop == 20);
    shared.charge_received(us(700), |hop| hop == 99);
    assert_eq!(shared.choose(ALL), Some(30));
    shared.charge(30, us(300));
    // 10 has 300 us now, 20 has 100 us too few, and 30 has none.
    assert_eq!(shared.choose(ALL), Some(10));
    shared.charge(10, us(300));
    assert_eq!(shared.choose(ALL), Some(30));
    shared.join(40);
    assert_eq!(shared.choose(ALL), Some(40));
    shared.charge(40, us(300));
    assert_eq!(shared.choose(ALL), Some(30));
    // A neighbour whose packets are gone while it is new stays for a round.
    shared.join(50);
    let gone: fn(u32) -> Ready = |hop| {
        if hop == 50 {
            Ready::Empty
        } else {
            Ready::Sends
        }
    };
    assert_eq!(shared.choose(gone), Some(30));
    assert!(shared.order().any(|hop| hop == 50));
}
