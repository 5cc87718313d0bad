//! Controllers from outside the tables: those that are told what to do between two events, and what any of them did wrong.

use backwater_transport::controller::{AnyController, Driven};
use backwater_transport::endpoint::Sender;
use backwater_transport::part::Refusal;
use backwater_transport::units::Time;

use super::World;
use super::run::Step;
use crate::ids::ConnectionId;
use crate::network::Role;

impl World {
    /// Flows whose controllers come from outside the tables, in their order.
    pub fn foreign(&self) -> Vec<ConnectionId> {
        let controller = |id: &ConnectionId| self.ends.connections[*id].sender.controller();
        let ids = self.ends.connections.ids();
        ids.filter(|id| matches!(controller(id), AnyController::Custom(_)))
            .collect()
    }

    /// The first of some flows whose controller did something wrong: its name, and what.
    pub fn failed(&self, flows: &[ConnectionId]) -> Option<(&str, &Refusal)> {
        flows.iter().find_map(|id| {
            let fault = self.ends.connections[*id].sender.controller().fault()?;
            let mut all = self.network().flows.0.iter();
            let flow = all.find(|flow| matches!(flow.role, Role::Data(of) if of == *id));
            Some((flow.map_or("", |flow| flow.name.as_str()), fault))
        })
    }

    /// Tells the controller of a flow, which is one that is driven from outside, and lets leave what may leave then.
    pub fn steer(&mut self, id: ConnectionId, outside: &mut dyn FnMut(&mut Driven)) {
        self.ends.connections[id].sender.drive(outside);
        let now = self.clock.now;
        self.send_all(id, now);
        self.end_event(now);
    }

    /// Ends an interval of a controller that is driven from outside. Nothing leaves.
    pub fn end_interval(&mut self, id: ConnectionId) {
        self.ends.connections[id]
            .sender
            .drive(&mut Driven::end_interval);
    }

    /// The controller of a flow, if it is driven from outside.
    pub fn driven(&self, id: ConnectionId) -> Option<&Driven> {
        self.ends.connections[id].sender.controller().driven()
    }

    /// Flows whose controllers are driven from outside, in their order.
    pub fn all_driven(&self) -> Vec<ConnectionId> {
        let ids = self.ends.connections.ids();
        ids.filter(|id| self.driven(*id).is_some()).collect()
    }

    /// Serves what is due up to and including `to`, or until one of some flows asks to be told, judged after each event.
    /// True where one asks: the present is that event's instant.
    pub fn advance_until_asked(&mut self, flows: &[ConnectionId], to: Time) -> bool {
        let asks = |world: &World| {
            let mut agents = flows.iter().filter_map(|id| world.driven(*id));
            agents.any(Driven::is_asking)
        };
        loop {
            if asks(self) {
                return true;
            }
            if self.step(to) == Step::Nothing {
                self.clock.now = self.clock.now.max(to);
                return false;
            }
        }
    }
}
