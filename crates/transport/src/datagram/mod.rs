//! The datagram protocol of the 6.829 contest: packets are numbered and sent once, the receiver
//! acknowledges each, and nothing is repaired.
//!
//! Packets sent after the newest acknowledged one are in flight, as in the contest's sender: an
//! overtaken packet counts as lost. If it arrives later, it counts as delivered; if all losses of an
//! episode arrive, the episode is reported as spurious. After a silence one extra packet leaves
//! regardless of the window, and the controller is told of a timeout. At most `MAX_UNACKNOWLEDGED` packets
//! are in flight; a wider window has no effect, and the run's report says so.

mod receiver;
mod sender;
mod walk;

pub use receiver::DatagramReceiver;
pub use sender::DatagramSender;

use crate::protocol::Transport;

/// IPv4 and UDP headers, and six numbers of eight bytes (`datagrump/contest_message.hh`). An acknowledgement is these alone.
const HEADER: u64 = 20 + 8 + 48;

/// The row.
pub const ROW: Transport = Transport {
    id: "datagram",
    header: HEADER,
    ack: |_| HEADER,
    reliable: false,
    tcp: false,
    delays_acks: false,
    queue_pair: false,
};
