//! Hosts on a link that have saturated flows. A packet of each waits at the host's port, unless there is no room: as
//! soon as one begins to leave the queue the next is born. So the port sends whenever nothing holds it back.
//!
//! A packet that finds no room is not born before there is. One that queue management has lost is followed when the
//! port next begins or ends a transmission; where it does neither, a frame time later. So a loss is never answered at
//! its own instant, which need not end.
//!
//! What a port of such a host does, it does in its own time: every departure has an event.

use backwater_transport::units::{Span, Time};

use super::World;
use super::build::refuse;
use super::path::way;
use crate::event::Event;
use crate::ids::{FlowId, PacketId, PortId};
use crate::medium::ethernet::{GAP, PREAMBLE, frame};
use crate::medium::trace::MILLISECOND;
use crate::network::{Flow, Traits};
use crate::source::AnySource;
use crate::spec::{Refusal, Spec};

impl World {
    /// Has the ports of hosts with saturated flows looked after.
    pub(super) fn add_refills(&mut self, spec: &Spec) -> Result<(), Refusal> {
        for flow in &self.network.flows.0 {
            let from = &self.network.nodes[flow.from];
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
            if self.network.ports[flow.port].is(Traits::AIR) {
                continue;
            }
            let port = &mut self.network.ports[flow.port];
            if way(spec, flow.port.index()).is_some_and(|way| !way.boxes.is_empty()) {
                let what = format!(
                    "\"saturated\" keeps the queue of its own port filled, and boxes or a delay stand before that of {}",
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

    /// Whether a flow keeps the queue of this port filled.
    pub(super) fn refills_for(&self, id: PortId, flow: FlowId) -> bool {
        let flow = &self.network.flows[flow];
        flow.port == id && flow.fill().is_some()
    }

    /// A saturated flow of a host begins.
    pub(super) fn begin_refills(&mut self, id: FlowId) {
        let port = self.network.flows[id].port;
        self.network.ports[port].more.missing.push_back(id);
        self.network.refills.push(port);
    }

    /// A packet has been taken from the queue of a port to be sent.
    #[inline(always)]
    pub(super) fn left_queue(&mut self, id: PortId, packet_id: PacketId) {
        if self.network.ports[id].is(Traits::REFILLED) {
            self.miss(id, self.network.packets[packet_id].flow);
            self.network.refills.push(id);
        }
    }

    /// A packet of a flow that had come to a port has been lost there.
    #[inline]
    pub(super) fn lost_from_queue(&mut self, id: PortId, flow: FlowId) {
        if self.network.ports[id].is(Traits::REFILLED) {
            self.miss(id, flow);
        }
    }

    fn miss(&mut self, id: PortId, flow: FlowId) {
        if self.refills_for(id, flow) {
            self.network.ports[id].more.missing.push_back(flow);
        }
    }

    /// Puts in what is missing at ports where something has changed.
    #[cold]
    pub(super) fn refill_all(&mut self, now: Time) {
        while let Some(id) = self.network.refills.pop() {
            self.refill_port(id, now);
        }
    }

    fn refill_port(&mut self, id: PortId, now: Time) {
        let mut place = 0;
        for _ in 0..self.network.ports[id].more.missing.len() {
            let flow = self.network.ports[id].more.missing[place];
            if self.finds_room(id, flow) {
                self.network.ports[id].more.missing.remove(place);
                self.refill(flow, now);
            } else {
                place += 1;
            }
        }
        self.look_again(id, now);
    }

    fn finds_room(&self, id: PortId, flow: FlowId) -> bool {
        let (port, flow) = (&self.network.ports[id], &self.network.flows[flow]);
        let fits = |bytes| port.has_room(port.queue_of(flow.class), frame(bytes));
        flow.fill().is_some_and(fits)
    }

    /// Has a port that stands idle although packets are missing looked at again.
    fn look_again(&mut self, id: PortId, now: Time) {
        let port = &self.network.ports[id];
        let first = port.more.missing.front();
        let Some(bytes) = first.and_then(|flow| self.network.flows[*flow].fill()) else {
            return;
        };
        if port.next_try < Time::NEVER || port.waiting > 0 || port.more.awaited > now {
            return;
        }
        let takes = match port.ps_per_byte {
            // An opportunity of a trace has no length.
            0 => MILLISECOND,
            ps => Span((PREAMBLE + frame(bytes) + GAP) * ps),
        };
        let at = now.after(takes);
        self.network.ports[id].more.awaited = at;
        self.clock.calendar.push(at, Event::Wake(id));
    }
}

impl Flow {
    /// IP bytes of the packets with which its source keeps a queue filled; none where it does not.
    pub(crate) fn fill(&self) -> Option<u64> {
        match &self.source {
            AnySource::Saturated(source) => Some(source.packet().0),
            _ => None,
        }
    }
}
