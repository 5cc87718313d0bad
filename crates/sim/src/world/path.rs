//! Ports that are no wires: those served at the opportunities of a trace, and boxes that packets pass on
//! their way to a queue.
//!
//! A port served by opportunities never transmits at once: `shut_until` is `NEVER` for it, so that
//! `choose` leads here. When the choice at hand can be made and when the packet leaves is the server's
//! to say; everything else is as on a wire.

use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Time};

use super::World;
use super::forward::Choice;
use crate::event::Event;
use crate::ids::{PacketId, PortId};
use crate::limit::Limit;
use crate::medium::boxes::{AnyBox, Pass, PathBox};
use crate::medium::trace::Server;
use crate::network::{Port, PortMore, Stage, Traits};
use crate::packet::List;
use crate::queue::AnyScheduler;
use crate::record::What;
use crate::spec::{Service, Spec, Way};
use crate::table::Id;

impl World {
    /// Takes the next packet from the queue at an opportunity, or waits for one. The choice was due at
    /// `at`; something waits.
    pub(super) fn serve(&mut self, id: PortId, at: Time, now: Time) {
        let fresh = self.fresh(id, at);
        let port = &mut self.network.ports[id];
        let server = port.more.server.as_mut().expect("a port with a server");
        let opens = server.opens(at, fresh);
        if opens > at {
            port.next_try = opens;
            if opens > now && opens < Time::NEVER {
                self.clock.calendar.push(opens, Event::Wake(id));
            }
            return;
        }
        let q = match port.more.managed {
            None => port.pick(&self.network.packets),
            Some(_) => match self.judge_next(id, at) {
                Some(Choice::Frame { queue, .. }) => queue,
                Some(Choice::Held(_)) => unreachable!("no gate holds back a port without a wire"),
                None => return,
            },
        };
        let port = &mut self.network.ports[id];
        let queue = port.queue_mut(q);
        let packet_id = self.network.packets.take_after(&mut queue.list, Id::NONE);
        let packet = &mut self.network.packets[packet_id];
        let frame = packet.frame();
        queue.bytes -= frame;
        queue.packets -= 1;
        if queue.list.is_empty() {
            port.held &= !(1 << q);
        }
        port.waiting -= 1;
        let server = port.more.server.as_mut().expect("a port with a server");
        let departs = server.take(packet.at, at, server.size(packet.len));
        let waited = at.since(packet.at);
        packet.waited += waited.0;
        packet.serial += departs.since(at).0;
        port.count_sent(frame, waited.0);
        // No gap follows: there is no line rate.
        port.gap_until = departs;
        port.next_try = departs;
        if self.books.record.is_some() {
            self.note(What::Send, at, id, packet_id, waited.0);
        }
        self.left_queue(id, packet_id);
        self.send_off(id, packet_id, departs);
        if self.network.ports[id].more.managed.is_some() {
            self.cull(id, q, at);
        }
    }

    /// Whether all that waits at a port came at `at` itself. A packet of a saturated flow stands for an endless backlog, which
    /// was there before.
    fn fresh(&self, id: PortId, at: Time) -> bool {
        let port = &self.network.ports[id];
        let mut heads = port.lists().map(List::head).filter(|head| !head.is_none());
        heads.all(|head| {
            let packet = &self.network.packets[head];
            packet.at == at && !(port.is(Traits::REFILLED) && self.refills_for(id, packet.flow))
        })
    }

    /// Puts a packet on the wire that leaves at `departs`.
    fn send_off(&mut self, id: PortId, packet_id: PacketId, departs: Time) {
        self.find_way(id, packet_id);
        let port = &mut self.network.ports[id];
        let arrives = departs.after(port.delay);
        self.network.packets[packet_id].at = arrives;
        if port.wire.is_empty() {
            self.clock.calendar.push(arrives, Event::Arrive(id));
        }
        self.network.packets.append(&mut port.wire, packet_id);
        if port.is(Traits::ATTENTIVE) {
            self.clock.calendar.push(departs, Event::Wake(id));
        }
    }

