//! The ports of links and of attachments to shared media: their names, queues and buffers.

use std::collections::BTreeMap;

use backwater_sim::limit::Limit;
use backwater_sim::queue::{QUEUES, Queue, Room, Scheduler};
use backwater_sim::spec::{
    Egress, LinkSpec, MediumSpec, NodeKind, NodeSpec, PortSpec, SwitchModel,
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

/// Attachments with queue management: "A>medium", and how it was made.
pub type Managed = Vec<(String, Made)>;

/// The ports of all links, two for each in the order of the links, the queue management of attachments, whose ports
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
    let egresses = egresses(&names, nodes, media);
    let all: Vec<&str> = egresses.iter().map(|(name, _)| name.as_str()).collect();
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
    let managed = manage_attachments(top, nodes, media, &settings)?;
    let stamps = stamps::read(&settings, &egresses)?;
    Ok((ports, managed, stamps))
}

/// Every egress by name: the ports of links, then attachments.
fn egresses(names: &[String], nodes: &[NodeSpec], media: &[MediumSpec]) -> Vec<(String, Egress)> {
    let ports = names.iter().cloned().zip((0..).map(Egress::Port));
    let attached = nodes.iter().enumerate().flat_map(|(number, node)| {
        let each = node.kind.attachments().iter().enumerate();
        each.map(move |(of_node, one)| {
            let name = attachment_name(&node.name, &media[one.medium]);
            (name, Egress::Attachment(number, of_node))
        })
    });
    ports.chain(attached).collect()
}

fn attachment_name(node: &str, medium: &MediumSpec) -> String {
    format!("{node}>{}", medium.name)
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
        _ => Limit::Unlimited,
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

/// Gives attachments their buffers and queue management.
fn manage_attachments(
    top: &Record<'_>,
    nodes: &mut [NodeSpec],
    media: &[MediumSpec],
    settings: &Settings,
) -> Result<Managed, Diagnostic> {
    let mut managed = Vec::new();
    let attached = nodes.iter_mut().flat_map(|node| {
        let of: &str = &node.name;
        let each = node.kind.attachments_mut().iter_mut();
        each.map(move |one| (attachment_name(of, &media[one.medium]), one))
    });
    for (name, attachment) in attached {
        if let Some(written) = settings.buffer(&name)? {
            attachment.buffer = written.value;
        }
        let Some((queue, made)) = settings.queue(&name)? else {
            continue;
        };
        if queue.is_plain() {
            // The queue of an attachment where nothing is written.
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
        attachment.aqm = Some(aqm.clone());
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
