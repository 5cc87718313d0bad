//! Reliable RDMA in order: go-back-N and go-back-0. The receiver takes packets in order only and answers a gap with a NACK;
//! the sender goes back to the packet that it names, or to the beginning of its message. A flow is a queue pair, and what its
//! application writes are messages on it.
//!
//! Reference: InfiniBand Architecture Specification, C9-110 and A17; the receiver and sender of HPCC's public simulator. No
//! handshake, no delayed acknowledgement. Differences: a duplicate is acknowledged (C9-110), which HPCC's receiver leaves out.

mod receiver;
mod sender;

pub use receiver::RoceReceiver;
pub use sender::RoceSender;

use crate::protocol::Transport;
use crate::queue_pair::{ACK, HEADER};

/// The row.
pub const ROW: Transport = Transport {
    id: "roce",
    header: HEADER,
    ack: |_| ACK,
    reliable: true,
    tcp: false,
    delays_acks: false,
    queue_pair: true,
};
