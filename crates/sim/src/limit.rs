//! How much a class queue holds, and how many of them a port can have.

use backwater_transport::units::Bytes;

/// Classes a port can have.
pub const MAX_CLASSES: usize = 8;

/// How much a class queue holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// No bound (hosts).
    Unlimited,
    /// Bytes of frames, the one in transmission included.
    Bytes(Bytes),
    /// Frames, the one in transmission included.
    Packets(u64),
}
