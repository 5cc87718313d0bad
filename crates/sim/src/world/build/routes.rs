//! Forwarding tables over wires and radio links alike: computed, or written by a person. Radio hops are made where
//! packets of flows pass, nowhere else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use backwater_transport::random::Random;

use super::graph::{Distances, Graph, Metric, RadioLinks, used};
use super::refuse;
use crate::ids::{FlowId, NodeId, PortId};
use crate::mechanism::notice::Hosts;
use crate::network::Network;
use crate::spec::{Choose, FlowSpec, Refusal, Routing, Spec};
use crate::table::Id;
use crate::targets::Targets;
use crate::world::World;

impl Network {
    /// Gives each node that chooses among egress ports a row of the forwarding tables: switches, stations and hosts
    /// with several ports. A host with one wire needs none. Which of several equal ways a flow takes depends on the seed
    /// and on the node's name, so that runs with other seeds are other placements of the flows.
    pub(crate) fn add_rows(&mut self, seed: u64) {
        let hosts = self.hosts.len();
        let is_switch = |w: &Network, n: NodeId| w.nodes[n].host.is_none();
        let chooses = |w: &Network, n: NodeId| {
            let node = &w.nodes[n];
            node.host.is_some() && (!node.stations.is_empty() || node.ports.len() > 1)
        };
        for kind in [is_switch, chooses] {
            for node in self.nodes.ids() {
                if kind(self, node) {
                    let mut salts = Random::stream(seed, "ecmp", &self.nodes[node].name);
                    let salt = salts.between(0, u32::MAX.into()) as u32;
                    let switch = is_switch(self, node);
                    self.nodes[node].row = Arc::make_mut(&mut self.plan)
                        .forwarding
                        .add_row(hosts, salt, switch);
                }
            }
        }
        for port in &mut self.ports.0 {
            port.far_row = self.nodes[port.far].row;
        }
    }

    pub(super) fn has_wires(&self, host: u32) -> bool {
        !self.nodes[self.hosts[host as usize]].ports.is_empty()
    }

    fn wires_loop(&self) -> bool {
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

    /// Checks the nodes that a route names; gives the number of the host where it ends.
    fn check_route(
        &self,
        id: FlowId,
        flow: &FlowSpec,
        route: &[usize],
        path: &str,
    ) -> Result<usize, Refusal> {
        let Targets::One(host) = self.flows[id].to else {
            return refuse(
                path,
                "a route needs a flow with one destination",
                "name one host in the flow's `to`",
            );
        };
        let ends = (route.first(), route.last());
        if ends != (Some(&flow.from), Some(&self.hosts[host as usize].index())) {
            return refuse(
                path,
                "a route leads from the flow's `from` to its `to`",
                "write the nodes from the first to the last",
            );
        }
        let name = |node: usize| &self.nodes[NodeId::new(node)].name;
        for (i, node) in route.iter().enumerate() {
            if route[..i].contains(node) {
                let path = &format!("{path}.{i}");
                let what = format!("the route passes {} twice", name(*node));
                return refuse(path, what, "name each node once");
            }
        }
        let inner = route.get(1..route.len() - 1).unwrap_or_default();
        if let Some(node) = inner
            .iter()
            .find(|n| !self.nodes[NodeId::new(**n)].forwards)
        {
            let what = format!("{} is a host, and hosts forward nothing", name(*node));
            return refuse(path, what, "lead the route over switches and stations");
        }
        Ok(host as usize)
    }

    /// Ends the writing of forwarding tables.
    pub(crate) fn pack_forwarding(&mut self, choose: Choose) {
        let last = |host: &NodeId| match (&self.nodes[*host].ports[..], self.nodes[*host].row) {
            ([port], u32::MAX) => self.ports[*port].peer,
            _ => Id::NONE,
        };
        let last: Vec<PortId> = self.hosts.iter().map(last).collect();
        let forwarding = &mut Arc::make_mut(&mut self.plan).forwarding;
        forwarding.pack(&last, choose);
        self.turns = forwarding.turns();
    }

    /// Hosts whose frames may leave through a port.
    pub(crate) fn reached_through(&self, id: PortId) -> Hosts {
        let row = self.nodes[self.ports[id].node].row;
        let mut words = vec![0u64; self.hosts.len().div_ceil(64)];
        for host in 0..self.hosts.len() {
            if self.plan.forwarding.leads(row, host, id) {
                words[host / 64] |= 1 << (host % 64);
            }
        }
        words.into()
    }
}

impl World {
    /// Fills the forwarding tables, as if there were no dead ports. Where no other way is left, what stood there stays.
    pub(in crate::world) fn add_routes(
        &mut self,
        spec: &Spec,
        dead: &BTreeSet<PortId>,
    ) -> Result<(), Refusal> {
        let wires_only = self.media.are_unused();
        let mut wanted = match wires_only {
            true => self.shared.network.wanted_over_wires(spec),
            false => self.shared.network.wanted_routes(spec),
        };
        let wired = spec.routing == Routing::Tree;
        if wired
            && wanted
                .keys()
                .any(|host| self.shared.network.has_wires(*host))
            && self.shared.network.wires_loop()
        {
            return refuse(
                "links",
                "the links form a loop, and no rule says which way frames go",
                "write routing = { kind = \"shortest-path\" } or { kind = \"ecmp\" }, or a route for every flow",
            );
        }
        if !wanted.is_empty() {
            self.shared.network.add_wanted_from_outside(&mut wanted);
            let graph = self.graph(spec, dead)?;
            let mut shared: BTreeMap<NodeId, Vec<(u32, u32)>> = BTreeMap::new();
            for (host, sources) in &wanted {
                let edge = self.shared.network.edge(*host).filter(|_| wires_only);
                let Some((edge, last)) = edge else {
                    self.route_to(spec, &graph, *host, sources);
                    continue;
                };
                let ways = shared
                    .entry(edge)
                    .or_insert_with(|| self.ways_to(spec, &graph, edge));
                let (host, row) = (*host as usize, self.shared.network.nodes[edge].row);
                for (row, entry) in ways {
                    Arc::make_mut(&mut self.shared.network.plan)
                        .forwarding
                        .put(*row, host, *entry);
                }
                Arc::make_mut(&mut self.shared.network.plan)
                    .forwarding
                    .write(row, host, &[last]);
            }
        }
        self.write_routes(spec)
    }

