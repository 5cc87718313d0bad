//! Frames that are sent ahead. At a port with one queue, first in, first out, that nothing but its buffer limits and
//! nobody watches, all that will become of a frame is known when it joins: it begins when the frame before it and the gap
//! are over. So it goes to the wire's list at once, with the instant of its arrival. The queue counts it as held until it has
//! left; `ClassQueue::ahead` is the first such frame, and those behind it are held as well.
//!
//! A port begins to send ahead when it is idle, and goes on until all its frames have left. Meanwhile `next_try` is the
//! beginning of time, so that whoever catches up with the port, to read or to change it, takes back what has not been chosen
//! by then: those frames wait in the queue again, as if each had been left to its turn. Only the next hop, which nobody
//! reads before the choice, stays written.

use backwater_transport::units::Time;

use super::{Network, Port, Traits};
use crate::event::Event;
use crate::ids::{PacketId, PortId};
use crate::packet::{Packet, Packets};
use crate::run::Run;
use crate::table::Id;

/// No frame that would begin later is sent ahead: the instants of the frames behind it might not fit.
const LATEST: Time = Time(u64::MAX / 2);

impl Port {
    /// Whether frames were sent ahead that may not have left.
    #[inline(always)]
    pub(crate) fn sends_ahead(&self) -> bool {
        !self.queue.ahead.is_none()
    }

    /// Whether a frame that joins now may be sent ahead.
    #[inline(always)]
    pub(crate) fn may_send_ahead(&self, now: Time) -> bool {
        let idle = self.next_try == Time::NEVER && self.shut_until <= now;
        !self.is(Traits::NOT_AHEAD) && (idle || self.sends_ahead()) && self.gap_until <= LATEST
    }

    /// The first frame that is held is so no longer, and the one behind it is the first.
    #[inline(always)]
    fn release_first(&mut self, packet: &Packet) {
        self.queue.bytes -= packet.frame();
        self.queue.packets -= 1;
        self.queue.ahead = packet.next;
        if packet.next.is_none() {
            self.next_try = Time::NEVER;
        }
    }

    /// Lets go of frames that have left by now.
    #[inline]
    fn release_sent(&mut self, packets: &Packets, now: Time) {
        let arrives = now + self.delay;
        while self.sends_ahead() {
            let packet = &packets[self.queue.ahead];
            if packet.at > arrives {
                return;
            }
            self.release_first(packet);
        }
    }

    /// A frame that was counted as sent, held here for so many ticks, is not.
    fn uncount_sent(&mut self, size: u64, held: u64) {
        self.sent_packets -= 1;
        self.sent_bytes -= size;
        let sent = &mut self.more.sent;
        sent.area += u128::from(std::mem::take(&mut self.area));
        sent.area -= u128::from(size) * u128::from(held);
    }

    /// A frame that reaches the far end has left.
    #[inline(always)]
    pub(crate) fn release_arrived(&mut self, packet_id: PacketId, packet: &Packet) {
        if self.queue.ahead == packet_id {
            self.release_first(packet);
        }
    }
}

impl Network {
    /// Sends a frame ahead; false where there is no room for it.
    #[inline(always)]
    pub(crate) fn send_ahead(
        &mut self,
        run: &mut Run,
        id: PortId,
        packet_id: PacketId,
        now: Time,
    ) -> bool {
        let port = &mut self.ports[id];
        let size = self.packets[packet_id].frame();
        // Frames that have left since may be counted in: no more than the record is surely none.
        if port.queue.bytes + size > port.max_bytes || !port.has_room_in(&port.queue, size) {
            port.release_sent(&self.packets, now);
            if !port.has_room_in(&port.queue, size) {
                return false;
            }
            port.max_bytes = port.max_bytes.max(port.queue.bytes + size);
        }
        let begin = now.max(port.gap_until);
        let duration = port.frame_time(size);
        let end = Time(begin.0 + duration);
        port.gap_until = Time(end.0 + port.gap_time());
        port.queue.hold(size);
        port.count_sent(size, end.0 - now.0);
        let packet = &mut self.packets[packet_id];
        packet.waited += begin.0 - now.0;
        packet.serial += duration;
        let flow = self.labels.flow(packet_id, packet.flow);
        port.set_next_hop(&self.plan.forwarding, flow, packet);
        let arrives = end + port.delay;
        packet.at = arrives;
        packet.next = Id::NONE;
        self.packets.note_joining(packet_id, now);
        let first = self.packets.append_cut(&mut port.wire, packet_id);
        if !port.sends_ahead() {
            port.queue.ahead = packet_id;
            port.next_try = Time::ZERO;
        }
        if first {
            run.calendar.push(arrives, Event::Arrive(id));
        }
        true
    }

    /// Lets go of frames of a port that have left by now.
    pub(crate) fn release_sent(&mut self, id: PortId, now: Time) {
        self.ports[id].release_sent(&self.packets, now);
    }

    /// Takes back the frames that were sent ahead and have not been chosen by now.
    pub(crate) fn take_back(&mut self, id: PortId, now: Time) {
        let (port, packets) = (&mut self.ports[id], &mut self.packets);
        port.release_sent(packets, now);
        if !port.sends_ahead() {
            return;
        }
        let first = std::mem::replace(&mut port.queue.ahead, Id::NONE);
        let packet = &packets[first];
        port.sending = packet.frame() as u32;
        port.sending_class = packet.class();
        port.sending_entry = 0;
        port.next_try = Time(packet.at.0 - port.delay.0);
        port.gap_until = Time(port.next_try.0 + port.gap_time());
        port.queue.list = packets.cut_behind(&mut port.wire, first);
        let mut next = port.queue.list.head();
        while !next.is_none() {
            let joined = packets.joined(next);
            let packet = &mut packets[next];
            let (size, end) = (packet.frame(), packet.at.0 - port.delay.0);
            let duration = port.frame_time(size);
            packet.serial -= duration;
            packet.waited -= end - duration - joined.0;
            packet.at = joined;
            next = packet.next;
            port.uncount_sent(size, end - joined.0);
            port.waiting += 1;
            port.held = 1;
        }
    }
}
