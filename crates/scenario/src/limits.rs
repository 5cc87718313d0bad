//! How large a scenario may be. Sizes are counted or estimated before anything of that size is built; a person may lift
//! each limit in `limits`.

use backwater_sim::source::AnySource;
use backwater_sim::spec::Service;
use backwater_transport::part::{Args, Default, Kind, Opt, Value};
use backwater_transport::units::{Bytes, Span};

use crate::decode::{Flow, Link};
use crate::diagnostic::{Diagnostic, Fault};
use crate::shape::Field;
use crate::tree::Node;

const fn limit(name: &'static str, default: &'static str, help: &'static str) -> Field {
    Field::option(Opt::new(name, Kind::Count, Default::Is(default), help).at_least("1"))
}

/// `limits`.
pub static LIMITS: &[Field] = &[
    limit("nodes", "10000", "nodes, generated ones included"),
    limit("flows", "10000", "flows, one for each sender of a pattern"),
    limit(
        "packets",
        "1000000000",
        "packets that sources with a rate hand over, and opportunities of traces",
    ),
];

/// The limits of a scenario.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    nodes: u64,
    flows: u64,
    packets: u64,
}

impl Limits {
    /// As they were written.
    pub fn of(args: &Args) -> Limits {
        Limits {
            nodes: args.count("nodes"),
            flows: args.count("flows"),
            packets: args.count("packets"),
        }
    }

    /// Refuses more nodes than the limit.
    pub fn nodes(&self, count: u64, place: &Node) -> Result<(), Diagnostic> {
        within(count, self.nodes, "nodes", place)
    }

    /// Refuses more flows than the limit.
    pub fn flows(&self, count: u64, place: &Node) -> Result<(), Diagnostic> {
        within(count, self.flows, "flows", place)
    }

    /// Refuses more packets or opportunities than the limit.
    pub fn load(
        &self,
        flows: &[Flow],
        links: &[Link],
        duration: Span,
        place: &Node,
    ) -> Result<(), Diagnostic> {
        let each = flows.iter().map(|f| packets(f) * f.from.len() as f64);
        within(each.sum::<f64>() as u64, self.packets, "packets", place)?;
        let traces = links
            .iter()
            .flat_map(|l| l.spec.ways.iter().flatten().zip(l.ways.iter().flatten()))
            .filter_map(|(way, made)| {
                let Service::Trace(server) = &way.service else {
                    return None;
                };
                let rate = fastest(&made.trace.as_ref()?.args)?;
                Some(count(rate, duration, Bytes(server.opportunity)))
            });
        let all = traces.sum::<f64>() as u64;
        within(all, self.packets, "packets", place)
    }
}

fn within(count: u64, most: u64, name: &str, place: &Node) -> Result<(), Diagnostic> {
    if count <= most {
        return Ok(());
    }
    let what = format!("the scenario would have {count} {name}; at most {most} are allowed");
    let fix = format!("make it smaller, or write limits = {{ {name} = {count} }}");
    Err(place.refuse(Fault::new(what, fix)))
}

/// Packets that a sender of this flow hands over, as its source's options say; none where its rate is that of the network.
fn packets(flow: &Flow) -> f64 {
    let args = &flow.made.args;
    let span = Span(flow.stop.0.saturating_sub(flow.start.0));
    if let AnySource::RequestResponse(_) = flow.source {
        let gap = args.span("gap").0.max(1);
        return span.0 as f64 / gap as f64;
    }
    let rate = args.find("rate").and_then(|v| match v {
        Value::Rate(rate) => Some(rate.0),
        _ => None,
    });
    let own = args.find("packet").and_then(|v| match v {
        Value::Bytes(bytes) => Some(*bytes),
        _ => None,
    });
    let size = own.unwrap_or(flow.packet).min(flow.packet);
    rate.map_or(0.0, |rate| count(rate, span, size))
}

/// The fastest rate that a trace's options name, bit/s.
fn fastest(args: &Args) -> Option<u64> {
    let rates = args.0.iter().filter_map(|(_, v)| match v {
        Value::Rate(rate) => Some(rate.0),
        _ => None,
    });
    rates.max()
}

/// How many of this size pass at a rate.
fn count(rate: u64, span: Span, size: Bytes) -> f64 {
    rate as f64 * span.seconds() / (8.0 * size.0.max(1) as f64)
}
