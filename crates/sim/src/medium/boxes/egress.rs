//! Packets that pass the boxes in front of a port's queue.

use backwater_transport::units::Time;

use super::{Pass, PathBox};
use crate::books::Books;
use crate::calendar::Calendar;
use crate::event::Event;
use crate::ids::{PacketId, PortId};
use crate::medium::service::Service;
use crate::network::Network;
use crate::table::Id;

impl Network {
    /// A packet comes to a box. Gives the port that it comes to if it comes out at once.
    pub(crate) fn pass(
        &mut self,
        books: &mut Books,
        calendar: &mut Calendar,
        id: PortId,
        packet_id: PacketId,
        now: Time,
    ) -> Option<PortId> {
        let port = &mut self.ports[id];
        let Service::Box(stage) = &mut port.more.service else {
            unreachable!("a box");
        };
        let size = self.packets[packet_id].frame();
        let out = match stage.what.pass(now, &mut stage.random) {
            Pass::Lost(cause) => {
                self.lose(books, packet_id, cause, id, now);
                return None;
            }
            Pass::At(out) => out,
        };
        let next = stage.next;
        port.count_sent(size, 0);
        if out == now && port.wire.is_empty() {
            return Some(next);
        }
        self.packets[packet_id].at = out;
        if port.wire.is_empty() {
            calendar.push(out, Event::Emerge(id));
        }
        self.packets.append(&mut port.wire, packet_id);
        None
    }

    /// Takes the first packet out of a box, and gives the port that it comes to.
    pub(crate) fn come_out(&mut self, calendar: &mut Calendar, id: PortId) -> (PacketId, PortId) {
        let port = &mut self.ports[id];
        let packet_id = self.packets.take_after(&mut port.wire, Id::NONE);
        let following = port.wire.head();
        if !following.is_none() {
            calendar.push(self.packets[following].at, Event::Emerge(id));
        }
        let next = port.more.service.stage().expect("a box").next;
        (packet_id, next)
    }
}
