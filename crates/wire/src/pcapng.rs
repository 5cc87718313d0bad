//! Captures in the pcapng format: one section, one interface for each port and medium, nanosecond times.
//!
//! Reference: draft-ietf-opsawg-pcapng (PCAP Now Generic Capture File Format). Everything is
//! little-endian. The section header omits hardware and operating system, so that two runs of one
//! scenario leave equal files.
//!
//! The length of the frame check sequence stands twice. `if_fcslen` counts bits: the draft's text
//! says so, but its example is 4, and readers differ. The flags of each packet count bytes, which
//! nobody doubts.

use std::io::{self, ErrorKind, Write};

/// Largest frame a capture holds: the most Wireshark opens.
pub const MAX_FRAME: usize = 262_144;

const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;

const BYTE_ORDER_MAGIC: u32 = 0x1A2B_3C4D;

const OPT_END: u16 = 0;
const OPT_COMMENT: u16 = 1;
const SHB_USERAPPL: u16 = 4;
const IF_NAME: u16 = 2;
const IF_SPEED: u16 = 8;
const IF_TSRESOL: u16 = 9;
const IF_FCSLEN: u16 = 13;
const EPB_FLAGS: u16 = 2;

const FCS_BYTES: u32 = 4;
const OUTBOUND: u32 = 0b10;
const WITH_FCS: u32 = OUTBOUND | FCS_BYTES << 5;

/// The format of an interface's frames.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum LinkType {
    /// Ethernet, FCS included.
    Ethernet = 1,
    /// IP packets without a frame around them.
    Ip = 101,
    /// 802.11 behind a radiotap header, FCS included.
    Radiotap = 127,
}

/// A port or a medium as the capture lists it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Interface<'a> {
    /// Identifier of the port, for instance `W>D`, or of the medium.
    pub name: &'a str,
    /// Rate of its link in bit/s.
    pub speed_bps: u64,
    /// The format of its frames.
    pub link: LinkType,
}

/// A capture being written. Each block goes to the writer in one piece; after an error the file
/// may end within a block, and nothing more should be written.
#[derive(Debug)]
pub struct Capture<W: Write> {
    out: W,
    block: Vec<u8>,
    interfaces: Vec<LinkType>,
    bytes: u64,
}

