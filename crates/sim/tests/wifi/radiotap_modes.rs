//! The radiotap header of frames of 802.11n to 802.11be, by the fields MCS, VHT and HE of radiotap.org.

use backwater_sim::medium::wifi::air::Medium;
use backwater_sim::medium::wifi::air_log::{AirFrame, Fate};
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::medium::wifi::phy::mode::{Coding, Format, Guard, Mode};
use backwater_sim::medium::wifi::wifi_bytes::write;
use backwater_transport::units::{Rate, Span, Time};

use crate::aggregate::{cell, mode};

/// The header of a frame that begins at 1 ms, on a medium of 802.11n at 5 GHz: which fields it has, the instant of its first bit
/// in microseconds, its rate, and what stands behind the channel.
fn header(mode_of_frame: Option<Mode>, rate: Rate) -> (u32, u64, u8, Vec<u8>) {
    let spec = cell(1.0, mode(Format::Ht, 20, 7, 1), 64, false, 100.0).0;
    let medium = Medium::new(&spec.media[0]);
    let frame = AirFrame {
        at: Time::ZERO + Span::millis(1),
        from: 1,
        to: 2,
        kind: FrameKind::Ack,
        duration: Span::ZERO,
        rate,
        mode: mode_of_frame,
        part: None,
        body: None,
        number: 0,
        retry: false,
        fate: Fate::Received,
    };
    let mut out = Vec::new();
    write(&mut out, &medium, &frame, |station| station, &[]);
    let length = usize::from(u16::from_le_bytes([out[2], out[3]]));
    let present = u32::from_le_bytes(out[4..8].try_into().expect("four bytes"));
    let first_bit = u64::from_le_bytes(out[8..16].try_into().expect("eight bytes"));
    (present, first_bit, out[17], out[22..length].to_vec())
}

fn of(format: Format, width: u16, mcs: u8, guard: Guard, coding: Coding) -> Mode {
    Mode {
        format,
        width,
        mcs,
        streams: 2,
        guard,
        coding,
    }
}

/// TSFT, flags and channel, and one field more.
fn with(bit: u32) -> u32 {
    0b1011 | 1 << bit
}

/// HT: known are bandwidth, MCS, guard interval, format and code. Flags say 40 MHz (1), short guard interval (4), LDPC (16). The
/// index is 8 higher for the second stream. The first bit comes behind 20 us of legacy preamble and 12 us and two long training
/// fields of 4 us.
#[test]
fn the_field_of_802_11n_has_width_guard_interval_code_and_index() {
    for (width, guard, coding, flags) in [
        (20, Guard::Long, Coding::Bcc, 0x00),
        (40, Guard::Long, Coding::Bcc, 0x01),
        (20, Guard::Short, Coding::Bcc, 0x04),
        (20, Guard::Long, Coding::Ldpc, 0x10),
    ] {
        let (present, first_bit, rate, fields) =
            header(Some(of(Format::Ht, width, 5, guard, coding)), Rate(1));
        assert_eq!(
            (present, first_bit, rate),
            (with(19), 1000 + 20 + 12 + 8, 0)
        );
        assert_eq!(fields[..3], [0x1F, flags, 13]);
    }
}

/// VHT: known are guard interval and bandwidth; flag 4 is a short guard interval, 80 MHz are 4; MCS above the streams in a byte,
/// and LDPC is a byte's lowest bit.
#[test]
fn the_field_of_802_11ac_has_width_guard_interval_code_and_index() {
    for (guard, coding, short, ldpc) in [
        (Guard::Short, Coding::Ldpc, 4, 1),
        (Guard::Long, Coding::Bcc, 0, 0),
    ] {
        let (present, _, _, fields) = header(Some(of(Format::Vht, 80, 6, guard, coding)), Rate(1));
        assert_eq!(present, with(21));
        assert_eq!(fields[..10], [0x44, 0, short, 4, 0x62, 0, 0, 0, ldpc, 0]);
    }
}

/// HE: in the third word the MCS from bit 8 on, and LDPC at bit 13; in the fifth 80 MHz (2) and the guard interval from bit 4 on,
/// of 0.8, 1.6 and 3.2 us; in the sixth the streams.
#[test]
fn the_field_of_802_11ax_has_width_guard_interval_and_index() {
    for (guard, interval) in [
        (Guard::Long, 0x00),
        (Guard::Double, 0x10),
        (Guard::Quadruple, 0x20),
    ] {
        let (present, _, _, fields) =
            header(Some(of(Format::He, 80, 9, guard, Coding::Ldpc)), Rate(1));
        assert_eq!(present, with(23));
        let words = [
            0xA0,
            0x40,
            0x02,
            0x00,
            0x00,
            0x29,
            0,
            0,
            0x02 | interval,
            0,
            2,
            0,
        ];
        assert_eq!(fields[..12], words);
    }
}

/// Radiotap has no field for a mode of 802.11be. Of frames without a mode the rate counts in 500 kbit/s, where OFDM has it.
#[test]
fn frames_without_a_field_have_a_rate_or_none() {
    let newest = of(Format::Eht, 80, 9, Guard::Long, Coding::Ldpc);
    let (present, _, rate, fields) = header(Some(newest), Rate(1));
    assert_eq!((present, rate, fields.len()), (0b1011, 0, 2));
    // 20 us of preamble.
    let (present, first_bit, rate, _) = header(None, Rate(24_000_000));
    assert_eq!((present, first_bit, rate), (0b1111, 1020, 48));
    let (present, _, rate, _) = header(None, Rate(6_500_000));
    assert_eq!((present, rate), (0b1011, 0));
}
