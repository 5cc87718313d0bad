//! Which frame an attempt sends and when: frames that wait beside others, that failed, or whose
//! lifetime is over.

use backwater_sim::cause::Cause;
use backwater_sim::medium::wifi::air_log::{AirFrame, Body, Fate};
use backwater_sim::medium::wifi::mac::frame::{Exchange, FrameKind};
use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_sim::medium::wifi::phy::physical::Physical;
use backwater_sim::spec::Turn;
use backwater_sim::world::{Report, World};
use backwater_transport::units::{Rate, Span, Time};

use crate::cell::{B, BASIC, Cell, G, dcf, disc, edca, once, saturated};
use crate::physical::plain;

/// The frames on the air, and the report, of a whole run.
pub fn log(cell: &Cell) -> (Vec<AirFrame>, Report) {
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.start_air_log();
    world.advance(world.end());
    let report = world.report();
    assert!(report.conserved, "a packet is missing");
    (world.take_air_frames(true), report)
}

/// Flow and number of the packet in a frame.
fn packet(frame: &AirFrame) -> (usize, u32) {
    match &frame.body {
        Some(Body::Packet(carried, ..)) => (carried.flow.index(), carried.seq),
        _ => panic!("a frame with a packet"),
    }
}

/// The data frames that a station sends.
fn data(frames: &[AirFrame], station: usize) -> impl Iterator<Item = &AirFrame> {
    let from = station as u32;
    let sent = frames.iter().filter(move |f| f.from == from);
    sent.filter(|f| f.kind == FrameKind::Data)
}

/// A packet of 1500 B at this instant, in microseconds.
fn once_at(cell: &mut Cell, ends: [usize; 2], class: u8, micros: u64) {
    let flow = cell.flow(ends[0], ends[1], class, once(1500));
    cell.0.flows[flow].start = Span::micros(micros);
}

#[test]
fn packets_of_a_saturated_flow_are_numbered_one_after_the_other() {
    let mut cell = Cell::new(0.2, B, dcf(B, BASIC), disc(100.0, 100.0));
    let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.flow(a, b, 1, saturated(1500));
    let (frames, _) = log(&cell);
    let numbers: Vec<u32> = data(&frames, a).map(|f| packet(f).1).collect();
    assert!(numbers.len() > 80, "{}", numbers.len());
    let expected: Vec<u32> = (0..numbers.len() as u32).collect();
    assert_eq!(numbers, expected);
}

