//! Frames to groups of stations: sent once, at the control rate, for all who hear them.

use backwater_sim::cause::Cause;
use backwater_sim::source::AnySource;
use backwater_sim::targets::Destination;
use backwater_sim::world::{Report, World};
use backwater_transport::units::Span;

use crate::cell::{B, BASIC, Cell, G, cbr, dcf, disc, edca, once, saturated};

/// Stations at these places, each 100 m from its neighbour in a row; who is within 100 m hears.
fn row(seconds: f64, stations: &[f64]) -> Cell {
    let mut cell = Cell::new(seconds, B, dcf(B, BASIC), disc(100.0, 100.0));
    for x in stations {
        cell.station(&format!("s{x}"), *x, 0.0);
    }
    cell
}

fn to_group(cell: &mut Cell, from: usize, group: &[usize], source: AnySource) -> usize {
    let flow = cell.flow(from, group[0], 1, source);
    cell.0.flows[flow].to = Destination::Group(group.to_vec());
    flow
}

fn received(report: &Report, flow: usize) -> Vec<u64> {
    report.flows[flow]
        .receivers
        .iter()
        .map(|r| r.packets)
        .collect()
}

fn lost(report: &Report, cause: Cause) -> u64 {
    let of = report.drops.iter().filter(|d| d.key.0 == cause);
    of.map(|d| d.count.packets).sum()
}

#[test]
fn all_who_hear_have_it_and_nobody_answers() {
    let mut cell = row(10.0, &[0.0, 100.0, -100.0, 200.0]);
    cell.0.media[0].mac.rts_above = 0;
    let flow = to_group(&mut cell, 0, &[1, 2, 3], once(100));
    cell.0.flows[flow].start = Span::secs(1);
    cell.0.flows[flow].stop = Span::secs(2);
    let (_, report) = cell.run();
    assert_eq!(received(&report, flow), [1, 1, 0]);
    let sums = &report.flows[flow].sums;
    assert_eq!((sums.entered.packets, sums.delivered.packets), (1, 1));
    // One frame, no RTS although the threshold asks for it, no ACK.
    let frames: Vec<u64> = report.stations.iter().map(|s| s.frames).collect();
    assert_eq!(frames, [1, 0, 0, 0]);
    assert_eq!(report.stations[0].attempts, 0);
    // At 1 Mbit/s: preamble 192 µs, 100 bytes behind 36 of MAC, LLC and SNAP; 1 µs of propagation.
    assert_eq!(sums.sum.serial, u128::from(Span::micros(192 + 8 * 136).0));
    assert_eq!(sums.sum.propagation, u128::from(Span::micros(1).0));
    // The medium has been idle for more than DIFS: the frame starts at once.
    assert_eq!(
        sums.sum.total,
        u128::from(Span::micros(192 + 8 * 136 + 1).0)
    );
}

/// A and C don't hear each other, and B hears both. A frame lasts longer than the longest pause between two
/// frames of a station (DIFS and 31 slots, 0.67 ms), so each overlaps one of the other's.
#[test]
fn hidden_stations_that_send_all_the_time_reach_nobody_and_repeat_nothing() {
    let mut cell = row(20.0, &[-100.0, 0.0, 100.0]);
    let a = to_group(&mut cell, 0, &[1], saturated(1000));
    let c = to_group(&mut cell, 2, &[1], saturated(1000));
    let (world, report) = cell.run();
    let flows = [a, c].map(|flow| &report.flows[flow].sums);
    // The first and last frame may have the medium for themselves.
    assert!(flows.iter().all(|f| f.delivered.packets <= 2), "{flows:?}");
    let sent: u64 = world.air().radios.iter().map(|r| r.count.frames).sum();
    let unheard = lost(&report, Cause::Unheard);
    assert!(unheard > 2000, "{unheard}");
    let delivered: u64 = flows.iter().map(|f| f.delivered.packets).sum();
    // Each frame is a new packet; one of each station may be on the air at the end.
    assert!(sent - unheard - delivered <= 2, "{sent} {unheard}");
    assert_eq!(lost(&report, Cause::RetryLimit), 0);
}

/// Share of the frames that don't collide where two stations always have one to send and draw from 0 to
/// `last` slots after each, with idle slots counted down: the chain of the loser's remaining slots.
fn alone(last: usize) -> f64 {
    let n = last + 1;
    let each = 1.0 / n as f64;
    // After a collision both draw; a tie collides again.
    let (mut pairs, mut tie) = (vec![0.0; n], 0.0);
    for a in 0..n {
        for b in 0..n {
            match a.abs_diff(b) {
                0 => tie += each * each,
                left => pairs[left] += each * each,
            }
        }
    }
    let mut share = vec![each; n];
    let (mut singles, mut collisions) = (0.0, 0.0);
    for _ in 0..10_000 {
        let mut next = vec![0.0; n];
        (singles, collisions) = (0.0, 0.0);
        for (left, p) in share.iter().enumerate().skip(1) {
            for k in 0..n {
                if k == left {
                    // So many collisions in a row, until the draws differ; the one that is first then sends.
                    collisions += p * each / (1.0 - tie);
                    singles += p * each;
                    for (d, q) in pairs.iter().enumerate() {
                        next[d] += p * each * q / (1.0 - tie);
                    }
                } else {
                    singles += p * each;
                    next[left.abs_diff(k)] += p * each;
                }
            }
        }
        share = next;
        let sum: f64 = share.iter().sum();
        share.iter_mut().for_each(|p| *p /= sum);
    }
    singles / (singles + 2.0 * collisions)
}

