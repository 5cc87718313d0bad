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
    /// What stands still, where so many packets are held, none is in transmission, and none was delivered in the last
    /// tenth of the time so far.
    pub fn standstill(&self, held: u64) -> Option<Standstill> {
        let (now, packets) = (self.now(), held);
        let flows = self.shared.network.flows.iter();
        let since = flows.map(|f| f.stats.last).max()?;
        let long = now.since(since).0 >= now.0 / LONG;
        let moves = self.shared.network.ports.iter().any(|p| self.sends_data(p))
            || self.media.air.radios.iter().any(|r| r.exchange.is_some());
        (packets > 0 && long && !moves).then_some(Standstill { since, packets })
    }

    /// Whether a data frame is in transmission at a port or on its wire.
    fn sends_data(&self, port: &Port) -> bool {
        let mut wire = self.shared.network.packets.walk(&port.wire);
        port.sending > 0 || wire.any(|p| !p.flow.is_none())
    }
}
