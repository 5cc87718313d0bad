//! The numbers that frames have on the air: sequence numbers by their counters, and the number of an A-MPDU. IEEE 802.11-2020
//! 10.3.2.14, Table 10-5.

use std::collections::BTreeMap;

use backwater_sim::medium::wifi::air_log::AirFrame;
use backwater_sim::medium::wifi::mac::category::MacSpec;
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::medium::wifi::phy::mode::Format;
use backwater_sim::targets::Destination;
use backwater_transport::units::Span;

use crate::aggregate::{mode, saturated_cell};
use crate::attempts::log;
use crate::cell::{B, BASIC, Cell, dcf, disc, edca, once};

/// Station 0 sends packets one after the other: to station 1, to 2, to both as a group, to 1, to both, and to 1 in a higher class.
/// Gives the numbers of its frames.
fn numbers(mac: MacSpec) -> Vec<u16> {
    let mut cell = Cell::new(0.5, B, mac, disc(100.0, 100.0));
    for x in [0.0, 10.0, 20.0] {
        cell.station(&format!("s{x}"), x, 0.0);
    }
    let group = || Destination::Group(vec![1, 2]);
    let rows = [
        (Destination::Node(1), 1),
        (Destination::Node(2), 1),
        (group(), 1),
        (Destination::Node(1), 1),
        (group(), 1),
        (Destination::Node(1), 2),
    ];
    for ((to, class), millis) in rows.into_iter().zip((10..).step_by(20)) {
        let flow = cell.flow(0, 1, class, once(1500));
        cell.0.flows[flow].to = to;
        cell.0.flows[flow].start = Span::millis(millis);
    }
    let (frames, _) = log(&cell);
    let sent = frames.iter().filter(|f| f.from == 0 && f.body.is_some());
    sent.map(|frame| frame.number).collect()
}

/// Under EDCA each receiver has a counter for each category, and frames to groups have another one. Under DCF a station has one
/// counter.
#[test]
fn each_receiver_and_category_has_a_counter_under_edca() {
    assert_eq!(numbers(edca(B, BASIC)), [0, 0, 0, 1, 1, 0]);
    assert_eq!(numbers(dcf(B, BASIC)), [0, 1, 2, 3, 4, 5]);
}

/// The frames of an A-MPDU share a number that no other A-MPDU has, and the last of them alone is the last.
#[test]
fn each_a_mpdu_has_a_number_of_its_own() {
    for window in [2, 16] {
        assert_numbered(window);
    }
}

/// Of A-MPDUs of so many frames.
fn assert_numbered(window: u16) {
    let cell = saturated_cell(0.1, mode(Format::Ht, 20, 7, 1), window, 1);
    let (frames, _) = log(&cell);
    let mut all = BTreeMap::<_, Vec<&AirFrame>>::new();
    for frame in frames.iter().filter(|f| f.kind == FrameKind::Data) {
        all.entry(frame.at).or_default().push(frame);
    }
    let mut numbers = Vec::new();
    for burst in all.values().filter(|burst| burst.len() > 1) {
        let parts: Vec<_> = burst.iter().map(|f| f.part.expect("a part")).collect();
        assert!(parts.iter().all(|part| part.of == parts[0].of));
        let last = parts.iter().map(|part| part.last);
        assert!(last.eq((1..=parts.len()).map(|n| n == parts.len())));
        numbers.push(parts[0].of);
    }
    let count = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    assert!(count > 20 && numbers.len() == count, "{count}");
}
