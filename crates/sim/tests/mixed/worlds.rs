//! Draws a world: a backbone of switches and access points, hosts with one or two ports, clients in radio range.

use backwater_sim::limit::Limit;
use backwater_sim::mechanism::{DETECTORS, NOTIFIERS, RESPONDERS};
use backwater_sim::medium::boxes::{AnyBox, BOXES};
use backwater_sim::medium::trace::{AnyTrace, EMULATORS, First, ServerSpec, TRACES};
use backwater_sim::medium::wifi::mac::category::{
    AccessMode, AfterCollision, Countdown, MacSpec, Protection,
};
use backwater_sim::medium::wifi::phy::channel::{ChannelSpec, Disc};
use backwater_sim::medium::wifi::phy::physical::Physical;
use backwater_sim::medium::wifi::phy::standard::{Answer, Band, Phy, Standard};
use backwater_sim::queue::Room;
use backwater_sim::source::AnySource;
use backwater_sim::spec::*;
use backwater_sim::targets::Destination;
use backwater_transport::part::{Args, File, Part, Refusal, Value};
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::random::{any_queue, any_source, args, one, source};

pub const MBIT: u64 = 1_000_000;

/// The propagation delay of every medium.
pub const AIR: Span = Span::micros(1);

/// True once in so many times.
pub fn once_in(r: &mut Random, times: u64) -> bool {
    r.between(1, times) == 1
}

/// A table of parts.
pub type Rows<T> = [Part<fn(&Args) -> Result<T, Refusal>>];

