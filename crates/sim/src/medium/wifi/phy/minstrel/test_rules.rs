//! The rules of minstrel_ht one by one: throughput, attempts, the chain of modes, instants of updates and probes, and what is
//! probed.

use super::tests::modes;
use super::*;

fn of(modes: &[Mode], edition: Edition, seed: u64) -> Minstrel {
    Minstrel::new(modes, edition, Random::stream(seed, "rates", "a"))
}

/// All modes were tried, with these shares.
fn with_shares(shares: &[f64]) -> Minstrel {
    let mut made = of(&modes()[..shares.len()], Edition::Linux, 1);
    for (row, share) in made.rows.iter_mut().zip(shares) {
        (row.tried, row.share, row.before) = (true, *share, *share);
    }
    made
}

fn at(micros: u64) -> Time {
    Time::ZERO + Span::micros(micros)
}

/// Below 10 % a mode carries nothing, from 10 % on its share; above 90 % it counts as 90 %. The overhead of 108 us is shared by
/// the whole frames of the mean: three of 3.9.
#[test]
fn throughput_by_share_and_length() {
    let mut made = with_shares(&[0.0999, 0.1, 0.5, 0.9, 0.95]);
    made.length = 3.9;
    let found: Vec<f64> = made.rows.iter().map(|row| made.throughput(row)).collect();
    // Sixteen packets of 1200 B: 153,600 bits at 26, 52, 78, 104 and 156 bits a symbol of 4 us.
    let time = |symbols: f64| 36.0 + 4.0 * symbols / 16.0;
    let expected = [
        0.0,
        0.1 / time(2954.0),
        0.5 / time(1970.0),
        0.9 / time(1477.0),
        0.9 / time(985.0),
    ];
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-15, "{found} {expected}");
    }
}

/// Slots of 9 us and half a window of 15, 31, 63, 127, 255 and 511, rounded down: 67, 139, 283, 571, 1147 and 2299 us. Attempts
/// end within 6000 us, and one that ends there is too many. Whole frames of the mean count. A poor mode has two.
#[test]
fn attempts_end_within_six_milliseconds() {
    let mut made = with_shares(&[1.0]);
    let mut tries = |share: f64, time: f64, length: f64| {
        made.length = length;
        (made.rows[0].share, made.rows[0].time) = (share, time);
        made.tries(&made.rows[0])
    };
    // 489 us of contention and three PPDUs of 1837 us are 6000 us.
    assert_eq!((tries(1.0, 1729.0, 1.0), tries(1.0, 1728.9, 1.0)), (2, 3));
    // 1060 us and four of 1235 us.
    assert_eq!((tries(1.0, 1127.0, 1.0), tries(1.0, 1126.9, 1.0)), (3, 4));
    // 4506 us and six of 249 us.
    assert_eq!((tries(1.0, 141.0, 1.0), tries(1.0, 140.9, 1.0)), (5, 6));
    assert_eq!((tries(1.0, 47.0, 3.9), tries(1.0, 46.9, 3.9)), (5, 6));
    // The seventh would end after 9109 us at the earliest.
    assert_eq!(tries(1.0, 1.0, 1.0), 6);
    assert_eq!((tries(0.1999, 141.0, 1.0), tries(0.2, 141.0, 1.0)), (2, 5));
}

/// Failures go down the chain; an answer, or the last failure, goes back to its first mode.
#[test]
fn failures_go_down_the_chain() {
    let mut made = with_shares(&[1.0; 8]);
    made.updated = at(1000);
    made.probed = at(1000);
    made.chain = [(7, 3), (5, 2), (2, 2)];
    let mut seen = Vec::new();
    for _ in 0..9 {
        seen.push(made.mode().mcs);
        made.sent(1, 0, at(1000));
    }
    assert_eq!(seen, [7, 7, 7, 5, 5, 2, 2, 7, 7]);
    made.sent(4, 1, at(1000));
    assert_eq!((made.mode().mcs, made.failed), (7, 0));
    let counts = |row: usize| (made.rows[row].frames, made.rows[row].arrived);
    assert_eq!((counts(7), counts(5), counts(2)), ((9, 1), (2, 0), (2, 0)));
    assert_eq!((made.ppdus, made.sent), (10, 13));
}

