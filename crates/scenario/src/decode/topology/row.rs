//! The parts that every generator has: its row in the table, the fields that it reads and the network that it makes.

use std::collections::BTreeMap;
use std::sync::Arc;

use backwater_sim::medium::tdma::FramesSpec;
use backwater_sim::spec::{MediumSpec, NodeKind, Routing};
use backwater_transport::units::{Bytes, Rate, Span};

use crate::decode::links::tdma::TerminalLink;
use crate::decode::record::Record;
use crate::decode::switch::model;
use crate::diagnostic::Diagnostic;
use crate::fields::network::SWITCH;
use crate::files::Files;
use crate::shape::Variant;

/// A generator of networks.
#[derive(Copy, Clone)]
pub struct Generator {
    /// Its name and fields.
    pub variant: Variant,
    /// The routing of a scenario that writes none.
    pub routing: Routing,
    /// Makes the network.
    pub build: fn(&Site<'_>, &mut Files<'_>) -> Result<Network, Diagnostic>,
}

/// The input of a generator.
pub struct Site<'a> {
    /// The `topology` of the scenario.
    pub record: Record<'a>,
    /// Nodes that the scenario writes beside it.
    pub written: &'a BTreeMap<String, NodeKind>,
    /// Media of the scenario.
    pub media: &'a [MediumSpec],
    /// Frames of slots of the scenario.
    pub frames: &'a [Arc<FramesSpec>],
    /// Seed of the run.
    pub seed: u64,
}

impl Site<'_> {
    /// The model of the generated hosts.
    pub fn host(&self) -> NodeKind {
        NodeKind::Host {
            obeys: self.record.args.flag("obeys"),
        }
    }

    /// The model of the generated switches.
    pub fn switch(&self, files: &mut Files<'_>) -> Result<NodeKind, Diagnostic> {
        let unwritten;
        let node = match self.record.get("switch") {
            Some(node) => node,
            None => {
                unwritten = crate::decode::parts::unwritten(self.record.node, "switch");
                &unwritten
            }
        };
        Ok(NodeKind::Switch(model(&Record::read(
            node,
            SWITCH,
            &[],
            files,
        )?)?))
    }

    /// Links with the rate and delay of these options, or of others where they are left out.
    pub fn cable_or(&self, rate: &str, delay: &str, otherwise: Cable) -> Cable {
        let args = &self.record.args;
        Cable {
            rate: match args.has(rate) {
                true => args.rate(rate),
                false => otherwise.rate,
            },
            delay: match args.has(delay) {
                true => args.span(delay),
                false => otherwise.delay,
            },
            ..otherwise
        }
    }

    /// Links with the rate and delay of these options.
    pub fn cable(&self, rate: &str, delay: &str) -> Cable {
        let args = &self.record.args;
        Cable {
            rate: args.rate(rate),
            delay: args.span(delay),
            max_frame: args.bytes("max_frame"),
        }
    }
}

/// The properties that links of one kind share.
#[derive(Copy, Clone)]
pub struct Cable {
    /// Line rate.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
    /// Largest frame.
    pub max_frame: Bytes,
}

/// Nodes and links by name.
#[derive(Default)]
pub struct Network {
    /// Nodes.
    pub nodes: BTreeMap<String, NodeKind>,
    /// Links: name, ends and cable.
    pub links: Vec<(String, [String; 2], Cable)>,
    /// Links whose first direction sends in slots: name, ends and both directions.
    pub terminals: Vec<(String, [String; 2], TerminalLink)>,
}

impl Network {
    /// Adds a node.
    pub fn node(&mut self, name: impl Into<String>, kind: &NodeKind) {
        self.nodes.insert(name.into(), kind.clone());
    }

    /// Adds the link "a-b".
    pub fn link(&mut self, a: &str, b: &str, cable: Cable) {
        self.links
            .push((format!("{a}-{b}"), [a.to_owned(), b.to_owned()], cable));
    }
}
