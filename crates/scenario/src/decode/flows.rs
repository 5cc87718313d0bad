//! Flows: from a host or a pattern of hosts, to a host or a pattern of hosts.

pub mod after;
mod expand;
mod over_air;
pub mod ranks;
mod transfers;

use std::collections::BTreeMap;

use backwater_sim::source::{AnySource, SOURCES};
use backwater_sim::spec::{FlowOptions, NodeKind, NodeSpec};
use backwater_transport::part::Args;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Span};

use super::lookup::find;
use super::parts::{self, Made};
use super::record::Record;
use super::transport::{self, Transport};
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::flow::FLOW;
use crate::files::Files;
use crate::limits::Limits;
use crate::names;
use crate::tree::Node;

/// A row of `flows`; it becomes one flow for each sender.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Name.
    pub name: String,
    /// Sending hosts. Where `each` holds, "name/sender" is the flow of one sender.
    pub from: Vec<usize>,
    /// Whether `from` was a pattern.
    pub each: bool,
    /// Receiving hosts.
    pub to: Vec<usize>,
    /// How senders and receivers meet.
    pub pattern: Pattern,
    /// Class.
    pub class: u8,
    /// Codepoint of its packets.
    pub ecn: Ecn,
    /// Largest IP packet.
    pub packet: Bytes,
    /// When the source begins.
    pub start: Span,
    /// When the source ends.
    pub stop: Span,
    /// The source of each sender.
    pub source: AnySource,
    /// How it was made.
    pub made: Made,
    /// Its transport; none for datagrams that nobody answers.
    pub transport: Option<Transport>,
    /// Its simple fields.
    pub options: FlowOptions,
    /// The values of those in the canonical form, and of its transport's.
    pub simple: Args,
    /// A written route.
    pub route: Option<Vec<usize>>,
    /// Rows whose transfers come first, and how long after each.
    pub after: Vec<(String, Span)>,
}

impl Flow {
    /// The highest class of its packets and of those that come back.
    pub fn highest_class(&self) -> u8 {
        let back = self.transport.as_ref();
        let back = back.map_or(0, |t| t.ack_class.max(t.signal_class));
        self.class.max(back)
    }
}

/// How senders and receivers meet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// All senders to one receiver.
    One,
    /// A receiver drawn for each packet.
    Random,
    /// A receiver for each sender, none twice, none to itself.
    Permutation,
    /// The receivers in the order of the senders.
    Pairs,
    /// Every sender to every receiver but itself; each pair stands in `from` and `to`.
    All,
    /// For each sender the nearest receiver.
    Nearest,
    /// For each receiver the nearest sender.
    FromNearest,
    /// All stations that hear a sender.
    Group,
    /// The ranks of a collective, to one another.
    Ranks,
    /// A flow for each transfer, to a receiver drawn for it.
    Transfers,
}

/// The flows in the order of their names.
pub fn read(
    top: &Record<'_>,
    nodes: &[NodeSpec],
    duration: Span,
    limits: Limits,
    files: &mut Files<'_>,
) -> Result<Vec<Flow>, Diagnostic> {
    let written = top.need("flows");
    limits.flows(written.table()?.len() as u64, written)?;
    let hosts = Hosts::of(nodes);
    let mut flows = Vec::new();
    for entry in written.table()? {
        names::check("flow", &entry.key).map_err(|f| f.at(&entry.origin))?;
        flows.push(flow(
            &entry.key,
            &entry.node,
            nodes,
            &hosts,
            duration,
            files,
        )?);
    }
    if flows.is_empty() {
        return Err(written.refuse(Fault::new(
            "the scenario has no flows",
            "write flows.NAME = { from, to, source }",
        )));
    }
    let senders = flows.iter().map(Flow::count);
    limits.flows(senders.sum(), written)?;
    flows.sort_by(|a, b| names::order(&a.name, &b.name));
    after::check(&flows, written)?;
    if let Some(routes) = top.get("routes") {
        for entry in routes.table()? {
            let Some(flow) = flows.iter_mut().find(|f| f.name == entry.key) else {
                let valid = flows.iter().map(|f| f.name.as_str());
                return Err(unknown_flow(&entry.key, valid).at(&entry.origin));
            };
            flow.route = Some(route(flow, &entry.node, &hosts.all)?);
        }
    }
    Ok(flows)
}