impl<W: Write> Capture<W> {
    /// Begins a capture of these ports, written by Backwater `version`.
    ///
    /// # Errors
    /// When the writer fails; `InvalidInput` for a name or version above 65535 bytes.
    pub fn new(out: W, version: &str, interfaces: &[Interface<'_>]) -> io::Result<Self> {
        let mut capture = Capture {
            out,
            block: Vec::new(),
            interfaces: Vec::new(),
            bytes: 0,
        };
        capture.begin(SECTION_HEADER);
        capture.put(&BYTE_ORDER_MAGIC.to_le_bytes());
        capture.put(&1u16.to_le_bytes()); // major version
        capture.put(&0u16.to_le_bytes()); // minor version
        capture.put(&u64::MAX.to_le_bytes()); // length of the section: not given
        let application = format!("Backwater {version}");
        capture.option(SHB_USERAPPL, "version", application.as_bytes())?;
        capture.end()?;
        for interface in interfaces {
            capture.describe(interface)?;
        }
        Ok(capture)
    }

    /// Records a frame, FCS included, that left or should have left through the port with index
    /// `interface`, `at_ps` picoseconds after the run began. The comment says why it was dropped.
    ///
    /// # Errors
    /// When the writer fails; `InvalidInput` for an interface the capture does not list, a frame
    /// above [`MAX_FRAME`] or a comment above 65535 bytes. Then nothing has been written.
    pub fn frame(
        &mut self,
        at_ps: u64,
        interface: u32,
        bytes: &[u8],
        comment: Option<&str>,
    ) -> io::Result<()> {
        self.at_ns(at_ps / 1_000, interface, bytes, comment)
    }

    /// As [`Capture::frame`], so many nanoseconds after the capture's own zero, which may be that of Unix time.
    ///
    /// # Errors
    /// Those of [`Capture::frame`].
    pub fn at_ns(
        &mut self,
        at_ns: u64,
        interface: u32,
        bytes: &[u8],
        comment: Option<&str>,
    ) -> io::Result<()> {
        let Some(&link) = self.interfaces.get(interface as usize) else {
            return Err(refused(format!(
                "the capture lists {} interfaces, so there is no interface {interface}",
                self.interfaces.len()
            )));
        };
        let len = match u32::try_from(bytes.len()) {
            Ok(len) if bytes.len() <= MAX_FRAME => len,
            _ => {
                return Err(refused(format!(
                    "a frame of {} bytes; a capture holds at most {MAX_FRAME}",
                    bytes.len()
                )));
            }
        };
        self.begin(ENHANCED_PACKET);
        self.put(&interface.to_le_bytes());
        // Two 32-bit words, the high one first in either byte order.
        self.put(&((at_ns >> 32) as u32).to_le_bytes());
        self.put(&(at_ns as u32).to_le_bytes());
        self.put(&len.to_le_bytes()); // captured
        self.put(&len.to_le_bytes()); // original
        self.put(bytes);
        self.pad();
        let flags = match link {
            LinkType::Ip => OUTBOUND,
            _ => WITH_FCS,
        };
        self.option(EPB_FLAGS, "flags", &flags.to_le_bytes())?;
        if let Some(comment) = comment {
            self.option(OPT_COMMENT, "comment", comment.as_bytes())?;
        }
        self.end()
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Flushes the writer and hands it back.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn describe(&mut self, interface: &Interface<'_>) -> io::Result<()> {
        self.begin(INTERFACE_DESCRIPTION);
        self.put(&(interface.link as u16).to_le_bytes());
        self.put(&0u16.to_le_bytes()); // reserved
        self.put(&0u32.to_le_bytes()); // no limit on captured bytes
        self.option(IF_NAME, "interface name", interface.name.as_bytes())?;
        self.option(IF_SPEED, "speed", &interface.speed_bps.to_le_bytes())?;
        self.option(IF_TSRESOL, "resolution", &[9])?;
        if interface.link != LinkType::Ip {
            self.option(IF_FCSLEN, "FCS length", &[8 * FCS_BYTES as u8])?;
        }
        self.end()?;
        self.interfaces.push(interface.link);
        Ok(())
    }

    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.put(&kind.to_le_bytes());
        self.put(&[0; 4]); // the length, known at the end
    }

    fn put(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    fn option(&mut self, code: u16, what: &str, value: &[u8]) -> io::Result<()> {
        let len = u16::try_from(value.len()).map_err(|_| {
            refused(format!(
                "a {what} of {} bytes; pcapng holds at most 65535",
                value.len()
            ))
        })?;
        self.put(&code.to_le_bytes());
        self.put(&len.to_le_bytes());
        self.put(value);
        self.pad();
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.option(OPT_END, "end of options", &[])?;
        // A block holds one frame and two options at most, so its length fits 32 bits.
        let len = (self.block.len() as u32 + 4).to_le_bytes();
        self.put(&len);
        self.block[4..8].copy_from_slice(&len);
        self.out.write_all(&self.block)?;
        self.bytes += self.block.len() as u64;
        Ok(())
    }
}

fn refused(message: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pcap_parser::traits::PcapNGPacketBlock;
    use pcap_parser::{
        Block, EnhancedPacketBlock, InterfaceDescriptionBlock, OptionCode, PcapBlockOwned,
        PcapNGSlice,
    };

    const PORTS: [Interface<'_>; 2] = [
        Interface {
            name: "W>D",
            speed_bps: 10_000_000,
            link: LinkType::Ethernet,
        },
        Interface {
            name: "edge-α>core",
            speed_bps: 800_000_000_000,
            link: LinkType::Ethernet,
        },
    ];

    fn begin() -> Capture<Vec<u8>> {
        Capture::new(Vec::new(), "1.2.3", &PORTS).expect("a vector takes everything")
    }

    /// The blocks as an independent parser reads them.
    fn blocks(file: &[u8]) -> Vec<Block<'_>> {
        let blocks = PcapNGSlice::from_slice(file).expect("a section header");
        blocks
            .map(|block| match block.expect("a whole block") {
                PcapBlockOwned::NG(block) => block,
                PcapBlockOwned::Legacy(_) | PcapBlockOwned::LegacyHeader(_) => {
                    panic!("a pcap file")
                }
            })
            .collect()
    }

    fn interfaces(file: &[u8]) -> Vec<InterfaceDescriptionBlock<'_>> {
        let blocks = blocks(file).into_iter();
        blocks
            .filter_map(|block| match block {
                Block::InterfaceDescription(block) => Some(block),
                _ => None,
            })
            .collect()
    }

