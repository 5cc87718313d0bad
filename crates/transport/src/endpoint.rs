//! The two ends of a flow, without input or output: whoever drives them says what time it is, carries
//! segments one way and acknowledgements the other, and calls when a timer is due.
//!
//! After every call that may change what a sender can do (`write`, `on_ack`, `on_timer`), call `poll`
//! until it gives nothing, then ask `due`.

use crate::controller::{AnyController, Inspect};
use crate::datagram::DatagramSender;
use crate::segment::{AckSegment, Segment};
use crate::stream::StreamSender;
use crate::units::{Rate, Span, Time};

pub use crate::receiver::{DelayedAck, Receiver, ReceiverSetup};

/// How bytes become segments.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// A reliable byte stream: TCP.
    Stream,
    /// Each packet is sent once and acknowledged by itself: the protocol of the 6.829 contest.
    Datagram,
}

/// How a stream finds and repairs losses.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Three duplicate acknowledgements and partial acknowledgements, without SACK (RFC 6582), with
    /// limited transmit (RFC 3042).
    NewReno,
    /// Counting selective acknowledgements (RFC 6675).
    Sack,
    /// Time, tail loss probes and proportional rate reduction (RFC 8985, RFC 9937).
    Rack,
}

impl Recovery {
    /// Every recovery by its name in scenarios.
    pub const ALL: [(&str, Recovery); 3] = [
        ("rack", Recovery::Rack),
        ("sack", Recovery::Sack),
        ("newreno", Recovery::NewReno),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = Recovery::ALL.iter().find(|r| r.1 == self);
        found.expect("every recovery is in the list").0
    }
}

/// How congestion marks come back.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EcnFeedback {
    /// The flow takes marks only if its controller asks for a codepoint; then as `Accurate`.
    Off,
    /// Echo until CWR (RFC 3168); segments are ECT(0) unless the controller asks otherwise.
    Classic,
    /// Each acknowledgement tells whether the segments it covers were marked (RFC 8257 section 3.2).
    Dctcp,
    /// Exact counts of bytes (AccECN with its TCP option, RFC 9768).
    Accurate,
    /// Three bits of a count of packets (AccECN without its option): what an acknowledgement of more
    /// packets than they can tell apart leaves open is taken for marked, as far as it can be.
    Ace,
}

/// The window of a stream that has sent nothing for longer than its retransmission timeout, where the
/// controller keeps one by RFC 5681.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AfterIdle {
    /// The initial window at most (RFC 5681 section 4.1).
    Restart,
    /// Half for each timeout that has passed, the initial window at least, and three quarters of what
    /// it was for a threshold (RFC 2861; Linux' `tcp_slow_start_after_idle`).
    Decay,
    /// As it was.
    Keep,
}

impl AfterIdle {
    /// Each by its name in scenarios.
    pub const ALL: [(&str, AfterIdle); 3] = [
        ("restart", AfterIdle::Restart),
        ("decay", AfterIdle::Decay),
        ("keep", AfterIdle::Keep),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = AfterIdle::ALL.iter().find(|r| r.1 == self);
        found.expect("each is in the list").0
    }
}

/// What a sender is made from, besides its controller.
#[derive(Clone, Debug)]
pub struct SenderSetup {
    /// Stream or datagrams.
    pub protocol: Protocol,
    /// Payload bytes of a full segment (SMSS).
    pub mss: u64,
    /// Bytes of such a segment on the link, headers included.
    pub frame: u64,
    /// Initial window in bytes; `initial_window` is that of RFC 6928.
    pub initial: u64,
    /// Loss recovery of a stream.
    pub recovery: Recovery,
    /// Least retransmission timeout: 1 s in RFC 6298, 200 ms in Linux.
    pub rto_min: Span,
    /// What a pause does to the window of a stream.
    pub after_idle: AfterIdle,
    /// Longest delay of an acknowledgement at the receiver, for tail loss probes (RFC 8985).
    pub ack_delay: Span,
    /// Datagrams: after so long without an acknowledgement or a departure, one extra packet leaves.
    pub silence: Span,
    /// Whether the controller's pacing rate is kept.
    pub pacing: bool,
    /// Congestion marks.
    pub ecn: EcnFeedback,
}

impl SenderSetup {
    /// A sender with everything at its default.
    pub fn new(protocol: Protocol, mss: u64, frame: u64) -> SenderSetup {
        SenderSetup {
            protocol,
            mss,
            frame,
            initial: initial_window(mss),
            recovery: Recovery::Rack,
            rto_min: Span::secs(1),
            after_idle: AfterIdle::Restart,
            ack_delay: Span::ZERO,
            silence: Span::secs(1),
            pacing: true,
            ecn: EcnFeedback::Off,
        }
    }
}

