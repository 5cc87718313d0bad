//! Links as they are written: wires that join two nodes, and single directions, of which two opposite
//! ones make a link. A direction is a wire or is served by a trace; packets may pass boxes before its
//! queue.

pub mod tdma;

use std::collections::BTreeMap;
use std::sync::Arc;

use backwater_sim::medium::boxes::{AnyBox, BOXES, Delay, Light};
use backwater_sim::medium::tdma::FramesSpec;
use backwater_sim::medium::trace::{AnyTrace, EMULATORS, First, Schedule, ServerSpec, TRACES};
use backwater_sim::spec::{Direction, LinkSpec, Service};
use backwater_transport::units::{Bytes, Rate, Span};

use super::lookup::find;
use super::parts::{self, Made};
use super::record::Record;
use super::settings::Setting;
use crate::canonical::json::Json;
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::network::{LINKS, TDMA};
use crate::files::Files;
use crate::names;
use crate::tree::{Entry, Node, Value};

/// A link and how its directions were made.
#[derive(Clone, Debug)]
pub struct Link {
    /// The link.
    pub spec: LinkSpec,
    /// Its directions, if they have traces or boxes: `ends[0]` to `ends[1]`, then back.
    pub directions: [Option<MadeDirection>; 2],
}

/// How a direction was made.
#[derive(Clone, Debug)]
pub struct MadeDirection {
    /// Its trace.
    pub trace: Option<Made>,
    /// Its boxes, in order; the delay of a trace link before its queue comes behind them.
    pub boxes: Vec<Made>,
    /// The delay of a trace link, before its queue or behind it.
    pub delay: Span,
    /// Queue and buffer of a trace link.
    pub port: Option<Setting>,
    /// The canonical form of a direction that is neither a wire nor a trace.
    pub form: Form,
}

/// Names and values of a part of the canonical form.
pub type Form = Vec<(&'static str, Json)>;

/// One direction as written, before it is joined with the opposite one.
struct Half<'a> {
    name: String,
    node: &'a Node,
    ends: [usize; 2],
    max_frame: Bytes,
    direction: Direction,
    made: MadeDirection,
}

/// The file of a trace that is named by its path alone.
const RECORDED: &str = "file";

/// The links that stand in a scenario, in the order of the text; `taken` are the names of generated ones.
pub fn read(
    media: &[Arc<FramesSpec>],
    written: &Node,
    index: &BTreeMap<&str, usize>,
    taken: &[String],
    files: &mut Files<'_>,
) -> Result<Vec<Link>, Diagnostic> {
    let mut links = Vec::new();
    let mut halves = Vec::new();
    for entry in written.table()? {
        names::check("link", &entry.key).map_err(|f| f.at(&entry.origin))?;
        if taken.contains(&entry.key) {
            let what = format!("the topology already generates a link `{}`", entry.key);
            return Err(Fault::new(what, "choose another name").at(&entry.origin));
        }
        let (kind, record) = Record::variant(&entry.node, LINKS, Some(WIRE), files)?;
        if kind == WIRE && record.get("ends").is_some() {
            links.push(wire(&entry.key, &record, index, files)?);
        } else {
            halves.push(half((&entry.key, kind), &record, media, index, files)?);
        }
    }
    halves.sort_by(|a, b| names::order(&a.name, &b.name));
    while !halves.is_empty() {
        let there = halves.remove(0);
        let [from, to] = there.ends;
        let Some(back) = halves.iter().position(|h| h.ends == [to, from]) else {
            let name = |node| {
                index
                    .iter()
                    .find(|(_, i)| **i == node)
                    .map_or("", |(name, _)| name)
            };
            let (from, to) = (name(from), name(to));
            let what = format!(
                "`{}` leads from {from} to {to}, and no link leads back",
                there.node.path
            );
            let fix = format!("write another link with from = \"{to}\", to = \"{from}\"");
            return Err(there.node.refuse(Fault::new(what, fix)));
        };
        links.push(pair(there, halves.remove(back))?);
    }
    Ok(links)
}

/// The kind of link that needs no name.
const WIRE: &str = "ethernet";

