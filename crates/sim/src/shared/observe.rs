//! Detectors at ports and interfaces of switches: they observe every change there. What they say travels as `tell` has
//! it.

use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use super::Shared;
use crate::cause::Cause;
use crate::ids::{ControlId, PacketId, PortId};
use crate::mechanism::moment::Seen;
use crate::mechanism::notice::Hosts;
use crate::mechanism::notifier::row::Waiting;
use crate::mechanism::notifier::voice::Arrival;
use crate::mechanism::place::View;
use crate::network::views::{Gone, queued_hosts};
use crate::network::{Network, Traits};
use crate::record::What;
use crate::switch::Pool;
use crate::table::Id;

impl Shared {
    /// A frame has left a port that is watched, or was lost from its queue: books it, and lets detectors look.
    #[inline(always)]
    pub(crate) fn observe_departure(&mut self, id: PortId, gone: &Gone, at: Time) {
        let port = &self.network.ports[id];
        let (accounted, detected) = (port.is(Traits::ACCOUNTED), port.is(Traits::DETECTED));
        // Copies, so that there is nothing to be laid down where nobody looks.
        if accounted {
            self.account_departure(id, gone, at);
        }
        if detected {
            self.detect_departure(id, &Gone { ..*gone }, at);
        }
    }

    #[inline(never)]
    fn detect_departure(&mut self, id: PortId, gone: &Gone, at: Time) {
        if let Some((control, place)) = self.network.ports[id].watch {
            let c = &mut self.mechanisms.controls[control];
            if let (None, Some(tally)) = (gone.lost, c.tally(place)) {
                tally.left(false, gone.queue as u8, Id::NONE, gone.size, at);
            }
            if !c.observes_departure(place, gone.queue) {
                return;
            }
            let view = self.network.view_of(id, gone.queue, at);
            let seen = gone.seen(&self.network.ports[id], at);
            let c = &mut self.mechanisms.controls[control];
            if c.released(place, view, &gone.moment(&seen)) {
                self.after_observation(control, place, id, at);
            }
        }
    }

    /// A frame that came in through a port of a node with alarms has left.
    #[inline(never)]
    pub(super) fn detect_relief(&mut self, id: PortId, gone: &Gone, at: Time) {
        let (class, local) = (gone.class as usize, gone.entry as usize);
        let node = &self.network.nodes[self.network.ports[id].node];
        if let Some((control, place)) = node.watch[local] {
            let watched = node.ports[local];
            // The bytes of this place are exact. Those of other places may lag, and the threshold with them.
            let mut view = self.network.ingress_view(watched, class, at);
            view.room = node.pool.as_ref().map_or(view.room, Pool::widest);
            if !self.mechanisms.controls[control].may_relieve(place, &view) {
                return;
            }
            self.settle_before(id, at);
            let view = self.network.ingress_view(watched, class, at);
            let seen = gone.seen(&self.network.ports[id], at);
            if self.mechanisms.controls[control].released(place, view, &gone.moment(&seen)) {
                self.after_observation(control, place, watched, at);
            }
        }
    }

    /// A frame has been queued at a port that is watched: records it, and lets detectors look.
    #[inline(never)]
    pub(super) fn observe_arrival(&mut self, id: PortId, packet_id: PacketId, q: usize, now: Time) {
        let port = &mut self.network.ports[id];
        if port.shut_until == Time::NEVER {
            let len = self.network.packets[packet_id].len;
            port.more.service.came(len, now);
        }
        if self.run.books.record.is_some() {
            let held = self.network.ports[id].queue(q).bytes;
            self.network.note(
                &mut self.run.books,
                packet_id,
                What::Enqueue.noted(now, id, held),
            );
        }
        // A frame that has begun to leave names its next hop in place of the one that it came from.
        let came = self.arrival_through(id, packet_id, q, now);
        let port = &self.network.ports[id];
        if let Some((control, place)) = port.watch
            && !self.mechanisms.controls[control].passes(place, q, port.held(q))
        {
            self.detect_arrival((control, place), id, packet_id, q, now);
        }
        if let Some(came) = came {
            self.observe_ingress(id, came, packet_id, now);
        }
    }

