//! The links that packets can take, wires and radio links alike, and the shortest routes over them.
//!
//! Reference: Dijkstra 1959; airtime metric: IEEE 802.11-2016 14.9. Differences: a wire's airtime is its
//! serialisation and propagation of the test frame.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use backwater_transport::units::PS_PER_S;

use super::boxes::long_term;
use crate::ids::{NodeId, PortId};
use crate::medium::ethernet;
use crate::spec::{Routing, Spec};
use crate::table::Id;
use crate::world::World;

/// Bytes of the frame by which airtime is compared: 8192 bits. 14.9.
const TEST_FRAME: u64 = 1024;

/// The weight of a link in a route's sum.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::world) enum Metric {
    /// Links.
    Hops,
    /// Time on the air, or on the wire, of the test frame.
    Airtime,
}

/// Which radio links a route may take.
#[derive(Clone, Debug)]
pub(in crate::world) enum RadioLinks {
    /// Those to the destination itself, and those from or to a node that has wires too.
    Direct,
    /// All.
    All,
    /// Those between each station (by node) and its parent.
    Tree(Vec<NodeId>),
}

/// A link, seen from its far end.
struct Edge {
    /// The node that sends over it.
    from: NodeId,
    cost: u64,
    /// The stations at both ends; none for a wire.
    shared: Option<(u32, u32)>,
    /// It may only be the last link of a route.
    last: bool,
}

/// All links of a world.
pub(in crate::world) struct Graph {
    metric: Metric,
    /// By node: the links that lead to it.
    into: Vec<Vec<Edge>>,
    /// By node: whether it forwards packets of others.
    forwards: Vec<bool>,
    /// Ports that no route leaves by.
    dead: BTreeSet<PortId>,
}

/// How far each node is from the nearest goal.
pub(in crate::world) struct Distances {
    goals: Vec<NodeId>,
    /// By node; `u64::MAX` without a route.
    cost: Vec<u64>,
    /// By node: the best route that begins with a radio link, and that link.
    shared: Vec<(u64, Option<(u32, u32)>)>,
}

impl Graph {
    /// The links of a world whose stations have been placed, but for those of dead ports.
    pub fn new(
        world: &World,
        spec: &Spec,
        metric: Metric,
        links: &RadioLinks,
        dead: &BTreeSet<PortId>,
    ) -> Graph {
        let mut into: Vec<Vec<Edge>> = world
            .shared
            .network
            .nodes
            .ids()
            .map(|_| Vec::new())
            .collect();
        let wires = (0..2 * spec.links.len()).map(PortId::new);
        for id in wires.filter(|id| !dead.contains(id)) {
            let port = &world.shared.network.ports[id];
            into[port.far.index()].push(Edge {
                from: port.node,
                cost: wire_cost(world, spec, metric, id),
                shared: None,
                last: false,
            });
        }
        for link in world.media.links(spec, TEST_FRAME) {
            let (from, node) = link.nodes;
            if !links.allow(from, node) {
                continue;
            }
            let wired = |node: NodeId| !world.shared.network.nodes[node].ports.is_empty();
            let direct = matches!(links, RadioLinks::Direct) && !wired(from) && !wired(node);
            into[node.index()].push(Edge {
                from,
                cost: match metric {
                    Metric::Hops => 1,
                    Metric::Airtime => link.takes,
                },
                shared: Some(link.attachments),
                last: direct,
            });
        }
        let forwards = world
            .shared
            .network
            .nodes
            .iter()
            .map(|node| node.forwards)
            .collect();
        Graph {
            metric,
            into,
            forwards,
            dead: dead.clone(),
        }
    }

