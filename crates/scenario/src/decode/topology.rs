//! Nodes and links: those written, and those of a generator.

use std::collections::BTreeMap;

use backwater_sim::spec::{MediumSpec, NodeKind, NodeSpec, Routing, SwitchModel};

use super::air;
use super::generate::{Network, generate};
use super::links::Link;
use super::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::{self, SHARED_MEMORY};
use crate::files::Files;
use crate::names;
use crate::tree::Node;

/// The nodes and links of a scenario, in the order of their names. A generator that draws places does so
/// from `seed`.
pub fn read(
    top: &Record<'_>,
    media: &[MediumSpec],
    seed: u64,
    files: &mut Files<'_>,
) -> Result<(Vec<NodeSpec>, Vec<Link>), Diagnostic> {
    let mut written: BTreeMap<String, NodeKind> = BTreeMap::new();
    let entries = match top.get("nodes") {
        Some(nodes) => nodes.table()?,
        None => &[],
    };
    for entry in entries {
        names::check("node", &entry.key).map_err(|f| f.at(&entry.origin))?;
        written.insert(entry.key.clone(), node(&entry.node, media, files)?);
    }
    let mut network = match top.get("topology") {
        Some(topology) => generate(topology, &written, media, seed, files)?,
        None => Network::default(),
    };
    if let Some(entry) = entries.iter().find(|e| network.nodes.contains_key(&e.key)) {
        let what = format!("the topology already generates a node `{}`", entry.key);
        return Err(Fault::new(what, "choose another name").at(&entry.origin));
    }
    network.nodes.extend(written);
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
            Some("chain" | "grid" | "random-grid") => "airtime",
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
        "station" => NodeKind::Station(air::station(&record, media, files)?),
        "host" => NodeKind::Host {
            obeys: record.args.flag("obeys"),
        },
        _ => NodeKind::Switch(model(&record)?),
    })
}

/// The model of a switch. The sizes of a memory go with the shared-memory model only.
pub fn model(record: &Record<'_>) -> Result<SwitchModel, Diagnostic> {
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
