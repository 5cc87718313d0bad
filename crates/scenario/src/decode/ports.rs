//! The ports of links and radios: their names, queues and buffers.

use std::collections::BTreeMap;

use backwater_sim::limit::Limit;
use backwater_sim::queue::{QUEUES, Queue, Room, Scheduler};
use backwater_sim::spec::{
    Egress, LinkSpec, MediumSpec, NodeKind, NodeSpec, PortSpec, StationSpec, SwitchModel,
};
use backwater_transport::units::Bytes;

use super::Port;
use super::links::Link;
use super::parts::{self, Made};
use super::record::Record;
pub use super::settings::select;
use super::settings::{Settings, Written};
use super::stamps::{self, Stamp};
use crate::diagnostic::{Diagnostic, Fault};
use crate::files::Files;

/// Queue of a port that no row sets: one for each class of the flows, the highest first.
pub const DEFAULT_QUEUE: &str = "strict-priority";
/// The option of `DEFAULT_QUEUE` that takes the number of classes.
const DEFAULT_QUEUE_CLASSES: &str = "classes";
/// Buffer of a switch's class queue that no row sets: S2's large buffer.
const DEFAULT_BUFFER: Bytes = Bytes(500_000);

/// Radios with queue management: "A>medium", and how it was made.
pub type Managed = Vec<(String, Made)>;

/// The ports of all links, two for each in the order of the links, the queue management of radios, whose ports
/// are named "A>medium", and the laws of explicit feedback at both.
pub fn read(
    top: &Record<'_>,
    nodes: &mut [NodeSpec],
    media: &[MediumSpec],
    links: &[Link],
    classes: u64,
    files: &mut Files<'_>,
) -> Result<(Vec<Port>, Managed, Vec<Stamp>), Diagnostic> {
    let names = port_names(nodes, links);
    let radio_name =
        |node: &str, radio: &StationSpec| format!("{node}>{}", media[radio.medium].name);
    let named = |node: &NodeSpec| match &node.kind {
        NodeKind::Station(radios) => radios.iter().map(|r| radio_name(&node.name, r)).collect(),
        NodeKind::Host { .. } | NodeKind::Switch(_) => Vec::new(),
    };
    let radios: Vec<String> = nodes.iter().flat_map(named).collect();
    let egresses = egresses(&names, nodes, radio_name);
    let all: Vec<&str> = names.iter().chain(&radios).map(String::as_str).collect();
    let directions = links.iter().flat_map(|link| &link.directions);
    let traced = names
        .iter()
        .zip(directions)
        .filter_map(|(name, direction)| {
            let setting = direction.as_ref()?.port.clone()?;
            Some((name.clone(), setting))
        });
    let settings = Settings::read(top, &all, traced, files)?;
    let fallback = default_queue(top, classes, files)?;
    let mut ports = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let link = &links[i / 2];
        let owner = &nodes[link.spec.ends[i % 2]];
        let direction = link.directions[i % 2].as_ref();
        let traced = direction.is_some_and(|direction| direction.trace.is_some());
        let (queue, made) = settings.queue(name)?.unwrap_or(&fallback).clone();
        let written = settings.buffer(name)?;
        let buffer = buffer(
            name,
            &queue,
            made.id,
            written,
            default_buffer(owner, traced),
        )?;
        ports.push(Port {
            spec: PortSpec {
                name: name.clone(),
                trim: trim(name, &settings, queue.scheduler.classes())?,
                watchdog: settings.watchdog(name, matches!(owner.kind, NodeKind::Host { .. }))?,
                scheduler: queue.scheduler,
                aqm: queue.aqm,
                buffer,
            },
            queue: made,
            host: matches!(owner.kind, NodeKind::Host { .. }),
        });
    }
    let managed = manage_radios(top, nodes, &settings, radio_name)?;
    let stamps = stamps::read(&settings, &egresses)?;
    Ok((ports, managed, stamps))
}

