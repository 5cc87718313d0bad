//! The bytes of a frame, from destination address to frame check sequence, as a pure function of
//! its description.
//!
//! **Addresses.** Node `n` has the MAC address `02:nn:nn:nn:00:00` and the IPv4 address
//! `10.n.n.n`. A control frame comes from `02:nn:nn:nn:pp:pp`, where `p` is the port. Both wrap at
//! 2^24 nodes, the port at 2^16.
//!
//! **Data.** Ethernet II, IPv4 (RFC 791) and UDP (RFC 768), both checksums computed. The class is
//! the class selector code point CS0 to CS7 (RFC 2474), because an 802.1Q tag would not fit the 18
//! bytes of header and FCS the simulator counts. The IP identification is the sequence number, the
//! ports are the flow: 12 low bits in the source port, the next 12 in the destination port, both
//! above 61440, where Wireshark 4 expects no protocol. The payload starts with flow (32 bits) and
//! sequence number (64 bits), big-endian, if these twelve bytes fit.
//!
//! **Control.** PAUSE (IEEE 802.3 Annex 31B) and priority-based flow control (Annex 31D). No
//! standard names destinations or rates, so these are organization-specific extensions (Annex 31C)
//! under the locally administered identifier 42-57-52. All fields are big-endian:
//!
//! ```text
//! offset  bytes
//!      0      6  destination 01-80-C2-00-00-01
//!      6      6  source
//!     12      2  EtherType 0x8808
//!     14      2  opcode 0xFFFE
//!     16      3  identifier 42-57-52
//!     19      2  subtype: 1 destinations, 2 rate; 3 and 4 the same with a map of hosts in place of addresses
//!     21      1  classes, bit c for class c
//!     22      2  quanta; 0 lifts the restriction
//!     24      2  number of stations the restriction is about; 65535 means that many or more
//!     26      8  rate in bit/s (subtype 2 only)
//!  26/34    6 n  MAC addresses of the stations, up to 246
//!  26/34      m  subtypes 3 and 4, for more: a map. Bit h % 8 of byte h / 8, counted from the lowest, is host number h, in the
//!                order in which the network has its hosts; it ends with the last host named
//! ```
//!
//! **Header fields.** A data frame that brings a notice says what the control frame would say from its opcode on, behind
//! its content and before the FCS. 802.3 has no place for it.
//!
//! Zeros fill up to 64 bytes. Not as on a wire: an IPv4 packet ends at 65535 bytes and the rest of
//! a longer frame is trailer; time to live stays 64, since nothing here routes.

pub use crate::addresses::{Between, EVERYBODY};
use crate::addresses::{ipv4, mac};
use crate::checksum::{crc32, internet_checksum};
use crate::control_size::{list_size, that_fit};
use crate::tcp::{self, Said};

/// The content of a frame.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum FrameKind<'a> {
    /// A datagram of a flow.
    Udp {
        /// Index of the flow.
        flow: u32,
        /// Sequence number within the flow.
        seq: u64,
        /// Traffic class, 0 to 7.
        class: u8,
        /// ECN field of the IP header (RFC 3168), 0 to 3.
        ecn: u8,
    },
    /// A segment or an acknowledgement of a stream: see `tcp`.
    Tcp {
        /// Index of the flow of the data.
        flow: u32,
        /// Number of the packet within its own flow.
        seq: u64,
        /// Traffic class, 0 to 7.
        class: u8,
        /// ECN field of the IP header, 0 to 3.
        ecn: u8,
        /// The content of its header.
        header: Said<'a>,
    },
    /// 802.3x PAUSE.
    Pause {
        /// Pause time; 0 resumes.
        quanta: u16,
    },
    /// 802.1Qbb PFC.
    Pfc {
        /// Pause time of each class the frame is about; 0 resumes.
        quanta: [Option<u16>; 8],
    },
    /// Pause what goes to some stations.
    Destinations {
        /// Pause time; 0 resumes.
        quanta: u16,
        /// Classes concerned, bit `c` for class `c`.
        classes: u8,
        /// Indices of the stations.
        addresses: &'a [u32],
    },
    /// Pause what goes to many stations, or limit its rate.
    Map {
        /// Classes concerned, bit `c` for class `c`.
        classes: u8,
        /// The limit in bit/s; none pauses.
        rate_bps: Option<u64>,
        /// How long it holds; 0 lifts it.
        quanta: u16,
        /// Bit h of the words is host number h.
        hosts: &'a [u64],
    },
    /// Limit the rate of what goes to some stations.
    Rate {
        /// Classes concerned, bit `c` for class `c`.
        classes: u8,
        /// The limit in bit/s.
        rate_bps: u64,
        /// How long it holds; 0 lifts it.
        quanta: u16,
        /// Indices of the stations.
        addresses: &'a [u32],
    },
}

