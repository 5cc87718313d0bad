//! Looking ahead. What the next events touch has left the fast caches of the machine in a large
//! network, and each event would wait for one thing after the other: its port, the packet, the port
//! behind, the switch. So the next few events are followed together, a step at a time, which lets the memory
//! work on many at once. Nothing is changed here and nothing depends on what is read.

use std::hint::black_box;

use super::World;
use crate::event::Event;
use crate::network::Port;
use crate::packet::Packet;
use crate::table::Id;

impl World {
    /// Follows the events in the calendar's list.
    #[inline(never)]
    pub(super) fn look_ahead(&self) {
        let mut read = 0;
        let soonest = || self.calendar.soonest().iter().rev().map(|key| key.event());
        for event in soonest() {
            read ^= match event {
                Event::Arrive(id) | Event::Wake(id) => self.ports[id].touch(),
                Event::Demand(id) => self.flows[id].touch(),
                _ => 0,
            };
        }
        for event in soonest() {
            if let Event::Arrive(id) | Event::Wake(id) = event {
                read ^= self.follow_to_packets(id);
            }
        }
        for event in soonest() {
            if let Event::Arrive(id) = event {
                read ^= self.follow_to_port(id);
            }
        }
        black_box(read);
    }

    /// The frame that arrives, the one that leaves next, and the switch that they have passed.
    fn follow_to_packets(&self, id: Id<Port>) -> u64 {
        let port = &self.ports[id];
        let mut read = u64::from(self.nodes[port.node].alarms);
        for list in [&port.wire, &port.queue(0).list] {
            if !list.is_empty() {
                read ^= self.packets[list.head()].at.0;
            }
        }
        read
    }

    /// Where it goes.
    fn follow_to_port(&self, id: Id<Port>) -> u64 {
        let Packet { flow, ingress, .. } = self.packets[self.ports[id].wire.head()];
        if !ingress.is_none() {
            let port = &self.ports[ingress];
            port.touch() ^ u64::from(self.nodes[port.node].alarms)
        } else if !flow.is_none() {
            self.flows[flow].stats.touch()
        } else {
            0
        }
    }
}
