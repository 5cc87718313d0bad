//! Frames at an egress port: which one leaves next, and how it gets onto the wire.

use backwater_transport::units::{Bytes, Time};

use super::{Network, Port, Traits};
use crate::calendar::Calendar;
use crate::event::Event;
use crate::forwarding::Forwarding;
use crate::ids::{FlowId, PacketId, PortId};
use crate::limit::MAX_CLASSES;
use crate::medium::ethernet::{GAP, PREAMBLE};
use crate::packet::{Packet, Packets};
use crate::queue::Scheduler;
use crate::record::What;
use crate::run::Run;
use crate::table::Id;

/// The next frame to leave a port.
pub(crate) enum Choice {
    /// Sends the frame after `before` in this class queue.
    Frame { queue: usize, before: PacketId },
    /// None before then.
    Held(Time),
}

impl Network {
    /// Every waiting frame is held back until then.
    pub(crate) fn stall(
        &mut self,
        calendar: &mut Calendar,
        id: PortId,
        at: Time,
        until: Time,
        now: Time,
    ) {
        let port = &mut self.ports[id];
        if !port.is(Traits::STALLED) {
            port.set(Traits::STALLED | Traits::EVER_STALLED, true);
            port.stall_from = at;
        }
        let more = &mut port.more;
        port.next_try = until;
        if until > now && until < Time::NEVER && (more.armed <= at || until < more.armed) {
            more.armed = until;
            calendar.push(until, Event::Wake(id));
        }
    }

