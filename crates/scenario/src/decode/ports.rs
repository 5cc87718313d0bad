//! The ports of links and radios: their names, queues and buffers.

use std::collections::BTreeMap;

use backwater_sim::limit::Limit;
use backwater_sim::queue::{QUEUES, Room};
use backwater_sim::spec::{
    LinkSpec, MediumSpec, NodeKind, NodeSpec, PortSpec, StationSpec, SwitchModel,
};
use backwater_transport::units::Bytes;

use super::Port;
use super::links::Link;
use super::parts::{self, Made};
use super::record::Record;
pub use super::settings::select;
use super::settings::{Settings, Written};
use crate::diagnostic::{Diagnostic, Fault};
use crate::files::Files;

/// Where nothing is said: a queue for each class of the flows, the highest first.
pub const DEFAULT_QUEUE: &str = "strict-priority";
/// The option of `DEFAULT_QUEUE` that takes the number of classes.
const DEFAULT_QUEUE_CLASSES: &str = "classes";
/// Buffer of a switch's class queue where nothing is said: S2's large buffer.
const DEFAULT_BUFFER: Bytes = Bytes(500_000);

/// Radios with queue management: "A>medium", and how it was made.
pub type Managed = Vec<(String, Made)>;

/// The ports of all links, two for each in the order of the links, and the queue management of radios, whose ports
/// are named "A>medium".
pub fn read(
    top: &Record<'_>,
    nodes: &mut [NodeSpec],
    media: &[MediumSpec],
    links: &[Link],
    classes: u64,
    files: &mut Files<'_>,
) -> Result<(Vec<Port>, Managed), Diagnostic> {
    let names = port_names(nodes, links);
    let radio_name =
        |node: &str, radio: &StationSpec| format!("{node}>{}", media[radio.medium].name);
    let named = |node: &NodeSpec| match &node.kind {
        NodeKind::Station(radios) => radios.iter().map(|r| radio_name(&node.name, r)).collect(),
        NodeKind::Host { .. } | NodeKind::Switch(_) => Vec::new(),
    };
    let radios: Vec<String> = nodes.iter().flat_map(named).collect();
    let all: Vec<&str> = names.iter().chain(&radios).map(String::as_str).collect();
    let ways = links.iter().flat_map(|link| &link.ways);
    let traced = names.iter().zip(ways).filter_map(|(name, way)| {
        let setting = way.as_ref()?.port.clone()?;
        Some((name.clone(), setting))
    });
    let settings = Settings::read(top, &all, traced, files)?;
    let part = parts::find(QUEUES, DEFAULT_QUEUE).expect("the default queue is in the table");
    let preset = [(DEFAULT_QUEUE_CLASSES, classes.to_string())];
    let preset = preset
        .each_ref()
        .map(|(option, value)| (*option, value.as_str()));
    let fallback = parts::make(part, &parts::unwritten(top.node, "ports"), &preset, files)?;

    let owners: &[NodeSpec] = nodes;
    let port = |(i, name): (usize, &String)| {
        let link = &links[i / 2];
        let owner = &owners[link.spec.ends[i % 2]];
        let traced = link.ways[i % 2]
            .as_ref()
            .is_some_and(|way| way.trace.is_some());
        let (queue, made) = settings.queue(name)?.unwrap_or(&fallback).clone();
        let host = matches!(owner.kind, NodeKind::Host { .. });
        // Hosts hold what their sources hand them; a shared memory has limits of its own; the emulators'
        // queues are without limit unless a person says otherwise.
        let default = match owner.kind {
            NodeKind::Switch(SwitchModel::OutputQueued) if !traced => Limit::Bytes(DEFAULT_BUFFER),
            NodeKind::Host { .. } | NodeKind::Switch(_) | NodeKind::Station(_) => Limit::Unlimited,
        };
        let written = settings.buffer(name)?;
        let buffer = match (queue.room, written) {
            (Room::Endless, None) => Limit::Unlimited,
            (Room::Endless, Some(Written { node, .. })) => {
                let what = format!(
                    "`{}`: {name} has a queue of kind \"{}\", which has no limit",
                    node.path, made.id
                );
                return Err(
                    node.refuse(Fault::new(what, "remove the buffer, or take another queue"))
                );
            }
            (_, Some(written)) => written.value,
            (Room::Default(limit), None) => limit,
            (Room::Port, None) => default,
        };
        Ok(Port {
            spec: PortSpec {
                name: name.clone(),
                scheduler: queue.scheduler,
                aqm: queue.aqm,
                buffer,
            },
            queue: made,
            host,
        })
    };
    let ports: Vec<Port> = names
        .iter()
        .enumerate()
        .map(port)
        .collect::<Result<_, _>>()?;
    let mut managed = Vec::new();
    let radios = nodes.iter_mut().flat_map(|node| match &mut node.kind {
        NodeKind::Station(radios) => {
            let name = &node.name;
            radios
                .iter_mut()
                .map(|r| (name.as_str(), r))
                .collect::<Vec<_>>()
        }
        NodeKind::Host { .. } | NodeKind::Switch(_) => Vec::new(),
    });
    for (node, station) in radios {
        let name = radio_name(node, station);
        if let Some(written) = settings.buffer(&name)? {
            station.buffer = written.value;
        }
        let Some((queue, made)) = settings.queue(&name)? else {
            continue;
        };
        let Some(aqm) = &queue.aqm else {
            let what = format!(
                "`ports`: {name} is a radio, and a queue of kind \"{}\" has no queue management",
                made.id
            );
            let fix = "name the wired ports alone, or take a queue such as codel, fq-codel or red: \
                       which access category goes first is the radio's to settle";
            return Err(top.need("ports").refuse(Fault::new(what, fix)));
        };
        station.aqm = Some(aqm.clone());
        managed.push((name, made.clone()));
    }
    Ok((ports, managed))
}

/// "A>B"; where several links join the same nodes, "A>B#link".
fn port_names(nodes: &[NodeSpec], links: &[Link]) -> Vec<String> {
    let links = || links.iter().map(|l| &l.spec);
    let mut parallel: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    let pair = |l: &LinkSpec| [l.ends[0].min(l.ends[1]), l.ends[0].max(l.ends[1])];
    for link in links() {
        *parallel.entry(pair(link)).or_default() += 1;
    }
    let mut names = Vec::new();
    for link in links() {
        for (way, [a, b]) in link
            .ways
            .iter()
            .zip([link.ends, [link.ends[1], link.ends[0]]])
        {
            let mut name = format!("{}>{}", nodes[a].name, nodes[b].name);
            if parallel[&pair(link)] > 1 {
                name = format!("{name}#{}", way.as_ref().map_or(&link.name, |w| &w.name));
            }
            names.push(name);
        }
    }
    names
}
