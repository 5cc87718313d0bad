//! Bytes of packets that are in the world. A tag names a place here and a segment of the packet there; a place is used again when
//! all its segments have come out.

use backwater_transport::segment::Ecn;
use backwater_transport::units::Span;

use crate::offload::{Cut, HEADER};

/// Bits of a tag that name the segment.
const SEGMENT_BITS: u32 = 16;
/// Longer packets keep the buffer into which they were read; shorter ones are copied out of it.
const COPIED: usize = 4096;
/// Buffers of long packets that wait for the next: 16 MiB.
const SPARE: usize = 256;

/// A packet with the header of its device.
#[derive(Debug)]
pub struct Kept {
    /// Header and packet.
    bytes: Vec<u8>,
    /// Where it is cut.
    pub cut: Cut,
    /// The codepoint with which it came in.
    pub ecn: Ecn,
    /// How long it may have waited in its device.
    pub waited: Span,
    /// Segments that are in the world.
    left: usize,
}

impl Kept {
    /// Header and packet, without what lies behind them in a buffer of a longer one.
    pub fn whole(&self) -> &[u8] {
        &self.bytes[..HEADER + self.cut.length()]
    }
}

/// The bytes of packets, by tag.
#[derive(Debug, Default)]
pub struct Payloads {
    places: Vec<Kept>,
    free: Vec<usize>,
    spare: Vec<Vec<u8>>,
    held: usize,
}

/// The tag of a segment.
pub fn tag(place: usize, segment: usize) -> u64 {
    (place as u64) << SEGMENT_BITS | segment as u64
}

/// Place and segment of a tag.
pub fn split(tag: u64) -> (usize, usize) {
    let segment = tag & ((1 << SEGMENT_BITS) - 1);
    ((tag >> SEGMENT_BITS) as usize, segment as usize)
}

impl Payloads {
    /// Keeps the first bytes of a buffer and gives their place. The buffer stays as long as it is.
    pub fn keep(&mut self, buffer: &mut Vec<u8>, length: usize, cut: Cut, ecn: Ecn) -> usize {
        let left = cut.segments();
        self.held += left;
        let place = self.free.pop().unwrap_or_else(|| {
            let bytes = Vec::new();
            self.places.push(Kept {
                bytes,
                cut,
                ecn,
                waited: Span::ZERO,
                left,
            });
            self.places.len() - 1
        });
        let kept = &mut self.places[place];
        (kept.cut, kept.ecn, kept.left) = (cut, ecn, left);
        if length > COPIED {
            let size = buffer.len();
            let other = self.spare.pop().unwrap_or_else(|| vec![0; size]);
            kept.bytes = std::mem::replace(buffer, other);
        } else {
            kept.bytes.clear();
            kept.bytes.extend_from_slice(&buffer[..length]);
        }
        place
    }

    /// The packet of a place.
    pub fn get(&self, place: usize) -> &Kept {
        &self.places[place]
    }

    /// The packet of a place, to say more about it.
    pub fn get_mut(&mut self, place: usize) -> &mut Kept {
        &mut self.places[place]
    }

    /// Copies of segments of a place have come into the world.
    pub fn hold(&mut self, place: usize, segments: usize) {
        self.places[place].left += segments;
        self.held += segments;
    }

    /// So many segments of a place have come out.
    pub fn release(&mut self, place: usize, segments: usize) {
        let kept = &mut self.places[place];
        kept.left -= segments;
        self.held -= segments;
        if kept.left > 0 {
            return;
        }
        if HEADER + kept.cut.length() > COPIED {
            let long = std::mem::take(&mut kept.bytes);
            if self.spare.len() < SPARE {
                self.spare.push(long);
            }
        }
        self.free.push(place);
    }

    /// Segments that are kept.
    pub fn held(&self) -> usize {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: usize = 10_000;

    #[test]
    fn a_place_is_used_again_when_its_packet_has_come_out() {
        let mut payloads = Payloads::default();
        let whole = Cut::read(&[0; 10], &[0; 60]).expect("a packet");
        let mut buffer = vec![7; LONG];
        let mut keep = |payloads: &mut Payloads, length| {
            let place = payloads.keep(&mut buffer, length, whole, Ecn::NotEct);
            assert_eq!(buffer.len(), LONG);
            place
        };
        let (a, b) = (keep(&mut payloads, 70), keep(&mut payloads, 9_000));
        assert_eq!(payloads.get_mut(a).bytes, [7; 70]);
        assert_eq!(payloads.get_mut(b).bytes[..9_000], [7; 9_000]);
        assert_eq!(payloads.held(), 2);
        payloads.release(b, 1);
        assert_eq!(keep(&mut payloads, 80), b);
        assert_eq!(payloads.get_mut(b).bytes.len(), 80);
        assert_eq!(split(tag(b, 44)), (b, 44));
    }
}
