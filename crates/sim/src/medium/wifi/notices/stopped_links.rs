//! Links of stations that gates stop: for how long, and whether anything that waits for them may go.

use backwater_transport::units::Time;

use crate::ids::PortId;
use crate::limit::MAX_CLASSES;
use crate::medium::wifi::air::Air;
use crate::network::Network;

impl Air {
    /// Ticks for which each class of a link has been stopped, wholly or toward some destinations.
    pub(crate) fn closed(&self, port: PortId, now: Time) -> [u64; MAX_CLASSES] {
        let gates = self.hop(port).and_then(|hop| {
            let gates = self.radios[hop.from as usize].gates.as_ref()?;
            Some(gates.closed_toward(Some(hop.to), now))
        });
        gates.unwrap_or_default()
    }

    /// Since when gates have stopped each class of frames that wait for a link. None where none wait, or some may go.
    pub(crate) fn stuck_since(&self, network: &Network, port: PortId, now: Time) -> Option<Time> {
        let hop = self.hop(port)?;
        let number = self.hop_number(port);
        let radio = &self.radios[hop.from as usize];
        let gates = radio.gates.as_ref()?;
        let waits = |c: &usize| !network.ports[port].queue(*c).list.head().is_none();
        let mut latest = None;
        for class in (0..radio.categories.len()).filter(waits) {
            if self.hop_opens(network, hop.from, class, number, now) <= now {
                return None;
            }
            latest = latest.max(Some(gates.stopped_since(class, Some(hop.to), now)?));
        }
        latest
    }

    /// Whether a station is sending a data frame.
    pub(crate) fn sends_data(&self) -> bool {
        let mut exchanges = self.radios.iter().filter_map(|r| r.exchange);
        exchanges.any(|e| e.hop.is_some())
    }

    /// The links of a station for which frames wait.
    pub(crate) fn links_with_frames(
        &self,
        network: &Network,
        station: u32,
    ) -> impl Iterator<Item = PortId> {
        let hops = self.radios[station as usize].hops.iter();
        let ports = hops.map(|hop| self.hops[*hop as usize].port);
        ports.filter(|port| {
            let queues = network.ports[*port].queues();
            queues.iter().any(|queue| !queue.list.head().is_none())
        })
    }
}
