//! Captures: pcap, pcapng and the packets within frames.

use proptest::prelude::*;

use super::text::{all, replay};
use super::*;

/// An Ethernet frame with an IPv4 packet that states this total length, followed by padding.
fn ethernet(total: u16, padding: usize) -> Vec<u8> {
    let mut frame = vec![0; 12];
    frame.extend([8, 0, 0x45, 0]);
    frame.extend(total.to_be_bytes());
    frame.resize(14 + usize::from(total).max(20) + padding, 0);
    frame
}

/// Numbers in one byte order.
struct Writer {
    big: bool,
    bytes: Vec<u8>,
}

impl Writer {
    fn u16(&mut self, n: u16) -> &mut Writer {
        self.bytes.extend(if self.big {
            n.to_be_bytes()
        } else {
            n.to_le_bytes()
        });
        self
    }

    fn u32(&mut self, n: u32) -> &mut Writer {
        self.bytes.extend(if self.big {
            n.to_be_bytes()
        } else {
            n.to_le_bytes()
        });
        self
    }
}

fn pcap(big: bool, magic: u32, link: u32, packets: &[(u32, u32, Vec<u8>)]) -> Vec<u8> {
    let mut w = Writer {
        big,
        bytes: Vec::new(),
    };
    w.u32(magic)
        .u16(2)
        .u16(4)
        .u32(0)
        .u32(0)
        .u32(262_144)
        .u32(link);
    for (seconds, fraction, frame) in packets {
        w.u32(*seconds)
            .u32(*fraction)
            .u32(frame.len() as u32)
            .u32(frame.len() as u32);
        w.bytes.extend(frame);
    }
    w.bytes
}

fn block(big: bool, kind: u32, body: &[u8]) -> Vec<u8> {
    let length = 12 + body.len().next_multiple_of(4) as u32;
    let mut w = Writer {
        big,
        bytes: Vec::new(),
    };
    w.u32(kind).u32(length);
    w.bytes.extend(body);
    w.bytes.resize(length as usize - 4, 0);
    w.u32(length);
    w.bytes
}

fn section(big: bool) -> Vec<u8> {
    let mut w = Writer {
        big,
        bytes: Vec::new(),
    };
    w.u32(0x1a2b_3c4d).u16(1).u16(0).u32(u32::MAX).u32(u32::MAX);
    block(big, 0x0a0d_0d0a, &w.bytes)
}

fn interface(big: bool, link: u16, resolution: Option<u8>, offset: Option<i64>) -> Vec<u8> {
    let mut w = Writer {
        big,
        bytes: Vec::new(),
    };
    w.u16(link).u16(0).u32(0);
    // A name of three bytes first: options are padded to four.
    w.u16(2).u16(3).bytes.extend(b"eth\0");
    if let Some(resolution) = resolution {
        w.u16(9).u16(1).bytes.extend([resolution, 0, 0, 0]);
    }
    if let Some(offset) = offset {
        w.u16(14).u16(8).bytes.extend(if big {
            offset.to_be_bytes()
        } else {
            offset.to_le_bytes()
        });
    }
    w.u16(0).u16(0);
    block(big, 1, &w.bytes)
}

fn packet(big: bool, interface: u32, stamp: u64, frame: &[u8]) -> Vec<u8> {
    let mut w = Writer {
        big,
        bytes: Vec::new(),
    };
    w.u32(interface).u32((stamp >> 32) as u32).u32(stamp as u32);
    w.u32(frame.len() as u32)
        .u32(frame.len() as u32)
        .bytes
        .extend(frame);
    block(big, 6, &w.bytes)
}

fn read(content: &[u8]) -> Result<AnySource, Refusal> {
    make("replay", replay(content, "auto", 1.0))
}

#[test]
fn pcap_in_both_byte_orders_and_both_resolutions() {
    let packets = [
        (1_700_000_000, 999_999, ethernet(1500, 0)),
        (1_700_000_001, 1, ethernet(40, 6)),
    ];
    for big in [true, false] {
        let micro = pcap(big, 0xa1b2_c3d4, 1, &packets);
        assert_eq!(all(read(&micro)), [(0, 1500), (2_000_000, 40)]);
        let nano = pcap(big, 0xa1b2_3c4d, 1, &packets);
        // From 999999 ns of one second to 1 ns of the next.
        assert_eq!(all(read(&nano)), [(0, 1500), (999_000_002_000, 40)]);
    }
}

