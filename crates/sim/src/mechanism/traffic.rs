//! The ports that frames may cross, as far as they are known before a run.

use std::collections::BTreeSet;

use crate::ids::PortId;
use crate::network::{Flow, Network, Role};

/// Where frames may go: along the paths of the flows, or anywhere where one has many destinations.
pub(super) struct Traffic {
    anywhere: bool,
    ports: BTreeSet<PortId>,
    pairs: BTreeSet<(PortId, PortId)>,
}

impl Traffic {
    /// All traffic.
    pub fn of(network: &Network) -> Traffic {
        Traffic::along(|| network.flows.iter())
    }

    /// All but acknowledgements. Packets from outside may go anywhere.
    pub fn of_data(network: &Network) -> Traffic {
        let data = |f: &&Flow| !matches!(f.role, Role::Acks(_));
        let mut traffic = Traffic::along(|| network.flows.iter().filter(data));
        traffic.anywhere |= network.flows.iter().any(|f| f.outside);
        traffic
    }

    fn along<'a, I: Iterator<Item = &'a Flow>>(flows: impl Fn() -> I) -> Traffic {
        let paths = || flows().map(|f| &f.path);
        Traffic {
            anywhere: paths().any(Vec::is_empty),
            ports: paths().flatten().copied().collect(),
            pairs: paths()
                .flat_map(|p| p.windows(2).map(|w| (w[0], w[1])))
                .collect(),
        }
    }

    /// Whether frames may pass a port.
    pub fn passes(&self, port: PortId) -> bool {
        self.anywhere || self.ports.contains(&port)
    }

    /// Whether frames may come through one port to the other.
    pub fn crosses(&self, from: PortId, to: PortId) -> bool {
        self.anywhere || self.pairs.contains(&(from, to))
    }
}
