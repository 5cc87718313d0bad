//! Headers of real packets: what tells flows apart, and the ECN codepoint with its checksum.
//!
//! Reference: RFC 791, RFC 8200, RFC 3168; checksum: RFC 1624.

use std::net::IpAddr;

use backwater_transport::segment::Ecn;

/// Bytes of an IPv4 header without options.
const V4: usize = 20;
/// Bytes of an IPv6 header.
const V6: usize = 40;
const TCP: u8 = 6;
const UDP: u8 = 17;

/// The content of a packet's header.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Hash of the five-tuple.
    pub hash: u32,
    /// Codepoint.
    pub ecn: Ecn,
    /// IP precedence, the first three bits of the DSCP: 0 to 7.
    pub precedence: u8,
}

/// The access category (BK, BE, VI, VO) of a packet's precedence, which is its user priority (RFC 8325 section 2.3; 802.11-2016
/// Table 10-1).
pub fn access_category(precedence: u8) -> u8 {
    [1, 0, 0, 1, 2, 2, 3, 3][usize::from(precedence & 7)]
}

/// Reads a packet; none where it is no whole IPv4 or IPv6 header.
pub fn read(packet: &[u8]) -> Option<Seen> {
    match packet.first()? >> 4 {
        4 if packet.len() >= V4 => {
            let header = usize::from(packet[0] & 15) * 4;
            let protocol = packet[9];
            // Fragments behind the first have no ports, so no fragment's ports count.
            let whole = u16::from_be_bytes([packet[6], packet[7]]) & 0x3fff == 0;
            let ports = whole.then(|| ports(packet, header, protocol)).flatten();
            Some(Seen {
                hash: hash(&packet[12..20], protocol, ports),
                ecn: codepoint(packet[1]),
                precedence: packet[1] >> 5,
            })
        }
        6 if packet.len() >= V6 => {
            let protocol = packet[6];
            Some(Seen {
                hash: hash(&packet[8..40], protocol, ports(packet, V6, protocol)),
                ecn: codepoint(packet[0] << 4 | packet[1] >> 4),
                precedence: packet[0] >> 1 & 7,
            })
        }
        _ => None,
    }
}

/// The destination of a packet that `read` has read.
pub fn destination(packet: &[u8]) -> Option<IpAddr> {
    Some(match packet.first()? >> 4 {
        4 => IpAddr::from(<[u8; 4]>::try_from(packet.get(16..20)?).ok()?),
        _ => IpAddr::from(<[u8; 16]>::try_from(packet.get(24..40)?).ok()?),
    })
}

fn ports(packet: &[u8], header: usize, protocol: u8) -> Option<u32> {
    let both = packet.get(header..header + 4)?;
    matches!(protocol, TCP | UDP).then(|| u32::from_be_bytes([both[0], both[1], both[2], both[3]]))
}

/// FNV-1a over addresses, protocol and ports.
fn hash(addresses: &[u8], protocol: u8, ports: Option<u32>) -> u32 {
    let ports = ports.unwrap_or(0).to_be_bytes();
    let bytes = addresses.iter().chain([&protocol]).chain(&ports);
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ hash >> 32) as u32
}

/// The codepoint of a traffic class.
pub fn codepoint(traffic: u8) -> Ecn {
    match traffic & 3 {
        0 => Ecn::NotEct,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    }
}

