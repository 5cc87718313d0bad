//! Who answers an RTS while the NAV of its receiver is set, and from when on. OFDM at 54 Mbit/s, control frames at 6 Mbit/s: an RTS
//! takes 52 us, a CTS or an ACK 44 us, SIFS 16 us, propagation 1 us. Frames of more than 1000 B have an RTS.

use backwater_sim::medium::wifi::mac::category::{AccessMode, Countdown, MacSpec};
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::medium::wifi::phy::standard::Phy;
use backwater_transport::units::{Rate, Span};

use crate::attempts::log;
use crate::cell::{Cell, G, dcf, disc, edca, once};

const PHY: Phy = Phy {
    control: Rate(6_000_000),
    ..G
};
/// A beginning at which the medium has been idle for long, µs.
const T: u64 = 10_000;

/// Stations in a row that hear each other up to 100 m. No backoff, one attempt.
fn row(access: AccessMode, places: &[f64]) -> Cell {
    let rules = match access {
        AccessMode::Dcf => dcf(PHY, 1000),
        AccessMode::Edca => edca(PHY, 1000),
    };
    let mut mac = MacSpec {
        retry_short: 1,
        countdown: Countdown::IdleSlot,
        ..rules
    };
    for category in &mut mac.categories {
        (category.aifsn, category.cw_min, category.cw_max) = (2, 0, 0);
    }
    let mut cell = Cell::new(0.1, PHY, mac, disc(100.0, 100.0));
    for (number, x) in places.iter().enumerate() {
        cell.station(&format!("s{number}"), *x, 0.0);
    }
    cell
}

/// A packet of so many bytes, so many µs after `T`.
fn packet(cell: &mut Cell, from: usize, to: usize, bytes: u64, at: u64) {
    let flow = cell.flow(from, to, 1, once(bytes));
    cell.0.flows[flow].start = Span::micros(T + at);
}

/// When a station sends its CTS, µs after `T`.
fn clears(cell: &Cell, station: u32) -> Vec<u64> {
    let frames = log(cell).0.into_iter();
    let cts = frames.filter(|f| f.kind == FrameKind::Cts && f.from == station);
    cts.map(|f| f.at.0 / 1_000_000 - T).collect()
}

/// B hears C, which sends 44 us to D: B's NAV ends with the ACK, 45 + 61 us later. A, which hears neither, sends an RTS to B that ends
/// at that instant, and B answers; where it ends 1 us earlier B is silent. IEEE 802.11-2020 10.3.2.9.
#[test]
fn a_station_answers_an_rts_from_the_end_of_its_nav_on() {
    for access in [AccessMode::Dcf, AccessMode::Edca] {
        for (begins, cts) in [(53, vec![106 + 16]), (52, Vec::new())] {
            let mut cell = row(access, &[0.0, 90.0, 180.0, 270.0]);
            packet(&mut cell, 2, 3, 100, 0);
            packet(&mut cell, 0, 1, 1500, begins);
            assert_eq!(clears(&cell, 1), cts, "{access:?} {begins}");
        }
    }
}

/// Station 1 sends an RTS to station 2, which receives a frame of station 3 and misses it. Station 0 hears the RTS, and its NAV stands
/// when station 1 sends it an RTS itself, DIFS behind the end of the first. Under EDCA it answers the station that set its NAV, under
/// DCF it answers nobody. IEEE 802.11-2020 10.23.2.4.
#[test]
fn only_under_edca_a_station_answers_who_has_set_its_nav() {
    // The second RTS ends at 10 + 53 + 34 + 53 us.
    for (access, cts) in [
        (AccessMode::Dcf, Vec::new()),
        (AccessMode::Edca, vec![150 + 16]),
    ] {
        let mut cell = row(access, &[-50.0, 0.0, 90.0, 180.0, 270.0]);
        cell.0.media[0].mac.nav_reset = false;
        packet(&mut cell, 3, 4, 900, 0);
        packet(&mut cell, 1, 2, 1500, 10);
        packet(&mut cell, 1, 0, 1500, 11);
        assert_eq!(clears(&cell, 0), cts, "{access:?}");
    }
}
