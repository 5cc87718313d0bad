//! A notice of a queue to the source of a packet that came to it, before it becomes a packet of its own.

use crate::ids::{ConnectionId, NodeId, PortId};

/// A notice to be sent.
#[derive(Copy, Clone, Debug)]
pub(crate) struct SourceNotice {
    /// The flow whose source is told.
    pub(crate) connection: ConnectionId,
    /// The node that tells it.
    pub(crate) node: NodeId,
    /// Port over which the sampled frame came in, and its number there: the accounts of a switch hold the notice under them.
    pub(crate) came: (PortId, u8),
    /// Six bits of feedback.
    pub(crate) feedback: u8,
}
