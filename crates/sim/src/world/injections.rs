//! A world is driven from outside: the caller injects packets at nodes, and takes their fates when they come out. The packets
//! wait here until their event. A packet belongs to the flow of its node, destination and class; the first packet that has no
//! such flow makes one.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Time};

use super::{Exit, World};
use crate::event::Event;
use crate::ids::{FlowId, NodeId, PortId};
use crate::limit::{Limit, MAX_CLASSES};
use crate::network::{Flow, Label, Network, Part};
use crate::packet::frame;
use crate::record::flow_stats::{Count, FlowStats};
use crate::source::AnySource;
use crate::source::outside::Outside;
use crate::table::Id;
use crate::targets::Targets;

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
struct Waiting {
    flow: FlowId,
    len: u16,
    ecn: Ecn,
    label: Label,
}

/// The injected packets whose events are to come, and the flows of injected packets.
#[derive(Clone, Debug, Default)]
pub(super) struct Injections {
    /// By number, from `first` on.
    waiting: VecDeque<Option<Waiting>>,
    first: u64,
    flows: BTreeMap<(NodeId, NodeId, u8), FlowId>,
}

impl Injections {
    /// Keeps a packet until its event, and gives its number.
    fn put(&mut self, packet: Waiting) -> u64 {
        self.waiting.push_back(Some(packet));
        self.first + self.waiting.len() as u64 - 1
    }

    /// The packet of this number.
    fn take(&mut self, number: u64) -> Waiting {
        let place = (number - self.first) as usize;
        let packet = self.waiting[place].take();
        while let Some(None) = self.waiting.front() {
            self.waiting.pop_front();
            self.first += 1;
        }
        packet.expect("an injected packet for its event")
    }
}

impl World {
    /// Injects a packet at a host or station. Simultaneous packets come in the order of the calls.
    ///
    /// # Errors
    /// Why it cannot come there; the world is as before.
    pub fn inject(&mut self, at: Time, from: NodeId, packet: Injected) -> Result<FlowId, Rejected> {
        let key = (from, packet.to, packet.class);
        let flow = match self.injections.flows.get(&key) {
            Some(flow) => *flow,
            None => {
                let flow = self.outside_flow(from, packet.to, packet.class)?;
                self.injections.flows.insert(key, flow);
                flow
            }
        };
        let (now, most) = (self.clock.now, self.network.flows[flow].packet);
        if at < now {
            return Err(Rejected::Past { at, now });
        }
        if packet.len.0 == 0 || packet.len.0 > most {
            let len = packet.len.0;
            return Err(Rejected::Length { len, most });
        }
        let number = self.injections.put(Waiting {
            flow,
            len: packet.len.0 as u16,
            ecn: packet.ecn,
            label: Label {
                tag: packet.tag,
                // The greatest number means none.
                flow: packet
                    .hash
                    .map_or(Id::NONE, |h| Id::raw(h.min(u32::MAX - 1))),
            },
        });
        self.clock.calendar.push(at, Event::Inject(number));
        Ok(flow)
    }

    /// An injected packet comes to its node.
    pub(super) fn come_in(&mut self, number: u64, now: Time) {
        let Waiting {
            flow,
            len,
            ecn,
            label,
        } = self.injections.take(number);
        let seq = self.network.flows[flow].seq;
        self.network.flows[flow].seq = seq.wrapping_add(1);
        let packet_id = self.create(flow, len, seq, ecn, now);
        self.network.labels.set(packet_id, label);
        self.set_off(flow, packet_id, now);
    }

    /// The fates of injected packets since the last call, in order.
    pub fn take_exits(&mut self) -> Vec<Exit> {
        std::mem::take(&mut self.books.exits)
    }

