//! Notices of queues must find a way back to the sources that hear them, and room on it.

use std::collections::BTreeSet;

use backwater_transport::segment::Signal;

use super::refuse;
use crate::ids::{FlowId, NodeId, PortId};
use crate::limit::Limit;
use crate::network::{Network, Role};
use crate::packet;
use crate::queue::Aqm;
use crate::spec::{Refusal, Spec};
use crate::world::World;

impl World {
    /// Refuses a queue that sends notices where they would not come to a source whose data pass it.
    pub(super) fn check_notices(&self, spec: &Spec) -> Result<(), Refusal> {
        let network = &self.shared.network;
        let mut seen = BTreeSet::new();
        for (number, flow) in network.flows.iter().enumerate() {
            let Role::Data(connection) = flow.role else {
                continue;
            };
            let tells = |port: &&PortId| {
                let managed = network.ports[**port].more.managed.as_ref();
                managed.is_some_and(|m| m.aqm.notifies()) && network.ports[**port].node != flow.from
            };
            if !flow.noticed {
                continue;
            }
            let c = &self.ends.connections[connection];
            for port in flow.path.iter().filter(tells) {
                let node = network.ports[*port].node;
                if seen.insert((node, flow.from, c.signal_class)) {
                    let name = &spec.flows[number].name;
                    network.check_way_back((*port, node), c.acks, (c.signal_class, name))?;
                }
            }
        }
        Ok(())
    }
}

impl Network {
    /// Follows a notice from a node to the source of a flow, on all equal ways.
    fn check_way_back(
        &self,
        (port, node): (PortId, NodeId),
        acks: FlowId,
        (class, name): (u8, &str),
    ) -> Result<(), Refusal> {
        let feedback = 1;
        let frame = packet::frame(Signal::Notice { feedback }.bytes());
        let place = |port: PortId| &self.ports[port].more.name;
        let host = self.flows[acks].to.iter().next().expect("the source");
        let ways = match self.ports_toward(node, host) {
            Ok(ways) => ways,
            Err(end) => {
                return refuse(
                    format!("ports.{}.queue", place(port)),
                    format!(
                        "the queue sends notices to the source of {name}, and no way leads from {} back to it",
                        self.nodes[end].name
                    ),
                    "join them by links both ways, or write another queue",
                );
            }
        };
        for way in ways {
            let port = &self.ports[way];
            if self.is_narrow(way, class) {
                return refuse(
                    format!("flows.{name}.cnp_class"),
                    format!(
                        "notices to the source have class {class}, which has no queue at {}, which has {} classes",
                        port.more.name,
                        port.queues().len()
                    ),
                    "write a lower class, or give the port's queue more classes",
                );
            }
            if matches!(port.buffer, Limit::Bytes(b) if b.0 < frame) {
                return refuse(
                    format!("ports.{}.buffer", port.more.name),
                    format!(
                        "it cannot hold a notice to the source of {name}, a frame of {frame} B"
                    ),
                    "write a larger buffer",
                );
            }
        }
        Ok(())
    }
}
