//! Packets that pass the boxes in front of a port's queue.

use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use super::{AnyBox, Pass};
use crate::books::{Books, Exit, Fate};
use crate::calendar::Calendar;
use crate::event::Event;
use crate::ids::{PacketId, PortId};
use crate::medium::service::Service;
use crate::network::{Network, Role};
use crate::packet::Packet;
use crate::run::Run;
use crate::table::Id;

/// The result of a packet's way through a box.
#[derive(Default)]
pub(crate) struct Passed {
    /// The port that it comes to, if it comes out at once.
    pub(crate) next: Option<PortId>,
    /// Its copy, which is in the box.
    pub(crate) copy: Option<PacketId>,
}

impl Network {
    /// A packet comes to a box. Gives the port that it comes to if it comes out at once, and its copy if there is one.
    pub(crate) fn pass(
        &mut self,
        run: &mut Run,
        id: PortId,
        packet_id: PacketId,
        now: Time,
    ) -> Passed {
        let port = &mut self.ports[id];
        let Service::Box(stage) = &mut port.more.service else {
            unreachable!("a box");
        };
        let (size, len) = (self.packets[packet_id].frame(), self.packets[packet_id].len);
        let next = stage.next;
        let mut copy = None;
        let out = match stage.what.pass(now, len, &mut stage.random) {
            Pass::Lost(_) if run.books.spares(&self.packets[packet_id]) => now,
            Pass::Lost(cause) => {
                self.lose(&mut run.books, packet_id, cause, id, now);
                return Passed::default();
            }
            Pass::At(out) => out,
            Pass::Marked(out) => {
                if self.packets[packet_id].traffic.ecn() != Ecn::NotEct {
                    self.mark(&mut run.books, packet_id, id, now);
                }
                out
            }
            Pass::Twice(out) => {
                copy = Some(self.copy(&mut run.books, packet_id, id, now));
                out
            }
        };
        let port = &mut self.ports[id];
        port.count_sent(size, 0);
        let first = port.wire.head();
        let at_once = out == now && (first.is_none() || out < self.packets[first].at);
        if at_once {
            self.leave_as_light_traffic(id, now);
        } else {
            self.keep(&mut run.calendar, id, packet_id, out);
        }
        if let Some(copy) = copy {
            self.ports[id].count_sent(size, 0);
            self.keep(&mut run.calendar, id, copy, out);
        }
        Passed {
            next: at_once.then_some(next),
            copy,
        }
    }

    /// Keeps a packet in a box until it comes out.
    fn keep(&mut self, calendar: &mut Calendar, id: PortId, packet_id: PacketId, out: Time) {
        let port = &mut self.ports[id];
        let first = port.wire.head();
        if first.is_none() || out < self.packets[first].at {
            calendar.push(out, Event::Emerge(id));
        }
        self.packets[packet_id].at = out;
        self.packets.insert_by_time(&mut port.wire, packet_id);
    }

    /// A packet like another one, with the same header and label. It enters here.
    fn copy(&mut self, books: &mut Books, of: PacketId, id: PortId, now: Time) -> PacketId {
        let packet = self.packets[of];
        let flow = &mut self.flows[packet.flow];
        flow.entered.add(u64::from(packet.len));
        let (carries, outside) = (flow.role != Role::None, flow.outside);
        let copy = self.packets.create(Packet {
            next: Id::NONE,
            ..packet
        });
        match self.labels.get(of) {
            Some(label) => self.labels.set(copy, label),
            None => self.labels.clear(copy),
        }
        if carries {
            let header = self.headers[of].clone();
            self.headers.put(copy, header);
        }
        if outside {
            books.exits.push(Exit {
                at: now,
                node: self.ports[id].node,
                flow: packet.flow,
                tag: self.labels.tag(of),
                ecn: packet.traffic.ecn(),
                fate: Fate::Copied,
            });
        }
        copy
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
        self.leave_as_light_traffic(id, now);
        let next = self.ports[id].more.service.stage().expect("a box").next;
        Some((packet_id, next))
    }

    /// A packet comes out of a box. If trains let it go as light traffic, and nothing is in the queue behind or under way from
    /// it, it may leave at once.
    fn leave_as_light_traffic(&mut self, id: PortId, now: Time) {
        let Service::Box(stage) = &mut self.ports[id].more.service else {
            unreachable!("a box");
        };
        let AnyBox::Light(light) = &mut stage.what else {
            return;
        };
        let (may, next) = (light.come_out(), stage.next);
        let port = &mut self.ports[next];
        if may && port.waiting == 0 && port.gap_until <= now {
            let server = port.more.service.server_mut();
            server.expect("trains lead to a trace").grant(now);
        }
    }
}
