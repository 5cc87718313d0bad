//! For how long a station's medium is busy where several frames add up at it.

use backwater_sim::medium::wifi::mac::category::AccessMode;
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_transport::units::Span;

use crate::cell::{BASIC, Cell};
use crate::thresholds::{
    ANSWER, DATA, OFDM, SIFS, channel, group_packet, metres, no_backoff, packet, sends, standard,
};

/// Senders around a station: bytes of their frames to all, when they begin, in us, and their power at the station in dBm. They
/// lie so far apart that none senses another. Gives for how many microseconds the medium of the station is busy.
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

/// A frame of -83 dBm alone does not make the medium busy from -82 dBm on. With it the preamble of a frame of -81.9 dBm is 1.1 dB
/// above the rest, too little to be recognised, but both add up to -79.4 dBm. The medium is busy as long as both last, whatever
/// begins and ends meanwhile.
#[test]
fn frames_that_add_up_make_the_medium_busy_once() {
    let senders = [(1500, 0, -83.0), (450, 100, -81.9), (100, 300, -86.0)];
    assert_eq!(busy(-82.0, -82.0, &senders), lasts(450));
    // What begins behind it adds up with what is left once more.
    let senders = [(1500, 0, -83.0), (450, 100, -81.9), (100, 1000, -85.0)];
    assert_eq!(busy(-82.0, -82.0, &senders), lasts(450) + lasts(100));
}

/// A frame that has exactly the power of energy detection and no preamble to be recognised keeps the medium busy, and a stronger
/// frame that is received meanwhile does not end that.
#[test]
fn the_end_of_a_frame_leaves_the_medium_busy_at_exactly_the_threshold() {
    let exactly = channel(-82.0, -82.0).received(metres(-84.0), 0.0);
    let senders = [(1500, 0, -84.0), (450, 100, -70.0)];
    assert_eq!(busy(-82.0, exactly, &senders), lasts(1500));
    assert_eq!(busy(-82.0, exactly + 0.01, &senders), lasts(450));
}

/// While A sends to all, B, which A senses, answers C, which A does not sense. A is busy for the time of its own frame, not less: 1536
/// bytes at 6 Mbit/s.
#[test]
fn a_station_that_sends_is_busy_whoever_sends_meanwhile() {
    let mac = no_backoff(standard(AccessMode::Dcf, OFDM, BASIC));
    let physical = ChannelSpec::Physical(channel(-82.0, -82.0));
    let mut cell = Cell::new(0.1, OFDM, mac, physical);
    let near = metres(-81.0);
    let [a, b, c, d] = [
        ("a", near),
        ("b", 0.0),
        ("c", near - metres(-83.0)),
        ("d", near + 10.0),
    ]
    .map(|(name, x)| cell.station(name, x, 0.0));
    let wanted = packet(&mut cell, c, b, 1500, 0);
    group_packet(&mut cell, a, d, 1500, 100);
    let (frames, report) = sends(&cell, b);
    assert_eq!(frames, [(DATA + SIFS, FrameKind::Ack)]);
    assert_eq!(report.flows[wanted].sums.delivered.packets, 1);
    assert_eq!(report.stations[a].busy, Span::micros(20 + 4 * 513 + 1).0);
}

/// A's frame ends while B's ACK arrives with exactly the power of energy detection, whose preamble A does not recognise: A's
/// medium stays busy until the ACK ends. With a threshold a thousandth of a decibel higher it is idle at once.
#[test]
fn the_medium_is_busy_from_exactly_the_threshold_on() {
    for (above, busy) in [(0.0, true), (0.001, false)] {
        let plain = channel(-70.0, -82.0);
        let near = metres(-80.0);
        let exactly = plain.received(near, 0.0);
        let physical = channel(-70.0, exactly + above);
        let mac = no_backoff(standard(AccessMode::Dcf, OFDM, BASIC));
        let mut cell = Cell::new(0.1, OFDM, mac, ChannelSpec::Physical(physical));
        let [a, b, c, d] = [("a", near), ("b", 0.0), ("c", -13.0), ("d", near + 10.0)]
            .map(|(name, x)| cell.station(name, x, 0.0));
        packet(&mut cell, c, b, 1500, 0);
        // 486 bytes at 6 Mbit/s take 163 symbols of 4 us. The frame ends 20 us behind the beginning of the ACK.
        let short = 20 + 4 * 163 + 1;
        let begins = DATA + SIFS + 20 - short;
        group_packet(&mut cell, a, d, 450, begins);
        let (frames, report) = sends(&cell, b);
        assert_eq!(frames, [(DATA + SIFS, FrameKind::Ack)]);
        let ends = if busy {
            DATA + SIFS + ANSWER
        } else {
            begins + short
        };
        assert_eq!(
            report.stations[a].busy,
            Span::micros(ends - begins).0,
            "{above}"
        );
    }
}
