//! The two ends of a flow through the interface that their driver sees, beside models and closed forms: each packet, each timer and
//! each word to the controller.

mod datagram;
mod datagram_bounds;
mod datagram_model;
mod forecast;
mod forecast_bounds;
mod interface;
mod irn;
mod irn_model;
mod limits;
mod notices;
mod receiver_states;
mod recorder;
mod roce;
mod roce_model;
mod shared;
mod skipped;
mod skipping;
mod spreading;
mod stream;
mod stream_acks;
mod stream_bytes;
mod stream_episodes;
mod stream_receiver;
mod stream_rules;
mod visited;
mod walk;

use backwater_transport::endpoint::{AnyReceiver, AnySender, Protocol, ReceiverSetup, SenderSetup};
use backwater_transport::queue_pair::QueuePair;
use backwater_transport_testing::options;

/// Payload of a full packet.
const MSS: u64 = 1000;
/// The packet on the link.
const FRAME: u64 = 1048;

/// The two ends of a queue pair. The sender tells this recorder.
fn both_ends(
    protocol: Protocol,
    pair: QueuePair,
    recorder: &recorder::Recorder,
) -> (AnySender, AnyReceiver) {
    let mut setup = SenderSetup::new(protocol, MSS, FRAME);
    setup.pair = pair;
    let mut receiver = ReceiverSetup::new(protocol, MSS);
    receiver.pair = pair;
    let sender = AnySender::new(&setup, recorder.controller());
    (sender, AnyReceiver::new(&receiver))
}
