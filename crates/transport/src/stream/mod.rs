//! The sender of a reliable byte stream. `sender.rs` has its state, `transmit.rs` decides what leaves,
//! `ack.rs` reads acknowledgements, `losses.rs` enters and leaves recovery, `timers.rs` handles expiries.

mod ack;
mod delivery;
mod losses;
mod sender;
mod timers;
mod transmit;

pub use sender::StreamSender;
