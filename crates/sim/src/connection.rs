//! Connections: the two ends of a flow with a transport. Data go one way as the flow, ACKs come
//! back as its companion, and both are packets like any other to everything in between. What their
//! headers say lies in a table beside the packets and is touched at the two ends only.
//!
//! There is no handshake and no end: a connection is open from the beginning.

use std::collections::VecDeque;

use backwater_transport::endpoint::{AnyReceiver, AnySender, Protocol, Receiver, Sender};
use backwater_transport::liar::Liar;
use backwater_transport::segment::{AckSegment, Feedback, Segment, Signal};
use backwater_transport::spreading::Spreading;
use backwater_transport::units::{Span, Time};
use backwater_wire::tcp::Said;
use smallvec::SmallVec;

use crate::ids::{FlowId, PacketId, PortId, kind};
use crate::record::delays::Delays;
use crate::table::Row;

/// Suffix of the name of the flow that carries the ACKs. No name that a person writes has a `~`.
pub const ACKS: &str = "~ack";

/// The header of a packet of a connection.
#[derive(Clone, Debug, PartialEq)]
pub enum Header {
    /// Data, and the receiver's clock when it made the last acknowledgement that came back: the echo
    /// of a segment's timestamp option.
    Data(Segment, Time),
    /// An acknowledgement.
    Ack(AckSegment),
    /// A further packet of the receiver.
    Signal(Signal),
}

impl Header {
    /// The header as bytes of TCP are made of it; none for a signal, which TCP has not.
    pub fn said(&self) -> Option<Said<'_>> {
        match self {
            Header::Data(segment, heard) => Some(Said::Data(segment, *heard)),
            Header::Ack(ack) => Some(Said::Ack(ack)),
            Header::Signal(_) => None,
        }
    }
}

/// Headers by the place of their packet; empty where no flow has a transport.
#[derive(Clone, Debug, Default)]
pub struct Headers(Vec<Line>);

/// A header, in one cache line.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Line(Header);

const _: () = assert!(size_of::<Line>() == 64);

impl Headers {
    /// Notes what a packet says, in place.
    #[inline(always)]
    pub fn put(&mut self, packet: PacketId, header: Header) {
        if packet.index() >= self.0.len() {
            self.grow(packet);
        }
        self.0[packet.index()].0 = header;
    }

    #[cold]
    fn grow(&mut self, packet: PacketId) {
        let empty = Header::Data(Segment::default(), Time::ZERO);
        self.0.resize(packet.index() + 1, Line(empty));
    }

    /// Reads a word of what a packet says.
    #[inline]
    pub fn prefetch(&self, packet: PacketId) -> u64 {
        let header = self.0.get(packet.index());
        u64::from(matches!(header, Some(Line(Header::Data(..)))))
    }

    /// Reads a word of the feedback in a data packet.
    #[inline]
    pub fn prefetch_feedback(&self, packet: PacketId) -> u64 {
        match self.0.get(packet.index()) {
            Some(Line(Header::Data(segment, _))) => u64::from(matches!(
                segment.feedback.as_deref(),
                Some(Feedback::Congestion(_))
            )),
            _ => 0,
        }
    }
}

impl std::ops::Index<PacketId> for Headers {
    type Output = Header;
    fn index(&self, packet: PacketId) -> &Header {
        &self.0[packet.index()].0
    }
}

impl std::ops::IndexMut<PacketId> for Headers {
    fn index_mut(&mut self, packet: PacketId) -> &mut Header {
        &mut self.0[packet.index()].0
    }
}

/// One of the two ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// Where data come from.
    Sender = 0,
    /// Where they go.
    Receiver = 1,
}

/// Instants at which the ends have events in the calendar. An instant that an end no longer waits for
/// stays: when it comes the end looks at what is due, which is how a timer that moves away with every
/// acknowledgement costs one event at a time.
#[derive(Clone, Debug)]
pub struct Alarms {
    soonest: [Time; 2],
    /// The others of each, the soonest last.
    others: Box<[SmallVec<[Time; 2]>; 2]>,
}

impl Default for Alarms {
    fn default() -> Self {
        Alarms {
            soonest: [Time::NEVER; 2],
            others: Box::default(),
        }
    }
}

impl Alarms {
    /// Whether an end needs an event for `due`. If so it counts as made.
    #[inline]
    pub fn needs(&mut self, side: Side, due: Time) -> bool {
        let needs = due < self.soonest[side as usize];
        if needs {
            self.add(side, due);
        }
        needs
    }