#[test]
fn pcapng_respects_the_resolution_and_offset_of_each_interface() {
    // 2^-20 s is 953674.31640625 ps.
    for (resolution, step, expected) in [
        (None, 1, 1_000_000),
        (Some(0), 1, PS_PER_S),
        (Some(3), 1, 1_000_000_000),
        (Some(9), 1, 1_000),
        (Some(12), 1, 1),
        (Some(15), 5_999, 5),
        (Some(0x80 | 20), 1, 953_674),
        (Some(0x80 | 20), 1 << 20, PS_PER_S),
        (Some(0x80 | 127), u64::MAX, 0),
        (Some(127), u64::MAX, 0),
    ] {
        for big in [true, false] {
            let mut content = [section(big), interface(big, 1, resolution, None)].concat();
            for stamp in [0, step] {
                content.extend(packet(big, 0, stamp, &ethernet(100, 0)));
            }
            assert_eq!(
                all(read(&content)),
                [(0, 100), (expected, 100)],
                "{resolution:?}"
            );
        }
    }
    // Two interfaces whose clocks differ, and a second section in the other byte order.
    let content = [
        section(false),
        interface(false, 1, Some(9), Some(1_000)),
        interface(false, 101, Some(6), Some(-1)),
        packet(false, 0, 5, &ethernet(100, 0)),
        packet(false, 1, 1_001_000_001, &ethernet(200, 0)[14..]),
        block(false, 0x0bad, b"unknown"),
        section(true),
        interface(true, 1, Some(0), None),
        packet(true, 0, 1_002, &ethernet(300, 0)),
    ]
    .concat();
    // 1000 s + 5 ns, 1001.000001 s − 1 s, 1002 s.
    assert_eq!(
        all(read(&content)),
        [(0, 100), (995_000, 200), (1_999_999_995_000, 300)]
    );
}

#[test]
fn the_length_is_that_of_the_ip_packet() {
    let lengths = |link: u32, frame: Vec<u8>| {
        let reference = (0, 0, frame);
        let source = read(&pcap(true, 0xa1b2_c3d4, link, &[reference]));
        source.ok().map(|source| all(Ok(source))[0].1)
    };
    let ip = |total| ethernet(total, 0)[14..].to_vec();
    let with = |header: &[u8], packet: Vec<u8>| [header.to_vec(), packet].concat();
    // Padding does not count; zero (segmentation by the card) and nonsense mean all that was there.
    assert_eq!(lengths(1, ethernet(40, 6)), Some(40));
    assert_eq!(lengths(1, ethernet(0, 4000)), Some(4020));
    assert_eq!(lengths(1, ethernet(19, 100)), Some(120));
    let mut lie = ethernet(100, 0);
    lie.truncate(64);
    assert_eq!(lengths(1, lie), Some(50));
    // One and two VLAN tags, raw IP, null, Linux cooked capture in both versions.
    assert_eq!(
        lengths(
            1,
            with(&[&[0; 12][..], &[0x81, 0, 0, 5, 8, 0]].concat(), ip(100))
        ),
        Some(100)
    );
    let double = [&[0; 12][..], &[0x88, 0xa8, 0, 5, 0x81, 0, 0, 5, 8, 0]].concat();
    assert_eq!(lengths(1, with(&double, ip(100))), Some(100));
    for link in [12, 14, 101, 228] {
        assert_eq!(lengths(link, ip(100)), Some(100));
    }
    assert_eq!(lengths(0, with(&[2, 0, 0, 0], ip(100))), Some(100));
    assert_eq!(
        lengths(113, with(&[&[0; 14][..], &[8, 0]].concat(), ip(100))),
        Some(100)
    );
    assert_eq!(
        lengths(276, with(&[&[8, 0][..], &[0; 18]].concat(), ip(100))),
        Some(100)
    );
    // IPv6: payload length and a header of 40.
    let six = |payload: u16| [&[0x60, 0, 0, 0][..], &payload.to_be_bytes(), &[0; 134]].concat();
    assert_eq!(lengths(101, six(60)), Some(100));
    assert_eq!(lengths(101, six(0)), Some(140));
    // ARP alone leaves nothing; beside IP it's left out, and doesn't start the clock.
    let arp = [&[0; 12][..], &[8, 6], &[0; 46]].concat();
    assert_eq!(lengths(1, arp.clone()), None);
    let mixed = [
        (5, 0, arp),
        (6, 0, ethernet(100, 0)),
        (7, 0, ethernet(100, 0)),
    ];
    assert_eq!(
        all(read(&pcap(true, 0xa1b2_c3d4, 1, &mixed))),
        [(0, 100), (PS_PER_S, 100)]
    );
}

