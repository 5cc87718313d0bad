//! A scenario that was read, with a seed: what determines a run, and the world it runs in.

use std::sync::Arc;

use backwater_sim::ids::ConnectionId;
use backwater_sim::queue;
use backwater_sim::spec::{FlowSpec, MediumSpec, Refusal, Spec};
use backwater_sim::world::{Report, World};
use backwater_transport::part::Args;
use backwater_transport::units::Span;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::canonical::canonical;
use crate::decode::flows::after;
use crate::decode::flows::ranks::Ranks;
use crate::decode::{Draft, Flow, Link, Pattern, Port};
use crate::diagnostic::{Diagnostic, Fault, Origin};
use crate::document::ways::{powers, ways};
use crate::document::{document, document_until, mechanisms};
use crate::fields::flow::{CONTROLLER, ROCE, TCP};
use crate::files::{Files, hex};
use crate::names;
use crate::path;
use crate::tree::{Node, join};

/// Where a scenario asks to skip.
const SKIP: &str = "run.skip";

/// The remedy for a controller that nothing drives.
const DRIVE: &str = "step the scenario by `backwater.learn.Worlds`, or take another controller";

/// A file that the run reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Path as written.
    pub path: String,
    /// SHA-256 of its content in hex.
    pub sha256: String,
}

/// A part that a host has to make.
#[derive(Clone, Debug)]
pub struct Hosted<'a> {
    /// Where the scenario names it: `flows.NAME.controller`, `mechanisms.NAME.detect`, `ports.NAME.stamp` or
    /// `ports.NAME.queue`.
    pub path: String,
    /// The options of its row.
    pub args: &'a Args,
}

