//! The two ends of a flow through the interface that their driver sees, beside models and closed forms: each packet, each timer and
//! each word to the controller.

#[path = "../support/blank.rs"]
mod blank;

mod datagram;
mod datagram_model;
mod forecast;
mod interface;
mod irn;
mod irn_model;
mod limits;
mod notices;
#[path = "../support/options.rs"]
mod options;
mod receiver_states;
mod recorder;
mod roce;
mod roce_model;
mod shared;
mod skipping;
mod spreading;
mod stream;
mod stream_receiver;
mod stream_rules;
mod walk;

/// Payload of a full packet.
const MSS: u64 = 1000;
/// The packet on the link.
const FRAME: u64 = 1048;
