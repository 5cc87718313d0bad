//! Next-generation capture files: blocks, each with its type, its length before and after, and a
//! body. A section begins with its own byte order and list of interfaces, and each interface has
//! its own resolution (`if_tsresol`) and offset (`if_tsoffset`) of time stamps.
//!
//! Reference: draft-ietf-opsawg-pcapng.
//! Differences: simple packet blocks are refused, for they have no time; blocks of unknown type are left
//! out; a block cut off is refused. Stamps finer than a picosecond are rounded down.

use crate::fault::{Fault, Place};
use crate::pcap_reader::{Fields, Frame};

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const OBSOLETE_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

const IF_TSRESOL: u16 = 9;
const IF_TSOFFSET: u16 = 14;

/// The facts about an interface that its packet blocks need.
#[derive(Copy, Clone)]
struct Interface {
    link: u16,
    resolution: u8,
    offset_s: i64,
}

impl Interface {
    /// Picoseconds since the epoch. A set top bit of the resolution means a power of two, otherwise it
    /// is one of ten.
    fn ps(&self, stamp: u64) -> i128 {
        let stamp = i128::from(stamp);
        let power = u32::from(self.resolution & 0x7f);
        let ps = if self.resolution & 0x80 != 0 {
            // At most 2^64 · 2^40.
            (stamp * 1_000_000_000_000) >> power.min(126)
        } else if power <= 12 {
            stamp * 10_i128.pow(12 - power)
        } else {
            // A stamp is below 10^20.
            stamp / 10_i128.pow((power - 12).min(20))
        };
        ps + i128::from(self.offset_s) * 1_000_000_000_000
    }
}

/// Whether the content begins as a capture of this kind.
pub fn begins(content: &[u8]) -> bool {
    content.starts_with(&SECTION.to_be_bytes())
}

/// Hands over each frame in the order of the file.
pub fn read<'a>(
    content: &'a [u8],
    take: &mut dyn FnMut(Frame<'a>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    if !begins(content) {
        return Err(Place::Whole.fault("not a pcapng file: it doesn't begin with a section header"));
    }
    let mut big = false;
    let mut interfaces: Vec<Interface> = Vec::new();
    let mut rest = content;
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        let place = Place::Block(number, content.len() - rest.len());
        if begins(rest) {
            big = byte_order(place, rest)?;
            interfaces.clear();
        }
        let (kind, body, after) = block(place, rest, big)?;
        rest = after;
        match kind {
            SECTION => section(place, &body)?,
            INTERFACE => interfaces.push(interface(place, &body)?),
            ENHANCED_PACKET => {
                let index = body.u32(0).map(|id| id as usize);
                take(packet(place, &body, &interfaces, index)?)?;
            }
            OBSOLETE_PACKET => {
                let index = body.u16(0).map(usize::from);
                take(packet(place, &body, &interfaces, index)?)?;
            }
            SIMPLE_PACKET => return Err(place.fault("a simple packet block has no time stamp")),
            // The format asks readers to pass over types that they don't know.
            _ => {}
        }
    }
    Ok(())
}

fn byte_order(place: Place, rest: &[u8]) -> Result<bool, Fault> {
    match rest.get(8..12) {
        Some([0x1a, 0x2b, 0x3c, 0x4d]) => Ok(true),
        Some([0x4d, 0x3c, 0x2b, 0x1a]) => Ok(false),
        Some(_) => Err(place.fault("the section header has no byte-order magic")),
        None => Err(place.fault("the file ends within the section header")),
    }
}

/// Type, body and what comes after the block.
fn block(place: Place, rest: &[u8], big: bool) -> Result<(u32, Fields<'_>, &[u8]), Fault> {
    let fields = Fields { bytes: rest, big };
    let (Some(kind), Some(length)) = (fields.u32(0), fields.u32(4)) else {
        return Err(place.fault("the file ends within the block's header"));
    };
    if length < 12 || !length.is_multiple_of(4) {
        return Err(place.fault(format!(
            "a block of {length} bytes: not 12 or more and a multiple of 4"
        )));
    }
    let Some((whole, after)) = rest.split_at_checked(length as usize) else {
        let left = rest.len();
        return Err(place.fault(format!(
            "the file ends within the block: {left} of {length} bytes"
        )));
    };
    let end = whole.len() - 4;
    let repeated = Fields {
        bytes: &whole[end..],
        big,
    }
    .u32(0);
    if repeated != Some(length) {
        return Err(place.fault(format!(
            "the length is {length} before and {} after",
            repeated.unwrap_or(0)
        )));
    }
    Ok((
        kind,
        Fields {
            bytes: &whole[8..end],
            big,
        },
        after,
    ))
}

fn section(place: Place, body: &Fields) -> Result<(), Fault> {
    match (body.u16(4), body.u16(6)) {
        (Some(1), Some(_)) => Ok(()),
        (Some(major), Some(minor)) => Err(place.fault(format!("version {major}.{minor}, not 1.x"))),
        _ => Err(place.fault("the section header ends before its version")),
    }
}

fn interface(place: Place, body: &Fields) -> Result<Interface, Fault> {
    let short = || place.fault("the interface description ends before its options");
    let link = body.u16(0).ok_or_else(short)?;
    let mut options = body.bytes.get(8..).ok_or_else(short)?;
    let mut found = Interface {
        link,
        resolution: 6,
        offset_s: 0,
    };
    loop {
        let head = Fields {
            bytes: options,
            big: body.big,
        };
        let (Some(code), Some(length)) = (head.u16(0), head.u16(2)) else {
            break;
        };
        if code == 0 {
            break;
        }
        let end = 4 + usize::from(length);
        let value = options
            .get(4..end)
            .ok_or_else(|| place.fault(format!("option {code} is longer than its block")))?;
        match (code, value) {
            (IF_TSRESOL, [resolution]) => found.resolution = *resolution,
            (IF_TSOFFSET, &[a, b, c, d, e, f, g, h]) => {
                let raw = [a, b, c, d, e, f, g, h];
                found.offset_s = if body.big {
                    i64::from_be_bytes(raw)
                } else {
                    i64::from_le_bytes(raw)
                };
            }
            (IF_TSRESOL | IF_TSOFFSET, _) => {
                return Err(place.fault(format!("option {code} has a length of {length} bytes")));
            }
            // Names, addresses, comments and the like.
            _ => {}
        }
        options = options.get(end.next_multiple_of(4)..).unwrap_or(&[]);
    }
    Ok(found)
}

fn packet<'a>(
    place: Place,
    body: &Fields<'a>,
    interfaces: &[Interface],
    index: Option<usize>,
) -> Result<Frame<'a>, Fault> {
    let (Some(index), Some(high), Some(low), Some(length), Some(wire)) =
        (index, body.u32(4), body.u32(8), body.u32(12), body.u32(16))
    else {
        return Err(place.fault("the packet block ends before its data"));
    };
    let interface = interfaces
        .get(index)
        .ok_or_else(|| place.fault(format!("interface {index} has not been described")))?;
    let end = 20_usize.saturating_add(length as usize);
    let captured = body
        .bytes
        .get(20..end)
        .ok_or_else(|| place.fault(format!("{length} captured bytes don't fit the block")))?;
    let stamp = u64::from(high) << 32 | u64::from(low);
    Ok(Frame {
        place,
        ps: interface.ps(stamp),
        link: interface.link,
        captured,
        wire,
    })
}
