//! Frames on their way. A port has one event: the arrival of the first frame on its wire. Choices that
//! fell due since the port was last touched are replayed first, each at the instant at which it was due.
//! So a hop costs one event.
//!
//! A frame that joins leaves the port as it is where only the order of arrival decides (`Traits::EXACT` names what else
//! may). Until the port catches up, its queue counts too many bytes, so it is brought up to date before these could set a record.
//!
//! A departure gets an event of its own, a *wake*, only where it can matter:
//!
//! * at a watched port whose queue is congested, if the departure can bring relief, or the wire is so long that nothing else
//!   would touch the port in time;
//! * at a switch with accounts by interface (PFC, shared memory), for a frame that came in where a place is congested, and for
//!   those ahead of it in its queue. The switch lags behind all other departures: its accounts can only be too high, so a
//!   threshold that they do not reach is not reached. One that they do reach is looked at again after catching up;
//! * at a host whose source is saturated: its next packet is born when the one before begins to leave (`world/refill`);
//! * at a host whose card pulls: the next segment is made when the port is free for it (`world/pull`), so the port has
//!   been caught up before an acknowledgement, a timer or a signal changes a sender;
//! * everywhere, when the run is recorded or `World::unfuse` was called. Results are equal.
//!
//! At a port of which nobody learns when frames leave, none of this is needed: they are sent ahead (`network/ahead.rs`).
//!
//! A frame is chosen when the one before has left and starts after the gap: like a frame handed to
//! the MAC, it is not stopped by a notice that takes effect in between.

use backwater_transport::units::Time;

use super::accounts::{Booking, Frame};
use super::{Onward, Shared};
use crate::cause::Cause;
use crate::event::Event;
use crate::ids::{PacketId, PortId};
use crate::network::transmit::Choice;
use crate::network::views::Gone;
use crate::network::{Network, Traits};
use crate::table::Id;

impl Shared {
    /// Replays overdue choices of a port, up to `now`.
    #[inline(always)]
    pub(crate) fn catch_up(&mut self, id: PortId, now: Time) {
        if self.network.ports[id].next_try <= now {
            self.replay_due(id, now);
        }
    }

    #[inline(never)]
    fn replay_due(&mut self, id: PortId, now: Time) {
        if self.network.ports[id].sends_ahead() {
            return self.network.take_back(id, now);
        }
        loop {
            let port = &mut self.network.ports[id];
            if port.sending > 0 {
                // A frame in transmission ends when the next choice is due.
                self.release(id);
            }
            let port = &mut self.network.ports[id];
            if port.next_try > now {
                // A detector that was relieved has had this port brought up to date.
                return;
            }
            if port.is(Traits::URGENT) {
                let at = port.next_try;
                self.network.start_control(&mut self.run, id, at);
                if self.network.ports[id].is(Traits::WAKEFUL) {
                    self.wake_at_departure(id);
                }
            } else if port.waiting == 0 {
                port.next_try = Time::NEVER;
                return;
            } else {
                self.choose(id, now);
            }
            if self.network.ports[id].next_try > now {
                return;
            }
        }
    }

    /// Puts a packet into the queue of an egress port, or loses it. Where only the order of arrival decides
    /// what becomes of frames, the port goes on lagging until its first frame arrives at the far end.
    #[inline(always)]
    pub(crate) fn enqueue(&mut self, id: PortId, packet_id: PacketId, now: Time) -> Onward {
        if !self.network.ports[id].may_send_ahead(now) {
            return self.enqueue_for_its_turn(id, packet_id, now);
        }
        if !self.network.send_ahead(&mut self.run, id, packet_id, now) {
            return self.overflow(id, packet_id, 0, now);
        }
        Onward::Done
    }

