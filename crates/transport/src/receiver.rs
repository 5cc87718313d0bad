//! Code that the receiving ends of all transports share: their settings, and the echo of timestamps, congestion marks and
//! explicit feedback.

use crate::congestion_header::{CongestionHeader, Layout};
use crate::controller_interface::Controller;
use crate::forecast::Forecaster;
use crate::liar::Lie;
use crate::protocol::Protocol;
use crate::queue_pair::QueuePair;
use crate::segment::{AckSegment, Ecn, Feedback, Segment};
use crate::setup::{EcnFeedback, MAX_UNACKNOWLEDGED};
use crate::units::{Span, Time};
use crate::walk::{Base, Walk};

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
    /// The settings of a queue pair.
    pub pair: QueuePair,
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
            pair: QueuePair::default(),
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

/// The state that each receiver of a flow with a transport echoes: marks, the segment that an acknowledgement is about, explicit
/// feedback.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Echo {
    forecaster: Option<Box<Forecaster>>,
    /// Congestion headers since the last acknowledgement, composed.
    congestion: Option<Box<Feedback>>,
    /// The timestamp to echo (RFC 7323 section 4.3: TS.Recent).
    pub(crate) recent: Time,
    ce_bytes: u64,
    pub(crate) last: Last,
    /// Receive window.
    pub(crate) window: u32,
    /// How marks are echoed.
    pub(crate) ecn: EcnFeedback,
    /// Classic echo, or DCTCP's state.
    pub(crate) echo: bool,
    /// AccECN reports it modulo 8.
    ce_packets: u8,
    /// The newest packet came with CE.
    marked: bool,
    /// Acknowledgements report codepoints.
    codepoints: bool,
}

/// The segment that an acknowledgement is about.
#[derive(Copy, Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct Last {
    pub(crate) number: u64,
    pub(crate) start: u64,
    pub(crate) received: Time,
    pub(crate) len: u32,
}

impl Echo {
    /// Before the first segment.
    pub(crate) fn new(setup: &ReceiverSetup) -> Echo {
        Echo {
            forecaster: setup.forecaster.clone(),
            congestion: None,
            recent: Time::ZERO,
            ce_bytes: 0,
            last: Last::default(),
            window: setup.window,
            ecn: setup.ecn,
            echo: false,
            ce_packets: 0,
            marked: false,
            codepoints: setup.codepoints,
        }
    }

    pub(crate) fn walk(&mut self, walk: &mut Walk, flow: &str, base: &Base) {
        let Echo {
            forecaster,
            congestion,
            recent,
            ce_bytes,
            last,
            window,
            ecn: _,
            echo,
            ce_packets,
            marked,
            codepoints: _,
        } = self;
        if forecaster.is_some() || congestion.is_some() {
            walk.unable(flow, "its receiver sends explicit feedback");
        }
        let Last {
            number,
            start,
            received,
            len,
        } = last;
        walk.long(number, base.number);
        walk.long(start, base.byte);
        walk.time(received);
        walk.same(*len);
        walk.time(recent);
        walk.long(ce_bytes, base.ce_bytes);
        walk.same(*window);
        walk.same(*echo);
        walk.same(*ce_packets);
        walk.same(*marked);
    }

    /// A segment arrives with this codepoint. Whether it is the first marked one after one without mark.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, now: Time, segment: &Segment, ecn: Ecn) -> bool {
        let marked = ecn == Ecn::Ce;
        let begins = marked && !self.marked;
        self.marked = marked;
        if marked {
            self.ce_bytes += u64::from(segment.len);
            self.ce_packets = self.ce_packets.wrapping_add(1);
        }
        if let Some(forecaster) = &mut self.forecaster {
            forecaster.on_segment(now, segment);
        }
        begins
    }

    /// The next acknowledgement is about this segment.
    #[inline(always)]
    pub(crate) fn record(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
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

    /// Only the header of this segment came: the next acknowledgement is about it and says no more.
    pub(crate) fn record_trimmed(&mut self, now: Time, segment: &Segment) {
        self.echo = false;
        self.record(now, segment, Ecn::NotEct);
        self.recent = segment.sent;
    }

    /// The next acknowledgement echoes this header too.
    fn echo_header(&mut self, header: &CongestionHeader) {
        match self.congestion.as_deref_mut() {
            Some(Feedback::Congestion(sum)) => sum.compose(header),
            _ => self.congestion = Some(Box::new(Feedback::Congestion(*header))),
        }
    }

    /// An acknowledgement of all below `upto`.
    #[inline(always)]
    pub(crate) fn acknowledgement(&mut self, now: Time, upto: u64) -> AckSegment {
        AckSegment {
            upto,
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
        }
    }
}
