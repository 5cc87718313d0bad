//! The bytes of an 802.11 frame with a radiotap header, as a pure function of its description.
//!
//! **Lost frames.** A frame that none of its receivers has whole carries the flag of a bad FCS, and its FCS is inverted. Which of its bits
//! are damaged is not modelled: the rest of it is what was sent.
//!
//! **Addresses.** Station of node `n` has `02:nn:nn:nn:00:00`, as in `ethernet`. To DS and From DS are
//! zero, the BSSID is `02:ff:ff:ff:00:00`: each hop is a frame between two stations of one independent
//! BSS, and the IP packet inside names the two ends.
//!
//! **Frames.** RTS, CTS, ACK, CF-End (IEEE 802.11-2016 9.3.1), compressed BAR and block acknowledgement (9.3.1.8, 9.3.1.9), data with LLC and SNAP (9.3.2, RFC 1042), with a QoS
//! control field under EDCA whose priority is the category's (Table 10-1). Packets that share a data frame are an A-MSDU (IEEE 802.11-2020
//! 9.3.2.2): the QoS control field says so, and each packet follows DA, SA and the length of what comes behind them, big-endian; all but
//! the last are padded to four bytes. A request for less or more
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

use crate::addresses::{EVERYBODY, mac};
use crate::checksum::crc32;
use crate::ethernet::{map, map_size, put16};
use crate::radiotap::{self, Radiotap, put_le};

const ACTION: u8 = 0xD0;
const BAR: u8 = 0x84;
const BLOCK_ACK: u8 = 0x94;
/// Control field of a BAR and a block acknowledgement: the compressed kind.
const COMPRESSED: u16 = 1 << 2;
const RTS: u8 = 0xB4;
const CTS: u8 = 0xC4;
const ACK: u8 = 0xD4;
const CF_END: u8 = 0xE4;
const DATA: u8 = 0x08;
const QOS_DATA: u8 = 0x88;
const RETRY: u8 = 0x08;
/// User priority of BK, BE, VI, VO.
const PRIORITY: [u16; 4] = [1, 0, 5, 6];
const SNAP_IPV4: [u8; 8] = [0xAA, 0xAA, 0x03, 0, 0, 0, 0x08, 0x00];
const BSSID: u32 = 0x00FF_FFFF;
/// Ack policy of a frame that nobody acknowledges. Table 9-9.
const NO_ACK: u16 = 1 << 5;
/// The QoS control field of a frame that carries an A-MSDU. IEEE 802.11-2020 9.2.4.5.9.
const A_MSDU_PRESENT: u16 = 1 << 7;
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

/// A frame on the air, with what the radiotap header says of it. Stations are named by their nodes.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    /// How it was received.
    pub radiotap: Radiotap,
    /// For whom; none for all neighbours.
    pub to: Option<u32>,
    /// Its sender.
    pub from: u32,
    /// Its Duration field in microseconds.
    pub duration_us: u16,
    /// It was on the air before.
    pub retry: bool,
    /// Its sequence number.
    pub number: u16,
    /// Its kind and content.
    pub body: Body<'a>,
}

/// The kind and content of a frame.
#[derive(Clone, Debug)]
pub enum Body<'a> {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Acknowledgement.
    Ack,
    /// End of a TXOP.
    CfEnd,
    /// Request for a block acknowledgement.
    Bar {
        /// The access category.
        category: u8,
        /// Number of the first frame that its sender may repeat.
        start: u16,
    },
    /// Block acknowledgement.
    BlockAck {
        /// The access category.
        category: u8,
        /// Number of the frame of the first bit.
        start: u16,
        /// A bit for each frame, the lowest of the first byte first: 8, 32, 64 or 128 bytes.
        received: &'a [u8],
    },
    /// A packet.
    Data {
        /// Its access category under EDCA, 0 to 3; none under DCF.
        category: Option<u8>,
        /// The IP packet.
        ip: &'a [u8],
        /// Header fields behind it: numbers, each with the bytes of its field.
        numbers: &'a [(u32, u64)],
        /// A notice as a header field, with the bytes that its management frame would have.
        notice: Option<(Action<'a>, u64)>,
    },
    /// Packets that share a frame of an access category: an A-MSDU.
    Joined(u8, &'a [&'a [u8]]),
    /// A notice in a management frame of so many bytes, header and FCS included.
    Management(Action<'a>, u64),
}

