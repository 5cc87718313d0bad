//! The settings of a sender: protocol, loss recovery, ECN feedback, timers.

use crate::protocol::Protocol;
use crate::queue_pair::QueuePair;
use crate::units::Span;

/// Packets that a sender keeps until they are acknowledged, at most; a controller may allow more. At 1500 B it is 1.5 GB,
/// 100 Gbit/s for 126 ms. Without a limit, one event could fill the memory of the machine.
pub const MAX_UNACKNOWLEDGED: u64 = 1 << 20;

/// Loss detection and recovery of a stream.
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

/// How the receiver reports congestion marks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum EcnFeedback {
    /// The flow uses ECN only if its controller asks for a codepoint, and then `Accurate`.
    Off,
    /// Echo until CWR (RFC 3168); segments are ECT(0) unless the controller asks otherwise.
    Classic,
    /// Each acknowledgement says whether the segments it covers were marked (RFC 8257 section 3.2).
    Dctcp,
    /// Exact counts of bytes (AccECN with its TCP option, RFC 9768).
    Accurate,
    /// A packet count modulo 8 (AccECN without its option). When the counter may have wrapped around,
    /// the largest possible number of marks is assumed.
    Ace,
}

/// The window after an idle time longer than the retransmission timeout, for controllers that follow
/// RFC 5681.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AfterIdle {
    /// The initial window at most (RFC 5681 section 4.1).
    Restart,
    /// Half for each timeout that has passed, but at least the initial window; ssthresh becomes three
    /// quarters of the old window (RFC 2861; Linux `tcp_slow_start_after_idle`).
    Decay,
    /// The window stays unchanged.
    Keep,
}

impl AfterIdle {
    /// Each value by its name in scenarios.
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

/// The settings of a sender, besides its controller.
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
    /// Effect of an idle time on the window of a stream.
    pub after_idle: AfterIdle,
    /// Longest delay of an acknowledgement at the receiver, for tail loss probes (RFC 8985).
    pub ack_delay: Span,
    /// Datagrams: after this time without an acknowledgement or a transmission, one extra packet
    /// leaves.
    pub silence: Span,
    /// Whether the sender paces at the controller's rate.
    pub pacing: bool,
    /// Congestion marks.
    pub ecn: EcnFeedback,
    /// The settings of a queue pair.
    pub pair: QueuePair,
}

impl SenderSetup {
    /// A sender with default settings.
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
            pair: QueuePair::default(),
        }
    }
}

/// Initial window in bytes (RFC 6928 section 2).
pub fn initial_window(mss: u64) -> u64 {
    (10 * mss).min((2 * mss).max(14_600))
}