    /// A packet comes to a box.
    pub(super) fn pass(&mut self, id: PortId, packet_id: PacketId, now: Time) {
        let port = &mut self.network.ports[id];
        let stage = port.more.stage.as_mut().expect("a box");
        let size = self.network.packets[packet_id].frame();
        let out = match stage.what.pass(now, &mut stage.random) {
            Pass::Lost(cause) => return self.lose(packet_id, cause, id, now),
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

/// The direction of a link that port `index` of the scenario stands for, where it is no plain wire.
pub(super) fn way(spec: &Spec, index: usize) -> Option<&Way> {
    spec.links.get(index / 2)?.ways[index % 2].as_deref()
}

fn trace_stream(spec: &Spec, index: usize) -> Random {
    Random::stream(spec.seed, "trace", &spec.ports[index].name)
}

/// The mean rate of a trace over the run; none for a wire.
pub(super) fn long_term(spec: &Spec, index: usize) -> Option<Rate> {
    let Service::Trace(server) = &way(spec, index)?.service else {
        return None;
    };
    let server = Server::new((**server).clone(), trace_stream(spec, index));
    let end = Time(spec.duration.0);
    Some(Rate((server.capacity(Time::ZERO, end) as u64).max(1)))
}

impl World {
    /// Gives the ports of trace links their servers.
    pub(super) fn add_servers(&mut self, spec: &Spec) {
        for id in self.network.ports.ids() {
            let Some(Service::Trace(server)) = way(spec, id.index()).map(|w| &w.service) else {
                continue;
            };
            let port = &mut self.network.ports[id];
            let random = trace_stream(spec, id.index());
            port.more.server = Some(Box::new(Server::new((**server).clone(), random)));
            port.shut_until = Time::NEVER;
        }
    }

    /// Makes a port of every box, in front of the port whose queue it leads to, and sends there what would
    /// go to that port. Called when all routes are known.
    pub(super) fn add_boxes(&mut self, spec: &Spec) {
        let mains: Vec<PortId> = self.network.ports.ids().collect();
        for main in mains {
            let Some(way) = way(spec, main.index()) else {
                continue;
            };
            let mut entrance = main;
            for (number, what) in way.boxes.iter().enumerate().rev() {
                let same = way.boxes[..number]
                    .iter()
                    .filter(|b| b.id() == what.id())
                    .count();
                let mut name = format!("{}~{}", self.network.ports[main].more.name, what.id());
                if same > 0 {
                    name = format!("{name}{}", same + 1);
                }
                entrance = self.add_box(main, entrance, name, what, spec.seed);
            }
            self.lead(main, entrance);
        }
    }

    fn add_box(
        &mut self,
        main: PortId,
        next: PortId,
        name: String,
        what: &AnyBox,
        seed: u64,
    ) -> PortId {
        let random = Random::stream(seed, "box", &name);
        let stage = Stage {
            what: what.clone(),
            random,
            next,
        };
        let more = PortMore {
            name,
            stage: Some(Box::new(stage)),
            ..PortMore::default()
        };
        let (node, far) = (self.network.ports[main].node, self.network.ports[main].far);
        let mut port = Port::idle(node, far, AnyScheduler::Fifo, Limit::Unlimited, more);
        port.peer = self.network.ports[main].peer;
        port.set(Traits::WATCHED | Traits::PASSED, true);
        let id = self.network.ports.push(port);
        self.network.boxes.insert(id, main);
        id
    }

    /// The boxes in front of a port's queue, in no particular order.
    pub fn boxes_before(&self, port: PortId) -> impl Iterator<Item = &AnyBox> {
        let mine = self
            .network
            .boxes
            .iter()
            .filter(move |(_, main)| **main == port);
        mine.filter_map(|(id, _)| {
            self.network.ports[*id]
                .more
                .stage
                .as_ref()
                .map(|stage| &stage.what)
        })
    }

    /// Sends to `entrance` what would go to the queue of `main`.
    fn lead(&mut self, main: PortId, entrance: PortId) {
        if entrance == main {
            return;
        }
        self.network.forwarding.lead(main, entrance);
        let node = &mut self.network.nodes[self.network.ports[main].node];
        if node.host.is_some() {
            let ports = node.ports.iter_mut().filter(|port| **port == main);
            ports.for_each(|port| *port = entrance);
            let flows = self
                .network
                .flows
                .0
                .iter_mut()
                .filter(|flow| flow.port == main);
            flows.for_each(|flow| flow.port = entrance);
        }
    }
}
