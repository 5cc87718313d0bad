//! Hosts whose saturated flows keep a queue filled.

use super::boxes::direction;
use crate::network::{Network, Traits};
use crate::spec::{Refusal, Spec};
use crate::world::build::refuse;

impl Network {
    /// Marks the ports of hosts whose queues saturated flows keep filled.
    pub(crate) fn add_refills(&mut self, spec: &Spec) -> Result<(), Refusal> {
        for flow in &self.flows.0 {
            let from = &self.nodes[flow.from];
            if flow.fill().is_none() || (flow.port.is_none() && !from.stations.is_empty()) {
                continue;
            }
            if flow.port.is_none() {
                let what = format!(
                    "\"saturated\" keeps the queue of one port filled, and packets of {} leave {} by several",
                    flow.name, from.name
                );
                return refuse(
                    format!("flows.{}.source", flow.name),
                    what,
                    "name one destination, or take a source with a rate",
                );
            }
            if self.ports[flow.port].waits_at_medium() {
                continue;
            }
            let port = &mut self.ports[flow.port];
            if direction(spec, flow.port.index())
                .is_some_and(|direction| !direction.boxes.is_empty())
            {
                let what = format!(
                    "\"saturated\" keeps the queue of its own port filled, and boxes, a delay or trains stand before that of {}",
                    port.more.name
                );
                return refuse(
                    format!("flows.{}.source", flow.name),
                    what,
                    "put them on a link behind a switch, or take a source with a rate",
                );
            }
            port.set(Traits::REFILLED | Traits::ATTENTIVE | Traits::WAKEFUL, true);
        }
        Ok(())
    }
}
