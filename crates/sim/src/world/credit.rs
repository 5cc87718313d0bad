//! Hosts that pace their senders: pull packets leave at the pace at which the line could bring what they let in.

use backwater_transport::endpoint::{CreditState, Receiver};
use backwater_transport::units::Time;

use super::World;
use crate::ends::pulls::interval;
use crate::event::Event;
use crate::ids::{ConnectionId, PortId};

impl World {
    /// The sender of a flow may want credit now.
    #[inline]
    pub(super) fn note_credit(&mut self, id: ConnectionId, now: Time) {
        let c = &self.ends.connections[id];
        let state = c.receiver.credit();
        if state != CreditState::Enough && now < c.stop {
            self.list_for_credit(id, state, now);
        }
    }

    #[cold]
    fn list_for_credit(&mut self, id: ConnectionId, state: CreditState, now: Time) {
        let port = self.shared.network.flows[self.ends.connections[id].acks].port;
        let pulls = self.ends.pulls.entry(port).or_default();
        pulls.list(id, state);
        if !std::mem::replace(&mut pulls.armed, true) {
            let at = pulls.free.max(now);
            self.shared.run.calendar.push(at, Event::Credit(port));
        }
    }

    /// The host of a port gives credit to the flow whose turn it is.
    pub(super) fn give_credit(&mut self, port: PortId, now: Time) {
        let connections = &mut self.ends.connections;
        let pulls = self.ends.pulls.get_mut(&port);
        let pulls = pulls.expect("an event for a host that paces");
        pulls.armed = false;
        let Some(id) = pulls.next(|id| connections[id].receiver.credit()) else {
            return;
        };
        let signal = connections[id].receiver.give_credit();
        let state = connections[id].receiver.credit();
        let quantum = connections[id].pull_quantum;
        // Boxes in front of a port have no rate of their own.
        let network = &self.shared.network;
        let main = *network.plan.boxes.get(&port).unwrap_or(&port);
        let rate = network.ports[main].nominal_rate();
        pulls.free = now.after(interval(quantum, rate.0));
        if pulls.list(id, state) {
            pulls.armed = true;
            let at = pulls.free;
            self.shared.run.calendar.push(at, Event::Credit(port));
        }
        self.depart_signal(id, signal, now);
    }
}
