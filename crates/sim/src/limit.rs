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

impl Limit {
    /// The bound, in its own unit; none where there is none.
    pub fn count(self) -> Option<u64> {
        match self {
            Limit::Unlimited => None,
            Limit::Bytes(limit) => Some(limit.0),
            Limit::Packets(limit) => Some(limit),
        }
    }
}
