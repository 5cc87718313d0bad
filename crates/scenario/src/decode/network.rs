//! Nodes and links: those written, and those of a generator.

use std::collections::BTreeMap;
use std::sync::Arc;

use backwater_sim::medium::tdma::FramesSpec;
use backwater_sim::spec::{LinkSpec, MediumSpec, NodeKind, NodeSpec};

use super::links::{self, Link, tdma};
use super::media;
use super::record::Record;
use super::switch::model;
use super::topology::row::{Cable, Network, Site};
use super::topology::{GENERATORS, TOPOLOGIES};
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::network::NODES;
use crate::files::Files;
use crate::limits::Limits;
use crate::names;
use crate::tree::Node;

/// The nodes and links of a scenario, in the order of their names. A generator that draws places does so
/// from `seed`.
pub fn read(
    top: &Record<'_>,
    media: &[MediumSpec],
    seed: u64,
    limits: Limits,
    files: &mut Files<'_>,
) -> Result<(Vec<NodeSpec>, Vec<Link>), Diagnostic> {
    let mut written: BTreeMap<String, NodeKind> = BTreeMap::new();
    let entries = match top.get("nodes") {
        Some(nodes) => nodes.table()?,
        None => &[],
    };
    limits.nodes(entries.len() as u64, top.node)?;
    for entry in entries {
        names::check("node", &entry.key).map_err(|f| f.at(&entry.origin))?;
        written.insert(entry.key.clone(), node(&entry.node, media, files)?);
    }
    let frames = tdma::media(top, files)?;
    let mut network = match top.get("topology") {
        Some(topology) => {
            let media = (media, frames.as_slice());
            generate(topology, &written, media, seed, limits, files)?
        }
        None => Network::default(),
    };
    if let Some(entry) = entries.iter().find(|e| network.nodes.contains_key(&e.key)) {
        let what = format!("the topology already generates a node `{}`", entry.key);
        return Err(Fault::new(what, "choose another name").at(&entry.origin));
    }
    network.nodes.extend(written);
    limits.nodes(network.nodes.len() as u64, top.node)?;
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

    let mut all: Vec<Link> = Vec::new();
    for (name, [a, b], cable) in network.links {
        all.push(join(cable, name, [index[a.as_str()], index[b.as_str()]]));
    }
    for (name, [a, b], direction) in network.terminals {
        let ends = [index[a.as_str()], index[b.as_str()]];
        all.push(direction.link(name, ends));
    }
    let generated: Vec<String> = all.iter().map(|l| l.spec.name.clone()).collect();
    if let Some(written) = top.get("links") {
        all.extend(links::read(&frames, written, &index, &generated, files)?);
    }
    let directions = all.iter().flat_map(|link| &link.spec.directions).flatten();
    tdma::check_used(top, &frames, directions.map(|direction| &direction.service))?;
    all.sort_by(|a, b| names::order(&a.spec.name, &b.spec.name));
    Ok((nodes, all))
}

/// The network that `topology` names; `written` are the nodes beside it.
fn generate(
    topology: &Node,
    written: &BTreeMap<String, NodeKind>,
    (media, frames): (&[MediumSpec], &[Arc<FramesSpec>]),
    seed: u64,
    limits: Limits,
    files: &mut Files<'_>,
) -> Result<Network, Diagnostic> {
    let (kind, record) = Record::variant(topology, TOPOLOGIES, None, files)?;
    let row = GENERATORS.iter().find(|row| row.variant.kind == kind);
    let row = row.expect("every topology has a generator");
    let count = |name| match record.args.has(name) {
        true => record.args.count(name),
        false => 1,
    };
    // Where the stations are counted, rows and columns are places only.
    if !record.args.has("stations") {
        limits.nodes(count("rows") * count("columns"), topology)?;
    }
    let site = Site {
        record,
        written,
        media,
        frames,
        seed,
    };
    (row.build)(&site, files)
}

/// A generated link.
fn join(cable: Cable, name: String, ends: [usize; 2]) -> Link {
    Link {
        spec: LinkSpec {
            name,
            ends,
            rate: cable.rate,
            delay: cable.delay,
            directions: [None, None],
            max_frame: cable.max_frame,
        },
        directions: [None, None],
    }
}

fn node(node: &Node, media: &[MediumSpec], files: &mut Files<'_>) -> Result<NodeKind, Diagnostic> {
    let (kind, record) = Record::variant(node, NODES, None, files)?;
    Ok(match kind {
        "station" => media::station(&record, media, files)?,
        "host" => NodeKind::Host {
            obeys: record.args.flag("obeys"),
        },
        _ => NodeKind::Switch(model(&record)?),
    })
}
