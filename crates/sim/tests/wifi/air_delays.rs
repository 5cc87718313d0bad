//! The parts of the delay of packets whose exchanges fail, succeed or are given up, µs by µs, and what the ports of stations count of
//! them. Stations stand in a row, 90 m apart, and hear each other up to 100 m: what station 2 sends to station 3 damages what station 0
//! sends to station 1 at the same time, and neither of the two hears it.

use backwater_sim::cause::Cause;
use backwater_sim::limit::Limit;
use backwater_sim::medium::wifi::air_log::AirFrame;
use backwater_sim::medium::wifi::mac::category::{Countdown, MacSpec};
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::medium::wifi::phy::mode::Format;
use backwater_sim::medium::wifi::phy::standard::Phy;
use backwater_sim::record::flow_stats::DelaySum;
use backwater_sim::record::{Record, What};
use backwater_sim::world::{Report, World};
use backwater_transport::units::{Rate, Span};

use crate::aggregate::{self, mode};
use crate::attempts::log;
use crate::cell::{BASIC, Cell, G, dcf, disc, edca, once, saturated};

/// A beginning at which the medium has been idle for long, µs.
pub const T: u64 = 10_000;
/// DIFS, and AIFS of two slots.
const AIFS: u64 = 16 + 2 * 9;
/// An Ethernet frame of 1500 B.
const FRAME: u64 = 1518;

/// Four stations without a backoff, so that each frame begins AIFS behind what was before.
fn row(mut cell: Cell) -> Cell {
    let mac = &mut cell.0.media[0].mac;
    mac.countdown = Countdown::IdleSlot;
    for category in &mut mac.categories {
        (category.aifsn, category.cw_min, category.cw_max) = (2, 0, 0);
    }
    for number in 0..4 {
        cell.station(&format!("s{number}"), 90.0 * f64::from(number), 0.0);
    }
    cell
}

/// DCF at 54 Mbit/s with control frames at 6 Mbit/s: 1500 B take 248 us, an ACK 44 us, SIFS 16 us, propagation 1 us.
pub fn plain(attempts: u32) -> Cell {
    let phy = Phy {
        control: Rate(6_000_000),
        ..G
    };
    let mac = MacSpec {
        retry_short: attempts,
        ..dcf(phy, BASIC)
    };
    row(Cell::new(0.1, phy, mac, disc(100.0, 100.0)))
}

/// 802.11n at MCS 7 without propagation: an MPDU of 1500 B takes 228 us, two take 420 us, their answers at 24 Mbit/s 28 and 32 us. A
/// BAR at 6 Mbit/s takes 56 us, and its answer 68 us.
pub fn high(asks: bool) -> Cell {
    row(aggregate::cell(
        0.1,
        mode(Format::Ht, 20, 7, 1),
        64,
        asks,
        100.0,
    ))
}

/// A packet of so many bytes, so many µs after `T`.
pub fn packet(cell: &mut Cell, ends: [usize; 2], bytes: u64, at: u64) -> usize {
    let flow = cell.flow(ends[0], ends[1], 1, once(bytes));
    cell.0.flows[flow].start = Span::micros(T + at);
    flow
}

/// Serialisation, queue, contention, retries, aggregation, reordering and propagation of a flow's packets in µs.
pub fn parts(report: &Report, flow: usize) -> [u128; 7] {
    let DelaySum {
        total,
        serial,
        queue,
        gate,
        contention,
        retries,
        aggregate,
        reorder,
        propagation,
    } = report.flows[flow].sums.sum;
    let parts = [
        serial,
        queue,
        contention,
        retries,
        aggregate,
        reorder,
        propagation,
    ];
    assert_eq!((gate, total), (0, parts.iter().sum()));
    parts.map(|part| part / 1_000_000)
}

/// Packets sent, µs of exchanges and byte-µs held of the ports that held something.
fn ports(report: &Report) -> Vec<(u64, u64, u128)> {
    let count = |port: &backwater_sim::world::PortReport| {
        let c = &port.count;
        (c.packets, c.busy / 1_000_000, c.area / 1_000_000)
    };
    let all = report.ports.iter().map(count);
    all.filter(|(_, _, area)| *area > 0).collect()
}

