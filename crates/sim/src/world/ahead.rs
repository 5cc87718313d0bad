//! Looking ahead. What the next events touch has left the fast caches of the machine in a large
//! network, and each event would wait for one thing after the other: its port, the packet, the port
//! behind, the switch. So the next few events are followed together, a step at a time, which lets the memory
//! work on many at once. Nothing is changed here and nothing depends on what is read.

use std::hint::black_box;

use super::World;
use crate::event::Event;
use crate::network::{Flow, Part, Port};
use crate::packet::Packet;
use crate::table::Id;

/// Arrivals that are followed together, at most.
const TOGETHER: usize = 32;

impl World {
    /// Follows the events in the calendar's list. No branch but those on the kind of event, which could not be
    /// predicted.
    #[inline(never)]
    pub(super) fn look_ahead(&self) {
        let mut read = 0;
        let mut arrivals = [Id::raw(0); TOGETHER];
        let mut count = 0;
        for key in self.calendar.soonest().iter().rev().take(TOGETHER) {
            if let Some(id) = key.arrival() {
                read ^= self.ports[id].touch();
                arrivals[count] = id;
                count += 1;
            } else if let Event::Demand(id) = key.event() {
                read ^= self.flows[id].touch();
            }
        }
        for id in &arrivals[..count] {
            read ^= self.touch_packets(*id);
        }
        for id in &arrivals[..count] {
            read ^= self.touch_destination(*id);
        }
        black_box(read);
    }

    /// The frame that arrives, the one that leaves next, and the switch that they have passed.
    fn touch_packets(&self, id: Id<Port>) -> u64 {
        let port = &self.ports[id];
        let first = port.wire.head();
        let waiting = port.queue(0).list.head();
        let next = if waiting.is_none() { first } else { waiting };
        self.packets[first].at.0 ^ self.packets[next].at.0 ^ u64::from(self.nodes[port.node].alarms)
    }

    /// Where it goes, and the frame behind it.
    fn touch_destination(&self, id: Id<Port>) -> u64 {
        let first = self.ports[id].wire.head();
        let Packet {
            flow,
            ingress,
            next,
            ..
        } = self.packets[first];
        let behind = if next.is_none() { first } else { next };
        let read = self.packets[behind].at.0;
        if !ingress.is_none() {
            let port = &self.ports[ingress];
            read ^ port.touch() ^ u64::from(self.nodes[port.node].alarms)
        } else if !flow.is_none() {
            let Flow { stats, part, .. } = &self.flows[flow];
            read ^ stats.touch() ^ self.follow_to_end(*part, first)
        } else {
            read
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
