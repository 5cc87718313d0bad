//! Ports that are no wires: those served at the opportunities of a trace, and boxes that packets pass on
//! their way to a queue.
//!
//! A port served by opportunities never transmits at once: `shut_until` is `NEVER` for it, so that
//! `choose` leads here. When the choice at hand can be made and when the packet leaves is the server's
//! to say; everything else is as on a wire.

use backwater_transport::units::Time;

use super::World;
use crate::event::Event;
use crate::ids::{PacketId, PortId};
use crate::medium::boxes::{Pass, PathBox};
use crate::network::transmit::Choice;
use crate::table::Id;

impl World {
    /// Takes the next packet from the queue at an opportunity, or waits for one. The choice was due at
    /// `at`; something waits.
    pub(super) fn serve(&mut self, id: PortId, at: Time, now: Time) {
        let calendar = &mut self.clock.calendar;
        if !self.network.opportunity(calendar, id, at, now) {
            return;
        }
        let port = &mut self.network.ports[id];
        let q = match port.more.managed {
            None => port.pick(&self.network.packets),
            Some(_) => match self.judge_next(id, at) {
                Some(Choice::Frame { queue, .. }) => queue,
                Some(Choice::Held(_)) => unreachable!("no gate holds back a port without a wire"),
                None => return,
            },
        };
        let calendar = &mut self.clock.calendar;
        self.network.take(&mut self.books, calendar, id, q, at);
        if self.network.ports[id].more.managed.is_some() {
            self.cull(id, q, at);
        }
    }

    /// A packet comes to a box.
    pub(super) fn pass(&mut self, id: PortId, packet_id: PacketId, now: Time) {
        let port = &mut self.network.ports[id];
        let stage = port.more.stage.as_mut().expect("a box");
        let size = self.network.packets[packet_id].frame();
        let out = match stage.what.pass(now, &mut stage.random) {
            Pass::Lost(cause) => {
                return self
                    .network
                    .lose(&mut self.books, packet_id, cause, id, now);
            }
            Pass::At(out) => out,
        };
        let next = stage.next;
        port.count_sent(size, 0);
        if out == now && port.wire.is_empty() {
            return self.enqueue(next, packet_id, now);
        }
        self.network.packets[packet_id].at = out;
        if port.wire.is_empty() {
            self.clock.calendar.push(out, Event::Emerge(id));
        }
        self.network.packets.append(&mut port.wire, packet_id);
    }

    /// The first packet in a box comes out.
    pub(super) fn emerge(&mut self, id: PortId, now: Time) {
        let port = &mut self.network.ports[id];
        let packet_id = self.network.packets.take_after(&mut port.wire, Id::NONE);
        let following = port.wire.head();
        if !following.is_none() {
            self.clock
                .calendar
                .push(self.network.packets[following].at, Event::Emerge(id));
        }
        let next = port.more.stage.as_ref().expect("a box").next;
        self.enqueue(next, packet_id, now);
    }
}
