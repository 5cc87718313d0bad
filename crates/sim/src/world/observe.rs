//! Detectors at ports and interfaces of switches: they observe every change there. What they say travels as `tell` has
//! it.

use std::sync::Arc;

use backwater_transport::units::{Span, Time};

use super::World;
use super::accounts::Gone;
use crate::cause::Cause;
use crate::event::Event;
use crate::ids::{ControlId, NodeId, PacketId, PortId};
use crate::limit::Limit;
use crate::mechanism::moment::Seen;
use crate::mechanism::notice::Hosts;
use crate::mechanism::notifier::voice::Arrival;
use crate::mechanism::place::View;
use crate::medium::ethernet::{self, PREAMBLE};
use crate::network::{Port, Traits};
use crate::packet::{List, Packets};
use crate::record::What;
use crate::switch::Pool;
use crate::table::Id;

/// The hosts for which packets of a list are, of so many.
pub(crate) fn queued_hosts(packets: &Packets, list: &List, hosts: usize) -> Hosts {
    let mut words = vec![0u64; hosts.div_ceil(64)];
    packets
        .walk(list)
        .for_each(|p| words[p.to as usize / 64] |= 1 << (p.to % 64));
    words.into()
}

impl World {
    /// Whether departures of what came in through a port of a node that keeps accounts may end an alarm.
    pub(super) fn heeds(&self, node: NodeId, local: usize) -> bool {
        let watch = self.nodes[node].watch.get(local).copied().flatten();
        watch.is_some_and(|(control, place)| self.controls[control].alarmed(place))
    }

    /// Whether the next departure of a port may end an alarm, or lets go ahead a frame whose departure may.
    fn awaited(&self, port: &Port) -> bool {
        port.is(Traits::ACCOUNTED)
            && self.nodes[port.node].alarms > 0
            && (port.waiting > 0 && port.is(Traits::HEEDED)
                || port.sending > 0 && self.heeds(port.node, port.sending_entry.into()))
    }

    /// A frame has left a port that is watched, or was lost from its queue: books it, and lets detectors look.
    #[inline(always)]
    pub(super) fn look_at_departure(&mut self, id: PortId, gone: &Gone, at: Time) {
        if self.ports[id].is(Traits::ACCOUNTED) {
            self.account_departure(id, gone, at);
        }
        if self.ports[id].is(Traits::DETECTED) {
            self.detect_departure(id, gone, at);
        }
    }

    #[inline(never)]
    fn detect_departure(&mut self, id: PortId, gone: &Gone, at: Time) {
        if let Some((control, place)) = self.ports[id].watch {
            let c = &mut self.controls[control];
            if !gone.lost {
                c.left(place, false, gone.queue as u8, Id::NONE, gone.size);
            }
            if !c.hears_departure(place, gone.queue) {
                return;
            }
            let view = self.egress_view(id, gone.queue, at);
            let seen = gone.seen(&self.ports[id]);
            let c = &mut self.controls[control];
            if c.released(place, view, &gone.moment(&seen)) {
                self.after_look(control, place, id, at);
            }
        }
    }

    /// A frame that came in through a port of a node with alarms has left.
    #[inline(never)]
    pub(super) fn detect_relief(&mut self, id: PortId, gone: &Gone, at: Time) {
        let (class, local) = (gone.class as usize, gone.entry as usize);
        let node = &self.nodes[self.ports[id].node];
        if let Some((control, place)) = node.watch[local] {
            let watched = node.ports[local];
            // What this place holds is exact, but others may lag, and the threshold with them.
            let mut view = self.ingress_view(watched, class, at);
            view.room = node.pool.as_ref().map_or(view.room, Pool::widest);
            if !self.controls[control].may_relieve(place, &view) {
                return;
            }
            self.settle_before(id, at);
            let view = self.ingress_view(watched, class, at);
            let seen = gone.seen(&self.ports[id]);
            if self.controls[control].released(place, view, &gone.moment(&seen)) {
                self.after_look(control, place, watched, at);
            }
        }
    }

    /// A frame that comes to an output port, as detectors see it, and as notices depend on it.
    fn arrival(&self, id: PortId, packet_id: PacketId, q: usize, now: Time) -> (Seen, Arrival) {
        let (packet, port) = (&self.packets[packet_id], &self.ports[id]);
        let seen = Seen {
            class: packet.class(),
            bytes: packet.frame(),
            prev: Some(packet.entry.into()),
            next: Some(port.local),
            airtime: Span::ZERO,
            retries: 0,
        };
        let arrival = Arrival {
            now,
            class: q,
            from: Some(packet.entry.into()),
            egress: id,
            to: packet.to,
        };
        (seen, arrival)
    }

