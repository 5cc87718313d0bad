//! `backwater emulate scenario`: programs at nodes of a scenario. Each is in a namespace of its own and knows the others by the
//! names of their nodes; all other nodes and flows are simulated.

use std::fmt::Write as _;

use backwater_scenario::Resolved;
use backwater_sim::ids::NodeId;
use backwater_sim::source::AnySource;
use backwater_sim::spec::{FlowOptions, FlowSpec, Spec};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Span};

use crate::address;
use crate::driver::RealNode;
use crate::fault::Fault;
use crate::namespace::{self, Inside};
use crate::session::{self, Kept};
use crate::shell::{self, Ended, MTU, Wishes};
use backwater_wire::ip;

/// A command at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    /// The node.
    pub node: String,
    /// The command and its arguments.
    pub command: Vec<String>,
}

/// Runs commands at nodes of a scenario until the last one of the list ends.
///
/// # Errors
/// When the scenario is refused, or the system lacks something that it needs.
pub fn scenario(
    resolved: &Resolved,
    attached: &[Attached],
    wishes: &Wishes,
) -> Result<Ended, Fault> {
    if wishes.control.is_some() {
        let what = "the nodes of a scenario take no changes while they run";
        return Err(Fault::refused(what, "--control", "use it with boxes"));
    }
    // An emulator may be root, and a class of the scenario's author would run as root.
    let alone = resolved.unhosted("take a part of the tables, or simulate it by `backwater run`");
    alone.map_err(|d| Fault::Scenario(Box::new(d)))?;
    let mut spec = resolved.spec();
    let nodes = find(&spec, attached)?;
    add_flows(&mut spec, &nodes);
    let world = resolved.build_hosted(&spec);
    let world = world.map_err(|d| Fault::Scenario(Box::new(d)))?;
    let page = shell::open_page(wishes)?;
    shell::enter_outside()?;
    let addresses = address::free(nodes.len() as u32 + 1, &[]);
    let mut hosts = String::new();
    for (one, address) in attached.iter().zip(&addresses[1..]) {
        let written = writeln!(
            hosts,
            "{} {}\n{} {}",
            address.v4, one.node, address.v6, one.node
        );
        written.expect("a text takes all that is written");
    }
    let insides: Vec<Inside> = attached
        .iter()
        .zip(&addresses[1..])
        .map(|(one, address)| Inside {
            command: one.command.clone(),
            environment: wishes.environment.clone(),
            own: *address,
            peer: addresses[0],
            mtu: MTU,
            offload: !wishes.no_offload,
            hosts: hosts.clone(),
            resolvers: None,
        })
        .collect();
    let (mut running, mut places) = (Vec::new(), Vec::new());
    let prepared = namespace::prepare_all(&insides)?.into_iter();
    for (((command, device), node), address) in prepared.zip(&nodes).zip(&addresses[1..]) {
        running.push(command);
        places.push(RealNode {
            node: NodeId::new(*node),
            device,
            addresses: shell::of_address(*address),
            otherwise: None,
        });
    }
    let kept = Kept {
        logs: Vec::new(),
        live: None,
        page,
    };
    let ran = session::run(world, places, &running, None, kept, wishes)?;
    let world = &ran.driver.world;
    if let Some(failed) = resolved.failed(world, &world.foreign()) {
        return Err(Fault::Scenario(Box::new(failed)));
    }
    Ok(session::ended(ran, resolved, wishes))
}

/// The nodes of the commands.
fn find(spec: &Spec, attached: &[Attached]) -> Result<Vec<usize>, Fault> {
    let mut found: Vec<usize> = Vec::new();
    for one in attached {
        let place = format!("--attach {}", one.node);
        let Some(node) = spec.nodes.iter().position(|n| n.name == one.node) else {
            let names: Vec<&str> = spec.nodes.iter().map(|n| n.name.as_str()).collect();
            let fix = format!("name one of {}", names.join(", "));
            let what = format!("the scenario has no node `{}`", one.node);
            return Err(Fault::refused(what, &place, fix));
        };
        if found.contains(&node) {
            let what = format!("node `{}` has two commands", one.node);
            return Err(Fault::refused(
                what,
                &place,
                "attach a shell that starts both",
            ));
        }
        found.push(node);
    }
    match found.len() {
        0 => Err(Fault::refused(
            "no node has a command",
            "emulate scenario",
            "write --attach NODE=COMMAND",
        )),
        _ => Ok(found),
    }
}

/// A flow from each attached node to each other one, so that routes over wires and radios lead there.
fn add_flows(spec: &mut Spec, nodes: &[usize]) {
    let class = match spec.media.is_empty() {
        true => 0,
        false => ip::access_category(0),
    };
    for from in nodes {
        for to in nodes.iter().filter(|to| *to != from) {
            let name = format!("{}>{}", spec.nodes[*from].name, spec.nodes[*to].name);
            spec.flows.push(FlowSpec {
                name,
                from: *from,
                to: (*to).into(),
                class,
                ecn: Ecn::NotEct,
                packet: Bytes(MTU.into()),
                start: Span::ZERO,
                stop: spec.duration,
                source: AnySource::of_caller(),
                options: FlowOptions::default(),
                route: None,
                transport: None,
                after: None,
            });
        }
    }
}
