//! The networks whose states are compared.

use backwater_transport::controller::{CONTROLLERS, Setup};
use backwater_transport::endpoint::{Protocol, ReceiverSetup, SenderSetup};
use backwater_transport::part::{Args, Part, Refusal, Value};
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::limit::Limit;
use crate::mechanism::{DETECTORS, NOTIFIERS, RESPONDERS};
use crate::queue::AnyScheduler;
use crate::source::{AnySource, SOURCES};
use crate::spec::*;
use crate::targets::Destination;
use backwater_transport_testing::options;

type Given<'a> = &'a [(&'static str, Value)];
type Rows<T> = [Part<fn(&Args) -> Result<T, Refusal>>];

pub(super) fn part<T>(table: &Rows<T>, id: &str, given: Given<'_>) -> T {
    let row = table.iter().find(|row| row.id == id).expect("a part");
    (row.build)(&options::fill(row.options, given)).expect("legal options")
}

fn empty(nodes: &[(&str, NodeKind)], seconds: f64) -> Spec {
    let nodes = nodes.iter().map(|(name, kind)| NodeSpec {
        name: (*name).into(),
        kind: kind.clone(),
    });
    Spec {
        seed: 1,
        duration: Span::from_seconds(seconds),
        warmup: Span::ZERO,
        routing: Routing::Tree,
        choose: Choose::default(),
        roots: Vec::new(),
        media: Vec::new(),
        nodes: nodes.collect(),
        links: Vec::new(),
        ports: Vec::new(),
        stamps: Vec::new(),
        mechanisms: Vec::new(),
        flows: Vec::new(),
        events: Vec::new(),
    }
}

const HOST: NodeKind = NodeKind::Host { obeys: true };
const SWITCH: NodeKind = NodeKind::Switch(SwitchModel::OutputQueued);

fn link(spec: &mut Spec, a: usize, b: usize, mbit: u64, delay: Span) {
    for (from, to) in [(a, b), (b, a)] {
        spec.ports.push(PortSpec {
            name: format!("{}>{}", spec.nodes[from].name, spec.nodes[to].name),
            scheduler: AnyScheduler::Fifo,
            aqm: None,
            buffer: Limit::Bytes(Bytes(100_000)),
            trim: None,
            watchdog: None,
        });
    }
    spec.links.push(LinkSpec {
        name: format!("l{}", spec.links.len()),
        ends: [a, b],
        rate: Rate(mbit * 1_000_000),
        delay,
        directions: [None, None],
        max_frame: Bytes(1518),
    });
}

fn flow(spec: &mut Spec, from: usize, to: usize, source: AnySource) {
    spec.flows.push(FlowSpec {
        name: format!("f{}", spec.flows.len()),
        from,
        to: Destination::Node(to),
        class: 0,
        ecn: Ecn::NotEct,
        packet: Bytes(1500),
        start: Span::ZERO,
        stop: spec.duration,
        source,
        options: FlowOptions::default(),
        route: None,
        transport: None,
        after: None,
    });
}

fn watch(spec: &mut Spec, at: &[usize]) {
    spec.mechanisms.push(MechanismSpec {
        name: "m".into(),
        at: at.to_vec(),
        stations: Vec::new(),
        detect: part(DETECTORS, "watermark", &[]),
        notify: part(NOTIFIERS, "pause", &[]),
        respond: part(RESPONDERS, "gate", &[]),
    });
}

/// Two hosts send over a switch to a third, whose port tells them to stop.
pub(super) fn paused() -> Spec {
    let nodes = [("A", HOST), ("B", HOST), ("W", SWITCH), ("D", HOST)];
    let mut spec = empty(&nodes, 1.0);
    for host in [0, 1, 3] {
        link(&mut spec, host, 2, 100, Span::micros(1));
    }
    for (host, size) in [(0, 1500), (1, 1000)] {
        let packet = ("packet", Value::Bytes(Bytes(size)));
        let rate = ("rate", Value::Rate(Rate(70_000_000)));
        flow(&mut spec, host, 3, part(SOURCES, "cbr", &[packet, rate]));
    }
    watch(&mut spec, &[5]);
    spec
}

/// A window over a long way, written to at a constant rate.
pub(super) fn windows() -> Spec {
    let mut spec = empty(&[("A", HOST), ("D", HOST)], 100.0);
    link(&mut spec, 0, 1, 10, Span::millis(100));
    let packet = ("packet", Value::Bytes(Bytes(1000)));
    let rate = ("rate", Value::Rate(Rate(4_000_000)));
    flow(&mut spec, 0, 1, part(SOURCES, "cbr", &[packet, rate]));
    let protocol = Protocol::Stream;
    let mss = 1500 - protocol.row().header;
    let sender = SenderSetup::new(protocol, mss, 1518);
    let setup = Setup {
        protocol,
        mss,
        frame: sender.frame,
        initial: sender.initial,
        random: Random::stream(1, "controller", "f0"),
    };
    let fixed = CONTROLLERS.iter().find(|row| row.id == "fixed");
    let fixed = fixed.expect("a controller");
    let window = [("window", Value::Packets(1000))];
    let controller = (fixed.build)(&options::fill(fixed.options, &window), &setup);
    spec.flows[0].transport = Some(TransportSpec {
        controller: controller.expect("legal options"),
        receiver: ReceiverSetup::new(protocol, mss),
        sender,
        pulled: false,
        small_queue: None,
        ack_class: 0,
        spreader: None,
        signal_class: 0,
    });
    spec
}

/// Three switches in a ring, each with a host; the ports between them are watched where it says so.
pub(super) fn ring(watched: [bool; 3]) -> Spec {
    let nodes = ["W0", "W1", "W2", "H0", "H1", "H2"];
    let kinds = [SWITCH, SWITCH, SWITCH, HOST, HOST, HOST];
    let nodes: Vec<_> = nodes.into_iter().zip(kinds).collect();
    let mut spec = empty(&nodes, 1.0);
    spec.routing = Routing::ShortestPath;
    for i in 0..3 {
        link(&mut spec, i, (i + 1) % 3, 10, Span::micros(1));
    }
    for i in 0..3 {
        link(&mut spec, 3 + i, i, 10, Span::micros(1));
    }
    for i in 0..3 {
        let rate = ("rate", Value::Rate(Rate(1_000_000)));
        let packet = ("packet", Value::Bytes(Bytes(1500)));
        let to = (i + 2) % 3;
        flow(
            &mut spec,
            3 + i,
            3 + to,
            part(SOURCES, "cbr", &[packet, rate]),
        );
        let way = vec![3 + i, i, (i + 1) % 3, to, 3 + to];
        spec.flows.last_mut().expect("just written").route = Some(way);
    }
    let at: Vec<usize> = (0..3).filter(|i| watched[*i]).map(|i| 2 * i).collect();
    watch(&mut spec, &at);
    spec
}

/// The same with flows that bring nearly twice what the links between switches take.
pub(super) fn overloaded_ring() -> Spec {
    let mut spec = ring([true; 3]);
    for flow in &mut spec.flows {
        let packet = ("packet", Value::Bytes(Bytes(1500)));
        let rate = ("rate", Value::Rate(Rate(9_000_000)));
        flow.source = part(SOURCES, "cbr", &[packet, rate]);
    }
    spec
}
