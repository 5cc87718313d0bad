//! Stations that choose the modes of their frames by what became of them.

use backwater_sim::medium::wifi::phy::mode::Format;
use backwater_sim::medium::wifi::spec::{Edition, RateControl};

use crate::aggregate::{mode, noisy_cell, saturated_cell};
use crate::attempts::log;
use crate::cell::cbr;

/// Where no frame is lost, the fastest mode carries most, and a station has found it after half a second: MCS 9 of 802.11ac with
/// all eight streams.
#[test]
fn a_station_without_losses_finds_the_fastest_mode_of_eight_streams() {
    let fastest = mode(Format::Vht, 80, 9, 8);
    let mut cell = saturated_cell(1.0, fastest, 64, 1);
    cell.0.flows[0].source = cbr(1500, 10_000_000);
    let high = cell.0.media[0].high.as_mut().expect("modes");
    high.control = RateControl::Minstrel(Edition::Linux);
    let (frames, _) = log(&cell);
    let modes: Vec<_> = frames.iter().filter_map(|frame| frame.mode).collect();
    let late = &modes[modes.len() / 2..];
    let best = late.iter().filter(|mode| **mode == fastest).count();
    assert!(late.len() > 100 && best * 10 > late.len() * 9, "{best}");
}

/// A station that goes by the SNR of the last answer has none at first, and begins with the slowest mode. At 30 dB the next
/// frames go at the fastest.
#[test]
fn an_ideal_station_begins_with_the_slowest_mode() {
    let mut cell = noisy_cell(0.1, 64, 30.0);
    let high = cell.0.media[0].high.as_mut().expect("modes");
    high.control = RateControl::Ideal(0.1);
    let (frames, _) = log(&cell);
    let first = frames[0].at;
    let modes = |first_ones: bool| {
        let of = frames.iter().filter(move |f| (f.at == first) == first_ones);
        of.filter_map(|f| f.mode).map(|mode| mode.mcs)
    };
    assert!(modes(true).all(|mcs| mcs == 0) && modes(true).count() > 0);
    assert!(modes(false).all(|mcs| mcs == 7) && modes(false).count() > 100);
}