/// Joins two opposite directions to one link with the name of the first.
fn pair(there: Half<'_>, back: Half<'_>) -> Result<Link, Diagnostic> {
    if there.max_frame != back.max_frame {
        let what = format!(
            "`{}` takes frames of {} B at most, and `{}`, which leads back, of {} B",
            there.node.path, there.max_frame.0, back.node.path, back.max_frame.0
        );
        return Err(there
            .node
            .refuse(Fault::new(what, "write the same max_frame for both")));
    }
    Ok(Link {
        spec: LinkSpec {
            name: there.name,
            ends: there.ends,
            rate: Rate(0),
            delay: Span::ZERO,
            directions: [
                Some(Box::new(there.direction)),
                Some(Box::new(back.direction)),
            ],
            max_frame: there.max_frame,
        },
        directions: [Some(there.made), Some(back.made)],
    })
}

/// A wire that is the same both ways.
fn wire(
    name: &str,
    record: &Record<'_>,
    index: &BTreeMap<&str, usize>,
    files: &mut Files<'_>,
) -> Result<Link, Diagnostic> {
    let written = record.need("ends");
    for side in ["from", "to"] {
        if let Some(node) = record.get(side) {
            let what = format!("`{}` and `ends` are both written", node.path);
            return Err(node.refuse(Fault::new(what, "write either ends, or from and to")));
        }
    }
    let list = written.list()?;
    let [a, b] = list else {
        let what = format!(
            "`{}` names {} nodes: a link joins two",
            written.path,
            list.len()
        );
        return Err(written.refuse(Fault::new(what, "write ends = [\"A\", \"B\"]")));
    };
    let ends = [find(a, index)?, find(b, index)?];
    // Refused here and not by the world: ports of such a link have no names, and their refusals would come first.
    if ends[0] == ends[1] {
        return Err(alone(written));
    }
    let args = &record.args;
    let (rate, delay) = (args.rate("rate"), args.span("delay"));
    let (boxes, made) = boxes(record, files)?;
    let direction = || {
        Some(Box::new(Direction {
            name: name.to_owned(),
            boxes: boxes.clone(),
            service: Service::Line(rate, delay),
        }))
    };
    let special = !boxes.is_empty();
    let made = || MadeDirection {
        trace: None,
        boxes: made.clone(),
        delay: Span::ZERO,
        port: None,
        form: Vec::new(),
    };
    Ok(Link {
        spec: LinkSpec {
            name: name.to_owned(),
            ends,
            rate,
            delay,
            directions: if special {
                [direction(), direction()]
            } else {
                [None, None]
            },
            max_frame: args.bytes("max_frame"),
        },
        directions: if special {
            [Some(made()), Some(made())]
        } else {
            [None, None]
        },
    })
}

fn alone(node: &Node) -> Diagnostic {
    let what = format!("`{}` joins a node to itself", node.path);
    node.refuse(Fault::new(what, "name two different nodes"))
}

fn half<'a>(
    (name, kind): (&str, &str),
    record: &Record<'a>,
    media: &[Arc<FramesSpec>],
    index: &BTreeMap<&str, usize>,
    files: &mut Files<'_>,
) -> Result<Half<'a>, Diagnostic> {
    let end = |side: &str| match record.get(side) {
        Some(node) => find(node, index),
        None => {
            let what = format!(
                "`{}` is missing: the nodes it joins",
                crate::tree::join(&record.node.path, side)
            );
            let fix = match kind {
                WIRE => "write ends = [\"A\", \"B\"], or from and to for one direction",
                _ => "write from = \"A\", to = \"B\"",
            };
            Err(record.node.refuse(Fault::new(what, fix)))
        }
    };
    let ends = [end("from")?, end("to")?];
    if ends[0] == ends[1] {
        return Err(alone(record.need("to")));
    }
    let args = &record.args;
    let (mut boxes, made) = boxes(record, files)?;
    let mut form = Vec::new();
    let (service, trace, delay, port) = match kind {
        WIRE => (
            Service::Line(args.rate("rate"), args.span("delay")),
            None,
            Span::ZERO,
            None,
        ),
        TDMA => {
            let (service, said) = tdma::terminal(record, media)?;
            form = said;
            (service, None, Span::ZERO, None)
        }
        _ => traced(record, &mut boxes, files)?,
    };
    Ok(Half {
        name: name.to_owned(),
        node: record.node,
        ends,
        max_frame: args.bytes("max_frame"),
        direction: Direction {
            name: name.to_owned(),
            boxes,
            service,
        },
        made: MadeDirection {
            trace,
            boxes: made,
            delay,
            port,
            form,
        },
    })
}

/// Trace, delay, and queue of a trace link, with the boxes that they need before its queue.
type Traced = (Service, Option<Made>, Span, Option<Setting>);

