//! A wire and a trace link of the same constant rate deliver the same packets at the same instants, where both are exact.
//!
//! Both are exact if:
//! * all packets have one size L, and R divides into whole ticks for a byte;
//! * a packet takes as much of the trace as of the wire: an overhead of 38 B (header, FCS, preamble and gap, IEEE 802.3) makes
//!   L + 38 B an opportunity, one for each T = 8 (L + 38) / R;
//! * packets come at multiples of T, and an opportunity goes before a packet that comes at the same instant: what comes at kT then
//!   leaves at (k + 1)T. The last bit of a frame that starts on a wire at kT leaves at (k + 1)T less the gap, so a wire as long
//!   as the gap delivers it at (k + 1)T too, and what comes out is again at multiples of T;
//! * queues are FIFO: a scheduler of a wire chooses a gap before kT, that of a trace at (k + 1)T;
//! * buffers drop the newest: a frame counts until its last bit has left, which both have before what comes at (k + 1)T.

use backwater_sim::limit::Limit;
use backwater_sim::medium::ethernet::{GAP, HEADER_FCS, PREAMBLE};
use backwater_sim::medium::trace::{First, ServerSpec, TRACES};
use backwater_sim::queue::AnyScheduler;
use backwater_sim::spec::*;
use backwater_sim::table::Id;
use backwater_sim::targets::Destination;
use backwater_sim::world::{Fate, World};
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, PS_PER_S, Rate, Span, Time};

use crate::outside::inject;
use crate::random::{one, source};
use crate::worlds::{MBIT, part};

/// A random tree of wires, and what its hosts send.
struct Drawn {
    spec: Spec,
    /// Bytes of a packet, with all that it takes on a wire.
    size: u64,
    rate: Rate,
    /// Instant, flow and tag of each packet, in order of time.
    packets: Vec<(Time, usize, u32)>,
}

fn link(r: &mut Random, spec: &mut Spec, ends: [usize; 2], rate: Rate, delay: Span) {
    for [from, to] in [ends, [ends[1], ends[0]]] {
        spec.ports.push(PortSpec {
            name: format!("{}>{}", spec.nodes[from].name, spec.nodes[to].name),
            scheduler: AnyScheduler::Fifo,
            aqm: None,
            trim: None,
            watchdog: None,
            buffer: one(r, &[Limit::Unlimited, Limit::Packets(2), Limit::Packets(9)]),
        });
    }
    spec.links.push(LinkSpec {
        name: format!("l{}", spec.links.len()),
        ends,
        rate,
        delay,
        directions: [None, None],
        max_frame: Bytes(1518),
    });
}

fn node(spec: &mut Spec, name: String, kind: NodeKind) -> usize {
    spec.nodes.push(NodeSpec { name, kind });
    spec.nodes.len() - 1
}

