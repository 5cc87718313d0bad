//! Looking ahead. What the next events touch has left the fast caches of the machine in a large
//! network, and each event would wait for one thing after the other: its port, the packet, the port
//! behind. So the next few events are followed together, a step at a time, which lets the memory
//! work on many at once. Nothing is changed here and nothing depends on what is read.
//! `connections` goes on to the two ends, and deeper, where flows have a transport; `stations` follows what 802.11
//! stations send.

mod connections;

use std::hint::black_box;

use super::World;
use crate::event::Event;
use crate::ids::PortId;
use crate::packet::Packet;
use crate::table::Id;

/// Arrivals that are followed together, at most.
pub(crate) const TOGETHER: usize = 32;

/// What is followed at a step, at most so many.
pub(crate) struct Trail<T, const N: usize> {
    at: [T; N],
    count: usize,
}

impl<T: Copy, const N: usize> Trail<T, N> {
    pub(crate) fn new(none: T) -> Self {
        Trail {
            at: [none; N],
            count: 0,
        }
    }

    /// One more, if it is one.
    #[inline]
    pub(crate) fn push(&mut self, what: T, is: bool) {
        self.at[self.count] = what;
        self.count += usize::from(is);
    }

    #[inline]
    pub(crate) fn all(&self) -> &[T] {
        &self.at[..self.count]
    }
}

impl World {
    /// Follows the events in the calendar's list. No branch but those on the kind of event, which could not be
    /// predicted.
    #[inline(never)]
    pub(super) fn look_ahead(&self) {
        if !self.air.radios.is_empty() {
            black_box(self.follow_to_stations());
        }
        let mut read = 0;
        let mut arrivals = Trail::<PortId, { TOGETHER + 1 }>::new(Id::NONE);
        for key in self.clock.calendar.soonest().iter().rev().take(TOGETHER) {
            if let Some(id) = key.arrival() {
                read ^= self.network.ports[id].touch();
                arrivals.push(id, true);
            } else if let Event::Demand(id) = key.event() {
                read ^= self.network.flows[id].touch();
            }
        }
        if !self.ends.connections.is_empty() {
            black_box(read ^ self.follow_to_ends(arrivals.all()));
            return;
        }
        for id in arrivals.all() {
            read ^= self.touch_packets(*id);
        }
        for id in arrivals.all() {
            read ^= self.touch_destination(*id);
        }
        black_box(read);
    }

    /// The frame that arrives, and the one that leaves next.
    fn touch_packets(&self, id: PortId) -> u64 {
        let port = &self.network.ports[id];
        let first = port.wire.head();
        let waiting = port.queue(0).list.head();
        let next = if waiting.is_none() { first } else { waiting };
        self.network.packets[first].at.0 ^ self.network.packets[next].at.0
    }

    /// Where it goes, and the frame behind it.
    fn touch_destination(&self, id: PortId) -> u64 {
        let first = self.network.ports[id].wire.head();
        let Packet {
            flow,
            ingress,
            next,
            ..
        } = self.network.packets[first];
        let behind = if next.is_none() { first } else { next };
        let read = self.network.packets[behind].at.0;
        if !ingress.is_none() {
            let port = &self.network.ports[ingress];
            read ^ port.touch()
        } else if !flow.is_none() {
            let flow = &self.network.flows[flow];
            read ^ flow.entered.packets ^ flow.stats.touch()
        } else {
            read
        }
    }
}
