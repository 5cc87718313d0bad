//! A-MSDUs, alone and in A-MPDUs, against closed forms.

use backwater_sim::medium::wifi::mac::category::Protection;
use backwater_sim::medium::wifi::phy::mode::Format;
use backwater_sim::world::Report;
use backwater_transport::units::Span;

use crate::aggregate::{assert_near, mode, noisy_cell, saturated_cell};
use crate::cell::Cell;

/// A cell whose frames are A-MSDUs of so many bytes, in A-MPDUs of so many where they don't go alone.
fn with_msdus(mut cell: Cell, msdu: u64, bytes: Option<u64>) -> Cell {
    let medium = &mut cell.0.media[0];
    let high = medium.high.as_mut().expect("modes");
    let limits = high.aggregation.as_mut().expect("a window");
    (limits.msdu, limits.alone) = (msdu, bytes.is_none());
    if let Some(bytes) = bytes {
        limits.bounds.bytes = bytes;
    } else {
        medium.mac.lifetime = None;
    }
    cell
}

fn megabits(report: &Report, seconds: f64) -> f64 {
    report.flows[0].sums.delivered.bytes as f64 * 8.0 / 1e6 / seconds
}

/// MCS 7 of 802.11n. Five packets of 1500 B in an A-MSDU of 7618 B, two in one of 3046 B, with 30 B of header and FCS: 980 and 416 us,
/// SIFS 16, acknowledgement 28 us. Ten of the latter take 30,800 B of an A-MPDU, and the 32,768 B that bound it have room for one packet alone: 32,342 B, 4020 us, and 32 us.
#[test]
fn one_sender_of_a_msdus_is_as_fast_as_the_closed_form() {
    let ht = mode(Format::Ht, 20, 7, 1);
    assert_eq!(ht.airtime(7648), Span::micros(980));
    assert_eq!(ht.airtime(3076), Span::micros(416));
    assert_eq!(ht.airtime(32_342), Span::micros(4020));
    for (msdu, bytes, packets, micros) in [
        (7935, None, 5.0, 980.0 + 16.0 + 28.0),
        (3839, None, 2.0, 416.0 + 16.0 + 28.0),
        (3839, Some(32_768), 21.0, 4020.0 + 16.0 + 32.0),
        (1499, None, 1.0, 228.0 + 16.0 + 28.0),
    ] {
        let cell = with_msdus(saturated_cell(2.0, ht, 64, 1), msdu, bytes);
        let found = cell.throughputs(2)[0];
        let expected = 12_000.0 * packets / (43.0 + 67.5 + micros);
        assert_near(found, expected, 0.005, &format!("{msdu} {bytes:?}"));
        let toward = &cell.run().1.stations[0].toward;
        let mpdus = if bytes.is_some() { 11.0 } else { 1.0 };
        let found = toward.frames as f64 / toward.ppdus as f64;
        assert_near(found, mpdus, 0.005, "MPDUs of a PPDU");
    }
}

/// A window of 64 MPDUs of two packets has 128 packets under way, which a saturated sender keeps waiting: 63 parts of 3080 B and one MPDU take 2068 us at MCS 9 of 802.11ac,
/// two streams at 80 MHz.
#[test]
fn a_saturated_sender_fills_the_mpdus_of_its_window() {
    let vht = mode(Format::Vht, 80, 9, 2);
    assert_eq!(vht.airtime(64 * 3080), Span::micros(2068));
    let cell = with_msdus(saturated_cell(1.0, vht, 64, 1), 3839, Some(1_048_575));
    let found = cell.throughputs(2)[0];
    let expected = 12_000.0 * 128.0 / (43.0 + 67.5 + 2068.0 + 16.0 + 32.0);
    assert_near(found, expected, 0.005, "128 packets");
}

