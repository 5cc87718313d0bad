//! RDMA without order: IRN. The receiver keeps what comes out of order and answers with a NACK that names the next packet
//! expected and the one that came; the sender sends again only what is missing. At most one bandwidth-delay product is in
//! flight.
//!
//! Reference: Mittal et al., Revisiting Network Support for RDMA, SIGCOMM 2018, section 3: what lies below the highest packet
//! acknowledged selectively is sent again once in a recovery, then new data follow; a recovery ends when all that was sent at
//! its beginning has arrived; two timeouts, the lower while at most three packets are in flight. Differences: none in the
//! laws; the paper's constants are options. With `pull` its receiver paces its senders (`credit.rs`).

mod credit;
mod packet;
mod receiver;
mod sender;

pub use receiver::IrnReceiver;
pub use sender::IrnSender;

use crate::protocol::Transport;
use crate::queue_pair::{ACK, HEADER};

/// Bytes of the block that names the packet that came out of order.
const BLOCK: u64 = 8;

/// The row.
pub const ROW: Transport = Transport {
    id: "irn",
    header: HEADER,
    ack: |blocks| ACK + BLOCK * blocks,
    reliable: true,
    tcp: false,
    delays_acks: false,
    queue_pair: true,
};
