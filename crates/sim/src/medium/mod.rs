//! Media: what it costs to move a frame from one node to the next. A medium is a file or a folder here and a row of
//! `MEDIA`, which says what it offers (`offer`). What serves the queue of a port is a variant of `service::Service`.
//!
//! * `ethernet`: wires. `trace`: links served by opportunities. `boxes`: what packets pass before a queue.
//! * `wifi`: 802.11. `tdma`: a frame of slots that terminals share.
//! * `access`: access categories, which responders move.
//! * `media`: all media of a world, and `attached`: what the rest of the engine asks of them.
//!
//! Other folders use the names that are exported here, and know no type of a medium.

pub mod access;
mod attached;
pub mod boxes;
pub mod ethernet;
pub mod media;
pub mod offer;
pub mod service;
pub mod tdma;
#[cfg(test)]
mod test_wires;
pub mod trace;
pub mod wifi;

use backwater_transport::part::Part;

pub use media::Media;
pub use offer::Offer;
pub use trace::{Server, ServerSpec};
pub use wifi::air::{Air, Member};
pub use wifi::air_log::AirFrame;
pub use wifi::radio::{Radio, StationCount};

/// The offer of wires.
pub static WIRE: Offer = ethernet::PART.build;
/// The offer of 802.11 media.
pub static AIR: Offer = wifi::PART.build;

/// Every medium.
pub static MEDIA: &[Part<Offer>] = &[ethernet::PART, wifi::PART, trace::PART, tdma::PART];
