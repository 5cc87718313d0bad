//! Classic capture files: a header of 24 bytes, then records of 16 bytes and the captured part of a
//! frame. Four magic numbers say the byte order and whether the time stamps count micro- or
//! nanoseconds.
//!
//! Reference: draft-ietf-opsawg-pcap.
//! Differences: a file cut off within a record is refused, as are stamps with a second's worth of
//! fractions or more; the frame check sequence that the header may announce is not subtracted, for
//! lengths come from the IP header.

use crate::fault::{Fault, Place};

/// A frame of a capture.
pub struct Frame<'a> {
    /// Where in the file.
    pub place: Place,
    /// Picoseconds since the epoch.
    pub ps: i128,
    /// The header that the frame begins with: a LINKTYPE number.
    pub link: u16,
    /// The captured part.
    pub captured: &'a [u8],
    /// Bytes of the whole frame.
    pub wire: u32,
}

/// Numbers at fixed places, in the byte order of the file.
pub struct Fields<'a> {
    /// Where the fields are.
    pub bytes: &'a [u8],
    /// Most significant byte first.
    pub big: bool,
}

impl Fields<'_> {
    /// The 16-bit number at this place, unless the bytes end before.
    pub fn u16(&self, at: usize) -> Option<u16> {
        let raw = *self.bytes.get(at..)?.first_chunk::<2>()?;
        Some(if self.big {
            u16::from_be_bytes(raw)
        } else {
            u16::from_le_bytes(raw)
        })
    }

    /// The 32-bit number at this place, unless the bytes end before.
    pub fn u32(&self, at: usize) -> Option<u32> {
        let raw = *self.bytes.get(at..)?.first_chunk::<4>()?;
        Some(if self.big {
            u32::from_be_bytes(raw)
        } else {
            u32::from_le_bytes(raw)
        })
    }
}

const HEADER: usize = 24;
const RECORD: usize = 16;

/// Byte order and picoseconds of a unit of the stamps' fractions, if the content begins as a capture.
pub fn magic(content: &[u8]) -> Option<(bool, u32)> {
    match content.first_chunk::<4>()? {
        [0xa1, 0xb2, 0xc3, 0xd4] => Some((true, 1_000_000)),
        [0xd4, 0xc3, 0xb2, 0xa1] => Some((false, 1_000_000)),
        [0xa1, 0xb2, 0x3c, 0x4d] => Some((true, 1_000)),
        [0x4d, 0x3c, 0xb2, 0xa1] => Some((false, 1_000)),
        _ => None,
    }
}

/// Hands over each frame in the order of the file.
pub fn read<'a>(
    content: &'a [u8],
    take: &mut dyn FnMut(Frame<'a>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let whole = |what: &str| Place::Whole.fault(what);
    let (big, unit) =
        magic(content).ok_or_else(|| whole("not a pcap file: unknown magic number"))?;
    let header = Fields {
        bytes: content,
        big,
    };
    let short = || whole("the file ends within the header of 24 bytes");
    let (Some(major), Some(minor)) = (header.u16(4), header.u16(6)) else {
        return Err(short());
    };
    let link = header.u32(20).ok_or_else(short)?;
    if (major, minor) != (2, 4) {
        return Err(whole(&format!(
            "version {major}.{minor} where 2.4 is the only one in use"
        )));
    }
    let mut rest = &content[HEADER..];
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        let place = Place::Packet(number, content.len() - rest.len());
        let record = Fields { bytes: rest, big };
        let (Some(seconds), Some(fraction), Some(length), Some(wire)) =
            (record.u32(0), record.u32(4), record.u32(8), record.u32(12))
        else {
            return Err(place.fault("the file ends within the record's header of 16 bytes"));
        };
        let ps = i128::from(fraction) * i128::from(unit);
        if ps >= 1_000_000_000_000 {
            return Err(place.fault(format!(
                "the time stamp has a fraction of {fraction}, a second or more"
            )));
        }
        let end = RECORD.saturating_add(length as usize);
        let captured = rest.get(RECORD..end).ok_or_else(|| {
            let left = rest.len() - RECORD;
            place.fault(format!(
                "the file ends within the frame: {left} of {length} bytes"
            ))
        })?;
        rest = &rest[end..];
        take(Frame {
            place,
            ps: i128::from(seconds) * 1_000_000_000_000 + ps,
            // The upper half holds the length of the frame check sequence.
            link: link as u16,
            captured,
            wire,
        })?;
    }
    Ok(())
}