/// More than 50 ms after the last update there is one; from 20 ms after the last probe on there is another. Behind an update a
/// probe comes at once. After a failure none does. A probe that fails does not move the chain.
#[test]
fn updates_and_probes_have_their_instants() {
    let mut made = with_shares(&[1.0; 8]);
    made.update(at(0));
    assert_eq!(made.chain[0].0, 7);
    made.probed = at(0);
    made.next = vec![6];
    made.turn = 0;
    made.sent(1, 1, at(19_999));
    assert!(!made.probes());
    made.sent(1, 0, at(20_000));
    assert!(!made.probes() && made.failed == 1);
    made.failed = 0;
    made.sent(1, 1, at(20_000));
    assert!(made.probes());
    assert_eq!((made.mode().mcs, made.probed), (6, at(20_000)));
    made.failed = 0;
    made.sent(1, 0, at(20_001));
    assert_eq!((made.failed, made.probes(), made.mode().mcs), (0, false, 7));
    assert_eq!((made.rows[6].frames, made.rows[6].arrived), (1, 0));
    made.sent(1, 1, at(50_000));
    assert_eq!(made.updated, at(0));
    made.probe = None;
    made.sent(1, 1, at(50_001));
    assert_eq!((made.updated, made.rows[7].frames), (at(50_001), 0));
    assert_eq!(made.probed, at(50_001));
}

/// The mean number of frames moves a quarter of the way: 2 PPDUs of 10 frames make 2 of 1.
#[test]
fn the_mean_length_moves_by_a_quarter() {
    let mut made = with_shares(&[1.0; 8]);
    (made.ppdus, made.sent) = (2, 10);
    made.update(at(50_000));
    assert_eq!((made.length, made.ppdus, made.sent), (2.0, 0, 0));
    made.update(at(100_000));
    assert_eq!(made.length, 2.0);
    // One PPDU of 6 is enough, and failures are forgotten.
    (made.ppdus, made.sent, made.failed) = (1, 6, 3);
    made.update(at(150_000));
    assert_eq!((made.length, made.failed), (3.0, 0));
}

/// What was never tried is as good as the best faster mode of its group that was, unless it has a better share; a group knows
/// nothing of another.
#[test]
fn untried_modes_take_the_share_of_faster_ones() {
    let mut both = modes();
    let two = modes().into_iter().map(|mode| Mode { streams: 2, ..mode });
    both.extend(two);
    both.sort_by_key(Mode::rate);
    let mut made = of(&both, Edition::Linux, 1);
    for (streams, mcs, share) in [(1, 6, 0.3), (1, 3, 0.6), (1, 4, 0.4), (2, 2, 0.8)] {
        let is = |row: &&mut Row| (row.mode.streams, row.mode.mcs) == (streams, mcs);
        let row = made.rows.iter_mut().find(is).expect("a mode");
        (row.tried, row.share) = (true, share);
    }
    let slowest = |row: &&mut Row| (row.mode.streams, row.mode.mcs) == (2, 0);
    made.rows.iter_mut().find(slowest).expect("a mode").share = 0.85;
    made.update(at(0));
    let shares = |streams| {
        let of_group = made.rows.iter().filter(|row| row.mode.streams == streams);
        of_group.map(|row| row.share).collect::<Vec<f64>>()
    };
    assert_eq!(shares(1), [0.6, 0.6, 0.6, 0.6, 0.4, 0.3, 0.3, 0.0]);
    assert_eq!(shares(2), [0.85, 0.8, 0.8, 0.0, 0.0, 0.0, 0.0, 0.0]);
}

