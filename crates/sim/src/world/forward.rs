//! Frames on their way. A port has one event: the arrival of the first frame on its wire. Choices that
//! fell due since the port was last touched are replayed first, each at the instant at which it was due.
//! So a departure needs an event only where a detector acts on it.
//!
//! A frame is chosen when the one before has left and starts after the gap: like a frame handed to
//! the MAC, it is not stopped by a notice that takes effect in between.

use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Time};

use super::accounts::{Booking, Gone};
use super::{Exit, Fate, World};
use crate::cause::Cause;
use crate::event::Event;
use crate::ids::{PacketId, PortId};
use crate::limit::{Limit, MAX_CLASSES};
use crate::medium::ethernet::{GAP, PREAMBLE};
use crate::network::{Part, Port, Traits};
use crate::packet::{Packets, Traffic};
use crate::queue::Scheduler;
use crate::record::What;
use crate::record::fingerprint::Mark;
use crate::table::Id;

/// The next frame to leave a port.
pub(super) enum Choice {
    /// This one of this class queue, behind that one.
    Frame { queue: usize, before: PacketId },
    /// None before then.
    Held(Time),
}

impl World {
    /// Makes up for what fell due at a port up to `now`.
    #[inline(always)]
    pub(super) fn catch_up(&mut self, id: PortId, now: Time) {
        if self.ports[id].next_try <= now {
            self.make_up(id, now);
        }
    }

    #[inline(never)]
    fn make_up(&mut self, id: PortId, now: Time) {
        loop {
            let port = &mut self.ports[id];
            if port.sending > 0 {
                // A frame in transmission ends when the next choice is due.
                self.release(id);
            }
            let port = &mut self.ports[id];
            if port.next_try > now {
                // A detector that was relieved has had this port brought up to date.
                return;
            }
            if port.is(Traits::URGENT) {
                let at = port.next_try;
                self.start_control(id, at);
            } else if port.waiting == 0 {
                port.next_try = Time::NEVER;
                return;
            } else {
                self.choose(id, now);
            }
            if self.ports[id].next_try > now {
                return;
            }
        }
    }

    /// Puts a packet into the queue of an egress port, or loses it. Where only the order of arrival decides
    /// what becomes of frames, the port goes on lagging until its first frame arrives at the far end.
    pub(crate) fn enqueue(&mut self, id: PortId, packet_id: PacketId, now: Time) {
        let packet = &mut self.packets[packet_id];
        let port = &mut self.ports[id];
        let size = packet.frame();
        packet.at = now;
        let exact = port.is(Traits::EXACT) || port.shut_until > port.next_try.min(now);
        // Frames that have left since may be counted in: no more than the record is surely none.
        if exact || port.queue(0).bytes + size > port.max_bytes {
            if port.is(Traits::AIR) {
                return self.enqueue_at_station(id, packet_id, now);
            }
            self.catch_up(id, now);
        }
        let packet = &mut self.packets[packet_id];
        let port = &mut self.ports[id];
        let q = port.queue_of(packet.class());
        if port.is(Traits::LIMITED) && !port.has_room(q, size) {
            return self.overflow(id, packet_id, q, now);
        }
        let mut look = port.is(Traits::WATCHED);
        if look {
            if port.is(Traits::PASSED) {
                return self.pass(id, packet_id, now);
            }
            let managed = port.shut_until == Time::NEVER;
            if managed && !self.admit(id, packet_id, q, now) {
                return self.turn_away(id, packet_id, q, Cause::Aqm, now);
            }
            if self.ports[id].is(Traits::ACCOUNTED) {
                match self.account_arrival(id, packet_id, now) {
                    Booking::Refused => {
                        return self.turn_away(id, packet_id, q, Cause::MemoryFull, now);
                    }
                    Booking::Calm => {
                        let detected = self.ports[id].is(Traits::DETECTED);
                        look = managed || detected || self.record.is_some();
                    }
                    Booking::Entered => self.catch_up(id, now),
                }
            }
        }
        let port = &mut self.ports[id];
        if !look && port.next_try == Time::NEVER && port.shut_until <= now {
            let queue = port.queue_mut(q);
            queue.bytes += size;
            queue.packets += 1;
            port.note_most(q);
            return self.transmit(id, packet_id, now);
        }
        let packet = &mut self.packets[packet_id];
        let mut held_back = false;
        if port.is(Traits::EVER_STALLED) {
            packet.gated = packet.gated.wrapping_sub(port.stall_clock(now));
            if port.is(Traits::STALLED) {
                let gates = port.gates.as_ref().expect("a port that stalls has gates");
                held_back = gates.opens(packet.class(), packet.to, now) > now;
            }
        }
        let queue = port.queue_mut(q);
        queue.bytes += size;
        queue.packets += 1;
        self.packets.append(&mut queue.list, packet_id);
        port.note_most(q);
        port.waiting += 1;
        port.held |= 1 << q;
        // A frame that is held back itself changes nothing for those before it.
        if !held_back {
            port.retry(now);
        }
        if look {
            self.look_at_arrival(id, packet_id, q, now);
            self.sort(id, packet_id);
        }
        if exact || look {
            self.catch_up(id, now);
        }
    }

