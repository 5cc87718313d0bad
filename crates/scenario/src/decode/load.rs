//! An estimate of what sources and traces do, before anything is built.

use std::collections::BTreeMap;

use backwater_sim::limit::Limit;
use backwater_sim::medium::ethernet::{GAP, PREAMBLE};
use backwater_sim::packet;
use backwater_sim::source::Source;
use backwater_sim::spec::Service;
use backwater_transport::part::{Args, Value};
use backwater_transport::units::{Bytes, Span};

use super::Port;
use super::flows::Flow;
use super::links::Link;

/// Packets that all sources with a rate hand over.
pub fn of_flows(flows: &[Flow]) -> f64 {
    let each = flows.iter().map(|f| packets(f) * f.from.len() as f64);
    each.sum()
}

/// Opportunities of all traces at their fastest.
pub fn of_traces(links: &[Link], duration: Span) -> f64 {
    let directions = links.iter().flat_map(|l| {
        l.spec
            .directions
            .iter()
            .flatten()
            .zip(l.directions.iter().flatten())
    });
    let each = directions.filter_map(|(direction, made)| {
        let Service::Trace(server) = &direction.service else {
            return None;
        };
        let rate = fastest(&made.trace.as_ref()?.args)?;
        Some(count(rate, duration, Bytes(server.opportunity)))
    });
    each.sum()
}

/// Packets that wait in the end, where hosts' ports have no limit and sources hand over more than the lines of their hosts carry.
pub fn waiting(flows: &[Flow], links: &[Link], ports: &[Port], duration: Span) -> f64 {
    let mut lines: BTreeMap<usize, f64> = BTreeMap::new();
    for (number, port) in ports.iter().enumerate() {
        let (link, side) = (&links[number / 2], number % 2);
        let trace = link.directions[side]
            .as_ref()
            .and_then(|d| d.trace.as_ref());
        let rate = match trace {
            Some(trace) => fastest(&trace.args).unwrap_or(u64::MAX),
            None => link.spec.rate.0,
        };
        if port.host && port.spec.buffer == Limit::Unlimited {
            *lines.entry(link.spec.ends[side]).or_default() += rate as f64;
        }
    }
    let each = lines.iter().map(|(host, rate)| {
        let mine = flows
            .iter()
            .filter(|f| f.transport.is_none() && f.from.contains(host));
        let (mut count, mut bits) = (0.0, 0.0);
        for flow in mine {
            let packets = packets(flow);
            count += packets;
            bits += packets * 8.0 * (packet::frame(size(flow).0) + PREAMBLE + GAP) as f64;
        }
        let sent = rate * duration.seconds();
        if bits > sent {
            count * (1.0 - sent / bits)
        } else {
            0.0
        }
    });
    each.sum()
}

/// Packets that a sender of this flow hands over, as its source's options say; none where its rate is that of
/// the network, as of a source that waits for what it wrote to arrive.
fn packets(flow: &Flow) -> f64 {
    let args = &flow.made.args;
    let span = Span(flow.stop.0.saturating_sub(flow.start.0));
    if flow.source.waits() {
        return 0.0;
    }
    if args.has("gap") {
        let gap = args.span("gap").0.max(1);
        return span.0 as f64 / gap as f64;
    }
    let rate = args.find("rate").and_then(|v| match v {
        Value::Rate(rate) => Some(rate.0),
        _ => None,
    });
    rate.map_or(0.0, |rate| count(rate, span, size(flow)))
}

/// Bytes of its IP packets.
fn size(flow: &Flow) -> Bytes {
    let own = flow.made.args.find("packet").and_then(|v| match v {
        Value::Bytes(bytes) => Some(*bytes),
        _ => None,
    });
    own.unwrap_or(flow.packet).min(flow.packet)
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