/// Initial window in bytes (RFC 6928 section 2).
pub fn initial_window(mss: u64) -> u64 {
    (10 * mss).min((2 * mss).max(14_600))
}

/// What a sender has counted.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Transmissions, retransmissions included.
    pub segments: u64,
    /// Payload bytes of those.
    pub bytes: u64,
    /// Retransmissions.
    pub retransmitted: u64,
    /// Payload bytes of those.
    pub retransmitted_bytes: u64,
    /// Segments declared lost.
    pub lost: u64,
    /// Episodes of fast recovery.
    pub recoveries: u64,
    /// Expiries of the retransmission timer; of datagrams, of the silence timer.
    pub timeouts: u64,
    /// Tail loss probes.
    pub probes: u64,
    /// Retransmissions found to have been unnecessary; of datagrams, losses found to be none.
    pub spurious: u64,
    /// Episodes answered because of marks.
    pub marks: u64,
    /// Bytes acknowledged: of a stream all below the first gap, of datagrams all that arrived.
    pub acked: u64,
}

/// What a sender shows for plots and records.
#[derive(Copy, Clone, Debug)]
pub struct Inspection {
    /// Window in force, bytes.
    pub window: u64,
    /// Bytes in flight.
    pub in_flight: u64,
    /// Pacing rate in force.
    pub pacing: Option<Rate>,
    /// Smoothed round trip; zero before the first sample.
    pub srtt: Span,
    /// Retransmission timeout.
    pub rto: Span,
    /// Bytes delivered, in order or not.
    pub delivered: u64,
    /// The controller's own state.
    pub controller: Inspect,
}

/// A sender of either protocol.
#[derive(Clone, Debug)]
pub enum AnySender {
    /// TCP.
    Stream(Box<StreamSender>),
    /// Datagrams.
    Datagram(Box<DatagramSender>),
}

macro_rules! each {
    ($self:ident, $s:ident => $call:expr) => {
        match $self {
            AnySender::Stream($s) => $call,
            AnySender::Datagram($s) => $call,
        }
    };
}

impl AnySender {
    /// A sender with nothing to send yet.
    ///
    /// # Panics
    /// When `mss` is zero or does not fit 32 bits.
    pub fn new(setup: &SenderSetup, controller: AnyController) -> AnySender {
        match setup.protocol {
            Protocol::Stream => AnySender::Stream(Box::new(StreamSender::new(setup, controller))),
            Protocol::Datagram => {
                AnySender::Datagram(Box::new(DatagramSender::new(setup, controller)))
            }
        }
    }

    /// The application has that many more bytes; `u64::MAX` for an endless supply.
    pub fn write(&mut self, bytes: u64) {
        each!(self, s => s.write(bytes));
    }

    /// The next segment that may leave now.
    #[inline(always)]
    pub fn poll(&mut self, now: Time) -> Option<Segment> {
        each!(self, s => s.poll(now))
    }

    /// An acknowledgement has come.
    pub fn on_ack(&mut self, now: Time, ack: &AckSegment) {
        each!(self, s => s.on_ack(now, ack));
    }

    /// The instant `due` has come.
    pub fn on_timer(&mut self, now: Time) {
        each!(self, s => s.on_timer(now));
    }

    /// The earliest instant at which `on_timer` is wanted; `NEVER` for none.
    pub fn due(&self) -> Time {
        each!(self, s => s.due())
    }

    /// Reads a word of each cache line that an acknowledgement touches. Changes nothing: a driver with many
    /// connections has the memory fetch them ahead.
    #[inline]
    pub fn touch(&self) -> u64 {
        each!(self, s => s.touch())
    }

    /// The same of the segments that it is about, once `touch` has fetched where they are.
    #[inline]
    pub fn touch_segments(&self) -> u64 {
        match self {
            AnySender::Stream(s) => s.touch_segments(),
            AnySender::Datagram(_) => 0,
        }
    }

    /// Counts since the beginning.
    pub fn counters(&self) -> &SenderCounters {
        each!(self, s => s.counters())
    }

    /// Payload bytes of a full segment.
    pub fn mss(&self) -> u64 {
        each!(self, s => s.mss())
    }

    /// Window in force, bytes.
    pub fn window(&self) -> u64 {
        each!(self, s => s.window())
    }

    /// What the reader of a run has to know of the controller.
    pub fn warning(&self) -> Option<String> {
        each!(self, s => s.warning())
    }

    /// State for plots and records.
    pub fn inspect(&self) -> Inspection {
        each!(self, s => s.inspect())
    }
}
