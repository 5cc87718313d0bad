//! The parts of a network: nodes, their egress ports, the flows between them, and the notices on their way.

mod ahead;
mod carried;
mod control_frames;
mod demand;
mod fabric;
mod flow;
mod labels;
mod laws;
mod loss;
mod mail;
mod managed;
mod node;
mod port;
mod port_state;
mod refill;
mod source_notices;
mod spent;
mod traits;
pub(crate) mod transmit;
mod trim;
pub(crate) mod views;
pub(crate) mod walk;
pub mod watchdog;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::connection::Headers;
use crate::forwarding::{Forwarding, Turns};
use crate::ids::{FlowId, NodeId, PortId};
use crate::packet::Packets;
use crate::source_notice::SourceNotice;
use crate::table::Table;

pub use fabric::{Discipline, Fabric, MAX_FABRIC_PORTS};
pub use flow::{Flow, Role};
pub use labels::{Label, Labels};
pub use laws::{Law, Values, Watched};
pub use mail::Mail;
pub use node::Node;
pub use port::{Port, PortCount, PortMore};
pub use spent::{Grouped, Spent, SpentTable};
pub use traits::Traits;

/// The part that does not change after a world has been built. Copies of a world share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    pub(crate) forwarding: Forwarding,
    /// The port whose queue each box leads to.
    pub(crate) boxes: BTreeMap<PortId, PortId>,
}

/// The network: tables of nodes, ports, flows and packets.
#[derive(Clone, Debug, Default)]
pub struct Network {
    pub(crate) packets: Packets,
    /// Headers of packets of flows with a transport.
    pub(crate) headers: Headers,
    /// Labels of packets that the driving program injected.
    pub(crate) labels: Labels,
    /// Times of packets on shared media.
    pub(crate) spent: SpentTable,
    /// Where switches stand that choose a way for each packet.
    pub(crate) turns: Turns,
    /// Nodes in the scenario's order.
    pub nodes: Table<Node>,
    /// Ports: two for each link, then those of boxes and radio hops.
    pub ports: Table<Port>,
    /// Flows in the scenario's order, then those that carry the ACKs of flows with a transport.
    pub flows: Table<Flow>,
    /// Node of each host number.
    pub hosts: Vec<NodeId>,
    /// Forwarding tables and boxes.
    pub(crate) plan: Arc<Plan>,
    pub(crate) mail: Mail,
    /// Laws of explicit feedback at egress ports and radios.
    pub laws: Table<Law>,
    /// Ports whose queues are filled before the event at hand is over.
    pub(crate) refills: Vec<PortId>,
    /// Notices to sources that leave before the event at hand is over.
    pub(crate) source_notices: Vec<SourceNotice>,
    /// Flows with a limit on bytes in the radio of their host; empty where no flow has one.
    pub(crate) limited: Vec<bool>,
    /// Packets of theirs that have left it, or were lost there, with the bytes of their frames.
    pub(crate) freed: Vec<(FlowId, u64)>,
}