    /// The graph of a world, by the rule of its routing.
    fn graph(&self, spec: &Spec, dead: &BTreeSet<PortId>) -> Result<Graph, Refusal> {
        let (metric, links) = match spec.routing {
            Routing::Tree => (Metric::Hops, RadioLinks::Direct),
            Routing::ShortestPath | Routing::Ecmp => (Metric::Hops, RadioLinks::All),
            Routing::Airtime => (Metric::Airtime, RadioLinks::All),
            Routing::AirtimeTree => (Metric::Airtime, RadioLinks::Tree(self.parents(spec)?)),
        };
        Ok(Graph::new(self, spec, metric, &links, dead))
    }

    /// The graph by which the nearest of several stations is found.
    pub(in crate::world) fn radio_graph(&self, spec: &Spec) -> Graph {
        let metric = match spec.routing {
            Routing::ShortestPath | Routing::Ecmp => Metric::Hops,
            Routing::Tree | Routing::Airtime | Routing::AirtimeTree => Metric::Airtime,
        };
        Graph::new(self, spec, metric, &RadioLinks::All, &BTreeSet::new())
    }

    /// The parent of each station's node; a root is its own, and so is whatever no root reaches.
    fn parents(&self, spec: &Spec) -> Result<Vec<NodeId>, Refusal> {
        let roots: Vec<NodeId> = spec.roots.iter().map(|n| Id::new(*n)).collect();
        if roots.is_empty()
            || roots
                .iter()
                .any(|n| self.shared.network.nodes[*n].stations.is_empty())
        {
            return refuse(
                "routing.roots",
                "the roots of a tree are stations",
                "write roots = [\"G1\"] with names of stations",
            );
        }
        let distances = self.radio_graph(spec).toward(&roots, None);
        let parent = |node: NodeId| match distances.over_medium(node) {
            Some((_, to)) if !roots.contains(&node) => self.media.node(to),
            _ => node,
        };
        Ok(self.shared.network.nodes.ids().map(parent).collect())
    }

    /// Writes the shortest routes to a host: over wires from everywhere, over radio links where packets pass.
    fn route_to(&mut self, spec: &Spec, graph: &Graph, host: u32, sources: &[NodeId]) {
        let goal = self.shared.network.hosts[host as usize];
        let wires_only = self.media.are_unused();
        let awaited = spec.links.is_empty().then_some(sources);
        let distances = graph.toward(&[goal], awaited);
        let passed = match wires_only {
            true => BTreeSet::new(),
            false => self.passed(spec, graph, &distances, sources),
        };
        for node in self.shared.network.nodes.ids() {
            let row = self.shared.network.nodes[node].row;
            if row == u32::MAX || !distances.reaches(node) {
                continue;
            }
            let wires = distances.wires(self, spec, graph, node);
            let first = used(spec, &wires);
            if first > 0 {
                let plan = Arc::make_mut(&mut self.shared.network.plan);
                plan.forwarding.write(row, host as usize, &wires[..first]);
            } else if let Some((from, to)) = distances
                .over_medium(node)
                .filter(|_| passed.contains(&node))
            {
                let port = self
                    .media
                    .hop_made(&mut self.shared.network, spec, (from, to));
                let plan = Arc::make_mut(&mut self.shared.network.plan);
                plan.forwarding.write(row, host as usize, &[port]);
            }
        }
    }

