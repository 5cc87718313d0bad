//! Mechanisms at work: accounts of what switches hold, and detectors that look after every change. What they say
//! travels as `notices` have it.

use std::sync::Arc;

use backwater_transport::units::Time;

use super::World;
use crate::cause::Cause;
use crate::event::Event;
use crate::ids::{ControlId, NodeId, PacketId, PortId};
use crate::limit::Limit;
use crate::mechanism::control::Seen;
use crate::mechanism::detector::Level;
use crate::medium::ethernet::{self, PREAMBLE};
use crate::network::{Part, Port, Traits};
use crate::packet::Packet;
use crate::record::{Record, What};
use crate::switch::Pool;
use crate::table::Id;

/// What became of a frame at a node that keeps accounts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Booking {
    /// There is no room for it.
    Refused,
    /// It is in, and so far from any threshold that no detector of the pool need look.
    Calm,
    /// It is in.
    Entered,
}

/// A frame that no longer occupies its class queue.
pub(super) struct Gone {
    /// The class queue.
    pub queue: usize,
    /// Frame bytes.
    pub size: u64,
    /// Class.
    pub class: u8,
    /// Number of the port through which it came in.
    pub entry: u8,
}

impl World {
    /// The node's port through which a packet came in; none at its origin.
    fn entrance(&self, packet_id: PacketId) -> Option<PortId> {
        let ingress = self.packets[packet_id].ingress;
        (!ingress.is_none()).then(|| self.ports[ingress].peer)
    }

    /// Books a frame that comes in. A node lags behind departures of what came in where no alarm holds, until
    /// that could matter.
    #[inline(always)]
    pub(super) fn account_arrival(
        &mut self,
        id: PortId,
        packet_id: PacketId,
        now: Time,
    ) -> Booking {
        let packet = &self.packets[packet_id];
        let (local, class, size) = (
            packet.entry as usize,
            packet.class() as usize,
            packet.frame(),
        );
        let port = &self.ports[id];
        let (node_id, ledger) = (port.node, port.is(Traits::LEDGER));
        let heeded = self.nodes[node_id].alarms > 0 && self.heeds(node_id, local);
        let node = &mut self.nodes[node_id];
        let calm = match &mut node.pool {
            Some(pool) => pool.admit_calmly(local, class, size),
            None => true,
        };
        if !calm && !self.admit_to_pool(node_id, local, class, size, now) {
            return Booking::Refused;
        }
        if ledger {
            let ledger = self.nodes[node_id].ledger.as_mut();
            let ledger = ledger.expect("the ledger that the port knows of");
            ledger.add(local, class, size);
        }
        match calm && !heeded && !ledger {
            true => Booking::Calm,
            false => Booking::Entered,
        }
    }

    /// Takes a frame into a shared memory that it may find short, unless it does.
    #[inline(never)]
    fn admit_to_pool(
        &mut self,
        node: NodeId,
        local: usize,
        class: usize,
        size: u64,
        now: Time,
    ) -> bool {
        self.settle_node(node, now);
        let pool = self.nodes[node].pool.as_mut();
        pool.expect("a node with a shared memory")
            .admit(local, class, size)
    }

    /// Brings the ports of a node up to date.
    fn settle_node(&mut self, node: NodeId, now: Time) {
        for i in 0..self.nodes[node].ports.len() {
            let port = self.nodes[node].ports[i];
            self.catch_up(port, now);
        }
    }

    /// The same up to a departure from this port: of simultaneous ones those of ports before it have come first.
    fn settle_before(&mut self, id: PortId, at: Time) {
        let node = self.ports[id].node;
        for i in 0..self.nodes[node].ports.len() {
            let port = self.nodes[node].ports[i];
            let before = Time(at.0 - u64::from(port > id));
            if port != id {
                self.catch_up(port, before);
            }
        }
    }