    /// The same where the choice is made when it is due.
    pub(super) fn enqueue_for_its_turn(
        &mut self,
        id: PortId,
        packet_id: PacketId,
        now: Time,
    ) -> Onward {
        let packet = &mut self.network.packets[packet_id];
        let mut port = &mut self.network.ports[id];
        let (size, class, local) = (packet.frame(), packet.class(), packet.entry);
        packet.at = now;
        let exact = port.is(Traits::EXACT)
            || port.shut_until > port.next_try.min(now)
            || port.sends_ahead();
        // Frames that have left since may be counted in: no more than the record is surely none.
        if exact || port.queue(0).bytes + size > port.max_bytes {
            if port.is(Traits::QUEUELESS) {
                return self.hand_over(id, packet_id, now);
            }
            if port.is(Traits::DOWN | Traits::DROPS)
                && let Some(cause) = port.loses(class)
            {
                return self.lose_at_dead_port(id, packet_id, cause, now);
            }
            self.catch_up(id, now);
            port = &mut self.network.ports[id];
        }
        let q = port.queue_of(class);
        if port.is(Traits::LIMITED)
            && !port.has_room(q, size)
            && !self.run.books.spares(&self.network.packets[packet_id])
        {
            return self.overflow(id, packet_id, q, now);
        }
        let mut observed = port.is(Traits::WATCHED);
        let mut managed = false;
        if observed {
            managed = port.shut_until == Time::NEVER;
            let frame = (usize::from(local), usize::from(class), size);
            let Some(detected) = self.admit_watched(id, packet_id, frame, q, now) else {
                return Onward::Done;
            };
            observed = detected;
            port = &mut self.network.ports[id];
        }
        if exact && port.is(Traits::STAMPED) {
            self.network.stamp_arrival(id, packet_id, false, now);
            port = &mut self.network.ports[id];
        }
        if !observed && port.next_try == Time::NEVER && port.shut_until <= now {
            port.hold(q, size);
            if self.network.transmit(&mut self.run, id, packet_id, now) {
                self.wake_at_departure(id);
            }
            return Onward::Done;
        }
        self.network.join(id, packet_id, q, now);
        if observed {
            self.observe_arrival(id, packet_id, q, now);
            if managed {
                self.network.sort(id, packet_id);
            }
        }
        if exact || observed {
            self.catch_up(id, now);
        }
        Onward::Done
    }

    /// A frame comes to a port that loses it: its wire is down, or its watchdog has given the class up.
    #[cold]
    fn lose_at_dead_port(
        &mut self,
        id: PortId,
        packet_id: PacketId,
        cause: Cause,
        now: Time,
    ) -> Onward {
        let books = &mut self.run.books;
        self.network.lose(books, packet_id, cause, id, now);
        Onward::Done
    }

    /// Whether queue management and accounts admit a frame at a watched port, and whether somebody looks at it then;
    /// none where it was lost.
    #[inline(always)]
    fn admit_watched(
        &mut self,
        id: PortId,
        packet_id: PacketId,
        frame: Frame,
        q: usize,
        now: Time,
    ) -> Option<bool> {
        let port = &self.network.ports[id];
        let managed = port.shut_until == Time::NEVER;
        let (accounted, detected) = (port.is(Traits::ACCOUNTED), port.is(Traits::DETECTED));
        let (node, ledger) = (port.node, port.is(Traits::LEDGER));
        if managed
            && !self
                .network
                .admit(&mut self.run.books, id, packet_id, q, now)
        {
            self.refuse_arrival(id, packet_id, q, Cause::Aqm, now);
            return None;
        }
        if !accounted {
            return Some(true);
        }
        match self.account_arrival(node, ledger, frame, now) {
            Booking::Refused => {
                self.refuse_arrival(id, packet_id, q, Cause::MemoryFull, now);
                None
            }
            Booking::Calm => Some(managed || detected || self.run.books.record.is_some()),
            Booking::Entered => {
                self.catch_up(id, now);
                Some(true)
            }
        }
    }

