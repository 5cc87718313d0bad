//! Packets that pass the boxes in front of a port's queue.

use backwater_transport::segment::Ecn;
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
        let next = stage.next;
        let out = match stage.what.pass(now, &mut stage.random) {
            Pass::Lost(cause) => {
                self.lose(books, packet_id, cause, id, now);
                return None;
            }
            Pass::At(out) => out,
            Pass::Marked(out) => {
                if self.packets[packet_id].traffic.ecn() != Ecn::NotEct {
                    self.mark(books, packet_id, id, now);
                }
                out
            }
        };
        let port = &mut self.ports[id];
        port.count_sent(size, 0);
        let first = port.wire.head();
        let soonest = first.is_none() || out < self.packets[first].at;
        if out == now && soonest {
            return Some(next);
        }
        self.packets[packet_id].at = out;
        if soonest {
            calendar.push(out, Event::Emerge(id));
        }
        self.packets.insert_by_time(&mut port.wire, packet_id);
        None
    }

    /// Takes the first packet out of a box, if it is due, and gives the port that it comes to. One that was overtaken has an
    /// event more than it needs.
    pub(crate) fn come_out(
        &mut self,
        calendar: &mut Calendar,
        id: PortId,
        now: Time,
    ) -> Option<(PacketId, PortId)> {
        let port = &mut self.ports[id];
        let first = port.wire.head();
        if first.is_none() || self.packets[first].at > now {
            return None;
        }
        let packet_id = self.packets.take_after(&mut port.wire, Id::NONE);
        let following = port.wire.head();
        if !following.is_none() {
            calendar.push(self.packets[following].at, Event::Emerge(id));
        }
        let next = port.more.service.stage().expect("a box").next;
        Some((packet_id, next))
    }
}
