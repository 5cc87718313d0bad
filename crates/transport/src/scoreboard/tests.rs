//! The scoreboard against a plain list, and its places.

use super::*;
use crate::random::Random;
use crate::units::Time;

const LEN: u64 = 10;

/// Random operations beside a plain list of states: sums, ranges, order of transmission and the
/// news of each block agree.
#[test]
fn a_plain_list_says_the_same() {
    for seed in 0..50 {
        let mut random = Random::stream(seed, "test", "board");
        let mut board = Scoreboard::default();
        // State and number of each segment outstanding, from `base` on.
        let (mut plain, mut base, mut number) = (Vec::<(State, u64)>::new(), 0u64, 0u64);
        for _ in 0..400 {
            let n = plain.len() as u64;
            let pick = if n == 0 { 0 } else { random.between(0, n - 1) };
            let flying = plain.get(pick as usize).map(|p| p.0) == Some(State::InFlight);
            match random.between(0, 6) {
                0 | 1 => {
                    board.push((base + n) * LEN, LEN as u32, number, Snapshot::default());
                    plain.push((State::InFlight, number));
                    number += 1;
                }
                2 if n > 0 => {
                    let to = random.between(pick, n - 1) + 1;
                    let mut news = Vec::new();
                    board.sack((base + pick) * LEN, (base + to) * LEN, |e| {
                        news.push(e.start / LEN);
                    });
                    let mut expected = Vec::new();
                    for id in pick..to {
                        if plain[id as usize].0 != State::Sacked {
                            plain[id as usize].0 = State::Sacked;
                            expected.push(base + id);
                        }
                    }
                    assert_eq!(news, expected);
                }
                3 if flying => {
                    board.mark_lost(base + pick);
                    plain[pick as usize].0 = State::Lost;
                }
                4 => {
                    let first = plain.iter().position(|p| p.0 == State::Lost);
                    assert_eq!(board.first_lost(), first.map(|f| base + f as u64));
                    if let Some(first) = first {
                        board.retransmit(base + first as u64, number, Snapshot::default());
                        plain[first] = (State::InFlight, number);
                        number += 1;
                    }
                }
                6 if n > 0 && pick < 5 => {
                    let one = |i: usize| {
                        let (state, number) = plain[i];
                        let first = plain[i + 1..]
                            .iter()
                            .all(|p| p.0 != State::InFlight || p.1 > number);
                        state == State::InFlight
                            && first
                            && !board.entry(base + i as u64).retransmitted()
                    };
                    let expected = (0..=pick as usize).take_while(|i| one(*i)).count() as u64;
                    let run = board.pop_run((base + pick + 1) * LEN);
                    let told = run.map(|r| (r.segments, r.bytes, r.first_end, r.last.end()));
                    let last = (base + expected) * LEN;
                    let whole = (expected, expected * LEN, (base + 1) * LEN, last);
                    assert_eq!(told, (expected > 0).then_some(whole));
                    plain.drain(..expected as usize);
                    base += expected;
                    board.forget_below(base * LEN);
                }
                5 if n > 0 && pick < 3 => {
                    for _ in 0..=pick {
                        assert_eq!(board.front().unwrap().start, base * LEN);
                        board.pop();
                        plain.remove(0);
                        base += 1;
                    }
                    board.forget_below(base * LEN);
                }
                _ => {}
            }
            agree(&board, &plain, base);
        }
        board.revert_losses();
        for p in plain.iter_mut().filter(|p| p.0 == State::Lost) {
            p.0 = State::InFlight;
        }
        agree(&board, &plain, base);
    }
}

/// A window of 1000 segments that falls to 12 has no more than 32 places once these were used one after another.
#[test]
fn places_go_when_few_are_used() {
    let mut board = Scoreboard::default();
    let push = |board: &mut Scoreboard, n| board.push(n * LEN, LEN as u32, n, Snapshot::default());
    (0..1000).for_each(|n| push(&mut board, n));
    assert_eq!(board.ring.slots(), 1024);
    (12..1000).for_each(|_| board.pop());
    for n in 1000..3000 {
        assert_eq!(board.front().map(|e| e.start), Some((n - 12) * LEN));
        push(&mut board, n);
        board.pop();
    }
    assert_eq!(board.ring.slots(), 32);
}

