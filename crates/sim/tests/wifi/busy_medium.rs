//! For how long a station's medium is busy where several frames add up at it.

use backwater_sim::medium::wifi::mac::category::AccessMode;
use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_transport::units::Span;

use crate::cell::{BASIC, Cell};
use crate::thresholds::{OFDM, channel, group_packet, metres, no_backoff, standard};

/// Senders around a station: bytes of their frames to all, when they begin, in us, and their power at the station in dBm. They lie so far apart that none senses another.
/// Gives for how many microseconds the medium of the station is busy.
fn busy(preamble: f64, energy: f64, senders: &[(u64, u64, f64)]) -> u64 {
    let mac = no_backoff(standard(AccessMode::Dcf, OFDM, BASIC));
    let physical = ChannelSpec::Physical(channel(preamble, energy));
    let mut cell = Cell::new(0.1, OFDM, mac, physical);
    let here = cell.station("here", 0.0, 0.0);
    for (number, (bytes, at, dbm)) in senders.iter().enumerate() {
        let turn = std::f64::consts::FRAC_PI_2 * number as f64;
        let at_distance = |metres: f64| (metres * turn.cos(), metres * turn.sin());
        let (x, y) = at_distance(metres(*dbm));
        let from = cell.station(&format!("from{number}"), x, y);
        let (x, y) = at_distance(metres(*dbm) + 5.0);
        let to = cell.station(&format!("to{number}"), x, y);
        group_packet(&mut cell, from, to, *bytes, *at);
    }
    let (_, report) = cell.run();
    let busy = report.stations[here].busy;
    assert_eq!(busy % Span::micros(1).0, 0);
    busy / Span::micros(1).0
}

/// A frame of so many IP bytes at 6 Mbit/s, in us: 20, symbols of 24 bits, and one of propagation.
fn lasts(bytes: u64) -> u64 {
    20 + 4 * (16 + 6 + 8 * (bytes + 36)).div_ceil(24) + 1
}

/// A frame of -83 dBm alone does not make the medium busy from -82 dBm on. With it the preamble of a frame of -81.9 dBm is 1.1 dB above the rest, too little to be recognised, but both add up to
/// -79.4 dBm. The medium is busy as long as both last, whatever begins and ends meanwhile.
#[test]
fn frames_that_add_up_make_the_medium_busy_once() {
    let senders = [(1500, 0, -83.0), (450, 100, -81.9), (100, 300, -86.0)];
    assert_eq!(busy(-82.0, -82.0, &senders), lasts(450));
    // What begins behind it adds up with what is left once more.
    let senders = [(1500, 0, -83.0), (450, 100, -81.9), (100, 1000, -85.0)];
    assert_eq!(busy(-82.0, -82.0, &senders), lasts(450) + lasts(100));
}

/// A frame that has exactly the power of energy detection and no preamble to be recognised keeps the medium busy, and a stronger frame that is received meanwhile
/// does not end that.
#[test]
fn the_end_of_a_frame_leaves_the_medium_busy_at_exactly_the_threshold() {
    let exactly = channel(-82.0, -82.0).received(metres(-84.0), 0.0);
    let senders = [(1500, 0, -84.0), (450, 100, -70.0)];
    assert_eq!(busy(-82.0, exactly, &senders), lasts(1500));
    assert_eq!(busy(-82.0, exactly + 0.01, &senders), lasts(450));
}