#[test]
fn stations_that_hear_each_other_collide_as_often_as_their_windows_say() {
    // Without ACKs nobody knows of collisions, so the window stays at its least: 0 to 31 slots.
    let mut cell = Cell::new(200.0, B, dcf(B, BASIC), disc(100.0, 100.0));
    for (i, x) in [0.0, 10.0, 20.0].iter().enumerate() {
        cell.station(&format!("s{i}"), *x, 0.0);
    }
    let flows = [0, 1].map(|from| to_group(&mut cell, from, &[2], saturated(500)));
    let (_, report) = cell.run();
    let delivered: u64 = flows
        .iter()
        .map(|f| report.flows[*f].sums.delivered.packets)
        .sum();
    let unheard = lost(&report, Cause::Unheard);
    let n = (delivered + unheard) as f64;
    let expected = alone(31);
    // Frames collide in pairs, so the deviation is that of n/2 trials at most.
    let deviation = (expected * (1.0 - expected) / (n / 2.0)).sqrt();
    let share = delivered as f64 / n;
    assert!(
        n > 30_000.0 && (expected - (1.0 - 2.0 / 33.0)).abs() < 0.01,
        "{n} {expected}"
    );
    assert!(
        (share - expected).abs() < 4.0 * deviation,
        "{share} {expected} {deviation}"
    );
}

#[test]
fn frames_of_a_txop_follow_each_other_without_waiting_for_answers() {
    let mut cell = Cell::new(1.0, G, edca(G, BASIC), disc(100.0, 100.0));
    cell.0.media[0].mac.categories[1].txop = Span::millis(3);
    for x in [0.0, 10.0] {
        cell.station(&format!("s{x}"), x, 0.0);
    }
    let flow = to_group(&mut cell, 0, &[1], saturated(1000));
    let (_, report) = cell.run();
    // At 24 Mbit/s: 20 µs, then ⌈(16 + 8·1038 + 6)/96⌉ = 87 symbols of 4 µs: 368 µs, 1 µs of propagation. Eight with a SIFS of
    // 16 µs between them take 8·369 + 7·16 = 3064 µs, seven 2679. Then AIFS, 16 + 3·9 µs, and 7.5 slots on average.
    let cycle = 7.0 * 369.0 + 6.0 * 16.0 + 43.0 + 7.5 * 9.0;
    let rate = report.flows[flow].sums.delivered.packets as f64;
    assert!(
        (rate / (7e6 / cycle) - 1.0).abs() < 0.01,
        "{rate} {}",
        7e6 / cycle
    );
}

#[test]
fn what_a_group_is_sent_counts_from_the_end_of_the_warm_up() {
    let mut cell = row(3.0, &[0.0, 100.0]);
    let flow = to_group(&mut cell, 0, &[1], cbr(100, 80_000));
    cell.0.warmup = Span::secs(1);
    let (_, report) = cell.run();
    // A hundred packets a second.
    assert!(received(&report, flow)[0].abs_diff(200) <= 1);
    assert_eq!(
        received(&report, flow)[0],
        report.flows[flow].sums.delivered.packets
    );
}

/// A frame of 1.28 ms begins 1 ms before the end of the warm-up: its packet has entered before and is received after.
#[test]
fn what_was_on_the_air_at_the_end_of_the_warm_up_is_early() {
    for (before, early) in [(1000, 1), (2000, 0)] {
        let mut cell = row(3.0, &[0.0, 100.0]);
        let flow = to_group(&mut cell, 0, &[1], once(100));
        cell.0.warmup = Span::secs(1);
        let spec = &mut cell.0.flows[flow];
        (spec.start, spec.stop) = (Span::secs(1) - Span::micros(before), Span::secs(1));
        let (_, report) = cell.run();
        let row = &report.flows[flow].receivers[0];
        assert_eq!((row.packets, row.early), (early, early));
    }
}

/// However the members of a group are written, each receives the packet once, on the one hop that it makes to each. Who received what is part of the
/// fingerprint.
#[test]
fn each_member_that_hears_counts_a_hop() {
    let run = |group: &[usize]| {
        let mut cell = row(0.1, &[0.0, 50.0, -50.0, 70.0]);
        let flow = to_group(&mut cell, 0, group, once(100));
        let (world, report) = cell.run();
        assert_eq!(received(&report, flow), vec![1; group.len()]);
        assert_eq!(world.packet_hops(), group.len() as u64);
        report.fingerprint
    };
    assert_eq!(run(&[3, 1, 2]), run(&[1, 2, 3]));
    assert_ne!(run(&[1]), run(&[2]));
}

#[test]
fn a_group_that_nobody_hears_is_refused() {
    let mut cell = row(1.0, &[0.0, 200.0]);
    to_group(&mut cell, 0, &[1], cbr(100, 80_000));
    let refused = World::build(&cell.0).expect_err("out of reach");
    assert_eq!(refused.path, "flows.f0.to");
    assert!(
        refused.what.contains("no station of the group hears s0"),
        "{}",
        refused.what
    );
}