    fn packets(file: &[u8]) -> Vec<EnhancedPacketBlock<'_>> {
        let blocks = blocks(file).into_iter();
        blocks
            .filter_map(|block| match block {
                Block::EnhancedPacket(block) => Some(block),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn the_section_names_its_application_only() {
        let file = begin().finish().expect("flushed");
        let blocks = blocks(&file);
        let Block::SectionHeader(header) = &blocks[0] else {
            panic!("{:?} begins the file", blocks[0]);
        };
        assert!(!header.big_endian());
        assert_eq!((header.major_version, header.minor_version), (1, 0));
        assert_eq!(header.section_len, -1);
        let application = header.shb_userappl().expect("present").expect("text");
        assert_eq!(application, "Backwater 1.2.3");
        assert!(header.shb_hardware().is_none());
        assert!(header.shb_os().is_none());
    }

    #[test]
    fn every_port_is_an_interface() {
        let file = begin().finish().expect("flushed");
        let listed = interfaces(&file);
        assert_eq!(listed.len(), PORTS.len());
        for (interface, port) in listed.iter().zip(PORTS) {
            assert_eq!(interface.linktype, pcap_parser::Linktype::ETHERNET);
            assert_eq!(interface.snaplen, 0);
            assert_eq!(interface.if_name(), Some(Ok(port.name)));
            assert_eq!(interface.if_speed(), Some(Ok(port.speed_bps)));
            assert_eq!(interface.ts_resolution(), Some(1_000_000_000));
            let fcs = interface.options.iter().find(|o| o.code.0 == IF_FCSLEN);
            assert_eq!(fcs.and_then(|o| o.as_bytes().ok()), Some(&[32][..]));
        }
    }

    #[test]
    fn frames_of_every_length_come_back() {
        let mut capture = begin();
        let frames: Vec<Vec<u8>> = (0..9).map(|n| vec![0xA5; 64 + n]).collect();
        for frame in &frames {
            capture.frame(0, 1, frame, None).expect("written");
        }
        let file = capture.finish().expect("flushed");
        let read = packets(&file);
        assert_eq!(read.len(), frames.len());
        for (packet, frame) in read.iter().zip(&frames) {
            assert_eq!(packet.packet_data(), &frame[..]);
            assert_eq!(packet.if_id, 1);
            assert_eq!(packet.caplen, packet.origlen);
            assert_eq!(packet.block_len1 % 4, 0);
            assert_eq!(packet.block_len1, packet.block_len2);
        }
    }

    #[test]
    fn times_are_floored_to_nanoseconds() {
        let at = [
            (0, 0, 0),
            (999, 0, 0),
            (1_000, 0, 1),
            (1_234_567_890_123, 1, 234_567_890),
            // The last instant a run can name.
            (u64::MAX, 18_446_744, 73_709_551),
        ];
        let mut capture = begin();
        for (ps, ..) in at {
            capture.frame(ps, 0, &[0; 64], None).expect("written");
        }
        let file = capture.finish().expect("flushed");
        for (packet, (_, s, ns)) in packets(&file).iter().zip(at) {
            assert_eq!(packet.decode_ts(0, 1_000_000_000), (s, ns));
        }
    }

    #[test]
    fn a_drop_is_a_comment_and_every_frame_has_flags() {
        let reasons = [None, Some("dropped: buffer-full at W>D"), Some("é")];
        let mut capture = begin();
        for reason in reasons {
            capture.frame(0, 0, &[0; 65], reason).expect("written");
        }
        let file = capture.finish().expect("flushed");
        for (packet, reason) in packets(&file).iter().zip(reasons) {
            let find = |code| packet.options.iter().find(move |o| o.code == code);
            let comment = find(OptionCode::Comment).map(|o| o.as_str().expect("text"));
            assert_eq!(comment, reason);
            // Bits 0-1: 10 outbound. Bits 5-8: 4 bytes of FCS.
            let flags = find(OptionCode(2)).expect("present").as_u32_le();
            assert_eq!(flags, Ok(4 << 5 | 0b10));
        }
    }

    #[test]
    fn bytes_are_those_of_the_file() {
        let mut capture = begin();
        let head = capture.bytes();
        capture.frame(0, 0, &[0; 66], Some("why")).expect("written");
        // 28 of fields, 68 of padded frame, 8 of flags, 8 of comment, 4 of end, 4 of length.
        assert_eq!(capture.bytes() - head, 120);
        let bytes = capture.bytes();
        assert_eq!(capture.finish().expect("flushed").len() as u64, bytes);
    }

    #[test]
    fn what_the_format_cannot_hold_is_refused_and_leaves_no_trace() {
        let mut capture = begin();
        let before = capture.bytes();
        let long = "x".repeat(65_536);
        let refusals = [
            (capture.frame(0, 2, &[0; 64], None), "no interface 2"),
            (capture.frame(0, 0, &vec![0; 262_145], None), "262145 bytes"),
            (capture.frame(0, 0, &[0; 64], Some(&long)), "65536 bytes"),
        ];
        for (result, part) in refusals {
            let error = result.expect_err(part);
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            assert!(error.to_string().contains(part), "{error}");
        }
        assert_eq!(capture.bytes(), before);
        capture
            .frame(0, 0, &vec![0; 262_144], Some(&long[1..]))
            .expect("the largest is written");
        assert_eq!(packets(&capture.finish().expect("flushed")).len(), 1);

        let port = Interface {
            name: &long,
            speed_bps: 1,
            link: LinkType::Ethernet,
        };
        assert!(Capture::new(Vec::new(), "1", &[port]).is_err());
        assert!(Capture::new(Vec::new(), &long, &[]).is_err());
    }

    /// A disk with so many bytes left.
    struct Disk(usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(ErrorKind::StorageFull.into());
            }
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_an_error_wherever_it_fills() {
        let write = |disk| {
            let mut capture = Capture::new(disk, "1", &PORTS)?;
            capture.frame(0, 0, &[0; 64], Some("why"))?;
            capture.finish()
        };
        let whole = 1_000 - write(Disk(1_000)).expect("room for all").0;
        for room in 0..whole {
            let error = write(Disk(room)).err().expect("no room for the rest");
            assert_eq!(error.kind(), ErrorKind::StorageFull, "{room}");
        }
        assert!(write(Disk(whole)).is_ok());
    }
}
