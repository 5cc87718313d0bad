//! How many MPDUs of an A-MPDU a TXOP has room for, and how many packets a saturated sender keeps waiting for its A-MPDUs.

use std::collections::BTreeMap;

use backwater_sim::limit::Limit;
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::medium::wifi::phy::mode::Format;
use backwater_sim::world::World;
use backwater_transport::units::{Bytes, Span, Time};

use crate::aggregate::{mode, saturated_cell};
use crate::attempts::log;
use crate::cell::{BASIC, Cell, RTS, disc, saturated};

/// MPDUs of each PPDU with data, in the order in which they begin.
fn mpdus(cell: &Cell) -> Vec<usize> {
    let mut counts = BTreeMap::<Time, usize>::new();
    for frame in log(cell).0 {
        if frame.kind == FrameKind::Data {
            *counts.entry(frame.at).or_default() += 1;
        }
    }
    counts.into_values().collect()
}

/// A PPDU of 802.11n at MCS 7 in µs: 36, and symbols of 260 bits. Parts of 1544 B hold packets of 1500 B, the last one 1542 B.
fn ppdu(count: u64) -> u64 {
    let bytes = 1544 * (count - 1) + 1542;
    36 + 4 * (22 + 8 * bytes).div_ceil(260)
}

/// An A-MPDU of five MPDUs, a SIFS of 16 us and a block acknowledgement of 32 us fill a TXOP to its end, with 1 us of
/// propagation for each frame. An RTS of 52 us and a CTS of 44 us come before them where they are used. A TXOP 1 us shorter has
/// four. IEEE 802.11-2020 10.23.2.9.
#[test]
fn a_txop_takes_the_mpdus_that_end_in_it() {
    for (rts_above, before) in [(BASIC, 0), (RTS, 52 + 44 + 2 * (16 + 1))] {
        let whole = before + ppdu(5) + 16 + 32 + 2;
        for (txop, count) in [(whole, 5), (whole - 1, 4)] {
            let mut cell = saturated_cell(0.05, mode(Format::Ht, 20, 7, 1), 64, 1);
            let medium = &mut cell.0.media[0];
            medium.channel = disc(100.0, 100.0);
            medium.mac.rts_above = rts_above;
            for category in &mut medium.mac.categories {
                category.txop = Span::micros(txop);
            }
            let counts = mpdus(&cell);
            assert!(counts.len() > 20, "{}", counts.len());
            assert!(counts.iter().all(|n| *n == count), "{txop}: {counts:?}");
        }
    }
}

/// A saturated sender keeps as many packets waiting as its share of the buffer takes, and loses none: half of 20 packets, or 7
/// Ethernet frames of 1518 B in 11,000 B. Each A-MPDU takes all of them.
#[test]
fn a_saturated_sender_keeps_its_share_of_the_buffer_waiting() {
    for (buffer, share, count) in [
        (Limit::Packets(20), 0.5, 10),
        (Limit::Bytes(Bytes(11_000)), 1.0, 7),
    ] {
        let mut cell = saturated_cell(0.1, mode(Format::Ht, 20, 7, 1), 64, 1);
        let station = cell.spec(1);
        (station.buffer, station.own_share) = (buffer, share);
        let counts = mpdus(&cell);
        assert!(counts.len() > 20, "{}", counts.len());
        assert!(counts.iter().all(|n| *n == count), "{counts:?}");
        assert_eq!(log(&cell).1.flows[0].sums.dropped.packets, 0);
    }
}

/// A window of 4 MPDUs has as many packets under way as fit their A-MSDUs, each behind 22 B: of 3839 B three of 1257 B, two of 1260 B, and
/// of 1499 B one of 1500 B, which goes alone in any case. A saturated sender has no more waiting.
#[test]
fn a_saturated_sender_keeps_the_packets_of_its_window_waiting() {
    for (msdu, bytes, each) in [(3839, 1257, 3), (3839, 1260, 2), (1499, 1500, 1)] {
        let mut cell = saturated_cell(0.1, mode(Format::Ht, 20, 7, 1), 4, 1);
        cell.0.flows[0].source = saturated(bytes);
        let high = cell.0.media[0].high.as_mut().expect("modes");
        high.aggregation.as_mut().expect("a window").msdu = msdu;
        let mut world = World::build(&cell.0).expect("a legal cell");
        // Before AIFS is over.
        world.advance(Time::ZERO + Span::micros(10));
        let entered = world.network().flows.0[0].entered.packets;
        assert_eq!(entered, 4 * each, "{msdu} {bytes}");
    }
}