    /// A frame has been queued at a port that is watched: records it, and lets detectors look.
    #[inline(never)]
    pub(super) fn look_at_arrival(&mut self, id: PortId, packet_id: PacketId, q: usize, now: Time) {
        if let Some(server) = &mut self.ports[id].more.server {
            server.came(self.packets[packet_id].len, now);
        }
        if self.record.is_some() {
            let held = self.ports[id].queue(q).bytes;
            self.note(What::Enqueue, now, id, packet_id, held);
        }
        if let Some((control, place)) = self.ports[id].watch {
            self.mind_drain(id, now);
            let (seen, arrival) = self.arrival(id, packet_id, q, now);
            let view = self.egress_view(id, q, now);
            let flow = self.packets[packet_id].flow;
            let c = &mut self.controls[control];
            c.came(place, seen.prev, q as u8, flow, seen.bytes);
            let (ports, packets, hosts) = (&self.ports, &self.packets, self.hosts.len());
            let queued = || queued_hosts(packets, &ports[id].queue(q).list, hosts);
            if c.enqueued(place, view, &seen, &arrival, queued) {
                self.after_look(control, place, id, now);
            }
        }
        if self.ports[id].is(Traits::ACCOUNTED)
            && let Some(from) = self.entrance(packet_id)
        {
            self.look_at_entry(id, from, packet_id, q, now);
        }
    }

    /// A frame has been queued that came in through a port of a node that keeps accounts.
    fn look_at_entry(
        &mut self,
        id: PortId,
        from: PortId,
        packet_id: PacketId,
        q: usize,
        now: Time,
    ) {
        let class = usize::from(self.packets[packet_id].class());
        let (node, local) = (self.ports[from].node, self.ports[from].local as usize);
        let Some((control, place)) = self.nodes[node].watch[local] else {
            return;
        };
        let (seen, arrival) = self.arrival(id, packet_id, q, now);
        let arrival = Arrival { class, ..arrival };
        let mut view = self.ingress_view(from, class, now);
        // Accounts that lag can only be too high: an alarm by them is looked at again.
        if self.controls[control].would_alarm(place, &seen, &view) {
            self.settle_node(node, now);
            view = self.ingress_view(from, class, now);
        }
        if self.controls[control].alarmed(place) {
            self.await_those_before(id, now);
        }
        let c = &mut self.controls[control];
        if c.enqueued(place, view, &seen, &arrival, || Arc::from([])) {
            self.after_look(control, place, from, now);
        }
    }

    /// A frame has joined the queue whose departure may end an alarm: those before it are awaited as well.
    fn await_those_before(&mut self, id: PortId, now: Time) {
        let port = &mut self.ports[id];
        port.set(Traits::HEEDED, true);
        if port.free_at() > now {
            self.wake_at_departure(id);
        }
    }

    /// A frame's transmission began at a port whose departures may matter: has its end served, if a
    /// detector could be relieved by it. The next touch is sure to come when this frame arrives; on a
    /// wire so long that the frame behind it may have left by then, every departure is served.
    #[inline(never)]
    pub(super) fn wake_at_departure(&mut self, id: PortId) {
        let port = &self.ports[id];
        let shortest = (PREAMBLE + ethernet::MIN_FRAME) * port.ps_per_byte;
        let exact = port.is(Traits::ATTENTIVE) || self.awaited(port);
        let matters = exact
            || port.watch.is_some_and(|(control, place)| {
                let mut view =
                    self.egress_view(id, port.queue_of(port.sending_class), port.free_at());
                view.held -= match port.buffer {
                    Limit::Packets(_) => u64::from(port.sending > 0),
                    _ => u64::from(port.sending),
                };
                port.delay.0 >= shortest || self.controls[control].may_relieve(place, &view)
            });
        let port = &mut self.ports[id];
        if port.waiting == 0 {
            port.set(Traits::HEEDED, false);
        }
        let at = port.free_at();
        if matters && port.more.awaited != at {
            port.more.awaited = at;
            self.calendar.push(at, Event::Wake(id));
        }
    }

    /// A frame finds no room in its queue. Its sender has sent all the same, and to whom.
    #[cold]
    pub(super) fn turn_away(
        &mut self,
        id: PortId,
        packet_id: PacketId,
        q: usize,
        cause: Cause,
        now: Time,
    ) {
        if let Some((control, place)) = self.ports[id].watch {
            self.mind_drain(id, now);
            let (seen, arrival) = self.arrival(id, packet_id, q, now);
            let view = self.egress_view(id, q, now);
            let flow = self.packets[packet_id].flow;
            let c = &mut self.controls[control];
            c.came(place, seen.prev, q as u8, flow, seen.bytes);
            if c.turned_away(place, view, &seen, &arrival) {
                self.after_look(control, place, id, now);
            }
        }
        if let Some(server) = &mut self.ports[id].more.server {
            server.turned_away(cause, &self.packets[packet_id], now);
        }
        self.lose(packet_id, cause, id, now);
    }

