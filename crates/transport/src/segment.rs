//! The packets between endpoints: data segments one way, acknowledgements the other. A stream numbers its
//! bytes; a datagram protocol sends each packet once and numbers packets. They are stored in a table
//! beside the packets, so they are small: rare fields are boxed.

use crate::congestion_header::CongestionHeader;
use crate::units::Time;
use crate::walk::{Base, OnTheWay, Walk};

/// ECN codepoint of an IP packet (RFC 3168 section 5; RFC 9331 for ECT(1)).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Ecn {
    /// The transport does not support ECN: the network signals congestion by loss.
    #[default]
    NotEct = 0,
    /// ECT(1): the transport asks for the low-latency (L4S) treatment.
    Ect1 = 1,
    /// ECT(0): the transport accepts marks instead of losses.
    Ect0 = 2,
    /// Congestion experienced.
    Ce = 3,
}

/// Header content of schemes with explicit feedback.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Feedback {
    /// Sprout: packets that arrive by the end of each of eight ticks, with confidence. `settled` counts
    /// in the bytes of `Announce::position`.
    Forecast {
        /// When the receiver made it.
        made: Time,
        /// Cumulative packets by tick.
        packets: [u16; 8],
        /// Bytes that the receiver counts as received or lost.
        settled: u64,
    },
    /// Sprout, from the sender: the time until the next packet in ticks of `Time` (0 within a burst),
    /// and the position below which nothing is outstanding.
    Announce {
        /// Ticks until the next packet.
        next: u64,
        /// Bytes below it are received or lost.
        discarded: u64,
        /// Bytes put on the wire before this segment, retransmissions included.
        position: u64,
    },
    /// The congestion header that routers on the path rewrite.
    Congestion(CongestionHeader),
    /// A sender that is given credit: what it wants to have been given, since the flow began. It stays with a header alone.
    Wanted {
        /// Bytes on the link.
        credit: u64,
        /// The receiver says again what it has given.
        asks: bool,
        /// No data left with it. The header of a trimmed packet is alone, too, but it did not leave so.
        alone: bool,
    },
}

impl Feedback {
    /// Bytes that it adds to a packet on the wire. Sprout's fields belong to its payload, and what is wanted to the header.
    pub fn bytes(&self) -> u64 {
        match self {
            Feedback::Forecast { .. } | Feedback::Announce { .. } | Feedback::Wanted { .. } => 0,
            Feedback::Congestion(header) => header.bytes(),
        }
    }
}

/// A data segment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Segment {
    /// Number of the transmission, from 0, counted for each flow; a retransmission has a new one.
    pub number: u64,
    /// First byte in the stream; bytes sent before in a datagram protocol.
    pub start: u64,
    /// Payload bytes; none where a switch has cut the packet down to its header.
    pub len: u32,
    /// Whether these bytes were sent before.
    pub again: bool,
    /// Codepoint it leaves with.
    pub ecn: Ecn,
    /// Classic ECN: CWR, the window has been reduced (RFC 3168 section 6.1.2).
    pub cwr: bool,
    /// PSH: the sender has no more bytes now, so the receiver acknowledges without delay.
    pub push: bool,
    /// When it was sent (timestamp option, RFC 7323).
    pub sent: Time,
    /// Explicit feedback.
    pub feedback: Option<Box<Feedback>>,
}

impl Segment {
    /// Visits what it says, as one of those on their way.
    pub fn walk(&mut self, walk: &mut Walk, flow: &str, base: &Base, on_the_way: &mut OnTheWay) {
        let Segment {
            number,
            start,
            len,
            again,
            ecn,
            cwr,
            push,
            sent,
            feedback,
        } = self;
        if feedback.is_some() {
            walk.unable(flow, "its packets carry explicit feedback");
        }
        on_the_way.add(*number, *start);
        walk.long(number, base.number);
        walk.long(start, base.byte);
        walk.same(*len);
        walk.same(*ecn as u64);
        walk.same(u64::from(*again) << 2 | u64::from(*cwr) << 1 | u64::from(*push));
        walk.time(sent);
    }
}

/// Most SACK blocks with timestamps in 40 bytes of options (RFC 2018 section 3).
pub const SACK_BLOCKS: usize = 3;

/// SACK blocks as on the wire: edges modulo 2³². Most acknowledgements have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks(Option<Box<Edges>>);

#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct Edges {
    edges: [[u32; 2]; SACK_BLOCKS],
    count: u8,
}

/// The fields of an acknowledgement that have a fixed length, and the only place where they are written: what `$then!` makes of
/// them follows, such as the struct here and the bytes of a datagram in `wire/flow.rs`.
#[macro_export]
macro_rules! acknowledgement_fields {
    ($then:ident) => {
        $then! {
            flags {
                /// The first block reports a duplicate (RFC 2883).
                duplicate,
                /// Classic ECN echo (RFC 3168 section 6.1.3), or DCTCP's state (RFC 8257 section 3.2).
                ece,
                /// Queue pairs: a packet came out of order, and `upto` is missing; or only its header came (`trimmed`).
                nack,
            }
            numbers {
                /// `Segment::number` of the segment that triggered it.
                number: u64,
                /// Next byte expected: all below have been received. In a datagram protocol the highest number
                /// received, plus one.
                upto: u64,
                /// Its `Segment::sent`: the timestamp echo. With delayed acknowledgements that of the oldest
                /// segment not yet acknowledged (RFC 7323 section 4.3).
                echo: Time,
                /// When that segment arrived, by the receiver's clock.
                received: Time,
                /// Payload bytes received with CE since the beginning (AccECN's option, RFC 9768 section 3.2.3).
                ce_bytes: u64,
                /// Receive window: bytes beyond `upto`.
                window: u32,
                /// Packets received with CE, modulo 8 (AccECN's ACE field, section 3.2.2).
                ace: u8,
            }
        }
    };
}

