//! Counters of a sender, and its values for plots and records.

use crate::controller_interface::Inspect;
use crate::rate::Newest;
use crate::units::{Rate, Span};
use crate::walk::Walk;

/// The counters of a sender.
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
    /// Expiries of the retransmission timer (streams) or the silence timer (datagrams).
    pub timeouts: u64,
    /// Tail loss probes.
    pub probes: u64,
    /// Spurious retransmissions (streams), or packets that arrived after they were declared lost
    /// (datagrams).
    pub spurious: u64,
    /// Window reductions because of marks.
    pub marks: u64,
    /// Bytes acknowledged: below the first gap (streams), or all that arrived (datagrams).
    pub acked: u64,
}

impl SenderCounters {
    pub(crate) fn walk(&mut self, walk: &mut Walk) {
        let SenderCounters {
            segments,
            bytes,
            retransmitted,
            retransmitted_bytes,
            lost,
            recoveries,
            timeouts,
            probes,
            spurious,
            marks,
            acked,
        } = self;
        for count in [
            segments,
            bytes,
            retransmitted,
            retransmitted_bytes,
            lost,
            recoveries,
            timeouts,
            probes,
            spurious,
            marks,
            acked,
        ] {
            walk.count(count);
        }
    }
}

/// Values of a sender for plots and records.
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

/// The effects of an acknowledgement on the sender.
#[derive(Copy, Clone, Debug, Default)]
pub struct AckSummary {
    /// Bytes newly delivered.
    pub acked: u64,
    /// Bytes by which the left edge moved.
    pub advanced: u64,
    /// Segments newly delivered.
    pub segments: u32,
    /// Bytes newly declared lost.
    pub lost: u64,
    /// Segments newly declared lost.
    pub lost_segments: u64,
    /// Bytes in flight when the last of those left.
    pub tx_in_flight: u64,
    /// Round trip of the newest segment delivered, if unambiguous.
    pub rtt: Option<Span>,
    /// Its one-way delay.
    pub one_way: Option<Span>,
    /// Bytes in flight before.
    pub prior_in_flight: u64,
    /// Packets newly reported as marked.
    pub marked: u64,
    /// The segment sent last among those newly delivered.
    pub newest: Option<Newest>,
}
