//! Which packets an A-MPDU takes, in which MPDUs, and what it repeats, frame by frame. Stations and rates are those of `air_delays`.

use std::collections::BTreeMap;

use backwater_sim::medium::wifi::air_log::{AirFrame, Body};
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::medium::wifi::spec::{Aggregation, Edition, RateControl};
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};

use crate::aggregate::noisy_cell;
use crate::aggregate_mechanisms::tell_in_fields;
use crate::aggregate_parts::hold_to_the_bytes;
use crate::air_delays::{T, high, packet, parts};
use crate::attempts::log;
use crate::cell::Cell;

/// The rules of aggregation of a cell.
fn limits(cell: &mut Cell) -> &mut Aggregation {
    let high = cell.0.media[0].high.as_mut().expect("modes");
    high.aggregation.as_mut().expect("a window")
}

/// IP lengths of the packets of an MPDU.
fn lengths(frame: &AirFrame) -> Vec<u16> {
    match frame.body.as_ref().expect("data") {
        Body::Packet(packet, ..) => vec![packet.len],
        Body::Joined(packets, _) => packets.iter().map(|packet| packet.len).collect(),
        _ => panic!("a data frame"),
    }
}

/// Flows of the packets of an MPDU.
fn flows(frame: &AirFrame) -> Vec<usize> {
    match frame.body.as_ref().expect("data") {
        Body::Packet(packet, ..) => vec![packet.flow.index()],
        Body::Joined(packets, _) => packets.iter().map(|packet| packet.flow.index()).collect(),
        _ => panic!("a data frame"),
    }
}

/// The PPDUs with data of station 0, each with what `told` says of its MPDUs, and with its beginning in µs after `T`.
fn ppdus<Row>(cell: &Cell, told: impl Fn(&AirFrame) -> Row) -> Vec<(u64, Vec<Row>)> {
    let mut all = BTreeMap::<Time, Vec<Row>>::new();
    for frame in log(cell).0 {
        if frame.from == 0 && frame.kind == FrameKind::Data {
            all.entry(frame.at).or_default().push(told(&frame));
        }
    }
    let begun = |at: Time| at.0 / 1_000_000 - T;
    all.into_iter()
        .map(|(at, rows)| (begun(at), rows))
        .collect()
}

/// Packets of these lengths that come while station 0 sends another one, and so wait for the next PPDU.
fn waiting(asks: bool, lengths: &[u64]) -> Cell {
    let mut cell = high(asks);
    packet(&mut cell, [0, 1], 1500, 0);
    for (number, bytes) in (0..).zip(lengths) {
        packet(&mut cell, [0, 1], *bytes, 5 + number);
    }
    cell
}

/// Where MPDUs begin at whole ticks and where they do not. Of six MPDUs of 1540 B in 9240 B the fourth begins at half of the time exactly,
/// behind three divisions by six that leave something; the second MPDU of 107 and 275 B in 469 B begins 1/469 of a tick before a whole one:
/// 60,000,000 · 152 = 469 n + 468.
#[test]
fn mpdus_begin_at_the_tick_before_their_bytes() {
    assert_eq!(60_000_000u64 * 152 % 469, 468);
    for lengths in [&[1498; 6][..], &[107, 275]] {
        let (parts, again) = hold_to_the_bytes(&waiting(false, lengths), 0);
        assert_eq!((parts, again), (lengths.len(), 0));
    }
}

/// The first of two MPDUs fails, since a short frame of another station overlaps with it. Its packets go again, and with a window of two MPDUs
/// nothing else does: the second one has come and keeps its place. A wider window has room for those that wait. Each packet
/// comes once, and the MPDU that came waits for the one before it.
#[test]
fn an_mpdu_that_failed_goes_again_within_its_window() {
    for (msdu, each, bytes) in [
        (0, 1, 1500),
        (1600, 1, 1500),
        (3839, 2, 1500),
        (3839, 3, 1000),
    ] {
        for window in [2, 64] {
            let mut cell = waiting(false, &vec![bytes; 4 * each]);
            let limits = limits(&mut cell);
            (limits.window, limits.msdu, limits.bounds.frames) = (window, msdu, 2);
            // The A-MPDU begins after 306 us, and its first MPDU 36 us later, for 190 us at least.
            packet(&mut cell, [2, 3], 100, 350);
            let first =
                |mpdu: usize| -> Vec<usize> { (1 + mpdu * each..=(mpdu + 1) * each).collect() };
            let sent: Vec<_> = ppdus(&cell, flows)
                .into_iter()
                .map(|(_, rows)| rows)
                .collect();
            let mut expected = vec![vec![vec![0]], vec![first(0), first(1)]];
            match window {
                2 => expected.extend([vec![first(0)], vec![first(2), first(3)]]),
                _ => expected.extend([vec![first(0), first(2)], vec![first(3)]]),
            }
            assert_eq!(sent, expected, "{msdu} {window}");
            let (_, report) = log(&cell);
            for (number, flow) in report.flows[..=4 * each].iter().enumerate() {
                assert_eq!(flow.sums.delivered.packets, 1);
                let second = first(1).contains(&number);
                assert_eq!(flow.sums.sum.reorder > 0, second, "{number}");
            }
        }
    }
}

