//! Hosts whose network card pulls, and queues for what receivers send besides acknowledgements.

use super::boxes::direction;
use crate::ids::PortId;
use crate::network::Traits;
use crate::spec::{Refusal, Spec};
use crate::world::World;
use crate::world::build::refuse;

impl World {
    /// Gives each flow that is pulled its place at the card of its host's port.
    pub(super) fn add_cards(&mut self, spec: &Spec) -> Result<(), Refusal> {
        for id in self.ends.connections.ids() {
            let data = self.ends.connections[id].data;
            let flow = &self.shared.network.flows[data];
            let pulled = spec.flows[data.index()].transport.as_ref();
            if !pulled.is_some_and(|transport| transport.pulled) {
                continue;
            }
            let port = flow.port;
            let wire = !port.is_none()
                && !self.shared.network.ports[port].is(Traits::QUEUELESS)
                && !self.shared.network.ports[port].more.service.has_instants()
                && direction(spec, port.index()).is_none_or(|d| d.boxes.is_empty());
            if !wire {
                return refuse(
                    format!("flows.{}.nic", flow.name),
                    "a card pulls for the port of one wire, and this flow's packets leave over a shared medium, through boxes, a trace, or by several ports",
                    "write nic = \"push\", or put the host on a wire of its own to a switch",
                );
            }
            let card = self.ends.cards.entry(port).or_default();
            let place = card.add(id);
            let connection = &mut self.ends.connections[id];
            (connection.card, connection.place) = (port, place);
            let traits = Traits::PULLED | Traits::ATTENTIVE | Traits::WAKEFUL;
            self.shared.network.ports[port].set(traits, true);
        }
        Ok(())
    }

    /// Packets of a receiver other than acknowledgements find a queue of their class on the whole way back.
    pub(super) fn check_signals(&self, spec: &Spec) -> Result<(), Refusal> {
        let network = &self.shared.network;
        let narrowest = network.ports.iter().map(|port| port.queues().len());
        let narrowest = narrowest.filter(|queues| *queues > 1).min();
        for c in self.ends.connections.iter() {
            let (class, acks) = (c.signal_class, &network.flows[c.acks]);
            let narrow = |port: &PortId| network.is_narrow(*port, class);
            let mut ways = acks.path.clone();
            if acks.loose && narrowest.is_some_and(|queues| usize::from(class) >= queues) {
                let back = acks.to.iter().next().expect("the sender");
                ways.extend(network.ports_toward(acks.from, back).unwrap_or_default());
            }
            if let Some(port) = ways.iter().find(|port| narrow(port)) {
                let port = &network.ports[*port];
                return refuse(
                    format!("flows.{}.cnp_class", spec.flows[c.data.index()].name),
                    format!(
                        "class {class} has no queue at {}, which has {} classes",
                        port.more.name,
                        port.queues().len()
                    ),
                    "write a lower class, or give the port's queue more classes",
                );
            }
        }
        Ok(())
    }
}