/// Every egress by name: the ports of links, then radios.
fn egresses(
    names: &[String],
    nodes: &[NodeSpec],
    radio_name: impl Fn(&str, &StationSpec) -> String,
) -> Vec<(String, Egress)> {
    let ports = names.iter().cloned().zip((0..).map(Egress::Port));
    let mut all: Vec<(String, Egress)> = ports.collect();
    for (number, node) in nodes.iter().enumerate() {
        if let NodeKind::Station(radios) = &node.kind {
            for (of_node, radio) in radios.iter().enumerate() {
                all.push((
                    radio_name(&node.name, radio),
                    Egress::Attachment(number, of_node),
                ));
            }
        }
    }
    all
}

/// The queue of ports that no row sets.
fn default_queue(
    top: &Record<'_>,
    classes: u64,
    files: &mut Files<'_>,
) -> Result<(Queue, Made), Diagnostic> {
    let part = parts::find(QUEUES, DEFAULT_QUEUE).expect("the default queue is in the table");
    let preset = [(DEFAULT_QUEUE_CLASSES, classes.to_string())];
    let preset = preset
        .each_ref()
        .map(|(option, value)| (*option, value.as_str()));
    parts::make(part, &parts::unwritten(top.node, "ports"), &preset, files)
}

/// The buffer of a port that no row sets. Hosts hold what their sources hand them, a shared memory has
/// limits of its own, and the emulators' queues have none.
fn default_buffer(owner: &NodeSpec, traced: bool) -> Limit {
    match owner.kind {
        NodeKind::Switch(SwitchModel::OutputQueued) if !traced => Limit::Bytes(DEFAULT_BUFFER),
        NodeKind::Host { .. } | NodeKind::Switch(_) | NodeKind::Station(_) => Limit::Unlimited,
    }
}

/// The class of headers of frames that find a port's queue full. It has a queue among so many.
fn trim(name: &str, settings: &Settings, classes: usize) -> Result<Option<u8>, Diagnostic> {
    let Some((class, node)) = settings.trim(name)? else {
        return Ok(None);
    };
    if usize::from(class) < classes {
        return Ok(Some(class));
    }
    let what = format!(
        "`{}`: class {class} has no queue at {name}, which has {classes} classes",
        node.path
    );
    let fix = "write a lower class, or give the port's queue more classes";
    Err(node.refuse(Fault::new(what, fix)))
}

/// The buffer of a port; a queue without a limit takes none.
fn buffer(
    port: &str,
    queue: &Queue,
    id: &str,
    written: Option<&Written<Limit>>,
    default: Limit,
) -> Result<Limit, Diagnostic> {
    match (queue.room, written) {
        (Room::Endless, None) => Ok(Limit::Unlimited),
        (Room::Endless, Some(Written { node, .. })) => {
            let what = format!(
                "`{}`: {port} has a queue of kind \"{id}\", which has no limit",
                node.path
            );
            Err(node.refuse(Fault::new(what, "remove the buffer, or take another queue")))
        }
        (_, Some(written)) => Ok(written.value),
        (Room::Default(limit), None) => Ok(limit),
        (Room::Port, None) => Ok(default),
    }
}

/// Gives radios their buffers and queue management.
fn manage_radios(
    top: &Record<'_>,
    nodes: &mut [NodeSpec],
    settings: &Settings,
    radio_name: impl Fn(&str, &StationSpec) -> String,
) -> Result<Managed, Diagnostic> {
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
        if queue.is_plain() {
            // What a radio does where nothing is written.
            managed.push((name, made.clone()));
            continue;
        }
        let Some(aqm) = &queue.aqm else {
            let what = format!(
                "`ports`: {name} is a radio, and a queue of kind \"{}\" has no queue management",
                made.id
            );
            let fix = "name wired ports only, or write a queue that manages its length: a radio \
                       serves its access categories by EDCA";
            return Err(top.need("ports").refuse(Fault::new(what, fix)));
        };
        station.aqm = Some(aqm.clone());
        managed.push((name, made.clone()));
    }
    Ok(managed)
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
        for (direction, [a, b]) in link
            .directions
            .iter()
            .zip([link.ends, [link.ends[1], link.ends[0]]])
        {
            let mut name = format!("{}>{}", nodes[a].name, nodes[b].name);
            if parallel[&pair(link)] > 1 {
                name = format!(
                    "{name}#{}",
                    direction.as_ref().map_or(&link.name, |w| &w.name)
                );
            }
            names.push(name);
        }
    }
    names
}