/// A part of a table by name.
pub fn part<T>(table: &Rows<T>, id: &str, given: &[(&'static str, Value)]) -> T {
    let row = table.iter().find(|p| p.id == id).expect("a part");
    (row.build)(&args(row, given)).expect("legal options")
}

fn rate(mbit: f64) -> Value {
    Value::Rate(Rate((mbit * 1e6) as u64))
}

fn any_trace(r: &mut Random) -> AnyTrace {
    match r.between(0, 5) {
        0 => part(TRACES, "constant", &[("rate", rate(one(r, &[2.0, 12.0])))]),
        1 => {
            let lines = one(r, &["1\n", "0\n2\n2\n9\n", "3\n4\n4\n4\n20\n"]);
            let file = File {
                path: "t.trace".into(),
                content: lines.as_bytes().into(),
            };
            part(TRACES, "file", &[("file", Value::File(file))])
        }
        2 => {
            let period = ("period", Value::Span(Span::millis(20)));
            part(TRACES, "periodic", &[("high", rate(12.0)), period])
        }
        3 => {
            let every = ("every", Value::Span(Span::millis(10)));
            let given = [("high", rate(12.0)), ("step", rate(3.0)), every];
            part(TRACES, "random-walk", &given)
        }
        4 => {
            let outage = ("outage", Value::Span(Span::millis(5)));
            part(TRACES, "cox", &[outage])
        }
        _ => part(TRACES, "adversarial", &[("rate", rate(6.0))]),
    }
}

fn any_box(r: &mut Random) -> AnyBox {
    let span = |micros| Value::Span(Span::micros(micros));
    match r.between(0, 6) {
        0 => {
            let delay = span(one(r, &[0, 300, 4_000]));
            let clock = Value::Choice(one(r, &["exact", "ms"]));
            part(BOXES, "delay", &[("delay", delay), ("clock", clock)])
        }
        1 => part(BOXES, "loss", &[("share", Value::Share(0.1))]),
        2 => part(BOXES, "jitter", &[("most", span(one(r, &[300, 4_000])))]),
        3 => part(BOXES, "mark", &[("share", Value::Share(0.1))]),
        5 => part(BOXES, "duplicate", &[("share", Value::Share(0.1))]),
        4 => {
            let share = Value::Share(0.1);
            part(BOXES, "reorder", &[("share", share), ("by", span(2_000))])
        }
        _ => part(
            BOXES,
            "on-off",
            &[("on", span(9_000)), ("off", span(2_000))],
        ),
    }
}

fn any_direction(r: &mut Random, line: Rate, delay: Span) -> Option<Box<Direction>> {
    if !once_in(r, 3) {
        return None;
    }
    let emulator = one(r, &EMULATORS);
    let service = match r.between(0, 2) {
        0 => Service::Line(line, delay),
        1 => Service::Line(Rate(one(r, &[3, 20]) * MBIT), Span::micros(40)),
        _ => Service::Trace(Box::new(ServerSpec {
            trace: any_trace(r),
            opportunity: emulator.opportunity,
            overhead: emulator.overhead,
            first: one(r, &[First::Opportunity, First::Arrival]),
            whole: emulator.whole,
            milliseconds: once_in(r, 2),
            delay_behind: Span::millis(one(r, &[0, 0, 20])),
        })),
    };
    Some(Box::new(Direction {
        name: String::new(),
        boxes: (0..one(r, &[0, 0, 1, 2])).map(|_| any_box(r)).collect(),
        service,
    }))
}

fn any_medium(r: &mut Random, number: usize) -> MediumSpec {
    let b = once_in(r, 2);
    let phy = Phy {
        standard: if b { Standard::HrDsss } else { Standard::Ofdm },
        data: Rate(if b { 11 } else { one(r, &[24, 54]) } * MBIT),
        control: Rate(if b { 1 } else { 24 } * MBIT),
        answer: one(r, &[Answer::Control, Answer::Mandatory]),
        short_preamble: b && once_in(r, 2),
        band: Band::Ghz2,
    };
    // A short preamble has no 1 Mbit/s.
    let phy = match phy.short_preamble {
        true => Phy {
            control: Rate(2 * MBIT),
            ..phy
        },
        false => phy,
    };
    let access = one(r, &[AccessMode::Dcf, AccessMode::Edca]);
    let retries = one(r, &[0, 2, 7]);
    let mut categories = access.defaults(phy.standard.window());
    if access == AccessMode::Edca && once_in(r, 2) {
        categories[2].txop = Span::millis(3);
    }
    let mac = MacSpec {
        access,
        rts_above: one(r, &[0, 500, u64::MAX]),
        retry_short: retries,
        retry_long: retries,
        after_collision: one(
            r,
            &[
                AfterCollision::Timeout,
                AfterCollision::Difs,
                AfterCollision::Eifs,
            ],
        ),
        countdown: one(r, &[Countdown::IdleSlot, Countdown::Boundary]),
        nav_reset: once_in(r, 2),
        protection: match categories[2].txop > Span::ZERO && once_in(r, 2) {
            true => Protection::Multiple,
            false => Protection::Single,
        },
        lifetime: once_in(r, 4).then(|| Span::millis(20)),
        categories,
    };
    let sense = one(r, &[100.0, 220.0]);
    let channel = match r.between(0, 2) {
        0 => ChannelSpec::Physical(Physical {
            tx_power: 20.0,
            noise: -93.5,
            gain: -140.046,
            exponent: 4.0,
            shadowing: one(r, &[0.0, 3.0]),
            shadowing_seed: None,
            energy_detect: one(r, &[-91.4, -72.0]),
            preamble_detect: -91.4,
            capture: one(r, &[None, Some(10.0)]),
            fading: None,
            fer_target: 0.01,
            margin: 0.0,
            propagation: AIR,
        }),
        _ => ChannelSpec::Disc(Disc {
            transmit: 100.0,
            sense,
            interfere: one(r, &[100.0, sense]),
            capture: one(r, &[None, Some(10.0)]),
            propagation: AIR,
        }),
    };
    MediumSpec {
        name: format!("air{number}"),
        phy,
        mac,
        channel,
        high: None,
    }
}

struct Draw {
    spec: Spec,
    classes: u64,
    /// Only plain wires and class queues, which is what back-pressure needs.
    plain: bool,
}

impl Draw {
    fn node(&mut self, name: String, kind: NodeKind) -> usize {
        self.spec.nodes.push(NodeSpec { name, kind });
        self.spec.nodes.len() - 1
    }

    fn radio(&self, r: &mut Random, medium: usize, at: [f64; 2]) -> StationSpec {
        let mut categories = [CategorySpec::default(); 4];
        categories[1].buffer = one(r, &[None, Some(Limit::Packets(7))]);
        let managed = once_in(r, 2);
        StationSpec {
            medium,
            at,
            buffer: one(
                r,
                &[
                    Limit::Packets(100),
                    Limit::Packets(3),
                    Limit::Bytes(Bytes(9_000)),
                    Limit::Unlimited,
                ],
            ),
            own_share: one(r, &[1.0, 1.0, 0.5]),
            rate: None,
            mode: None,
            serving: Serving::default(),
            in_turn: !managed && once_in(r, 4),
            aqm: managed.then(|| any_queue(r, 1, true).aqm).flatten(),
            categories,
        }
    }

    /// A station near this place, with a radio on one medium or, where there are two, on both.
    fn station(&mut self, r: &mut Random, name: String, medium: usize, near: [f64; 2]) -> usize {
        let at = near.map(|x| x + r.between(0, 90) as f64 - 45.0);
        let mut radios = vec![self.radio(r, medium, at)];
        if self.spec.media.len() > 1 && once_in(r, 3) {
            radios.push(self.radio(r, 1 - medium, at));
        }
        self.node(name, NodeKind::Station(radios))
    }

    fn port(&self, r: &mut Random, from: usize, to: usize, second: bool) -> PortSpec {
        let queue = any_queue(r, self.classes, !self.plain);
        let mut name = format!(
            "{}>{}",
            self.spec.nodes[from].name, self.spec.nodes[to].name
        );
        if second {
            name = format!("{name}#l{}", self.spec.links.len());
        }
        let host = matches!(self.spec.nodes[from].kind, NodeKind::Host { .. });
        PortSpec {
            name,
            scheduler: queue.scheduler,
            aqm: queue.aqm,
            trim: None,
            watchdog: None,
            buffer: match queue.room {
                Room::Endless => Limit::Unlimited,
                Room::Default(limit) => limit,
                Room::Port if host => Limit::Unlimited,
                Room::Port if once_in(r, 3) => Limit::Packets(r.between(1, 30)),
                Room::Port => Limit::Bytes(Bytes(r.between(1_518, 40_000))),
            },
        }
    }

    fn link(&mut self, r: &mut Random, a: usize, b: usize) {
        let line = Rate(one(r, &[5, 10, 100]) * MBIT);
        let delay = one(r, &[Span::ZERO, Span::micros(1), Span::micros(700)]);
        let same = |l: &LinkSpec| l.ends == [a, b] || l.ends == [b, a];
        let second = self.spec.links.iter().any(same);
        let ports = [self.port(r, a, b, second), self.port(r, b, a, second)];
        self.spec.ports.extend(ports);
        self.spec.links.push(LinkSpec {
            name: format!("l{}", self.spec.links.len()),
            ends: [a, b],
            rate: line,
            delay,
            directions: [(); 2].map(|()| any_direction(r, line, delay).filter(|_| !self.plain)),
            max_frame: Bytes(1518),
        });
    }

    /// Switches and access points, each joined to one before it, and sometimes another link.
    fn backbone(&mut self, r: &mut Random) -> Vec<usize> {
        let mut all = Vec::new();
        for i in 0..r.between(0, 2) {
            let kind = match once_in(r, 4) {
                true => SwitchModel::SharedMemory {
                    memory: Bytes(r.between(60_000, 200_000)),
                    reserve: Bytes(one(r, &[0, 1_600])),
                    headroom: Bytes(0),
                    shift: one(r, &[0, 1]),
                },
                false => SwitchModel::OutputQueued,
            };
            all.push(self.node(format!("W{i}"), NodeKind::Switch(kind)));
        }
        for i in 0..r.between(1, 3) {
            let medium = r.between(0, self.spec.media.len() as u64 - 1) as usize;
            let near = [one(r, &[0.0, 0.0, 500.0]), 0.0];
            all.push(self.station(r, format!("AP{i}"), medium, near));
        }
        for i in 1..all.len() {
            let before = one(r, &all[..i]);
            self.link(r, before, all[i]);
        }
        if all.len() > 2 && once_in(r, 3) {
            self.link(r, all[0], all[all.len() - 1]);
        }
        all
    }

    /// Hosts with one or two ports, and stations near access points. Gives all that may send and receive.
    fn ends(&mut self, r: &mut Random, backbone: &[usize]) -> Vec<usize> {
        let mut ends = Vec::new();
        for i in 0..r.between(1, 3) {
            let obeys = once_in(r, 2);
            let host = self.node(format!("H{i}"), NodeKind::Host { obeys });
            for _ in 0..one(r, &[1, 1, 2]) {
                let other = one(r, backbone);
                self.link(r, host, other);
            }
            ends.push(host);
        }
        let radios = |node: &NodeSpec| match &node.kind {
            NodeKind::Station(radios) => Some((radios[0].medium, radios[0].at)),
            NodeKind::Host { .. } | NodeKind::Switch(_) => None,
        };
        let points: Vec<_> = self.spec.nodes.iter().filter_map(radios).collect();
        for i in 0..r.between(1, 4) {
            let (medium, at) = one(r, &points);
            let station = self.station(r, format!("s{i}"), medium, at);
            if once_in(r, 8) {
                let other = one(r, backbone);
                self.link(r, station, other);
            }
            ends.push(station);
        }
        let station = |n: &&usize| matches!(self.spec.nodes[**n].kind, NodeKind::Station(_));
        ends.extend(backbone.iter().filter(station));
        ends
    }

    /// All stations on the first medium of `from`.
    fn group(&self, from: usize, others: &[usize]) -> Option<Destination> {
        let media = |n: usize| match &self.spec.nodes[n].kind {
            NodeKind::Station(radios) => radios.iter().map(|radio| radio.medium).collect(),
            NodeKind::Host { .. } | NodeKind::Switch(_) => Vec::new(),
        };
        let medium = *media(from).first()?;
        let members: Vec<usize> = others
            .iter()
            .copied()
            .filter(|n| media(*n).contains(&medium))
            .collect();
        (!members.is_empty()).then_some(Destination::Group(members))
    }

    fn flow(&mut self, r: &mut Random, number: u64, ends: &[usize]) {
        let from = one(r, ends);
        let others: Vec<usize> = ends.iter().copied().filter(|n| *n != from).collect();
        let to = one(r, &others);
        let to = match r.between(0, 9) {
            0 => Destination::AnyOf(others),
            1 => self.group(from, &others).unwrap_or(Destination::Node(to)),
            _ => Destination::Node(to),
        };
        let late = once_in(r, 4);
        let stop = self.spec.duration;
        self.spec.flows.push(FlowSpec {
            name: format!("f{number}"),
            from,
            to,
            class: r.between(0, self.classes - 1) as u8,
            ecn: one(r, &[Ecn::NotEct, Ecn::Ect0, Ecn::Ect1]),
            packet: Bytes(1500),
            start: if late { Span::millis(30) } else { Span::ZERO },
            stop: if late { Span::millis(90) } else { stop },
            source: flow_source(r),
            options: FlowOptions {
                budget: one(r, &[None, None, None, Some(Span::millis(20))]),
                ..FlowOptions::default()
            },
            after: None,
            route: None,
            transport: None,
        });
    }

    /// PAUSE at the wired ports of a switch.
    fn mechanism(&mut self, r: &mut Random) {
        let switch = |n: usize| matches!(self.spec.nodes[n].kind, NodeKind::Switch(_));
        let watched = |p: &usize| switch(self.spec.links[p / 2].ends[p % 2]);
        let at: Vec<usize> = (0..self.spec.ports.len()).filter(watched).collect();
        if at.is_empty() || !self.plain {
            return;
        }
        self.spec.mechanisms.push(MechanismSpec {
            name: "m".into(),
            at,
            stations: Vec::new(),
            detect: part(
                DETECTORS,
                "watermark",
                &[("high", Value::Share(0.3)), ("low", Value::Share(0.1))],
            ),
            notify: part(NOTIFIERS, one(r, &["pause", "pfc"]), &[]),
            respond: part(RESPONDERS, "gate", &[]),
        });
    }
}

fn flow_source(r: &mut Random) -> AnySource {
    let mbit = one(r, &[1, 4, 15]);
    match r.between(0, 3) {
        0 => {
            let packet = Value::Bytes(Bytes(one(r, &[60, 700, 1500])));
            source("saturated", &[("packet", packet)])
        }
        1 => source("video", &[("rate", Value::Rate(Rate(mbit * MBIT)))]),
        _ => any_source(r, mbit * MBIT),
    }
}

/// The world of this number.
pub fn any_world(number: u64) -> Spec {
    let r = &mut Random::stream(number, "test", "mixed");
    let media = (0..one(r, &[1, 1, 2])).map(|i| any_medium(r, i)).collect();
    let mut draw = Draw {
        spec: Spec {
            seed: number,
            duration: Span::millis(120),
            warmup: one(r, &[Span::ZERO, Span::millis(37)]),
            routing: one(
                r,
                &[
                    Routing::ShortestPath,
                    Routing::ShortestPath,
                    Routing::Ecmp,
                    Routing::Airtime,
                ],
            ),
            choose: Default::default(),
            roots: Vec::new(),
            events: Vec::new(),
            media,
            nodes: Vec::new(),
            links: Vec::new(),
            ports: Vec::new(),
            stamps: Vec::new(),
            mechanisms: Vec::new(),
            flows: Vec::new(),
        },
        classes: r.between(1, 4),
        plain: once_in(r, 3),
    };
    let backbone = draw.backbone(r);
    let ends = draw.ends(r, &backbone);
    for i in 0..r.between(2, 7) {
        draw.flow(r, i, &ends);
    }
    draw.mechanism(r);
    draw.spec
}