macro_rules! acknowledgement {
    (
        flags { $($(#[$about_flag:meta])* $flag:ident,)* }
        numbers { $($(#[$about:meta])* $number:ident: $type:ty,)* }
    ) => {
        /// An acknowledgement.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct AckSegment {
            $($(#[$about_flag])* pub $flag: bool,)*
            $($(#[$about])* pub $number: $type,)*
            /// Blocks received; see `sack`.
            pub blocks: Blocks,
            /// Explicit feedback.
            pub feedback: Option<Box<Feedback>>,
        }
    };
}

acknowledgement_fields!(acknowledgement);

/// A packet that comes to a sender and acknowledges nothing: from its receiver, or from a queue on the way.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Packets of the flow came with a congestion mark (RoCEv2's congestion notification packet).
    Congestion,
    /// A receiver that paces its senders has given so much credit since the flow began.
    Credit {
        /// Bytes on the link.
        granted: u64,
    },
    /// A queue on the way tells the source how congested it is (congestion notification message of IEEE 802.1Qau).
    Notice {
        /// Quantised feedback, 1 to 63.
        feedback: u8,
    },
}

impl Signal {
    /// IP bytes of its packet. Congestion: headers of IPv4, UDP and InfiniBand's base transport, 16 reserved bytes, invariant CRC
    /// (InfiniBand Architecture Specification, annex A17.9.3). Credit: a frame of 64 bytes. Notice: 24 bytes of fields and the first 64 of the sampled frame.
    pub const fn bytes(self) -> u64 {
        match self {
            Signal::Congestion => 20 + 8 + 12 + 16 + 4,
            Signal::Credit { .. } => 64 - 18,
            Signal::Notice { .. } => 24 + 64,
        }
    }
}

impl Blocks {
    /// How many.
    #[inline]
    pub fn count(&self) -> usize {
        self.edges().len()
    }

    #[inline]
    fn edges(&self) -> &[[u32; 2]] {
        match &self.0 {
            Some(blocks) => &blocks.edges[..usize::from(blocks.count)],
            None => &[],
        }
    }
}

impl AckSegment {
    /// Visits what it says, as one of those on their way.
    pub fn walk(&mut self, walk: &mut Walk, flow: &str, base: &Base, on_the_way: &mut OnTheWay) {
        let least = self.sack().map(|block| block.0).min();
        on_the_way.add(self.number, least.unwrap_or(u64::MAX));
        let AckSegment {
            duplicate,
            ece,
            nack,
            number,
            upto,
            echo,
            received,
            ce_bytes,
            window,
            ace,
            blocks,
            feedback,
        } = self;
        if feedback.is_some() {
            walk.unable(flow, "its packets carry explicit feedback");
        }
        walk.same(u64::from(*duplicate) << 2 | u64::from(*ece) << 1 | u64::from(*nack));
        walk.long(number, base.number);
        walk.time(echo);
        walk.time(received);
        walk.long(ce_bytes, base.ce_bytes);
        walk.same(*window);
        walk.same(*ace);
        walk.same(blocks.count() as u64);
        if let Some(edges) = &mut blocks.0 {
            let count = usize::from(edges.count);
            for edge in edges.edges[..count].iter_mut().flatten() {
                walk.low(edge, base.byte);
            }
        }
        walk.long(upto, base.upto);
    }

    /// Bytes that its feedback adds to the packet.
    #[inline(always)]
    pub fn feedback_bytes(&self) -> u64 {
        self.feedback.as_deref().map_or(0, Feedback::bytes)
    }

    /// Where the packet begins of which only the header came, if this is the acknowledgement of one: its block is empty.
    pub fn trimmed(&self) -> Option<u64> {
        let first = self.sack().next().filter(|_| self.nack);
        first.filter(|b| b.0 == b.1).map(|b| b.0)
    }

    /// Blocks received above `upto`, `[first, end)`, the newest first. A duplicate, if reported, comes
    /// before them. An edge lies within 2 GiB of `upto`: no window is larger than 1 GiB (RFC 7323
    /// section 2.3).
    pub fn sack(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let upto = self.upto;
        let whole = move |edge: u32| {
            let ahead = edge.wrapping_sub(upto as u32) as i32;
            upto.wrapping_add_signed(i64::from(ahead))
        };
        let edges = self.blocks.edges().iter();
        edges.map(move |b| (whole(b[0]), whole(b[1])))
    }

    /// Adds a block; false if there is no space left.
    pub fn report(&mut self, first: u64, end: u64) -> bool {
        let blocks = self.blocks.0.get_or_insert_default();
        let Some(place) = blocks.edges.get_mut(usize::from(blocks.count)) else {
            return false;
        };
        *place = [first as u32, end as u32];
        blocks.count += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_again_on_both_sides_of_a_multiple_of_4_gib() {
        for upto in [0u64, 1 << 32, (1 << 32) + 1000, (5 << 32) - 1000] {
            let mut ack = AckSegment {
                upto,
                ..AckSegment::default()
            };
            let blocks = [
                (upto.saturating_sub(1400), upto),
                (upto + 1400, upto + 2800),
                (upto + (1 << 30), upto + (1 << 30) + 1),
            ];
            assert!(blocks.iter().all(|b| ack.report(b.0, b.1)));
            assert!(!ack.report(0, 1), "there is room for three");
            assert_eq!(ack.sack().collect::<Vec<_>>(), blocks);
        }
    }

    #[test]
    fn both_are_small() {
        assert_eq!(std::mem::size_of::<Segment>(), 40);
        assert_eq!(std::mem::size_of::<AckSegment>(), 64);
    }
}