    /// The frame in transmission has left: its buffer is free.
    #[inline(always)]
    fn release(&mut self, id: PortId) {
        let port = &mut self.ports[id];
        let (size, class, entry, at) = (
            u64::from(port.sending),
            port.sending_class,
            port.sending_entry,
            port.next_try,
        );
        port.sending = 0;
        let q = port.queue_of(class);
        let queue = port.queue_mut(q);
        queue.bytes -= size;
        queue.packets -= 1;
        if port.is(Traits::WATCHED) {
            let gone = Gone {
                queue: q,
                size,
                class,
                entry,
                lost: false,
            };
            self.look_at_departure(id, &gone, at);
        }
    }

    /// Makes the choice that is due at `next_try`: starts a frame, or finds all of them held back. A
    /// scheduler is asked only where it has a choice.
    #[inline]
    fn choose(&mut self, id: PortId, now: Time) {
        let port = &mut self.ports[id];
        let at = port.next_try;
        if port.shut_until <= at {
            let queue = port.pick(&self.packets);
            return self.start(id, queue, Id::NONE, at);
        }
        if port.more.server.is_some() {
            return self.serve(id, at, now);
        }
        if port.more.managed.is_some() {
            return self.choose_judged(id, at, now);
        }
        match self.find(id, at) {
            Choice::Frame { queue, before } => self.start(id, queue, before, at),
            Choice::Held(until) => self.stall(id, at, until, now),
        }
    }

    /// Every waiting frame is held back until then.
    pub(super) fn stall(&mut self, id: PortId, at: Time, until: Time, now: Time) {
        let port = &mut self.ports[id];
        if !port.is(Traits::STALLED) {
            port.set(Traits::STALLED | Traits::EVER_STALLED, true);
            port.stall_from = at;
        }
        let more = &mut port.more;
        port.next_try = until;
        if until > now && until < Time::NEVER && (more.armed <= at || until < more.armed) {
            more.armed = until;
            self.calendar.push(until, Event::Wake(id));
        }
    }

    /// The frame that leaves at `at` where gates hold some back.
    pub(super) fn find(&mut self, id: PortId, at: Time) -> Choice {
        let port = &mut self.ports[id];
        let gates = port.gates.as_ref().expect("only gates hold frames back");
        let selective = gates.selective();
        let mut first = [(Id::NONE, 0u64); MAX_CLASSES];
        let mut ready = 0u8;
        let mut soonest = Time::NEVER;
        for q in (0..port.queues().len()).filter(|q| port.held >> q & 1 == 1) {
            let mut before = Id::NONE;
            let mut walk = port.queue(q).list.head();
            while !walk.is_none() {
                let packet = &self.packets[walk];
                let opens = gates.opens(packet.class(), packet.to, at);
                if opens <= at {
                    first[q] = (before, packet.frame());
                    ready |= 1 << q;
                    break;
                }
                soonest = soonest.min(opens);
                if !selective {
                    break;
                }
                before = walk;
                walk = packet.next;
            }
        }
        if ready == 0 {
            return Choice::Held(soonest);
        }
        let queue = port.scheduler.pick(ready, port.held, |q| first[q].1);
        Choice::Frame {
            queue,
            before: first[queue].0,
        }
    }

    /// Begins to send a data frame that waits in its queue.
    #[inline(always)]
    pub(super) fn start(&mut self, id: PortId, q: usize, before: PacketId, at: Time) {
        let port = &mut self.ports[id];
        let queue = port.queue_mut(q);
        let packet_id = self.packets.take_after(&mut queue.list, before);
        let last = queue.list.is_empty();
        port.held &= !(u8::from(last) << q);
        port.waiting -= 1;
        if port.is(Traits::EVER_STALLED) {
            self.meet_stalls(id, packet_id, at);
        }
        let port = &mut self.ports[id];
        if port.shut_until > at
            && let Some(gates) = &mut port.gates
        {
            let packet = &self.packets[packet_id];
            let begin = at.max(port.gap_until);
            gates.charge(packet.class(), packet.to, Bytes(packet.frame()), begin);
        }
        self.transmit(id, packet_id, at);
    }

