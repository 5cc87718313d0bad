//! Packets that a test injects into a flow.

use backwater_sim::ids::FlowId;
use backwater_sim::world::{Injected, World};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Time};

/// Injects a packet of so many IP bytes at the sender of a flow, for its receiver.
pub fn inject(world: &mut World, at: Time, flow: FlowId, len: u64, tag: u64) {
    let of = &world.network().flows[flow];
    let host = of.to.iter().next().expect("a destination");
    let packet = Injected {
        to: world.network().hosts[host as usize],
        class: of.class,
        len: Bytes(len),
        ecn: Ecn::NotEct,
        hash: None,
        tag,
    };
    let from = of.from;
    world.inject(at, from, packet).expect("a packet that fits");
}
