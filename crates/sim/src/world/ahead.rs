//! Looking ahead. What the next events touch has left the fast caches of the machine in a large
//! network, and each event would wait for one thing after the other: its port, the packet, the port
//! behind, the switch. So the next few events are followed together, a step at a time, which lets the memory
//! work on many at once. Nothing is changed here and nothing depends on what is read.

use std::hint::black_box;

use backwater_transport::units::Time;

use super::World;
use crate::event::Event;
use crate::network::{Flow, Part, Port};
use crate::packet::Packet;
use crate::table::Id;

/// Arrivals that are followed together, at most.
const TOGETHER: usize = 32;
/// Packets of a list that are followed, behind its first: a fast link serves several before the next look.
const DEEP: usize = 8;

type Lists = Trail<Id<Packet>, { TOGETHER + 1 }>;
type Ends = Trail<(Part, Id<Packet>), { TOGETHER + 1 }>;

/// What is followed at a step, at most so many.
struct Trail<T, const N: usize> {
    at: [T; N],
    count: usize,
}

impl<T: Copy, const N: usize> Trail<T, N> {
    fn new(none: T) -> Self {
        Trail {
            at: [none; N],
            count: 0,
        }
    }

    /// One more, if it is one.
    #[inline]
    fn push(&mut self, what: T, is: bool) {
        self.at[self.count] = what;
        self.count += usize::from(is);
    }

    #[inline]
    fn all(&self) -> &[T] {
        &self.at[..self.count]
    }
}

impl World {
    /// Follows the events in the calendar's list. No branch but those on the kind of event, which could not be
    /// predicted.
    #[inline(never)]
    pub(super) fn look_ahead(&self) {
        let mut read = 0;
        let mut arrivals = Trail::<Id<Port>, { TOGETHER + 1 }>::new(Id::NONE);
        for key in self.calendar.soonest().iter().rev().take(TOGETHER) {
            if let Some(id) = key.arrival() {
                read ^= self.ports[id].touch();
                arrivals.push(id, true);
            } else if let Event::Demand(id) = key.event() {
                read ^= self.flows[id].touch();
            }
        }
        let mut wires = Lists::new(Id::NONE);
        let mut queues = Lists::new(Id::NONE);
        for id in arrivals.all() {
            let port = &self.ports[*id];
            wires.push(port.wire.head(), true);
            let waiting = port.queue(0).list.head();
            queues.push(waiting, !waiting.is_none());
            read ^= u64::from(self.nodes[port.node].alarms);
        }
        for _ in 0..DEEP {
            self.go_on(&mut queues);
        }
        let mut ends = Ends::new((Part::None, Id::NONE));
        for first in wires.all() {
            read ^= self.touch_destination(*first, &mut ends);
        }
        let last = self.calendar.soonest().first();
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
        black_box(read);
    }

    /// Goes on to the next packets of all queues.
    #[inline]
    fn go_on(&self, queues: &mut Lists) {
        let count = std::mem::take(&mut queues.count);
        for i in 0..count {
            let next = self.packets[queues.at[i]].next;
            queues.push(next, !next.is_none());
        }
    }

    /// Goes on to the packets that arrive next over each wire, up to the horizon, and the ports that they go to.
    #[inline]
    fn fly_on(&self, wires: &mut Lists, horizon: Time) -> u64 {
        let mut read = 0;
        let count = std::mem::take(&mut wires.count);
        for i in 0..count {
            let next = self.packets[wires.at[i]].next;
            if next.is_none() {
                continue;
            }
            let packet = &self.packets[next];
            if packet.at <= horizon && !packet.ingress.is_none() {
                read ^= self.ports[packet.ingress].touch();
                wires.push(next, true);
            }
        }
        read
    }

    /// Where a frame that arrives goes.
    #[inline]
    fn touch_destination(&self, packet: Id<Packet>, ends: &mut Ends) -> u64 {
        let Packet { flow, ingress, .. } = self.packets[packet];
        if !ingress.is_none() {
            let port = &self.ports[ingress];
            port.touch() ^ u64::from(self.nodes[port.node].alarms)
        } else if !flow.is_none() {
            let Flow { stats, part, .. } = &self.flows[flow];
            ends.push((*part, packet), *part != Part::None);
            stats.touch()
        } else {
            0
        }
    }

    /// The end of a connection that hears the packet.
    #[inline]
    fn touch_end(&self, part: Part, packet: Id<Packet>) -> u64 {
        let end = match part {
            Part::None => 0,
            Part::Data(id) => self.connections[id].touch_receiver(),
            Part::Acks(id) => self.connections[id].touch_sender(),
        };
        end ^ self.headers.touch(packet)
    }

    /// What it sends in answer.
    #[inline]
    fn touch_answer(&self, part: Part) -> u64 {
        let (end, answers) = match part {
            Part::None => return 0,
            Part::Data(id) => (0, self.connections[id].acks),
            Part::Acks(id) => {
                let c = &self.connections[id];
                (c.sender.touch(), c.data)
            }
        };
        let flow = &self.flows[answers];
        // A station has none.
        let port = match flow.port.is_none() {
            true => 0,
            false => self.ports[flow.port].touch(),
        };
        end ^ flow.touch() ^ port
    }

    /// The segments that an acknowledgement is about.
    #[inline]
    fn touch_segments(&self, part: Part) -> u64 {
        match part {
            Part::Acks(id) => self.connections[id].sender.touch_segments(),
            Part::None | Part::Data(_) => 0,
        }
    }
}
