//! A short way to write a network: names, links, flows, mechanisms.

use backwater_sim::limit::Limit;
use backwater_sim::mechanism::{DETECTORS, NOTIFIERS, RECIPES, RESPONDERS};
use backwater_sim::queue::AnyScheduler;
use backwater_sim::record::{Record, What};
use backwater_sim::source::{AnySource, Demand, Source};
use backwater_sim::spec::{
    FlowOptions, FlowSpec, LinkSpec, MechanismSpec, NodeKind, NodeSpec, PortSpec, Routing, Spec,
    SwitchModel,
};
use backwater_sim::targets::Destination;
use backwater_sim::world::{Report, World};
use backwater_transport::part::{Args, Part, Refusal, Value};
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Rate, Span, Time};

pub use crate::random::{args, source};

/// A network being written.
#[derive(Clone)]
pub struct Net(pub Spec);

pub const MBIT: u64 = 1_000_000;

/// A constant rate of full packets.
pub fn cbr(rate: u64) -> AnySource {
    source(
        "cbr",
        &[
            ("packet", Value::Bytes(Bytes(1500))),
            ("rate", Value::Rate(Rate(rate))),
        ],
    )
}

impl Net {
    pub fn new(seconds: f64) -> Net {
        Net(Spec {
            seed: 1,
            duration: Span::from_seconds(seconds),
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
        })
    }

    pub fn node(&mut self, name: &str, kind: NodeKind) -> usize {
        self.0.nodes.push(NodeSpec {
            name: name.into(),
            kind,
        });
        self.0.nodes.len() - 1
    }

    pub fn host(&mut self, name: &str) -> usize {
        self.node(name, NodeKind::Host { obeys: false })
    }

    pub fn obeying_host(&mut self, name: &str) -> usize {
        self.node(name, NodeKind::Host { obeys: true })
    }

    pub fn switch(&mut self, name: &str) -> usize {
        self.node(name, NodeKind::Switch(SwitchModel::OutputQueued))
    }

    /// A switch with shared memory.
    pub fn shared_switch(
        &mut self,
        name: &str,
        memory: u64,
        reserve: u64,
        headroom: u64,
        shift: u32,
    ) -> usize {
        self.node(
            name,
            NodeKind::Switch(SwitchModel::SharedMemory {
                memory: Bytes(memory),
                reserve: Bytes(reserve),
                headroom: Bytes(headroom),
                shift,
            }),
        )
    }

    /// A link; ports of hosts hold without limit, those of switches 500 kB. Gives its two ports.
    pub fn link(&mut self, a: usize, b: usize, rate: u64) -> [usize; 2] {
        let name = format!("l{}", self.0.links.len());
        self.0.links.push(LinkSpec {
            name,
            ends: [a, b],
            rate: Rate(rate),
            delay: Span::micros(1),
            directions: [None, None],
            max_frame: Bytes(1518),
        });
        for (from, to) in [(a, b), (b, a)] {
            let buffer = match self.0.nodes[from].kind {
                NodeKind::Host { .. } | NodeKind::Station(_) => Limit::Unlimited,
                NodeKind::Switch(_) => Limit::Bytes(Bytes(500_000)),
            };
            let name = format!("{}>{}", self.0.nodes[from].name, self.0.nodes[to].name);
            self.0.ports.push(PortSpec {
                name,
                scheduler: AnyScheduler::Fifo,
                aqm: None,
                trim: None,
                watchdog: None,
                buffer,
            });
        }
        [self.0.ports.len() - 2, self.0.ports.len() - 1]
    }

    pub fn buffer(&mut self, port: usize, bytes: u64) {
        self.0.ports[port].buffer = Limit::Bytes(Bytes(bytes));
    }

    pub fn classes(&mut self, classes: usize) {
        self.0
            .ports
            .iter_mut()
            .for_each(|p| p.scheduler = AnyScheduler::StrictPriority(classes));
    }

    pub fn flow(&mut self, name: &str, from: usize, to: usize, source: AnySource) -> &mut FlowSpec {
        let stop = self.0.duration;
        self.0.flows.push(FlowSpec {
            name: name.into(),
            from,
            to: Destination::Node(to),
            class: 0,
            ecn: Ecn::NotEct,
            packet: Bytes(1500),
            start: Span::ZERO,
            stop,
            source,
            options: FlowOptions::default(),
            after: None,
            route: None,
            transport: None,
        });
        self.0.flows.last_mut().unwrap()
    }