/// Smallest Ethernet frame, FCS included.
pub const MIN_FRAME: u32 = 64;
/// Largest control frame, FCS included: the untagged basic frame of IEEE 802.3.
pub const MAX_CONTROL_FRAME: u32 = 1518;

pub(crate) const FCS: u32 = 4;
pub(crate) const IP: u32 = 20;
const UDP: u32 = 8;
pub(crate) const ADDRESS: u32 = 6;
pub(crate) const MAC_HEADER: u32 = 14;
/// Addresses, type, opcode and a time. 802.3 Annex 31B.
const PAUSE_CONTENT: u32 = MAC_HEADER + 2 + 2;
/// Addresses, type, opcode, class vector and eight times. 802.3 Annex 31D.
const PFC_CONTENT: u32 = MAC_HEADER + 2 + 2 + 16;
const DESTINATIONS_HEADER: u32 = 26;
const RATE_HEADER: u32 = 34;

const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_MAC_CONTROL: u16 = 0x8808;
const MAC_CONTROL_ADDRESS: [u8; 6] = [0x01, 0x80, 0xC2, 0x00, 0x00, 0x01];
const UDP_PROTOCOL: u8 = 17;
const OPCODE_PAUSE: u16 = 0x0001;
const OPCODE_PFC: u16 = 0x0101;
const OPCODE_EXTENSION: u16 = 0xFFFE;
const IDENTIFIER: [u8; 3] = [0x42, 0x57, 0x52];
const SUBTYPE_DESTINATIONS: u16 = 1;
const SUBTYPE_RATE: u16 = 2;
const SUBTYPE_DESTINATION_MAP: u16 = 3;
const SUBTYPE_RATE_MAP: u16 = 4;
/// More stations than this are named by a map: so many addresses fit behind the longer header.
pub const MOST_ADDRESSES: usize = ((MAX_CONTROL_FRAME - FCS - RATE_HEADER) / ADDRESS) as usize;
/// Hosts that a map can name.
pub const MOST_MAPPED: usize = (8 * (MAX_CONTROL_FRAME - FCS - RATE_HEADER)) as usize;
pub(crate) const FIRST_PORT: u16 = 0xF000;

/// Appends one frame to `out`.
///
/// `size` counts header, packet, padding and FCS; a frame is never shorter than Ethernet or its
/// content asks for. Data goes from `src_host` to `dst_host` in an IP packet of `ip_len` bytes,
/// raised to the 28 of its headers. A control frame is sent by `port` of the node `src_host` to the
/// reserved address no bridge forwards, so `dst_host` and `ip_len` concern data only, `port` control
/// frames only.
pub fn write(
    out: &mut Vec<u8>,
    Between {
        src_host,
        dst_host,
        port,
    }: Between,
    size: u32,
    ip_len: u32,
    kind: &FrameKind<'_>,
) {
    let start = out.len();
    let data = |flow, seq, class: u8, ecn: u8| Datagram {
        from: src_host,
        to: dst_host,
        // Clamped to 16 bits, so the conversion loses nothing.
        len: ip_len.clamp(IP + UDP, u32::from(u16::MAX)) as u16,
        flow,
        seq,
        tos: (class & 7) << 5 | (ecn & 3),
    };
    match *kind {
        FrameKind::Udp {
            flow,
            seq,
            class,
            ecn,
        } => write_udp(out, &data(flow, seq, class, ecn)),
        FrameKind::Tcp {
            flow,
            seq,
            class,
            ecn,
            header,
        } => tcp::write(out, &data(flow, seq, class, ecn), header),
        FrameKind::Pause { quanta } => {
            control_header(out, src_host, port, OPCODE_PAUSE);
            put16(out, quanta);
        }
        FrameKind::Pfc { quanta } => {
            control_header(out, src_host, port, OPCODE_PFC);
            let enabled = (0..8).filter(|&c| quanta[c].is_some());
            put16(out, enabled.fold(0, |vector, c| vector | 1 << c));
            for time in quanta {
                put16(out, time.unwrap_or(0));
            }
        }
        FrameKind::Destinations { .. } | FrameKind::Map { .. } | FrameKind::Rate { .. } => {
            control_header(out, src_host, port, OPCODE_EXTENSION);
            write_extension(out, kind);
        }
    }
    let body = (size.max(MIN_FRAME) - FCS) as usize;
    if out.len() - start < body {
        out.resize(start + body, 0);
    }
    check(out, start);
}

