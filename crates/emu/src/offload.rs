//! Super-packets: segmentation offload of TUN devices. The kernel hands over one packet of up to 64 KiB with a header that says
//! where to cut it. The model sees each segment as a packet of its own; neighbouring segments that leave the model together are
//! written as one packet again, and the others as what the kernel would have cut. `join` joins further packets.
//!
//! Reference: VIRTIO 1.2, 5.1.6 (`struct virtio_net_hdr`); RFC 9293 (TCP), RFC 768 (UDP), RFC 3168, 6.1.2 (CWR).

use backwater_wire::ip;

/// Bytes of the header in front of each packet of a device.
pub const HEADER: usize = 10;
pub(crate) const NEEDS_CHECKSUM: u8 = 1;
pub(crate) const KIND_NONE: u8 = 0;
pub(crate) const KIND_TCP4: u8 = 1;
pub(crate) const KIND_TCP6: u8 = 4;
pub(crate) const KIND_UDP: u8 = 5;
/// The first segment of a TCP packet has CWR.
const KIND_ECN: u8 = 0x80;
pub(crate) const FIN: u8 = 0x01;
pub(crate) const PSH: u8 = 0x08;
pub(crate) const CWR: u8 = 0x80;

/// Where a packet is cut.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    pub(crate) kind: u8,
    /// Where the header of TCP or UDP begins.
    pub(crate) transport: usize,
    /// Where its checksum lies.
    pub(crate) checksum: usize,
    /// Bytes in front of the payload.
    pub(crate) headers: usize,
    /// Payload of each segment but the last; 0 for a packet that is one segment.
    pub(crate) size: usize,
    /// Bytes of the whole packet.
    pub(crate) length: usize,
}

/// Neighbouring segments of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first of them.
    pub first: usize,
    /// How many.
    pub count: usize,
    /// Whether the model marked them.
    pub mark: bool,
}

pub(crate) fn native(bytes: &[u8], at: usize) -> usize {
    u16::from_ne_bytes([bytes[at], bytes[at + 1]]).into()
}

pub(crate) fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

pub(crate) fn put(bytes: &mut [u8], at: usize, word: u16) {
    bytes[at..at + 2].copy_from_slice(&word.to_be_bytes());
}

/// The words of these bytes, an odd last octet as the first of two, added up (RFC 1071).
pub(crate) fn sum(bytes: &[u8]) -> u32 {
    let pairs = bytes.chunks_exact(2);
    let odd = pairs.remainder().first().map_or(0, |b| u32::from(*b) << 8);
    pairs.map(|w| u32::from(word(w, 0))).sum::<u32>() + odd
}

/// A sum of words in the arithmetic of RFC 1071.
pub(crate) fn fold(mut sum: u32) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

impl Cut {
    /// Reads the header of a packet; none where it says what the packet does not hold.
    pub fn read(header: &[u8], packet: &[u8]) -> Option<Cut> {
        let length = packet.len();
        let whole = Cut {
            kind: KIND_NONE,
            transport: 0,
            checksum: 0,
            headers: 0,
            size: 0,
            length,
        };
        let kind = header[1] & !KIND_ECN;
        if kind == KIND_NONE {
            return Some(whole);
        }
        let (size, transport) = (native(header, 4), native(header, 6));
        let headers = match kind {
            KIND_TCP4 | KIND_TCP6 => transport + usize::from(packet.get(transport + 12)? >> 4) * 4,
            KIND_UDP => transport + 8,
            _ => return None,
        };
        let checksum = transport + native(header, 8);
        let partial = header[0] & NEEDS_CHECKSUM != 0;
        let fits = transport >= 20 && headers < length && checksum + 2 <= headers;
        (partial && fits && size > 0).then_some(Cut {
            kind,
            transport,
            checksum,
            headers,
            size,
            length,
        })
    }

    /// How many packets the model sees.
    pub fn segments(&self) -> usize {
        match self.size {
            0 => 1,
            size => (self.length - self.headers).div_ceil(size),
        }
    }

    /// Bytes of the IP packet that a segment is.
    pub fn segment_length(&self, segment: usize) -> usize {
        match self.size {
            0 => self.length,
            size => {
                let payload = self.length - self.headers;
                self.headers + size.min(payload - segment * size)
            }
        }
    }

    /// Bytes of the whole packet.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Whether these are all segments of the packet.
    pub fn is_whole(&self, run: Run) -> bool {
        run.count == self.segments()
    }