    /// The rows of all nodes from which wires lead to a switch, with the entry for it: it is that of each host that hangs there by
    /// one wire.
    fn ways_to(&mut self, spec: &Spec, graph: &Graph, edge: NodeId) -> Vec<(u32, u32)> {
        let distances = graph.toward(&[edge], None);
        let mut ways = Vec::new();
        for node in self.shared.network.nodes.ids() {
            let row = self.shared.network.nodes[node].row;
            if row == u32::MAX || !distances.reaches(node) {
                continue;
            }
            let wires = distances.wires(self, spec, graph, node);
            let first = used(spec, &wires);
            if first > 0 {
                let plan = Arc::make_mut(&mut self.shared.network.plan);
                ways.push((row, plan.forwarding.entry(&wires[..first])));
            }
        }
        ways
    }

    /// The nodes on the routes from `sources`.
    fn passed(
        &self,
        spec: &Spec,
        graph: &Graph,
        distances: &Distances,
        sources: &[NodeId],
    ) -> BTreeSet<NodeId> {
        let mut passed = BTreeSet::new();
        let mut open: Vec<NodeId> = sources.to_vec();
        while let Some(node) = open.pop() {
            if !distances.reaches(node) || !passed.insert(node) {
                continue;
            }
            let wires = distances.wires(self, spec, graph, node);
            match (wires.is_empty(), distances.over_medium(node)) {
                (true, Some((_, to))) => open.push(self.media.node(to)),
                _ => open.extend(
                    wires
                        .iter()
                        .map(|port| self.shared.network.ports[*port].far),
                ),
            }
        }
        passed
    }

    /// Writes the routes that a person wrote. Forwarding is by destination, as in a filtering table, so two routes to one
    /// host may not part.
    fn write_routes(&mut self, spec: &Spec) -> Result<(), Refusal> {
        let mut written: BTreeMap<(u32, usize), &str> = BTreeMap::new();
        for (id, flow) in (0..).map(FlowId::new).zip(&spec.flows) {
            let Some(route) = &flow.route else { continue };
            let path = format!("routes.{}", flow.name);
            let host = self.shared.network.check_route(id, flow, route, &path)?;
            for pair in route.windows(2) {
                let at: NodeId = Id::new(pair[0]);
                let port = self.link_between(spec, at, Id::new(pair[1]), &path)?;
                let row = self.shared.network.nodes[at].row;
                if row == u32::MAX {
                    continue;
                }
                let entry = (row, host);
                let same = Arc::make_mut(&mut self.shared.network.plan)
                    .forwarding
                    .write(row, host, &[port]);
                if let Some(other) = written.get(&entry).filter(|_| !same) {
                    let what = format!(
                        "at {} the route to {} parts from the route of flow {other}",
                        self.shared.network.nodes[at].name,
                        self.shared.network.nodes[self.shared.network.hosts[host]].name
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

    /// The port by which packets go from a node to its neighbour: a wire if there is one.
    fn link_between(
        &mut self,
        spec: &Spec,
        at: NodeId,
        next: NodeId,
        path: &str,
    ) -> Result<PortId, Refusal> {
        let mut wires = self.shared.network.nodes[at].ports.iter().copied();
        if let Some(port) = wires.find(|p| self.shared.network.ports[*p].far == next) {
            return Ok(port);
        }
        let (a, b) = (
            &self.shared.network.nodes[at],
            &self.shared.network.nodes[next],
        );
        let pairs = a
            .stations
            .iter()
            .flat_map(|a| b.stations.iter().map(move |b| (*a, *b)));
        let pairs: Vec<(u32, u32)> = pairs.collect();
        if let Some((from, to)) = pairs
            .iter()
            .find(|(a, b)| self.media.understands(spec, *a, *b))
        {
            return Ok(self
                .media
                .hop_made(&mut self.shared.network, spec, (*from, *to)));
        }
        let (a, b) = (&a.name, &b.name);
        match pairs.iter().any(|(a, b)| self.media.share_medium(*a, *b)) {
            true => {
                let what = format!("{b} is out of reach of {a}");
                refuse(path, what, "name neighbours in order, or move them closer")
            }
            false => {
                let what = format!("no link joins {a} and {b}");
                refuse(
                    path,
                    what,
                    "name neighbours in order, or join them by a link",
                )
            }
        }
    }
}