    fn add(&mut self, side: Side, due: Time) {
        let before = std::mem::replace(&mut self.soonest[side as usize], due);
        if before < Time::NEVER {
            self.others[side as usize].push(before);
        }
    }

    /// Whether an end has an event.
    pub fn waits(&self, side: Side) -> bool {
        self.soonest[side as usize] < Time::NEVER
    }

    /// An end has one event, at `due`, or none.
    pub fn replace(&mut self, side: Side, due: Time) {
        self.soonest[side as usize] = due;
        self.others[side as usize].clear();
    }

    /// The soonest event of an end has come.
    pub fn expired(&mut self, side: Side) {
        let next = self.others[side as usize].pop();
        self.soonest[side as usize] = next.unwrap_or(Time::NEVER);
    }
}

/// Both ends of a flow with a transport. What both touch comes first, in a cache line, then the receiving
/// end and the sending end.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Connection {
    /// Events of the two.
    pub alarms: Alarms,
    /// Finite transfers not yet delivered: where they end in the stream, how long they are, and when they
    /// were written; none where there never was one.
    pub transfers: Option<Box<VecDeque<(u64, u64, Time)>>>,
    /// The flow of the data.
    pub data: FlowId,
    /// Its companion.
    pub acks: FlowId,
    /// The sending end.
    pub sender: AnySender,
    /// Which.
    pub protocol: Protocol,
    /// The source waits until all it wrote has been acknowledged.
    pub waiting: bool,
    /// IP bytes before the payload of a segment.
    pub header: u16,
    /// The receiving end.
    pub receiver: AnyReceiver,
    /// The receiving end lies.
    pub liar: Option<Box<Liar>>,
    /// From then on the sending host is silent.
    pub stop: Time,
    /// The port whose card pulls its segments; `NONE` where they are pushed into the queue of the host.
    pub card: PortId,
    /// Its place at the card.
    pub place: u32,
    /// Its limit on bytes in the radio of its host.
    pub small_queue: Option<Box<SmallQueue>>,
    /// Bytes on the link that a pull packet lets in; 0 where the receiver sends none.
    pub pull_quantum: u64,
    /// Class of what the receiver sends besides acknowledgements.
    pub signal_class: u8,
    /// Least time between two notification packets of the port of its receiver; none where each queue pair counts for itself.
    pub notify_gate: Option<Span>,
    /// The spreader that chooses the ways of its segments; none where the flow keeps its way.
    pub spreading: Option<Box<Spreading>>,
    /// The receiver's clock in the last acknowledgement.
    pub heard: Time,
    /// Bytes that the application has written.
    pub written: u64,
    /// Counters.
    pub stats: ConnectionStats,
    /// The last values that the sender showed, in a run that is recorded.
    pub shown: Shown,
}

/// A limit on the bytes that a flow keeps in the radio of its host.
#[derive(Clone, Debug)]
pub struct SmallQueue {
    /// They are what the sender's rate brings in a second, over two to this power.
    pub shift: u8,
    /// Bytes of frames in the radio.
    pub held: u64,
}

impl SmallQueue {
    /// An empty one.
    pub fn new(shift: u8) -> SmallQueue {
        SmallQueue { shift, held: 0 }
    }
}

impl Row for Connection {
    type Kind = kind::Connection;
}

/// The values that a sender shows in a recorded run.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Congestion window in bytes.
    pub window: u64,
    /// Slow-start threshold in bytes.
    pub threshold: Option<u64>,
    /// Smoothed round trip.
    pub srtt: Span,
    /// Pacing rate in bit/s.
    pub pacing: Option<u64>,
}

/// Decades of size that slowdowns are told apart by; the last has what is larger, too.
pub const DECADES: usize = 8;

/// The counts of a connection; all but `base` and `delivered` from the end of the warm-up. An acknowledgement touches the fields
/// before the completion times.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct ConnectionStats {
    /// Round trips.
    pub rtt: Delays,
    /// Sum of the same in ticks.
    pub rtt_sum: u128,
    /// How many.
    pub rtt_count: u64,
    /// Least round trip.
    pub rtt_min: Span,
    /// Bytes × ticks of the congestion window, up to `since`.
    pub window_area: u128,
    /// Window since then.
    pub window: u64,
    /// When the window was looked at last.
    pub since: Time,
    /// Least window that the window came down to.
    pub least: u64,
    /// How often it came down to it.
    pub falls_to_least: u64,
    /// Completion times of finite transfers: written until delivered in order.
    pub completion: Delays,
    /// How many.
    pub completed: u64,
    /// Completion times over the least possible, in thousandths, by the decade of the size: `[1]` is of 10 to
    /// 99 B. As far up as there was one.
    pub slowdown: Vec<Delays>,
    /// At the end of the warm-up: bytes delivered in order, segments sent again, segments sent.
    pub base: [u64; 3],
    /// Transfers delivered since the beginning, and when the last of them was.
    pub delivered: (u64, Time),
}

