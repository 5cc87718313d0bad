//! From a tree to a draft of the world: every field is checked, names become indices, patterns are matched, recipes
//! are resolved. `network` reads nodes and links, `topology` holds the generators, `ports` and `settings` read queues
//! and buffers, then `mechanisms` and `flows` follow. `record` reads a table by its fields, `parts` a part.

mod channel;
mod events;
pub mod flows;
mod links;
mod load;
mod lookup;
mod mechanisms;
mod media;
mod network;
pub mod parts;
mod ports;
mod pull;
mod queue_pair;
mod record;
mod routing;
mod served;
mod settings;
mod stamps;
mod switch;
pub mod topology;
mod transport;

use backwater_sim::spec::{
    Choose, LinkEvent, MechanismSpec, MediumSpec, NodeSpec, PortSpec, Routing,
};
use backwater_transport::units::Span;

pub use flows::{Flow, Pattern};
pub use links::{Link, MadeDirection};
pub use parts::Made;
pub use ports::DEFAULT_QUEUE;
pub use stamps::Stamp;
pub use transport::Transport;

use crate::diagnostic::{Diagnostic, Fault};
use crate::fields;
use crate::files::Files;
use crate::limits::{LIMITS, Limits};
use crate::options::missing;
use crate::shape::SCHEMA;
use crate::tree::Node;
use record::Record;

/// A scenario that was read.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The seed it was read for.
    pub seed: u64,
    /// Simulated time.
    pub duration: Span,
    /// Time before which metrics are not counted.
    pub warmup: Span,
    /// How destinations turn into ports.
    pub routing: Routing,
    /// How switches choose among equal ways.
    pub choose: Choose,
    /// Roots of the trees of airtime-tree.
    pub roots: Vec<usize>,
    /// 802.11 media in the order of their names.
    pub media: Vec<MediumSpec>,
    /// Nodes in the order of their names.
    pub nodes: Vec<NodeSpec>,
    /// Links in the order of their names.
    pub links: Vec<Link>,
    /// Ports in the order of the links.
    pub ports: Vec<Port>,
    /// Queue management of attachments: "A>medium", and how it was made.
    pub attached: ports::Managed,
    /// Laws of explicit feedback.
    pub stamps: Vec<Stamp>,
    /// Mechanisms in the order of their names.
    pub mechanisms: Vec<Mechanism>,
    /// Flows in the order of their names.
    pub flows: Vec<Flow>,
    /// The events of wires, in the order of the names.
    pub events: Vec<LinkEvent>,
    /// Whether stretches that repeat themselves are skipped.
    pub skip: bool,
}

impl Draft {
    /// The queues of all egresses that have one, by name, each with how it was made.
    pub fn queues(&self) -> impl Iterator<Item = (&String, &Made)> {
        let ports = self.ports.iter().map(|p| (&p.spec.name, &p.queue));
        ports.chain(self.attached.iter().map(|(name, made)| (name, made)))
    }
}

/// A port and how its scheduler was made.
#[derive(Clone, Debug)]
pub struct Port {
    /// The port.
    pub spec: PortSpec,
    /// Its scheduler.
    pub queue: Made,
    /// Whether it is a host's.
    pub host: bool,
}

/// A mechanism and how its parts were made.
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// The mechanism.
    pub spec: MechanismSpec,
    /// Its detector.
    pub detect: Made,
    /// Its notifier.
    pub notify: Made,
    /// Its responder.
    pub respond: Made,
}

/// Reads a scenario for a seed: the given one, or the scenario's own.
pub fn draft(root: &Node, seed: Option<u64>, files: &mut Files<'_>) -> Result<Draft, Diagnostic> {
    if root.table()?.is_empty() {
        return Err(root.refuse(Fault::new(
            "the scenario is empty",
            format!("begin with schema = \"{SCHEMA}\", duration, nodes, links and flows"),
        )));
    }
    let top = Record::read(root, fields::SCENARIO, &[], files)?;
    schema(&top)?;
    let duration = top.args.span("duration");
    let warmup = top.args.span("warmup");
    let media = media::media(&top, files)?;
    let seed = seed.unwrap_or_else(|| top.args.count("seed"));
    let limits = limits(&top, files)?;
    let skip = skip(&top, files)?;
    let (mut nodes, links) = network::read(&top, &media, seed, limits, files)?;
    let (routing, choose, roots) = routing::read(&top, &nodes, files)?;
    let flows = flows::read(&top, &nodes, duration, limits, files)?;
    routing::check_spreaders(&top, &flows, (routing, choose))?;
    limits.packets(load::of_flows(&flows), root)?;
    limits.packets(load::of_traces(&links, duration), root)?;
    let classes = flows
        .iter()
        .map(|f| u64::from(f.highest_class()) + 1)
        .max()
        .unwrap_or(1);
    let (ports, attached, stamps) = ports::read(&top, &mut nodes, &media, &links, classes, files)?;
    let mechanisms = mechanisms::read(&top, &nodes, &ports, files)?;
    let events = events::read(&top, &links, files)?;
    let draft = Draft {
        seed,
        duration,
        warmup,
        routing,
        choose,
        roots,
        media,
        nodes,
        links,
        ports,
        attached,
        stamps,
        mechanisms,
        flows,
        events,
        skip,
    };
    limits.memory(load::waiting(&draft), root)?;
    Ok(draft)
}

/// `limits`, or the defaults.
fn limits(top: &Record<'_>, files: &mut Files<'_>) -> Result<Limits, Diagnostic> {
    let unwritten = parts::unwritten(top.node, "limits");
    let node = top.get("limits").unwrap_or(&unwritten);
    let record = Record::read(node, LIMITS, &[], files)?;
    Ok(Limits::of(&record.args))
}

/// `run`: whether stretches that repeat themselves are skipped.
fn skip(top: &Record<'_>, files: &mut Files<'_>) -> Result<bool, Diagnostic> {
    let unwritten = parts::unwritten(top.node, "run");
    let node = top.get("run").unwrap_or(&unwritten);
    let record = Record::read(node, fields::RUN, &[], files)?;
    Ok(record.args.choice(fields::SKIP) == "exact")
}

fn schema(top: &Record<'_>) -> Result<(), Diagnostic> {
    let Some(node) = top.get("schema") else {
        return Err(top.node.refuse(missing(
            "schema",
            "the format",
            &format!("\"{SCHEMA}\""),
            "",
        )));
    };
    if node.text()? == SCHEMA {
        return Ok(());
    }
    let fault = Fault::new(
        "this program doesn't read this format",
        format!("write \"{SCHEMA}\""),
    );
    Err(node.refuse(Fault {
        nearest: vec![SCHEMA.to_owned()],
        ..fault
    }))
}