    /// Lets the detector of an output queue observe a frame that has joined it.
    #[inline(never)]
    fn detect_arrival(
        &mut self,
        (control, place): (ControlId, usize),
        id: PortId,
        packet_id: PacketId,
        q: usize,
        now: Time,
    ) {
        if self.mechanisms.controls[control].rated() {
            self.mechanisms.update_drain(&self.network, id, now);
        }
        let Network {
            ports,
            packets,
            hosts,
            ..
        } = &self.network;
        let (port, packet) = (&ports[id], &packets[packet_id]);
        let (seen, arrival) = port.arrival(id, packet, q, now);
        let view = self.network.view_of(id, q, now);
        let c = &mut self.mechanisms.controls[control];
        if let Some(tally) = c.tally(place) {
            tally.came(seen.prev, q as u8, packet.flow, seen.bytes, now);
        }
        let queued = || queued_hosts(packets, &port.queue(q).list, hosts.len());
        let spoke = c.enqueued(place, view, &seen, &arrival, &Waiting::for_hosts(&queued));
        self.mark_congested(control, place, (id, packet_id), q, now);
        if spoke {
            self.after_observation(control, place, id, now);
        }
    }

    /// Through which port of its node a frame came that has been queued, where the node keeps accounts.
    #[inline]
    fn arrival_through(
        &self,
        id: PortId,
        packet_id: PacketId,
        q: usize,
        now: Time,
    ) -> Option<(PortId, Seen, Arrival)> {
        let port = &self.network.ports[id];
        let accounted = port.is(Traits::ACCOUNTED);
        let from = accounted.then(|| self.network.entrance(packet_id))??;
        let packet = &self.network.packets[packet_id];
        let (seen, arrival) = port.arrival(id, packet, q, now);
        Some((from, seen, arrival))
    }

    /// A frame has been queued that came in through a port of a node that keeps accounts.
    fn observe_ingress(
        &mut self,
        id: PortId,
        (from, seen, arrival): (PortId, Seen, Arrival),
        packet_id: PacketId,
        now: Time,
    ) {
        let class = usize::from(self.network.packets[packet_id].class());
        let (node, local) = (
            self.network.ports[from].node,
            self.network.ports[from].local as usize,
        );
        let Some((control, place)) = self.network.nodes[node].watch[local] else {
            return;
        };
        let arrival = Arrival { class, ..arrival };
        let mut view = self.network.ingress_view(from, class, now);
        // Accounts that lag can only be too high: an alarm by them is looked at again.
        if self.mechanisms.controls[control].would_alarm(place, &seen, &view) {
            self.settle_node(node, now);
            view = self.network.ingress_view(from, class, now);
        }
        if self.mechanisms.controls[control].alarmed(place) {
            self.mechanisms
                .await_those_before(&mut self.network, &mut self.run.calendar, id, now);
        }
        let c = &mut self.mechanisms.controls[control];
        let spoke = c.enqueued(place, view, &seen, &arrival, &Waiting::nothing());
        self.mark_congested(control, place, (id, packet_id), class, now);
        if spoke {
            self.after_observation(control, place, from, now);
        }
    }

    /// Marks a packet that has joined a queue, where its class is congested at a place that marks.
    pub(crate) fn mark_congested(
        &mut self,
        control: ControlId,
        place: usize,
        (id, packet_id): (PortId, PacketId),
        class: usize,
        now: Time,
    ) {
        let takes_marks = |ecn| matches!(ecn, Ecn::Ect0 | Ecn::Ect1);
        if self.mechanisms.controls[control].marks(place, class)
            && takes_marks(self.network.packets[packet_id].traffic.ecn())
        {
            self.network.mark(&mut self.run.books, packet_id, id, now);
        }
    }