#[test]
fn malformed_captures_are_refused_with_place_and_reason() {
    let good = pcap(
        false,
        0xa1b2_c3d4,
        1,
        &[(1, 0, ethernet(100, 0)), (2, 0, ethernet(100, 0))],
    );
    let with = |at: usize, bytes: &[u8]| {
        let mut content = good.clone();
        content[at..at + bytes.len()].copy_from_slice(bytes);
        content
    };
    let le = |n: u32| n.to_le_bytes();
    let ng = |blocks: &[Vec<u8>]| {
        [
            [section(false), interface(false, 1, None, None)].concat(),
            blocks.concat(),
        ]
        .concat()
    };
    let first = packet(false, 0, 9, &ethernet(100, 0));
    let broken = |at: usize, n: u32| {
        let mut content = ng(std::slice::from_ref(&first));
        let start = content.len() - first.len() + at;
        content[start..start + 4].copy_from_slice(&le(n));
        content
    };
    let start = ng(&[]).len();
    let in_block = format!("block 3 at byte {start}: ");
    let in_next = format!("block 4 at byte {}: ", start + first.len());
    for (content, place, reason) in [
        (good[..10].to_vec(), "trace: ", "header of 24 bytes"),
        (good[..24].to_vec(), "trace: ", "no packets"),
        (good[..30].to_vec(), "packet 1 at byte 24: ", "16 bytes"),
        (
            good[..100].to_vec(),
            "packet 1 at byte 24: ",
            "60 of 114 bytes",
        ),
        (good[..160].to_vec(), "packet 2 at byte 154: ", "16 bytes"),
        (with(4, &[3, 0]), "trace: ", "version 3.4"),
        (with(20, &le(127)), "packet 1 at byte 24: ", "link type 127"),
        (
            with(28, &le(1_000_000)),
            "packet 1 at byte 24: ",
            "fraction of 1000000",
        ),
        (
            with(32, &le(u32::MAX)),
            "packet 1 at byte 24: ",
            "of 4294967295 bytes",
        ),
        (with(154, &le(0)), "packet 2 at byte 154: ", "1 s before"),
        (
            with(154, &le(u32::MAX)),
            "packet 2 at byte 154: ",
            "213 days",
        ),
        (
            pcap(true, 0xa1b2_c3d4, 1, &[(0, 0, vec![0; 13])]),
            "packet 1 at byte 24: ",
            "link header",
        ),
        (
            pcap(true, 0xa1b2_c3d4, 101, &[(0, 0, vec![])]),
            "packet 1 at byte 24: ",
            "only 0 bytes",
        ),
        (
            pcap(true, 0xa1b2_c3d4, 101, &[(0, 0, vec![0x45, 0, 0])]),
            "packet 1 at byte 24: ",
            "only 3 bytes",
        ),
        (vec![0x1f, 0x8b, 8], "trace: ", "gzip"),
        (section(false), "trace: ", "no packets"),
        (
            section(false)[..10].to_vec(),
            "block 1 at byte 0: ",
            "section header",
        ),
        (
            section(false)[..20].to_vec(),
            "block 1 at byte 0: ",
            "20 of 28 bytes",
        ),
        (
            block(false, 0x0a0d_0d0a, &[0; 16]),
            "block 1 at byte 0: ",
            "byte-order magic",
        ),
        (
            block(false, 0x0a0d_0d0a, &[0x4d, 0x3c, 0x2b, 0x1a]),
            "block 1 at byte 0: ",
            "before its version",
        ),
        (
            block(false, 0x0a0d_0d0a, &[0x4d, 0x3c, 0x2b, 0x1a, 2, 0, 0, 0]),
            "block 1 at byte 0: ",
            "version 2.0",
        ),
        (ng(&[vec![6, 0, 0]]), &in_block, "block's header"),
        (ng(&[block(false, 3, &[0; 8])]), &in_block, "no time stamp"),
        (
            ng(&[block(false, 6, &[0; 16])]),
            &in_block,
            "before its data",
        ),
        (
            ng(&[block(false, 1, &[1, 0, 0])]),
            &in_block,
            "before its options",
        ),
        (
            ng(&[block(false, 1, &[1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 8, 0])]),
            &in_block,
            "option 9 is longer",
        ),
        (
            ng(&[block(false, 1, &[1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 0, 6, 6])]),
            &in_block,
            "option 9 has a length of 2",
        ),
        (
            ng(&[packet(false, 1, 0, &ethernet(100, 0))]),
            &in_block,
            "interface 1",
        ),
        (broken(4, 8), &in_block, "a block of 8 bytes"),
        (broken(4, 33), &in_block, "a block of 33 bytes"),
        (broken(4, 1 << 31), &in_block, "of 2147483648 bytes"),
        (broken(4, 16), &in_block, "the length is 16 before"),
        (broken(20, 5000), &in_block, "5000 captured bytes"),
        (
            ng(&[first.clone(), packet(false, 0, 8, &ethernet(100, 0))]),
            &in_next,
            "0.000001 s before",
        ),
    ] {
        let refusal = read(&content).expect_err(reason);
        assert_eq!(refusal.option, "file");
        let what = refusal.what;
        assert!(
            what.contains(place) && what.contains(reason) && what.len() < 300,
            "{reason}: {what}"
        );
    }
    for format in ["pcap", "pcapng"] {
        let refusal = make("replay", replay(b"time_s,size_B\n", format, 1.0)).expect_err(format);
        assert!(
            refusal.what.contains(&format!("not a {format} file")),
            "{}",
            refusal.what
        );
    }
}