    /// Has the mechanism at a port that asks for rates know what the port itself is held to.
    pub(super) fn mind_drain(&mut self, id: PortId, now: Time) {
        let port = &self.ports[id];
        let Some((control, place)) = port.watch else {
            return;
        };
        let c = &mut self.controls[control];
        if c.rated() && c.held_to(place, port.gates.as_deref(), now) {
            self.collect(control);
        }
    }

    /// The timer of a place has come: an output port with a detector of rates.
    pub(crate) fn look_at_port(&mut self, control: ControlId, place: usize, id: PortId, now: Time) {
        self.catch_up(id, now);
        let classes = self.ports[id].queues().len();
        let views: Vec<View> = (0..classes).map(|q| self.egress_view(id, q, now)).collect();
        let (ports, packets, hosts) = (&self.ports, &self.packets, self.hosts.len());
        let queued = |q| -> Hosts { queued_hosts(packets, &ports[id].queue(q).list, hosts) };
        if self.controls[control].look(place, &views, None, id, queued) {
            self.after_look(control, place, id, now);
        }
    }

    /// Occupancy of a class queue, in the unit of its limit.
    fn egress_view(&self, id: PortId, q: usize, now: Time) -> View<'static> {
        let port = &self.ports[id];
        let queue = port.queue(q);
        let (held, room) = match port.buffer {
            Limit::Bytes(limit) => (queue.bytes, limit.0),
            Limit::Packets(limit) => (queue.packets, limit),
            Limit::Unlimited => (queue.bytes, u64::MAX),
        };
        View::level(now, q, held, room)
    }

    /// What the node holds of a class that came in through `from`.
    fn ingress_view(&self, from: PortId, class: usize, now: Time) -> View<'static> {
        let port = &self.ports[from];
        let (node, local) = (&self.nodes[port.node], port.local as usize);
        match (&node.pool, &node.ledger) {
            (Some(pool), None) => View {
                headroom: pool.headroom(local, class),
                ..View::level(now, class, pool.shared(local, class), pool.threshold())
            },
            (_, ledger) => {
                let ledger = ledger.as_ref();
                let ledger = ledger.expect("a node that is watched keeps accounts");
                View::level(now, class, ledger.held(local, class), u64::MAX)
            }
        }
    }

    /// After a detector spoke: collects what is to be said, and has the port's departures served
    /// while they matter.
    fn after_look(&mut self, control: ControlId, place: usize, id: PortId, now: Time) {
        let c = &mut self.controls[control];
        let (alarmed, before) = (c.alarmed(place), c.note_alarm(place));
        self.collect(control);
        let node_id = self.ports[id].node;
        let node = &mut self.nodes[node_id];
        node.alarms = node.alarms + u32::from(alarmed) - u32::from(before);
        let turned = alarmed && !before || before && node.alarms == 0;
        if self.ports[id].is(Traits::ACCOUNTED) && turned {
            for i in 0..self.nodes[node_id].ports.len() {
                let port = self.nodes[node_id].ports[i];
                self.mind_departures(port, now);
            }
        } else {
            self.mind_departures(id, now);
        }
    }

    /// Takes what a mechanism has to say.
    pub(crate) fn collect(&mut self, control: ControlId) {
        while let Some(told) = self.controls[control].next_told() {
            self.outbox.push_back((control, told));
        }
    }

    /// An alarm began or ended: has the port's departures served while they matter.
    fn mind_departures(&mut self, id: PortId, now: Time) {
        self.catch_up(id, now);
        let port = &self.ports[id];
        let own = port
            .watch
            .is_some_and(|(control, place)| self.controls[control].alarmed(place));
        let node = port.is(Traits::ACCOUNTED) && self.nodes[port.node].alarms > 0;
        let port = &mut self.ports[id];
        port.set(Traits::WAKEFUL, own || node || port.is(Traits::ATTENTIVE));
        // Whose frames wait is not looked up.
        port.set(Traits::HEEDED, node && port.waiting > 0);
        // The frame under way was judged by the alarms that held when it started.
        if port.is(Traits::WAKEFUL) && !port.is(Traits::ATTENTIVE) && port.free_at() > now {
            self.wake_at_departure(id);
        }
    }
}