fn traced(
    record: &Record<'_>,
    boxes: &mut Vec<AnyBox>,
    files: &mut Files<'_>,
) -> Result<Traced, Diagnostic> {
    let (server, trace) = server(record, files)?;
    let delay = record.args.span("delay");
    // One behind the queue is the port's.
    if delay > server.delay_behind {
        boxes.push(AnyBox::Delay(Delay::constant(delay, server.milliseconds)));
    }
    boxes.extend(
        server
            .trains()
            .map(|trains| AnyBox::Light(Light::new(trains))),
    );
    let port = Setting::read(record, files)?;
    let service = Service::Trace(Box::new(server));
    Ok((service, Some(trace), delay, Some(port)))
}

fn boxes(
    record: &Record<'_>,
    files: &mut Files<'_>,
) -> Result<(Vec<AnyBox>, Vec<Made>), Diagnostic> {
    let Some(written) = record.get("boxes") else {
        return Ok((Vec::new(), Vec::new()));
    };
    let each = written
        .list()?
        .iter()
        .map(|node| parts::read(BOXES, "box", node, files));
    let all: Vec<(AnyBox, Made)> = each.collect::<Result<_, _>>()?;
    Ok(all.into_iter().unzip())
}

/// A search for the next opportunity takes 60 ns for each step: 30 ms on average at most.
const MOST_STEPS: f64 = 500_000.0;

/// The server of a trace link. Options that are not written have the emulator's values.
fn server(record: &Record<'_>, files: &mut Files<'_>) -> Result<(ServerSpec, Made), Diagnostic> {
    let args = &record.args;
    let emulator = args.choice("emulator");
    let emulator = EMULATORS.iter().find(|e| e.name == emulator);
    let emulator = emulator.expect("every choice is an emulator");
    let (mut trace, made) = trace(record.need("trace"), files)?;
    if let Some(node) = record.get("repeat") {
        trace = trace.repeated(args.flag("repeat")).ok_or_else(|| {
            let what = format!("`{}`: a generated trace has no end", node.path);
            node.refuse(Fault::new(what, "remove `repeat`"))
        })?;
    }
    if args.choice("phase") == "drawn" {
        trace = trace.begun_anywhere().ok_or_else(|| {
            let node = record.need("phase");
            let what = format!(
                "`{}`: only the file of a trace that repeats can begin anywhere",
                node.path
            );
            node.refuse(Fault::new(
                what,
                "remove `phase`, or name a file and leave out `repeat`",
            ))
        })?;
    }
    let bytes = |name: &str, otherwise: u64| match args.has(name) {
        true => args.bytes(name).0,
        false => otherwise,
    };
    let opportunity = bytes("opportunity", emulator.opportunity);
    if trace.steps(opportunity) > MOST_STEPS {
        let what = format!(
            "an opportunity of {opportunity} B comes after {:.0} steps of the rate on average; {MOST_STEPS} are the most",
            trace.steps(opportunity)
        );
        let fix = "raise the rates, or lower `opportunity` or `burst`";
        return Err(record.need("trace").refuse(Fault::new(what, fix)));
    }
    let first = match args.has("first").then(|| args.choice("first")) {
        Some("arrival") => First::Arrival,
        Some(_) => First::Opportunity,
        None => emulator.first,
    };
    let server = ServerSpec {
        trace,
        opportunity,
        overhead: bytes("overhead", emulator.overhead),
        first,
        whole: emulator.whole,
        milliseconds: args.choice("clock") == "ms",
        delay_behind: match args.choice("delay_at") {
            "after-queue" => args.span("delay"),
            _ => Span::ZERO,
        },
    };
    Ok((server, made))
}

/// A trace: the path of a file, or a table that names its kind.
fn trace(node: &Node, files: &mut Files<'_>) -> Result<(AnyTrace, Made), Diagnostic> {
    let Value::Text(_) = &node.value else {
        return parts::read(TRACES, "trace", node, files);
    };
    let file = Entry {
        key: RECORDED.to_owned(),
        origin: node.origin.clone(),
        node: node.clone(),
    };
    let table = Node {
        path: node.path.clone(),
        origin: node.origin.clone(),
        value: Value::Table(vec![file]),
    };
    let part = parts::find(TRACES, RECORDED).expect("recorded traces are in the table");
    parts::make(part, &table, &[], files)
}
