//! A short way to write a cell: stations, flows, options.

use backwater_sim::limit::Limit;
use backwater_sim::medium::wifi::mac::category::{
    AccessMode, AfterCollision, Countdown, MacSpec, Protection,
};
use backwater_sim::medium::wifi::phy::channel::{ChannelSpec, Disc};
use backwater_sim::medium::wifi::phy::standard::{Answer, Band, Phy, Standard};
use backwater_sim::source::{AnySource, SOURCES};
use backwater_sim::spec::{
    CategorySpec, FlowOptions, FlowSpec, MediumSpec, NodeKind, NodeSpec, Routing, Serving, Spec,
    StationSpec,
};
use backwater_sim::targets::Destination;
use backwater_sim::world::{Report, World};
use backwater_transport::part::{Args, Value};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Rate, Span};

/// A medium being written.
#[derive(Clone)]
pub struct Cell(pub Spec);

/// 802.11b at 11 Mbit/s, control frames at 1 Mbit/s.
pub const B: Phy = Phy {
    standard: Standard::HrDsss,
    data: Rate(11_000_000),
    control: Rate(1_000_000),
    answer: Answer::Control,
    short_preamble: false,
    band: Band::Ghz2,
};

/// 54 Mbit/s, control frames at 24 Mbit/s.
pub const G: Phy = Phy {
    standard: Standard::Ofdm,
    data: Rate(54_000_000),
    control: Rate(24_000_000),
    answer: Answer::Control,
    short_preamble: false,
    band: Band::Ghz2,
};

pub const RTS: u64 = 0;
pub const BASIC: u64 = u64::MAX;