/// The frames of a station with their kinds, µs after `T`.
fn sent(frames: &[AirFrame], station: u32) -> Vec<(FrameKind, u64)> {
    let own = frames.iter().filter(|f| f.from == station);
    own.map(|f| (f.kind, f.at.0 / 1_000_000 - T)).collect()
}

/// The first attempt fails and takes 249 us; the second one begins DIFS later. A packet that comes 5 us behind the first waits in the
/// queue until the acknowledgement of that ends, 593 us after its beginning, and another DIFS. The port has exchanges of
/// 249 us and twice 310 us, and holds each frame until it is received.
#[test]
fn a_packet_that_fails_once_waits_for_its_retry_and_the_next_one_behind_it() {
    let mut cell = plain(7);
    let one = packet(&mut cell, [0, 1], 1500, 0);
    let other = packet(&mut cell, [0, 1], 1500, 5);
    packet(&mut cell, [2, 3], 100, 10);
    let (_, report) = log(&cell);
    assert_eq!(parts(&report, one), [248, 0, 34, 249, 0, 0, 1]);
    let acknowledged = 249 + AIFS + 249 + 16 + 44 + 1;
    let queue = u128::from(acknowledged - 5);
    assert_eq!(parts(&report, other), [248, queue, 34, 0, 0, 0, 1]);
    let [first, second] = [249 + AIFS + 249, acknowledged - 5 + AIFS + 249];
    let area = u128::from(FRAME * (first + second));
    assert_eq!(ports(&report)[0], (2, 249 + 2 * 310, area));
}

/// The record of a transmission tells how long its packet has waited until the exchange that succeeded began: 283 us with a retry, and 622 us behind
/// such a packet.
#[test]
fn a_record_of_a_transmission_tells_the_wait_before_it() {
    let mut cell = plain(7);
    let one = packet(&mut cell, [0, 1], 1500, 0);
    let other = packet(&mut cell, [0, 1], 1500, 5);
    packet(&mut cell, [2, 3], 100, 10);
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.start_recording();
    world.advance(world.end());
    let records = world.take_records();
    let waited = |flow: usize| {
        let of = |r: &&Record| r.what == What::Send && r.flow.index() == flow;
        let found = records.iter().find(of).expect("a transmission");
        (found.at.0 / 1_000_000 - T, found.value / 1_000_000)
    };
    assert_eq!(waited(one), (249 + AIFS, 249 + AIFS));
    assert_eq!(waited(other), (593 + AIFS, 593 + AIFS - 5));
}

/// Where one attempt is all, the first packet is given up when its exchange has failed, and is held until then. The next one goes DIFS later.
#[test]
fn a_packet_that_is_given_up_is_held_until_then() {
    let mut cell = plain(1);
    let one = packet(&mut cell, [0, 1], 1500, 0);
    let other = packet(&mut cell, [0, 1], 1500, 5);
    packet(&mut cell, [2, 3], 100, 10);
    let (_, report) = log(&cell);
    assert_eq!(report.flows[one].sums.dropped.packets, 1);
    assert_eq!(report.stations[0].retry_drops, 1);
    assert_eq!(parts(&report, other), [248, 244, 34, 0, 0, 0, 1]);
    let area = u128::from(FRAME * (249 + 244 + AIFS + 249));
    assert_eq!(ports(&report)[0], (1, 249 + 310, area));
}

/// After a success a station may fail as often as ever before its window returns to its least: where it may fail once, it draws from 0 or 1
/// after the first failure, and so waits for a slot of 9 us in half of all runs. IEEE 802.11-2020 10.23.2.2.
#[test]
fn a_success_ends_the_failures_in_a_row() {
    let mut delayed = 0;
    for seed in 1..=20 {
        let mut cell = high(false);
        cell.0.seed = seed;
        let mac = &mut cell.0.media[0].mac;
        mac.retry_short = 1;
        mac.categories[1].cw_max = 1;
        for at in [0, 5, 10] {
            packet(&mut cell, [0, 1], 1500, at);
        }
        packet(&mut cell, [2, 3], 100, 300);
        let mut found = sent(&log(&cell).0, 0);
        found.dedup();
        let next = 272 + AIFS + 420 + AIFS;
        assert!([next, next + 9].contains(&found[2].1));
        delayed += u32::from(found[2].1 > next);
    }
    // Ten of twenty on average, with a standard deviation of 2.2.
    assert!((2..=18).contains(&delayed), "{delayed}");
}

