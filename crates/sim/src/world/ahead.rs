//! Looking ahead. What the next events touch has left the fast caches of the machine in a large
//! network, and each event would wait for one thing after the other: its port, the packet, the port
//! behind, the switch. So each event is followed one step further whenever a few others join
//! the calendar's list, which lets the memory work on many at once. Nothing is changed here and
//! nothing depends on what is read.

use std::hint::black_box;

use super::World;
use crate::event::Event;
use crate::network::{Flow, Part, Port};
use crate::packet::Packet;
use crate::table::Id;

impl World {
    /// Follows the events to come, of which the `fresh` latest are new.
    #[inline(never)]
    pub(super) fn look_ahead(&self, fresh: usize) {
        let mut read = 0;
        let mut soonest = self.calendar.soonest();
        for step in 0..3 {
            let (group, sooner) = soonest.split_at(fresh.min(soonest.len()));
            soonest = sooner;
            for key in group {
                read ^= match (step, key.event()) {
                    (0, Event::Arrive(id) | Event::Wake(id)) => self.ports[id].touch(),
                    (0, Event::Demand(id)) => self.flows[id].touch(),
                    (1, Event::Arrive(id) | Event::Wake(id)) => self.follow_to_packets(id),
                    (2, Event::Arrive(id)) => self.follow_to_port(id),
                    _ => 0,
                };
            }
        }
        black_box(read);
    }

    /// The frame that arrives, the one that leaves next, and the switch that they have passed.
    fn follow_to_packets(&self, id: Id<Port>) -> u64 {
        let port = &self.ports[id];
        let mut read = u64::from(self.nodes[port.node].alarms);
        for list in [&port.wire, &port.queues[0].list] {
            if !list.is_empty() {
                read ^= self.packets[list.head()].at.0;
            }
        }
        read
    }

    /// Where it goes.
    fn follow_to_port(&self, id: Id<Port>) -> u64 {
        let packet = self.ports[id].wire.head();
        let Packet { flow, ingress, .. } = self.packets[packet];
        if !ingress.is_none() {
            self.ports[ingress].touch()
        } else if !flow.is_none() {
            let Flow { stats, part, .. } = &self.flows[flow];
            stats.touch() ^ self.follow_to_end(*part, packet)
        } else {
            0
        }
    }

    /// The end of a connection that hears the packet, and what it sends in answer.
    fn follow_to_end(&self, part: Part, packet: Id<Packet>) -> u64 {
        let (end, answers) = match part {
            Part::None => return 0,
            Part::Data(id) => {
                let c = &self.connections[id];
                (c.touch_receiver(), &self.flows[c.acks])
            }
            Part::Acks(id) => {
                let c = &self.connections[id];
                (c.touch_sender(), &self.flows[c.data])
            }
        };
        // A station has none.
        let port = match answers.port.is_none() {
            true => 0,
            false => self.ports[answers.port].touch(),
        };
        end ^ self.headers.touch(packet) ^ answers.touch() ^ port
    }
}