fn unknown_flow<'a>(name: &str, valid: impl Iterator<Item = &'a str>) -> Fault {
    Fault::unknown(format!("there is no flow `{name}`"), name, valid)
}

fn route(
    flow: &Flow,
    node: &Node,
    nodes: &BTreeMap<&str, usize>,
) -> Result<Vec<usize>, Diagnostic> {
    if flow.each || flow.pattern != Pattern::One {
        let what = format!(
            "`{}` is a route, but flow `{}` has several senders or receivers",
            node.path, flow.name
        );
        return Err(node.refuse(Fault::new(
            what,
            "remove the route, or name one sender and one receiver",
        )));
    }
    let mut route = Vec::new();
    for item in node.list()? {
        route.push(find(item, nodes)?);
    }
    Ok(route)
}

/// Nodes by name, and which of them are hosts.
struct Hosts<'a> {
    all: BTreeMap<&'a str, usize>,
    /// Index and name, in the order of the names.
    hosts: Vec<(usize, &'a str)>,
}

impl<'a> Hosts<'a> {
    fn of(nodes: &'a [NodeSpec]) -> Hosts<'a> {
        let named = || nodes.iter().enumerate().map(|(i, n)| (i, n.name.as_str()));
        Hosts {
            all: named().map(|(i, name)| (name, i)).collect(),
            hosts: named()
                .filter(|(i, _)| !matches!(nodes[*i].kind, NodeKind::Switch(_)))
                .collect(),
        }
    }

    /// The hosts that a name or pattern means, and whether it is a pattern.
    fn select(&self, node: &Node) -> Result<(Vec<usize>, bool), Diagnostic> {
        let text = node.text()?;
        let names = || self.hosts.iter().map(|(_, name)| *name);
        if names::is_pattern(text) {
            let found: Vec<usize> = self
                .hosts
                .iter()
                .filter(|(_, n)| names::matches(text, n))
                .map(|(i, _)| *i)
                .collect();
            if found.is_empty() {
                return Err(node.refuse(Fault::unknown(
                    format!("`{}`: no host matches `{text}`", node.path),
                    text,
                    names(),
                )));
            }
            return Ok((found, true));
        }
        Ok((vec![find(node, &self.all)?], false))
    }
}

/// Senders and receivers of a row.
struct Ends {
    from: Vec<usize>,
    /// Whether `from` is a pattern.
    each: bool,
    to: Vec<usize>,
    pattern: Pattern,
}

/// Reads `from`, `to` and `pattern`.
fn ends(record: &Record<'_>, nodes: &[NodeSpec], hosts: &Hosts<'_>) -> Result<Ends, Diagnostic> {
    let (mut from, each) = hosts.select(record.need("from"))?;
    let (mut to, several) = hosts.select(record.need("to"))?;
    let pattern = pattern(record, several)?;
    if pattern == Pattern::Group {
        let own = expand::media(&nodes[from[0]]);
        if own.is_empty() {
            let (node, name) = (record.need("from"), &nodes[from[0]].name);
            let what = format!(
                "`{}`: {name} is no 802.11 station, and these alone send to groups",
                node.path
            );
            return Err(node.refuse(Fault::new(what, "name a station, or take another pattern")));
        }
        // A group is of one medium; a pattern such as "*" also matches others.
        to.retain(|host| {
            expand::media(&nodes[*host])
                .iter()
                .any(|medium| own.contains(medium))
        });
    }
    if pattern == Pattern::One && each {
        from.retain(|sender| *sender != to[0]);
    }
    match pattern {
        Pattern::Nearest => from.retain(|sender| !to.contains(sender)),
        Pattern::FromNearest => to.retain(|receiver| !from.contains(receiver)),
        _ => {}
    }
    if pattern == Pattern::All {
        let pairs = from.iter().flat_map(|a| to.iter().map(move |b| (*a, *b)));
        (from, to) = pairs.filter(|(a, b)| a != b).unzip();
    }
    check_pairs(record.need("to"), pattern, &from, &to)?;
    Ok(Ends {
        from,
        each,
        to,
        pattern,
    })
}

/// Refuses a pattern that its senders and receivers do not fit; `to_node` names the receivers.
fn check_pairs(
    to_node: &Node,
    pattern: Pattern,
    from: &[usize],
    to: &[usize],
) -> Result<(), Diagnostic> {
    let one_each = matches!(pattern, Pattern::Permutation | Pattern::Pairs);
    if one_each && from.len() != to.len() {
        let what = format!(
            "`{}`: this pattern needs as many receivers as senders, not {} for {}",
            to_node.path,
            to.len(),
            from.len()
        );
        return Err(to_node.refuse(Fault::new(
            what,
            "match the same hosts with `from` and `to`",
        )));
    }
    if pattern == Pattern::Ranks && from.len().min(to.len()) < 2 {
        return Err(ranks::too_few(to_node));
    }
    let itself = |pair: (&usize, &usize)| pattern == Pattern::Pairs && pair.0 == pair.1;
    if from.len().min(to.len()) == 0
        || from.iter().any(|sender| to == [*sender])
        || from.iter().zip(to).any(itself)
    {
        let what = format!("`{}`: a host would send to itself", to_node.path);
        return Err(to_node.refuse(Fault::new(what, "name another host")));
    }
    Ok(())
}

fn flow(
    name: &str,
    node: &Node,
    nodes: &[NodeSpec],
    hosts: &Hosts<'_>,
    duration: Span,
    files: &mut Files<'_>,
) -> Result<Flow, Diagnostic> {
    let record = Record::read(node, FLOW, &[], files)?;
    let args = &record.args;
    let Ends {
        from,
        each,
        to,
        pattern,
    } = ends(&record, nodes, hosts)?;
    let start = args.span("start");
    let stop = if args.has("stop") {
        args.span("stop").min(duration)
    } else {
        duration
    };
    let (source, made) = parts::read(SOURCES, "source", record.need("source"), files)?;
    ranks::check(&record, pattern, (&source, &made), (&from, &to))?;
    let station = nodes[from[0]].kind.shares_media();
    let airy = nodes.iter().any(|n| n.kind.shares_media());
    let class = over_air::class(&record, station, airy)?;
    if let (false, Some(node)) = (airy, record.get("budget")) {
        let what = format!(
            "`{}` goes with scenarios that have 802.11 stations",
            node.path
        );
        return Err(node.refuse(Fault::new(what, "remove it")));
    }
    let ecn = match args.choice("ecn") {
        "ect0" => Ecn::Ect0,
        "ect1" => Ecn::Ect1,
        _ => Ecn::NotEct,
    };
    let (transport, packet) = transport::read(&record, class, files)?;
    transfers::check(&record, pattern, &source, transport.is_some())?;
    if airy {
        over_air::check_way_back(&record)?;
        over_air::check_size(&record, packet, &made.args)?;
    }
    Ok(Flow {
        name: name.to_owned(),
        from,
        each,
        to,
        pattern,
        class,
        ecn,
        packet,
        start,
        stop,
        source,
        made,
        transport,
        options: FlowOptions {
            budget: args.has("budget").then(|| args.span("budget")),
            hurst: args.flag("hurst"),
        },
        after: after::read(&record)?,
        simple: record.simple,
        route: None,
    })
}

fn pattern(record: &Record<'_>, several: bool) -> Result<Pattern, Diagnostic> {
    let to = record.need("to");
    match (record.args.has("pattern"), several) {
        (false, false) => Ok(Pattern::One),
        (true, true) => Ok(match record.args.choice("pattern") {
            "random" => Pattern::Random,
            "pairs" => Pattern::Pairs,
            "all" => Pattern::All,
            "nearest" => Pattern::Nearest,
            "from-nearest" => Pattern::FromNearest,
            "group" => Pattern::Group,
            "ranks" => Pattern::Ranks,
            "transfers" => Pattern::Transfers,
            _ => Pattern::Permutation,
        }),
        (false, true) => Err(to.refuse(Fault::new(
            format!(
                "`{}` is a pattern, so the flow must say how a receiver is chosen",
                to.path
            ),
            "write pattern = \"random\", \"permutation\", \"pairs\", \"all\", \"nearest\", \"from-nearest\", \"group\", \"ranks\" or \"transfers\"",
        ))),
        (true, false) if record.args.choice("pattern") == "ranks" => Err(ranks::too_few(to)),
        (true, false) => Err(record.need("pattern").refuse(Fault::new(
            format!(
                "`{}` is one host, so there is no receiver to choose",
                to.path
            ),
            "remove `pattern`, or write a pattern such as \"h*\" in `to`",
        ))),
    }
}