/// Two packets in an A-MPDU of 420 us from 324 us on, whose block acknowledgement is lost, and two more that come meanwhile. Station 4
/// receives nothing of the A-MPDU, since it hears station 5, and so damages the block acknowledgement at station 0: it begins 34 us behind
/// the A-MPDU. The AIFS of station 0 is 52 us.
fn without_an_answer(asks: bool, at: u64) -> Cell {
    let mut cell = high(asks);
    for after in [0, 5, 6] {
        packet(&mut cell, [0, 1], 1500, at + after);
    }
    cell.0.media[0].mac.categories[1].aifsn = 4;
    let [x, y, z] = [-90.0, -180.0, -270.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    for after in [330, 331] {
        packet(&mut cell, [0, 1], 1500, at + after);
    }
    packet(&mut cell, [y, z], 1500, at + 300);
    let damages = packet(&mut cell, [x, y], 100, at + 400);
    cell.0.flows[damages].class = 2;
    cell
}

/// The same 50 ms later, where station 0 tells station 1 of congestion by its first packet, and of its end when the frame before the A-MPDU is
/// acknowledged: the A-MPDU brings a notice.
fn with_a_notice() -> Cell {
    let mut cell = without_an_answer(true, 50_000);
    let flows = cell.0.flows.clone();
    tell_in_fields(&mut cell);
    cell.0.flows = flows;
    cell.0.mechanisms[0].stations = vec![0];
    for (ends, after) in [([0, 1], 0), ([1, 0], 20_000)] {
        packet(&mut cell, ends, 100, after);
    }
    cell
}

/// Of two MPDUs the first is longer by the field of a notice, and padded with it: the second begins behind both, and the PPDU is as long as its bytes.
#[test]
fn the_first_of_two_mpdus_has_the_field() {
    assert_eq!(hold_to_the_bytes(&with_a_notice(), 0), (4, 0));
}

/// A notice rides in the first MPDU of an A-MPDU that came whole, and whose block acknowledgement is lost. The answer to the BAR says that the MPDU
/// has come, and no frame brings the notice again.
#[test]
fn a_bar_ends_the_field_of_the_burst_that_it_asks_for() {
    let cell = with_a_notice();
    let notices = |frame: &AirFrame| match frame.body.as_ref().expect("data") {
        Body::Packet(_, _, fields) => usize::from(fields.notice.is_some()),
        _ => 0,
    };
    let sent = ppdus(&cell, notices);
    let late = sent.iter().filter(|(at, _)| *at >= 50_000);
    let rows: Vec<&Vec<usize>> = late.map(|(_, rows)| rows).collect();
    assert_eq!(rows, [&vec![0], &vec![1, 0], &vec![0, 0]]);
}

/// Station 0 repeats the two packets, which have come, and sends two new ones with them. Those arrive with this A-MPDU, and the first two have with
/// the one before.
#[test]
fn packets_behind_those_that_have_come_arrive() {
    let cell = without_an_answer(false, 0);
    // 420 us from 324 us on; station 4 sends 56 us from 778 us on, and has its ACK before station 0 sends again.
    let again = 778 + 56 + 52;
    let flows = ppdus(&cell, flows);
    let expected = vec![
        (0, vec![vec![0]]),
        (324, vec![vec![1], vec![2]]),
        (again, vec![vec![1], vec![2], vec![3], vec![4]]),
    ];
    assert_eq!(flows, expected);
    let (_, report) = log(&cell);
    for (flow, at, arrives) in [
        (1, 5, 744),
        (2, 6, 744),
        (3, 330, again + 800),
        (4, 331, again + 800),
    ] {
        assert_eq!(report.flows[flow].sums.delivered.packets, 1);
        let total = report.flows[flow].sums.sum.total;
        assert_eq!(total, u128::from(Span::micros(arrives - at).0), "{flow}");
        assert_eq!(parts(&report, flow)[5], 0);
    }
}

/// At 15 dB MCS 4 loses little, and MCS 6 and 7, which need 18 dB or more, lose all. A station that learns sends A-MPDUs by MCS 4 from the
/// second second on, and probes faster modes now and then, each with a frame alone.
#[test]
fn a_probe_goes_alone() {
    let mut cell = noisy_cell(2.0, 64, 15.0);
    let high = cell.0.media[0].high.as_mut().expect("modes");
    high.control = RateControl::Minstrel(Edition::Linux);
    let mut all = BTreeMap::<Time, (u8, u64)>::new();
    for frame in log(&cell).0 {
        if frame.kind == FrameKind::Data && frame.at >= Time::ZERO + Span::secs(1) {
            let mode = frame.mode.expect("a mode");
            all.entry(frame.at).or_insert((mode.mcs, 0)).1 += 1;
        }
    }
    let probes = all.values().filter(|(mcs, _)| *mcs > 5);
    let probes: Vec<u64> = probes.map(|(_, mpdus)| *mpdus).collect();
    assert!(probes.len() > 5, "{}", probes.len());
    assert!(probes.iter().all(|mpdus| *mpdus == 1), "{probes:?}");
    let bursts = all.values().filter(|(mcs, mpdus)| *mcs == 4 && *mpdus > 5);
    assert!(bursts.count() > 50);
}

/// A body of 372 B holds packets of 100, 101 and 102 B, each behind 22 B and padded to four but for the last: 124, 248 and 372 B. The next
/// one makes it too long, and one of 1500 B goes alone. MPDUs and their beginnings are those of the packets' order.
#[test]
fn a_msdus_take_packets_in_order_up_to_their_length() {
    for (most, expected) in [
        (372, [&[100, 101, 102][..], &[103], &[1500], &[40, 41]]),
        (371, [&[100, 101], &[102, 103], &[1500], &[40, 41]]),
    ] {
        let mut cell = waiting(false, &[100, 101, 102, 103, 1500, 40, 41]);
        limits(&mut cell).msdu = most;
        let sent = ppdus(&cell, lengths);
        assert_eq!(sent.len(), 2);
        assert_eq!(sent[1].1, expected, "{most}");
        assert_eq!(hold_to_the_bytes(&cell, 0), (4, 0));
    }
}

/// Packets of 100 and 101 B in one MPDU have a body of 247 B, and header and FCS have 30 B: 277 B, and 281 B with the delimiter. Where an A-MPDU has
/// a byte less, each goes alone, since two MPDUs need 144 and 143 B. A packet that is longer than any A-MPDU goes alone, too.
#[test]
fn an_a_msdu_grows_as_far_as_its_a_mpdu_may() {
    for (bytes, expected) in [
        (281, vec![vec![vec![100, 101]], vec![vec![1500]]]),
        (
            280,
            vec![vec![vec![100]], vec![vec![101]], vec![vec![1500]]],
        ),
    ] {
        let mut cell = waiting(false, &[100, 101, 1500]);
        let limits = limits(&mut cell);
        (limits.msdu, limits.bounds.bytes) = (3839, bytes);
        let sent: Vec<_> = ppdus(&cell, lengths)
            .into_iter()
            .map(|(_, rows)| rows)
            .collect();
        assert_eq!(sent[1..], expected, "{bytes}");
        let (_, report) = log(&cell);
        assert!(report.flows.iter().all(|f| f.sums.delivered.packets == 1));
    }
}

/// Two MPDUs of 1500 B do not fit 2000 B, and one alone does not fit 1000 B: each goes alone, and is answered by an ACK.
#[test]
fn a_frame_that_is_longer_than_an_a_mpdu_goes_alone() {
    for bytes in [2000, 1000] {
        for msdu in [0, 3839] {
            let mut cell = waiting(false, &[1500; 2]);
            let limits = limits(&mut cell);
            (limits.msdu, limits.bounds.bytes) = (msdu, bytes);
            let sent: Vec<_> = ppdus(&cell, flows)
                .into_iter()
                .map(|(_, rows)| rows)
                .collect();
            assert_eq!(sent, [[[0]], [[1]], [[2]]], "{bytes} {msdu}");
            let (frames, _) = log(&cell);
            let answers = frames.iter().filter(|f| f.from == 1);
            assert!(answers.map(|f| f.kind).eq([FrameKind::Ack; 3]));
        }
    }
}

/// A BAR has 24 B: frame control, Duration, two addresses, control, start and FCS, 2 + 2 + 6 + 6 + 2 + 2 + 4. It asks for both MPDUs of the
/// A-MPDU that failed. IEEE 802.11-2020 9.3.1.7.
#[test]
fn a_bar_has_twenty_four_bytes() {
    let mut cell = waiting(true, &[1500; 2]);
    packet(&mut cell, [2, 3], 100, 300);
    let mut world = World::build(&cell.0).expect("a legal cell");
    // It begins after 760 us.
    world.advance(Time::ZERO + Span::micros(T + 770));
    let exchange = world.air().radios[0].exchange.expect("a BAR");
    assert_eq!((exchange.bytes, exchange.count), (24, 2));
    assert!(exchange.block && exchange.is_bar());
}

/// Of packets that share an MPDU each waits while the PPDU carries the other: 36 us of preamble, then the time of the bytes that are its
/// own. An MPDU of 100 and 101 B has 277 B, in 9 symbols of 4 us; a packet's own bytes are those of an MPDU of it alone, with a delimiter.
#[test]
fn packets_of_an_a_msdu_wait_for_each_other() {
    let mut cell = waiting(false, &[100, 101]);
    limits(&mut cell).msdu = 3839;
    let (frames, report) = log(&cell);
    for (flow, own) in [(1, 142), (2, 143)] {
        let sum = &report.flows[flow].sums.sum;
        let others = u128::from(36_000_000u64 * (277 - own) / 277);
        assert_eq!((sum.aggregate, sum.serial), (others, 72_000_000 - others));
    }
    // An MPDU alone is answered by an ACK, however many packets it has.
    let answers = frames.iter().filter(|f| f.from == 1);
    assert!(answers.map(|f| f.kind).eq([FrameKind::Ack; 2]));
}