/// Each packet is received once at each hop: over three hops by frames alone, or over one by a frame alone and an A-MPDU.
#[test]
fn each_hop_of_a_packet_counts() {
    for (mut cell, to, between, hops) in [(plain(7), 3, 5000, 9), (high(false), 1, 5, 3)] {
        for number in 0..3 {
            packet(&mut cell, [0, to], 1500, between * number);
        }
        let (world, report) = cell.run();
        assert_eq!((world.packet_hops(), report.delivered), (hops, 3));
    }
}

/// A packet comes 5 us behind another and may go 344 us after that, DIFS behind an exchange of 310 us. Its lifetime is over where it is shorter
/// than these 339 us. IEEE 802.11-2020 10.23.2.12.
#[test]
fn a_packet_goes_at_the_end_of_its_lifetime_and_not_behind_it() {
    for (lifetime, lost) in [
        (Span::micros(339), 0),
        (Span::micros(339) - Span::nanos(1), 1),
    ] {
        let mut cell = plain(7);
        cell.0.media[0].mac.lifetime = Some(lifetime);
        packet(&mut cell, [0, 1], 1500, 0);
        let late = packet(&mut cell, [0, 1], 1500, 5);
        let (_, report) = log(&cell);
        assert_eq!(report.flows[late].sums.dropped.packets, lost);
        let expired = report.drops.iter().filter(|d| d.key.0 == Cause::Expired);
        assert_eq!(expired.map(|d| d.count.packets).sum::<u64>(), lost);
    }
}

/// What a category sends next is settled when it may send, not when its TXOP ends: a packet whose lifetime is over then keeps its place in
/// a buffer of three, 34 us long, and the fifth packet finds no room. Where each TXOP is one exchange, and where the exchange of 314 us
/// fills the TXOP.
#[test]
fn a_packet_that_is_too_old_keeps_its_place_until_the_next_attempt() {
    for txop in [0, 314] {
        let phy = plain(7).0.media[0].phy;
        let mut cell = row(Cell::new(0.1, phy, edca(phy, BASIC), disc(100.0, 100.0)));
        let mac = &mut cell.0.media[0].mac;
        mac.lifetime = Some(Span::micros(305));
        mac.categories[1].txop = Span::micros(txop);
        cell.spec(0).buffer = Limit::Packets(3);
        for at in [0, 5, 200, 316, 320] {
            packet(&mut cell, [0, 1], 1500, at);
        }
        let (_, report) = log(&cell);
        let lost = report.flows.iter().map(|f| f.sums.dropped.packets);
        // The fourth one is too old when the third has gone.
        assert!(lost.eq([0, 1, 0, 1, 1]), "{txop}");
        let full = report.drops.iter().filter(|d| d.key.0 == Cause::BufferFull);
        assert_eq!(full.map(|d| d.count.packets).sum::<u64>(), 1);
    }
}

/// An A-MPDU of two packets fails. Without BARs both go again, DIFS behind its 420 us; with them a BAR asks what came.
#[test]
fn an_a_mpdu_without_an_answer_is_sent_again_or_asked_for() {
    for asks in [false, true] {
        let mut cell = high(asks);
        for at in [0, 5, 10] {
            packet(&mut cell, [0, 1], 1500, at);
        }
        packet(&mut cell, [2, 3], 100, 300);
        let (frames, report) = log(&cell);
        // The first packet goes alone: 228, 16 and 28 us.
        let first = 272 + AIFS;
        let next = first + 420 + AIFS;
        let (data, bar) = (FrameKind::Data, FrameKind::Bar);
        let mut expected = vec![(data, 0), (data, first)];
        let again = if asks {
            expected.push((bar, next));
            next + 56 + 16 + 68 + AIFS
        } else {
            next
        };
        expected.push((data, again));
        let mut found = sent(&frames, 0);
        found.dedup();
        assert_eq!(found, expected);
        // Each has failed with the other, and with the BAR that found it missing.
        let failed = if asks { 420 + 140 } else { 420 };
        for (flow, at) in [(1, 5), (2, 10)] {
            let [serial, queue, contention, retries, others, reorder, _] = parts(&report, flow);
            assert_eq!((retries, reorder), (failed, 0));
            // Whole µs of both.
            assert!((419..=420).contains(&(serial + others)));
            // First in line from the end of the first exchange on, and AIFS before each attempt.
            let waits = u128::from(AIFS) * if asks { 3 } else { 2 };
            assert_eq!((queue, contention), (272 - at, waits));
        }
    }
}

