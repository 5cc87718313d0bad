//! The ways of flows between 802.11 stations: by airtime, along a tree, direct, or written. Entries and hops are made where a
//! flow's packets pass and nowhere else.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use backwater_transport::units::Rate;

use super::World;
use super::build::refuse;
use crate::ids::NodeId;
use crate::medium::wifi::air::NOBODY;
use crate::spec::{Refusal, Routing, Spec};
use crate::table::Id;
use crate::targets::Destination;

/// Bytes of the frame by which airtime is compared: 8192 bits. 14.9.
const TEST_FRAME: u64 = 1024;

/// A link that may be a hop, from the station at its far end.
struct Step {
    /// The station that would send over it.
    from: u32,
    /// What that costs.
    cost: u64,
}

/// What packets between stations cost, link by link.
pub(super) struct Ways {
    /// By station: the links that lead to it.
    steps: Vec<Vec<Step>>,
}

impl Ways {
    /// The next station on the way to the nearest of `goals`, for the stations of `from` and those on their ways. What it is
    /// for others says nothing.
    pub fn nearest(&self, goals: &[u32], from: &[u32]) -> Vec<u32> {
        let mut next = vec![NOBODY; self.steps.len()];
        let mut cost = vec![u64::MAX; self.steps.len()];
        let mut awaited = vec![false; self.steps.len()];
        for station in from {
            awaited[*station as usize] = true;
        }
        let mut left = awaited.iter().filter(|awaited| **awaited).count();
        let mut heap = BinaryHeap::new();
        for goal in goals {
            cost[*goal as usize] = 0;
            heap.push(Reverse((0u64, *goal)));
        }
        while let Some(Reverse((so_far, at))) = heap.pop() {
            if so_far > cost[at as usize] {
                continue;
            }
            left -= usize::from(std::mem::take(&mut awaited[at as usize]));
            if left == 0 {
                break;
            }
            for step in &self.steps[at as usize] {
                let total = so_far + step.cost;
                if total < cost[step.from as usize] {
                    cost[step.from as usize] = total;
                    next[step.from as usize] = at;
                    heap.push(Reverse((total, step.from)));
                }
            }
        }
        next
    }
}

impl World {
    /// Writes the ways of flows between stations.
    pub(super) fn add_air_routes(&mut self, spec: &Spec) -> Result<(), Refusal> {
        let wanted = self.wanted_ways(spec)?;
        let stations = self.air.radios.len();
        let by_airtime = matches!(
            spec.routing,
            Routing::Airtime | Routing::ShortestPath | Routing::Ecmp
        );
        let ways = by_airtime.then(|| self.ways(spec));
        let parents = match spec.routing {
            Routing::AirtimeTree => Some(self.tree(spec)?),
            _ => None,
        };
        for (host, sources) in wanted {
            let goal = self.nodes[self.hosts[host as usize]].station;
            let next = match (&ways, &parents) {
                (Some(ways), _) => ways.nearest(&[goal], &sources),
                (None, Some(parents)) => along_tree(parents, goal),
                (None, None) => {
                    let direct = |station| match self.understands(spec, station, goal) {
                        true => goal,
                        false => NOBODY,
                    };
                    (0..stations as u32).map(direct).collect()
                }
            };
            let mut passed = vec![false; stations];
            for source in sources {
                let mut at = source;
                while next[at as usize] != NOBODY && !passed[at as usize] {
                    passed[at as usize] = true;
                    at = next[at as usize];
                }
            }
            for station in (0..stations).filter(|s| passed[*s]) {
                let port = self.hop(spec, station as u32, next[station]);
                let row = self.air.radios[station].row;
                self.forwarding.write(row, host as usize, &[port]);
            }
        }
        self.written_air_routes(spec)
    }

    /// The stations that send to each host by a way that is not written.
    fn wanted_ways(&self, spec: &Spec) -> Result<BTreeMap<u32, Vec<u32>>, Refusal> {
        let mut wanted: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (flow, spec_flow) in self.flows.iter().zip(&spec.flows) {
            let to_group = matches!(spec_flow.to, Destination::Group(_));
            let here = self.nodes[flow.from].station;
            if here == NOBODY || to_group {
                continue;
            }
            for host in flow.to.iter() {
                let node = self.hosts[host as usize];
                if !self.share_medium(here, self.nodes[node].station) {
                    let what = format!(
                        "{} is not on the medium of {}",
                        self.nodes[node].name, self.nodes[flow.from].name
                    );
                    let fix = "name a station of the same medium";
                    return refuse(format!("flows.{}.to", spec_flow.name), what, fix);
                }
                if spec_flow.route.is_none() {
                    wanted.entry(host).or_default().push(here);
                }
            }
        }
        Ok(wanted)
    }

