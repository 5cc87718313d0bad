//! Departures that detectors wait for: they get an event of their own.

use backwater_transport::units::Time;

use super::Mechanisms;
use crate::calendar::Calendar;
use crate::event::Event;
use crate::ids::{NodeId, PortId};
use crate::limit::Limit;
use crate::network::{Network, Port, Traits};

impl Mechanisms {
    /// Whether departures of what came in through a port of a node that keeps accounts may end an alarm.
    pub(crate) fn may_relieve(&self, network: &Network, node: NodeId, local: usize) -> bool {
        let watch = network.nodes[node].watch.get(local).copied().flatten();
        watch.is_some_and(|(control, place)| self.controls[control].alarmed(place))
    }

    /// Whether the next departure of a port may end an alarm, or lets go ahead a frame whose departure may.
    fn awaited(&self, network: &Network, port: &Port) -> bool {
        port.is(Traits::ACCOUNTED)
            && network.nodes[port.node].alarms > 0
            && (port.waiting > 0 && port.is(Traits::MAY_RELIEVE)
                || port.sending > 0
                    && self.may_relieve(network, port.node, port.sending_entry.into()))
    }

    /// A frame has joined the queue whose departure may end an alarm: those before it are awaited as well.
    pub(crate) fn await_those_before(
        &mut self,
        network: &mut Network,
        calendar: &mut Calendar,
        id: PortId,
        now: Time,
    ) {
        let port = &mut network.ports[id];
        port.set(Traits::MAY_RELIEVE, true);
        if port.free_at() > now {
            self.wake_at_departure(network, calendar, id);
        }
    }

    /// A frame's transmission began at a port whose departures may matter: has its end served, if a
    /// detector could be relieved by it. The next touch is sure to come when this frame arrives; on a
    /// wire so long that the frame behind it may have left by then, every departure is served.
    #[inline(never)]
    pub(crate) fn wake_at_departure(
        &self,
        network: &mut Network,
        calendar: &mut Calendar,
        id: PortId,
    ) {
        let port = &network.ports[id];
        let shortest = port.shortest_frame_time();
        let exact = port.is(Traits::ATTENTIVE) || self.awaited(network, port);
        let matters = exact
            || port.watch.is_some_and(|(control, place)| {
                let queue = port.queue_of(port.sending_class);
                let mut view = network.view_of(id, queue, port.free_at());
                view.held -= match port.buffer {
                    Limit::Packets(_) => u64::from(port.sending > 0),
                    _ => u64::from(port.sending),
                };
                port.delay.0 >= shortest || self.controls[control].may_relieve(place, &view)
            });
        let port = &mut network.ports[id];
        if port.waiting == 0 {
            port.set(Traits::MAY_RELIEVE, false);
        }
        let at = port.free_at();
        if matters && port.more.awaited != at {
            port.more.awaited = at;
            calendar.push(at, Event::Wake(id));
        }
    }

    /// Has the mechanism at a port that asks for rates know what the port itself is held to.
    pub(crate) fn update_drain(&mut self, network: &Network, id: PortId, now: Time) {
        let port = &network.ports[id];
        let Some((control, place)) = port.watch else {
            return;
        };
        let c = &mut self.controls[control];
        if c.rated() && c.held_to(place, port.gates.as_deref(), now) {
            self.collect(control);
        }
    }
}