/// A packet of an A-MSDU arrives with all others or not at all. One of 7648 B fails with 1 - 0.9^(7648/1458); each failure doubles the
/// window and costs a timeout of 45 us, and the seventh gives the five packets up. In an A-MPDU each of ten A-MSDUs, and the packet behind them, fails alone.
#[test]
fn an_a_msdu_arrives_or_fails_as_a_whole() {
    let fails = 1.0 - 0.9f64.powf(7648.0 / 1458.0);
    let cell = with_msdus(noisy_cell(20.0, 64, 19.58), 7935, None);
    let (_, report) = cell.run();
    let count = &report.stations[1];
    let share = count.failures as f64 / count.attempts as f64;
    assert_near(share, fails, 0.03, "A-MSDUs that fail");
    let (mut time, mut chance) = (0.0, 1.0);
    for attempt in 0..7 {
        let window = f64::min(16.0 * 2f64.powi(attempt), 1024.0) - 1.0;
        let answer = (1.0 - fails) * (16.0 + 28.0) + fails * 45.0;
        time += chance * (43.0 + 4.5 * window + 980.0 + answer);
        chance *= fails;
    }
    let expected = 60_000.0 * (1.0 - chance) / time;
    assert_near(megabits(&report, 20.0), expected, 0.02, "A-MSDU");
    let flow = &report.flows[0].sums;
    assert!(flow.dropped.packets > 0);
    assert_eq!(flow.dropped.packets % 5, 0, "five packets are given up");
    let cell = with_msdus(noisy_cell(10.0, 64, 19.58), 3839, Some(32_768));
    let (_, report) = cell.run();
    let arrives = |bytes: f64| 0.9f64.powf(bytes / 1458.0);
    let arrived = 20.0 * arrives(3076.0) + arrives(1538.0);
    let expected = 12_000.0 * arrived / (43.0 + 67.5 + 4020.0 + 16.0 + 32.0);
    assert_near(megabits(&report, 10.0), expected, 0.01, "A-MPDU of A-MSDUs");
    assert!(report.flows[0].sums.sum.reorder > 0);
    assert_eq!(report.flows[0].sums.dropped.packets, 0);
}

/// ns-3's program wifi-txop-aggregation: TXOPs of 3.52 ms. 18 MPDUs fit, 12 frames alone, three A-MSDUs of five packets and one frame, nine
/// MPDUs of two packets: payload of 1472 B of 1500 in closed form. Under multiple protection those with 68 us left end with a SIFS and a CF-End
/// of 52 us: 3618.5 us for 12 frames, 3570.5 us for 16 packets in A-MSDUs.
#[test]
fn txops_take_what_fits() {
    let ht = mode(Format::Ht, 20, 7, 1);
    let saturated = |window| saturated_cell(2.0, ht, window, 1);
    let tall = 65_535;
    let payload = 1472.0 / 1500.0;
    for (what, cell, single, multiple) in [
        ("A-MPDU", saturated(64), 58.58, 58.58),
        ("alone", saturated(0), 39.80, 39.05),
        (
            "A-MSDU",
            with_msdus(saturated(64), 7935, None),
            53.80,
            52.77,
        ),
        (
            "both",
            with_msdus(saturated(64), 3839, Some(tall)),
            58.71,
            58.71,
        ),
    ] {
        for (protection, expected) in [
            (Protection::Single, single),
            (Protection::Multiple, multiple),
        ] {
            let mut cell = cell.clone();
            let mac = &mut cell.0.media[0].mac;
            mac.protection = protection;
            for category in &mut mac.categories {
                category.txop = Span::micros(3520);
            }
            let found = cell.throughputs(2)[0] * payload;
            assert_near(found, expected, 0.005, what);
        }
    }
}

/// At MCS 0 an A-MSDU of two packets takes 3828 us. The third packet would make it 5.7 ms, and no
/// PPDU may last longer than 5.484 ms, so each goes alone and is answered by an ACK at 6 Mbit/s, 44
/// us. IEEE 802.11-2020 Table 19-25.
#[test]
fn a_second_a_msdu_goes_only_where_the_ppdu_lasts_no_longer_than_it_may() {
    let slow = mode(Format::Ht, 20, 0, 1);
    assert_eq!(slow.airtime(3076), Span::micros(3828));
    let cell = with_msdus(saturated_cell(2.0, slow, 64, 1), 3839, Some(65_535));
    let (_, report) = cell.run();
    let toward = &report.stations[0].toward;
    assert!(toward.ppdus > 400);
    assert_eq!(toward.frames, toward.ppdus);
    let expected = 24_000.0 / (43.0 + 67.5 + 3828.0 + 16.0 + 44.0);
    assert_near(megabits(&report, 2.0), expected, 0.005, "two packets");
}