/// The first of two packets of an A-MPDU that failed is too old when it would go again, and a BAR tells its receiver that it will not
/// come. The other one is first in line from then on: it has failed with the A-MPDU of 420 us and the BAR of 140 us, which finds it
/// missing, and goes AIFS behind that. Before, it has waited in the queue for 56 us and for the AIFS of the first one.
#[test]
fn a_bar_tells_that_a_packet_of_a_burst_is_given_up() {
    for asks in [false, true] {
        let mut cell = high(asks);
        cell.0.media[0].mac.lifetime = Some(Span::micros(700));
        packet(&mut cell, [0, 1], 1500, 0);
        let old = packet(&mut cell, [0, 1], 1500, 5);
        let young = packet(&mut cell, [0, 1], 1500, 250);
        packet(&mut cell, [2, 3], 100, 300);
        let (frames, report) = log(&cell);
        let next = 272 + AIFS + 420 + AIFS;
        let mut found = sent(&frames, 0);
        found.dedup();
        let again = next + 140 + AIFS;
        let [data, bar] = [FrameKind::Data, FrameKind::Bar];
        let expected = [(data, 0), (data, 306), (bar, next), (data, again)];
        assert_eq!(found, expected);
        assert_eq!(report.flows[old].sums.dropped.packets, 1);
        // Only a BAR that asks for it finds it missing.
        let failed = if asks { 140 } else { 0 };
        let contention = 174 - failed;
        let queue = 56 + 34;
        let found = parts(&report, young);
        assert_eq!(
            found,
            [228, queue, contention, 420 + failed, 0, 0, 0],
            "{asks}"
        );
    }
}

/// The same where a new packet comes during the BAR. It is no packet that the BAR asked for: it has failed with nothing when it goes in an
/// A-MPDU with the young one.
#[test]
fn a_bar_does_not_ask_for_what_was_not_sent() {
    let mut cell = high(true);
    cell.0.media[0].mac.lifetime = Some(Span::micros(700));
    packet(&mut cell, [0, 1], 1500, 0);
    packet(&mut cell, [0, 1], 1500, 5);
    let young = packet(&mut cell, [0, 1], 1500, 250);
    let new = packet(&mut cell, [0, 1], 1500, 905);
    packet(&mut cell, [2, 3], 100, 300);
    let (frames, report) = log(&cell);
    let last = sent(&frames, 0).into_iter().rev().take(2);
    assert!(last.eq([(FrameKind::Data, 934); 2]));
    assert_eq!(parts(&report, young)[3], 420 + 140);
    // It waits for AIFS less the 29 us that were over, and has the A-MPDU for itself and the other one.
    let [serial, queue, contention, retries, others, ..] = parts(&report, new);
    assert_eq!((queue, contention, retries), (0, 29, 0));
    assert!((419..=420).contains(&(serial + others)));
}

/// Station 2 always sends, with pauses shorter than a frame of station 0, so that no such frame comes whole. Each goes as often as it may,
/// and the next one begins its count anew: a packet alone, or an A-MSDU of one packet. No BAR follows where there is no block
/// acknowledgement.
#[test]
fn each_frame_goes_as_often_as_it_may() {
    for alone in [false, true] {
        let mut cell = if alone { high(false) } else { plain(3) };
        let medium = &mut cell.0.media[0];
        (medium.mac.retry_short, medium.mac.lifetime) = (3, None);
        if let Some(high) = &mut medium.high {
            let limits = high.aggregation.as_mut().expect("a window");
            (limits.alone, limits.msdu) = (true, 1499);
        }
        cell.flow(2, 3, 1, saturated(1500));
        for at in 0..5 {
            packet(&mut cell, [0, 1], 1500, 100 * at);
        }
        let (frames, report) = log(&cell);
        let own: Vec<&AirFrame> = frames.iter().filter(|f| f.from == 0).collect();
        assert_eq!(own.len(), 15);
        for (number, frame) in own.iter().enumerate() {
            assert_eq!((frame.kind, frame.retry), (FrameKind::Data, number % 3 > 0));
        }
        assert_eq!(report.stations[0].retry_drops, 5);
        assert_eq!(report.stations[0].failures, 15);
    }
}
