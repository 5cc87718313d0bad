//! To which hosts routes are computed, and which of them hang at a switch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ids::{NodeId, PortId};
use crate::network::Network;
use crate::spec::{FlowSpec, Spec};
use crate::targets::Targets;

impl Network {
    /// The nodes that send to each host by a route that is not written.
    pub(super) fn wanted_routes(&self, spec: &Spec) -> BTreeMap<u32, Vec<NodeId>> {
        let mut wanted: BTreeMap<u32, Vec<NodeId>> = BTreeMap::new();
        let computed = |s: &FlowSpec| s.route.is_none() && !s.to.is_group();
        let flows = self.flows.iter().zip(&spec.flows);
        for (flow, _) in flows.filter(|(_, s)| computed(s)) {
            for host in flow.to.iter() {
                wanted.entry(host).or_default().push(flow.from);
            }
        }
        wanted
    }

    /// The hosts to which routes that are not written lead, where all links are wires: which nodes send there decides nothing.
    pub(super) fn wanted_over_wires(&self, spec: &Spec) -> BTreeMap<u32, Vec<NodeId>> {
        let mut wanted = BTreeSet::new();
        // By list that flows share: the first that it leaves out, and whether it leaves out others too.
        let mut lists: BTreeMap<*const u32, (&Arc<[u32]>, u32, bool)> = BTreeMap::new();
        let flows = self.flows.iter().zip(&spec.flows);
        for (flow, _) in flows.filter(|(_, s)| s.route.is_none()) {
            match &flow.to {
                Targets::One(host) => {
                    wanted.insert(*host);
                }
                Targets::AnyOf { hosts, but } => {
                    let list = lists.entry(hosts.as_ptr()).or_insert((hosts, *but, false));
                    list.2 |= list.1 != *but;
                }
            }
        }
        for (hosts, but, all) in lists.into_values() {
            let kept = hosts.iter().enumerate();
            let kept = kept.filter(|(place, _)| all || *place as u32 != but);
            wanted.extend(kept.map(|(_, host)| *host));
        }
        wanted.into_iter().map(|host| (host, Vec::new())).collect()
    }

    /// Packets from outside may go to any host that wires lead to, whatever flows the scenario names.
    pub(super) fn add_wanted_from_outside(&self, wanted: &mut BTreeMap<u32, Vec<NodeId>>) {
        if self.flows.iter().any(|flow| flow.outside) {
            for host in (0..self.hosts.len() as u32).filter(|host| self.has_wires(*host)) {
                wanted.entry(host).or_default();
            }
        }
    }

    /// The switch at which a host hangs by its only wire, and the switch's port to it.
    pub(super) fn edge(&self, host: u32) -> Option<(NodeId, PortId)> {
        let node = &self.nodes[self.hosts[host as usize]];
        let [port] = node.ports[..] else { return None };
        let edge = self.ports[port].far;
        let only = !node.forwards && self.nodes[edge].forwards && self.nodes[edge].host.is_none();
        only.then_some((edge, self.ports[port].peer))
    }
}