    /// A frame starts at a port that has stalled, now or before: says how long that was while it waited.
    fn meet_stalls(&mut self, id: PortId, packet_id: PacketId, at: Time) {
        let port = &mut self.ports[id];
        if port.is(Traits::STALLED) {
            port.end_stall(at);
        }
        let packet = &mut self.packets[packet_id];
        packet.gated = packet.gated.wrapping_add(port.stall);
        if port.stall_end > packet.at {
            self.count_victim(id, packet_id);
        }
    }

    /// Sends a frame that is in no list and counts as held by its class queue.
    #[inline(always)]
    fn transmit(&mut self, id: PortId, packet_id: PacketId, at: Time) {
        let port = &mut self.ports[id];
        let packet = &mut self.packets[packet_id];
        // At a port that lags a frame may have come after the choice was due.
        let begin = at.max(packet.at).max(port.gap_until);
        let size = packet.frame();
        let duration = (PREAMBLE + size) * port.ps_per_byte;
        let waited = begin.0 - packet.at.0;
        packet.waited += waited;
        packet.serial += duration;
        port.next_try = Time(begin.0 + duration);
        port.gap_until = Time(port.next_try.0 + GAP * port.ps_per_byte);
        port.sending = size as u32;
        port.sending_class = packet.class();
        port.sending_entry = packet.entry;
        port.count_sent(size, waited + duration);
        if self.record.is_some() {
            self.note(What::Send, begin, id, packet_id, waited);
        }
        self.left_queue(id, packet_id);
        self.find_way(id, packet_id);
        self.launch(id, packet_id);
    }

    /// Notes with a packet that leaves a port the egress port it goes to at the far end, and through which it
    /// comes in there: to write that when it arrives would hold up those who read what lies beside it.
    #[inline(always)]
    pub(super) fn find_way(&mut self, id: PortId, packet_id: PacketId) {
        let Port {
            far_row: row,
            far_entry,
            ..
        } = self.ports[id];
        let packet = &mut self.packets[packet_id];
        packet.entry = far_entry;
        packet.ingress = match row {
            u32::MAX => Id::NONE,
            row => self.forwarding.egress(row, packet.flow, packet.to),
        };
    }

    /// Puts a frame whose transmission has begun, and ends at `next_try`, on the wire.
    #[inline(always)]
    pub(super) fn launch(&mut self, id: PortId, packet_id: PacketId) {
        let port = &mut self.ports[id];
        let arrives = port.next_try + port.delay;
        self.packets[packet_id].at = arrives;
        if port.wire.is_empty() {
            self.calendar.push(arrives, Event::Arrive(id));
        }
        self.packets.append(&mut port.wire, packet_id);
        if port.is(Traits::WAKEFUL) {
            self.wake_at_departure(id);
        }
    }

    /// The first frame on a wire has reached the far end.
    pub(super) fn arrive(&mut self, id: PortId, now: Time) {
        self.catch_up(id, now);
        let port = &mut self.ports[id];
        let packet_id = self.packets.take_after(&mut port.wire, Id::NONE);
        let next = port.wire.head();
        if !next.is_none() {
            self.calendar.push(self.packets[next].at, Event::Arrive(id));
        }
        self.packet_hops += 1;
        let packet = &mut self.packets[packet_id];
        if packet.flow.is_none() {
            return self.hear(id, packet_id, now);
        }
        let egress = std::mem::replace(&mut packet.ingress, id);
        if egress.is_none() {
            return self.deliver(id, packet_id, now);
        }
        self.enqueue(egress, packet_id, now);
    }