    pub fn recipe(&mut self, id: &str, at: &[usize], given: &[(&'static str, Value)]) {
        let recipe = RECIPES.iter().find(|r| r.id == id).expect("a recipe");
        self.mechanism([recipe.detect, recipe.notify, recipe.respond], at, given);
    }

    pub fn mechanism(
        &mut self,
        [detect, notify, respond]: [&str; 3],
        at: &[usize],
        given: &[(&'static str, Value)],
    ) {
        type Rows<T> = [Part<fn(&Args) -> Result<T, Refusal>>];
        fn build<T>(table: &Rows<T>, id: &str, given: &[(&'static str, Value)]) -> T {
            let part = table.iter().find(|p| p.id == id).expect("a part");
            let mine: Vec<_> = given
                .iter()
                .filter(|(n, _)| part.options.iter().any(|o| o.name == *n))
                .cloned()
                .collect();
            (part.build)(&args(part, &mine)).expect("legal options")
        }
        self.0.mechanisms.push(MechanismSpec {
            stations: Vec::new(),
            name: format!("m{}", self.0.mechanisms.len()),
            at: at.to_vec(),
            detect: build(DETECTORS, detect, given),
            notify: build(NOTIFIERS, notify, given),
            respond: build(RESPONDERS, respond, given),
        });
    }

    pub fn world(&self) -> World {
        World::build(&self.0).expect("a network that can be built")
    }

    pub fn run(&self) -> Report {
        let mut world = self.world();
        world.advance(world.end());
        let report = world.report();
        assert!(report.conserved);
        report
    }

    /// Runs unfused and recorded.
    pub fn run_recorded(&self) -> (Report, Vec<Record>) {
        let mut world = self.world();
        world.start_recording();
        world.advance(world.end());
        let report = world.report();
        assert!(report.conserved);
        (report, world.take_records())
    }
}

/// Three sources, three switches, one congested switch, one sink: the document's merging topology.
/// Gives the network and the congested port.
pub fn merging(seconds: f64, source: impl Fn() -> AnySource) -> (Net, usize) {
    let mut net = Net::new(seconds);
    let (x, d) = (net.switch("X"), net.host("D"));
    for i in 1..=3 {
        let (s, w) = (net.host(&format!("S{i}")), net.switch(&format!("W{i}")));
        net.link(s, w, 10 * MBIT);
        net.link(w, x, 10 * MBIT);
        net.flow(&format!("f{i}"), s, d, source());
    }
    let port = net.link(x, d, 10 * MBIT)[0];
    net.buffer(port, 50_000);
    (net, port)
}

/// Demands written down: (instant in ticks, bytes).
#[derive(Clone, Debug)]
pub struct Script {
    demands: Vec<(u64, u64)>,
    next: usize,
}

impl Source for Script {
    fn next(&mut self, _: Time, _: &mut Random) -> Option<Demand> {
        let (at, bytes) = *self.demands.get(self.next)?;
        self.next += 1;
        Some(Demand {
            at: Time(at),
            bytes: Bytes(bytes),
        })
    }
}

/// A source that asks for these bytes at these instants (ticks).
pub fn script(demands: impl IntoIterator<Item = (u64, u64)>) -> AnySource {
    AnySource::Custom(Box::new(Script {
        demands: demands.into_iter().collect(),
        next: 0,
    }))
}

/// Ticks in a microsecond.
pub const US: u64 = 1_000_000;
/// Ticks in a millisecond.
pub const MS: u64 = 1_000_000_000;

/// The question that most tests ask of a run: the notices posted at a port, or that took effect there, as
/// (instant, quanta).
pub fn notices(records: &[Record], what: What, port: usize) -> Vec<(u64, u64)> {
    let mine = records
        .iter()
        .filter(|r| r.what == what && r.port.index() == port);
    mine.map(|r| (r.at.0, r.value)).collect()
}

/// Packets lost at a port.
pub fn lost_at(report: &Report, port: usize) -> u64 {
    let here = report.drops.iter().filter(|d| d.key.1.index() == port);
    here.map(|d| d.count.packets).sum()
}
