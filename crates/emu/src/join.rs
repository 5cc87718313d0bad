//! Packets of one flow that leave together become one super-packet, by the rules by which Linux joins packets that it receives.
//! Whoever cuts it again has the packets as they were.
//!
//! Reference: Linux net/ipv4/tcp_offload.c (`tcp_gro_receive`), udp_offload.c (`udp_gro_receive_segment`), af_inet.c
//! (`inet_gro_receive`), net/ipv6/ip6_offload.c (`ipv6_gro_receive`).

use backwater_wire::ip;

use crate::offload::{
    CWR, Cut, FIN, HEADER, KIND_NONE, KIND_TCP4, KIND_TCP6, KIND_UDP, NEEDS_CHECKSUM, PSH, Run,
    fold, native, put, sum, word,
};

const TCP: u8 = 6;
const UDP: u8 = 17;
/// URG, RST, SYN: such a packet stays alone.
const ALONE: u8 = 0x20 | 0x04 | 0x02;
/// "Don't fragment" in the word of flags and offset.
const DF: u16 = 0x4000;
/// The longest IP packet.
const LONGEST: usize = 65_535;
/// Most segments of a super-packet of UDP (`UDP_GRO_CNT_MAX`).
const MOST_DATAGRAMS: usize = 64;

/// Which packets are joined: those whose super-packets devices take.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Joins {
    /// Those of TCP.
    pub tcp: bool,
    /// Those of UDP.
    pub udp: bool,
}

/// Headers of a packet, the device's in front, and the bytes behind them.
#[derive(Copy, Clone, Debug)]
pub struct Piece<'a> {
    /// The headers with which it would leave alone.
    pub headers: &'a [u8],
    /// What follows.
    pub payload: &'a [u8],
}

/// Where the headers of a packet lie whose kind is joined.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Shape {
    kind: u8,
    transport: usize,
    checksum: usize,
    headers: usize,
}

impl Shape {
    /// Of a packet; none for fragments, options or extensions of IP, and other protocols.
    fn of(packet: &[u8]) -> Option<Shape> {
        let (transport, protocol) = match packet.first()? >> 4 {
            4 if packet.len() >= 20 && packet[0] & 15 == 5 && word(packet, 6) & !DF == 0 => {
                (20, packet[9])
            }
            6 if packet.len() >= 40 => (40, packet[6]),
            _ => return None,
        };
        let (kind, checksum, own) = match protocol {
            TCP => {
                let kind = if transport == 20 {
                    KIND_TCP4
                } else {
                    KIND_TCP6
                };
                let own = usize::from(packet.get(transport + 12)? >> 4) * 4;
                (kind, 16, own.max(20))
            }
            UDP => (KIND_UDP, 6, 8),
            _ => return None,
        };
        let headers = transport + own;
        (packet.len() >= headers).then_some(Shape {
            kind,
            transport,
            checksum: transport + checksum,
            headers,
        })
    }

    fn is_v4(&self) -> bool {
        self.transport == 20
    }
}

/// Writes the headers with which a run of segments would leave alone, and gives the bytes behind them; none where they are of no
/// kind that is joined. `whole` is the packet that was read, with its device's header.
pub fn compose<'a>(
    cut: &Cut,
    run: Run,
    whole: &'a [u8],
    headers: &mut Vec<u8>,
) -> Option<&'a [u8]> {
    let packet = &whole[HEADER..];
    let shape = Shape::of(packet)?;
    if cut.segments() > 1 {
        return Some(cut.compose(run, packet, headers));
    }
    headers.clear();
    headers.extend_from_slice(&whole[..HEADER + shape.headers]);
    if run.mark {
        ip::mark(&mut headers[HEADER..]);
    }
    Some(&packet[shape.headers..])
}

/// The sum of the pseudo-header of a packet with so many bytes behind IP.
fn pseudo(packet: &[u8], shape: Shape, length: usize) -> u32 {
    let (addresses, protocol) = match shape.is_v4() {
        true => (12..20, packet[9]),
        false => (8..40, packet[6]),
    };
    sum(&packet[addresses]) + u32::from(protocol) + length as u32
}