    pub(crate) fn deliver(&mut self, id: PortId, packet_id: PacketId, now: Time) {
        let packet = &self.packets[packet_id];
        let (flow_id, seq) = (packet.flow, packet.seq);
        let flow = &mut self.flows[flow_id];
        let delay = flow.stats.deliver(packet, now);
        if let Some(spent) = self.air.spent.get(packet_id.index()) {
            flow.stats.met_on_air(spent.contention, spent.retries);
        }
        self.fingerprint
            .add(Mark::Deliver, now, flow_id.0, u64::from(seq) << 24 ^ delay);
        if flow.outside {
            self.exits.push(Exit {
                at: now,
                flow: flow_id,
                tag: seq,
                fate: Fate::Delivered,
            });
        }
        let (part, ecn) = (flow.part, packet.traffic.ecn());
        if self.record.is_some() {
            self.note(What::Deliver, now, id, packet_id, delay);
        }
        self.packets.free(packet_id);
        if part != Part::None {
            self.hear_header(part, packet_id, ecn, now);
        }
    }

    /// The only way to tell a packet's receiver of congestion by a mark (RFC 3168).
    pub(crate) fn mark(&mut self, packet_id: PacketId, place: PortId, now: Time) {
        let packet = &mut self.packets[packet_id];
        let was = packet.traffic.ecn();
        debug_assert_ne!(
            was,
            Ecn::NotEct,
            "only a transport that takes marks is marked"
        );
        packet.traffic = Traffic::new(packet.class(), Ecn::Ce);
        let (flow, seq, len) = (packet.flow, packet.seq, u64::from(packet.len));
        self.flows[flow].stats.marked.add(len);
        self.ports[place].more.sent.marked += 1;
        self.fingerprint.add(
            Mark::Ce,
            now,
            flow.0,
            u64::from(seq) << 24 ^ u64::from(place.0),
        );
        if self.record.is_some() {
            self.note(What::Mark, now, place, packet_id, was as u64);
        }
    }

    /// The only way to lose a packet.
    pub(crate) fn lose(&mut self, packet_id: PacketId, cause: Cause, place: PortId, now: Time) {
        let packet = self.packets[packet_id];
        if let Some(server) = &mut self.ports[place].more.server {
            server.lost(cause, &packet, now);
        }
        self.lost_from_queue(place, packet.flow);
        let early = self.counts_before(packet.born);
        let flow = &mut self.flows[packet.flow];
        let len = u64::from(packet.len);
        flow.stats.lose(len, early);
        self.drops
            .entry((cause, place, packet.flow, packet.class()))
            .or_default()
            .add(len);
        self.fingerprint.add(
            Mark::Drop,
            now,
            packet.flow.0,
            u64::from(packet.seq) << 24 ^ u64::from(place.0),
        );
        if flow.outside {
            self.exits.push(Exit {
                at: now,
                flow: packet.flow,
                tag: packet.seq,
                fate: Fate::Dropped(cause),
            });
        }
        if self.record.is_some() {
            self.note(What::Drop, now, place, packet_id, cause as u64);
        }
        self.packets.free(packet_id);
    }
}

impl Port {
    /// Whether a class queue has room for a frame.
    #[inline(always)]
    pub(super) fn has_room(&self, q: usize, size: u64) -> bool {
        let queue = self.queue(q);
        match self.buffer {
            Limit::Unlimited => true,
            Limit::Bytes(limit) => queue.bytes + size <= limit.0,
            Limit::Packets(limit) => queue.packets < limit,
        }
    }

    /// Ticks for which the port sent no data although frames waited.
    pub(super) fn stall_clock(&self, now: Time) -> u64 {
        self.stall
            + if self.is(Traits::STALLED) {
                now.0 - self.stall_from.0
            } else {
                0
            }
    }

    pub(super) fn end_stall(&mut self, at: Time) {
        self.set(Traits::STALLED, false);
        self.stall += at.0 - self.stall_from.0;
        self.stall_end = at;
    }

    /// The class queue that sends next, where nothing is held back.
    #[inline]
    pub(super) fn pick(&mut self, packets: &Packets) -> usize {
        let held = self.held;
        if held.is_power_of_two() {
            return held.trailing_zeros() as usize;
        }
        self.pick_class(packets)
    }

    fn pick_class(&mut self, packets: &Packets) -> usize {
        let held = self.held;
        let heads: [PacketId; MAX_CLASSES] = std::array::from_fn(|q| match self.queues().get(q) {
            Some(queue) => queue.list.head(),
            None => Id::NONE,
        });
        self.scheduler
            .pick(held, held, |q| packets[heads[q]].frame())
    }

    /// Makes the next choice due now, if the port stands idle.
    #[inline]
    pub(super) fn retry(&mut self, now: Time) {
        if self.next_try == Time::NEVER || self.is(Traits::STALLED) {
            self.next_try = now.max(self.free_at());
        }
    }
}