fn draw(number: u64) -> Drawn {
    let r = &mut Random::stream(number, "test", "exact");
    let rate = Rate(one(r, &[1, 8, 10, 100, 1000]) * MBIT);
    let byte = 8 * PS_PER_S / rate.0;
    let len = one(r, &[46, 500, 1500]);
    let size = len + HEADER_FCS + PREAMBLE + GAP;
    let slot = size * byte;
    let mut spec = Spec {
        seed: number,
        duration: Span(400 * slot),
        warmup: Span::ZERO,
        routing: Routing::Tree,
        choose: Default::default(),
        roots: Vec::new(),
        events: Vec::new(),
        media: Vec::new(),
        nodes: Vec::new(),
        links: Vec::new(),
        ports: Vec::new(),
        stamps: Vec::new(),
        mechanisms: Vec::new(),
        flows: Vec::new(),
    };
    let gap = Span(GAP * byte);
    let mut switches = Vec::new();
    for i in 0..r.between(1, 4) {
        let kind = NodeKind::Switch(SwitchModel::OutputQueued);
        let new = node(&mut spec, format!("W{i}"), kind);
        if !switches.is_empty() {
            let to = one(r, &switches);
            link(r, &mut spec, [to, new], rate, gap);
        }
        switches.push(new);
    }
    let mut hosts = Vec::new();
    for i in 0..r.between(2, 5) {
        let new = node(&mut spec, format!("H{i}"), NodeKind::Host { obeys: false });
        let to = one(r, &switches);
        link(r, &mut spec, [new, to], rate, gap);
        hosts.push(new);
    }
    let mut packets = Vec::new();
    for flow in 0..r.between(1, 6) as usize {
        let from = one(r, &hosts);
        let others: Vec<usize> = hosts.iter().copied().filter(|h| *h != from).collect();
        spec.flows.push(FlowSpec {
            name: format!("f{flow}"),
            from,
            to: Destination::Node(one(r, &others)),
            class: 0,
            ecn: Ecn::NotEct,
            packet: Bytes(len),
            start: Span::ZERO,
            stop: spec.duration,
            source: source("outside", &[]),
            options: FlowOptions::default(),
            after: None,
            route: None,
            transport: None,
        });
        let at = (0..60).map(|tag| (Time(r.between(0, 150) * slot), flow, tag));
        packets.extend(at);
    }
    packets.sort_unstable();
    Drawn {
        spec,
        size,
        rate,
        packets,
    }
}

/// The same with trace links in place of some directions.
fn with_traces(drawn: &Drawn, r: &mut Random) -> Spec {
    let mut spec = drawn.spec.clone();
    for direction in spec.links.iter_mut().flat_map(|l| &mut l.directions) {
        if r.between(0, 1) == 0 {
            continue;
        }
        let given = [("rate", Value::Rate(drawn.rate))];
        *direction = Some(Box::new(Direction {
            name: String::new(),
            boxes: Vec::new(),
            service: Service::Trace(Box::new(ServerSpec {
                trace: part(TRACES, "constant", &given),
                opportunity: drawn.size,
                overhead: HEADER_FCS + PREAMBLE + GAP,
                first: First::Opportunity,
                whole: true,
                milliseconds: false,
                delay_behind: Span::ZERO,
            })),
        }));
    }
    spec
}

/// Instant, flow, tag and fate of every packet.
fn exits(spec: &Spec, packets: &[(Time, usize, u32)], len: u64) -> Vec<(Time, u32, u32, Fate)> {
    let mut world = World::build(spec).expect("a legal world");
    for (at, flow, tag) in packets {
        // Two flows may join the same hosts, so the flow is part of the tag.
        let tag = (*flow as u64) << 32 | u64::from(*tag);
        inject(&mut world, *at, Id::new(*flow), len, tag);
    }
    world.advance(world.end());
    assert!(world.report().conserved);
    let exits = world.take_exits();
    let mut exits: Vec<_> = exits
        .iter()
        .map(|e| (e.at, (e.tag >> 32) as u32, e.tag as u32, e.fate))
        .collect();
    exits.sort_by_key(|(at, flow, tag, _)| (*at, *flow, *tag));
    exits
}

#[test]
fn a_trace_link_delivers_what_a_wire_of_its_rate_delivers() {
    let (mut delivered, mut dropped) = (0, 0);
    for number in 0..500 {
        let drawn = draw(number);
        let len = drawn.size - HEADER_FCS - PREAMBLE - GAP;
        let wires = exits(&drawn.spec, &drawn.packets, len);
        let r = &mut Random::stream(number, "test", "ways");
        let traces = exits(&with_traces(&drawn, r), &drawn.packets, len);
        assert_eq!(wires, traces, "world {number}");
        let arrived = wires.iter().filter(|e| e.3 == Fate::Delivered).count();
        delivered += arrived;
        dropped += wires.len() - arrived;
    }
    assert!(
        delivered > 10_000 && dropped > 1_000,
        "{delivered} {dropped}"
    );
}