impl Piece<'_> {
    fn packet(&self) -> &[u8] {
        &self.headers[HEADER..]
    }

    /// Payload of each segment but the last.
    fn size(&self) -> usize {
        match self.headers[1] {
            KIND_NONE => self.payload.len(),
            _ => native(self.headers, 4),
        }
    }

    fn segments(&self) -> usize {
        self.payload.len().div_ceil(self.size())
    }

    fn flags(&self, shape: Shape) -> u8 {
        match shape.kind {
            KIND_UDP => 0,
            _ => self.packet()[shape.transport + 13],
        }
    }

    /// Whether nothing may follow it: its last segment is short, or says that data end.
    fn ends(&self, shape: Shape) -> bool {
        !self.payload.len().is_multiple_of(self.size()) || self.flags(shape) & (FIN | PSH) != 0
    }

    /// Whether lengths say what is there, and it has data and no flag that keeps it alone.
    fn is_plain(&self, shape: Shape) -> bool {
        let packet = self.packet();
        let length = shape.headers + self.payload.len();
        let said = match shape.is_v4() {
            true => usize::from(word(packet, 2)),
            false => usize::from(word(packet, 4)) + 40,
        };
        let datagram = shape.kind != KIND_UDP
            || usize::from(word(packet, shape.transport + 4)) == length - shape.transport;
        said == length
            && datagram
            && !self.payload.is_empty()
            && self.flags(shape) & ALONE == 0
            && (!shape.is_v4() || fold(sum(&packet[..20])) == u16::MAX)
    }

    /// Whether its checksum is right, or left to the kernel with a right beginning. The kernel computes that of a super-packet anew,
    /// and would make a damaged packet a good one.
    fn is_undamaged(&self, shape: Shape) -> bool {
        let packet = self.packet();
        let length = shape.headers + self.payload.len() - shape.transport;
        let begins = pseudo(packet, shape, length);
        let own = word(packet, shape.checksum);
        if self.headers[0] & NEEDS_CHECKSUM != 0 {
            return native(self.headers, 6) == shape.transport
                && native(self.headers, 8) == shape.checksum - shape.transport
                && own == fold(begins);
        }
        // A datagram without a sum has zero there.
        let all = sum(&packet[shape.transport..shape.headers]) + sum(self.payload);
        (shape.kind != KIND_UDP || own != 0) && fold(u32::from(fold(all)) + begins) == u16::MAX
    }
}

/// Packets that are being joined.
#[derive(Debug)]
pub struct Joint<'a> {
    headers: &'a mut Vec<u8>,
    shape: Shape,
    /// Payload of each segment but the last.
    size: usize,
    segments: usize,
    /// Bytes of payload.
    payload: usize,
    /// Whether the identification of IPv4 stays or counts, once two packets have said so.
    stays: Option<bool>,
    ended: bool,
}

