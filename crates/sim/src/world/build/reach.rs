//! Whether packets of flows with many destinations arrive, whichever of the ways they take: told once for each list of destinations, size and
//! class, and switch by switch, not flow by flow. Where anything is amiss, `trace` follows the flow and says what.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{FlowId, NodeId, PortId};
use crate::network::Network;
use crate::spec::Spec;
use crate::targets::Targets;

/// Properties that flows share: their list of destinations, packet bytes, and class.
type Key = (*const u32, u64, u8);

/// The results so far.
#[derive(Default)]
pub(super) struct Reach(BTreeMap<Key, Passed>);

struct Passed {
    /// By node: whether packets were followed from there.
    nodes: Vec<bool>,
    /// Whether all went well.
    well: bool,
}

impl Reach {
    /// Whether all packets of a flow over wires, by computed routes, arrive.
    pub fn arrive(&mut self, network: &Network, spec: &Spec, id: FlowId) -> bool {
        let flow = &network.flows[id];
        let Targets::AnyOf { hosts, .. } = &flow.to else {
            return false;
        };
        let key = (hosts.as_ptr(), flow.packet, flow.class);
        let passed = self.0.entry(key).or_insert_with(|| Passed {
            nodes: vec![false; network.nodes.len()],
            well: true,
        });
        passed.well = passed.well && passed.follow(network, spec, id, hosts);
        passed.well
    }
}

impl Passed {
    /// Follows packets to any of `hosts` from where the flow begins, but not where others were followed.
    fn follow(&mut self, network: &Network, spec: &Spec, id: FlowId, hosts: &[u32]) -> bool {
        let mut open: Vec<NodeId> = vec![network.flows[id].from];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut self.nodes[at.index()], true) {
                continue;
            }
            let node = &network.nodes[at];
            let first = at == network.flows[id].from;
            let ports: Option<Vec<PortId>> = match node.row {
                u32::MAX if first => Some(node.ports[..1].to_vec()),
                // A destination.
                u32::MAX => Some(Vec::new()),
                _ if !first && !node.forwards => Some(Vec::new()),
                row => {
                    let others = hosts.iter().filter(|host| Some(**host) != node.host);
                    network.plan.forwarding.ways(row, others.copied())
                }
            };
            let Some(ports) = ports else { return false };
            for port in ports {
                if network.check_wire(spec, id, port).is_err() {
                    return false;
                }
                open.push(network.ports[port].far);
            }
        }
        true
    }
}

impl Network {
    /// The ports through which packets from a node to a host leave, whichever of the equal ways they take. Otherwise the node from which
    /// no way leads on.
    pub(super) fn ports_toward(&self, from: NodeId, host: u32) -> Result<Vec<PortId>, NodeId> {
        let goal = self.hosts[host as usize];
        let (mut open, mut done) = (vec![from], BTreeSet::new());
        let mut all = Vec::new();
        while let Some(at) = open.pop() {
            if at == goal || !done.insert(at) {
                continue;
            }
            let node = &self.nodes[at];
            let ways = match node.row {
                u32::MAX if at == from => Some(node.ports[..1].to_vec()),
                _ if at != from && !node.forwards => None,
                u32::MAX => None,
                row => self.plan.forwarding.ways(row, std::iter::once(host)),
            };
            for port in ways.ok_or(at)? {
                all.push(port);
                open.push(self.ports[port].far);
            }
        }
        Ok(all)
    }

    /// A port with several queues, but none for this class.
    pub(super) fn is_narrow(&self, port: PortId, class: u8) -> bool {
        let queues = self.ports[port].queues().len();
        queues > 1 && usize::from(class) >= queues
    }
}
