//! What the sender tells a controller: acknowledgements, congestion, departures, losses and idle
//! restarts.

use crate::segment::Feedback;
use crate::units::{Rate, Span, Time};

/// A delivery-rate sample (draft-ietf-ccwg-bbr section 4.1).
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct RateSample {
    /// Bytes delivered in `interval`.
    pub delivered: u64,
    /// The longer of the spans over which they were sent and acknowledged.
    pub interval: Span,
    /// The application, not the network, held the sender back when the packet left.
    pub app_limited: bool,
    /// Delivered bytes, in total, when the newest acknowledged packet left.
    pub prior_delivered: u64,
    /// Bytes in flight when that packet left, itself included.
    pub tx_in_flight: u64,
    /// Bytes declared lost between its departure and now.
    pub lost: u64,
}

impl RateSample {
    /// `delivered` / `interval`. Few controllers ask, so it is not worked out before.
    pub fn rate(&self) -> Rate {
        Rate((self.delivered as f64 * 8e12 / self.interval.0 as f64) as u64)
    }
}

/// What an acknowledgement tells.
#[derive(Copy, Clone, Debug)]
pub struct Ack<'a> {
    /// Now.
    pub now: Time,
    /// Bytes newly known to be delivered, selectively or cumulatively.
    pub acked: u64,
    /// Bytes by which the cumulative acknowledgement moved: what a window grows on that follows
    /// RFC 5681, for which duplicate acknowledgements are none. Of datagrams all of `acked`.
    pub advanced: u64,
    /// Segments newly known to be delivered.
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
    /// Round-trip sample; none where it would be ambiguous (Karn).
    pub rtt: Option<Span>,
    /// Smoothed round trip (RFC 6298).
    pub srtt: Span,
    /// Least round trip since the beginning.
    pub min_rtt: Span,
    /// From the sender's stamp to reception by the receiver's clock.
    pub one_way: Option<Span>,
    /// Delivery-rate sample.
    pub rate: Option<RateSample>,
    /// Rounds so far: a round ends when a packet sent after the last one ended is acknowledged.
    pub round: u64,
    /// This acknowledgement begins a round.
    pub round_start: bool,
    /// The window, not the application, held the sender back during the last round.
    pub cwnd_limited: bool,
    /// The sender repairs losses.
    pub recovering: bool,
    /// Payload bytes the sender has put on the wire, retransmissions included.
    pub sent: u64,
    /// Number of the newest transmission acknowledged (`Segment::number`).
    pub number: u64,
    /// Explicit feedback.
    pub feedback: Option<&'a Feedback>,
}

/// Why the network is taken to be congested.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Recovery begins: segments were lost. In recovery: a retransmission was.
    Loss,
    /// A mark was echoed (once for each round, for controllers that count no marks).
    Mark,
    /// The retransmission timer expired.
    Timeout,
    /// What was answered before was no loss (RFC 4015, DSACK): the reduction is to be undone.
    Spurious,
    /// Recovery is over: everything outstanding at its beginning has been acknowledged.
    Recovered,
}

/// Congestion, told at most once for each round.
#[derive(Copy, Clone, Debug)]
pub struct Congestion {
    /// Now.
    pub now: Time,
    /// Why.
    pub cause: Cause,
    /// Bytes in flight when it was noticed (FlightSize, RFC 5681).
    pub in_flight: u64,
    /// Bytes declared lost so far in this episode.
    pub lost: u64,
    /// Bytes in flight when the lost segment had been sent, if known.
    pub tx_in_flight: u64,
    /// The round in which it was noticed.
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
    /// Most bytes that the window may have if it follows RFC 5681 (section 4.1): after a long pause the
    /// acknowledgements that would clock more are gone.
    pub window: u64,
    /// Least slow-start threshold from here on.
    pub threshold: u64,
}
