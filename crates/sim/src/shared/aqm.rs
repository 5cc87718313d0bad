//! Active queue management at work: it judges frames before they join a port's queue and when they
//! are chosen to leave. Its ports take the slow way: they are watched, and count as shut.
//!
//! A frame that belongs to a queue of the algorithm's own passes through the class queue's list, so
//! that everything else deals with class queues only.

use backwater_transport::units::Time;

use super::{Onward, Shared};
use crate::cause::Cause;
use crate::ids::{PacketId, PortId};
use crate::network::Traits;
use crate::network::transmit::Choice;
use crate::network::views::Gone;
use crate::queue::aqm::{Aqm, Verdict};
use crate::table::Id;

impl Shared {
    /// A frame does not fit: one that waits gives way and it tries again, or it is lost.
    #[cold]
    pub(super) fn overflow(
        &mut self,
        id: PortId,
        packet_id: PacketId,
        q: usize,
        now: Time,
    ) -> Onward {
        if self.run.books.spares(&self.network.packets[packet_id]) {
            return self.enqueue_for_its_turn(id, packet_id, now);
        }
        if self.network.trim(id, packet_id) {
            return self.enqueue(id, packet_id, now);
        }
        let victim = match self.network.ports[id].more.managed {
            None => None,
            Some(_) => self.network.victim(id, packet_id, q, now),
        };
        let Some(queue) = victim else {
            self.refuse_arrival(id, packet_id, q, Cause::BufferFull, now);
            return Onward::Done;
        };
        self.lose_waiting_at(id, queue, Id::NONE, Cause::BufferFull, now);
        self.enqueue(id, packet_id, now)
    }

    /// Makes the choice that is due.
    #[inline(never)]
    pub(super) fn choose_judged(&mut self, id: PortId, at: Time, now: Time) {
        match self.judge_next(id, at) {
            Some(Choice::Frame { queue, before }) => {
                self.start(id, queue, before, at);
                self.discard_behind(id, queue, at);
            }
            Some(Choice::Held(until)) => {
                self.network
                    .stall(&mut self.run.calendar, id, at, until, now)
            }
            None => {}
        }
    }

    /// The frame that leaves at `at`: asks frame by frame until one may go. None where none is left, or
    /// where the choice was made on the way.
    pub(crate) fn judge_next(&mut self, id: PortId, at: Time) -> Option<Choice> {
        loop {
            self.network.update_aqm(id, at);
            let (own, choice) = self.network.candidate(id, at);
            let Choice::Frame { queue, before } = choice else {
                return Some(choice);
            };
            let packet_id = if before.is_none() {
                self.network.ports[id].queue(queue).list.head()
            } else {
                self.network.packets[before].next
            };
            let mut frame = self.network.frame(id, packet_id, queue, at);
            let managed = self.network.ports[id]
                .more
                .managed
                .as_mut()
                .expect("a managed port");
            if let Some(own) = own {
                let left = &managed.queues[own];
                (frame.queue, frame.bytes, frame.packets) = (own, left.bytes, left.packets.into());
            } else {
                frame.bytes -= frame.size;
                frame.packets -= 1;
            }
            match managed.aqm.pop(&frame) {
                // Notices answer frames that arrive.
                Verdict::Accept | Verdict::Notify(_) => return Some(choice),
                Verdict::Mark => {
                    self.network.mark(&mut self.run.books, packet_id, id, at);
                    return Some(choice);
                }
                Verdict::Drop if self.run.books.spares(&self.network.packets[packet_id]) => {
                    return Some(choice);
                }
                Verdict::Drop => self.lose_waiting_at(id, queue, before, Cause::Aqm, at),
            }
            let port = &mut self.network.ports[id];
            if port.next_try != at {
                // A detector that was relieved has had the choice made.
                return None;
            }
            if port.waiting == 0 {
                port.next_try = Time::NEVER;
                return None;
            }
        }
    }

    /// Loses what the algorithm wants lost behind a frame that has just left a class queue.
    pub(crate) fn discard_behind(&mut self, id: PortId, q: usize, at: Time) {
        loop {
            let port = &self.network.ports[id];
            let managed = port.more.managed.as_ref().expect("a managed port");
            let head = port.queues()[q].list.head();
            if head.is_none() || !managed.aqm.takes_next() {
                return;
            }
            let mut frame = self.network.frame(id, head, q, at);
            frame.bytes -= frame.size;
            frame.packets -= 1;
            let managed = self.network.ports[id]
                .more
                .managed
                .as_mut()
                .expect("asked above");
            let verdict = managed.aqm.pop(&frame);
            debug_assert_eq!(verdict, Verdict::Drop, "what is taken is lost");
            self.lose_waiting_at(id, q, Id::NONE, Cause::Aqm, at);
        }
    }

    /// Loses a frame that waits in a class queue behind `before`.
    pub(super) fn lose_waiting_at(
        &mut self,
        id: PortId,
        q: usize,
        before: PacketId,
        cause: Cause,
        at: Time,
    ) {
        if self.network.ports[id].is(Traits::STAMPED) {
            self.network.stamp_backlog(id, at);
        }
        let port = &mut self.network.ports[id];
        let queue = port.queue_mut(q);
        let packet_id = self.network.packets.take_after(&mut queue.list, before);
        let packet = &self.network.packets[packet_id];
        let size = packet.frame();
        if queue.list.is_empty() {
            port.held &= !(1 << q);
        }
        port.waiting -= 1;
        port.lose_waiting(q, size, at.0 - packet.at.0);
        if port.is(Traits::STALLED) {
            // The frames behind it may leave.
            port.retry(at);
            if port.waiting == 0 {
                port.end_stall(at);
            }
        }
        let gone = Gone {
            queue: q,
            size,
            class: packet.class(),
            entry: packet.entry,
            lost: Some(packet.at),
        };
        let service = &mut self.network.ports[id].more.service;
        service.discarded(cause, &self.network.packets[packet_id], at);
        self.network
            .lose(&mut self.run.books, packet_id, cause, id, at);
        self.observe_departure(id, &gone, at);
    }
}
