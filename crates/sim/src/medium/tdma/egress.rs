//! Frames that wait at a port and are pulled from it, as a slot needs them. Such a port never transmits at once: `shut_until` is
//! `NEVER` for it, and it has no choice of its own to make (`Service::next_choice`).

use backwater_transport::units::Time;

use crate::ids::{PacketId, PortId};
use crate::network::Traits;
use crate::network::transmit::Choice;
use crate::network::views::Gone;
use crate::record::What;
use crate::shared::Shared;
use crate::table::Id;

impl Shared {
    /// Takes the next frame from the queue of a port for a medium that sends it: which one, says the scheduler or queue management.
    /// Its class queue counts it until `send_pulled`. None where none is left.
    pub(crate) fn next_frame(&mut self, id: PortId, at: Time) -> Option<PacketId> {
        let (q, before) = self.choose_pulled(id, at)?;
        let port = &mut self.network.ports[id];
        port.next_try = Time::NEVER;
        let queue = port.queue_mut(q);
        let packet_id = self.network.packets.take_after(&mut queue.list, before);
        if queue.list.is_empty() {
            port.held &= !(1 << q);
        }
        port.waiting -= 1;
        let packet = &mut self.network.packets[packet_id];
        let waited = at.since(packet.at).0;
        packet.waited += waited;
        let (network, books) = (&mut self.network, &mut self.run.books);
        if network.ports[id].is(Traits::STAMPED) {
            network.stamp_departure(books, id, packet_id, at);
        }
        if books.record.is_some() {
            network.note(books, packet_id, What::Send.noted(at, id, waited));
        }
        if network.ports[id].is(Traits::REFILLED) {
            network.left_queue(id, packet_id);
        }
        if network.ports[id].more.managed.is_some() {
            self.discard_behind(id, q, at);
        }
        Some(packet_id)
    }

    /// The class queue whose frame goes next, and the frame before it there.
    fn choose_pulled(&mut self, id: PortId, at: Time) -> Option<(usize, PacketId)> {
        loop {
            let port = &mut self.network.ports[id];
            port.next_try = Time::NEVER;
            if port.waiting == 0 {
                return None;
            }
            if port.more.managed.is_none() {
                return Some((port.pick(&self.network.packets), Id::NONE));
            }
            port.next_try = at;
            match self.judge_next(id, at) {
                Some(Choice::Frame { queue, before }) => return Some((queue, before)),
                Some(Choice::Held(_)) => unreachable!("no gate holds back a port without a wire"),
                // The judged frame is lost. Another may be left.
                None => {}
            }
        }
    }

    /// A frame that was pulled at the first instant gives up its place in the queue at the second, with its last part, and leaves
    /// the port at `departs`.
    pub(crate) fn send_pulled(
        &mut self,
        id: PortId,
        packet_id: PacketId,
        (began, at): (Time, Time),
        departs: Time,
    ) {
        let packet = &mut self.network.packets[packet_id];
        let gone = Gone {
            queue: self.network.ports[id].queue_of(packet.class()),
            size: packet.frame(),
            class: packet.class(),
            entry: packet.entry,
            lost: None,
        };
        packet.serial += departs.since(began).0;
        let came = packet.at;
        let held = at.since(came).0;
        if self.network.ports[id].is(Traits::STAMPED) {
            self.network.stamp_backlog(id, at);
        }
        let port = &mut self.network.ports[id];
        port.more.came = came;
        port.free(gone.queue, gone.size);
        port.count_sent(gone.size, held);
        let calendar = &mut self.run.calendar;
        self.network.send_off(calendar, id, packet_id, departs);
        self.observe_departure(id, &gone, at);
    }
}
