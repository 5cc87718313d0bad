//! A sender's memory of its packets.

use crate::rate::Snapshot;

/// A packet that is not acknowledged cumulatively.
#[derive(Copy, Clone, Debug)]
pub(super) struct Packet {
    pub(super) start: u64,
    pub(super) len: u32,
    pub(super) number: u64,
    pub(super) again: bool,
    /// Acknowledged selectively.
    pub(super) sacked: bool,
    /// Sent again in the recovery at hand.
    pub(super) resent: bool,
    /// Only its header came.
    pub(super) trimmed: bool,
    pub(super) snapshot: Snapshot,
}

impl Packet {
    pub(super) fn end(&self) -> u64 {
        self.start + u64::from(self.len)
    }
}

/// A recovery.
#[derive(Copy, Clone, Debug)]
pub(super) struct Recovering {
    /// It ends when all below have arrived.
    pub(super) until: u64,
    /// Packets below that are missing are sent again.
    pub(super) highest: u64,
    /// Packets popped since the sender began, at the first that may have to be sent again.
    pub(super) from: u64,
}
