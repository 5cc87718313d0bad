//! Networks of wires, and of wires with an access point, that the topologies make; `places` makes those of 802.11
//! stations alone.

use std::collections::BTreeMap;

use backwater_sim::spec::{LinkSpec, MediumSpec, NodeKind, StationSpec, SwitchModel};
use backwater_transport::units::{Bytes, Rate, Span};

use super::air;
use super::links::Link;
use super::places;
use super::record::Record;
use super::topology::model;
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::SWITCH;
use crate::files::Files;
use crate::topologies::TOPOLOGIES;
use crate::tree::Node;
use crate::units;

/// What links of one kind have in common.
#[derive(Copy, Clone)]
pub struct Cable {
    rate: Rate,
    delay: Span,
    max_frame: Bytes,
}

impl Cable {
    /// What the options of these names say.
    fn of(record: &Record<'_>, [rate, delay]: [&str; 2]) -> Cable {
        let args = &record.args;
        Cable {
            rate: args.rate(rate),
            delay: args.span(delay),
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
    if kind == "wlan" {
        return wlan(&record, media, files);
    }
    if record.get("medium").is_some() {
        network.nodes = places::generate(kind, &record, written, media, seed, files)?;
        return Ok(network);
    }
    let cable = Cable::of(&record, ["rate", "delay"]);
    let host = NodeKind::Host {
        obeys: record.args.flag("obeys"),
    };
    let switch = switch_of(&record, files)?;
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

/// Stations s1… on a circle round the access point AP, which a wire joins to the router R and its fixed nodes d1….
fn wlan(
    record: &Record<'_>,
    media: &[MediumSpec],
    files: &mut Files<'_>,
) -> Result<Network, Diagnostic> {
    let mut network = Network::default();
    let centre = record.get("at").map_or(Ok([0.0; 2]), air::place)?;
    let model = air::station_at(record, centre, media, files)?;
    let (stations, radius) = (record.args.count("stations"), record.args.number("radius"));
    let mut add = |name: String, at: [f64; 2]| {
        let station = StationSpec {
            at,
            ..model.clone()
        };
        network.nodes.insert(name, NodeKind::Station(vec![station]));
    };
    add("AP".to_owned(), centre);
    for i in 0..stations {
        let angle = std::f64::consts::TAU * i as f64 / stations as f64;
        let at = [
            centre[0] + radius * libm::cos(angle),
            centre[1] + radius * libm::sin(angle),
        ];
        add(format!("s{}", i + 1), at);
    }
    let cable = Cable::of(record, ["wire_rate", "wire_delay"]);
    network
        .nodes
        .insert("R".to_owned(), switch_of(record, files)?);
    network.link("AP", "R", cable);
    let host = NodeKind::Host {
        obeys: record.args.flag("obeys"),
    };
    let delays = delays(record)?;
    for i in 0..record.args.count("fixed") {
        let delay = delays.get(i as usize % delays.len().max(1));
        let delay = delay.copied().unwrap_or(cable.delay);
        let name = format!("d{}", i + 1);
        network.link("R", &name, Cable { delay, ..cable });
        network.nodes.insert(name, host.clone());
    }
    Ok(network)
}

fn delays(record: &Record<'_>) -> Result<Vec<Span>, Diagnostic> {
    let Some(node) = record.get("delays") else {
        return Ok(Vec::new());
    };
    let delay = |item: &Node| units::span(item.text()?).map_err(|fault| item.refuse(fault));
    node.list()?.iter().map(delay).collect()
}

/// The model of the switches that a topology makes.
fn switch_of(record: &Record<'_>, files: &mut Files<'_>) -> Result<NodeKind, Diagnostic> {
    Ok(NodeKind::Switch(match record.get("switch") {
        Some(node) => model(&Record::read(node, SWITCH, &[], files)?)?,
        None => SwitchModel::OutputQueued,
    }))
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
