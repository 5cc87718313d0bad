//! An estimate of what sources and traces do, before anything is built.

use std::collections::BTreeMap;

use backwater_sim::limit::Limit;
use backwater_sim::medium::ethernet::{GAP, PREAMBLE};
use backwater_sim::packet;
use backwater_sim::source::Source;
use backwater_sim::spec::Service;
use backwater_transport::part::{Args, Value};
use backwater_transport::units::{Bytes, Span};

use super::Draft;
use super::flows::Flow;
use super::links::Link;

/// Packets that all sources with a rate hand over.
pub fn of_flows(flows: &[Flow]) -> f64 {
    let each = flows.iter().map(|f| packets(f) * f.from.len() as f64);
    each.sum()
}

/// Opportunities of all traces at their fastest, and slots.
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
            return Some(direction.service.instants(duration));
        };
        let rate = fastest(&made.trace.as_ref()?.args)?;
        Some(count(rate, duration, Bytes(server.opportunity)))
    });
    each.sum()
}

/// The most that leaves a host, bit/s.
#[derive(Copy, Clone, Default)]
struct Egress {
    all: f64,
    /// Over ports and radios without a limit.
    unlimited: f64,
}

/// Packets and transfers that wait in the end at hosts whose sources hand over more than their lines and radios carry: packets where
/// a buffer has no limit, transfers in front of a transport.
pub fn waiting(draft: &Draft) -> f64 {
    let mut hosts: BTreeMap<usize, Egress> = BTreeMap::new();
    let mut add = |host, rate: f64, buffer| {
        let egress = hosts.entry(host).or_default();
        egress.all += rate;
        if buffer == Limit::Unlimited {
            egress.unlimited += rate;
        }
    };
    for (number, port) in draft.ports.iter().enumerate() {
        let (link, side) = (&draft.links[number / 2], number % 2);
        if port.host {
            add(link.spec.ends[side], line(link, side), port.spec.buffer);
        }
    }
    for (host, node) in draft.nodes.iter().enumerate() {
        for attachment in node.kind.attachments() {
            let of_medium = draft.media[attachment.medium].phy.data;
            let rate = attachment.rate.unwrap_or(of_medium);
            add(host, rate.0 as f64, attachment.buffer);
        }
    }
    let each = hosts.iter().map(|(host, egress)| {
        let mine = |f: &&Flow| f.from.contains(host);
        let flows = draft.flows.iter().filter(mine);
        let (above, without): (Vec<_>, Vec<_>) = flows.partition(|f| f.transport.is_some());
        let transfers = backlog(&above, demands, egress.all, draft.duration);
        if egress.unlimited == 0.0 {
            return transfers;
        }
        transfers + backlog(&without, packets, egress.unlimited, draft.duration)
    });
    each.sum()
}

/// Of what these flows hand over at a host, how much its egress does not carry.
fn backlog(flows: &[&Flow], count: fn(&Flow) -> f64, rate: f64, duration: Span) -> f64 {
    let all: f64 = flows.iter().map(|f| count(f)).sum();
    let bits: f64 = flows.iter().map(|f| bits(f)).sum();
    let sent = rate * duration.seconds();
    if bits > sent {
        all * (1.0 - sent / bits)
    } else {
        0.0
    }
}

/// Bits that a sender of this flow hands over, in frames.
fn bits(flow: &Flow) -> f64 {
    match response(flow) {
        Some(bytes) => demands(flow) * bytes * 8.0,
        None => packets(flow) * 8.0 * (packet::frame(size(flow).0) + PREAMBLE + GAP) as f64,
    }
}

/// The greatest rate of a direction of a link, bit/s.
fn line(link: &Link, side: usize) -> f64 {
    let Some(direction) = &link.spec.directions[side] else {
        return link.spec.rate.0 as f64;
    };
    let Service::Trace(server) = &direction.service else {
        return direction.service.fastest().unwrap_or(f64::INFINITY);
    };
    if let Some(recorded) = server.trace.recorded() {
        let lines = recorded.lines();
        let span = lines.last().map_or(0, |last| u64::from(*last).max(1));
        return lines.len() as f64 * server.opportunity as f64 * 8e3 / span as f64;
    }
    let made = link.directions[side].as_ref();
    let rate = made
        .and_then(|d| d.trace.as_ref())
        .and_then(|t| fastest(&t.args));
    rate.map_or(f64::INFINITY, |rate| rate as f64)
}

/// Mean bytes of a response, where this flow answers requests.
fn response(flow: &Flow) -> Option<f64> {
    let args = &flow.made.args;
    args.find("gap")?;
    Some(match args.find("size") {
        Some(Value::Bytes(bytes)) => bytes.0 as f64,
        _ => mean_of_file(&args.file("file").content),
    })
}

/// Mean of the numbers of a file, one on each line.
fn mean_of_file(content: &[u8]) -> f64 {
    let lines = content.split(|b| *b == b'\n');
    let numbers = lines.filter_map(|l| std::str::from_utf8(l).ok()?.trim().parse::<f64>().ok());
    let (sum, count) = numbers.fold((0.0, 0.0), |(s, c), n| (s + n, c + 1.0));
    if count == 0.0 { 1.0 } else { sum / count }
}

/// Packets of all that a sender of this flow hands over, as its source's options say; none where its rate is that of
/// the network, as of a source that waits for what it wrote to arrive.
fn packets(flow: &Flow) -> f64 {
    let each = response(flow).map_or(1.0, |bytes| (bytes / size(flow).0.max(1) as f64).ceil());
    demands(flow) * each
}

/// Responses that a sender of this flow hands over, or packets of a source with a rate.
fn demands(flow: &Flow) -> f64 {
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