impl Default for ConnectionStats {
    fn default() -> Self {
        ConnectionStats {
            rtt: Delays::default(),
            rtt_count: 0,
            rtt_sum: 0,
            rtt_min: Span(u64::MAX),
            completion: Delays::default(),
            completed: 0,
            slowdown: Vec::new(),
            window_area: 0,
            window: 0,
            since: Time::ZERO,
            least: u64::MAX,
            falls_to_least: 0,
            base: [0; 3],
            delivered: (0, Time::ZERO),
        }
    }
}

impl ConnectionStats {
    /// A round trip was measured.
    pub fn round_trip(&mut self, rtt: Span) {
        self.rtt_sum += u128::from(rtt.0);
        self.rtt_min = self.rtt_min.min(rtt);
        self.rtt_count += 1;
        self.rtt.record(rtt.0 / 1000);
    }

    /// A transfer of so many bytes has been delivered at `now`, which would have taken `ideal` at best.
    pub fn complete(&mut self, bytes: u64, took: Span, ideal: Option<Span>, now: Time) {
        self.delivered = (self.delivered.0 + 1, now);
        self.completed += 1;
        self.completion.record(took.0 / 1000);
        if let Some(ideal) = ideal {
            let decade = (bytes.max(1).ilog10() as usize).min(DECADES - 1);
            if decade >= self.slowdown.len() {
                self.slowdown.resize_with(decade + 1, Delays::default);
            }
            let thousandths = u128::from(took.0) * 1000 / u128::from(ideal.0);
            self.slowdown[decade].record(thousandths as u64);
        }
    }

    /// The window is so large from now on.
    pub fn window(&mut self, window: u64, now: Time) {
        self.window_area += u128::from(self.window) * u128::from(now.since(self.since).0);
        if window < self.window {
            if window < self.least {
                (self.least, self.falls_to_least) = (window, 0);
            }
            self.falls_to_least += u64::from(window == self.least);
        }
        (self.window, self.since) = (window, now);
    }
}

impl Connection {
    /// Reads a word of each cache line that a segment touches at its end.
    #[inline]
    pub fn prefetch_receiver(&self) -> u64 {
        self.receiver.prefetch() ^ u64::from(self.acks.0)
    }

    /// Reads a word of each cache line that an acknowledgement touches at its end.
    #[inline]
    pub fn prefetch_sender(&self) -> u64 {
        self.stats.rtt.prefetch() ^ self.stats.window ^ self.stats.rtt_count ^ self.heard.0
    }

    /// Bytes delivered in order, segments sent again, segments sent, since the beginning.
    pub fn totals(&self) -> [u64; 3] {
        let sent = self.sender.counters();
        [self.receiver.delivered(), sent.retransmitted, sent.segments]
    }

    /// The warm-up is over.
    pub fn warm(&mut self, now: Time) {
        self.stats = ConnectionStats {
            window: self.stats.window,
            since: now,
            base: self.totals(),
            delivered: self.stats.delivered,
            ..ConnectionStats::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_segment_touches_of_its_connection_lies_in_three_cache_lines() {
        assert_eq!(std::mem::align_of::<Connection>(), 64);
        assert_eq!(std::mem::offset_of!(Connection, receiver), 64);
        assert!(std::mem::offset_of!(Connection, stop) <= 4 * 64);
    }

    #[test]
    fn a_timer_that_only_moves_away_needs_one_event() {
        let mut alarms = Alarms::default();
        let side = Side::Receiver;
        assert!(alarms.needs(side, Time(100)));
        for due in 101..200 {
            assert!(!alarms.needs(side, Time(due)));
        }
        alarms.expired(side);
        assert!(alarms.needs(side, Time(200)));
        assert!(alarms.needs(side, Time(150)));
        alarms.expired(side);
        assert!(!alarms.needs(side, Time(300)));
        assert!(!alarms.needs(side, Time::NEVER));
        // The other end has its own.
        assert!(alarms.needs(Side::Sender, Time(300)));
    }
}