fn part(id: &str, given: &[(&'static str, Value)]) -> AnySource {
    let row = SOURCES.iter().find(|p| p.id == id).expect("a source");
    (row.build)(&Args(given.to_vec())).expect("legal options")
}

pub fn saturated(bytes: u64) -> AnySource {
    part("saturated", &[("packet", Value::Bytes(Bytes(bytes)))])
}

pub fn cbr(bytes: u64, rate: u64) -> AnySource {
    part(
        "cbr",
        &[
            ("packet", Value::Bytes(Bytes(bytes))),
            ("rate", Value::Rate(Rate(rate))),
            ("phase", Value::Choice("random")),
        ],
    )
}

pub fn poisson(bytes: u64, rate: u64) -> AnySource {
    part(
        "poisson",
        &[
            ("packet", Value::Bytes(Bytes(bytes))),
            ("rate", Value::Rate(Rate(rate))),
        ],
    )
}

/// A packet at the flow's start, and then at this rate.
pub fn paced(bytes: u64, rate: u64) -> AnySource {
    part(
        "cbr",
        &[
            ("packet", Value::Bytes(Bytes(bytes))),
            ("rate", Value::Rate(Rate(rate))),
            ("phase", Value::Choice("start")),
        ],
    )
}

/// One packet at the flow's start, if the flow stops before the next second.
pub fn once(bytes: u64) -> AnySource {
    paced(bytes, 8 * bytes)
}

/// DCF as the slot-exact reference has it: no retry limit, DIFS after a collision.
pub fn dcf(phy: Phy, rts_above: u64) -> MacSpec {
    MacSpec {
        access: AccessMode::Dcf,
        rts_above,
        retry_short: 0,
        retry_long: 0,
        after_collision: AfterCollision::Difs,
        countdown: Countdown::IdleSlot,
        nav_reset: true,
        protection: Protection::Single,
        lifetime: None,
        categories: AccessMode::Dcf.defaults(phy.standard.window()),
    }
}

/// The same under EDCA rules, seven transmissions.
pub fn edca(phy: Phy, rts_above: u64) -> MacSpec {
    MacSpec {
        access: AccessMode::Edca,
        retry_short: 7,
        retry_long: 7,
        countdown: Countdown::Boundary,
        categories: AccessMode::Edca.defaults(phy.standard.window()),
        ..dcf(phy, rts_above)
    }
}

/// Metres within which stations understand each other, sense each other and disturb each other.
pub fn disc(transmit: f64, sense: f64) -> ChannelSpec {
    ChannelSpec::Disc(Disc {
        transmit,
        sense,
        interfere: sense,
        capture: None,
        propagation: Span::micros(1),
    })
}

impl Cell {
    pub fn new(seconds: f64, phy: Phy, mac: MacSpec, channel: ChannelSpec) -> Cell {
        Cell(Spec {
            seed: 1,
            duration: Span::from_seconds(seconds),
            warmup: Span::ZERO,
            routing: Routing::ShortestPath,
            choose: Default::default(),
            roots: Vec::new(),
            events: Vec::new(),
            media: vec![MediumSpec {
                name: "air".into(),
                phy,
                mac,
                channel,
                high: None,
            }],
            nodes: Vec::new(),
            links: Vec::new(),
            ports: Vec::new(),
            stamps: Vec::new(),
            mechanisms: Vec::new(),
            flows: Vec::new(),
        })
    }

    pub fn station(&mut self, name: &str, x: f64, y: f64) -> usize {
        self.0.nodes.push(NodeSpec {
            name: name.into(),
            kind: NodeKind::Station(vec![StationSpec {
                medium: 0,
                at: [x, y],
                buffer: Limit::Packets(100),
                own_share: 1.0,
                in_turn: false,
                aqm: None,
                rate: None,
                mode: None,
                serving: Serving::default(),
                categories: [CategorySpec::default(); 4],
            }]),
        });
        self.0.nodes.len() - 1
    }

    pub fn spec(&mut self, station: usize) -> &mut StationSpec {
        match &mut self.0.nodes[station].kind {
            NodeKind::Station(radios) => &mut radios[0],
            NodeKind::Host { .. } | NodeKind::Switch(_) => panic!("a cell has stations"),
        }
    }

    pub fn flow(&mut self, from: usize, to: usize, class: u8, source: AnySource) -> usize {
        let seconds = self.0.duration;
        self.0.flows.push(FlowSpec {
            name: format!("f{}", self.0.flows.len()),
            from,
            to: Destination::Node(to),
            class,
            ecn: Ecn::NotEct,
            packet: Bytes(1500),
            start: Span::ZERO,
            stop: seconds,
            source,
            options: FlowOptions::default(),
            after: None,
            route: None,
            transport: None,
        });
        self.0.flows.len() - 1
    }

    pub fn run(&self) -> (World, Report) {
        let mut world = World::build(&self.0).expect("a legal cell");
        world.advance(world.end());
        let report = world.report();
        assert!(report.conserved, "a packet is missing");
        (world, report)
    }

    /// Mbit/s of each flow, IP bytes, mean of some seeds.
    pub fn throughputs(&self, seeds: u64) -> Vec<f64> {
        let mut sums = vec![0.0; self.0.flows.len()];
        for seed in 1..=seeds {
            let (_, report) = Cell(Spec {
                seed,
                ..self.0.clone()
            })
            .run();
            let seconds = (self.0.duration.0 - self.0.warmup.0) as f64 / 1e12;
            for (sum, flow) in sums.iter_mut().zip(&report.flows) {
                *sum += flow.sums.delivered.bytes as f64 * 8.0 / 1e6 / seconds / seeds as f64;
            }
        }
        sums
    }
}

/// `n` saturated stations around a receiver, in one collision domain.
pub fn saturated_cell(n: usize, seconds: f64, phy: Phy, mac: MacSpec, bytes: u64) -> Cell {
    let mut cell = Cell::new(seconds, phy, mac, disc(100.0, 100.0));
    let sink = cell.station("sink", 0.0, 0.0);
    for i in 0..n {
        let station = cell.station(&format!("s{i}"), 1.0 + i as f64 / 10.0, 0.0);
        cell.flow(station, sink, 1, saturated(bytes));
    }
    cell
}
