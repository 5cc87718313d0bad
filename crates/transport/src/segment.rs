//! What endpoints exchange: data segments one way, acknowledgements the other. A stream numbers its
//! bytes; a datagram protocol sends each packet once and numbers packets. Both are `Copy`, so that
//! they can lie in a table beside the packet that carries them.

use crate::units::Time;

/// ECN codepoint of an IP packet (RFC 3168 section 5; RFC 9331 for ECT(1)).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Ecn {
    /// The transport takes no marks: congestion is told by loss.
    #[default]
    NotEct = 0,
    /// ECT(1): the transport wants the low-latency (L4S) treatment.
    Ect1 = 1,
    /// ECT(0): the transport takes marks in place of losses.
    Ect0 = 2,
    /// Congestion experienced.
    Ce = 3,
}

/// What travels in a header for schemes that talk to the other end or to routers.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub enum Feedback {
    /// Nothing.
    #[default]
    None,
    /// Sprout: packets that will be delivered by the end of each of eight ticks, with confidence.
    /// `settled` counts in the bytes of `Announce::position`.
    Forecast {
        /// When the receiver made it.
        made: Time,
        /// Cumulative packets by tick.
        packets: [u16; 8],
        /// Bytes that the receiver counts as received or lost.
        settled: u64,
    },
    /// Sprout, from the sender: the next packet comes after this long, in ticks of `Time`; 0 within
    /// a flight. And the sequence below which nothing is outstanding any more.
    Announce {
        /// Ticks until the next packet.
        next: u64,
        /// Bytes below it are received or lost.
        discarded: u64,
        /// Bytes put on the wire before this segment, retransmissions included.
        position: u64,
    },
}

/// A data segment.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Segment {
    /// Number of the transmission, from 0, counted for each flow; a retransmission has a new one.
    pub number: u64,
    /// First byte in the stream; bytes sent before in a datagram protocol.
    pub start: u64,
    /// Payload bytes.
    pub len: u32,
    /// Whether these bytes were sent before.
    pub again: bool,
    /// Codepoint it leaves with.
    pub ecn: Ecn,
    /// Classic ECN: the window has been reduced (RFC 3168 section 6.1.2).
    pub cwr: bool,
    /// Application's last bytes for now: the receiver acknowledges without delay.
    pub push: bool,
    /// When it was sent (timestamp option, RFC 7323).
    pub sent: Time,
    /// Explicit feedback.
    pub feedback: Feedback,
}

/// Most SACK blocks with timestamps in 40 bytes of options (RFC 2018 section 3).
pub const SACK_BLOCKS: usize = 3;

/// An acknowledgement.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct AckSegment {
    /// Next byte expected: all below have been received. In a datagram protocol the highest number
    /// received, plus one.
    pub upto: u64,
    /// Blocks received above, `[first, end)`, the newest first; `blocks` of them count.
    pub sack: [(u64, u64); SACK_BLOCKS],
    /// How many blocks.
    pub blocks: u8,
    /// The first block tells of a duplicate (RFC 2883).
    pub duplicate: bool,
    /// Classic ECN echo (RFC 3168 section 6.1.3), or DCTCP's state (RFC 8257 section 3.2).
    pub ece: bool,
    /// Segments that this acknowledgement covers.
    pub covers: u32,
    /// `Segment::number` of the segment that made it.
    pub number: u64,
    /// Its `Segment::sent`: the timestamp echo. With delayed acknowledgements that of the oldest
    /// segment not yet acknowledged (RFC 7323 section 4.3).
    pub echo: Time,
    /// When that segment came in, by the receiver's clock.
    pub received: Time,
    /// Payload bytes received with CE since the beginning (AccECN, RFC 9768).
    pub ce_bytes: u64,
    /// Packets received with CE since the beginning.
    pub ce_packets: u64,
    /// Payload bytes received since the beginning, duplicates included.
    pub received_bytes: u64,
    /// Bytes the receiver has room for beyond `upto`.
    pub window: u64,
    /// Explicit feedback.
    pub feedback: Feedback,
}
