//! The bytes of an 802.11 frame with a radiotap header, as a pure function of its description.
//!
//! **Radiotap.** TSFT (the first bit of the MAC frame, microseconds), flags (FCS at the end, short
//! preamble, FCS bad), rate, channel 1 (802.11b) or 36 (OFDM).
//!
//! **Lost frames.** A frame that none of its receivers has whole carries the flag of a bad FCS, and its FCS is inverted. Which of its bits
//! are damaged is not modelled: the rest of it is what was sent.
//!
//! **Addresses.** Station of node `n` has `02:nn:nn:nn:00:00`, as in `frame_bytes`. To DS and From DS are
//! zero, the BSSID is `02:ff:ff:ff:00:00`: each hop is a frame between two stations of one independent
//! BSS, and the IP packet inside names the two ends.
//!
//! **Frames.** RTS, CTS, ACK (IEEE 802.11-2016 9.3.1), data with LLC and SNAP (9.3.2, RFC 1042), with a QoS
//! control field under EDCA whose priority is the category's (Table 10-1). A request for less or more
//! is a vendor-specific action frame (9.6.6) under the identifier 42-57-52, big-endian:
//!
//! ```text
//! offset  bytes
//!      0      1  category 127, vendor-specific
//!      1      3  identifier 42-57-52
//!      4      1  access category, 0 to 3; bit 7: less
//!      5      7  rate in bit/s
//! ```
//!
//! A notice that holds until its time is over, such as the PAUSE of a station:
//!
//! ```text
//!      4      1  bit 6: a notice that holds; bit 5: with a rate
//!      5      1  access categories, bit c for category c
//!      6      2  time in units of 0.1 TU; 0 ends it
//!      8      2  number of addresses
//!     10      8  rate in bit/s, if it has one
//!  10/18    6 n  MAC addresses of the stations it is about; none speaks of all. More than 246 are named by a map, as in
//!                the frames of wires
//! ```
//!
//! Zeros fill up to its length.
//!
//! A data frame brings header fields behind its packet: the packets that its sender holds for the destination and the steps
//! that it has taken, big-endian, and a notice, which says what its action frame would say. 802.11 has no place for them.
//!
//! The Congestion Notification of 802.11s is a Mesh Action frame (category 13, action 3) with the element 116, little-endian
//! (IEEE 802.11-2012 8.5.17.5 and 8.4.2.103):
//!
//! ```text
//!      0      1  category 13, mesh
//!      1      1  action 3, congestion control notification
//!      2      2  element 116, length 14
//!      4      6  destination's address; the group's where it speaks of all
//!     10    4 2  expected durations of AC_BK, AC_BE, AC_VI, AC_VO in units of 0.1 TU; 0 ends the congestion
//! ```
//!
//! IEEE 802.11s/D3.02 has no address there: length 8.

use backwater_transport::units::Time;

use crate::mechanism::notice::{Ask, Durations, Form, Notice};
use crate::medium::wifi::air::{Medium, NOBODY};
use crate::medium::wifi::air_log::{AirFrame, Body, Fate, Fields};
use crate::medium::wifi::mac::frame::FrameKind;
use crate::medium::wifi::phy::standard::{Band, Standard};
use crate::record::checksum::crc32;
use crate::record::frame_bytes::{EVERYBODY, mac, map, map_size, put16};

const RADIOTAP: u16 = 24;
/// TSFT, flags, rate, channel.
const PRESENT: u32 = 0b1111;
/// The bit of the rate among them.
const RATE_PRESENT: u32 = 0b100;
const FCS_AT_END: u8 = 0x10;
const SHORT_PREAMBLE: u8 = 0x02;
const BAD_FCS: u8 = 0x40;
const CCK_2_GHZ: u16 = 0x00A0;
const OFDM_2_GHZ: u16 = 0x00C0;
const OFDM_5_GHZ: u16 = 0x0140;

