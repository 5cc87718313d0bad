//! A scenario that was read, with a seed: what determines a run, and the world it runs in.

use std::sync::Arc;

use backwater_sim::spec::{Refusal, Spec};
use backwater_sim::world::World;
use backwater_transport::part::Args;
use sha2::{Digest, Sha256};

use crate::canonical::canonical;
use crate::decode::{Draft, Flow, Link, Port, Transport};
use crate::diagnostic::{Diagnostic, Fault, Origin};
use crate::fields::CONTROLLER;
use crate::files::{Files, hex};
use crate::names;
use crate::path;
use crate::tree::{Node, join};

/// A file that the run reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Path as written.
    pub path: String,
    /// SHA-256 of its content in hex.
    pub sha256: String,
}

/// What determines a run.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// Seed.
    pub seed: u64,
    /// Canonical JSON of everything else.
    pub canonical: String,
    /// Files, in the order of their paths.
    pub inputs: Vec<Input>,
    draft: Draft,
    root: Arc<Node>,
}

impl Resolved {
    /// Fixes the seed of a draft that was read from `root`.
    pub(crate) fn new(seed: u64, draft: Draft, root: Arc<Node>, files: &Files<'_>) -> Resolved {
        let input = |(path, (_, hash)): (&String, &(_, String))| Input {
            path: path.clone(),
            sha256: hash.clone(),
        };
        let inputs = files.read.iter().map(input).collect();
        Resolved {
            seed,
            canonical: canonical(&draft, files),
            inputs,
            draft,
            root,
        }
    }

    /// SHA-256 of the canonical form in hex.
    pub fn sha256(&self) -> String {
        hex(&Sha256::digest(&self.canonical))
    }

    /// The key under which results are stored: SHA-256 over canonical form, seed, engine and files.
    pub fn key(&self, engine: &str) -> String {
        let mut hash = Sha256::new();
        let mut add = |field: &str| {
            hash.update((field.len() as u64).to_le_bytes());
            hash.update(field);
        };
        add(&self.canonical);
        add(&self.seed.to_string());
        add(engine);
        for input in &self.inputs {
            add(&input.sha256);
        }
        hex(&hash.finalize())
    }

    /// The links, and how their directions were made.
    pub(crate) fn links(&self) -> &[Link] {
        &self.draft.links
    }

    /// Their ports, two for each.
    pub(crate) fn ports(&self) -> &[Port] {
        &self.draft.ports
    }

    /// What the world is built from.
    pub fn spec(&self) -> Spec {
        let draft = &self.draft;
        Spec {
            seed: self.seed,
            duration: draft.duration,
            warmup: draft.warmup,
            routing: draft.routing,
            roots: draft.roots.clone(),
            media: draft.media.clone(),
            nodes: draft.nodes.clone(),
            links: draft.links.iter().map(|l| l.spec.clone()).collect(),
            ports: draft.ports.iter().map(|p| p.spec.clone()).collect(),
            mechanisms: draft.mechanisms.iter().map(|m| m.spec.clone()).collect(),
            flows: draft
                .flows
                .iter()
                .flat_map(|f| f.expand(self.seed, &draft.nodes))
                .collect(),
        }
    }

    /// Which reading of each flow's transport the run took.
    pub fn labels(&self) -> Vec<(String, &'static str)> {
        let mut labels = Vec::new();
        for flow in &self.draft.flows {
            let Some(transport) = &flow.transport else {
                continue;
            };
            let mut label =
                |what: &str, word| labels.push((format!("flows.{}.{what}", flow.name), word));
            label("transport", transport.name);
            label("controller", transport.controller.id);
            if transport.name == crate::fields::TCP {
                label("recovery", transport.recovery());
            }
        }
        labels
    }

    /// Builds the world, or says which field stands in the way. A scenario whose controllers a host
    /// has to make is refused.
    pub fn build(&self) -> Result<World, Diagnostic> {
        if let Some(flow) = self.hosted().next() {
            let what = "nobody here runs a controller of another language";
            let fix = "run it by the command or from Python";
            return Err(self.refuse_controller(&flow.name, "kind", what, fix));
        }
        self.build_hosted()
    }

    /// The same for a host, which makes the controllers of the flows that have a `script`.
    pub fn build_hosted(&self) -> Result<World, Diagnostic> {
        World::build(&self.spec()).map_err(|refusal| self.refusal(refusal))
    }

    /// Whether a host has to make some of its controllers.
    pub fn needs_host(&self) -> bool {
        self.hosted().next().is_some()
    }

    fn hosted(&self) -> impl Iterator<Item = &Flow> {
        let hosted = |f: &&Flow| f.transport.as_ref().is_some_and(Transport::hosted);
        self.draft.flows.iter().filter(hosted)
    }

    /// What a flow says of a controller that a host has to make: the options of its row.
    pub fn script(&self, flow: &str) -> Option<&Args> {
        let row = flow.split('/').next();
        let found = self.hosted().find(|f| row == Some(f.name.as_str()))?;
        found.transport.as_ref().map(|t| &t.controller.args)
    }

    /// A refusal of a flow's controller, because of one of its options.
    pub fn refuse_controller(&self, flow: &str, option: &str, what: &str, fix: &str) -> Diagnostic {
        let controller = join(&join("flows", flow), CONTROLLER);
        self.refusal(Refusal {
            path: join(&controller, option),
            what: what.to_owned(),
            fix: fix.to_owned(),
        })
    }

    /// A refusal of the world as one of the text.
    pub(crate) fn refusal(&self, refusal: Refusal) -> Diagnostic {
        let what = format!("`{}`: {}", refusal.path, refusal.what);
        Fault::new(what, refusal.fix).at(blame(&self.root, &refusal.path))
    }
}

/// Where the field of a path was written, or the nearest thing that was.
fn blame<'a>(root: &'a Node, path: &str) -> &'a Origin {
    let names = path::names(path).unwrap_or_default();
    let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    let mut node = root;
    for (depth, name) in names.iter().enumerate() {
        let next = match &node.value {
            crate::tree::Value::List(items) => name.parse().ok().and_then(|i: usize| items.get(i)),
            // A flow of one sender is called after the row that it came from.
            _ => node
                .get(name)
                .or_else(|| name.split_once('/').and_then(|(row, _)| node.get(row))),
        };
        node = match (next, depth, names[0]) {
            (Some(next), ..) => next,
            // A port's queue may come from a pattern.
            (None, 1, "ports") => return pattern(node, name, names.get(2)),
            // What no one wrote was generated.
            (None, 0 | 1, "nodes" | "links") => {
                return root.get("topology").map_or(&root.origin, |t| &t.origin);
            }
            _ => return &node.origin,
        };
    }
    &node.origin
}

fn pattern<'a>(ports: &'a Node, port: &str, field: Option<&&str>) -> &'a Origin {
    let matching = ports
        .entries()
        .iter()
        .filter(|e| names::matches(&e.key, port));
    let fields = matching.filter_map(|e| {
        let node = field.map_or(Some(&e.node), |f| e.node.get(f));
        node.map(|n| (names::rank(&e.key), n))
    });
    // Of equals this takes the last.
    fields
        .max_by_key(|(rank, _)| *rank)
        .map_or(&ports.origin, |(_, n)| &n.origin)
}