/// Writes CE into a packet that `read` has read, and corrects the checksum of IPv4.
pub fn mark(packet: &mut [u8]) {
    if packet[0] >> 4 == 6 {
        // The codepoint is the last two bits of the traffic class, which lies across two octets.
        packet[1] |= 3 << 4;
        return;
    }
    let before = u16::from_be_bytes([packet[0], packet[1]]);
    packet[1] |= 3;
    let after = u16::from_be_bytes([packet[0], packet[1]]);
    let old = u16::from_be_bytes([packet[10], packet[11]]);
    // RFC 1624, equation 3: HC' = ~(~HC + ~m + m').
    let sum = u32::from(!old) + u32::from(!before) + u32::from(after);
    let folded = (sum & 0xffff) + (sum >> 16);
    let folded = (folded & 0xffff) + (folded >> 16);
    packet[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of all words of a header, which is 0xffff if its checksum is right (RFC 1071).
    fn sum(header: &[u8]) -> u16 {
        let words = header
            .chunks(2)
            .map(|w| u32::from(u16::from_be_bytes([w[0], w[1]])));
        let sum: u32 = words.sum();
        let sum = (sum & 0xffff) + (sum >> 16);
        ((sum & 0xffff) + (sum >> 16)) as u16
    }

    fn v4(traffic: u8, ports: [u16; 2]) -> Vec<u8> {
        let mut packet = vec![
            0x45, traffic, 0, 28, 0, 1, 0x40, 0, 64, UDP, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
        ];
        let checksum = !sum(&packet);
        packet[10..12].copy_from_slice(&checksum.to_be_bytes());
        packet.extend(ports.iter().flat_map(|p| p.to_be_bytes()));
        packet.extend([0, 8, 0, 0]);
        packet
    }

    #[test]
    fn a_mark_keeps_the_checksum_right() {
        for traffic in [1, 2, 0b1011_1001, 0xfe] {
            let mut packet = v4(traffic, [7, 9]);
            assert_eq!(sum(&packet[..V4]), 0xffff);
            mark(&mut packet);
            assert_eq!(sum(&packet[..V4]), 0xffff, "{traffic}");
            assert_eq!(packet[1], traffic | 3);
            assert_eq!(read(&packet).expect("IPv4").ecn, Ecn::Ce);
        }
    }

    #[test]
    fn the_access_category_is_that_of_the_precedence() {
        // Default forwarding, CS1, CS4, EF (RFC 3246), CS7.
        let dscps = [(0, 1), (8, 0), (32, 2), (46, 2), (56, 3)];
        for (dscp, category) in dscps {
            let mut six = vec![0u8; V6];
            let first = 6 << 28 | dscp << 22 | 0x0a_bcde_u32;
            six[..4].copy_from_slice(&first.to_be_bytes());
            for packet in [v4((dscp << 2) as u8 | 1, [7, 9]), six] {
                let seen = read(&packet).expect("a packet");
                assert_eq!(access_category(seen.precedence), category, "{dscp}");
            }
        }
    }

    #[test]
    fn a_mark_of_ipv6_leaves_flow_label_and_class_alone() {
        let mut packet = vec![0u8; V6];
        packet[..4].copy_from_slice(&(6 << 28 | 0b1011_1010 << 20 | 0x0a_bcde_u32).to_be_bytes());
        assert_eq!(read(&packet).expect("IPv6").ecn, Ecn::Ect0);
        mark(&mut packet);
        let word = u32::from_be_bytes([packet[0], packet[1], packet[2], packet[3]]);
        assert_eq!(word, 6 << 28 | 0b1011_1011 << 20 | 0x0a_bcde);
    }

    #[test]
    fn five_tuples_are_told_apart_and_fragments_are_not() {
        let hash = |packet: &[u8]| read(packet).expect("IPv4").hash;
        assert_ne!(hash(&v4(0, [7, 9])), hash(&v4(0, [7, 10])));
        assert_eq!(hash(&v4(0, [7, 9])), hash(&v4(2, [7, 9])));
        let fragment = |ports| {
            let mut packet = v4(0, ports);
            packet[6] = 0x20;
            packet
        };
        assert_eq!(hash(&fragment([7, 9])), hash(&fragment([1, 2])));
    }

    #[test]
    fn what_is_no_ip_header_is_not_read() {
        for packet in [&[][..], &[0x45; 19], &[0x60; 39], &[0x10; 60]] {
            assert_eq!(read(packet), None);
        }
    }
}
