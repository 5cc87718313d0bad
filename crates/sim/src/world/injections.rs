//! A world is driven from outside: the caller injects packets at nodes, and takes their fates when they come out. A packet
//! belongs to the flow of its node, destination and class; the first packet that has no such flow makes one.

use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use super::World;
use crate::books::Exit;
use crate::event::Event;
use crate::ids::{FlowId, NodeId, PortId};
use crate::injection::{Injected, Rejected, Waiting};
use crate::limit::{Limit, MAX_CLASSES};
use crate::network::{Flow, Label, Network, Role};
use crate::packet::frame;
use crate::record::flow_stats::{Count, FlowStats};
use crate::source::AnySource;
use crate::table::Id;
use crate::targets::Targets;

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
        let (now, most) = (self.clock.now, self.shared.network.flows[flow].packet);
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
        self.shared.run.calendar.push(at, Event::Inject(number));
        Ok(flow)
    }

    /// An injected packet comes to its node.
    pub(super) fn enter_injected(&mut self, number: u64, now: Time) {
        let Waiting {
            flow,
            len,
            ecn,
            label,
        } = self.injections.take(number);
        let seq = self.shared.network.flows[flow].seq;
        self.shared.network.flows[flow].seq = seq.wrapping_add(1);
        let packet_id = self.shared.create(flow, len, seq, ecn, now);
        self.shared.network.labels.set(packet_id, label);
        let onward = self.shared.set_off(flow, packet_id, now);
        self.move_on(onward, PortId::NONE, now);
    }

    /// The fates of injected packets since the last call, in order.
    pub fn take_exits(&mut self) -> Vec<Exit> {
        std::mem::take(&mut self.shared.run.books.exits)
    }

    /// The node of this name.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        let mut nodes = self.shared.network.nodes.ids();
        nodes.find(|id| self.shared.network.nodes[*id].name == name)
    }

    /// The flow of packets from outside between two nodes: one that the scenario declares, or a new one.
    fn outside_flow(&mut self, from: NodeId, to: NodeId, class: u8) -> Result<FlowId, Rejected> {
        let network = &self.shared.network;
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
        let most = self.shared.network.most(&path, class)?;
        Ok(self
            .shared
            .network
            .add_outside_flow(from, to, class, most, path))
    }

    /// The ports that packets pass from one node to another.
    fn route(&self, from: NodeId, to: NodeId, goal: u32) -> Result<Vec<PortId>, Rejected> {
        let network = &self.shared.network;
        let flow = Id::new(network.flows.len());
        let (mut at, mut path) = (from, Vec::new());
        while at != to {
            let node = &network.nodes[at];
            let port = match node.row {
                u32::MAX if at == from => node.ports[0],
                _ if at != from && !node.forwards => Id::NONE,
                row => {
                    let forwarding = &network.plan.forwarding;
                    forwarding.some_port(forwarding.egress(row, flow, goal))
                }
            };
            let main = network.plan.boxes.get(&port).copied().unwrap_or(port);
            let silent =
                |port: PortId| network.ports[port].waits_at_medium() && !self.media.has_hop(port);
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
            source: AnySource::of_caller(),
            due: 0,
            // Nothing of it is drawn.
            random: Random::stream(0, "source", &name),
            compass: Random::stream(0, "source", &name),
            name,
            path,
            loose: false,
            role: Role::None,
            outside: true,
            trimmed: false,
            noticed: false,
            variance_time: None,
            entered: Count::default(),
            stats,
        })
    }
}