/// A frame goes at the mode of most throughput, then at the second one. Of modes that carry as much the one of the larger share
/// goes first.
#[test]
fn the_best_two_modes_lead_the_chain() {
    // Packets take 738.5, 492.5, 369.25, 246.25 and 184.75 us behind MCS 0, and 108 us more: MCS 4 carries most, then MCS 3.
    let made = with_shares(&[0.9, 0.9, 0.9, 0.9, 0.9, 0.3]);
    assert_eq!(made.best(), [4, 3]);
    let made = with_shares(&[0.9, 0.9, 0.9, 0.5, 0.05, 0.05]);
    assert_eq!(made.best(), [2, 1]);
    assert_eq!(with_shares(&[0.03, 0.05, 0.04]).best(), [0, 0]);
    // MCS 5 carries 0.72 of 292.75 us, more than MCS 3.
    let made = with_shares(&[0.9, 0.9, 0.9, 0.9, 0.9, 0.72]);
    assert_eq!(made.best(), [4, 5]);
    // MCS 0 of two streams is as fast as MCS 1 of one.
    let one = modes()[1];
    let two = Mode {
        streams: 2,
        ..modes()[0]
    };
    for (shares, best) in [([0.95, 1.0], 1), ([1.0, 0.95], 0)] {
        let mut made = of(&[one, two], Edition::Linux, 1);
        for (row, share) in made.rows.iter_mut().zip(shares) {
            (row.tried, row.share) = (true, share);
        }
        assert_eq!(made.best()[0], best);
    }
}

/// The last mode of the chain: the fastest of those above 75 %; where none is, the most likely. One faster than the best with a
/// smaller share is none.
#[test]
fn the_likely_mode_ends_the_chain() {
    let likely = |shares: &[f64], best: usize| with_shares(shares).likely(best, |_| true);
    assert_eq!(likely(&[0.9, 0.8, 0.76, 0.75, 0.3], 3), Some(2));
    assert_eq!(likely(&[0.5, 0.7, 0.6, 0.3], 2), Some(1));
    assert_eq!(likely(&[0.5, 0.7, 0.7, 0.3], 3), Some(1));
    assert_eq!(likely(&[0.9, 0.9, 0.85], 1), Some(1));
    assert_eq!(likely(&[0.9, 0.85, 0.85], 1), Some(2));
    assert_eq!(likely(&[0.9, 0.85, 0.8], 2), Some(2));
    assert_eq!(with_shares(&[0.9; 3]).likely(1, |_| false), None);
    // Of two that carry as much the first stays: MCS 1 of one stream, MCS 0 of two.
    let two = Mode {
        streams: 2,
        ..modes()[0]
    };
    let mut made = of(&[modes()[1], two], Edition::Linux, 1);
    for row in &mut made.rows {
        (row.tried, row.share) = (true, 0.95);
    }
    assert_eq!(made.likely(1, |_| true), Some(0));
    // MCS 4 carries most, though MCS 3 arrives more often: a share above 75 % is enough.
    let mut made = with_shares(&[0.9, 0.9, 0.9, 0.95, 0.8]);
    made.update(at(0));
    assert_eq!(made.chain.map(|(row, _)| row), [4, 3, 4]);
}

/// The first probe of a station that has sent nothing yet is the next faster mode than the slowest,
/// by which it begins.
#[test]
fn the_first_probe_is_the_next_faster_mode() {
    for seed in 0..20 {
        let mut made = of(&modes(), Edition::Linux, seed);
        assert_eq!(made.take_probe(), Some(1), "seed {seed}");
    }
}

/// Probes take turns: next, faster, next, faster, next, slower; the first of each list goes first, and an empty list has none.
#[test]
fn kinds_of_probes_take_turns() {
    let mut made = with_shares(&[1.0; 8]);
    made.turn = 0;
    made.next = vec![1, 2];
    made.faster = vec![3];
    made.slower = vec![4, 5];
    let mut probes = Vec::new();
    for _ in 0..12 {
        probes.push(made.take_probe());
    }
    let first = [Some(1), Some(3), Some(2), None, None, Some(4)];
    let then = [None, None, None, None, None, Some(5)];
    assert_eq!(probes, [first, then].concat());
}