impl<'a> Joint<'a> {
    /// Begins with the packet of these headers; none where nothing can be joined to it.
    pub fn begin(headers: &'a mut Vec<u8>, payload: &[u8], joins: Joins) -> Option<Joint<'a>> {
        let shape = Shape::of(&headers[HEADER..])?;
        let first = Piece { headers, payload };
        let wanted = match shape.kind {
            KIND_UDP => joins.udp,
            _ => joins.tcp,
        };
        if !wanted || !first.is_plain(shape) || first.ends(shape) || !first.is_undamaged(shape) {
            return None;
        }
        let (size, segments) = (first.size(), first.segments());
        Some(Joint {
            shape,
            size,
            segments,
            payload: payload.len(),
            stays: (segments > 1).then_some(false),
            ended: false,
            headers,
        })
    }

    /// Takes the next packet where it continues those before it; says whether it did.
    pub fn take(&mut self, next: Piece<'_>) -> bool {
        let shape = self.shape;
        if self.ended || Shape::of(next.packet()) != Some(shape) || !next.is_plain(shape) {
            return false;
        }
        let sizes = match next.segments() {
            1 => next.payload.len() <= self.size,
            _ => next.size() == self.size,
        };
        let most = match shape.kind {
            KIND_UDP => MOST_DATAGRAMS,
            _ => usize::MAX,
        };
        let fits = shape.headers + self.payload + next.payload.len() <= LONGEST
            && self.segments + next.segments() <= most;
        if !sizes || !fits || !self.is_one_flow(next.packet()) {
            return false;
        }
        let Some(stays) = self.numbered(next) else {
            return false;
        };
        if !next.is_undamaged(shape) {
            return false;
        }
        self.stays = Some(stays);
        self.segments += next.segments();
        self.payload += next.payload.len();
        if shape.kind != KIND_UDP {
            self.headers[HEADER + shape.transport + 13] |= next.flags(shape) & (FIN | PSH);
        }
        self.ended = next.ends(shape) || !next.payload.len().is_multiple_of(self.size);
        true
    }

    /// Whether headers are equal but for lengths, numbers, sums, and flags that may differ. That holds addresses, ports, TTL, traffic
    /// class with its mark, flow label, acknowledgement, window and options.
    fn is_one_flow(&self, next: &[u8]) -> bool {
        let own = &self.headers[HEADER..];
        let at = self.shape.transport;
        let same = |parts: &[std::ops::Range<usize>]| {
            parts
                .iter()
                .all(|part| own[part.clone()] == next[part.clone()])
        };
        let network = match self.shape.is_v4() {
            true => same(&[0..2, 6..10, 12..20]),
            false => same(&[0..4, 6..40]),
        };
        if self.shape.kind == KIND_UDP {
            return network && own[at..at + 4] == next[at..at + 4];
        }
        // CWR may stand in the first alone.
        let flags = (own[at + 13] ^ next[at + 13]) & !(CWR | FIN | PSH) == 0;
        network
            && flags
            && next[at + 13] & CWR == 0
            && same(&[
                at..at + 4,
                at + 8..at + 13,
                at + 14..at + 16,
                at + 18..self.shape.headers,
            ])
    }

    /// Whether its identification stays, where its numbers follow: none where they do not. What stays needs DF: nobody cuts such
    /// packets, so nobody reads it (RFC 6864 4.1).
    fn numbered(&self, next: Piece<'_>) -> Option<bool> {
        let (own, packet) = (&self.headers[HEADER..], next.packet());
        if self.shape.kind != KIND_UDP {
            let number = |packet: &[u8]| {
                let at = self.shape.transport + 4;
                u32::from(word(packet, at)) << 16 | u32::from(word(packet, at + 2))
            };
            if number(packet) != number(own).wrapping_add(self.payload as u32) {
                return None;
            }
        }
        if !self.shape.is_v4() {
            return Some(false);
        }
        let passed = word(packet, 4).wrapping_sub(word(own, 4));
        if self.stays != Some(true) && usize::from(passed) == self.segments {
            return Some(false);
        }
        let one = next.segments() == 1 && word(packet, 6) & DF != 0;
        (self.stays != Some(false) && passed == 0 && one).then_some(true)
    }

    /// Finishes the headers of the super-packet, the device's in front.
    pub fn finish(self) {
        let shape = self.shape;
        let length = shape.headers + self.payload;
        let cut = Cut {
            kind: shape.kind,
            transport: shape.transport,
            checksum: shape.checksum,
            headers: shape.headers,
            size: self.size,
            length,
        };
        let run = Run {
            first: 0,
            count: self.segments,
            mark: false,
        };
        let whole = Piece {
            headers: self.headers,
            payload: &[],
        };
        let device = cut.device_header(run, whole.flags(shape));
        self.headers[..HEADER].copy_from_slice(&device);
        let own = &mut self.headers[HEADER..];
        if shape.is_v4() {
            put(own, 2, length as u16);
            put(own, 10, 0);
            let all = !fold(sum(&own[..20]));
            put(own, 10, all);
        } else {
            put(own, 4, (length - 40) as u16);
        }
        if shape.kind == KIND_UDP {
            put(own, shape.transport + 4, (length - shape.transport) as u16);
        }
        let begins = fold(pseudo(own, shape, length - shape.transport));
        put(own, shape.checksum, begins);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offload::{self, each_packet};
    use backwater_transport::random::Random;

    const ALL: Joins = Joins {
        tcp: true,
        udp: true,
    };

    /// A packet as a device hands it over.
    #[derive(Copy, Clone, Debug)]
    struct Sample {
        v6: bool,
        tcp: bool,
        /// The checksum is left to the kernel.
        partial: bool,
        traffic: u8,
        hops: u8,
        fragment: u16,
        id: u16,
        ports: u32,
        number: u32,
        acknowledged: u32,
        window: u16,
        flags: u8,
        stamp: u8,
        payload: usize,
    }

    const KINDS: [(bool, bool, bool); 8] = [
        (false, true, true),
        (false, true, false),
        (false, false, true),
        (false, false, false),
        (true, true, true),
        (true, true, false),
        (true, false, true),
        (true, false, false),
    ];

    impl Sample {
        /// Numbers that pass the end of their words within a few packets.
        fn new((v6, tcp, partial): (bool, bool, bool)) -> Sample {
            Sample {
                v6,
                tcp,
                partial,
                traffic: 2,
                hops: 64,
                fragment: DF,
                id: 0xfffd,
                ports: 0x1234_5678,
                number: u32::MAX - 150,
                acknowledged: 7,
                window: 500,
                flags: 0x10,
                stamp: 1,
                payload: 100,
            }
        }

        fn next(self) -> Sample {
            Sample {
                id: self.id.wrapping_add(1),
                number: self.number.wrapping_add(self.payload as u32),
                ..self
            }
        }

        /// RFC 1071, over octets.
        fn sum_of(parts: &[&[u8]]) -> u16 {
            let all = parts.concat();
            let words = all
                .chunks(2)
                .map(|w| u64::from(w[0]) << 8 | u64::from(*w.get(1).unwrap_or(&0)));
            let mut all: u64 = words.sum();
            while all > 0xffff {
                all = (all & 0xffff) + (all >> 16);
            }
            all as u16
        }

        /// Header of the device and packet.
        fn bytes(&self) -> Vec<u8> {
            let mut own = self.ports.to_be_bytes().to_vec();
            if self.tcp {
                own.extend(self.number.to_be_bytes());
                own.extend(self.acknowledged.to_be_bytes());
                own.extend([0x80, self.flags]);
                own.extend(self.window.to_be_bytes());
                own.extend([0; 4]);
                own.extend([1, 1, 8, 10, 0, 0, 0, self.stamp, 0, 0, 0, 9]);
            } else {
                own.extend(((8 + self.payload) as u16).to_be_bytes());
                own.extend([0; 2]);
            }
            let start = self.number as usize;
            own.extend((0..self.payload).map(|n| (start.wrapping_add(n) * 31 % 251) as u8));
            let (protocol, at) = if self.tcp { (6, 16) } else { (17, 6) };
            let length = own.len() as u16;
            let mut packet = match self.v6 {
                true => {
                    let mut six = vec![0x60 | self.traffic >> 4, self.traffic << 4 | 5, 1, 2];
                    six.extend(length.to_be_bytes());
                    six.extend([protocol, self.hops]);
                    six.extend((0..32).map(|n| n * 7));
                    six
                }
                false => {
                    let mut four = vec![0x45, self.traffic];
                    four.extend((20 + length).to_be_bytes());
                    four.extend(self.id.to_be_bytes());
                    four.extend(self.fragment.to_be_bytes());
                    four.extend([self.hops, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
                    let all = !Sample::sum_of(&[&four]);
                    four[10..12].copy_from_slice(&all.to_be_bytes());
                    four
                }
            };
            let addresses = if self.v6 {
                &packet[8..40]
            } else {
                &packet[12..20]
            };
            let pseudo = [addresses, &[0, protocol], &length.to_be_bytes()].concat();
            let sum = match self.partial {
                true => Sample::sum_of(&[&pseudo]),
                false => match !Sample::sum_of(&[&pseudo, &own]) {
                    0 => 0xffff,
                    sum => sum,
                },
            };
            own[at..at + 2].copy_from_slice(&sum.to_be_bytes());
            let mut all = vec![0; HEADER];
            if self.partial {
                all[0] = NEEDS_CHECKSUM;
                all[6..8].copy_from_slice(&(packet.len() as u16).to_ne_bytes());
                all[8..10].copy_from_slice(&(at as u16).to_ne_bytes());
            }
            packet.extend(own);
            all.extend(packet);
            all
        }
    }

    fn part<'a>(whole: &'a [u8], headers: &mut Vec<u8>) -> Option<&'a [u8]> {
        let cut = Cut::read(&whole[..HEADER], &whole[HEADER..]).expect("a packet");
        let run = Run {
            first: 0,
            count: cut.segments(),
            mark: false,
        };
        compose(&cut, run, whole, headers)
    }

    /// The packets as they are written: joined where neighbours can be.
    fn written(packets: &[Vec<u8>], joins: Joins) -> Vec<Vec<u8>> {
        let (mut all, mut rest) = (Vec::new(), packets);
        while let [first, others @ ..] = rest {
            let (mut headers, mut next) = (Vec::new(), Vec::new());
            let mut count = 1;
            let begun = part(first, &mut headers);
            let mut payload = begun.unwrap_or_default().to_vec();
            if begun.is_some()
                && let Some(mut joint) = Joint::begin(&mut headers, &payload.clone(), joins)
            {
                for other in others {
                    let Some(more) = part(other, &mut next) else {
                        break;
                    };
                    if !joint.take(Piece {
                        headers: &next,
                        payload: more,
                    }) {
                        break;
                    }
                    payload.extend_from_slice(more);
                    count += 1;
                }
                joint.finish();
            }
            all.push(match count {
                1 => first.clone(),
                _ => [headers, payload].concat(),
            });
            rest = &rest[count..];
        }
        all
    }

    /// What a receiver gets of what is written.
    fn received(written: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        for one in written {
            each_packet(one, |packet| all.push(packet.to_vec()));
        }
        all
    }

    fn chain(first: Sample, count: usize) -> Vec<Vec<u8>> {
        let samples = std::iter::successors(Some(first), |one| Some(one.next()));
        samples.take(count).map(|one| one.bytes()).collect()
    }

    #[test]
    fn packets_of_a_flow_are_one_write_and_cut_again_the_same_packets() {
        for kind in KINDS {
            let packets = chain(Sample::new(kind), 20);
            let all = written(&packets, ALL);
            assert_eq!(all.len(), 1, "{kind:?}");
            assert_eq!(received(&all), received(&packets), "{kind:?}");
            let (v6, tcp, _) = kind;
            let transport = if v6 { 40 } else { 20 };
            let (at, headers) = if tcp { (16, 32) } else { (6, 8) };
            let (header, packet) = all[0].split_at(HEADER);
            let said = [2, 4, 6, 8].map(|field| native(header, field));
            assert_eq!(said, [transport + headers, 100, transport, at], "{kind:?}");
            let own = match (tcp, v6) {
                (true, false) => KIND_TCP4,
                (true, true) => KIND_TCP6,
                (false, _) => KIND_UDP,
            };
            assert_eq!((header[0], header[1]), (NEEDS_CHECKSUM, own), "{kind:?}");
            // The checksum is a partial one: the sum of addresses, protocol and length.
            let addresses = if v6 { &packet[8..40] } else { &packet[12..20] };
            let length = ((headers + 20 * 100) as u16).to_be_bytes();
            let begins = Sample::sum_of(&[addresses, &[0, if tcp { 6 } else { 17 }], &length]);
            assert_eq!(word(packet, transport + at), begins, "{kind:?}");
            assert_eq!(written(&packets, Joins::default()).len(), 20);
        }
    }

    /// A change of the second of two packets after which they stay apart, and whether it counts for UDP and for IPv6.
    type Change = (&'static str, fn(&mut Sample), bool, bool);
    const APART: [Change; 18] = [
        ("CE", |s| s.traffic = 3, true, true),
        ("DSCP", |s| s.traffic = 0x22, true, true),
        ("TTL", |s| s.hops = 63, true, true),
        ("a fragment", |s| s.fragment = 0x2000, true, false),
        ("DF", |s| s.fragment = 0, true, false),
        (
            "identification",
            |s| s.id = s.id.wrapping_add(1),
            true,
            false,
        ),
        ("port", |s| s.ports ^= 1, true, true),
        (
            "a hole",
            |s| s.number = s.number.wrapping_add(100),
            false,
            true,
        ),
        (
            "a retransmission",
            |s| s.number = s.number.wrapping_sub(100),
            false,
            true,
        ),
        ("acknowledgement", |s| s.acknowledged = 8, false, true),
        ("window", |s| s.window = 501, false, true),
        ("ECE", |s| s.flags |= 0x40, false, true),
        ("CWR", |s| s.flags |= 0x80, false, true),
        ("URG", |s| s.flags |= 0x20, false, true),
        ("RST", |s| s.flags |= 0x04, false, true),
        ("options", |s| s.stamp = 2, false, true),
        ("longer", |s| s.payload = 101, true, true),
        ("empty", |s| s.payload = 0, true, true),
    ];

    #[test]
    fn a_packet_that_differs_stays_apart() {
        for kind in KINDS {
            let first = Sample::new(kind);
            let count_of = |packets: [Vec<u8>; 2]| written(&packets, ALL).len();
            let count = |second: Sample| count_of([first.bytes(), second.bytes()]);
            assert_eq!(count(first.next()), 1, "{kind:?}");
            for (name, change, udp, six) in APART {
                let mut second = first.next();
                change(&mut second);
                let counts = (udp || first.tcp) && (six || !first.v6);
                assert_eq!(count(second) == 2, counts, "{name}, {kind:?}");
            }
            // The same in both: URG, RST, SYN, and fragments.
            let both = |first: Sample| count_of([first.bytes(), first.next().bytes()]);
            for flags in [0x30, 0x14, 0x12] {
                let alone = usize::from(first.tcp) + 1;
                assert_eq!(
                    both(Sample { flags, ..first }),
                    alone,
                    "{flags:x}, {kind:?}"
                );
            }
            for fragment in [0x2000, 0x2001, 0x0001, 0x8000] {
                let alone = usize::from(!first.v6) + 1;
                let cut = Sample { fragment, ..first };
                assert_eq!(both(cut), alone, "{fragment:x}, {kind:?}");
            }
        }
    }

    #[test]
    fn a_short_packet_and_one_with_psh_or_fin_are_the_last() {
        let kind = KINDS[0];
        for (flags, payload) in [(0x18, 100), (0x11, 100), (0x10, 99), (0x10, 1)] {
            let first = Sample::new(kind);
            let last = Sample {
                flags,
                payload,
                ..first.next()
            };
            let packets = [
                first,
                last,
                Sample {
                    payload,
                    ..last.next()
                },
            ]
            .map(|one| one.bytes());
            let all = written(&packets, ALL);
            assert_eq!(all.len(), 2, "{flags:x}, {payload}");
            assert_eq!(received(&all), received(&packets));
        }
        // A first one that says so is alone.
        let first = Sample {
            flags: 0x18,
            ..Sample::new(kind)
        };
        assert_eq!(
            written(&[first.bytes(), first.next().bytes()], ALL).len(),
            2
        );
    }

    #[test]
    fn cwr_may_stand_in_the_first_and_stays_there() {
        for kind in [KINDS[0], KINDS[5]] {
            let first = Sample {
                flags: 0x90,
                ..Sample::new(kind)
            };
            let second = Sample {
                flags: 0x10,
                ..first.next()
            };
            let packets = [first, second, second.next()].map(|one| one.bytes());
            let all = written(&packets, ALL);
            assert_eq!(all.len(), 1);
            assert_eq!(received(&all), received(&packets));
        }
    }

    #[test]
    fn a_damaged_packet_stays_what_it_is() {
        for kind in KINDS.into_iter().filter(|(_, _, partial)| !partial) {
            let mut packets = chain(Sample::new(kind), 3);
            *packets[1].last_mut().expect("bytes") ^= 4;
            let all = written(&packets, ALL);
            assert_eq!(all, packets, "{kind:?}");
        }
        // IPv4 knows datagrams without a sum.
        let mut packets = chain(Sample::new(KINDS[3]), 2);
        packets.iter_mut().for_each(|one| put(one, HEADER + 26, 0));
        assert_eq!(written(&packets, ALL), packets);
    }

    #[test]
    fn an_identification_that_stays_is_joined_where_nobody_may_cut() {
        for (fragment, writes) in [(DF, 1), (0, 4)] {
            let same = Sample {
                fragment,
                ..Sample::new(KINDS[2])
            };
            let packets = vec![same.bytes(); 4];
            assert_eq!(written(&packets, ALL).len(), writes);
        }
        // It may not begin to count, nor stop.
        let first = Sample::new(KINDS[0]);
        let ids = |ids: [u16; 3]| {
            let mut one = first;
            let packets = ids.map(|id| {
                let bytes = Sample { id, ..one }.bytes();
                one = one.next();
                bytes
            });
            written(&packets, ALL).len()
        };
        assert_eq!([ids([5, 6, 7]), ids([5, 5, 5])], [1, 1]);
        assert_eq!([ids([5, 6, 6]), ids([5, 5, 6])], [2, 2]);
    }

    #[test]
    fn a_super_packet_has_at_most_65535_bytes_and_64_datagrams() {
        let large = Sample {
            payload: 1448,
            ..Sample::new(KINDS[0])
        };
        // 20 + 32 + 45 · 1448 = 65,212.
        let lengths = |packets: &[Vec<u8>]| -> Vec<usize> {
            let all = written(packets, ALL);
            all.iter().map(|one| one.len() - HEADER).collect()
        };
        assert_eq!(lengths(&chain(large, 60)), [65_212, 52 + 15 * 1448]);
        let datagrams = lengths(&chain(Sample::new(KINDS[2]), 100));
        assert_eq!(datagrams, [28 + 6400, 28 + 3600]);
    }

    #[test]
    fn super_packets_of_a_flow_are_joined_with_each_other() {
        for kind in KINDS {
            let packets = chain(Sample::new(kind), 12);
            let supers: Vec<Vec<u8>> = packets
                .chunks(4)
                .flat_map(|four| written(four, ALL))
                .collect();
            assert_eq!(supers.len(), 3);
            let all = written(&supers, ALL);
            assert_eq!(
                (all.len(), received(&all)),
                (1, received(&packets)),
                "{kind:?}"
            );
            let mixed = [&supers[0], &packets[4], &packets[5], &supers[2]].map(Clone::clone);
            let all = written(&mixed, ALL);
            // Two are missing.
            let gaps = if kind.0 && !kind.1 { 1 } else { 2 };
            assert_eq!(
                (all.len(), received(&all)),
                (gaps, received(&mixed)),
                "{kind:?}"
            );
        }
    }

    #[test]
    fn whatever_the_packets_a_receiver_gets_them_as_they_were() {
        let mut random = Random::stream(1, "test", "join");
        let (mut packets_all, mut writes) = (0, 0);
        for round in 0..400 {
            let mut one = Sample {
                payload: random.between(1, 300) as usize,
                ..Sample::new(KINDS[round % KINDS.len()])
            };
            let mut packets = Vec::new();
            for _ in 0..random.between(2, 40) {
                let mut changed = one;
                match random.between(0, 40) as usize {
                    which @ 0..18 => APART[which].1(&mut changed),
                    18 => changed.flags |= PSH,
                    19 => changed.flags |= FIN,
                    20 => changed.payload = random.between(1, 300) as usize,
                    _ => {}
                }
                let mut bytes = changed.bytes();
                if !one.partial && random.between(0, 20) == 0 {
                    let at = HEADER + random.between(0, (bytes.len() - HEADER - 1) as u64) as usize;
                    bytes[at] ^= 1 << random.between(0, 7);
                }
                packets.push(bytes);
                // From the second packet on some have other sizes, numbers or addresses than the first.
                if random.between(0, 3) > 0 {
                    one = one.next();
                }
                if random.between(0, 9) == 0 {
                    one = changed.next();
                }
            }
            let all = written(&packets, ALL);
            packets_all += packets.len();
            writes += all.len();
            assert_eq!(
                unnumbered(received(&all)),
                unnumbered(received(&packets)),
                "{round}"
            );
        }
        assert!(4 * writes < 3 * packets_all, "{writes} of {packets_all}");
    }

    /// Packets without what nobody reads: the identification of IPv4 under DF, and the sum that covers it where that is right.
    fn unnumbered(mut packets: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        for packet in &mut packets {
            if packet[0] == 0x45
                && word(packet, 6) == DF
                && fold(offload::sum(&packet[..20])) == u16::MAX
            {
                packet[4..6].fill(0);
                packet[10..12].fill(0);
            }
        }
        packets
    }
}