    /// How far nodes are from the nearest of `goals`. Where `sources` are given, only what they and the nodes
    /// on their routes say is right.
    pub fn toward(&self, goals: &[NodeId], sources: Option<&[NodeId]>) -> Distances {
        let nodes = self.into.len();
        let mut found = Distances {
            goals: goals.to_vec(),
            cost: vec![u64::MAX; nodes],
            shared: vec![(u64::MAX, None); nodes],
        };
        let mut awaited = vec![false; nodes];
        for source in sources.unwrap_or_default() {
            awaited[source.index()] = true;
        }
        let mut left = awaited.iter().filter(|awaited| **awaited).count();
        let mut heap = BinaryHeap::new();
        for goal in goals {
            found.cost[goal.index()] = 0;
            heap.push(Reverse((0u64, goal.0)));
        }
        while let Some(Reverse((so_far, at))) = heap.pop() {
            let at = at as usize;
            if so_far > found.cost[at] {
                continue;
            }
            left -= usize::from(std::mem::take(&mut awaited[at]));
            if left == 0 && sources.is_some() {
                break;
            }
            let goal = goals.contains(&Id::new(at));
            if !goal && !self.forwards[at] {
                continue;
            }
            for edge in &self.into[at] {
                let from = edge.from.index();
                // Routes of others don't pass a node that forwards nothing: only what it says itself may matter.
                let relays = self.forwards[from];
                let asked = sources.is_none() || awaited[from];
                if !(relays || asked) || (edge.last && !goal) {
                    continue;
                }
                let total = so_far + edge.cost;
                if edge.shared.is_some() && total < found.shared[from].0 {
                    found.shared[from] = (total, edge.shared);
                }
                if total < found.cost[from] {
                    found.cost[from] = total;
                    if relays || awaited[from] {
                        heap.push(Reverse((total, edge.from.0)));
                    }
                }
            }
        }
        found
    }
}

impl RadioLinks {
    fn allow(&self, from: NodeId, to: NodeId) -> bool {
        match self {
            RadioLinks::Direct | RadioLinks::All => true,
            RadioLinks::Tree(parents) => parents[from.index()] == to || parents[to.index()] == from,
        }
    }
}

impl Distances {
    /// Whether a route leads from here.
    pub fn reaches(&self, node: NodeId) -> bool {
        self.cost[node.index()] != u64::MAX
    }

    /// The wired ports by which shortest routes leave a node, in the order of its ports.
    pub fn wires(&self, world: &World, spec: &Spec, graph: &Graph, node: NodeId) -> Vec<PortId> {
        let cost = self.cost[node.index()];
        let nearer = |id: &PortId| {
            let far = world.shared.network.ports[*id].far;
            let step = wire_cost(world, spec, graph.metric, *id);
            let on_route = self.cost[far.index()].saturating_add(step) == cost;
            let main = world.shared.network.plan.boxes.get(id).unwrap_or(id);
            on_route
                && !graph.dead.contains(main)
                && (graph.forwards[far.index()] || self.goals.contains(&far))
        };
        let ports = world.shared.network.nodes[node].ports.iter().copied();
        match self.goals.contains(&node) || cost == u64::MAX {
            true => Vec::new(),
            false => ports.filter(nearer).collect(),
        }
    }

    /// The stations at both ends of the radio link by which the shortest route leaves a node, if it leaves by radio. Among
    /// equal ones a wire comes first.
    pub fn over_medium(&self, node: NodeId) -> Option<(u32, u32)> {
        let (cost, link) = self.shared[node.index()];
        let here = self.cost[node.index()];
        link.filter(|_| cost == here && here != 0)
    }
}

fn wire_cost(world: &World, spec: &Spec, metric: Metric, id: PortId) -> u64 {
    let port = &world.shared.network.ports[id];
    match metric {
        Metric::Hops => 1,
        Metric::Airtime => {
            let frame = ethernet::PREAMBLE + ethernet::frame(TEST_FRAME);
            let tick = match port.ps_per_byte {
                0 => long_term(spec, id.index()).map_or(0, |rate| 8 * PS_PER_S / rate.0),
                tick => tick,
            };
            frame * tick + port.delay.0
        }
    }
}

/// How many of a node's shortest ways are used.
pub(super) fn used(spec: &Spec, wires: &[PortId]) -> usize {
    match spec.routing {
        Routing::Ecmp => wires.len(),
        _ => wires.len().min(1),
    }
}
