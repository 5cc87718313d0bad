//! Two hosts joined by one link whose directions are traces.

use backwater_sim::limit::Limit;
use backwater_sim::medium::boxes::{AnyBox, BOXES, Delay};
use backwater_sim::medium::trace::{AnyTrace, EMULATORS, Emulator, First, ServerSpec, TRACES};
use backwater_sim::queue::AnyScheduler;
use backwater_sim::source::{AnySource, SOURCES};
use backwater_sim::spec::{
    Direction, FlowOptions, FlowSpec, LinkSpec, NodeKind, NodeSpec, PortSpec, Routing, Service,
    Spec,
};
use backwater_sim::targets::Destination;
use backwater_sim::world::World;
use backwater_transport::part::{Args, File, Value};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Rate, Span, Time};

/// Ticks in a millisecond.
pub const MS: u64 = 1_000_000_000;

pub const MAHIMAHI: &Emulator = &EMULATORS[0];
pub const CELLSIM: &Emulator = &EMULATORS[1];

/// A recorded trace.
pub fn recorded(lines: impl IntoIterator<Item = u64>, repeat: bool) -> AnyTrace {
    let content = backwater_sim::medium::trace::file::write(lines);
    let file = File {
        path: "t.trace".into(),
        content: content.into_bytes().into(),
    };
    let trace = generated("file", &[("file", Value::File(file))]);
    let AnyTrace::Recorded(trace) = trace else {
        panic!("a recorded trace")
    };
    AnyTrace::Recorded(trace.repeated(repeat))
}

/// A trace by name.
pub fn generated(id: &str, given: &[(&'static str, Value)]) -> AnyTrace {
    let part = TRACES.iter().find(|p| p.id == id).expect("a trace");
    (part.build)(&Args(given.to_vec())).expect("legal options")
}

/// A box by name.
pub fn path_box(id: &str, given: &[(&'static str, Value)]) -> AnyBox {
    let part = BOXES.iter().find(|p| p.id == id).expect("a box");
    (part.build)(&Args(given.to_vec())).expect("legal options")
}

/// A delay as the emulators have it.
pub fn delay(ms: u64) -> AnyBox {
    AnyBox::Delay(Delay::constant(Span::millis(ms), true))
}

/// A direction served by a trace.
pub fn direction(
    trace: AnyTrace,
    emulator: &Emulator,
    first: First,
    boxes: Vec<AnyBox>,
) -> Option<Box<Direction>> {
    Some(Box::new(Direction {
        name: String::new(),
        boxes,
        service: Service::Trace(Box::new(ServerSpec {
            trace,
            opportunity: emulator.opportunity,
            overhead: emulator.overhead,
            first,
            whole: emulator.whole,
            milliseconds: true,
            delay_behind: Span::ZERO,
        })),
    }))
}

/// Hosts S and R, a link with these directions, and flows from outside: "data" from S to R with packets
/// of up to 1500 bytes, "ack" back.
pub fn spec(directions: [Option<Box<Direction>>; 2], seconds: f64) -> Spec {
    let duration = Span::from_seconds(seconds);
    let outside = || source("outside", &[]);
    let flow = |name: &str, from: usize, to: usize| FlowSpec {
        name: name.into(),
        from,
        to: Destination::Node(to),
        class: 0,
        ecn: Ecn::NotEct,
        packet: Bytes(1500),
        start: Span::ZERO,
        stop: duration,
        source: outside(),
        transport: None,
        options: FlowOptions::default(),
        after: None,
        route: None,
    };
    let host = |name: &str| NodeSpec {
        name: name.into(),
        kind: NodeKind::Host { obeys: false },
    };
    let port = |name: &str| PortSpec {
        name: name.into(),
        scheduler: AnyScheduler::Fifo,
        aqm: None,
        trim: None,
        watchdog: None,
        buffer: Limit::Unlimited,
    };
    Spec {
        seed: 1,
        duration,
        warmup: Span::ZERO,
        routing: Routing::Tree,
        nodes: vec![host("S"), host("R")],
        links: vec![LinkSpec {
            name: "l".into(),
            ends: [0, 1],
            rate: Rate(1_000_000_000),
            delay: Span::ZERO,
            directions,
            max_frame: Bytes(1518),
        }],
        ports: vec![port("S>R"), port("R>S")],
        media: Vec::new(),
        choose: Default::default(),
        roots: Vec::new(),
        events: Vec::new(),
        stamps: Vec::new(),
        mechanisms: Vec::new(),
        flows: vec![flow("data", 0, 1), flow("ack", 1, 0)],
    }
}

/// A source by name.
pub fn source(id: &str, given: &[(&'static str, Value)]) -> AnySource {
    let part = SOURCES.iter().find(|p| p.id == id).expect("a source");
    (part.build)(&Args(given.to_vec())).expect("legal options")
}

/// Runs to the end; gives (tag, ms of delivery) of what was delivered.
pub fn deliveries(world: &mut World) -> Vec<(u64, u64)> {
    world.advance(world.end());
    assert!(world.report().conserved);
    let exits = world.take_exits();
    let delivered = exits
        .iter()
        .filter(|e| e.fate == backwater_sim::world::Fate::Delivered);
    delivered.map(|e| (e.tag, e.at.0 / MS)).collect()
}

/// The instant of a millisecond.
pub const fn at(ms: u64) -> Time {
    Time(ms * MS)
}
