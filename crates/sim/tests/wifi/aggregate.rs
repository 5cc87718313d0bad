//! A-MPDUs under block acknowledgement, against closed forms and a slot-exact simulator.

use backwater_sim::limit::Limit;
use backwater_sim::medium::wifi::mac::category::MacSpec;
use backwater_sim::medium::wifi::phy::aggregate::Bounds;
use backwater_sim::medium::wifi::phy::channel::{ChannelSpec, Disc};
use backwater_sim::medium::wifi::phy::mode::{Coding, Format, Guard, Mode};
use backwater_sim::medium::wifi::phy::standard::{Answer, Band, Phy};
use backwater_sim::medium::wifi::spec::{Aggregation, High};
use backwater_transport::units::{Rate, Span};

use crate::cell::{BASIC, Cell, G, cbr, edca, saturated};

fn mode(format: Format, width: u16, mcs: u8, streams: u8) -> Mode {
    let coding = match format {
        Format::Ht | Format::Vht => Coding::Bcc,
        Format::He | Format::Eht => Coding::Ldpc,
    };
    Mode {
        format,
        width,
        mcs,
        streams,
        guard: Guard::Long,
        coding,
    }
}

/// Answers at the fastest basic rate up to the reference of the mode.
fn phy(mode: &Mode) -> Phy {
    Phy {
        data: mode.rate(),
        control: Rate(6_000_000),
        answer: Answer::Mandatory,
        band: Band::Ghz5,
        ..G
    }
}

/// A cell without propagation in which all understand each other up to `transmit` metres; a window of 0 is none.
fn cell(seconds: f64, mode: Mode, window: u16, asks: bool, transmit: f64) -> Cell {
    let phy = phy(&mode);
    let mac = MacSpec {
        lifetime: Some(Span::millis(500)),
        ..edca(phy, BASIC)
    };
    let channel = ChannelSpec::Disc(Disc {
        transmit,
        sense: transmit,
        interfere: transmit,
        capture: None,
        propagation: Span::ZERO,
    });
    let mut cell = Cell::new(seconds, phy, mac, channel);
    let bounds = Bounds::of(mode.format, window);
    cell.0.media[0].high = Some(High {
        mode,
        aggregation: (window > 0).then_some(Aggregation {
            window,
            bounds,
            asks,
        }),
    });
    cell
}

/// So many saturated senders of packets of 1500 B, and one receiver.
fn saturated_cell(seconds: f64, mode: Mode, window: u16, senders: usize) -> Cell {
    let mut cell = cell(seconds, mode, window, false, 100.0);
    let sink = cell.station("sink", 0.0, 0.0);
    for i in 0..senders {
        let station = cell.station(&format!("s{i}"), 1.0 + i as f64 / 10.0, 0.0);
        cell.spec(station).buffer = Limit::Packets(1000);
        cell.flow(station, sink, 1, saturated(1500));
    }
    cell
}

fn assert_near(found: f64, expected: f64, share: f64, what: &str) {
    let off = found / expected - 1.0;
    assert!(
        off.abs() < share,
        "{what}: {found}, not {expected} ({off:+.4})"
    );
}

/// IP throughput in Mbit/s of one saturated sender: k packets of 1500 B in AIFS 43 + 7.5 slots of 9 µs + PPDU + SIFS 16 + answer.
/// 28 packets are the most that 5.484 ms take at MCS 7 of 802.11n, 37 at that of 802.11ax.
#[test]
fn one_saturated_sender_is_as_fast_as_the_closed_form() {
    for (mode, window, expected) in [
        (mode(Format::Ht, 20, 7, 1), 0, 31.37),
        (mode(Format::Ht, 20, 7, 1), 16, 59.29),
        (mode(Format::Ht, 20, 7, 1), 64, 60.89),
        (mode(Format::Ht, 20, 0, 1), 64, 5.95),
        (mode(Format::Vht, 20, 8, 1), 16, 70.21),
        (mode(Format::Vht, 80, 9, 2), 64, 630.3),
        (mode(Format::He, 20, 7, 1), 256, 80.33),
        (mode(Format::He, 80, 11, 1), 256, 559.9),
    ] {
        let cell = saturated_cell(2.0, mode, window, 1);
        let found = cell.throughputs(2)[0];
        assert_near(found, expected, 0.005, &format!("{mode:?} {window}"));
    }
}

/// Cells of saturated senders whose frames collide, DIFS after a collision, data sent again where the acknowledgement is missing:
/// Mbit/s of a slot-exact simulator, 802.11n at MCS 7 and 28 frames.
#[test]
fn cells_are_as_fast_as_a_slot_exact_simulator_has_them() {
    for (senders, expected) in [(2, 57.64), (5, 52.10), (10, 47.93), (20, 43.44)] {
        let cell = saturated_cell(20.0, mode(Format::Ht, 20, 7, 1), 28, senders);
        let found: f64 = cell.throughputs(3).iter().sum();
        assert_near(found, expected, 0.005, &format!("{senders} senders"));
    }
}

/// C does not hear A and sends short frames now and then, which damage some frames of A's bursts at B. B has the others, holds them
/// back behind the hole, and delivers all in order; the parts of their delay add up.
#[test]
fn a_burst_that_is_damaged_in_part_is_repaired_in_part() {
    for asks in [true, false] {
        let mut cell = cell(5.0, mode(Format::Ht, 20, 7, 1), 64, asks, 100.0);
        let a = cell.station("A", 0.0, 0.0);
        let b = cell.station("B", 90.0, 0.0);
        let c = cell.station("C", 180.0, 0.0);
        let d = cell.station("D", 270.0, 0.0);
        let long = cell.flow(a, b, 1, saturated(1500));
        cell.flow(c, d, 1, cbr(100, 80_000));
        let (_, report) = cell.run();
        let sums = &report.flows[long].sums;
        let parts = sums.sum.serial
            + sums.sum.queue
            + sums.sum.gate
            + sums.sum.contention
            + sums.sum.retries
            + sums.sum.aggregate
            + sums.sum.reorder
            + sums.sum.propagation;
        assert_eq!(sums.sum.total, parts);
        assert_eq!(sums.sum.propagation, 0);
        assert!(sums.sum.reorder > 0 && sums.sum.retries > 0);
        assert_eq!(sums.dropped.packets, 0, "nothing is given up");
        // 100 frames a second of 40 to 60 µs cost up to 100 bursts a frame or two, or their answers.
        let mbits = sums.delivered.bytes as f64 * 8.0 / 1e6 / 5.0;
        assert!((50.0..60.8).contains(&mbits), "{mbits}");
    }
}

/// A packet's own bits are its serialisation, with preamble and headers; the rest of its PPDU is the time of others.
#[test]
fn a_packet_shares_the_time_of_its_ppdu() {
    let cell = saturated_cell(1.0, mode(Format::Ht, 20, 7, 1), 16, 1);
    let (_, report) = cell.run();
    let sums = &report.flows[0].sums;
    let n = sums.delivered.packets as u128;
    // 3080 µs hold a preamble of 36 µs and 16 equal parts but for their padding: 1542 of 24,702 B, 190 µs.
    let serial = (sums.sum.serial / n) as f64 / 1e6;
    let others = (sums.sum.aggregate / n) as f64 / 1e6;
    let own = 36.0 + 3044.0 * 1542.0 / 24_702.0;
    assert_near(serial, own, 1e-6, "serialisation");
    assert_near(serial + others, 3080.0, 1e-6, "PPDU");
}
