//! Counters and gauges of a world at any instant of its run. Reading them moves nothing.

use std::collections::BTreeMap;

use backwater_sim::network::Role;
use backwater_sim::world::World;
use backwater_transport::endpoint::Sender;
use backwater_transport::units::Time;

use crate::document::probed;

/// Names and values of one thing.
pub type Row = (String, Vec<(&'static str, f64)>);

/// The packets that a world holds, and its counts from its beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The present.
    pub at: Time,
    /// Flows, the companions that carry acknowledgements aside.
    pub flows: Vec<Row>,
    /// Ports.
    pub ports: Vec<Row>,
    /// Stations of 802.11.
    pub stations: Vec<Row>,
    /// Packets lost, by cause.
    pub drops: BTreeMap<&'static str, u64>,
}

/// Looks at a world. Ports are caught up first, as a run does itself when it touches them, so no result depends on whether
/// somebody looked.
pub fn probe(world: &mut World) -> Probe {
    world.settle();
    let world = &*world;
    let network = world.network();
    let flow = |flow: &backwater_sim::network::Flow| {
        let mut row = vec![
            ("entered_pkts", flow.entered.packets as f64),
            ("delivered_pkts", flow.stats.delivered.packets as f64),
            ("delivered_B", flow.stats.delivered.bytes as f64),
            ("dropped_pkts", flow.stats.dropped.packets as f64),
        ];
        if let Role::Data(id) = flow.role {
            let connection = &world.ends.connections[id];
            let [in_order, again, sent] = connection.totals();
            row.extend([
                ("in_order_B", in_order as f64),
                ("retransmitted_pkts", again as f64),
                ("sent_pkts", sent as f64),
                ("window_B", connection.sender.window() as f64),
            ]);
        }
        (flow.name.clone(), row)
    };
    let own = |flow: &&backwater_sim::network::Flow| !matches!(flow.role, Role::Acks(_));
    let port = |port: &backwater_sim::network::Port| {
        let row = vec![
            ("held_B", port.held_bytes() as f64),
            ("waiting_pkts", f64::from(port.waiting)),
            ("sent_pkts", port.sent().packets as f64),
        ];
        (port.more.name.clone(), row)
    };
    Probe {
        at: world.now(),
        flows: network.flows.iter().filter(own).map(flow).collect(),
        ports: network.ports.iter().map(port).collect(),
        stations: probed(world),
        drops: world.drops_by_cause(),
    }
}