const ACTION: u8 = 0xD0;
const RTS: u8 = 0xB4;
const CTS: u8 = 0xC4;
const ACK: u8 = 0xD4;
const DATA: u8 = 0x08;
const QOS_DATA: u8 = 0x88;
const RETRY: u8 = 0x08;
/// User priority of BK, BE, VI, VO.
const PRIORITY: [u16; 4] = [1, 0, 5, 6];
const SNAP_IPV4: [u8; 8] = [0xAA, 0xAA, 0x03, 0, 0, 0, 0x08, 0x00];
const BSSID: u32 = 0x00FF_FFFF;
/// Ack policy of a frame that nobody acknowledges. Table 9-9.
const NO_ACK: u16 = 1 << 5;
const VENDOR_SPECIFIC: u8 = 127;
const MESH: u8 = 13;
const CONGESTION_CONTROL_NOTIFICATION: u8 = 3;
const CONGESTION_NOTIFICATION: u8 = 116;
/// Category, action, element and its length, four durations.
const MESH_ACTION: u64 = 12;
const IDENTIFIER: [u8; 3] = [0x42, 0x57, 0x52];
const LESS: u8 = 0x80;
const STANDING: u8 = 0x40;
const RATED: u8 = 0x20;
/// Header of a management frame, FCS, a MAC address, a rate.
const HEADER: u64 = 24;
const FCS: u64 = 4;
const ADDRESS: u64 = 6;
const RATE_FIELD: u64 = 8;
/// Category, identifier, kind, classes, time, number of addresses.
const ELEMENT: u64 = 10;

/// Appends one frame on `medium` to `out`. `node` is the node of a station, `ip` the IP packet that a data
/// frame carries.
pub fn write(
    out: &mut Vec<u8>,
    medium: &Medium,
    frame: &AirFrame,
    node: impl Fn(u32) -> u32,
    ip: &[u8],
) {
    radiotap(out, medium, frame);
    let start = out.len();
    let address = |station: u32| match station {
        NOBODY => mac(EVERYBODY, 0),
        station => mac(node(station), 0),
    };
    let (to, from) = (address(frame.to), address(frame.from));
    // In microseconds, rounded up. 9.2.4.2.
    let duration = (frame.duration.0.div_ceil(1_000_000) as u16).to_le_bytes();
    let retry = if frame.retry { RETRY } else { 0 };
    let head = |out: &mut Vec<u8>, kind, flags| {
        out.extend_from_slice(&[kind, flags]);
        out.extend_from_slice(&duration);
        out.extend_from_slice(&to);
    };
    let full_head = |out: &mut Vec<u8>, kind| {
        head(out, kind, retry);
        out.extend_from_slice(&from);
        out.extend_from_slice(&mac(BSSID, 0));
        out.extend_from_slice(&(frame.number << 4).to_le_bytes());
    };
    match (frame.kind, &frame.body) {
        (FrameKind::Rts, _) => {
            head(out, RTS, 0);
            out.extend_from_slice(&from);
        }
        (FrameKind::Cts, _) => head(out, CTS, 0),
        (FrameKind::Ack, _) => head(out, ACK, 0),
        (_, Some(Body::Packet(_, category, fields))) => {
            if medium.mac.access.categories() > 1 {
                full_head(out, QOS_DATA);
                let policy = if frame.to == NOBODY { NO_ACK } else { 0 };
                put_le(out, PRIORITY[usize::from(*category)] | policy);
            } else {
                full_head(out, DATA);
            }
            out.extend_from_slice(&SNAP_IPV4);
            out.extend_from_slice(ip);
            header_fields(out, medium, fields);
        }
        (_, Some(Body::Notice(notice, bytes, named))) => {
            full_head(out, ACTION);
            action(out, medium, notice, named);
            out.resize(start + *bytes as usize - 4, 0);
        }
        (FrameKind::Data | FrameKind::Group, None) => {
            unreachable!("such a frame carries something")
        }
        (FrameKind::BlockAck | FrameKind::Bar, None) => {
            unreachable!("frames of a medium with aggregation are not kept")
        }
    }
    let fcs = match frame.fate {
        Fate::Lost => !crc32(&out[start..]),
        Fate::OnAir | Fate::Received => crc32(&out[start..]),
    };
    out.extend_from_slice(&fcs.to_le_bytes());
}

/// Bytes of the management frame of a notice, header and FCS included.
pub fn management_size(notice: &Notice) -> u64 {
    if let Form::Request(bytes) = notice.form {
        return bytes;
    }
    if let Form::Congestion(durations) = notice.form {
        let address = if durations.addressed { ADDRESS } else { 0 };
        return HEADER + MESH_ACTION + address + FCS;
    }
    let rate = if notice.rate().is_some() {
        RATE_FIELD
    } else {
        0
    };
    let hosts = match notice.map() {
        Some(hosts) => map_size(hosts) as u64,
        None => ADDRESS * notice.host_numbers().len() as u64,
    };
    HEADER + ELEMENT + rate + hosts + FCS
}

/// Bytes of a notice as a header field of a data frame: its management frame without header and FCS.
pub fn field_size(notice: &Notice) -> u64 {
    management_size(notice) - HEADER - FCS
}

