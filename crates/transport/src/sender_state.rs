//! What a sender counts, and what it shows for plots and records.

use crate::controller_interface::Inspect;
use crate::units::{Rate, Span};

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
