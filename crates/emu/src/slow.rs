//! Where an emulator that sleeps between packets is as exact as one that looks for them without a pause.
//!
//! A wake-up comes some 20 us late, and packets that come often are taken together each 100 us (`waits`). On a link of at most 24 Mbit/s
//! a full packet takes 0.5 ms or more: the error is a fraction of what the packet itself takes, and the certificate, which
//! allows 1 ms, holds. A trace counts by its busiest second.

use backwater_sim::ids::PortId;
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};

use crate::driver::RealNode;

/// The fastest link for which it sleeps.
const FASTEST_BPS: u64 = 24_000_000;
/// How much of a trace is looked at.
const LOOKED_AT: Span = Span::millis(60_000);

/// Whether each way between programs leads over a link that is slow enough.
pub(crate) fn is_slow(world: &World, places: &[RealNode]) -> bool {
    let network = world.network();
    let node = |node| places.iter().any(|place| place.node == node);
    let mut ways = network
        .flows
        .iter()
        .filter(|flow| node(flow.from) && flow.path.last().is_some())
        .peekable();
    ways.peek().is_some()
        && ways.all(|flow| flow.path.iter().any(|&port| port_is_slow(world, port)))
}

fn port_is_slow(world: &World, port: PortId) -> bool {
    let port = &world.network().ports[port];
    let Some(server) = port.more.service.server() else {
        return port.more.rate.0 <= FASTEST_BPS;
    };
    let second = Span::millis(1000).0;
    let (mut now, mut bits) = (0, 0);
    for at in server.opportunities(Time(LOOKED_AT.0)) {
        if at.0 / second > now {
            (now, bits) = (at.0 / second, 0);
        }
        bits += 8 * server.spec.opportunity;
        if bits > FASTEST_BPS {
            return false;
        }
    }
    true
}
