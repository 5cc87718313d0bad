//! Controllers that are told from outside what to do, between two events.

use backwater_transport::controller::Driven;
use backwater_transport::endpoint::Sender;
use backwater_transport::units::Time;

use super::World;
use super::run::Step;
use crate::ids::ConnectionId;

impl World {
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
