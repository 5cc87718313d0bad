//! Runs that end with packets held and none of them moving, whatever holds them.

use backwater_transport::units::Time;

use super::World;
use crate::network::Port;

/// Packets wait, and none of them moves.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Standstill {
    /// When a packet was delivered last.
    pub since: Time,
    /// Packets that wait.
    pub packets: u64,
}

/// Nothing was delivered for this share of the run.
const LONG: u64 = 10;

impl World {
    /// The packets that stand still, where so many are held and none was delivered in the last tenth of the time so far. A frame in
    /// transmission is a movement if its packet is about to arrive, or if none was lost meanwhile.
    pub fn standstill(&self, held: u64) -> Option<Standstill> {
        let (now, packets) = (self.now(), held);
        let flows = self.shared.network.flows.iter();
        let since = flows.clone().map(|f| f.stats.last).max()?;
        let long = now.since(since).0 >= now.0 / LONG;
        if packets == 0 || !long {
            return None;
        }
        let loses = flows.map(|f| f.stats.last_lost).max() > Some(since);
        let mut ports = self.shared.network.ports.iter();
        let on_wires = ports.any(|p| self.sends_data(p, loses));
        let on_media = self.media.sends_data();
        let moves = on_wires || on_media && !loses;
        (!moves).then_some(Standstill { since, packets })
    }

    /// Whether a data frame is in transmission at a port or on its wire; where frames are lost, one that arrives at its host.
    fn sends_data(&self, port: &Port, loses: bool) -> bool {
        let network = &self.shared.network;
        let last = !port.far.is_none() && !network.nodes[port.far].forwards;
        let mut wire = network.packets.walk(&port.wire);
        (last || !loses) && (port.sending > 0 || wire.any(|p| !p.flow.is_none()))
    }
}
