//! What a sender makes of an acknowledgement before it tells the controller.

use crate::rate::Newest;
use crate::units::Span;

/// What an acknowledgement means for the sender.
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