/// Appends the frame check sequence of the frame that begins at `start`. It leaves with the coefficient of the highest
/// power first, which in the reflected form is the lowest bit of the lowest byte.
pub(crate) fn check(out: &mut Vec<u8>, start: usize) {
    let fcs = crc32(&out[start..]);
    out.extend_from_slice(&fcs.to_le_bytes());
}

/// Writes the part of an extension frame behind its opcode.
fn write_extension(out: &mut Vec<u8>, kind: &FrameKind<'_>) {
    match *kind {
        FrameKind::Udp { .. }
        | FrameKind::Tcp { .. }
        | FrameKind::Pause { .. }
        | FrameKind::Pfc { .. } => unreachable!("no extension frame"),
        FrameKind::Destinations {
            quanta,
            classes,
            addresses,
        } => {
            extension(out, SUBTYPE_DESTINATIONS, classes, quanta, addresses.len());
            list(out, DESTINATIONS_HEADER, addresses);
        }
        FrameKind::Map {
            classes,
            rate_bps,
            quanta,
            hosts,
        } => {
            let subtype = match rate_bps {
                Some(_) => SUBTYPE_RATE_MAP,
                None => SUBTYPE_DESTINATION_MAP,
            };
            let stations: u32 = hosts.iter().map(|word| word.count_ones()).sum();
            extension(out, subtype, classes, quanta, stations as usize);
            out.extend(rate_bps.map(u64::to_be_bytes).into_iter().flatten());
            map(out, hosts);
        }
        FrameKind::Rate {
            classes,
            rate_bps,
            quanta,
            addresses,
        } => {
            extension(out, SUBTYPE_RATE, classes, quanta, addresses.len());
            out.extend_from_slice(&rate_bps.to_be_bytes());
            list(out, RATE_HEADER, addresses);
        }
    }
}

/// Bytes of a control frame without padding and FCS. A frame of data has none.
pub(crate) fn control_content(kind: &FrameKind<'_>) -> u32 {
    match *kind {
        FrameKind::Udp { .. } | FrameKind::Tcp { .. } => 0,
        FrameKind::Pause { .. } => PAUSE_CONTENT,
        FrameKind::Pfc { .. } => PFC_CONTENT,
        FrameKind::Destinations { addresses, .. } => list_size(DESTINATIONS_HEADER, addresses),
        FrameKind::Rate { addresses, .. } => list_size(RATE_HEADER, addresses),
        FrameKind::Map {
            rate_bps, hosts, ..
        } => {
            let header = rate_bps.map_or(DESTINATIONS_HEADER, |_| RATE_HEADER);
            header + map_size(hosts) as u32
        }
    }
}

/// An IP packet of a flow.
pub(crate) struct Datagram {
    from: u32,
    to: u32,
    pub(crate) len: u16,
    pub(crate) flow: u32,
    seq: u64,
    tos: u8,
}

/// Ethernet and IPv4 headers with these options, whose length is a multiple of four; gives the sum of the
/// pseudo header over addresses and protocol.
pub(crate) fn write_ip(out: &mut Vec<u8>, d: &Datagram, protocol: u8, options: &[u8]) -> u64 {
    out.extend_from_slice(&mac(d.to, 0));
    out.extend_from_slice(&mac(d.from, 0));
    put16(out, ETHERTYPE_IPV4);

    let ip = out.len();
    let words = (IP as usize + options.len()) / 4;
    out.extend_from_slice(&[0x40 | words as u8, d.tos]);
    put16(out, d.len);
    put16(out, d.seq as u16);
    put16(out, 0x4000); // don't fragment
    out.extend_from_slice(&[64, protocol, 0, 0]);
    out.extend_from_slice(&ipv4(d.from));
    out.extend_from_slice(&ipv4(d.to));
    out.extend_from_slice(options);
    let sum = internet_checksum(0, &out[ip..]);
    out[ip + 10..ip + 12].copy_from_slice(&sum.to_be_bytes());
    let addresses = !internet_checksum(0, &out[ip + 12..ip + 20]);
    u64::from(addresses) + u64::from(protocol)
}