/// Modes from 1 to 4 are in use: the next one is 5, and faster ones are 5 to 7. Those between, 2 and 3, are noted unless they
/// are known to arrive.
#[test]
fn modes_to_be_probed_lie_where_their_kind_says() {
    let mut faster = [0; 8];
    let mut slower = [0; 8];
    for seed in 0..200 {
        for (share, known) in [(0.95, false), (0.951, true)] {
            let mut made = with_shares(&[share; 8]);
            made.random = Random::stream(seed, "rates", "a");
            (made.next, made.faster, made.slower) = (vec![4, 6], vec![2, 4, 7], vec![0, 1, 2, 4]);
            (made.order, made.place) = (Vec::new(), 0);
            made.plan_probes([4, 2, 1]);
            assert_eq!(made.next, [6, 5]);
            assert_eq!((made.faster[0], made.slower[0]), (7, 2));
            assert!(made.faster[1..].iter().all(|row| matches!(row, 5 | 6)));
            assert!(made.slower[1..].iter().all(|row| *row == 3 && !known));
            let of = |list: &[usize]| list.len() as i32;
            assert!(of(&made.faster) <= 3 && of(&made.slower) <= 2);
            made.faster[1..].iter().for_each(|row| faster[*row] += 1);
            made.slower[1..].iter().for_each(|row| slower[*row] += 1);
        }
    }
    assert!(faster[5] > 50 && faster[6] > 50, "{faster:?}");
    assert!(slower[3] > 10, "{slower:?}");
}

/// Five wait of each kind at most; a list of slower ones that is full takes no part in the draw.
#[test]
fn five_modes_wait_of_each_kind() {
    for seed in 0..50 {
        let mut made = with_shares(&[0.5; 8]);
        made.random = Random::stream(seed, "rates", "a");
        (made.next, made.faster) = (vec![4, 5, 6, 7, 7], Vec::new());
        made.slower = vec![1; 5];
        (made.order, made.place) = (Vec::new(), 0);
        made.plan_probes([2, 0, 0]);
        assert_eq!(made.next, [4, 5, 6, 7, 7]);
        assert_eq!(made.slower, [1; 5]);
        // Slower ones take no part, so one pass gives all faster ones.
        made.faster.sort_unstable();
        assert_eq!(made.faster, [3, 4, 5, 6, 7]);
        // Of seven faster ones five are drawn, and the next one waits behind others.
        (made.faster, made.next) = (Vec::new(), vec![4, 5, 6]);
        made.plan_probes([2, 2, 2]);
        assert_eq!(made.next, [4, 5, 6, 3]);
        for _ in 0..9 {
            made.plan_probes([0, 0, 0]);
        }
        assert_eq!(made.faster.len(), 5);
        // Nothing is faster than the fastest.
        made.faster.clear();
        made.plan_probes([7, 7, 7]);
        assert!(made.faster.is_empty() && made.next.is_empty());
    }
}

/// A pass has each mode once, and each order of three as often as another: 6000 draws are 1000 each with a standard deviation of
/// 29.
#[test]
fn all_orders_are_as_likely() {
    let mut made = with_shares(&[1.0; 3]);
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..6000 {
        made.place = 2;
        made.shuffle();
        assert_eq!(made.place, 0);
        *counts.entry(made.order.clone()).or_insert(0i32) += 1;
    }
    assert_eq!(counts.len(), 6);
    assert!(
        counts.values().all(|n| (n - 1000).abs() < 4 * 29),
        "{counts:?}"
    );
}

