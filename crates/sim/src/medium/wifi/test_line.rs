//! Stations in a row, for tests inside the crate.

use backwater_transport::part::Args;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::limit::Limit;
use crate::medium::wifi::mac::category::{
    AccessMode, AfterCollision, Countdown, MacSpec, Protection,
};
use crate::medium::wifi::phy::channel::{ChannelSpec, Disc};
use crate::medium::wifi::phy::standard::{Answer, Band, Phy, Standard};
use crate::source::SOURCES;
use crate::spec::{
    CategorySpec, FlowOptions, FlowSpec, MediumSpec, NodeKind, NodeSpec, Routing, Serving, Spec,
    StationSpec,
};
use crate::targets::Destination;

/// OFDM at 54 Mbit/s.
pub(super) const PHY: Phy = Phy {
    standard: Standard::Ofdm,
    data: Rate(54_000_000),
    control: Rate(6_000_000),
    answer: Answer::Control,
    short_preamble: false,
    band: Band::Ghz2,
};

/// RTS/CTS for all, DCF; who is within 100 m hears, nobody else senses anything.
pub(crate) fn line(places: &[f64]) -> Spec {
    let mac = MacSpec {
        access: AccessMode::Dcf,
        rts_above: 0,
        retry_short: 7,
        retry_long: 4,
        after_collision: AfterCollision::Timeout,
        countdown: Countdown::IdleSlot,
        nav_reset: true,
        protection: Protection::Single,
        lifetime: None,
        categories: AccessMode::Dcf.defaults(PHY.standard.window()),
    };
    let station = |x: &f64| NodeSpec {
        name: format!("s{x}"),
        kind: NodeKind::Station(vec![StationSpec {
            medium: 0,
            at: [*x, 0.0],
            buffer: Limit::Packets(100),
            own_share: 1.0,
            in_turn: false,
            aqm: None,
            rate: None,
            mode: None,
            serving: Serving::default(),
            categories: [CategorySpec::default(); 4],
        }]),
    };
    Spec {
        seed: 1,
        duration: Span::secs(1),
        warmup: Span::ZERO,
        routing: Routing::ShortestPath,
        choose: Default::default(),
        roots: Vec::new(),
        events: Vec::new(),
        media: vec![MediumSpec {
            name: "air".into(),
            phy: PHY,
            mac,
            channel: ChannelSpec::Disc(Disc {
                transmit: 100.0,
                sense: 100.0,
                interfere: 100.0,
                capture: None,
                propagation: Span::micros(1),
            }),
            high: None,
        }],
        nodes: places.iter().map(station).collect(),
        links: Vec::new(),
        ports: Vec::new(),
        stamps: Vec::new(),
        mechanisms: Vec::new(),
        flows: Vec::new(),
    }
}

/// A flow of packets of 1000 B from one station to another in the first second, from a source of this name with these options.
pub(crate) fn flow([from, to]: [usize; 2], id: &str, options: &Args) -> FlowSpec {
    let row = SOURCES.iter().find(|part| part.id == id);
    FlowSpec {
        name: "f".into(),
        from,
        to: Destination::Node(to),
        class: 0,
        ecn: Ecn::NotEct,
        packet: Bytes(1000),
        start: Span::ZERO,
        stop: Span::secs(1),
        source: (row.expect("a source").build)(options).expect("legal options"),
        options: FlowOptions::default(),
        after: None,
        route: None,
        transport: None,
    }
}
