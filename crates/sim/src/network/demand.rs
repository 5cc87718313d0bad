//! Demands of sources, and look-ups by name.

use backwater_transport::units::Time;

use super::{Flow, Network};
use crate::calendar::Calendar;
use crate::event::Event;
use crate::ids::{FlowId, PortId};
use crate::source::Source;

impl Network {
    /// A packet has left the radio of its host, or was lost there: where its flow keeps few bytes there, it may send on.
    #[inline]
    pub(crate) fn note_left(&mut self, flow: FlowId, bytes: u64) {
        if self.limited.get(flow.index()).copied().unwrap_or(false) {
            self.freed.push((flow, bytes));
            // The event at hand is not over before the flow was asked.
            self.refills.push(self.flows[flow].port);
        }
    }

    /// Asks a flow's source for its next demand.
    pub(crate) fn ask(&mut self, calendar: &mut Calendar, id: FlowId, now: Time) {
        self.ask_here(calendar, id, now);
    }

    /// The same without a call, for the place where most sources are asked.
    #[inline(always)]
    pub(crate) fn ask_here(&mut self, calendar: &mut Calendar, id: FlowId, now: Time) {
        let flow = &mut self.flows[id];
        if let Some(demand) = flow.source.next(now, &mut flow.random) {
            flow.due = demand.bytes.0;
            calendar.push(demand.at, Event::Demand(id));
        }
    }

    /// The port of this name.
    pub fn port_named(&self, name: &str) -> Option<PortId> {
        self.ports.ids().find(|p| self.ports[*p].more.name == name)
    }

    pub(crate) fn first_port(&self, flow: FlowId) -> PortId {
        let Flow { port, ref path, .. } = self.flows[flow];
        if port.is_none() { path[0] } else { port }
    }
}