/// The content of an action frame, or of a header field in its place.
#[derive(Clone, Debug)]
pub enum Action<'a> {
    /// Congestion Notification of 802.11s.
    Congestion {
        /// Whether the element has an address, and the node that it names; none names all.
        address: Option<Option<u32>>,
        /// Durations of AC_BK, AC_BE, AC_VI, AC_VO in units of 0.1 TU.
        units: [u16; 4],
    },
    /// A request for less or more.
    Step {
        /// The access category.
        category: u8,
        /// Whether it asks for less.
        less: bool,
        /// Rate in bit/s.
        rate_bps: u64,
    },
    /// A notice that holds until its time is over.
    Standing {
        /// Access categories, bit c for category c.
        classes: u8,
        /// Time in units of 0.1 TU; 0 ends it.
        quanta: u16,
        /// Rate in bit/s, if it has one.
        rate_bps: Option<u64>,
        /// Nodes that it is about.
        named: &'a [u32],
        /// A map of hosts in place of their addresses.
        map: Option<&'a [u64]>,
    },
}

impl Action<'_> {
    /// Bytes of its management frame, header and FCS included.
    pub fn management_size(&self) -> u64 {
        match self {
            Action::Congestion { address, .. } => {
                let address = if address.is_some() { ADDRESS } else { 0 };
                HEADER + MESH_ACTION + address + FCS
            }
            // Category, identifier, kind and rate.
            Action::Step { .. } => HEADER + 12 + FCS,
            Action::Standing {
                rate_bps,
                named,
                map,
                ..
            } => {
                let rate = rate_bps.map_or(0, |_| RATE_FIELD);
                let hosts = match map {
                    Some(hosts) => map_size(hosts) as u64,
                    None => ADDRESS * named.len() as u64,
                };
                HEADER + ELEMENT + rate + hosts + FCS
            }
        }
    }
}

/// Bytes of a management frame that a header field leaves out: its header and FCS.
pub const AROUND: u64 = HEADER + FCS;

/// Appends a frame to `out`.
pub fn write(out: &mut Vec<u8>, frame: &Frame<'_>) {
    radiotap::write(out, &frame.radiotap);
    let start = out.len();
    let (to, from) = (mac(frame.to.unwrap_or(EVERYBODY), 0), mac(frame.from, 0));
    // 9.2.4.2.
    let duration = frame.duration_us.to_le_bytes();
    let retry = if frame.retry { RETRY } else { 0 };
    let head = |out: &mut Vec<u8>, kind, flags| {
        out.extend_from_slice(&[kind, flags]);
        out.extend_from_slice(&duration);
        out.extend_from_slice(&to);
    };
    let pair = |out: &mut Vec<u8>, kind| {
        head(out, kind, 0);
        out.extend_from_slice(&from);
    };
    let full_head = |out: &mut Vec<u8>, kind| {
        head(out, kind, retry);
        out.extend_from_slice(&from);
        out.extend_from_slice(&mac(BSSID, 0));
        out.extend_from_slice(&(frame.number << 4).to_le_bytes());
    };
    match &frame.body {
        Body::Rts => pair(out, RTS),
        Body::CfEnd => pair(out, CF_END),
        Body::Cts => head(out, CTS, 0),
        Body::Ack => head(out, ACK, 0),
        Body::Bar { category, start } => {
            pair(out, BAR);
            block_control(out, *category, *start, 0);
        }
        Body::BlockAck {
            category,
            start,
            received,
        } => {
            pair(out, BLOCK_ACK);
            block_control(out, *category, *start, size_of_map(received.len()));
            out.extend_from_slice(received);
        }
        Body::Data {
            category,
            ip,
            numbers,
            notice,
        } => {
            if let Some(category) = category {
                full_head(out, QOS_DATA);
                let policy = if frame.to.is_none() { NO_ACK } else { 0 };
                put_le(out, PRIORITY[usize::from(*category)] | policy);
            } else {
                full_head(out, DATA);
            }
            out.extend_from_slice(&SNAP_IPV4);
            out.extend_from_slice(ip);
            header_fields(out, numbers, notice.as_ref());
        }
        Body::Joined(category, packets) => {
            full_head(out, QOS_DATA);
            a_msdu(out, *category, (to, from), packets);
        }
        Body::Management(notice, bytes) => {
            full_head(out, ACTION);
            action(out, notice);
            out.resize(start + *bytes as usize - FCS as usize, 0);
        }
    }
    put_fcs(out, start, frame.radiotap.lost);
}