#[test]
fn a_capture_cut_off_anywhere_within_a_packet_is_refused() {
    let frame = ethernet(100, 0);
    let pcap = pcap(
        true,
        0xa1b2_c3d4,
        1,
        &[(1, 0, frame.clone()), (2, 0, frame.clone())],
    );
    let blocks = [
        section(true),
        interface(true, 1, None, None),
        packet(true, 0, 1, &frame),
        packet(true, 0, 2, &frame),
    ];
    let ends = |parts: &[usize]| {
        parts
            .iter()
            .scan(0, |sum, part| {
                *sum += part;
                Some(*sum)
            })
            .collect::<Vec<usize>>()
    };
    let lengths: Vec<usize> = blocks.iter().map(Vec::len).collect();
    for (content, ends) in [
        (pcap, ends(&[24, 130, 130])),
        (blocks.concat(), ends(&lengths)),
    ] {
        let readable: Vec<usize> = (0..=content.len())
            .filter(|n| read(&content[..*n]).is_ok())
            .collect();
        // Those that end with the first packet or the second.
        assert_eq!(readable, ends[ends.len() - 2..]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for format in ["auto", "pcap", "pcapng", "csv"] {
            // Whatever isn't refused has demands.
            if let Ok(mut source) = make("replay", replay(&bytes, format, 1.0)) {
                prop_assert!(!take(&mut source, Time::ZERO, &mut stream("bytes"), 100).is_empty());
            }
        }
    }

    #[test]
    fn damaged_captures_never_panic(
        big: bool,
        ng: bool,
        resolution: u8,
        offset: i64,
        damage in proptest::collection::vec((0..400usize, any::<u8>()), 0..6),
        end in 0..400usize,
    ) {
        let frame = ethernet(60, 4);
        let mut content = if ng {
            let interface = interface(big, 1, Some(resolution), Some(offset));
            [section(big), interface, packet(big, 0, 1, &frame), packet(big, 0, u64::MAX, &frame)].concat()
        } else {
            pcap(big, 0xa1b2_3c4d, 1, &[(1, 0, frame.clone()), (2, 0, frame)])
        };
        for (at, byte) in damage {
            if let Some(place) = content.get_mut(at) {
                *place = byte;
            }
        }
        content.truncate(end);
        if let Ok(mut source) = read(&content) {
            prop_assert!(!take(&mut source, Time::ZERO, &mut stream("bytes"), 100).is_empty());
        }
    }
}
