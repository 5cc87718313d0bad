//! Packets from outside, and those that wait for their event. `world/injections` takes them in.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Time};

use crate::ids::{FlowId, NodeId};
use crate::network::Label;

/// A packet from outside.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Injected {
    /// Its destination.
    pub to: NodeId,
    /// Class 0..8.
    pub class: u8,
    /// Bytes of the IP packet.
    pub len: Bytes,
    /// Codepoint.
    pub ecn: Ecn,
    /// Hash of the five-tuple: what fair queues and equal-cost routes tell flows apart by. Without one they take the number
    /// of the packet's flow.
    pub hash: Option<u32>,
    /// Comes back with its fate.
    pub tag: u64,
}

/// Why a packet cannot be injected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// Its instant lies before the present.
    Past {
        /// The instant.
        at: Time,
        /// The present.
        now: Time,
    },
    /// The world has no node of this number, or its node is a switch.
    NoHost(NodeId),
    /// It would go to the node that it comes from.
    Own(String),
    /// No route leads from one node to the other.
    NoRoute(String, String),
    /// There is no such class, or a port on its way has no queue for it.
    NoClass(u8, String),
    /// It is empty, or longer than the frames on its way.
    Length {
        /// Its IP bytes.
        len: u64,
        /// The most IP bytes that fit.
        most: u64,
    },
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejected::Past { at, now } => {
                write!(f, "{at} lies before {now}, the present of the world")
            }
            Rejected::NoHost(node) => write!(f, "node {} is no host or station", node.0),
            Rejected::Own(node) => write!(f, "{node} would send to itself"),
            Rejected::NoRoute(from, to) => write!(f, "no route leads from {from} to {to}"),
            Rejected::NoClass(class, port) => {
                write!(f, "class {class} has no queue at {port}")
            }
            Rejected::Length { len, most } => {
                write!(f, "a packet of {len} B; packets there have 1 to {most} B")
            }
        }
    }
}

impl std::error::Error for Rejected {}

/// A packet that waits for its event.
#[derive(Copy, Clone, Debug)]
pub struct Waiting {
    /// Its flow.
    pub flow: FlowId,
    /// Bytes of the IP packet.
    pub len: u16,
    /// Codepoint.
    pub ecn: Ecn,
    /// The caller's labels of it.
    pub label: Label,
}

/// The injected packets whose events are to come, and the flows of injected packets.
#[derive(Clone, Debug, Default)]
pub struct Injections {
    /// By number, from `first` on.
    waiting: VecDeque<Option<Waiting>>,
    first: u64,
    /// Flows by node, destination and class.
    pub flows: BTreeMap<(NodeId, NodeId, u8), FlowId>,
}

impl Injections {
    /// Keeps a packet until its event, and gives its number.
    pub fn put(&mut self, packet: Waiting) -> u64 {
        self.waiting.push_back(Some(packet));
        self.first + self.waiting.len() as u64 - 1
    }

    /// The packet of this number.
    pub fn take(&mut self, number: u64) -> Waiting {
        let place = (number - self.first) as usize;
        let packet = self.waiting[place].take();
        while let Some(None) = self.waiting.front() {
            self.waiting.pop_front();
            self.first += 1;
        }
        packet.expect("an injected packet for its event")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    fn waiting(tag: u64) -> Waiting {
        Waiting {
            flow: Id::raw(0),
            len: 1,
            ecn: Ecn::NotEct,
            label: Label {
                tag,
                flow: Id::NONE,
            },
        }
    }

    #[test]
    fn packets_are_found_by_number_in_any_order_and_their_places_are_given_back() {
        let mut injections = Injections::default();
        let numbers: Vec<u64> = (0..5).map(|tag| injections.put(waiting(tag))).collect();
        for index in [3, 0, 1, 4] {
            let packet = injections.take(numbers[index]);
            assert_eq!(packet.label.tag, index as u64);
        }
        assert_eq!(injections.waiting.len(), 3);
        assert_eq!(injections.take(numbers[2]).label.tag, 2);
        assert!(injections.waiting.is_empty());
        let next = injections.put(waiting(9));
        assert_eq!(injections.take(next).label.tag, 9);
    }
}