    /// The frame that leaves at `at` where gates hold some back.
    pub(crate) fn find(&mut self, id: PortId, at: Time) -> Choice {
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

    /// A frame starts at a port that has stalled, now or before: says how long that was while it waited.
    pub(crate) fn charge_stall(&mut self, id: PortId, packet_id: PacketId, at: Time) {
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

    /// A frame starts after its port stood idle with it waiting: counts it if the queue for which it was stopped last is
    /// not on its path, or if it waited behind others alone.
    fn count_victim(&mut self, id: PortId, packet_id: PacketId) {
        let port = &self.ports[id];
        if port.far_row == u32::MAX {
            return;
        }
        let packet = &self.packets[packet_id];
        let (flow, egress) = (
            packet.flow,
            self.plan.forwarding.egress(
                port.far_row,
                self.labels.flow(packet_id, packet.flow),
                packet.to,
            ),
        );
        let gates = port.gates.as_ref().expect("a port that stalls has gates");
        let origin = gates.origins.of(packet.class(), packet.to);
        let forwarding = &self.plan.forwarding;
        let culprit = |(origin, classes): (PortId, u8)| {
            classes >> packet.class() & 1 == 1 && forwarding.may_take(egress, origin)
        };
        if !origin.is_some_and(culprit) {
            self.ports[id].more.sent.victims += 1;
            self.flows[flow].stats.victims += 1;
        }
    }

    /// A frame joins its class queue.
    #[inline(always)]
    pub(crate) fn join(&mut self, id: PortId, packet_id: PacketId, q: usize, now: Time) {
        let port = &mut self.ports[id];
        let packet = &mut self.packets[packet_id];
        let mut held_back = false;
        if port.is(Traits::EVER_STALLED) {
            packet.gated = packet.gated.wrapping_sub(port.stall_clock(now));
            if port.is(Traits::STALLED) {
                let gates = port.gates.as_ref().expect("a port that stalls has gates");
                held_back = gates.opens(packet.class(), packet.to, now) > now;
            }
        }
        let size = packet.frame();
        let list = port.hold(q, size);
        self.packets.append(list, packet_id);
        port.waiting += 1;
        port.held |= 1 << q;
        // A frame that is held back itself changes nothing for those before it.
        if !held_back {
            port.retry(now);
        }
    }

    /// Begins to send a data frame that waits in its queue; see `transmit`.
    #[inline(always)]
    pub(crate) fn start(
        &mut self,
        run: &mut Run,
        id: PortId,
        q: usize,
        before: PacketId,
        at: Time,
    ) -> bool {
        let mut port = &mut self.ports[id];
        let queue = port.queue_mut(q);
        let packet_id = self.packets.take_after(&mut queue.list, before);
        let last = queue.list.is_empty();
        port.held &= !(u8::from(last) << q);
        port.waiting -= 1;
        if port.is(Traits::EVER_STALLED) {
            self.charge_stall(id, packet_id, at);
            port = &mut self.ports[id];
        }
        if port.shut_until > at
            && let Some(gates) = &mut port.gates
        {
            let packet = &self.packets[packet_id];
            let begin = at.max(port.gap_until);
            // A rate is a share of what the line carries, and a line carries preambles and gaps too.
            let around = match port.more.service.server() {
                None => PREAMBLE + GAP,
                Some(_) => 0,
            };
            let size = Bytes(packet.frame() + around);
            gates.charge(packet.class(), packet.to, size, begin);
        }
        self.transmit(run, id, packet_id, at)
    }

    /// Sends a frame that is in no list and counts as held by its class queue. True where its end may need an event:
    /// see `Mechanisms::wake_at_departure`.
    #[inline(always)]
    pub(crate) fn transmit(
        &mut self,
        run: &mut Run,
        id: PortId,
        packet_id: PacketId,
        at: Time,
    ) -> bool {
        let port = &mut self.ports[id];
        let packet = &mut self.packets[packet_id];
        // At a port that lags a frame may have come after the choice was due.
        let begin = at.max(packet.at).max(port.gap_until);
        let size = packet.frame();
        let duration = port.frame_time(size);
        let waited = begin.0 - packet.at.0;
        packet.waited += waited;
        packet.serial += duration;
        port.next_try = Time(begin.0 + duration);
        port.gap_until = Time(port.next_try.0 + port.gap_time());
        port.sending = size as u32;
        port.sending_class = packet.class();
        port.sending_entry = packet.entry;
        port.count_sent(size, waited + duration);
        let flow = self.labels.flow(packet_id, packet.flow);
        port.set_next_hop(&self.plan.forwarding, flow, packet);
        let wakeful = port.is(Traits::WAKEFUL);
        if port.is(Traits::NOTED_DEPARTURES) {
            self.note_departure(run, id, packet_id, at, begin);
            self.launch(&mut run.calendar, id, packet_id);
        } else {
            port.launch(&mut self.packets, &mut run.calendar, id, packet_id);
        }
        wakeful
    }

    /// The transmission of a frame, chosen at the first instant, begins at the second: laws of explicit feedback,
    /// the record, notices that wait for a data frame, and saturated flows are told.
    #[inline(never)]
    fn note_departure(
        &mut self,
        run: &mut Run,
        id: PortId,
        packet_id: PacketId,
        at: Time,
        begin: Time,
    ) {
        if self.ports[id].is(Traits::TIMED) {
            self.ports[id].more.came = self.packets[packet_id].at;
        }
        if self.ports[id].is(Traits::STAMPED) {
            self.stamp_departure(&mut run.books, id, packet_id, at);
        }
        if run.books.record.is_some() {
            self.note(
                &mut run.books,
                packet_id,
                What::Send.noted(begin, id, begin.0 - self.packets[packet_id].at.0),
            );
        }
        if self.ports[id].is(Traits::CARRIES) {
            self.carry_notices(run, id, packet_id, begin);
        }
        if self.ports[id].is(Traits::REFILLED) {
            self.left_queue(id, packet_id);
        }
    }

    /// Puts a frame whose transmission has begun, and ends at `next_try`, on the wire.
    #[inline(always)]
    pub(crate) fn launch(&mut self, calendar: &mut Calendar, id: PortId, packet_id: PacketId) {
        let port = &mut self.ports[id];
        if port.is(Traits::SHORTENED) {
            let arrives = port.arrival_of(port.next_try);
            return port.launch_until(arrives, &mut self.packets, calendar, id, packet_id);
        }
        port.launch(&mut self.packets, calendar, id, packet_id);
    }
}

impl Network {
    /// Frames on wires go on at the far end as the tables say now.
    pub(crate) fn forward_anew(&mut self) {
        for id in self.ports.ids() {
            let port = &self.ports[id];
            if self.plan.boxes.contains_key(&id) {
                continue;
            }
            let mut at = port.wire.head();
            while !at.is_none() {
                let packet = &mut self.packets[at];
                if !packet.flow.is_none() {
                    let flow = self.labels.flow(at, packet.flow);
                    port.set_next_hop(&self.plan.forwarding, flow, packet);
                }
                at = packet.next;
            }
        }
    }
}

impl Port {
    #[inline(always)]
    fn launch(
        &mut self,
        packets: &mut Packets,
        calendar: &mut Calendar,
        id: PortId,
        packet_id: PacketId,
    ) {
        self.launch_until(self.next_try + self.delay, packets, calendar, id, packet_id);
    }

    /// The same for a frame that reaches the far end at an instant.
    #[inline(always)]
    fn launch_until(
        &mut self,
        arrives: Time,
        packets: &mut Packets,
        calendar: &mut Calendar,
        id: PortId,
        packet_id: PacketId,
    ) {
        let first = self.wire.is_empty();
        packets.append_due(&mut self.wire, packet_id, arrives);
        if first {
            calendar.push(arrives, Event::Arrive(id));
        }
    }

    /// When what leaves at an instant reaches the far end. Where the wire became shorter it does not overtake what left before.
    pub(crate) fn arrival_of(&mut self, leaves: Time) -> Time {
        let arrives = leaves.after(self.delay);
        if self.is(Traits::SHORTENED) {
            if arrives < self.more.overtakes {
                return self.more.overtakes;
            }
            self.set(Traits::SHORTENED, false);
        }
        arrives
    }

    /// Notes with a packet that leaves this port the egress port it goes to at the far end, and through which it
    /// comes in there. To write that when it arrives would delay the reads of the memory beside it.
    #[inline(always)]
    pub(crate) fn set_next_hop(&self, forwarding: &Forwarding, flow: FlowId, packet: &mut Packet) {
        packet.entry = self.far_entry;
        packet.ingress = match self.far_row {
            u32::MAX => Id::NONE,
            row => forwarding.egress(row, flow, packet.to),
        };
    }
}
