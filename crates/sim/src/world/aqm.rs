//! Active queue management at work: it judges frames before they join a port's queue and when they
//! are chosen to leave. Its ports take the slow way: they are watched, and count as shut.
//!
//! A frame that belongs to a queue of the algorithm's own passes through the class queue's list, so
//! that everything else deals with class queues only.

use backwater_transport::units::{Span, Time};

use super::World;
use super::accounts::Gone;
use super::forward::Choice;
use crate::cause::Cause;
use crate::ids::{PacketId, PortId};
use crate::network::Traits;
use crate::queue::aqm::{Aqm, Frame, Parties, Verdict, Waiting};
use crate::table::Id;

impl World {
    /// A frame does not fit: one that waits gives way and it tries again, or it is lost.
    #[cold]
    pub(super) fn overflow(&mut self, id: PortId, packet_id: PacketId, q: usize, now: Time) {
        let victim = match self.network.ports[id].more.managed {
            None => None,
            Some(_) => self.victim(id, packet_id, q, now),
        };
        let Some(queue) = victim else {
            return self.turn_away(id, packet_id, q, Cause::BufferFull, now);
        };
        self.discard(id, queue, Id::NONE, Cause::BufferFull, now);
        self.enqueue(id, packet_id, now);
    }

    /// The class queue whose head gives way to a frame.
    fn victim(&mut self, id: PortId, packet_id: PacketId, q: usize, now: Time) -> Option<usize> {
        self.update_aqm(id, now);
        let arriving = self.frame(id, packet_id, q, now);
        let port = &self.network.ports[id];
        let managed = port.more.managed.as_ref().expect("a managed port");
        if managed.queues.is_empty() {
            return managed.aqm.victim(&arriving, port.queues());
        }
        let own = managed.aqm.victim(&arriving, &managed.queues)?;
        self.stage(id, own);
        Some(0)
    }

    /// Whether a frame may join a managed port; marks it where it is told to.
    #[inline(never)]
    pub(super) fn admit(&mut self, id: PortId, packet_id: PacketId, q: usize, now: Time) -> bool {
        let port = &mut self.network.ports[id];
        let idle = port.waiting == 0 && port.next_try == Time::NEVER;
        let Some(managed) = &mut port.more.managed else {
            return true;
        };
        if idle {
            // The choice after the last departure found nothing.
            managed.aqm.emptied();
        }
        self.update_aqm(id, now);
        let frame = self.frame(id, packet_id, q, now);
        let managed = self.network.ports[id]
            .more
            .managed
            .as_mut()
            .expect("asked above");
        match managed.aqm.push(&frame, &mut managed.random) {
            Verdict::Accept => {}
            Verdict::Mark => self.mark(packet_id, id, now),
            Verdict::Drop => return false,
        }
        true
    }

    /// A frame that has just joined the class queue goes on to the queue it belongs to.
    pub(super) fn sort(&mut self, id: PortId, packet_id: PacketId) {
        let parties = self.parties(packet_id);
        let port = &mut self.network.ports[id];
        if !port.chooses_itself() {
            return;
        }
        let passed = &mut port.queue_mut(0).list;
        let staged = self.network.packets.take_after(passed, Id::NONE);
        debug_assert_eq!(staged, packet_id, "the class queue only passes frames on");
        let managed = port.more.managed.as_mut().expect("a managed port");
        let own = managed.aqm.classify(&parties);
        let queue = &mut managed.queues[own];
        self.network.packets.append(&mut queue.list, packet_id);
        queue.bytes += self.network.packets[packet_id].frame();
        queue.packets += 1;
    }

    /// The head of a queue of the algorithm's own goes back to the class queue, to leave.
    fn stage(&mut self, id: PortId, own: usize) {
        let port = &mut self.network.ports[id];
        let managed = port.more.managed.as_mut().expect("a managed port");
        let queue = &mut managed.queues[own];
        let packet_id = self.network.packets.take_after(&mut queue.list, Id::NONE);
        queue.bytes -= self.network.packets[packet_id].frame();
        queue.packets -= 1;
        self.network
            .packets
            .append(&mut port.queue_mut(0).list, packet_id);
    }

    /// Makes the choice that is due.
    #[inline(never)]
    pub(super) fn choose_judged(&mut self, id: PortId, at: Time, now: Time) {
        match self.judge_next(id, at) {
            Some(Choice::Frame { queue, before }) => {
                self.start(id, queue, before, at);
                self.cull(id, queue, at);
            }
            Some(Choice::Held(until)) => self.stall(id, at, until, now),
            None => {}
        }
    }

