//! A reliable byte stream: TCP. `sender.rs` has the state of the sending end, `transmit.rs` decides what leaves,
//! `ack.rs` reads acknowledgements, `losses.rs` enters and leaves recovery, `timers.rs` handles expiries. `receiver.rs` is
//! the receiving end.

mod ack;
mod delivery;
mod losses;
mod receiver;
mod sender;
mod timers;
mod transmit;
mod walk;

pub use receiver::StreamReceiver;
pub use sender::StreamSender;

use crate::protocol::Transport;

/// IPv4 and TCP headers, and the timestamp option with its padding (RFC 793, RFC 7323).
const HEADER: u64 = 20 + 20 + 12;
/// SACK option without blocks, with its padding (RFC 2018).
const SACK: u64 = 4;
/// A SACK block.
const BLOCK: u64 = 8;

/// The row.
pub const ROW: Transport = Transport {
    id: "tcp",
    header: HEADER,
    ack: |blocks| match blocks {
        0 => HEADER,
        _ => HEADER + SACK + BLOCK * blocks,
    },
    reliable: true,
    tcp: true,
    delays_acks: true,
    queue_pair: false,
};
