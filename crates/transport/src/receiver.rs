//! The receiving end: reassembly, acknowledgements, selective acknowledgements, and the echo of
//! timestamps and congestion marks.

use crate::congestion_header::{CongestionHeader, Layout};
use crate::controller_interface::Controller;
use crate::forecast::Forecaster;
use crate::liar::Lie;
use crate::reassembly::Reassembly;
use crate::segment::{AckSegment, Ecn, Feedback, Segment};
use crate::setup::{EcnFeedback, MAX_UNACKNOWLEDGED, Protocol};
use crate::units::{Span, Time};

/// Delayed acknowledgements (RFC 1122 section 4.2.3.2, RFC 5681 section 4.2).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct DelayedAck {
    /// At least one acknowledgement for this many segments: 2.
    pub segments: u32,
    /// Longest delay: less than 500 ms.
    pub timeout: Span,
}

/// The settings of a receiver.
#[derive(Clone, Debug)]
pub struct ReceiverSetup {
    /// Stream or datagrams.
    pub protocol: Protocol,
    /// None: each segment is acknowledged at once. Datagrams are always acknowledged at once.
    pub delayed_ack: Option<DelayedAck>,
    /// How marks are echoed.
    pub ecn: EcnFeedback,
    /// Receive window: bytes beyond the next one expected.
    pub window: u32,
    /// The forecaster of the sender's controller (`Controller::forecaster`).
    pub forecaster: Option<Box<Forecaster>>,
    /// Acknowledgements report the ECN codepoints of the segments they cover.
    pub codepoints: bool,
    /// How it lies; the driver puts a `Liar` behind it.
    pub lie: Option<Lie>,
}

impl ReceiverSetup {
    /// A receiver with default settings: each segment acknowledged, a receive window of 1 GiB (the
    /// largest that RFC 7323 allows) or `MAX_UNACKNOWLEDGED` segments of `mss` bytes, whichever is less.
    pub fn new(protocol: Protocol, mss: u64) -> ReceiverSetup {
        ReceiverSetup {
            protocol,
            delayed_ack: None,
            ecn: EcnFeedback::Off,
            window: (MAX_UNACKNOWLEDGED * mss).min(1 << 30) as u32,
            forecaster: None,
            codepoints: false,
            lie: None,
        }
    }

    /// The same receiver with what this controller of the sender needs.
    pub fn serving(mut self, controller: &impl Controller) -> ReceiverSetup {
        self.forecaster = controller.forecaster().map(Box::new);
        self.codepoints = controller
            .congestion_header()
            .is_some_and(Layout::reports_codepoints);
        self
    }
}

/// The receiver of either protocol. The fields that a stream's segment needs come first, in two cache
/// lines.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Receiver {
    forecaster: Option<Box<Forecaster>>,
    /// Congestion headers since the last acknowledgement, composed.
    congestion: Option<Box<Feedback>>,
    deadline: Time,
    /// RFC 7323 section 4.3: TS.Recent and Last.ACK.sent.
    recent: Time,
    acked_upto: u64,
    ce_bytes: u64,
    last: Last,
    timeout: Span,
    /// Segments received and not acknowledged.
    pending: u32,
    window: u32,
    /// An acknowledgement waits for this many segments, at most for `timeout`.
    segments: u16,
    protocol: Protocol,
    ecn: EcnFeedback,
    /// Classic echo, or DCTCP's state.
    echo: bool,
    /// AccECN reports it modulo 8.
    ce_packets: u8,
    /// The newest packet came with CE.
    marked: bool,
    /// Acknowledgements report codepoints.
    codepoints: bool,
    data: Reassembly,
    numbers: Numbers,
    delivered: u64,
}

/// The segment that an acknowledgement is about.
#[derive(Copy, Clone, Debug, Default)]
#[repr(C)]
struct Last {
    number: u64,
    start: u64,
    received: Time,
    len: u32,
}

impl Receiver {
    /// A receiver before the first segment.
    pub fn new(setup: &ReceiverSetup) -> Receiver {
        let at_once = DelayedAck {
            segments: 0,
            timeout: Span::ZERO,
        };
        let DelayedAck { segments, timeout } = setup.delayed_ack.unwrap_or(at_once);
        Receiver {
            forecaster: setup.forecaster.clone(),
            congestion: None,
            deadline: Time::NEVER,
            recent: Time::ZERO,
            acked_upto: 0,
            ce_bytes: 0,
            last: Last::default(),
            pending: 0,
            segments: segments.min(u32::from(u16::MAX)) as u16,
            timeout,
            window: setup.window,
            protocol: setup.protocol,
            ecn: setup.ecn,
            echo: false,
            ce_packets: 0,
            marked: false,
            codepoints: setup.codepoints,
            data: Reassembly::default(),
            numbers: Numbers::default(),
            delivered: 0,
        }
    }