    /// The frame that leaves at `at`: asks frame by frame until one may go. None where none is left, or
    /// where the choice was made on the way.
    pub(super) fn judge_next(&mut self, id: PortId, at: Time) -> Option<Choice> {
        loop {
            self.update_aqm(id, at);
            let (own, choice) = self.candidate(id, at);
            let Choice::Frame { queue, before } = choice else {
                return Some(choice);
            };
            let packet_id = if before.is_none() {
                self.network.ports[id].queue(queue).list.head()
            } else {
                self.network.packets[before].next
            };
            let mut frame = self.frame(id, packet_id, queue, at);
            let managed = self.network.ports[id]
                .more
                .managed
                .as_mut()
                .expect("a managed port");
            if let Some(own) = own {
                let left = &managed.queues[own];
                (frame.queue, frame.bytes, frame.packets) = (own, left.bytes, left.packets);
            } else {
                frame.bytes -= frame.size;
                frame.packets -= 1;
            }
            match managed.aqm.pop(&frame) {
                Verdict::Accept => return Some(choice),
                Verdict::Mark => {
                    self.mark(packet_id, id, at);
                    return Some(choice);
                }
                Verdict::Drop => self.discard(id, queue, before, Cause::Aqm, at),
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
    pub(super) fn cull(&mut self, id: PortId, q: usize, at: Time) {
        loop {
            let port = &self.network.ports[id];
            let managed = port.more.managed.as_ref().expect("a managed port");
            let head = port.queues()[q].list.head();
            if head.is_none() || !managed.aqm.takes_next() {
                return;
            }
            let mut frame = self.frame(id, head, q, at);
            frame.bytes -= frame.size;
            frame.packets -= 1;
            let managed = self.network.ports[id]
                .more
                .managed
                .as_mut()
                .expect("asked above");
            let verdict = managed.aqm.pop(&frame);
            debug_assert_eq!(verdict, Verdict::Drop, "what is taken is lost");
            self.discard(id, q, Id::NONE, Cause::Aqm, at);
        }
    }

    /// The frame whose turn it is, and its queue among the algorithm's own.
    fn candidate(&mut self, id: PortId, at: Time) -> (Option<usize>, Choice) {
        let port = &mut self.network.ports[id];
        let managed = port.more.managed.as_mut().expect("a managed port");
        if managed.queues.is_empty() {
            if port.gates.is_some() {
                return (None, self.find(id, at));
            }
            let queue = port.pick(&self.network.packets);
            let before = Id::NONE;
            return (None, Choice::Frame { queue, before });
        }
        // Only notices for the whole port can reach it, so any class speaks for all.
        let opens = port.gates.as_ref().map_or(at, |g| g.opens(0, 0, at));
        if opens > at {
            return (None, Choice::Held(opens));
        }
        let own = managed.aqm.choose(&managed.queues);
        self.stage(id, own);
        let (queue, before) = (0, Id::NONE);
        (Some(own), Choice::Frame { queue, before })
    }

    /// Loses a frame that waits in a class queue behind `before`.
    fn discard(&mut self, id: PortId, q: usize, before: PacketId, cause: Cause, at: Time) {
        let port = &mut self.network.ports[id];
        let queue = port.queue_mut(q);
        let packet_id = self.network.packets.take_after(&mut queue.list, before);
        let packet = &self.network.packets[packet_id];
        let size = packet.frame();
        queue.bytes -= size;
        queue.packets -= 1;
        if queue.list.is_empty() {
            port.held &= !(1 << q);
        }
        port.waiting -= 1;
        port.count_area(size, at.0 - packet.at.0);
        if port.is(Traits::STALLED) {
            // What stood behind it may go.
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
            lost: true,
        };
        self.lose(packet_id, cause, id, at);
        self.look_at_departure(id, &gone, at);
    }

    /// Lets the algorithm's timer catch up.
    fn update_aqm(&mut self, id: PortId, now: Time) {
        let port = &mut self.network.ports[id];
        let sending = u64::from(port.sending);
        let (managed, queues) = port.managed();
        let own = !managed.queues.is_empty();
        let waiting = Waiting {
            queues: if own { &managed.queues } else { queues },
            packets: &self.network.packets,
            sending: if own { 0 } else { sending },
        };
        managed.aqm.update(now, &waiting);
    }

    /// A frame beside what waits in its queue: itself included if it is in.
    fn frame(&mut self, id: PortId, packet_id: PacketId, q: usize, now: Time) -> Frame {
        let parties = self.parties(packet_id);
        let packet = &self.network.packets[packet_id];
        let port = &mut self.network.ports[id];
        let sending = u64::from(port.sending);
        let of_queue = port.queue_of(port.sending_class) == q;
        let (managed, queues) = port.managed();
        let (queue, held) = if managed.queues.is_empty() {
            (q, &queues[q])
        } else {
            let own = managed.aqm.classify(&parties);
            (own, &managed.queues[own])
        };
        let leaving = managed.queues.is_empty() && sending > 0 && of_queue;
        Frame {
            now,
            queue,
            size: packet.frame(),
            ecn: packet.traffic.ecn(),
            sojourn: Span(now.0 - packet.at.0),
            bytes: held.bytes - if leaving { sending } else { 0 },
            packets: held.packets - u64::from(leaving),
        }
    }

    fn parties(&self, packet_id: PacketId) -> Parties {
        let packet = &self.network.packets[packet_id];
        Parties {
            flow: packet.flow.0,
            from: self.network.flows[packet.flow].from.0,
            to: packet.to,
            ecn: packet.traffic.ecn(),
        }
    }
}
