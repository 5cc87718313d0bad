//! Prefetching. In a large network the fast caches of the machine no longer hold what the next events read, and each event
//! would wait for one item after the other: its port, the packet, the port behind. So the next few events are followed
//! together, one step at a time, and the memory works on many reads at once. Nothing is changed here and nothing depends
//! on what is read. Each type that an event reads has a method `prefetch` of its own, which reads a word of each cache
//! line.
//!
//! * `ends` goes on to the two ends of flows with a transport, and deeper.
//! * `laws` goes on to laws of explicit feedback, and to what they write into.
//! * A medium follows what its nodes send (`medium/wifi/prefetch.rs`).

mod ends;
mod laws;

use std::hint::black_box;

use crate::ends::Ends;
use crate::event::Event;
use crate::ids::PortId;
use crate::medium::Media;
use crate::network::Network;
use crate::packet::Packet;
use crate::shared::Shared;
use crate::table::Id;

/// Arrivals that are followed together, at most.
pub(crate) const TOGETHER: usize = 32;

/// The items that a step follows, at most N.
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

    /// Adds an item where `is` holds, without a branch.
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

/// Prefetches what the events in the calendar's list will read. The only branches are those on the kind of event: others
/// could not be predicted.
#[inline(never)]
pub(crate) fn next_events(shared: &Shared, ends: &Ends, media: &Media) {
    let (calendar, network) = (&shared.run.calendar, &shared.network);
    if !media.are_unused() {
        black_box(media.prefetch(calendar, network));
    }
    let mut read = 0;
    let mut arrivals = Trail::<PortId, { TOGETHER + 1 }>::new(Id::NONE);
    for key in calendar.soonest().iter().rev().take(TOGETHER) {
        if let Some(id) = key.arrival() {
            read ^= network.ports[id].prefetch();
            arrivals.push(id, true);
        } else if let Event::Demand(id) = key.event() {
            read ^= network.flows[id].prefetch();
        }
    }
    if !network.laws.is_empty() {
        read ^= laws::follow(calendar, network, arrivals.all());
    }
    if !ends.connections.is_empty() {
        black_box(read ^ ends::follow(calendar, network, ends, arrivals.all()));
        return;
    }
    for id in arrivals.all() {
        read ^= packets_of(network, *id);
    }
    for id in arrivals.all() {
        read ^= destination(network, *id);
    }
    black_box(read);
}

/// The frame that arrives, and the one that leaves next.
fn packets_of(network: &Network, id: PortId) -> u64 {
    let port = &network.ports[id];
    let first = port.wire.head();
    let waiting = port.queue(0).list.head();
    let next = if waiting.is_none() { first } else { waiting };
    network.packets[first].at.0 ^ network.packets[next].at.0
}

/// Where it goes, and the frame behind it.
fn destination(network: &Network, id: PortId) -> u64 {
    let first = network.ports[id].wire.head();
    let Packet {
        flow,
        ingress,
        next,
        ..
    } = network.packets[first];
    let behind = if next.is_none() { first } else { next };
    let read = network.packets[behind].at.0;
    if !ingress.is_none() {
        let port = &network.ports[ingress];
        read ^ port.prefetch()
    } else if !flow.is_none() {
        let flow = &network.flows[flow];
        read ^ flow.entered.packets ^ flow.stats.prefetch()
    } else {
        read
    }
}