    /// A segment arrives with this codepoint.
    pub fn on_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) -> Option<AckSegment> {
        let marked = ecn == Ecn::Ce;
        let begins = marked && !std::mem::replace(&mut self.marked, marked);
        if marked {
            self.ce_bytes += u64::from(segment.len);
            self.ce_packets = self.ce_packets.wrapping_add(1);
        }
        if let Some(forecaster) = &mut self.forecaster {
            forecaster.on_segment(now, segment);
        }
        match self.protocol {
            Protocol::Stream => self.on_stream(now, segment, ecn, begins),
            Protocol::Datagram => Some(self.on_datagram(now, segment, ecn)),
        }
    }

    fn on_datagram(&mut self, now: Time, segment: &Segment, ecn: Ecn) -> AckSegment {
        if self.numbers.insert(segment.number) {
            self.delivered += u64::from(segment.len);
        }
        self.echo = ecn == Ecn::Ce;
        self.record(now, segment, ecn);
        self.recent = segment.sent;
        self.acknowledge(now, false)
    }

    /// `begins`: the segment is marked and the one before was not.
    fn on_stream(
        &mut self,
        now: Time,
        segment: &Segment,
        ecn: Ecn,
        begins: bool,
    ) -> Option<AckSegment> {
        let before = self.track_marks(now, ecn, segment);
        let end = segment.start + u64::from(segment.len);
        let next = self.data.next();
        if segment.start <= self.acked_upto && segment.sent >= self.recent {
            self.recent = segment.sent;
        }
        let duplicate = if end > next.saturating_add(u64::from(self.window)) {
            false
        } else {
            !self.data.insert(segment.start, end)
        };
        self.record(now, segment, ecn);
        // RFC 5681 section 4.2: acknowledge at once data that are out of order, duplicate, or fill a
        // gap.
        let plain = segment.start == next && self.data.next() == end && !self.data.gaps();
        // RFC 9768 section 3.2.2.5.1. Its other rule, an ACK for at least every sixth mark, always
        // holds with an ACK for every second segment.
        let plain = plain && !(begins && self.ecn == EcnFeedback::Ace);
        let wait = plain && !segment.push && self.pending < u32::from(self.segments);
        match (wait, before) {
            (false, None) => Some(self.acknowledge(now, duplicate)),
            (false, before) => {
                // Two are due. The timer sends the second at once.
                self.deadline = now;
                before
            }
            (true, before) => {
                self.deadline = self.deadline.min(now.after(self.timeout));
                before
            }
        }
    }

    /// Tracks the marks. In DCTCP a change of state acknowledges pending segments at once with the old
    /// state (RFC 8257 section 3.2).
    fn track_marks(&mut self, now: Time, ecn: Ecn, segment: &Segment) -> Option<AckSegment> {
        let marked = ecn == Ecn::Ce;
        match self.ecn {
            EcnFeedback::Dctcp => {
                let before =
                    (marked != self.echo && self.pending > 0).then(|| self.acknowledge(now, false));
                self.echo = marked;
                before
            }
            EcnFeedback::Classic => {
                self.echo = marked || (self.echo && !segment.cwr);
                None
            }
            EcnFeedback::Off | EcnFeedback::Accurate | EcnFeedback::Ace => None,
        }
    }

    fn record(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        self.pending += 1;
        if let Some(Feedback::Congestion(header)) = segment.feedback.as_deref() {
            self.echo_header(header);
        }
        if self.codepoints {
            self.echo_header(&CongestionHeader::received(segment.len, ecn));
        }
        self.last = Last {
            number: segment.number,
            start: segment.start,
            len: segment.len,
            received: now,
        };
    }

    /// The next acknowledgement echoes this header too.
    fn echo_header(&mut self, header: &CongestionHeader) {
        match self.congestion.as_deref_mut() {
            Some(Feedback::Congestion(sum)) => sum.compose(header),
            _ => self.congestion = Some(Box::new(Feedback::Congestion(*header))),
        }
    }

    fn acknowledge(&mut self, now: Time, duplicate: bool) -> AckSegment {
        let mut ack = AckSegment {
            upto: match self.protocol {
                Protocol::Stream => self.data.next(),
                Protocol::Datagram => self.numbers.next,
            },
            ece: self.echo,
            number: self.last.number,
            echo: self.recent,
            received: self.last.received,
            ce_bytes: self.ce_bytes,
            ace: self.ce_packets % 8,
            window: self.window,
            feedback: match &mut self.forecaster {
                Some(forecaster) => forecaster.feedback(now).map(Box::new),
                None => self.congestion.take(),
            },
            ..AckSegment::default()
        };
        if duplicate {
            let Last { start, len, .. } = self.last;
            ack.report(start, start + u64::from(len));
            ack.duplicate = true;
        }
        self.data.report(&mut ack);
        self.pending = 0;
        self.deadline = Time::NEVER;
        self.acked_upto = ack.upto;
        ack
    }

    /// The timer `due` has expired.
    pub fn on_timer(&mut self, now: Time) -> Option<AckSegment> {
        (self.deadline <= now).then(|| self.acknowledge(now, false))
    }

    /// Reads a word of each cache line that a segment touches.
    #[inline]
    pub fn prefetch(&self) -> u64 {
        self.data.next() ^ self.deadline.0
    }

    /// When to call `on_timer`; `NEVER` for no timer.
    pub fn due(&self) -> Time {
        self.deadline
    }

    /// Bytes handed to the application: in order (streams), each packet once (datagrams).
    pub fn delivered(&self) -> u64 {
        match self.protocol {
            Protocol::Stream => self.data.next(),
            Protocol::Datagram => self.delivered,
        }
    }
}

/// Which datagrams have arrived. Duplicates are detected among the last 64 numbers.
#[derive(Clone, Debug, Default)]
struct Numbers {
    /// One above the highest.
    next: u64,
    /// Bit i: `next - 1 - i` has arrived.
    seen: u64,
}

impl Numbers {
    /// Whether this number is new.
    fn insert(&mut self, number: u64) -> bool {
        if number >= self.next {
            let ahead = number + 1 - self.next;
            self.seen = if ahead < 64 { self.seen << ahead } else { 0 } | 1;
            self.next = number + 1;
            return true;
        }
        let back = self.next - 1 - number;
        if back >= 64 {
            return true;
        }
        let fresh = self.seen & (1 << back) == 0;
        self.seen |= 1 << back;
        fresh
    }
}