/// All that determines a run.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// Seed.
    pub seed: u64,
    /// Canonical JSON of everything else.
    pub canonical: String,
    /// Files, in the order of their paths.
    pub inputs: Vec<Input>,
    draft: Arc<Draft>,
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
            draft: Arc::new(draft),
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

    /// The rows of flows that stand for a flow for each transfer.
    pub(crate) fn rows_of_transfers(&self) -> impl Iterator<Item = &str> {
        let rows = self.draft.flows.iter();
        let rows = rows.filter(|row| row.pattern == Pattern::Transfers);
        rows.map(|row| row.name.as_str())
    }

    /// The collectives.
    pub(crate) fn collectives(&self) -> Vec<Ranks> {
        let rows = self.draft.flows.iter();
        let rows = rows.filter(|row| row.pattern == Pattern::Ranks);
        rows.map(Flow::collective).collect()
    }

    /// How long a run takes.
    pub fn duration(&self) -> Span {
        self.draft.duration
    }

    /// The time at its beginning that metrics leave out.
    pub fn warmup(&self) -> Span {
        self.draft.warmup
    }

    /// 802.11 media.
    pub(crate) fn media(&self) -> &[MediumSpec] {
        &self.draft.media
    }

    /// The specification that the world is built from.
    pub fn spec(&self) -> Spec {
        let draft = &self.draft;
        Spec {
            seed: self.seed,
            duration: draft.duration,
            warmup: draft.warmup,
            routing: draft.routing,
            choose: draft.choose,
            roots: draft.roots.clone(),
            events: draft.events.clone(),
            media: draft.media.clone(),
            nodes: draft.nodes.clone(),
            links: draft.links.iter().map(|l| l.spec.clone()).collect(),
            ports: draft.ports.iter().map(|p| p.spec.clone()).collect(),
            stamps: draft.stamps.iter().map(|s| s.spec.clone()).collect(),
            mechanisms: draft.mechanisms.iter().map(|m| m.spec.clone()).collect(),
            flows: self.flows(),
        }
    }

    /// All flows of the run.
    fn flows(&self) -> Vec<FlowSpec> {
        let (mut flows, mut ranges) = (Vec::new(), Vec::new());
        for row in &self.draft.flows {
            let first = flows.len();
            flows.extend(row.expand(self.seed, &self.draft.nodes));
            // A row counts its own flows.
            let after = flows[first..].iter_mut().filter_map(|f| f.after.as_mut());
            after.for_each(|after| after.flows.iter_mut().for_each(|f| *f += first));
            ranges.push(first..flows.len());
        }
        after::connect(&self.draft.flows, &ranges, &mut flows);
        flows
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
            if transport.name == TCP || transport.name == ROCE {
                label("recovery", transport.recovery());
            }
        }
        labels
    }

    /// Builds the world, or says which field stands in the way. A scenario with parts that a host has to make is
    /// refused.
    pub fn build(&self) -> Result<World, Diagnostic> {
        self.unhosted("run it by the command or from Python")?;
        self.build_hosted(&self.spec())
    }

    /// Refuses a scenario with parts that a host has to make, where there is none.
    pub fn unhosted(&self, fix: &str) -> Result<(), Diagnostic> {
        let what = "a part is a Python class, which does not run here";
        match self.hosted().next() {
            Some(part) => Err(self.refuse(&join(&part.path, "kind"), what, fix)),
            None => Ok(()),
        }
    }

    /// The same for a host, which put detectors into the specification, and gives controllers to the world's flows.
    pub fn build_hosted(&self, spec: &Spec) -> Result<World, Diagnostic> {
        let driven = |flow: &&FlowSpec| {
            let transport = flow.transport.as_ref();
            transport.is_some_and(|t| t.controller.driven().is_some())
        };
        if let Some(flow) = spec.flows.iter().find(driven) {
            let place = join(&join("flows", &flow.name), CONTROLLER);
            let what = "window and pacing of this controller come from outside, and nothing drives it here";
            return Err(self.refuse(&place, what, DRIVE));
        }
        self.build_driven(spec)
    }

    /// The same for a driver, which tells controllers what to do.
    pub fn build_driven(&self, spec: &Spec) -> Result<World, Diagnostic> {
        let mut world = World::build(spec).map_err(|refusal| self.refusal(refusal))?;
        if self.draft.skip {
            world.skip_recurrences().map_err(|unable| {
                let what = format!(
                    "nothing can be skipped here: `{}`: {}",
                    unable.place, unable.why
                );
                self.refuse(
                    SKIP,
                    &what,
                    "leave `run.skip` out: the run is served as it is",
                )
            })?;
        }
        Ok(world)
    }

    /// Refuses to keep every event of a run that skips some.
    pub(crate) fn check_skip(&self, keeps: bool) -> Result<(), Diagnostic> {
        match self.draft.skip && keeps {
            true => Err(self.refuse(
                SKIP,
                "a record, a capture or a series needs every event, and this run skips some",
                "leave `run.skip` out, or what is to be kept (in Python: `columns=False`)",
            )),
            false => Ok(()),
        }
    }

    /// The document of a world of this scenario; none before the world has come to its end, because rates are those of the
    /// whole window.
    pub fn document(&self, world: &mut World) -> Option<Value> {
        (world.now() == world.end()).then(|| {
            let report = world.report();
            document(self, world, &report)
        })
    }

    /// The ways of its flows over radio hops in a world of this scenario.
    pub fn ways(&self, world: &World) -> Value {
        ways(self, world)
    }

    /// The needs of its mechanisms in a world of this scenario, and the warnings about them.
    pub fn mechanisms(&self, world: &World) -> Value {
        mechanisms(world)
    }

    /// At which power stations hear each other in a world of this scenario.
    pub fn powers(&self, world: &World) -> Value {
        powers(world)
    }

    /// The document of a world that a clock ended, before or after the scenario's duration; none where that was in the
    /// warm-up.
    pub fn document_so_far(&self, world: &World, report: &Report) -> Option<Value> {
        let lasted = Span(world.now().0);
        (lasted > self.warmup()).then(|| document_until(self, world, report, lasted))
    }

    /// The parts that a host has to make.
    pub fn hosted(&self) -> impl Iterator<Item = Hosted<'_>> {
        let controllers = self.draft.flows.iter().filter_map(|flow| {
            let transport = flow.transport.as_ref().filter(|t| t.hosted())?;
            Some(Hosted {
                path: join(&join("flows", &flow.name), CONTROLLER),
                args: &transport.controller.args,
            })
        });
        let mechanisms = self.draft.mechanisms.iter().flat_map(|m| {
            m.hosted().map(|(section, made)| Hosted {
                path: join(&join("mechanisms", &m.spec.name), section),
                args: &made.args,
            })
        });
        let stamps = self.draft.stamps.iter().filter(|s| s.hosted());
        let stamps = stamps.map(|stamp| Hosted {
            path: format!("ports.{}.stamp", stamp.spec.name),
            args: &stamp.made.args,
        });
        let queues = self.draft.queues().filter(|(_, made)| {
            let mut hosted = queue::HOSTED.iter();
            hosted.any(|part| part.id == made.id)
        });
        let queues = queues.map(|(name, made)| Hosted {
            path: format!("ports.{name}.queue"),
            args: &made.args,
        });
        controllers.chain(mechanisms).chain(stamps).chain(queues)
    }

    /// The fault of the controller of one of some flows in a world of this scenario.
    pub fn failed(&self, world: &World, flows: &[ConnectionId]) -> Option<Diagnostic> {
        let (flow, fault) = world.failed(flows)?;
        let row = flow.split('/').next().unwrap_or(flow);
        let place = join(&join(&join("flows", row), CONTROLLER), fault.option);
        let what = format!("the controller of flow {flow} failed: {}", fault.what);
        Some(self.refuse(&place, &what, &fault.fix))
    }

    /// A refusal because of the field of a path.
    pub fn refuse(&self, path: &str, what: &str, fix: &str) -> Diagnostic {
        self.refusal(Refusal {
            path: path.to_owned(),
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
            // A field that nobody wrote was generated.
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
    // Of equal ones this takes the last.
    fields
        .max_by_key(|(rank, _)| *rank)
        .map_or(&ports.origin, |(_, n)| &n.origin)
}
