//! The warnings of a run's document.

use std::collections::BTreeSet;

use backwater_sim::cause::Cause;
use backwater_sim::ids::{FlowId, PortId};
use backwater_sim::limit::Limit;
use backwater_sim::mechanism::{Headroom, Hearing};
use backwater_sim::network::Role;
use backwater_sim::queue::aqm::Aqm;
use backwater_sim::world::{FlowReport, Report, World};
use serde_json::{Value, json};

/// Bytes that a stream may give to its own host's device in Linux (`tcp_limit_output_bytes`).
const KERNEL: u64 = 4 << 20;

/// So many names of flows a warning lists.
const SHOWN: usize = 8;

/// Warnings about a run's numbers.
pub fn warnings(world: &World, report: &Report) -> Vec<String> {
    let mut all = of_mechanisms(world);
    if let Some(d) = &report.deadlock {
        let names: Vec<&str> = d
            .cycle
            .iter()
            .map(|p| world.network().ports[*p].more.name.as_str())
            .collect();
        all.push(format!(
            "deadlock at {:.3} s: {} wait for one another",
            d.at.seconds(),
            names.join(", ")
        ));
    }
    all.extend(world.feedback_warnings(report));
    if let Some(s) = report.standstill {
        all.push(format!(
            "nothing is delivered at the end: {} packets wait, and none was delivered after {:.3} s",
            s.packets,
            s.since.seconds()
        ));
    }
    all.extend(silent_mechanisms(report));
    all.extend(starvation(world, report));
    all.extend(lost_without_a_timer(world, report));
    all.extend(own_queues(world, report));
    all.extend(managed_queues(world, report));
    all.extend(controllers(world, report));
    if !report.conserved {
        all.push("conservation is broken: this is a defect of Backwater; please report the scenario and the seed".into());
    }
    all
}

/// The warnings about mechanisms before a run.
pub fn of_mechanisms(world: &World) -> Vec<String> {
    [world.blind_warnings(), world.headroom_warnings()].concat()
}

/// The bytes that may still come to each port that a mechanism watches, and the warnings about mechanisms and laws of feedback before a
/// run: what `check` prints.
pub fn mechanisms(world: &World) -> Value {
    let name = |port: &PortId| world.network().ports[*port].more.name.as_str();
    let row = |need: &Headroom| {
        json!({
            "port": name(&need.port),
            "watches": if need.ingress { "ingress" } else { "queue" },
            "feeders": need.feeders.iter().map(name).collect::<Vec<_>>(),
            "frames": need.frames,
            "frame_B": need.frame,
            "room_frames": need.room,
        })
    };
    let mut warnings = of_mechanisms(world);
    warnings.extend(world.feedback_warnings_before_a_run());
    json!({
        "headroom": world.headroom().iter().map(row).collect::<Vec<_>>(),
        "warnings": warnings,
    })
}

/// Flows that had packets in the last third of the run, of which none was delivered then.
pub fn starved(report: &Report) -> impl Iterator<Item = &FlowReport> {
    report.flows.iter().filter(|f| f.starved)
}

/// Mechanisms whose notices reached nobody although packets were lost for want of room, or notices were issued.
fn silent_mechanisms(report: &Report) -> impl Iterator<Item = String> {
    let full = [Cause::BufferFull, Cause::MemoryFull];
    let lost = report.drops.iter().filter(|d| full.contains(&d.key.0));
    let lost: u64 = lost.map(|d| d.count.packets).sum();
    let said = move |m: &Hearing| {
        let reason = match (m.issued, lost) {
            (0, 0) => return None,
            (0, lost) => format!("it told nobody although {lost} packets found no room"),
            (issued, _) => format!("none of its {issued} notices reached anybody"),
        };
        (m.tells && m.heard == 0).then(|| format!("mechanism {}: {reason}", m.name))
    };
    report.hearing.iter().filter_map(said)
}

