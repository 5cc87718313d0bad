//! Nodes and links: those written, and those of the generators `fat-tree` and `ring`.

use std::collections::BTreeMap;

use backwater_sim::spec::{LinkSpec, MediumSpec, NodeKind, NodeSpec, Routing, SwitchModel};
use backwater_transport::units::{Bytes, Rate, Span};

use super::air;
use super::links::Link;
use super::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::{self, SHARED_MEMORY};
use crate::files::Files;
use crate::names;
use crate::tree::Node;

/// The nodes and links of a scenario, in the order of their names.
pub fn read(
    top: &Record<'_>,
    media: &[MediumSpec],
    files: &mut Files<'_>,
) -> Result<(Vec<NodeSpec>, Vec<Link>), Diagnostic> {
    let mut network = Network::default();
    if let Some(topology) = top.get("topology") {
        generate(topology, &mut network, files)?;
    }
    if let Some(nodes) = top.get("nodes") {
        for entry in nodes.table()? {
            names::check("node", &entry.key).map_err(|f| f.at(&entry.origin))?;
            let kind = node(&entry.node, media, files)?;
            if network.nodes.insert(entry.key.clone(), kind).is_some() {
                let what = format!("the topology already generates a node `{}`", entry.key);
                return Err(Fault::new(what, "choose another name").at(&entry.origin));
            }
        }
    }
    if network.nodes.is_empty() {
        let fault = Fault::new(
            "the scenario has no nodes",
            "write nodes.NAME = { kind = \"host\" }, or a topology",
        );
        return Err(top.node.refuse(fault));
    }
    let mut nodes: Vec<NodeSpec> = network
        .nodes
        .into_iter()
        .map(|(name, kind)| NodeSpec { name, kind })
        .collect();
    nodes.sort_by(|a, b| names::order(&a.name, &b.name));
    let index: BTreeMap<&str, usize> = nodes
        .iter()
        .enumerate()
        .map(|(i, n)| (n.name.as_str(), i))
        .collect();

    let mut links: Vec<Link> = Vec::new();
    for (name, [a, b], cable) in network.links {
        links.push(cable.join(name, [index[a.as_str()], index[b.as_str()]]));
    }
    let generated: Vec<String> = links.iter().map(|l| l.spec.name.clone()).collect();
    if let Some(written) = top.get("links") {
        links.extend(super::links::read(written, &index, &generated, files)?);
    }
    links.sort_by(|a, b| names::order(&a.spec.name, &b.spec.name));
    Ok((nodes, links))
}

/// The routing rule; a generated network has its own default.
pub fn routing(
    top: &Record<'_>,
    nodes: &[NodeSpec],
    files: &mut Files<'_>,
) -> Result<(Routing, Vec<usize>), Diagnostic> {
    let mut roots = Vec::new();
    let kind = match top.get("routing") {
        Some(node) => {
            let record = Record::read(node, fields::ROUTING, &[], files)?;
            let kind = record.args.choice("kind");
            if let Some(written) = record.get("roots") {
                if kind != "airtime-tree" {
                    let what = format!("`{}` goes with airtime-tree only", written.path);
                    return Err(written.refuse(Fault::new(what, "remove it")));
                }
                let index = nodes
                    .iter()
                    .enumerate()
                    .map(|(i, n)| (n.name.as_str(), i))
                    .collect();
                for item in written.list()? {
                    roots.push(find(item, &index)?);
                }
            }
            kind
        }
        None => match top
            .get("topology")
            .and_then(|t| t.get("kind"))
            .map(Node::text)
            .transpose()?
        {
            Some("fat-tree") => "ecmp",
            Some("ring") => "shortest-path",
            Some(_) | None => "tree",
        },
    };
    let routing = match kind {
        "ecmp" => Routing::Ecmp,
        "shortest-path" => Routing::ShortestPath,
        "airtime" => Routing::Airtime,
        "airtime-tree" => Routing::AirtimeTree,
        _ => Routing::Tree,
    };
    Ok((routing, roots))
}

fn node(node: &Node, media: &[MediumSpec], files: &mut Files<'_>) -> Result<NodeKind, Diagnostic> {
    let (kind, record) = Record::variant(node, fields::NODES, None, files)?;
    Ok(match kind {
        "station" => NodeKind::Station(Box::new(air::station(&record, media, files)?)),
        "host" => NodeKind::Host {
            obeys: record.args.flag("obeys"),
        },
        _ => NodeKind::Switch(model(&record)?),
    })
}

/// The model of a switch. The sizes of a memory go with the shared-memory model only.
fn model(record: &Record<'_>) -> Result<SwitchModel, Diagnostic> {
    let args = &record.args;
    let sizes = ["memory", "reserve", "headroom", "shift"];
    if args.choice("model") != SHARED_MEMORY {
        return match sizes.iter().find_map(|name| record.get(name)) {
            None => Ok(SwitchModel::OutputQueued),
            Some(node) => {
                let what = format!(
                    "`{}` goes with the model \"{SHARED_MEMORY}\" only",
                    node.path
                );
                Err(node.refuse(Fault::new(
                    what,
                    format!("remove it, or write model = \"{SHARED_MEMORY}\""),
                )))
            }
        };
    }
    if let Some(name) = sizes.iter().find(|name| !args.has(name)) {
        let example = ["\"12 MB\"", "\"4 kB\"", "\"20 kB\"", "3"]
            [sizes.iter().position(|n| n == name).unwrap_or(0)];
        let what = format!(
            "`{}` is missing: a shared-memory switch needs it",
            crate::tree::join(&record.node.path, name)
        );
        return Err(record
            .node
            .refuse(Fault::new(what, format!("write {name} = {example}"))));
    }
    Ok(SwitchModel::SharedMemory {
        memory: args.bytes("memory"),
        reserve: args.bytes("reserve"),
        headroom: args.bytes("headroom"),
        shift: u32::try_from(args.count("shift")).expect("at most 16"),
    })
}