    /// Writes the headers of a run of segments, the device's in front, and gives the part of the packet that follows them.
    /// The checksum is left to the kernel, as in the packet that was read: its place has the sum of the pseudo-header.
    pub fn compose<'a>(&self, run: Run, packet: &'a [u8], headers: &mut Vec<u8>) -> &'a [u8] {
        let from = self.headers + run.first * self.size;
        let payload = &packet[from..(from + run.count * self.size).min(self.length)];
        headers.clear();
        let flags = match self.kind {
            KIND_UDP => 0,
            _ => packet[self.transport + 13],
        };
        headers.extend_from_slice(&self.device_header(run, flags));
        headers.extend_from_slice(&packet[..self.headers]);
        let own = &mut headers[HEADER..];
        let length = self.headers + payload.len();
        self.transport_header(own, run, length);
        if own[0] >> 4 == 6 {
            put(own, 4, (length - 40) as u16);
        } else {
            put(own, 2, length as u16);
            let id = word(own, 4).wrapping_add(run.first as u16);
            put(own, 4, id);
            put(own, 10, 0);
            let all = !fold(sum(&own[..usize::from(own[0] & 15) * 4]));
            put(own, 10, all);
        }
        if run.mark {
            ip::mark(own);
        }
        payload
    }

    pub(crate) fn device_header(&self, run: Run, tcp_flags: u8) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[0] = NEEDS_CHECKSUM;
        let mut set = |at: usize, value: usize| {
            header[at..at + 2].copy_from_slice(&(value as u16).to_ne_bytes());
        };
        set(2, self.headers);
        set(6, self.transport);
        set(8, self.checksum - self.transport);
        if run.count > 1 {
            set(4, self.size);
            let cwr = run.first == 0 && tcp_flags & CWR != 0;
            header[1] = self.kind | if cwr { KIND_ECN } else { 0 };
        }
        header
    }

    /// Numbers, flags, length and the sum of the pseudo-header.
    fn transport_header(&self, own: &mut [u8], run: Run, length: usize) {
        let at = self.transport;
        // The pseudo-header has the length of what follows IP. RFC 1624, equation 3, without the complement.
        let (before, after) = (self.length - at, length - at);
        let sum = u32::from(word(own, self.checksum)) + u32::from(!(before as u16));
        put(own, self.checksum, fold(sum + after as u32));
        if self.kind == KIND_UDP {
            put(own, at + 4, after as u16);
            return;
        }
        let number = u32::from(word(own, at + 4)) << 16 | u32::from(word(own, at + 6));
        let number = number.wrapping_add((run.first * self.size) as u32);
        own[at + 4..at + 8].copy_from_slice(&number.to_be_bytes());
        if run.first > 0 {
            own[at + 13] &= !CWR;
        }
        if run.first + run.count < self.segments() {
            own[at + 13] &= !(FIN | PSH);
        }
    }
}

/// The packets that the kernel makes of what was written to a device, checksums included.
pub fn each_packet(written: &[u8], mut give: impl FnMut(&[u8])) {
    let (header, packet) = written.split_at(HEADER);
    let Some(cut) = Cut::read(header, packet) else {
        return give(packet);
    };
    let mut bytes = Vec::new();
    for first in 0..cut.segments() {
        let run = Run {
            first,
            count: 1,
            mark: false,
        };
        if cut.size == 0 {
            bytes.clear();
            bytes.extend_from_slice(written);
        } else {
            let payload = cut.compose(run, packet, &mut bytes);
            bytes.extend_from_slice(payload);
        }
        complete(&mut bytes);
        give(&bytes[HEADER..]);
    }
}