    /// The frame in transmission has left: its buffer is free.
    #[inline(always)]
    fn release(&mut self, id: PortId) {
        let port = &mut self.network.ports[id];
        let (size, class, entry, at) = (
            u64::from(port.sending),
            port.sending_class,
            port.sending_entry,
            port.next_try,
        );
        port.sending = 0;
        let q = port.queue_of(class);
        if port.is(Traits::STAMPED) {
            self.network.stamp_backlog(id, at);
        }
        let port = &mut self.network.ports[id];
        port.free(q, size);
        if port.is(Traits::WATCHED) {
            let gone = Gone {
                queue: q,
                size,
                class,
                entry,
                lost: None,
            };
            self.observe_departure(id, &gone, at);
        }
    }

    /// Makes the choice that is due at `next_try`: starts a frame, or finds all of them held back. A
    /// scheduler is asked only where it has a choice.
    #[inline]
    fn choose(&mut self, id: PortId, now: Time) {
        let port = &mut self.network.ports[id];
        let at = port.next_try;
        if port.shut_until <= at {
            let queue = port.pick(&self.network.packets);
            return self.start(id, queue, Id::NONE, at);
        }
        if port.more.service.has_instants() {
            return self.serve(id, at, now);
        }
        if port.more.managed.is_some() {
            return self.choose_judged(id, at, now);
        }
        match self.network.find(id, at) {
            Choice::Frame { queue, before } => self.start(id, queue, before, at),
            Choice::Held(until) => self
                .network
                .stall(&mut self.run.calendar, id, at, until, now),
        }
    }

    /// Begins to send a data frame that waits in its queue.
    #[inline(always)]
    pub(super) fn start(&mut self, id: PortId, q: usize, before: PacketId, at: Time) {
        if self.network.start(&mut self.run, id, q, before, at) {
            self.wake_at_departure(id);
        }
    }

    /// A transmission has begun at a wakeful port: its end has an event where it can matter.
    pub(super) fn wake_at_departure(&mut self, id: PortId) {
        let (network, calendar) = (&mut self.network, &mut self.run.calendar);
        self.mechanisms.wake_at_departure(network, calendar, id);
    }

    /// The first frame on a wire has reached the far end.
    // Half of all events: within the loop of runs.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, id: PortId, now: Time) -> Onward {
        let mut port = &mut self.network.ports[id];
        if !port.sends_ahead() && port.next_try <= now {
            self.replay_due(id, now);
            port = &mut self.network.ports[id];
        }
        let (packet_id, packet) = self.network.packets.take_head(&mut port.wire);
        port.release_arrived(packet_id, packet);
        let flow = packet.flow;
        let mut egress = std::mem::replace(&mut packet.ingress, id);
        let next = port.wire.head();
        if !next.is_none() {
            let at = self.network.packets[next].at;
            self.run.calendar.push_here(at, Event::Arrive(id));
        }
        self.run.books.packet_hops += 1;
        if flow.is_none() {
            self.network
                .receive_control_frame(&mut self.run, id, packet_id, now);
            return Onward::Done;
        }
        if egress.is_open() {
            if egress.is_none() {
                return Onward::Host(packet_id);
            }
            egress = self.choose_way(egress, now);
        }
        self.enqueue(egress, packet_id, now)
    }

    /// The way of a frame that arrives: of the candidates the one whose queue holds the fewest bytes, the first among equals.
    #[inline(never)]
    pub(super) fn choose_way(&mut self, open: PortId, now: Time) -> PortId {
        let Network { plan, turns, .. } = &mut self.network;
        let candidates = plan.forwarding.candidates(turns, open);
        let (mut best, others) = (candidates[0], &candidates[1..]);
        if !others.is_empty() {
            let mut least = self.backlog(best, now);
            for port in others {
                let backlog = self.backlog(*port, now);
                if backlog < least {
                    (best, least) = (*port, backlog);
                }
            }
        }
        best
    }

    /// Bytes that a port holds now.
    fn backlog(&mut self, id: PortId, now: Time) -> u64 {
        if self.network.ports[id].sends_ahead() {
            self.network.release_sent(id, now);
        } else {
            self.catch_up(id, now);
        }
        let queues = self.network.ports[id].queues().iter();
        queues.map(|queue| queue.bytes).sum()
    }
}