fn write_udp(out: &mut Vec<u8>, d: &Datagram) {
    let pseudo = write_ip(out, d, UDP_PROTOCOL, &[]);
    let udp = out.len();
    let udp_len = d.len - IP as u16;
    put16(out, FIRST_PORT | (d.flow & 0x0FFF) as u16);
    put16(out, FIRST_PORT | (d.flow >> 12 & 0x0FFF) as u16);
    put16(out, udp_len);
    put16(out, 0);
    payload(out, usize::from(udp_len - UDP as u16), d.flow, d.seq);
    let sum = match internet_checksum(pseudo + u64::from(udp_len), &out[udp..]) {
        // Zero would say that there is no checksum; its other form says the same number (RFC 768).
        0 => 0xFFFF,
        sum => sum,
    };
    out[udp + 6..udp + 8].copy_from_slice(&sum.to_be_bytes());
}

fn payload(out: &mut Vec<u8>, len: usize, flow: u32, seq: u64) {
    let start = out.len();
    out.extend((0..len).map(|i| i as u8));
    if let Some(tag) = out[start..].first_chunk_mut::<12>() {
        tag[..4].copy_from_slice(&flow.to_be_bytes());
        tag[4..].copy_from_slice(&seq.to_be_bytes());
    }
}

fn control_header(out: &mut Vec<u8>, node: u32, port: u32, opcode: u16) {
    out.extend_from_slice(&MAC_CONTROL_ADDRESS);
    out.extend_from_slice(&mac(node, port));
    put16(out, ETHERTYPE_MAC_CONTROL);
    put16(out, opcode);
}

fn extension(out: &mut Vec<u8>, subtype: u16, classes: u8, quanta: u16, stations: usize) {
    out.extend_from_slice(&IDENTIFIER);
    put16(out, subtype);
    out.push(classes);
    put16(out, quanta);
    put16(out, u16::try_from(stations).unwrap_or(u16::MAX));
}

fn list(out: &mut Vec<u8>, header: u32, addresses: &[u32]) {
    for &station in that_fit(header, addresses) {
        out.extend_from_slice(&mac(station, 0));
    }
}

/// Bytes of a map of these hosts.
pub(crate) fn map_size(hosts: &[u64]) -> usize {
    let last = hosts.iter().rposition(|word| *word != 0);
    last.map_or(0, |at| {
        8 * at + (64 - hosts[at].leading_zeros() as usize).div_ceil(8)
    })
}

pub(crate) fn map(out: &mut Vec<u8>, hosts: &[u64]) {
    let bytes = hosts.iter().flat_map(|word| word.to_le_bytes());
    out.extend(bytes.take(map_size(hosts)));
}

