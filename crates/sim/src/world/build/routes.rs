//! Forwarding tables and the paths of flows.

use std::collections::{BTreeMap, VecDeque};

use super::super::World;
use super::refuse;
use crate::ids::{FlowId, NodeId, PortId};
use crate::mechanism::notice::Hosts;
use crate::spec::{Refusal, Routing, Spec};
use crate::table::Id;
use crate::targets::Targets;

impl World {
    /// Fills the forwarding tables; gives each flow's path, empty where it has many destinations.
    pub(super) fn add_routes(&mut self, spec: &Spec) -> Result<Vec<Vec<PortId>>, Refusal> {
        let hosts = self.hosts.len();
        let mut rows = vec![u32::MAX; self.nodes.len()];
        for node in self.nodes.ids().filter(|n| self.nodes[*n].host.is_none()) {
            rows[node.index()] = self.forwarding.add_row(hosts);
        }
        for port in &mut self.ports.0 {
            port.far_row = rows[port.far.index()];
        }
        let wanted: Vec<bool> = {
            let mut wanted = vec![false; hosts];
            for flow in self
                .flows
                .iter()
                .zip(&spec.flows)
                .filter(|(f, s)| s.route.is_none() && !self.is_station(f.from))
                .map(|(f, _)| f)
            {
                flow.to.iter().for_each(|h| wanted[h as usize] = true);
            }
            wanted
        };
        if spec.routing == Routing::Tree && wanted.contains(&true) && self.has_loop() {
            return refuse(
                "links",
                "the links form a loop, and no rule says which way frames go",
                "write routing = { kind = \"shortest-path\" } or { kind = \"ecmp\" }, or a route for every flow",
            );
        }
        for host in (0..hosts).filter(|h| wanted[*h]) {
            self.route_to(host, spec.routing, &rows);
        }
        self.written_routes(spec, &rows)?;
        let mut paths = Vec::new();
        for (flow, spec_flow) in self.flows.ids().zip(&spec.flows) {
            paths.push(match self.is_station(self.flows[flow].from) {
                true => Vec::new(),
                false => self.trace(flow, spec, &format!("flows.{}.to", spec_flow.name))?,
            });
        }
        Ok(paths)
    }

    /// Ends the writing of forwarding tables.
    pub(super) fn pack_forwarding(&mut self) {
        let last = |host: &NodeId| match self.nodes[*host].ports[..] {
            [port] => self.ports[port].peer,
            _ => Id::NONE,
        };
        let last: Vec<PortId> = self.hosts.iter().map(last).collect();
        self.forwarding.pack(&last);
    }

    /// Whether a node talks over the air; `add_air` gives its flows their ways.
    pub(super) fn is_station(&self, node: NodeId) -> bool {
        self.nodes[node].host.is_some() && self.nodes[node].ports.is_empty()
    }

    fn has_loop(&self) -> bool {
        let mut root: Vec<usize> = (0..self.nodes.len()).collect();
        fn find(root: &mut [usize], mut n: usize) -> usize {
            while root[n] != n {
                root[n] = root[root[n]];
                n = root[n];
            }
            n
        }
        for port in self.ports.0.iter().step_by(2) {
            let (a, b) = (
                find(&mut root, port.node.index()),
                find(&mut root, port.far.index()),
            );
            if a == b {
                return true;
            }
            root[a] = b;
        }
        false
    }

    /// Shortest paths from everywhere to a host, by breadth-first search from it.
    fn route_to(&mut self, host: usize, routing: Routing, rows: &[u32]) {
        let goal = self.hosts[host];
        let mut distance = vec![u32::MAX; self.nodes.len()];
        distance[goal.index()] = 0;
        let mut queue = VecDeque::from([goal]);
        while let Some(at) = queue.pop_front() {
            for port in &self.nodes[at].ports {
                let near = self.ports[*port].far;
                let through_host = self.nodes[near].host.is_some();
                if distance[near.index()] == u32::MAX && !through_host {
                    distance[near.index()] = distance[at.index()] + 1;
                    queue.push_back(near);
                }
            }
        }
        for node in self
            .nodes
            .ids()
            .filter(|n| self.nodes[*n].host.is_none() && distance[n.index()] != u32::MAX)
        {
            let nearer =
                |p: &PortId| distance[self.ports[*p].far.index()] == distance[node.index()] - 1;
            let ways: Vec<PortId> = self.nodes[node]
                .ports
                .iter()
                .copied()
                .filter(nearer)
                .collect();
            let number = match routing {
                Routing::Ecmp => ways.len(),
                _ => 1,
            };
            self.forwarding
                .write(rows[node.index()], host, &ways[..number]);
        }
    }

