//! The events that the sender reports to a controller: acknowledgements, congestion, departures, losses and idle
//! restarts.

use crate::segment::Feedback;
use crate::units::{Rate, Span, Time};

/// A delivery-rate sample (draft-ietf-ccwg-bbr section 4.1).
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct RateSample {
    /// Bytes delivered in `interval`.
    pub delivered: u64,
    /// The longer of the send interval and the ACK interval.
    pub interval: Span,
    /// The flow was application-limited when the packet left.
    pub app_limited: bool,
    /// Total delivered bytes when the newest acknowledged packet left.
    pub prior_delivered: u64,
    /// Bytes in flight when that packet left, itself included.
    pub tx_in_flight: u64,
    /// Bytes declared lost since its transmission.
    pub lost: u64,
}

impl RateSample {
    /// `delivered` / `interval`.
    pub fn rate(&self) -> Rate {
        Rate((self.delivered as f64 * 8e12 / self.interval.0 as f64) as u64)
    }
}

/// An acknowledgement, after the sender has processed it.
#[derive(Copy, Clone, Debug)]
pub struct Ack<'a> {
    /// Now.
    pub now: Time,
    /// Bytes newly acknowledged, selectively or cumulatively.
    pub acked: u64,
    /// Bytes by which the cumulative acknowledgement moved. Windows that follow RFC 5681 grow by it,
    /// because duplicate acknowledgements do not count there. For datagrams it equals `acked`.
    pub advanced: u64,
    /// Segments newly acknowledged.
    pub acked_segments: u32,
    /// Bytes newly declared lost by this acknowledgement.
    pub lost: u64,
    /// Bytes among `acked` newly reported with CE.
    pub marked: u64,
    /// Bytes delivered since the beginning, those of this acknowledgement included.
    pub delivered: u64,
    /// Bytes in flight before this acknowledgement.
    pub prior_in_flight: u64,
    /// Bytes in flight after it.
    pub in_flight: u64,
    /// Round-trip sample; none if it is ambiguous (Karn).
    pub rtt: Option<Span>,
    /// Smoothed round trip (RFC 6298).
    pub srtt: Span,
    /// Least round trip since the beginning.
    pub min_rtt: Span,
    /// One-way delay: from the sender's timestamp to reception by the receiver's clock.
    pub one_way: Option<Span>,
    /// Delivery-rate sample.
    pub rate: Option<RateSample>,
    /// Rounds so far: a round ends when a packet sent after the last one ended is acknowledged.
    pub round: u64,
    /// This acknowledgement begins a round.
    pub round_start: bool,
    /// The flow was window-limited, not application-limited, during the last round.
    pub cwnd_limited: bool,
    /// The sender is in loss recovery.
    pub recovering: bool,
    /// Payload bytes the sender has put on the wire, retransmissions included.
    pub sent: u64,
    /// Number of the newest transmission acknowledged (`Segment::number`).
    pub number: u64,
    /// Explicit feedback.
    pub feedback: Option<&'a Feedback>,
}

/// The cause of a congestion event.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Segments were lost and recovery begins; in recovery: a retransmission was lost.
    Loss,
    /// A mark was echoed (once for each round, for controllers that count no marks).
    Mark,
    /// The retransmission timer expired.
    Timeout,
    /// The losses before were spurious (RFC 4015, DSACK). The controller undoes its reduction.
    Spurious,
    /// Recovery is over: everything outstanding at its beginning has been acknowledged.
    Recovered,
}

/// A congestion event, reported at most once for each round.
#[derive(Copy, Clone, Debug)]
pub struct Congestion {
    /// Now.
    pub now: Time,
    /// Why.
    pub cause: Cause,
    /// Bytes in flight when it was detected (FlightSize, RFC 5681).
    pub in_flight: u64,
    /// Bytes declared lost so far in this episode.
    pub lost: u64,
    /// Bytes in flight when the lost segment had been sent, if known.
    pub tx_in_flight: u64,
    /// The round in which it was detected.
    pub round: u64,
}

/// A segment has left.
#[derive(Copy, Clone, Debug)]
pub struct Sent {
    /// When.
    pub now: Time,
    /// `Segment::number`.
    pub number: u64,
    /// Payload bytes.
    pub len: u64,
    /// Bytes in flight, this segment included.
    pub in_flight: u64,
    /// Whether it is a retransmission.
    pub again: bool,
    /// The application has nothing more to send.
    pub app_limited: bool,
}

/// A segment has been declared lost.
#[derive(Copy, Clone, Debug)]
pub struct Lost {
    /// When.
    pub now: Time,
    /// `Segment::number`.
    pub number: u64,
    /// Payload bytes.
    pub len: u64,
    /// Bytes in flight when it left, itself included.
    pub tx_in_flight: u64,
    /// Bytes declared lost since it left, itself included.
    pub lost: u64,
    /// Bytes in flight without it.
    pub in_flight: u64,
    /// The application, not the network, held the sender back when it left.
    pub app_limited: bool,
}

/// A segment is about to leave, and nothing was in flight.
#[derive(Copy, Clone, Debug)]
pub struct Idle {
    /// Now.
    pub now: Time,
    /// The largest window for controllers that follow RFC 5681 (section 4.1): after a long idle time no
    /// acknowledgements clock the sender.
    pub window: u64,
    /// Lower bound for the slow-start threshold.
    pub threshold: u64,
}