/// The FCS of the frame that begins there, inverted where nobody has the frame.
fn put_fcs(out: &mut Vec<u8>, start: usize, lost: bool) {
    let sum = crc32(&out[start..]);
    let fcs = if lost { !sum } else { sum };
    out.extend_from_slice(&fcs.to_le_bytes());
}

/// QoS control and body of an A-MSDU that goes from one station to another: within one independent BSS these are DA and SA. IEEE 802.11-2020 Table 9-30.
fn a_msdu(out: &mut Vec<u8>, category: u8, (to, from): ([u8; 6], [u8; 6]), packets: &[&[u8]]) {
    put_le(out, PRIORITY[usize::from(category)] | A_MSDU_PRESENT);
    let start = out.len();
    for ip in packets {
        // The one before is padded.
        out.resize(start + (out.len() - start).next_multiple_of(4), 0);
        out.extend_from_slice(&to);
        out.extend_from_slice(&from);
        put16(out, (SNAP_IPV4.len() + ip.len()) as u16);
        out.extend_from_slice(&SNAP_IPV4);
        out.extend_from_slice(ip);
    }
}

/// Control and start of a BAR or a block acknowledgement. Table 9-9, 9.3.1.8.1.
fn block_control(out: &mut Vec<u8>, category: u8, start: u16, size: u16) {
    put_le(out, COMPRESSED | PRIORITY[usize::from(category)] << 12);
    put_le(out, start << 4 | size);
}

/// How the fragment number tells the length of a map of so many bytes. IEEE 802.11ax-2021 Table 9-30a, IEEE 802.11be.
fn size_of_map(bytes: usize) -> u16 {
    match bytes {
        8 => 0b0000,
        32 => 0b0100,
        64 => 0b1000,
        128 => 0b1010,
        _ => unreachable!("a map of {bytes} bytes"),
    }
}

/// Writes the header fields of a data frame behind its packet.
fn header_fields(out: &mut Vec<u8>, numbers: &[(u32, u64)], notice: Option<&(Action<'_>, u64)>) {
    for (number, bytes) in numbers {
        let bytes = *bytes as usize;
        out.resize(out.len() + bytes, 0);
        let low = number.to_be_bytes().into_iter().rev();
        let last = out.iter_mut().rev().take(bytes);
        last.zip(low).for_each(|(byte, digit)| *byte = digit);
    }
    if let Some((notice, bytes)) = notice {
        let end = out.len() + (bytes - AROUND) as usize;
        action(out, notice);
        out.resize(end, 0);
    }
}

fn action(out: &mut Vec<u8>, notice: &Action<'_>) {
    match *notice {
        Action::Congestion { address, units } => congestion(out, address, units),
        Action::Step {
            category,
            less,
            rate_bps,
        } => {
            vendor(out);
            out.push(category | if less { LESS } else { 0 });
            out.extend_from_slice(&rate_bps.to_be_bytes()[1..]);
        }
        Action::Standing {
            classes,
            quanta,
            rate_bps,
            named,
            map: hosts,
        } => {
            vendor(out);
            out.push(STANDING | if rate_bps.is_some() { RATED } else { 0 });
            out.push(classes);
            put16(out, quanta);
            put16(out, named.len() as u16);
            out.extend(rate_bps.map(u64::to_be_bytes).into_iter().flatten());
            match hosts {
                Some(hosts) => map(out, hosts),
                None => named
                    .iter()
                    .for_each(|node| out.extend_from_slice(&mac(*node, 0))),
            }
        }
    }
}

fn vendor(out: &mut Vec<u8>) {
    out.push(VENDOR_SPECIFIC);
    out.extend_from_slice(&IDENTIFIER);
}

/// A Congestion Notification element in its frame.
fn congestion(out: &mut Vec<u8>, address: Option<Option<u32>>, units: [u16; 4]) {
    out.extend_from_slice(&[MESH, CONGESTION_CONTROL_NOTIFICATION]);
    let address = address.map(|node| mac(node.unwrap_or(EVERYBODY), 0));
    let length = address.map_or(0, |a| a.len()) + 2 * units.len();
    out.extend_from_slice(&[CONGESTION_NOTIFICATION, length as u8]);
    out.extend(address.into_iter().flatten());
    for duration in units {
        put_le(out, duration);
    }
}