    /// The node of this name.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        let mut nodes = self.network.nodes.ids();
        nodes.find(|id| self.network.nodes[*id].name == name)
    }

    /// The flow of packets from outside between two nodes: one that the scenario declares, or a new one.
    fn outside_flow(&mut self, from: NodeId, to: NodeId, class: u8) -> Result<FlowId, Rejected> {
        let network = &self.network;
        let known = |node: NodeId| (node.index() < network.nodes.len()).then_some(node);
        let host = |node: NodeId| known(node).and_then(|node| network.nodes[node].host);
        let (Some(_), Some(goal)) = (host(from), host(to)) else {
            let no_host = if host(from).is_none() { from } else { to };
            return Err(Rejected::NoHost(no_host));
        };
        if from == to {
            return Err(Rejected::Own(network.nodes[from].name.clone()));
        }
        if usize::from(class) >= MAX_CLASSES {
            let name = network.nodes[from].name.clone();
            return Err(Rejected::NoClass(class, name));
        }
        let declared = |id: &FlowId| {
            let flow = &network.flows[*id];
            let one = matches!(flow.to, Targets::One(host) if host == goal);
            flow.outside && one && (flow.from, flow.class) == (from, class)
        };
        if let Some(flow) = network.flows.ids().find(declared) {
            return Ok(flow);
        }
        let path = self.route(from, to, goal)?;
        let most = self.network.most(&path, class)?;
        Ok(self.network.add_outside_flow(from, to, class, most, path))
    }

    /// The ports that packets pass from one node to another.
    fn route(&self, from: NodeId, to: NodeId, goal: u32) -> Result<Vec<PortId>, Rejected> {
        let network = &self.network;
        let flow = Id::new(network.flows.len());
        let (mut at, mut path) = (from, Vec::new());
        while at != to {
            let node = &network.nodes[at];
            let port = match node.row {
                u32::MAX if at == from => node.ports[0],
                _ if at != from && !node.forwards => Id::NONE,
                row => network.forwarding.egress(row, flow, goal),
            };
            let main = network.boxes.get(&port).copied().unwrap_or(port);
            let silent =
                |port: PortId| network.ports[port].is_radio() && self.air.hop(port).is_none();
            if port.is_none() || silent(main) || path.len() > network.nodes.len() {
                let name = |node: NodeId| network.nodes[node].name.clone();
                return Err(Rejected::NoRoute(name(from), name(to)));
            }
            path.push(main);
            at = network.ports[main].far;
        }
        Ok(path)
    }
}

impl Network {
    /// The longest IP packet that fits all ports of a path.
    fn most(&self, path: &[PortId], class: u8) -> Result<u64, Rejected> {
        let mut most = u64::from(u16::MAX);
        for port in path.iter().map(|id| &self.ports[*id]) {
            let classes = port.queues().len();
            if classes > 1 && usize::from(class) >= classes {
                return Err(Rejected::NoClass(class, port.more.name.clone()));
            }
            let overhead = frame(u64::from(u16::MAX)) - u64::from(u16::MAX);
            let buffer = match port.buffer {
                Limit::Bytes(bytes) => bytes.0,
                _ => u64::MAX,
            };
            let wire = match port.more.max_frame {
                0 => u64::MAX,
                most => most,
            };
            most = most.min(wire.min(buffer).saturating_sub(overhead));
            if let Some(server) = port.more.service.server().filter(|s| s.spec.whole) {
                most = most.min(server.spec.opportunity - server.spec.overhead);
            }
        }
        Ok(most)
    }

    /// Adds a flow of packets from outside, while the world runs.
    fn add_outside_flow(
        &mut self,
        from: NodeId,
        to: NodeId,
        class: u8,
        most: u64,
        path: Vec<PortId>,
    ) -> FlowId {
        let name = format!("{}>{}#{class}", self.nodes[from].name, self.nodes[to].name);
        let served = |port: &PortId| self.ports[*port].more.service.server().is_some();
        let mut stats = FlowStats::default();
        stats.age = path.iter().any(served).then(Box::default);
        let to = self.nodes[to].host.expect("a host or station");
        let port = match self.nodes[from].row {
            u32::MAX => self.nodes[from].ports[0],
            _ => Id::NONE,
        };
        self.flows.push(Flow {
            from,
            port,
            to: Targets::One(to),
            class,
            ecn: Ecn::NotEct,
            packet: most,
            stop: Time::NEVER,
            seq: 0,
            source: AnySource::Outside(Outside),
            due: 0,
            // Nothing of it is drawn.
            random: Random::stream(0, "source", &name),
            compass: Random::stream(0, "destination", &name),
            name,
            path,
            part: Part::None,
            outside: true,
            variance_time: None,
            entered: Count::default(),
            stats,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