/// Fills in the checksum that a header leaves to the kernel. A sum of zero is written as ones, which is equal to it, since UDP
/// takes zero for no sum.
fn complete(written: &mut [u8]) {
    let (header, packet) = written.split_at_mut(HEADER);
    let (start, at) = (native(header, 6), native(header, 6) + native(header, 8));
    if header[0] & NEEDS_CHECKSUM == 0 || at + 2 > packet.len() || start > at {
        return;
    }
    let own = match !fold(sum(&packet[start..])) {
        0 => u16::MAX,
        own => own,
    };
    put(packet, at, own);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: usize = 100;

    /// The sum of all words, odd octet included (RFC 1071).
    fn sum(bytes: &[u8]) -> u32 {
        let words = bytes.chunks(2);
        words
            .map(|w| u32::from(w[0]) << 8 | u32::from(*w.get(1).unwrap_or(&0)))
            .sum()
    }

    /// The sum of a pseudo-header with this many bytes behind the IP header.
    fn pseudo(packet: &[u8], protocol: u8, length: usize) -> u16 {
        let addresses = if packet[0] >> 4 == 4 { 12..20 } else { 8..40 };
        fold(sum(&packet[addresses]) + u32::from(protocol) + length as u32)
    }

    /// A super-packet with its header, as the kernel hands it over.
    fn given(version: u8, tcp: bool, payload: usize) -> Vec<u8> {
        let protocol = if tcp { 6 } else { 17 };
        let mut packet = match version {
            4 => vec![
                0x45, 2, 0, 0, 0xff, 0xfe, 0x40, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
            ],
            _ => {
                let mut header = vec![0x60, 0x20, 0, 0, 0, 0, protocol, 64];
                header.extend((0..32u8).map(|n| n * 7));
                header
            }
        };
        let transport = packet.len();
        packet.extend([0x12, 0x34, 0x56, 0x78]);
        let (checksum, kind) = match tcp {
            true => {
                // A number that passes 2^32 within the packet; data offset of 32 bytes; CWR, ACK, PSH, FIN.
                packet.extend([
                    0xff, 0xff, 0xff, 0x9d, 0, 0, 0, 1, 0x80, 0x99, 1, 1, 0, 0, 0, 0,
                ]);
                packet.extend([1; 12]);
                (
                    16,
                    if version == 4 { KIND_TCP4 } else { KIND_TCP6 } | KIND_ECN,
                )
            }
            false => {
                packet.extend(((8 + payload) as u16).to_be_bytes());
                packet.extend([0, 0]);
                (6, KIND_UDP)
            }
        };
        let headers = packet.len();
        packet.extend((0..payload).map(|n| (n * 31 % 251) as u8));
        let length = packet.len();
        if version == 4 {
            put(&mut packet, 2, length as u16);
            let own = !fold(sum(&packet[..20]));
            put(&mut packet, 10, own);
        } else {
            put(&mut packet, 4, (length - 40) as u16);
        }
        let start = pseudo(&packet, protocol, length - transport);
        put(&mut packet, transport + checksum, start);
        let mut all = vec![NEEDS_CHECKSUM, kind];
        for value in [headers, SIZE, transport, checksum] {
            all.extend((value as u16).to_ne_bytes());
        }
        all.extend(packet);
        all
    }

    /// The packet as the device sends it, which computes the checksum in its place.
    fn completed(headers: &[u8], payload: &[u8]) -> Vec<u8> {
        let mut packet = [&headers[HEADER..], payload].concat();
        let (start, at) = (native(headers, 6), native(headers, 8));
        let own = !fold(sum(&packet[start..]));
        put(&mut packet, start + at, own);
        packet
    }

    #[test]
    fn segments_are_counted_with_the_last_one() {
        for (payload, segments, last) in [(1, 1, 1), (100, 1, 100), (101, 2, 1), (950, 10, 50)] {
            let all = given(4, true, payload);
            let cut = Cut::read(&all, &all[HEADER..]).expect("a super-packet");
            assert_eq!(cut.segments(), segments);
            assert_eq!(cut.segment_length(segments - 1), 20 + 32 + last);
        }
    }

    #[test]
    fn each_segment_alone_is_a_right_packet() {
        for (version, tcp) in [(4, true), (6, true), (4, false), (6, false)] {
            let all = given(version, tcp, 950);
            let packet = &all[HEADER..];
            let cut = Cut::read(&all, packet).expect("a super-packet");
            let transport = if version == 4 { 20 } else { 40 };
            let protocol = if tcp { 6 } else { 17 };
            for first in 0..10 {
                let run = Run {
                    first,
                    count: 1,
                    mark: first == 3,
                };
                let mut headers = Vec::new();
                let payload = cut.compose(run, packet, &mut headers);
                let one = completed(&headers, payload);
                let case = format!("IPv{version}, TCP {tcp}, segment {first}");
                assert_eq!(headers[1], KIND_NONE, "{case}");
                assert_eq!(one.len(), cut.segment_length(first), "{case}");
                // RFC 1071: with the checksum in its place all words sum to 0xffff.
                let all_words = sum(&one[transport..])
                    + u32::from(pseudo(&one, protocol, one.len() - transport));
                assert_eq!(fold(all_words), 0xffff, "{case}");
                let ecn = ip::read(&one).expect("IP").ecn;
                assert_eq!(ecn == ip::codepoint(3), run.mark, "{case}");
                if version == 4 {
                    assert_eq!(fold(sum(&one[..20])), 0xffff, "{case}");
                    assert_eq!(word(&one, 4), 0xfffe_u16.wrapping_add(first as u16));
                }
                if tcp {
                    let number = u32::from_be_bytes(one[transport + 4..][..4].try_into().unwrap());
                    assert_eq!(number, 0xffff_ff9d_u32.wrapping_add(first as u32 * 100));
                    let flags = match first {
                        0 => 0x90,
                        9 => 0x19,
                        _ => 0x10,
                    };
                    assert_eq!(one[transport + 13], flags, "{case}");
                } else {
                    assert_eq!(word(&one, transport + 4) as usize, one.len() - transport);
                }
            }
        }
    }

    #[test]
    fn a_capture_has_each_packet_that_the_kernel_makes() {
        for (version, tcp) in [(4, true), (6, true), (4, false), (6, false)] {
            let all = given(version, tcp, 950);
            let cut = Cut::read(&all, &all[HEADER..]).expect("a super-packet");
            let transport = if version == 4 { 20 } else { 40 };
            let protocol = if tcp { 6 } else { 17 };
            let mut lengths = Vec::new();
            each_packet(&all, |one| {
                // RFC 1071, as above.
                let begins = u32::from(pseudo(one, protocol, one.len() - transport));
                assert_eq!(fold(sum(&one[transport..]) + begins), 0xffff);
                lengths.push(one.len());
            });
            let asked: Vec<usize> = (0..10).map(|n| cut.segment_length(n)).collect();
            assert_eq!(lengths, asked, "IPv{version}, TCP {tcp}");
            // One packet whose checksum was left open, and one that is whole.
            let run = Run {
                first: 2,
                count: 1,
                mark: false,
            };
            let mut one = Vec::new();
            let payload = cut.compose(run, &all[HEADER..], &mut one);
            let kernel = completed(&one, payload);
            one.extend_from_slice(payload);
            each_packet(&one, |packet| assert_eq!(packet, kernel));
            let whole = [&[0; HEADER][..], &kernel].concat();
            each_packet(&whole, |packet| assert_eq!(packet, kernel));
        }
    }

    #[test]
    fn neighbours_stay_one_packet_with_the_cuts_of_the_first() {
        let all = given(4, true, 950);
        let packet = &all[HEADER..];
        let cut = Cut::read(&all, packet).expect("a super-packet");
        let mut headers = Vec::new();
        for (first, count, kind) in [(0, 4, KIND_TCP4 | KIND_ECN), (4, 6, KIND_TCP4)] {
            let run = Run {
                first,
                count,
                mark: false,
            };
            let payload = cut.compose(run, packet, &mut headers);
            assert_eq!((headers[1], native(&headers, 4)), (kind, SIZE));
            let whole = [&headers[HEADER..], payload].concat();
            let again = Cut::read(&headers, &whole).expect("a super-packet");
            assert_eq!(again.segments(), count);
            assert_eq!(word(&whole, 36), pseudo(&whole, 6, whole.len() - 20));
            assert_eq!(payload, &packet[52 + first * SIZE..][..payload.len()]);
        }
    }

    #[test]
    fn datagrams_shorter_than_a_header_of_tcp_are_cut() {
        let mut all = given(4, false, 3);
        all[4..6].copy_from_slice(&1u16.to_ne_bytes());
        let mut lengths = Vec::new();
        each_packet(&all, |one| lengths.push(one.len()));
        assert_eq!(lengths, [29; 3]);
    }

    #[test]
    fn a_header_that_says_what_is_not_there_is_refused() {
        let all = given(4, true, 950);
        assert_eq!(Cut::read(&all, &all[HEADER..][..30]), None);
        let mut empty = all.clone();
        empty[4..6].fill(0);
        assert_eq!(Cut::read(&empty, &empty[HEADER..]), None);
        let mut unknown = all.clone();
        unknown[1] = 9;
        assert_eq!(Cut::read(&unknown, &unknown[HEADER..]), None);
    }
}