/// Names starved flows.
fn starvation(world: &World, report: &Report) -> Option<String> {
    let own = report
        .flows
        .iter()
        .filter(|f| !matches!(world.network().flows[f.flow].role, Role::Acks(_)));
    let name = |f: &FlowReport| world.network().flows[f.flow].name.as_str();
    let names: Vec<&str> = starved(report).map(name).collect();
    let shown = names
        .iter()
        .take(SHOWN)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!names.is_empty()).then(|| {
        format!(
            "{} of {} flows delivered nothing in the last third of the run although they had packets: {shown}{more}",
            names.len(),
            own.count()
        )
    })
}

/// Flows whose packets were lost, where nothing in the network could tell the sender and no timer repeats them.
fn lost_without_a_timer(world: &World, report: &Report) -> Option<String> {
    let flows = &world.network().flows;
    let is_away = |id: FlowId| {
        let (entered, stats) = (flows[id].entered.packets, &flows[id].stats);
        entered > stats.delivered.packets + stats.dropped.packets
    };
    let mut waiting = report.flows.iter().filter_map(|f| {
        let Role::Data(id) = flows[f.flow].role else {
            return None;
        };
        let ends = &report.connections[id.index()];
        let waits = ends.no_timer && !is_away(f.flow) && !is_away(ends.acks);
        waits.then(|| flows[f.flow].name.as_str())
    });
    let first = waiting.next()?;
    let others = match waiting.count() {
        0 => String::new(),
        others => format!(" (and {others} others)"),
    };
    let row = first.split('/').next().unwrap_or(first);
    Some(format!(
        "flow {first}{others}: its last packets were lost, nobody asks for them and no timer repeats them, so it waits for ever: \
         write timeout = \"1 ms\" for flows.{row}"
    ))
}

/// The warnings of queue management about its constants, where it dropped something.
fn managed_queues<'a>(world: &'a World, report: &'a Report) -> impl Iterator<Item = String> + 'a {
    let drops = report.drops.iter().filter(|d| d.key.0 == Cause::Aqm);
    let ports: BTreeSet<PortId> = drops.map(|d| d.key.1).collect();
    let said = |id: PortId| {
        let more = &world.network().ports[id].more;
        let said = more.managed.as_ref()?.aqm.warning()?;
        Some(format!("port {}: {said}", more.name))
    };
    ports.into_iter().filter_map(said)
}

/// The warnings of controllers from outside the tables.
fn controllers<'a>(world: &'a World, report: &'a Report) -> impl Iterator<Item = String> + 'a {
    let said = |f: &'a FlowReport| {
        let flow = &world.network().flows[f.flow];
        let Role::Data(id) = flow.role else {
            return None;
        };
        let warning = report.connections[id.index()].warning.as_ref()?;
        Some(format!("flow {}: {warning}", flow.name))
    };
    report.flows.iter().filter_map(said)
}

/// Ports of hosts in which streams have left more than any kernel would let them: no loss and no mark of the network ends
/// the growth of such a window.
fn own_queues<'a>(world: &'a World, report: &'a Report) -> impl Iterator<Item = String> + 'a {
    let deep = |f: &'a FlowReport| {
        let flow = &world.network().flows[f.flow];
        let port = &world.network().ports[*flow.path.first()?];
        let most = report.ports[flow.path[0].index()].count.max_bytes;
        let own = matches!(flow.role, Role::Data(_))
            && flow.path.len() > 1
            && port.buffer == Limit::Unlimited
            && port.more.service.server().is_none();
        (own && most > KERNEL).then(|| {
            format!(
                "flow {}: {:.1} MB waited in its own host, at port {}, which has room for all; a kernel would hold the stream \
                 back: make that link faster than the slowest, or give the port a buffer",
                flow.name,
                most as f64 / 1e6,
                port.more.name
            )
        })
    };
    report.flows.iter().filter_map(deep)
}
