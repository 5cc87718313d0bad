//! Networks of wires that the topologies make; `places` makes those of 802.11 stations.

use std::collections::BTreeMap;

use backwater_sim::spec::{LinkSpec, MediumSpec, NodeKind, SwitchModel};
use backwater_transport::units::{Bytes, Rate, Span};

use super::links::Link;
use super::places;
use super::record::Record;
use super::topology::model;
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::SWITCH;
use crate::files::Files;
use crate::topologies::TOPOLOGIES;
use crate::tree::Node;

/// What links of one kind have in common.
#[derive(Copy, Clone)]
pub struct Cable {
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

    /// A link of this kind between two nodes.
    pub fn join(self, name: String, ends: [usize; 2]) -> Link {
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
pub struct Network {
    /// Nodes.
    pub nodes: BTreeMap<String, NodeKind>,
    /// Links: name, ends, and what is between them.
    pub links: Vec<(String, [String; 2], Cable)>,
}

impl Network {
    fn link(&mut self, a: &str, b: &str, cable: Cable) {
        self.links
            .push((format!("{a}-{b}"), [a.to_owned(), b.to_owned()], cable));
    }
}

/// The network that a topology names; `written` are the nodes beside it.
pub fn generate(
    topology: &Node,
    written: &BTreeMap<String, NodeKind>,
    media: &[MediumSpec],
    seed: u64,
    files: &mut Files<'_>,
) -> Result<Network, Diagnostic> {
    let (kind, record) = Record::variant(topology, TOPOLOGIES, None, files)?;
    let mut network = Network::default();
    if record.get("medium").is_some() {
        network.nodes = places::generate(kind, &record, written, media, seed, files)?;
        return Ok(network);
    }
    let cable = Cable::of(&record);
    let host = NodeKind::Host {
        obeys: record.args.flag("obeys"),
    };
    let switch = NodeKind::Switch(match record.get("switch") {
        Some(node) => model(&Record::read(node, SWITCH, &[], files)?)?,
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
            fat_tree(k / 2, &host, &switch, cable, &mut network);
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
                &mut network,
            );
        }
        _ => ring(
            record.args.count("switches"),
            record.args.count("hosts"),
            &host,
            &switch,
            cable,
            &mut network,
        ),
    }
    Ok(network)
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
