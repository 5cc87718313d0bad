//! A port served at the opportunities of a trace. It never transmits at once: `shut_until` is `NEVER` for it, so that
//! `choose` leads here. The server says when a choice can be made and when the packet leaves; the rest is as on a
//! wire.

use backwater_transport::units::Time;

use crate::calendar::Calendar;
use crate::event::Event;
use crate::ids::{PacketId, PortId};
use crate::network::{Network, Traits};
use crate::packet::List;
use crate::record::What;
use crate::run::Run;
use crate::table::Id;

impl Network {
    /// Whether the choice that was due at `at` can be made there; if not, waits for the next opportunity.
    pub(crate) fn opportunity(
        &mut self,
        calendar: &mut Calendar,
        id: PortId,
        at: Time,
        now: Time,
    ) -> bool {
        let fresh = self.fresh(id, at);
        let port = &mut self.ports[id];
        let opens = port.more.service.next_choice(at, fresh);
        if opens > at {
            port.next_try = opens;
            if opens > now && opens < Time::NEVER {
                calendar.push(opens, Event::Wake(id));
            }
        }
        opens <= at
    }

    /// Whether all that waits at a port came at `at` itself. A packet of a saturated flow stands for an endless backlog, which
    /// was there before.
    fn fresh(&self, id: PortId, at: Time) -> bool {
        let port = &self.ports[id];
        let mut heads = port.lists().map(List::head).filter(|head| !head.is_none());
        heads.all(|head| {
            let packet = &self.packets[head];
            packet.at == at && !(port.is(Traits::REFILLED) && self.refills_for(id, packet.flow))
        })
    }

    /// Takes the first packet of a class queue at an opportunity.
    pub(crate) fn take(&mut self, run: &mut Run, id: PortId, q: usize, at: Time) {
        if self.ports[id].is(Traits::STAMPED) {
            self.stamp_backlog(id, at);
        }
        let port = &mut self.ports[id];
        let queue = port.queue_mut(q);
        let packet_id = self.packets.take_after(&mut queue.list, Id::NONE);
        let packet = &mut self.packets[packet_id];
        let frame = packet.frame();
        queue.bytes -= frame;
        queue.packets -= 1;
        if queue.list.is_empty() {
            port.held &= !(1 << q);
        }
        port.waiting -= 1;
        let server = port
            .more
            .service
            .server_mut()
            .expect("a port with a server");
        let departs = server.take(packet.at, at, server.size(packet.len));
        let waited = at.since(packet.at);
        packet.waited += waited.0;
        packet.serial += departs.since(at).0;
        port.count_sent(frame, waited.0);
        // No gap follows: there is no line rate.
        port.gap_until = departs;
        port.next_try = departs;
        if port.is(Traits::STAMPED) {
            self.stamp_departure(&mut run.books, id, packet_id, at);
        }
        if run.books.record.is_some() {
            self.note(
                &mut run.books,
                packet_id,
                What::Send.noted(at, id, waited.0),
            );
        }
        if self.ports[id].is(Traits::REFILLED) {
            self.left_queue(id, packet_id);
        }
        self.send_off(&mut run.calendar, id, packet_id, departs);
    }

    /// Puts a packet on the wire that leaves at `departs`.
    pub(crate) fn send_off(
        &mut self,
        calendar: &mut Calendar,
        id: PortId,
        packet_id: PacketId,
        departs: Time,
    ) {
        let port = &mut self.ports[id];
        let arrives = port.arrival_of(departs);
        let packet = &mut self.packets[packet_id];
        let flow = self.labels.flow(packet_id, packet.flow);
        port.set_next_hop(&self.plan.forwarding, flow, packet);
        packet.at = arrives;
        if port.wire.is_empty() {
            calendar.push(arrives, Event::Arrive(id));
        }
        self.packets.append(&mut port.wire, packet_id);
        if port.is(Traits::ATTENTIVE) {
            calendar.push(departs, Event::Wake(id));
        }
    }
}
