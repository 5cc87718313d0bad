//! Ports of hosts with saturated flows: what is missing in their queues, and when to look again. See `world/refill`.

use backwater_transport::units::{Span, Time};

use super::{Flow, Network, Traits};
use crate::calendar::Calendar;
use crate::event::Event;
use crate::ids::{FlowId, PacketId, PortId};
use crate::packet::frame;
use crate::source::AnySource;

impl Network {
    /// Whether a flow keeps the queue of this port filled.
    pub(crate) fn refills_for(&self, id: PortId, flow: FlowId) -> bool {
        let flow = &self.flows[flow];
        flow.port == id && flow.fill().is_some()
    }

    /// A saturated flow of a host begins.
    pub(crate) fn begin_refills(&mut self, id: FlowId) {
        let port = self.flows[id].port;
        self.ports[port].more.missing.push_back(id);
        self.refills.push(port);
    }

    /// A packet has been taken from the queue of a refilled port to be sent.
    #[inline(never)]
    pub(crate) fn left_queue(&mut self, id: PortId, packet_id: PacketId) {
        self.miss(id, self.packets[packet_id].flow);
        self.refills.push(id);
    }

    /// A packet of a flow that had come to a port has been lost there.
    #[inline]
    pub(crate) fn lost_from_queue(&mut self, id: PortId, flow: FlowId) {
        if self.ports[id].is(Traits::REFILLED) {
            self.miss(id, flow);
        }
    }

    fn miss(&mut self, id: PortId, flow: FlowId) {
        if self.refills_for(id, flow) {
            self.ports[id].more.missing.push_back(flow);
        }
    }

    pub(crate) fn finds_room(&self, id: PortId, flow: FlowId) -> bool {
        let (port, flow) = (&self.ports[id], &self.flows[flow]);
        let fits = |bytes| port.has_room(port.queue_of(flow.class), frame(bytes));
        flow.fill().is_some_and(fits)
    }

    /// Refills an idle port of saturated flows before the event at hand is over.
    pub(crate) fn recheck_idle_port(&mut self, calendar: &mut Calendar, id: PortId, now: Time) {
        let port = &self.ports[id];
        let first = port.more.missing.front();
        let Some(bytes) = first.and_then(|flow| self.flows[*flow].fill()) else {
            return;
        };
        if port.next_try < Time::NEVER || port.waiting > 0 || port.more.awaited > now {
            return;
        }
        let takes = match port.ps_per_byte {
            // An opportunity of a trace has no length.
            0 => Span::millis(1),
            _ => Span(port.frame_time(frame(bytes)) + port.gap_time()),
        };
        let at = now.after(takes);
        self.ports[id].more.awaited = at;
        calendar.push(at, Event::Wake(id));
    }
}

impl Flow {
    /// IP bytes of the packets with which its source keeps a queue filled; none where it does not.
    pub(crate) fn fill(&self) -> Option<u64> {
        self.source.fill()
    }
}

impl AnySource {
    /// Lets a source that always has something to send keep so many packets waiting.
    pub(crate) fn keep_waiting(&mut self, packets: u16) {
        if let AnySource::Saturated(source) = self {
            source.keep(packets);
        }
    }

    /// The same of a source.
    pub(crate) fn fill(&self) -> Option<u64> {
        match self {
            AnySource::Saturated(source) => Some(source.packet().0),
            _ => None,
        }
    }
}
