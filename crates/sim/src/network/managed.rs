//! Active queue management at a port: what it sees of the frames there, and the queues of its own.

use backwater_transport::units::{Span, Time};

use super::Network;
use super::transmit::Choice;
use crate::books::Books;
use crate::ids::{PacketId, PortId};
use crate::queue::aqm::{Aqm, Frame, Parties, Verdict, Waiting};
use crate::table::Id;

impl Network {
    /// The class queue whose head gives way to a frame.
    pub(crate) fn victim(
        &mut self,
        id: PortId,
        packet_id: PacketId,
        q: usize,
        now: Time,
    ) -> Option<usize> {
        self.update_aqm(id, now);
        let arriving = self.frame(id, packet_id, q, now);
        let port = &self.ports[id];
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
    pub(crate) fn admit(
        &mut self,
        books: &mut Books,
        id: PortId,
        packet_id: PacketId,
        q: usize,
        now: Time,
    ) -> bool {
        let port = &mut self.ports[id];
        let idle = port.waiting == 0 && port.next_try == Time::NEVER;
        let Some(managed) = &mut port.more.managed else {
            return true;
        };
        if idle {
            // The choice after the last departure found nothing.
            managed.aqm.emptied(now);
        }
        self.update_aqm(id, now);
        let frame = self.frame(id, packet_id, q, now);
        let managed = self.ports[id].more.managed.as_mut().expect("asked above");
        match managed.aqm.push(&frame, &mut managed.random) {
            Verdict::Accept => {}
            Verdict::Mark => self.mark(books, packet_id, id, now),
            Verdict::Drop => return books.spares(&self.packets[packet_id]),
            Verdict::Notify(feedback) => self.tell_source(id, packet_id, feedback),
        }
        true
    }

    /// Queue management is told of a frame that finds no room; `judged` says that it has admitted the frame before.
    pub(crate) fn tell_overflow(
        &mut self,
        id: PortId,
        packet_id: PacketId,
        q: usize,
        judged: bool,
        now: Time,
    ) {
        if self.ports[id].more.managed.is_none() {
            return;
        }
        self.update_aqm(id, now);
        let frame = self.frame(id, packet_id, q, now);
        let (managed, _) = self.ports[id].managed();
        managed.aqm.refused(&frame, judged, &mut managed.random);
    }

    /// A frame that has just joined the class queue goes on to the queue it belongs to.
    pub(crate) fn sort(&mut self, id: PortId, packet_id: PacketId) {
        if !self.ports[id].chooses_itself() {
            return;
        }
        let parties = self.parties(packet_id);
        let port = &mut self.ports[id];
        let passed = &mut port.queue_mut(0).list;
        let staged = self.packets.take_after(passed, Id::NONE);
        debug_assert_eq!(staged, packet_id, "the class queue only passes frames on");
        let managed = port.more.managed.as_mut().expect("a managed port");
        let own = managed.aqm.classify(&parties);
        let queue = &mut managed.queues[own];
        self.packets.append(&mut queue.list, packet_id);
        queue.bytes += self.packets[packet_id].frame();
        queue.packets += 1;
    }

    /// The head of a queue of the algorithm's own goes back to the class queue, to leave.
    fn stage(&mut self, id: PortId, own: usize) {
        let port = &mut self.ports[id];
        let managed = port.more.managed.as_mut().expect("a managed port");
        let queue = &mut managed.queues[own];
        let packet_id = self.packets.take_after(&mut queue.list, Id::NONE);
        queue.bytes -= self.packets[packet_id].frame();
        queue.packets -= 1;
        self.packets.append(&mut port.queue_mut(0).list, packet_id);
    }

    /// Lets the head of a queue of the algorithm's own go back to the class queue. Whether there was one.
    pub(crate) fn move_head_to_class(&mut self, id: PortId, own: usize) -> bool {
        let managed = self.ports[id].more.managed.as_ref();
        let waits = managed.is_some_and(|m| !m.queues[own].list.is_empty());
        if waits {
            self.stage(id, own);
        }
        waits
    }

    /// The frame whose turn it is, and its queue among the algorithm's own.
    pub(crate) fn candidate(&mut self, id: PortId, at: Time) -> (Option<usize>, Choice) {
        let port = &mut self.ports[id];
        let managed = port.more.managed.as_mut().expect("a managed port");
        if managed.queues.is_empty() {
            if port.gates.is_some() {
                return (None, self.find(id, at));
            }
            let queue = port.pick(&self.packets);
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

    /// Lets the algorithm's timer catch up.
    pub(crate) fn update_aqm(&mut self, id: PortId, now: Time) {
        let port = &mut self.ports[id];
        let sending = u64::from(port.sending);
        let (managed, queues) = port.managed();
        let own = !managed.queues.is_empty();
        let waiting = Waiting {
            queues: if own { &managed.queues } else { queues },
            packets: &self.packets,
            sending: if own { 0 } else { sending },
        };
        managed.aqm.update(now, &waiting);
    }

    /// A frame beside what waits in its queue: itself included if it is in.
    pub(crate) fn frame(&mut self, id: PortId, packet_id: PacketId, q: usize, now: Time) -> Frame {
        let parties = self.parties(packet_id);
        let packet = &self.packets[packet_id];
        let port = &mut self.ports[id];
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
            packets: u64::from(held.packets) - u64::from(leaving),
        }
    }

    fn parties(&self, packet_id: PacketId) -> Parties {
        let packet = &self.packets[packet_id];
        Parties {
            flow: self.labels.flow(packet_id, packet.flow).0,
            from: self.flows[packet.flow].from.0,
            to: packet.to,
            ecn: packet.traffic.ecn(),
        }
    }
}