/// Station a gets a packet while another sends, and so draws a backoff of no or of one slot. A
/// packet that comes behind it has no say in when the first one goes.
#[test]
fn a_packet_that_comes_behind_another_leaves_its_backoff_alone() {
    for seed in 1..=40 {
        let first_goes = |more: bool| {
            let mut cell = Cell::new(0.6, B, edca(B, BASIC), disc(100.0, 100.0));
            cell.0.seed = seed;
            let best_effort = &mut cell.0.media[0].mac.categories[1];
            (best_effort.cw_min, best_effort.cw_max) = (1, 1);
            let [other, a, sink] =
                [0.0, 10.0, 20.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
            once_at(&mut cell, [other, sink], 1, 500_000);
            once_at(&mut cell, [a, sink], 1, 500_200);
            if more {
                once_at(&mut cell, [a, sink], 1, 500_400);
            }
            let (frames, _) = log(&cell);
            assert_eq!(data(&frames, a).count(), if more { 2 } else { 1 });
            let first = data(&frames, a).next().expect("a frame");
            first.at
        };
        assert_eq!(first_goes(true), first_goes(false), "seed {seed}");
    }
}

/// Two stations may send at the same instant, AIFS after the exchange of one of them. The other one
/// has two categories that are due then: the packet of one has waited for longer than its lifetime
/// of a millisecond and is given up, and that of the other category goes.
#[test]
fn a_category_whose_packet_is_too_old_does_not_keep_another_from_sending() {
    for (names, old, young) in [
        (["a", "b"], 2, 3),
        (["a", "b"], 3, 2),
        (["b", "a"], 2, 3),
        (["b", "a"], 3, 2),
    ] {
        let mut mac = edca(B, BASIC);
        mac.lifetime = Some(Span::millis(1));
        for category in &mut mac.categories {
            (category.aifsn, category.cw_min) = (2, 0);
        }
        let mut cell = Cell::new(0.51, B, mac, disc(100.0, 100.0));
        let mut stations = names.map(|name| cell.station(name, 0.0, 0.0));
        if names[0] == "b" {
            stations.reverse();
        }
        let [a, b] = stations;
        cell.spec(b).at = [10.0, 0.0];
        let sink = cell.station("sink", 20.0, 0.0);
        // 1310 us, a SIFS of 10 and an ACK of 304 us: this exchange ends 1.626 ms later.
        once_at(&mut cell, [a, sink], 3, 500_000);
        once_at(&mut cell, [b, sink], old, 500_200);
        once_at(&mut cell, [b, sink], young, 501_200);
        once_at(&mut cell, [a, sink], 3, 501_200);
        let (frames, report) = log(&cell);
        let second = data(&frames, a).nth(1).expect("a second frame");
        let first = data(&frames, b).next().expect("a frame");
        assert_eq!((first.at, packet(first).0), (second.at, 2), "{names:?}");
        let expired = report.drops.iter().filter(|d| d.key.0 == Cause::Expired);
        let lost: u64 = expired.map(|d| d.count.packets).sum();
        assert!(lost >= 1 && report.flows[1].sums.dropped.packets == 1);
    }
}

/// Two neighbours take turns, and half of the frames to either are lost at 54 Mbit/s over 68 m.
/// What was lost goes again before it is the other one's turn: a station sends no other frame of a
/// category before its first one is done with. IEEE 802.11-2020 10.23.2.
#[test]
fn a_frame_that_was_lost_goes_again_before_the_turn_of_another_neighbour() {
    let channel = Physical {
        fer_target: 0.99,
        ..plain()
    };
    let mut cell = Cell::new(0.5, G, dcf(G, BASIC), ChannelSpec::Physical(channel));
    cell.0.media[0].phy.control = Rate(6_000_000);
    let [a, x, y] = [0.0, 68.0, -68.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.spec(a).serving.turn = Turn::RoundRobin;
    cell.spec(a).rate = Some(Rate(54_000_000));
    for to in [x, y] {
        cell.flow(a, to, 1, saturated(1500));
    }
    let (frames, _) = log(&cell);
    let sent: Vec<&AirFrame> = data(&frames, a).collect();
    let mut lost = 0;
    for pair in sent.windows(2) {
        if pair[0].fate == Fate::Lost {
            lost += 1;
            assert_eq!(packet(pair[1]), packet(pair[0]));
            assert!(pair[1].retry);
        }
    }
    assert!(lost > 50 && lost + 50 < sent.len(), "{lost}");
    // Exchanges that fail are charged, too: a neighbour whose frames failed in a row waits for as
    // many of the other one's.
    let [one, other] = [x, y].map(|to| sent.iter().filter(|f| f.to == to as u32).count());
    assert!(one.abs_diff(other) < 20, "{one} {other}");
}

/// Some frames are lost at 54 Mbit/s over 68 m, and no RTS or CTS at 6 Mbit/s. A frame that a CTS had cleared counts against the
/// limit of long frames: where that is one, each packet goes once, and each one that is lost is given up. IEEE 802.11-2020 10.3.4.4.
#[test]
fn a_frame_behind_a_cts_has_the_transmissions_of_long_frames() {
    let channel = Physical {
        fer_target: 0.99,
        ..plain()
    };
    let mut mac = dcf(G, 0);
    (mac.retry_short, mac.retry_long) = (7, 1);
    let mut cell = Cell::new(0.5, G, mac, ChannelSpec::Physical(channel));
    cell.0.media[0].phy.control = Rate(6_000_000);
    let [a, b] = [0.0, 68.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.spec(a).rate = Some(Rate(54_000_000));
    cell.flow(a, b, 1, saturated(1500));
    let (frames, report) = log(&cell);
    assert!(data(&frames, a).all(|frame| !frame.retry));
    let lost = data(&frames, a).filter(|f| f.fate == Fate::Lost).count() as u64;
    assert!(lost > 30, "{lost}");
    assert_eq!(report.flows[0].sums.dropped.packets, lost);
}

/// Frame control, Duration, receiver, BSSID and FCS: 2 + 2 + 6 + 6 + 4. IEEE 802.11-2020 9.3.1.6. It carries no packets.
#[test]
fn a_cf_end_has_twenty_bytes() {
    let frame = (Rate(6_000_000), Span::micros(52));
    let end = Exchange::cf_end(3, frame, Time::ZERO);
    assert_eq!((end.bytes, end.count, end.mpdus), (20, 0, 0));
}

/// A BAR has 24 B and is answered by a block acknowledgement. What is longer, as each A-MPDU is, or answered by an ACK is none.
#[test]
fn a_bar_is_known_by_its_length_and_its_answer() {
    let frame = (Rate(6_000_000), Span::micros(56));
    for (bytes, block, bar) in [(24, true, true), (24, false, false), (48, true, false)] {
        let exchange = Exchange {
            bytes,
            block,
            ..Exchange::cf_end(1, frame, Time::ZERO)
        };
        assert_eq!(exchange.is_bar(), bar, "{bytes} {block}");
    }
}