/// The index of a node that a text names.
pub fn find(item: &Node, index: &BTreeMap<&str, usize>) -> Result<usize, Diagnostic> {
    let name = item.text()?;
    index.get(name).copied().ok_or_else(|| {
        item.refuse(Fault::unknown(
            format!("`{}`: there is no node `{name}`", item.path),
            name,
            index.keys().copied(),
        ))
    })
}

/// What links of one kind have in common.
#[derive(Copy, Clone)]
struct Cable {
    rate: Rate,
    delay: Span,
    max_frame: Bytes,
}

impl Cable {
    fn of(record: &Record<'_>) -> Cable {
        let args = &record.args;
        Cable {
            rate: args.rate("rate"),
            delay: args.span("delay"),
            max_frame: args.bytes("max_frame"),
        }
    }

    fn join(self, name: String, ends: [usize; 2]) -> Link {
        Link {
            spec: LinkSpec {
                name,
                ends,
                rate: self.rate,
                delay: self.delay,
                ways: [None, None],
                max_frame: self.max_frame,
            },
            ways: [None, None],
        }
    }
}

/// Nodes and links by name.
#[derive(Default)]
struct Network {
    nodes: BTreeMap<String, NodeKind>,
    links: Vec<(String, [String; 2], Cable)>,
}

impl Network {
    fn link(&mut self, a: &str, b: &str, cable: Cable) {
        self.links
            .push((format!("{a}-{b}"), [a.to_owned(), b.to_owned()], cable));
    }
}

fn generate(
    topology: &Node,
    network: &mut Network,
    files: &mut Files<'_>,
) -> Result<(), Diagnostic> {
    let (kind, record) = Record::variant(topology, fields::TOPOLOGIES, None, files)?;
    let cable = Cable::of(&record);
    let host = NodeKind::Host {
        obeys: record.args.flag("obeys"),
    };
    let switch = NodeKind::Switch(match record.get("switch") {
        Some(node) => model(&Record::read(node, fields::SWITCH, &[], files)?)?,
        None => SwitchModel::OutputQueued,
    });
    match kind {
        "fat-tree" => {
            let k = record.args.count("k");
            if k % 2 != 0 {
                let to_blame = record.get("k").unwrap_or(topology);
                let what = format!("`{}` is odd: half of a switch's ports go up", to_blame.path);
                return Err(
                    to_blame.refuse(Fault::new(what, format!("write {} or {}", k - 1, k + 1)))
                );
            }
            fat_tree(k / 2, &host, &switch, cable, network);
        }
        "dumbbell" => {
            let bottleneck = Cable {
                rate: record.args.rate("bottleneck"),
                delay: record.args.span("bottleneck_delay"),
                ..cable
            };
            dumbbell(
                record.args.count("pairs"),
                &host,
                &switch,
                [cable, bottleneck],
                network,
            );
        }
        _ => ring(
            record.args.count("switches"),
            record.args.count("hosts"),
            &host,
            &switch,
            cable,
            network,
        ),
    }
    Ok(())
}

/// Al-Fares, Loukissas and Vahdat, SIGCOMM 2008: 2h pods of h edge and h aggregation switches, h²
/// core switches, h hosts at each edge switch. Hosts h0…, edge eP-I, aggregation aP-I, core c0….
fn fat_tree(half: u64, host: &NodeKind, switch: &NodeKind, cable: Cable, network: &mut Network) {
    for core in 0..half * half {
        network.nodes.insert(format!("c{core}"), switch.clone());
    }
    for pod in 0..2 * half {
        for i in 0..half {
            let (edge, aggregation) = (format!("e{pod}-{i}"), format!("a{pod}-{i}"));
            for j in 0..half {
                let name = format!("h{}", (pod * half + i) * half + j);
                network.link(&name, &edge, cable);
                network.nodes.insert(name, host.clone());
                network.link(&edge, &format!("a{pod}-{j}"), cable);
                network.link(&aggregation, &format!("c{}", i * half + j), cable);
            }
            network.nodes.insert(edge, switch.clone());
            network.nodes.insert(aggregation, switch.clone());
        }
    }
}

/// Senders s1… at switch L, receivers d1… at switch R, and a link between the two.
fn dumbbell(
    pairs: u64,
    host: &NodeKind,
    switch: &NodeKind,
    [access, bottleneck]: [Cable; 2],
    network: &mut Network,
) {
    for name in ["L", "R"] {
        network.nodes.insert(name.to_owned(), switch.clone());
    }
    network.link("L", "R", bottleneck);
    for i in 1..=pairs {
        for (side, name) in [("L", format!("s{i}")), ("R", format!("d{i}"))] {
            network.link(&name, side, access);
            network.nodes.insert(name, host.clone());
        }
    }
}

/// Switches s0… in a ring; hosts h0…, the first `hosts` of them at s0.
fn ring(
    switches: u64,
    hosts: u64,
    host: &NodeKind,
    switch: &NodeKind,
    cable: Cable,
    network: &mut Network,
) {
    for i in 0..switches {
        let name = format!("s{i}");
        network.link(&name, &format!("s{}", (i + 1) % switches), cable);
        for j in 0..hosts {
            let station = format!("h{}", i * hosts + j);
            network.link(&station, &name, cable);
            network.nodes.insert(station, host.clone());
        }
        network.nodes.insert(name, switch.clone());
    }
}