pub(crate) fn put16(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control_size::control_size;

    const BETWEEN: Between = Between {
        src_host: 1,
        dst_host: 2,
        port: 3,
    };

    fn frame(size: u32, ip_len: u32, kind: &FrameKind<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        write(&mut out, BETWEEN, size, ip_len, kind);
        out
    }

    fn udp(flow: u32, seq: u64) -> FrameKind<'static> {
        FrameKind::Udp {
            flow,
            seq,
            class: 5,
            ecn: 1,
        }
    }

    #[test]
    fn crc_of_a_frame_with_its_fcs_is_the_residue() {
        // 0xC704DD7B in the notation of IEEE 802.3, which is 0x2144DF1C reflected and complemented.
        for size in 64..80 {
            assert_eq!(crc32(&frame(size, 46, &udp(1, 1))), 0x2144_DF1C, "{size}");
        }
    }

    #[test]
    fn headers_of_a_datagram() {
        let bytes = frame(64, 46, &udp(0x0012_3456, 7));
        assert_eq!(bytes.len(), 64);
        assert_eq!(bytes[..6], [2, 0, 0, 2, 0, 0]);
        assert_eq!(bytes[6..12], [2, 0, 0, 1, 0, 0]);
        // By hand: 45A1 + 002E + 0007 + 4000 + 4011 + 0A00 + 0001 + 0A00 + 0002 = D9EA.
        let ip = [
            0x08, 0x00, 0x45, 0xA1, 0x00, 0x2E, 0x00, 0x07, 0x40, 0x00, 0x40, 0x11, 0x26, 0x15, 10,
            0, 0, 1, 10, 0, 0, 2,
        ];
        assert_eq!(bytes[12..34], ip);
        assert_eq!(bytes[34..40], [0xF4, 0x56, 0xF1, 0x23, 0, 26]);
        assert_eq!(bytes[42..54], [0, 0x12, 0x34, 0x56, 0, 0, 0, 0, 0, 0, 0, 7]);
        assert_eq!(bytes[54..60], [12, 13, 14, 15, 16, 17]);
    }

    #[test]
    fn the_smallest_packet_is_its_headers() {
        for ip_len in [0, 27, 28] {
            let bytes = frame(0, ip_len, &udp(0, 0));
            assert_eq!(bytes.len(), 64);
            assert_eq!(bytes[16..18], [0, 28]);
            // By hand: pseudo header 0A00 + 0001 + 0A00 + 0002 + 0011 + 0008 = 141C, header
            // F000 + F000 + 0008 = 1E008, sum 1F424, folded F425, complement 0BDA.
            assert_eq!(bytes[34..42], [0xF0, 0, 0xF0, 0, 0, 8, 0x0B, 0xDA]);
            assert_eq!(bytes[42..60], [0; 18]);
        }
    }

    #[test]
    fn a_udp_checksum_of_zero_is_sent_as_ones() {
        // The sequence number runs through all values of one word but 0xFFFF, so exactly one sum
        // is all ones, and its complement zero.
        let ones = (0..0xFFFF)
            .map(|seq| frame(64, 40, &udp(9, seq)))
            .filter(|bytes| {
                assert_ne!(bytes[40..42], [0, 0]);
                bytes[40..42] == [0xFF, 0xFF]
            })
            .count();
        assert_eq!(ones, 1);
    }

    #[test]
    fn a_frame_is_as_long_as_said_and_never_shorter_than_its_packet() {
        for (size, ip_len, expected) in [
            (64, 46, 64),
            (1518, 1500, 1518),
            (1518, 40, 1518),
            (9018, 9000, 9018),
            (64, 1500, 1518),
            (70_018, 70_000, 70_018),
        ] {
            let bytes = frame(size, ip_len, &udp(1, 2));
            assert_eq!(bytes.len(), expected, "{size} {ip_len}");
        }
        assert_eq!(frame(70_018, 70_000, &udp(1, 2))[16..18], [0xFF, 0xFF]);
    }

    #[test]
    fn class_and_ecn_share_a_byte() {
        for (class, ecn, tos) in [(0, 0, 0x00), (7, 0, 0xE0), (3, 2, 0x62), (0, 3, 0x03)] {
            let kind = FrameKind::Udp {
                flow: 0,
                seq: 0,
                class,
                ecn,
            };
            assert_eq!(frame(64, 46, &kind)[15], tos, "class {class}, ECN {ecn}");
        }
    }

    #[test]
    fn the_last_of_2_to_the_24_hosts_has_its_own_addresses() {
        let mut out = Vec::new();
        let between = Between {
            src_host: 0x00FF_FFFF,
            dst_host: 0x00FE_DCBA,
            port: 0,
        };
        write(&mut out, between, 64, 46, &udp(0, 0));
        assert_eq!(
            out[..12],
            [2, 0xFE, 0xDC, 0xBA, 0, 0, 2, 255, 255, 255, 0, 0]
        );
        assert_eq!(out[26..34], [10, 255, 255, 255, 10, 0xFE, 0xDC, 0xBA]);
    }

    #[test]
    fn pause_and_pfc_are_those_of_802_3() {
        let pause = frame(0, 0, &FrameKind::Pause { quanta: 0xFFFF });
        let head = [
            0x01, 0x80, 0xC2, 0, 0, 1, 2, 0, 0, 1, 0, 3, 0x88, 0x08, 0, 1,
        ];
        assert_eq!(pause[..16], head);
        assert_eq!(pause[16..18], [0xFF, 0xFF]);
        assert_eq!(pause[18..60], [0; 42]);
        assert_eq!(pause.len(), 64);

        let mut quanta = [None; 8];
        quanta[0] = Some(0);
        quanta[2] = Some(0x1234);
        quanta[7] = Some(0xFFFF);
        let pfc = frame(0, 0, &FrameKind::Pfc { quanta });
        assert_eq!(pfc[12..20], [0x88, 0x08, 0x01, 0x01, 0, 0x85, 0, 0]);
        assert_eq!(pfc[20..24], [0, 0, 0x12, 0x34]);
        assert_eq!(pfc[24..32], [0; 8]);
        assert_eq!(pfc[32..36], [0xFF, 0xFF, 0, 0]);
        assert_eq!(pfc.len(), 64);
    }

    #[test]
    fn extensions_follow_their_layout() {
        let destinations = FrameKind::Destinations {
            quanta: 0x0102,
            classes: 0x81,
            addresses: &[5, 0x0001_0203],
        };
        let bytes = frame(0, 0, &destinations);
        let expected = [
            0x88, 0x08, 0xFF, 0xFE, 0x42, 0x57, 0x52, 0, 1, 0x81, 1, 2, 0, 2, 2, 0, 0, 5, 0, 0, 2,
            1, 2, 3, 0, 0,
        ];
        assert_eq!(bytes[12..38], expected);
        assert_eq!(bytes.len(), 64);

        let rate = FrameKind::Rate {
            classes: 2,
            rate_bps: 10_000_000,
            quanta: 3,
            addresses: &[7],
        };
        let expected = [
            0x42, 0x57, 0x52, 0, 2, 2, 0, 3, 0, 1, 0, 0, 0, 0, 0, 0x98, 0x96, 0x80, 2, 0, 0, 7, 0,
            0,
        ];
        assert_eq!(frame(0, 0, &rate)[16..40], expected);
    }

    #[test]
    fn control_frames_grow_with_their_list_up_to_1518_bytes() {
        let all: Vec<u32> = (0..70_000).collect();
        // 26 + 6 n + 4 <= 64 for n <= 5; (1518 - 4 - 26) / 6 = 248; 34 bytes of header leave 246.
        for (n, destinations, rate) in [
            (0, 64, 64),
            (4, 64, 64),
            (5, 64, 68),
            (6, 66, 74),
            (246, 1506, 1514),
            (247, 1512, 1514),
            (248, 1518, 1514),
            (70_000, 1518, 1514),
        ] {
            let addresses = &all[..n];
            let (quanta, classes, rate_bps) = (1, 1, 1);
            let d = FrameKind::Destinations {
                quanta,
                classes,
                addresses,
            };
            let r = FrameKind::Rate {
                classes,
                rate_bps,
                quanta,
                addresses,
            };
            for (kind, size) in [(d, destinations), (r, rate)] {
                assert_eq!(control_size(&kind), size, "{n}");
                let bytes = frame(0, 0, &kind);
                assert_eq!(bytes.len(), size as usize, "{n}");
                let said = u16::from_be_bytes([bytes[24], bytes[25]]);
                assert_eq!(usize::from(said), n.min(65_535));
            }
        }
    }

    #[test]
    fn many_stations_are_named_by_a_map() {
        // 1480 bytes behind the longer header: 246 addresses, or a map of 11,840 hosts.
        assert_eq!((MOST_ADDRESSES, MOST_MAPPED), (246, 11_840));
        // Hosts 0, 9 and 67: bit 0 of byte 0, bit 1 of byte 1, bit 3 of byte 8.
        let hosts = [1 | 1 << 9, 1 << 3, 0];
        let mut kind = FrameKind::Map {
            classes: 1,
            rate_bps: None,
            quanta: 5,
            hosts: &hosts,
        };
        let bytes = frame(0, 0, &kind);
        let expected = [
            0x42, 0x57, 0x52, 0, 3, 1, 0, 5, 0, 3, 1, 2, 0, 0, 0, 0, 0, 0, 8, 0,
        ];
        assert_eq!(bytes[16..36], expected);
        let all = [u64::MAX; MOST_MAPPED / 64];
        for rate in [None, Some(7)] {
            kind = FrameKind::Map {
                classes: 1,
                rate_bps: rate,
                quanta: 5,
                hosts: &all,
            };
            let size = if rate.is_some() { 1518 } else { 1510 };
            assert_eq!(control_size(&kind), size);
            assert_eq!(frame(0, 0, &kind).len(), size as usize);
        }
    }

    #[test]
    fn frames_are_appended() {
        let mut out = vec![0xAA];
        write(&mut out, BETWEEN, 64, 46, &udp(1, 2));
        write(&mut out, BETWEEN, 64, 46, &udp(1, 2));
        assert_eq!(out.len(), 129);
        assert_eq!(out[1..65], out[65..]);
    }
}