fn agree(board: &Scoreboard, plain: &[(State, u64)], base: u64) {
    let bytes = |s| plain.iter().filter(|p| p.0 == s).count() as u64 * LEN;
    let sacked = u64::from(board.sacked_segments()) * LEN;
    let sums = (board.in_flight(), board.lost(), sacked);
    let expected = (
        bytes(State::InFlight),
        bytes(State::Lost),
        bytes(State::Sacked),
    );
    assert_eq!(sums, expected);
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for (id, _) in plain
        .iter()
        .enumerate()
        .filter(|(_, p)| p.0 == State::Sacked)
    {
        let start = (base + id as u64) * LEN;
        match ranges.last_mut() {
            Some(last) if last.1 == start => last.1 += LEN,
            _ => ranges.push((start, start + LEN)),
        }
    }
    // A range may begin below what is acknowledged.
    let ours = board.ranges().iter().map(|r| (r.0.max(base * LEN), r.1));
    assert_eq!(ours.collect::<Vec<_>>(), ranges);
    let mut order: Vec<(u64, u64)> = plain
        .iter()
        .enumerate()
        .filter(|(_, p)| p.0 == State::InFlight)
        .map(|(id, p)| (p.1, base + id as u64))
        .collect();
    order.sort_unstable();
    let mut list = Vec::new();
    let mut next = board.oldest();
    while let Some(id) = next {
        list.push((board.entry(id).number, id));
        next = board.next_sent(id);
    }
    assert_eq!(list, order);
}

/// Segments of different sizes: 1000, 500, 300, 1000 and 7 B, the first of which has left.
fn uneven() -> Scoreboard {
    let mut board = Scoreboard::default();
    let mut start = 0;
    for (number, len) in [2000, 1000, 500, 300, 1000, 7].into_iter().enumerate() {
        board.push(start, len, number as u64, Snapshot::default());
        start += u64::from(len);
    }
    board.pop();
    board
}

/// A byte belongs to the segment that begins there, or to the first above it, whatever the segments' sizes are.
#[test]
fn a_byte_is_found_among_segments_of_any_size() {
    let board = uneven();
    let starts = [2000, 3000, 3500, 3800, 4800];
    for (id, start) in (1..).zip(starts) {
        for (byte, found) in [(start - 1, id), (start, id), (start + 1, id + 1)] {
            assert_eq!(board.find(byte), found, "{byte}");
        }
    }
    for byte in [0, 1999] {
        assert_eq!(board.find(byte), 1, "below all");
    }
    for byte in [4807, 9000, 1 << 40] {
        assert_eq!(board.find(byte), 6, "above all");
    }
}

/// Retransmissions in flight are those segments that were sent again and are neither lost once more nor acknowledged.
#[test]
fn what_was_sent_again_and_flies_is_counted() {
    let mut board = uneven();
    assert_eq!(board.retransmissions_in_flight(), 0);
    for (id, number) in [(1, 6), (2, 7), (3, 8)] {
        board.mark_lost(id);
        board.retransmit(id, number, Snapshot::default());
    }
    assert_eq!(board.retransmissions_in_flight(), 3);
    board.mark_lost(2);
    board.sack(3500, 3800, |_| {});
    assert_eq!(board.retransmissions_in_flight(), 1);
}

/// The knowledge of the sampler when a segment was sent comes back unchanged, of the first transmission and of the next.
#[test]
fn a_segment_keeps_the_snapshot_of_its_last_transmission() {
    let snapshot = |n: u64, app_limited| Snapshot {
        sent: Time(10 + n),
        first_sent: Time(20 + n),
        delivered_time: Time(30 + n),
        delivered: 40 + n,
        tx_in_flight: 50 + n,
        lost: 60 + n as u32,
        app_limited,
    };
    let mut board = Scoreboard::default();
    let same = |board: &Scoreboard, expected: Snapshot| {
        let kept = board.entry(0).snapshot;
        assert_eq!(format!("{kept:?}"), format!("{expected:?}"));
    };
    board.push(0, 1000, 0, snapshot(0, true));
    same(&board, snapshot(0, true));
    board.mark_lost(0);
    board.retransmit(0, 1, snapshot(5, false));
    same(&board, snapshot(5, false));
}