    /// What the links between stations cost: airtime, or one each.
    pub(super) fn ways(&self, spec: &Spec) -> Ways {
        let by_hops = matches!(spec.routing, Routing::ShortestPath | Routing::Ecmp);
        let steps = (0..self.air.radios.len() as u32).map(|at| {
            // Links are alike both ways: who hears `at` can be a hop before it.
            let links = self.air.reach[at as usize].iter();
            let steps = links.filter_map(|link| {
                self.rate(spec, at, link)?;
                let rate = self.rate(spec, link.to, link)?;
                let cost = match by_hops {
                    true => 1,
                    false => self.airtime(link.to, rate),
                };
                Some(Step {
                    from: link.to,
                    cost,
                })
            });
            steps.collect()
        });
        Ways {
            steps: steps.collect(),
        }
    }

    /// Airtime of an exchange of the test frame.
    fn airtime(&self, from: u32, rate: Rate) -> u64 {
        let medium = self.air.medium(from);
        let bytes = TEST_FRAME + medium.overhead;
        let data = medium.phy.airtime(bytes, rate);
        let mut exchange = data + medium.sifs + medium.ack(rate);
        if bytes > medium.mac.rts_above {
            exchange = exchange + medium.rts + medium.cts + medium.sifs.times(2);
        }
        exchange.0
    }

    /// The parent of each station; a root is its own.
    fn tree(&self, spec: &Spec) -> Result<Vec<u32>, Refusal> {
        let roots: Vec<u32> = spec
            .roots
            .iter()
            .map(|n| self.nodes[NodeId::new(*n)].station)
            .collect();
        if roots.is_empty() || roots.contains(&NOBODY) {
            return refuse(
                "routing.roots",
                "the roots of a tree are stations",
                "write roots = [\"G1\"] with names of stations",
            );
        }
        let all: Vec<u32> = (0..self.air.radios.len() as u32).collect();
        let mut parents = self.ways(spec).nearest(&roots, &all);
        for root in roots {
            parents[root as usize] = root;
        }
        Ok(parents)
    }

    fn written_air_routes(&mut self, spec: &Spec) -> Result<(), Refusal> {
        let mut written: BTreeMap<(u32, usize), &str> = BTreeMap::new();
        for (number, flow) in spec.flows.iter().enumerate() {
            let Some(route) = &flow.route else { continue };
            let from = self.flows[Id::new(number)].from;
            if self.nodes[from].station == NOBODY {
                continue;
            }
            let path = format!("routes.{}", flow.name);
            let goal: Vec<u32> = self.flows[Id::new(number)].to.iter().collect();
            let name = |n: usize| spec.nodes[n].name.as_str();
            let ends = (route.first(), route.last());
            let last = self.hosts[goal[0] as usize].index();
            if goal.len() != 1 || ends != (Some(&flow.from), Some(&last)) {
                return refuse(
                    path,
                    "a route leads from the flow's `from` to its only `to`",
                    "write the stations from the first to the last",
                );
            }
            for (i, node) in route.iter().enumerate() {
                if route[..i].contains(node) {
                    let what = format!("the route passes {} twice", name(*node));
                    return refuse(path, what, "name each station once");
                }
            }
            for pair in route.windows(2) {
                let station = |n: usize| self.nodes[NodeId::new(n)].station;
                let (a, b) = (station(pair[0]), station(pair[1]));
                if a == NOBODY || b == NOBODY || !self.understands(spec, a, b) {
                    let what = format!("{} is out of reach of {}", name(pair[1]), name(pair[0]));
                    return refuse(path, what, "name neighbours in order, or move them closer");
                }
                let port = self.hop(spec, a, b);
                let entry = (self.air.radios[a as usize].row, goal[0] as usize);
                let same = self.forwarding.write(entry.0, entry.1, &[port]);
                if let Some(other) = written.get(&entry).filter(|_| !same) {
                    let what = format!(
                        "at {} the route to {} parts from the route of flow {other}",
                        name(pair[0]),
                        name(last)
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
}

/// From each station the next on the tree toward `goal`.
fn along_tree(parents: &[u32], goal: u32) -> Vec<u32> {
    let mut next: Vec<u32> = parents
        .iter()
        .enumerate()
        .map(|(s, p)| if *p == s as u32 { NOBODY } else { *p })
        .collect();
    let mut below = goal;
    next[goal as usize] = NOBODY;
    while parents[below as usize] != below && parents[below as usize] != NOBODY {
        let above = parents[below as usize];
        next[above as usize] = below;
        below = above;
    }
    next
}
