//! Another controller at the sending end of a flow, and other options of its transport.

use backwater_transport::controller::{AnyController, Controller};
use backwater_transport::endpoint::{Receiver, Sender, SenderSetup};

use super::{FROM_START, refuse};
use crate::ids::{ConnectionId, FlowId};
use crate::network::Role;
use crate::spec::{TransportSpec, Unchangeable};
use crate::world::World;

impl World {
    /// A flow goes on with another controller, at the beginning of that one's state. What is in flight stays in flight, and what
    /// the sender has measured stays measured; the new window may lie below the flight.
    ///
    /// # Errors
    /// The flow has no transport, or packets would have other headers.
    pub fn change_controller(
        &mut self,
        flow: FlowId,
        mut controller: AnyController,
        setup: &SenderSetup,
    ) -> Result<(), Unchangeable> {
        let id = self.connection_of(flow)?;
        let name = &self.shared.network.flows[flow].name;
        let old = self.ends.connections[id].sender.controller();
        if old.congestion_header() != controller.congestion_header() {
            let what = format!(
                "packets of flow `{name}` would carry another congestion header than at the start"
            );
            return refuse(what, FROM_START);
        }
        if old.forecaster().is_some() || controller.forecaster().is_some() {
            let what = format!(
                "the receiver of flow `{name}` makes forecasts with one of the controllers"
            );
            return refuse(what, FROM_START);
        }
        if old.driven().is_some() || controller.driven().is_some() {
            let what = format!("the controller of flow `{name}` is told what to do from outside");
            return refuse(what, FROM_START);
        }
        let now = self.clock.now;
        if let Some(random) = controller.stream() {
            // The stream of its name has been drawn from.
            self.reseeds.iter().for_each(|by| random.rekey(*by));
            random.rekey(now.0);
        }
        self.settle();
        let sender = &mut self.ends.connections[id].sender;
        sender.take_controller(controller, setup);
        self.send_all(id, now);
        self.end_event(now);
        Ok(())
    }

    /// A flow has other options of those that may change: pacing, the least timeout, the silence of datagrams, the window after an
    /// idle time and delayed acknowledgements.
    ///
    /// # Errors
    /// The flow has no transport.
    pub fn change_transport(
        &mut self,
        flow: FlowId,
        transport: &TransportSpec,
    ) -> Result<(), Unchangeable> {
        let id = self.connection_of(flow)?;
        self.settle();
        let c = &mut self.ends.connections[id];
        c.sender.take_options(&transport.sender);
        c.receiver.delay_acks(transport.receiver.delayed_ack);
        let now = self.clock.now;
        self.send_all(id, now);
        self.end_event(now);
        Ok(())
    }

    fn connection_of(&self, flow: FlowId) -> Result<ConnectionId, Unchangeable> {
        let flow = &self.shared.network.flows[flow];
        match flow.role {
            Role::Data(id) => Ok(id),
            _ => {
                let what = format!("flow `{}` has no transport", flow.name);
                refuse(what, FROM_START)
            }
        }
    }
}