/// What a data frame brings behind its packet.
fn header_fields(out: &mut Vec<u8>, medium: &Medium, fields: &Fields) {
    for (number, bytes) in &fields.numbers {
        let bytes = *bytes as usize;
        out.resize(out.len() + bytes, 0);
        let low = number.to_be_bytes().into_iter().rev();
        let last = out.iter_mut().rev().take(bytes);
        last.zip(low).for_each(|(byte, digit)| *byte = digit);
    }
    if let Some((notice, named)) = &fields.notice {
        let end = out.len() + field_size(notice) as usize;
        action(out, medium, notice, named);
        out.resize(end, 0);
    }
}

/// What an action frame says of a notice, or a header field in its place.
fn action(out: &mut Vec<u8>, medium: &Medium, notice: &Notice, named: &[u32]) {
    if let Form::Congestion(durations) = notice.form {
        let one_queue = medium.mac.access.categories() == 1;
        congestion(out, &durations, one_queue, named);
    } else {
        out.push(VENDOR_SPECIFIC);
        out.extend_from_slice(&IDENTIFIER);
        body(out, notice, named);
    }
}

/// A Congestion Notification element in its frame. The one queue of DCF is that of best effort.
fn congestion(out: &mut Vec<u8>, durations: &Durations, one_queue: bool, named: &[u32]) {
    let units = match one_queue {
        true => [0, durations.units[0], 0, 0],
        false => durations.units,
    };
    out.extend_from_slice(&[MESH, CONGESTION_CONTROL_NOTIFICATION]);
    let address = durations.addressed.then(|| {
        let node = named.first().copied().unwrap_or(EVERYBODY);
        mac(node, 0)
    });
    let length = address.map_or(0, |a| a.len()) + 2 * units.len();
    out.extend_from_slice(&[CONGESTION_NOTIFICATION, length as u8]);
    out.extend(address.into_iter().flatten());
    for duration in units {
        put_le(out, duration);
    }
}

/// What a notice says, after the identifier, about the hosts of these nodes.
fn body(out: &mut Vec<u8>, notice: &Notice, named: &[u32]) {
    match notice.ask {
        Ask::Step(step) => {
            out.push(notice.class() as u8 | if step.less { LESS } else { 0 });
            out.extend_from_slice(&step.rate.0.to_be_bytes()[1..]);
        }
        Ask::Stop(_) | Ask::Limit(..) | Ask::Own(_) => {
            out.push(STANDING | if notice.rate().is_some() { RATED } else { 0 });
            out.push(notice.classes);
            put16(out, notice.quanta());
            put16(out, named.len() as u16);
            if let Some(rate) = notice.rate() {
                out.extend_from_slice(&rate.0.to_be_bytes());
            }
            match notice.map() {
                Some(hosts) => map(out, hosts),
                None => named
                    .iter()
                    .for_each(|node| out.extend_from_slice(&mac(*node, 0))),
            }
        }
    }
}

fn radiotap(out: &mut Vec<u8>, medium: &Medium, frame: &AirFrame) {
    let phy = &medium.phy;
    let (frequency, channel) = match (phy.standard, phy.band) {
        (Standard::HrDsss, _) => (2412, CCK_2_GHZ),
        (Standard::Ofdm, Band::Ghz2) => (2412, OFDM_2_GHZ),
        (Standard::Ofdm, Band::Ghz5) => (5180, OFDM_5_GHZ),
    };
    let Time(first_bit) = frame.at + phy.preamble();
    out.extend_from_slice(&[0, 0]); // version and padding
    out.extend_from_slice(&RADIOTAP.to_le_bytes());
    let has_rate = phy.standard.rates().contains(&frame.rate.0);
    let present = match has_rate {
        true => PRESENT,
        false => PRESENT & !RATE_PRESENT,
    };
    out.extend_from_slice(&present.to_le_bytes());
    out.extend_from_slice(&(first_bit / 1_000_000).to_le_bytes());
    let short = if phy.short_preamble {
        SHORT_PREAMBLE
    } else {
        0
    };
    let bad = match frame.fate {
        Fate::Lost => BAD_FCS,
        Fate::OnAir | Fate::Received => 0,
    };
    out.push(FCS_AT_END | short | bad);
    // The field has no rates of 802.11n and later; without it the channel needs a byte of padding.
    out.push(match has_rate {
        true => (frame.rate.0 / 500_000) as u8,
        false => 0,
    });
    put_le(out, frequency);
    put_le(out, channel);
    put16(out, 0); // to a multiple of eight
}

fn put_le(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_le_bytes());
}