    /// A frame finds no room in its queue. Detectors still see who sent it, and to whom.
    #[cold]
    pub(super) fn refuse_arrival(
        &mut self,
        id: PortId,
        packet_id: PacketId,
        q: usize,
        cause: Cause,
        now: Time,
    ) {
        self.network.stamp_arrival(id, packet_id, true, now);
        if cause != Cause::Aqm {
            let judged = cause == Cause::MemoryFull;
            self.network.tell_overflow(id, packet_id, q, judged, now);
        }
        if let Some((control, place)) = self.network.ports[id].watch {
            self.mechanisms.update_drain(&self.network, id, now);
            let (port, packet) = (&self.network.ports[id], &self.network.packets[packet_id]);
            let (seen, arrival) = port.arrival(id, packet, q, now);
            let (view, flow) = (self.network.view_of(id, q, now), packet.flow);
            let c = &mut self.mechanisms.controls[control];
            if let Some(tally) = c.tally(place) {
                tally.came(seen.prev, q as u8, flow, seen.bytes, now);
            }
            if c.refused(place, view, &seen, &arrival) {
                self.after_observation(control, place, id, now);
            }
        }
        let service = &mut self.network.ports[id].more.service;
        service.refused(&self.network.packets[packet_id], now);
        self.network
            .lose(&mut self.run.books, packet_id, cause, id, now);
    }

    /// The timer of a place has come: an output port with a detector of rates.
    pub(crate) fn observe_port(&mut self, control: ControlId, place: usize, id: PortId, now: Time) {
        self.catch_up(id, now);
        let classes = self.network.ports[id].queues().len();
        let views: Vec<View> = (0..classes)
            .map(|q| self.network.view_of(id, q, now))
            .collect();
        let (ports, packets, hosts) = (
            &self.network.ports,
            &self.network.packets,
            self.network.hosts.len(),
        );
        let queued = |q| -> Hosts { queued_hosts(packets, &ports[id].queue(q).list, hosts) };
        if self.mechanisms.controls[control].sample(place, &views, None, id, queued) {
            self.after_observation(control, place, id, now);
        }
    }

    /// After a detector spoke: collects what is to be said, and has the port's departures served
    /// while they matter.
    fn after_observation(&mut self, control: ControlId, place: usize, id: PortId, now: Time) {
        let c = &mut self.mechanisms.controls[control];
        let (alarmed, before) = (c.alarmed(place), c.note_alarm(place));
        self.mechanisms.collect(control);
        let node_id = self.network.ports[id].node;
        let node = &mut self.network.nodes[node_id];
        node.alarms = node.alarms + u32::from(alarmed) - u32::from(before);
        let changed = alarmed && !before || before && node.alarms == 0;
        if self.network.ports[id].is(Traits::ACCOUNTED) && changed {
            for i in 0..self.network.nodes[node_id].ports.len() {
                let port = self.network.nodes[node_id].ports[i];
                self.watch_departures(port, now);
            }
        } else {
            self.watch_departures(id, now);
        }
    }

    /// An alarm began or ended: has the port's departures served while they matter.
    fn watch_departures(&mut self, id: PortId, now: Time) {
        self.catch_up(id, now);
        let port = &self.network.ports[id];
        let own = port
            .watch
            .is_some_and(|(control, place)| self.mechanisms.controls[control].alarmed(place));
        let node = port.is(Traits::ACCOUNTED) && self.network.nodes[port.node].alarms > 0;
        let port = &mut self.network.ports[id];
        port.set(Traits::WAKEFUL, own || node || port.is(Traits::ATTENTIVE));
        // Whose frames wait is not looked up.
        port.set(Traits::MAY_RELIEVE, node && port.waiting > 0);
        // The frame under way was judged by the alarms that held when it started.
        if port.is(Traits::WAKEFUL) && !port.is(Traits::ATTENTIVE) && port.free_at() > now {
            self.mechanisms
                .wake_at_departure(&mut self.network, &mut self.run.calendar, id);
        }
    }
}
