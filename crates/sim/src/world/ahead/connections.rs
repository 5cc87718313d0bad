//! Looking ahead where flows have a transport: an acknowledgement waits for the connection, its sender and its segments
//! one after the other, and a fast link serves several packets before the next look.

use backwater_transport::units::Time;

use super::{TOGETHER, Trail};
use crate::ids::{PacketId, PortId};
use crate::network::{Flow, Part, Port, Traits};
use crate::packet::Packet;
use crate::table::Id;
use crate::world::World;

/// Packets of a list that are followed, behind its first.
const DEEP: usize = 8;

type Lists = Trail<PacketId, { TOGETHER + 1 }>;
type Ends = Trail<(Part, PacketId), { TOGETHER + 1 }>;

impl World {
    /// Follows packets to the ends that hear them, and what these send in answer.
    pub(in crate::world) fn follow_to_ends(&self, arrivals: &[PortId]) -> u64 {
        let mut read = 0;
        let mut wires = Lists::new(Id::NONE);
        let mut queues = Lists::new(Id::NONE);
        for id in arrivals {
            let port = &self.network.ports[*id];
            read ^= self.touch_accounts(port);
            wires.push(port.wire.head(), true);
            let waiting = port.queue(0).list.head();
            queues.push(waiting, !waiting.is_none());
        }
        for _ in 0..DEEP {
            self.go_on(&mut queues);
        }
        let mut ends = Ends::new((Part::None, Id::NONE));
        for first in wires.all() {
            read ^= self.touch_end_of_wire(*first, &mut ends);
        }
        let last = self.clock.calendar.soonest().first();
        let horizon = last.map_or(Time::ZERO, |key| key.at());
        for _ in 0..DEEP {
            read ^= self.fly_on(&mut wires, horizon);
        }
        for (part, packet) in ends.all() {
            read ^= self.touch_end(*part, *packet);
        }
        for (part, _) in ends.all() {
            read ^= self.touch_answer(*part);
        }
        for (part, _) in ends.all() {
            read ^= self.touch_segments(*part);
        }
        read
    }

    /// The switch, where it keeps accounts.
    #[inline]
    fn touch_accounts(&self, port: &Port) -> u64 {
        match port.is(Traits::ACCOUNTED) {
            true => u64::from(self.network.nodes[port.node].alarms),
            false => 0,
        }
    }

    /// Goes on to the next packets of all queues.
    #[inline]
    fn go_on(&self, queues: &mut Lists) {
        let count = std::mem::take(&mut queues.count);
        for i in 0..count {
            let next = self.network.packets[queues.at[i]].next;
            queues.push(next, !next.is_none());
        }
    }

    /// Goes on to the packets that arrive next over each wire, up to the horizon, and the ports that they go to.
    #[inline]
    fn fly_on(&self, wires: &mut Lists, horizon: Time) -> u64 {
        let mut read = 0;
        let count = std::mem::take(&mut wires.count);
        for i in 0..count {
            let next = self.network.packets[wires.at[i]].next;
            if next.is_none() {
                continue;
            }
            let packet = &self.network.packets[next];
            if packet.at <= horizon && !packet.ingress.is_none() {
                read ^= self.network.ports[packet.ingress].touch();
                wires.push(next, true);
            }
        }
        read
    }

    /// Where a frame that arrives goes.
    #[inline]
    fn touch_end_of_wire(&self, packet: PacketId, ends: &mut Ends) -> u64 {
        let Packet { flow, ingress, .. } = self.network.packets[packet];
        if !ingress.is_none() {
            let port = &self.network.ports[ingress];
            port.touch() ^ self.touch_accounts(port)
        } else if !flow.is_none() {
            let Flow { stats, part, .. } = &self.network.flows[flow];
            ends.push((*part, packet), *part != Part::None);
            stats.touch()
        } else {
            0
        }
    }

    /// The end of a connection that hears the packet.
    #[inline]
    fn touch_end(&self, part: Part, packet: PacketId) -> u64 {
        let end = match part {
            Part::None => 0,
            Part::Data(id) => self.ends.connections[id].touch_receiver(),
            Part::Acks(id) => self.ends.connections[id].touch_sender(),
        };
        end ^ self.network.headers.touch(packet)
    }

    /// What it sends in answer.
    #[inline]
    fn touch_answer(&self, part: Part) -> u64 {
        let (end, answers) = match part {
            Part::None => return 0,
            Part::Data(id) => (0, self.ends.connections[id].acks),
            Part::Acks(id) => {
                let c = &self.ends.connections[id];
                (c.sender.touch(), c.data)
            }
        };
        let flow = &self.network.flows[answers];
        // A station has none.
        let port = match flow.port.is_none() {
            true => 0,
            false => self.network.ports[flow.port].touch(),
        };
        end ^ flow.touch() ^ port
    }

    /// The segments that an acknowledgement is about.
    #[inline]
    fn touch_segments(&self, part: Part) -> u64 {
        match part {
            Part::Acks(id) => self.ends.connections[id].sender.touch_segments(),
            Part::None | Part::Data(_) => 0,
        }
    }
}
