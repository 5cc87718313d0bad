//! The categories of one station beside each other, and stations that begin at one instant. OFDM, no backoff, slots of 9 us.

use backwater_sim::medium::wifi::air_log::AirFrame;
use backwater_sim::medium::wifi::mac::category::{Countdown, Protection};
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_transport::units::Span;

use crate::attempts::log;
use crate::cell::{BASIC, Cell, G, RTS, disc, edca, once};

/// A beginning at which the medium has been idle for long, µs.
const T: u64 = 10_000;

/// Three stations that hear each other, all categories with an AIFS of two slots and no backoff.
fn trio(rts_above: u64) -> Cell {
    let mut mac = edca(G, rts_above);
    mac.countdown = Countdown::IdleSlot;
    for category in &mut mac.categories {
        (category.aifsn, category.cw_min, category.cw_max) = (2, 0, 0);
    }
    let mut cell = Cell::new(0.1, G, mac, disc(100.0, 100.0));
    for x in [0.0, 10.0, 20.0] {
        cell.station(&format!("s{x}"), x, 0.0);
    }
    cell
}

/// A packet of 1500 B of a class, so many µs after `T`.
fn packet(cell: &mut Cell, ends: [usize; 2], class: u8, at: u64) -> usize {
    let flow = cell.flow(ends[0], ends[1], class, once(1500));
    cell.0.flows[flow].start = Span::micros(T + at);
    flow
}

/// Kinds of the frames of a station.
fn kinds(frames: &[AirFrame], station: u32) -> Vec<FrameKind> {
    let own = frames.iter().filter(|f| f.from == station);
    own.map(|f| f.kind).collect()
}

/// A packet of each class comes while station 0 sends. Behind that all four categories are due at once: the highest sends, and the three others
/// have lost to it; then two, then one. IEEE 802.11-2020 10.23.2.4.
#[test]
fn each_lower_category_that_is_due_collides_inside_the_station() {
    let mut cell = trio(BASIC);
    packet(&mut cell, [0, 1], 3, 0);
    let flows = [0, 1, 2, 3].map(|class| packet(&mut cell, [0, 1], class, 10));
    let (_, report) = log(&cell);
    assert_eq!(report.stations[0].internal, 3 + 2 + 1);
    assert_eq!(report.stations[0].failures, 0);
    let totals = flows.map(|flow| report.flows[flow].sums.sum.total);
    assert!(totals.is_sorted_by(|lower, higher| lower > higher));
}

/// A category that has sent its last packet does not keep another one from sending, whose packet came meanwhile.
#[test]
fn a_category_without_packets_leaves_others_alone() {
    for [first, second] in [[1, 2], [2, 1], [0, 1], [1, 0], [2, 3], [0, 3]] {
        let mut cell = trio(BASIC);
        packet(&mut cell, [0, 1], first, 0);
        packet(&mut cell, [0, 1], second, 10);
        let (_, report) = log(&cell);
        assert_eq!(report.delivered, 2, "{first} {second}");
    }
}

/// Under multiple protection a TXOP begins with an RTS, also where the one before had one for the same receiver.
#[test]
fn each_txop_has_an_rts_of_its_own() {
    let mut cell = trio(RTS);
    let mac = &mut cell.0.media[0].mac;
    mac.protection = Protection::Multiple;
    for category in &mut mac.categories {
        category.txop = Span::micros(1000);
    }
    for at in [0, 5000] {
        packet(&mut cell, [0, 1], 1, at);
    }
    let own = [FrameKind::Rts, FrameKind::Data, FrameKind::CfEnd];
    assert_eq!(kinds(&log(&cell).0, 0), own.repeat(2));
}

/// Two stations that begin at one instant hear nothing of each other: neither has the frame of the other one, nor answers it.
#[test]
fn who_sends_receives_nothing() {
    let mut cell = trio(BASIC);
    cell.0.media[0].mac.retry_short = 1;
    packet(&mut cell, [0, 1], 1, 0);
    packet(&mut cell, [1, 0], 1, 0);
    let (frames, report) = log(&cell);
    for station in [0, 1] {
        assert_eq!(kinds(&frames, station), [FrameKind::Data]);
    }
    assert_eq!((report.delivered, report.dropped), (0, 2));
}

/// A station without packets counts its backoff down while the medium is idle. One of 0 or 1 slot is over before another station sends; a
/// packet that comes during that frame draws anew, and so waits for a slot of 9 us in half of all runs.
#[test]
fn a_backoff_runs_out_without_a_packet() {
    let mut waited = 0;
    let runs = 100;
    for seed in 1..=runs {
        let mut cell = trio(BASIC);
        cell.0.seed = seed;
        let best_effort = &mut cell.0.media[0].mac.categories[1];
        (best_effort.cw_min, best_effort.cw_max) = (1, 1);
        packet(&mut cell, [0, 1], 1, 0);
        packet(&mut cell, [2, 1], 2, 2000);
        packet(&mut cell, [0, 1], 1, 2010);
        let (frames, _) = log(&cell);
        let acks = frames.iter().filter(|f| f.kind == FrameKind::Ack);
        let second = acks.map(|f| f.at).nth(1).expect("an ACK for station 2");
        let last = frames.iter().rfind(|f| f.from == 0).expect("a frame");
        // The ACK of 28 us, 1 us of propagation and AIFS.
        let least = Span::micros(28 + 1 + 16 + 2 * 9);
        let slots = (last.at.since(second).0 - least.0) / Span::micros(9).0;
        assert!(slots <= 1, "{slots}");
        waited += slots;
    }
    // 50 of 100 on average, with a standard deviation of 5.
    assert!((35..=65).contains(&waited), "{waited}");
}
