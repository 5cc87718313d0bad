//! Fabrics of input-queued switches, and what can't work beside them.

use std::sync::Arc;

use backwater_transport::units::Span;

use super::refuse;
use crate::ids::{NodeId, PortId};
use crate::limit::Limit;
use crate::medium::service::{Crossing, Service};
use crate::network::{Fabric, MAX_FABRIC_PORTS, Network, Port, PortMore, Traits};
use crate::packet::List;
use crate::spec::{Egress, NodeKind, Refusal, Spec, StampSpec, SwitchModel};

impl Network {
    /// Refuses what an input-queued switch can't have.
    pub(crate) fn check_fabric(
        &self,
        spec: &Spec,
        id: NodeId,
        model: &SwitchModel,
        path: &str,
    ) -> Result<(), Refusal> {
        let SwitchModel::InputQueued { .. } = model else {
            return Ok(());
        };
        let node = &self.nodes[id];
        if node.ports.len() > MAX_FABRIC_PORTS {
            let what = format!("an input-queued switch has at most {MAX_FABRIC_PORTS} ports");
            let fix = "use smaller switches, or model = \"output-queued\"";
            return refuse(path, what, fix);
        }
        for port in node.ports.iter().map(|port| &self.ports[*port]) {
            let name = &port.more.name;
            if port.more.service.has_instants() {
                let what = format!(
                    "{name} has no line rate, and the fabric of an input-queued switch serves lines"
                );
                return refuse(path, what, "use model = \"output-queued\" there");
            }
            if port.more.managed.is_some() {
                let what = format!(
                    "the queue at {name} manages what waits there, but at an input-queued switch frames wait at the inputs"
                );
                let fix = "take a queue such as strict-priority, or model = \"output-queued\"";
                return refuse(format!("ports.{name}.queue"), what, fix);
            }
        }
        let mains: Vec<usize> = node.ports.iter().map(|port| port.index()).collect();
        let here = |law: &&StampSpec| matches!(law.at, Egress::Port(port) if mains.contains(&port));
        if let Some(law) = spec.stamps.iter().find(here) {
            let what = format!(
                "the law at {} is shown a queue at an output, but at an input-queued switch frames wait at the inputs",
                law.name
            );
            let fix = "leave it out, or use model = \"output-queued\"";
            return refuse(format!("ports.{}.stamp", law.name), what, fix);
        }
        let at = |at: &Vec<usize>| at.contains(&id.index());
        if let Some(mechanism) = spec.mechanisms.iter().find(|m| at(&m.at)) {
            let what = format!(
                "{} is input-queued: frames wait at its inputs, and detectors watch output ports and shared memory",
                node.name
            );
            let fix = "leave it out, or use model = \"output-queued\" or \"shared-memory\"";
            return refuse(format!("mechanisms.{}.at", mechanism.name), what, fix);
        }
        Ok(())
    }

    /// Whether frames for a port wait at the inputs of its switch.
    pub(super) fn has_fabric(&self, spec: &Spec, main: PortId) -> bool {
        let node = &spec.nodes[self.ports[main].node.index()].kind;
        matches!(node, NodeKind::Switch(SwitchModel::InputQueued { .. }))
    }

    /// Makes the place in front of a port at which its frames cross the fabric.
    pub(super) fn add_crossing(&mut self, main: PortId, next: PortId) -> PortId {
        let inputs = self.nodes[self.ports[main].node].ports.len();
        let crossing = Crossing {
            inputs: vec![List::default(); inputs],
            next,
        };
        let more = PortMore {
            name: format!("{}~fabric", self.ports[main].more.name),
            service: Service::Fabric(Box::new(crossing)),
            ..PortMore::default()
        };
        let (node, far) = (self.ports[main].node, self.ports[main].far);
        let mut port = Port::idle(node, far, 1, Limit::Unlimited, more);
        port.peer = self.ports[main].peer;
        port.local = self.ports[main].local;
        port.set(Traits::WATCHED, true);
        let id = self.ports.push(port);
        Arc::make_mut(&mut self.plan).boxes.insert(id, main);
        id
    }

    /// Gives each input-queued switch its fabric, when all places in front of its ports are made.
    pub(super) fn add_fabrics(&mut self, spec: &Spec) {
        for (id, node) in self.nodes.ids().zip(&spec.nodes) {
            let NodeKind::Switch(SwitchModel::InputQueued {
                discipline,
                input_buffer,
                cell,
                speedup,
            }) = node.kind
            else {
                continue;
            };
            let mains = self.nodes[id].ports.clone();
            let fastest = mains.iter().map(|main| self.ports[*main].ps_per_byte).min();
            let slot = Span((cell.0 * fastest.unwrap_or(1) / u64::from(speedup)).max(1));
            let crossing = |main: &PortId| {
                let mine = |(stage, of): (&PortId, &PortId)| {
                    let crosses = self.ports[*stage].more.service.crossing().is_some();
                    (of == main && crosses).then_some(*stage)
                };
                self.plan.boxes.iter().find_map(mine)
            };
            let stages = mains.iter().filter_map(crossing).collect();
            let fabric = Fabric::new(discipline, input_buffer.0, cell.0, slot, stages);
            self.nodes[id].fabric = Some(Box::new(fabric));
        }
    }
}
