//! Spreaders: which entropy values leave, and for how long one is avoided.

use std::collections::BTreeSet;

use backwater_transport::random::Random;
use backwater_transport::spreading::{AnySpreader, Fate, SPREADERS, Spreader, Spreading};

use crate::{options, us};

fn make(id: &str, options: &[(&str, &str)]) -> AnySpreader {
    let part = SPREADERS.iter().find(|p| p.id == id).expect("a row");
    let args = options::read(part.options, options);
    (part.build)(&args, Random::stream(1, "spread", "f")).expect("legal")
}

fn take(spreader: &mut AnySpreader, now: f64, count: u64) -> Vec<u16> {
    (0..count).map(|n| spreader.next(us(now), n)).collect()
}

/// Of four values one is avoided: a round has the other three. That happens once for a mark, four times for a trimmed packet, fifteen times for a timeout,
/// and no more for both.
#[test]
fn a_penalty_costs_as_many_rounds() {
    use Fate::{Marked, TimedOut, Trimmed};
    for (fates, rounds) in [
        (&[Marked][..], 1),
        (&[Trimmed], 4),
        (&[Trimmed, Marked], 5),
        (&[TimedOut], 15),
        (&[TimedOut, Trimmed], 15),
    ] {
        let mut spreader = make("bitmap", &[("values", "4")]);
        for fate in fates {
            spreader.learn(us(0.0), 0, 2, *fate);
        }
        for _ in 0..rounds {
            let round: BTreeSet<u16> = take(&mut spreader, 0.0, 3).into_iter().collect();
            assert_eq!(round, BTreeSet::from([0, 1, 3]), "{fates:?}");
        }
        let round: BTreeSet<u16> = take(&mut spreader, 0.0, 4).into_iter().collect();
        assert_eq!(round.len(), 4, "{fates:?}");
    }
}

/// With a mark on each of 64 values a packet clears one of them. So the next 63 use again what the first have cleared.
#[test]
fn a_packet_lowers_one_penalty_only() {
    let mut spreader = make("bitmap", &[("values", "64")]);
    for value in 0..64 {
        spreader.learn(us(0.0), 0, value, Fate::Marked);
    }
    take(&mut spreader, 0.0, 1);
    let sent: BTreeSet<u16> = take(&mut spreader, 0.0, 63).into_iter().collect();
    assert!(sent.len() < 56, "{} values", sent.len());
}

#[test]
fn each_round_of_oblivious_spraying_has_its_own_order() {
    let mut spreader = make("oblivious", &[("values", "64")]);
    let [first, second] = [0, 0].map(|_| take(&mut spreader, 0.0, 64));
    assert_ne!(first, second);
}

/// Rounds of ten packets of which so many are marked; whether the flow has moved after each.
fn moves(options: &[(&str, &str)], rounds: &[u64]) -> Vec<bool> {
    let mut spreader = make("plb", options);
    // A first packet, whose way is free, ends as the first round begins.
    let (mut number, mut moved) = (1, Vec::new());
    let mut now = spreader.next(us(0.0), 0);
    spreader.learn(us(0.0), 0, now, Fate::Clean);
    for marked in rounds {
        for n in 0..10 {
            spreader.next(us(0.0), number + n);
        }
        for n in 0..10 {
            let fate = if n < *marked {
                Fate::Marked
            } else {
                Fate::Clean
            };
            spreader.learn(us(0.0), number + n, 0, fate);
        }
        number += 10;
        // The next packet that comes back ends the round.
        let value = {
            let mut ahead = spreader.clone();
            ahead.learn(us(0.0), number, 0, Fate::Clean);
            ahead.next(us(0.0), number)
        };
        moved.push(value != now);
        now = value;
    }
    moved
}

/// Three congested rounds in a row move a flow, and another three once more. A round is congested with more than half its packets marked. One that is not
/// begins the count anew, and marks of one round do not count in the next.
#[test]
fn plb_moves_after_congested_rounds_in_a_row() {
    let three = [("rounds", "3")];
    let expected = [false, false, true, false, false, true];
    assert_eq!(moves(&three, &[6; 6]), expected);
    assert_eq!(moves(&three, &[5; 6]), [false; 6]);
    assert_eq!(moves(&three, &[6, 6, 4, 6, 6, 4]), [false; 6]);
    assert_eq!(moves(&three, &[10, 4, 4, 4, 4, 4]), [false; 6]);
}

#[test]
fn plb_moves_after_a_timeout() {
    let mut spreading = Spreading::new(make("plb", &[]));
    let first = spreading.next(us(0.0), 0);
    assert_eq!(spreading.next(us(1.0), 1), first);
    spreading.on_timer(us(2.0), 1);
    assert_ne!(spreading.next(us(3.0), 2), first);
}

/// Frozen for 10 ms it sends what it has, over and over; then 16 packets take values at random, whatever has come back clean, and no timeout freezes it
/// meanwhile. What it has sent frozen is not sent again unless it comes back.
#[test]
fn reps_explores_with_sixteen_packets_after_freezing() {
    let mut reps = make("reps", &[("values", "65536")]);
    let clean = |reps: &mut AnySpreader| {
        for value in [7, 8, 9] {
            reps.learn(us(0.0), 0, value, Fate::Clean);
        }
    };
    clean(&mut reps);
    reps.learn(us(1.0), 0, 5000, Fate::TimedOut);
    let frozen: BTreeSet<u16> = take(&mut reps, 9_000.0, 6).into_iter().collect();
    assert_eq!(frozen, BTreeSet::from([7, 8, 9]));
    let mut again = reps.clone();
    let explored = take(&mut reps, 10_002.0, 10);
    assert!(explored.iter().filter(|v| **v > 9).count() >= 9);
    reps.learn(us(10_003.0), 0, 5000, Fate::TimedOut);
    clean(&mut reps);
    let explored = take(&mut reps, 10_004.0, 6);
    assert!(explored.iter().filter(|v| **v > 9).count() >= 5);
    assert_eq!(take(&mut reps, 10_004.0, 3), [7, 8, 9]);
    take(&mut again, 10_002.0, 16);
    let later = take(&mut again, 10_002.0, 3);
    assert!(later.iter().all(|v| *v > 9), "{later:?}");
}

#[test]
fn mixed_sends_the_oldest_clean_value_first() {
    let mut mixed = make("mixed", &[("values", "4")]);
    for value in [3, 0, 2] {
        mixed.learn(us(0.0), 0, value, Fate::Clean);
    }
    assert_eq!(take(&mut mixed, 0.0, 3), [3, 0, 2]);
}