/// The edition of ns-3 probes a mode that is faster than the second best, unless it is in use or known to arrive. A slower one
/// is probed after twenty updates without a frame, two for each update.
#[test]
fn the_edition_of_ns3_probes_slow_modes_seldom() {
    let mut made = of(&modes(), Edition::Ns3, 1);
    made.chain = [(5, 1), (4, 1), (3, 1)];
    let probe = |made: &mut Minstrel, row: usize, share: f64, idle: u32| {
        (made.order, made.place) = (vec![row], 0);
        (made.rows[row].share, made.rows[row].idle) = (share, idle);
        made.take_probe_ns3()
    };
    assert_eq!(probe(&mut made, 6, 0.95, 0), Some(6));
    assert_eq!(probe(&mut made, 6, 0.951, 0), None);
    assert_eq!(probe(&mut made, 5, 0.5, 100), None);
    assert_eq!(probe(&mut made, 4, 0.5, 100), None);
    assert_eq!(probe(&mut made, 3, 0.5, 100), None);
    assert_eq!(probe(&mut made, 2, 0.5, 19), None);
    assert_eq!(probe(&mut made, 2, 0.5, 20), Some(2));
    assert_eq!(probe(&mut made, 1, 0.5, 30), Some(1));
    assert_eq!(probe(&mut made, 0, 0.5, 30), None);
    made.update(at(0));
    assert_eq!(made.slow_probes, 0);
    // 16 PPDUs and twice the mean length: a probe of 40 frames on average waits for 96.
    made.length = 40.2;
    assert_eq!(made.wait(), 96);
    made.rows[2].idle = 3;
    made.rows[2].take_in_ns3();
    assert_eq!(made.rows[2].idle, 4);
    made.rows[2].frames = 1;
    made.rows[2].take_in_ns3();
    assert_eq!((made.rows[2].idle, made.rows[2].frames), (0, 0));
}

/// Where the best mode has two streams, a mode of one is probed if it is faster than the likely one, though the second best is
/// faster.
#[test]
fn the_edition_of_ns3_probes_fewer_streams() {
    let two = modes().into_iter().map(|mode| Mode { streams: 2, ..mode });
    let both: Vec<Mode> = modes().into_iter().chain(two).collect();
    let mut made = of(&both, Edition::Ns3, 1);
    // Rows from 8 on have two streams; of one stream row 3 is likely.
    for (first, row, probed) in [
        (15, 4, true),
        (15, 2, false),
        (7, 4, false),
        (15, 12, false),
    ] {
        made.chain = [(first, 1), (14, 1), (3, 1)];
        (made.order, made.place) = (vec![row], 0);
        assert_eq!(made.take_probe_ns3().is_some(), probed, "{first} {row}");
    }
    // Row 3 is as fast as row 9: as the likely one, and as the second best.
    for chain in [[(15, 1), (14, 1), (9, 1)], [(7, 1), (9, 1), (2, 1)]] {
        (made.chain, made.order, made.place) = (chain, vec![3], 0);
        assert_eq!(made.take_probe_ns3(), None);
    }
}

/// The last attempts of a frame have one stream where the first have two, if that carries anything, whoever is second. A share
/// stays one: 0.2864 + 1.2874 - 0.5737 / 2 is more than 1. A quarter of 1 enters a mean of 0 in the edition of ns-3.
#[test]
fn the_last_attempts_have_fewer_streams_that_carry_anything() {
    let two = modes().into_iter().map(|mode| Mode { streams: 2, ..mode });
    let mut both: Vec<Mode> = modes().into_iter().chain(two).collect();
    both.sort_by_key(Mode::rate);
    for (single, slower, streams) in [(0.9, 0.05, 1), (0.05, 0.9, 2)] {
        let mut made = of(&both, Edition::Linux, 1);
        for row in &mut made.rows {
            let fastest = row.mode.streams == 2 && row.mode.mcs == 7;
            let share = [single, if fastest { 0.9 } else { slower }];
            row.share = share[usize::from(row.mode.streams) - 1];
            (row.tried, row.before) = (true, row.share);
        }
        made.update(at(0));
        assert_eq!(made.rows[made.chain[2].0].mode.streams, streams);
    }
    let mut made = with_shares(&[1.0]);
    let row = &mut made.rows[0];
    (row.before, row.frames, row.arrived) = (0.5, 1, 1);
    row.take_in();
    assert_eq!(row.share, 1.0);
    (row.share, row.frames, row.arrived) = (0.0, 1, 1);
    row.take_in_ns3();
    assert_eq!(row.share, 0.25);
}