    /// Installs the routes that a person wrote. Forwarding is by destination, as in a filtering
    /// table, so two routes to one host may not part.
    fn written_routes(&mut self, spec: &Spec, rows: &[u32]) -> Result<(), Refusal> {
        let mut written: BTreeMap<(u32, usize), &str> = BTreeMap::new();
        for (id, flow) in self.flows.ids().zip(&spec.flows) {
            let Some(route) = &flow.route else { continue };
            if self.is_station(self.flows[id].from) {
                continue;
            }
            let path = format!("routes.{}", flow.name);
            let (first, last) = (route.first(), route.last());
            let Targets::One(host) = self.flows[id].to else {
                return refuse(
                    path,
                    "a route needs a flow with one destination",
                    "name one host in the flow's `to`",
                );
            };
            let host = host as usize;
            if first != Some(&flow.from) || last != Some(&self.hosts[host].index()) {
                return refuse(
                    path,
                    "a route leads from the flow's `from` to its `to`",
                    "write the nodes from the first to the last",
                );
            }
            for pair in route.windows(2) {
                let (at, next): (NodeId, NodeId) = (Id::new(pair[0]), Id::new(pair[1]));
                let name = |n: NodeId| self.nodes[n].name.clone();
                let Some(port) = self.nodes[at]
                    .ports
                    .iter()
                    .copied()
                    .find(|p| self.ports[*p].far == next)
                else {
                    return refuse(
                        path,
                        format!("no link joins {} and {}", name(at), name(next)),
                        "name neighbours in order",
                    );
                };
                if self.nodes[at].host.is_some() {
                    continue;
                }
                let entry = (rows[at.index()], host);
                let same = self.forwarding.write(entry.0, entry.1, &[port]);
                if let Some(other) = written.get(&entry).filter(|_| !same) {
                    let what = format!(
                        "at {} the route to {} parts from the route of flow {other}",
                        name(at),
                        self.nodes[self.hosts[host]].name
                    );
                    return refuse(
                        path,
                        what,
                        "forwarding goes by destination: let both routes agree, or use two destinations",
                    );
                }
                written.insert(entry, &flow.name);
            }
        }
        Ok(())
    }

    /// Follows a flow's packets to its destinations; the path where there is only one.
    fn trace(&self, id: FlowId, spec: &Spec, path: &str) -> Result<Vec<PortId>, Refusal> {
        let flow = &self.flows[id];
        let mut ways = Vec::new();
        for host in flow.to.iter() {
            ways.clear();
            let name = |n: NodeId| &spec.nodes[n.index()].name;
            let goal = self.hosts[host as usize];
            let mut port = self.nodes[flow.from].ports[0];
            loop {
                ways.push(port);
                let far = &self.ports[port];
                if far.far == goal {
                    break;
                }
                // Written routes to a host agree where they meet and end there; computed ones come nearer.
                assert!(ways.len() <= self.nodes.len(), "a way in a circle");
                port = match far.far_row {
                    u32::MAX => Id::NONE,
                    row => self.forwarding.written(row, id, host),
                };
                if port.is_none() {
                    return refuse(
                        path,
                        format!("no way leads from {} to {}", name(flow.from), name(goal)),
                        "join them by links, or name another host",
                    );
                }
            }
        }
        Ok(if matches!(flow.to, Targets::One(_)) {
            ways
        } else {
            Vec::new()
        })
    }

    /// Hosts whose frames may leave through a port.
    pub(super) fn reached_through(&self, id: PortId) -> Hosts {
        let node = self.ports[id].node;
        let rows = self.nodes[node]
            .ports
            .iter()
            .map(|p| &self.ports[self.ports[*p].peer])
            .map(|p| p.far_row)
            .next();
        let row = rows.expect("a node with a port");
        let mut words = vec![0u64; self.hosts.len().div_ceil(64)];
        for host in 0..self.hosts.len() {
            if self.forwarding.leads(row, host, id) {
                words[host / 64] |= 1 << (host % 64);
            }
        }
        words.into()
    }
}