    /// Whether departures of what came in through a port of a node that keeps accounts may end an alarm.
    fn heeds(&self, node: NodeId, local: usize) -> bool {
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
            let level = self.egress_level(id, gone.queue, at);
            if self.controls[control].released(&level, place) {
                self.after_look(control, place, id, at);
            }
        }
    }

    #[inline(always)]
    fn account_departure(&mut self, id: PortId, gone: &Gone, at: Time) {
        let port = &self.ports[id];
        let (node_id, ledger) = (port.node, port.is(Traits::LEDGER));
        let (size, class, local) = (gone.size, gone.class as usize, gone.entry as usize);
        let node = &mut self.nodes[node_id];
        if let Some(pool) = &mut node.pool {
            pool.release(local, class, size);
        }
        if ledger {
            let ledger = node.ledger.as_mut();
            let ledger = ledger.expect("the ledger that the port knows of");
            ledger.remove(local, class, size);
        }
        if node.alarms > 0 {
            self.detect_relief(id, class, local, at);
        }
    }

    /// A frame that came in through a port of a node with alarms has left.
    #[inline(never)]
    fn detect_relief(&mut self, id: PortId, class: usize, local: usize, at: Time) {
        let node = &self.nodes[self.ports[id].node];
        if let Some((control, place)) = node.watch[local] {
            let watched = node.ports[local];
            // What this place holds is exact, but others may lag, and the threshold with them.
            let mut level = self.ingress_level(watched, class, at);
            level.room = node.pool.as_ref().map_or(level.room, Pool::widest);
            if !self.controls[control].may_relieve(place, &level) {
                return;
            }
            self.settle_before(id, at);
            let level = self.ingress_level(watched, class, at);
            if self.controls[control].released(&level, place) {
                self.after_look(control, place, watched, at);
            }
        }
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
        let packet = &self.packets[packet_id];
        let (to, class) = (packet.to, packet.class());
        let port = &self.ports[id];
        let (accounted, watch) = (port.is(Traits::ACCOUNTED), port.watch);
        let named = accounted
            || watch.is_some_and(|(control, place)| self.controls[control].listens(place));
        let from = if named {
            self.entrance(packet_id)
        } else {
            None
        };
        let local = from.map(|f| self.ports[f].local as usize);
        if let Some((control, place)) = watch {
            self.mind_drain(id, now);
            let level = self.egress_level(id, q, now);
            let (packets, queue, hosts) =
                (&self.packets, self.ports[id].queue(q), self.hosts.len());
            let queued = || {
                let mut words = vec![0u64; hosts.div_ceil(64)];
                packets
                    .walk(&queue.list)
                    .for_each(|p| words[p.to as usize / 64] |= 1 << (p.to % 64));
                words.into()
            };
            let seen = Seen {
                place,
                from: local,
                egress: id,
                to,
            };
            if self.controls[control].enqueued(&level, &seen, queued) {
                self.after_look(control, place, id, now);
            }
        }
        let (true, Some(local), Some(from)) = (accounted, local, from) else {
            return;
        };
        let node = self.ports[from].node;
        if let Some((control, place)) = self.nodes[node].watch[local] {
            let mut level = self.ingress_level(from, class as usize, now);
            // Accounts that lag can only be too high: an alarm by them is looked at again.
            if self.controls[control].would_alarm(place, &level) {
                self.settle_node(node, now);
                level = self.ingress_level(from, class as usize, now);
            }
            let seen = Seen {
                place,
                from: Some(local),
                egress: id,
                to,
            };
            if self.controls[control].alarmed(place) {
                self.await_those_before(id, now);
            }
            if self.controls[control].enqueued(&level, &seen, || Arc::from([])) {
                self.after_look(control, place, from, now);
            }
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
                let level =
                    self.egress_level(id, port.queue_of(port.sending_class), port.free_at());
                let leaves = match port.buffer {
                    Limit::Packets(_) => u64::from(port.sending > 0),
                    _ => u64::from(port.sending),
                };
                let left = Level {
                    held: level.held - leaves,
                    ..level
                };
                port.delay.0 >= shortest || self.controls[control].may_relieve(place, &left)
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
            let from = self.entrance(packet_id);
            let seen = Seen {
                place,
                from: from.map(|f| self.ports[f].local as usize),
                egress: id,
                to: self.packets[packet_id].to,
            };
            let level = self.egress_level(id, q, now);
            if self.controls[control].turned_away(&level, &seen) {
                self.after_look(control, place, id, now);
            }
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
            while let Some(told) = c.next_told() {
                self.outbox.push_back((control, told));
            }
        }
    }

    /// Occupancy of a class queue, in the unit of its limit.
    fn egress_level(&self, id: PortId, q: usize, now: Time) -> Level {
        let port = &self.ports[id];
        let queue = port.queue(q);
        let (held, room) = match port.buffer {
            Limit::Bytes(limit) => (queue.bytes, limit.0),
            Limit::Packets(limit) => (queue.packets, limit),
            Limit::Unlimited => unreachable!("a watched port has a limit"),
        };
        Level {
            now,
            class: q,
            held,
            room,
            headroom: 0,
        }
    }

    /// What the node holds of a class that came in through `from`.
    fn ingress_level(&self, from: PortId, class: usize, now: Time) -> Level {
        let port = &self.ports[from];
        let (node, local) = (&self.nodes[port.node], port.local as usize);
        match (&node.pool, &node.ledger) {
            (Some(pool), None) => Level {
                now,
                class,
                held: pool.shared(local, class),
                room: pool.threshold(),
                headroom: pool.headroom(local, class),
            },
            (_, Some(ledger)) => Level {
                now,
                class,
                held: ledger.held(local, class),
                room: u64::MAX,
                headroom: 0,
            },
            (None, None) => unreachable!("a node that is watched keeps accounts"),
        }
    }

    /// After a detector spoke: collects what is to be said, and has the port's departures served
    /// while they matter.
    fn after_look(&mut self, control: ControlId, place: usize, id: PortId, now: Time) {
        let c = &mut self.controls[control];
        let (alarmed, before) = (c.alarmed(place), c.note_alarm(place));
        while let Some(told) = c.next_told() {
            self.outbox.push_back((control, told));
        }
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

    /// A frame starts after its port stood idle with it waiting: counts it if the queue that closed
    /// the gate is not on its path.
    pub(super) fn count_victim(&mut self, id: PortId, packet_id: PacketId) {
        let port = &self.ports[id];
        if port.far_row == u32::MAX {
            return;
        }
        let packet = &self.packets[packet_id];
        let (flow, egress) = (
            packet.flow,
            self.forwarding.egress(port.far_row, packet.flow, packet.to),
        );
        let (origin, classes) = port
            .gates
            .as_ref()
            .expect("a port that stalls has gates")
            .origin;
        if egress != origin || classes >> packet.class() & 1 == 0 {
            self.ports[id].more.sent.victims += 1;
            self.flows[flow].stats.victims += 1;
        }
    }

    /// Adds a record about a packet.
    #[cold]
    pub(super) fn note(
        &mut self,
        what: What,
        at: Time,
        port: PortId,
        packet_id: PacketId,
        value: u64,
    ) {
        let packet = &self.packets[packet_id];
        let notice = packet
            .flow
            .is_none()
            .then(|| Arc::new(self.mail.see(Id::raw(packet.to)).notice.clone()));
        let value = match (&notice, what) {
            (Some(n), What::Notice) => u64::from(n.quanta),
            _ => value,
        };
        let Packet {
            flow,
            seq,
            to,
            len,
            traffic,
            ..
        } = *packet;
        let of_connection = matches!(what, What::Send | What::Drop)
            && !flow.is_none()
            && self.flows[flow].part != Part::None;
        let header = of_connection.then(|| Box::new(self.headers[packet_id].clone()));
        let records = self.record.as_mut().expect("a run that is recorded");
        records.push(Record {
            at,
            what,
            port,
            flow,
            seq,
            to,
            len,
            traffic,
            value,
            notice,
            header,
        });
    }
}
