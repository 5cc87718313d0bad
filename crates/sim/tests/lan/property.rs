//! Random small networks: whatever the topology, load and mechanism, a run is a function of its
//! scenario and seed alone, and no packet is missing.

use backwater_sim::cause::Cause;
use backwater_sim::limit::Limit;
use backwater_sim::queue::Aqm;
use backwater_sim::spec::*;
use backwater_sim::targets::Destination;
use backwater_sim::world::World;
use backwater_transport::endpoint::{DelayedAck, EcnFeedback, Protocol};
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::spreading::SPREADERS;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::net::*;
use crate::random::*;
use crate::transport::carry;

/// Every way of choosing among equal ways.
const WAYS: [Choose; 5] = [
    Choose::Hash,
    Choose::Random,
    Choose::RoundRobin,
    Choose::LeastQueue,
    Choose::PowerOfTwo,
];

/// A network drawn from this number: a star, a chain, a ring with written routes, or two layers
/// with several paths; mixed rates, delays, buffers, schedulers, sources, switch models,
/// mechanisms.
pub fn any_network(number: u64) -> Net {
    let mut net = network(number, "frame");
    if number % 3 == 1 {
        any_events(number, &mut net);
    }
    net
}

/// Some wires go down, and some have another rate, for a while or to the end.
pub fn any_events(number: u64, net: &mut Net) {
    let r = &mut Random::stream(number, "test", "events");
    for i in 0..r.between(1, 4) {
        let at = Span::micros(r.between(0, 20_000));
        let lasts = Span::micros(r.between(1, 9_000));
        let until = one(r, &[None, Some(Span(at.0 + lasts.0))]);
        let known = Span::micros(r.between(0, 3_000));
        let converge = one(r, &[None, Some(known)]);
        net.0.events.push(LinkEvent {
            name: format!("e{i}"),
            links: vec![r.between(0, net.0.links.len() as u64 - 1) as usize],
            at,
            until,
            what: match r.between(0, 3) {
                3 => Happening::Storm(one(r, &[None, Some(0)])),
                0 => Happening::Rate(Rate(one(r, &[1_000_000, 7 * MBIT, 100 * MBIT]))),
                _ => Happening::Down { converge },
            },
        });
        // Two may overlap, and a mechanism or a source may stand in the way.
        if World::build(&net.0).is_err() {
            net.0.events.pop();
        }
    }
    for port in 0..net.0.ports.len() {
        let action = one(r, &[Action::Drop, Action::Forward]);
        net.0.ports[port].watchdog = Some(watchdog::Terms {
            detection: Span::micros(r.between(100, 5_000)),
            restoration: Span::micros(r.between(100, 5_000)),
            action,
        });
        // Few ports are paused.
        if World::build(&net.0).is_err() {
            net.0.ports[port].watchdog = None;
        }
    }
}

/// The same network with this carrier of notices, where its mechanism has it; with `mark` transports take marks.
pub fn network(number: u64, carrier: &'static str) -> Net {
    let r = &mut Random::stream(number, "test", "network");
    let mut net = Net::new(0.03);
    net.0.seed = number;
    net.0.warmup = one(r, &[Span::ZERO, Span::millis(7)]);
    let classes = r.between(1, 3);
    let rates = [10 * MBIT, 10 * MBIT, 100 * MBIT, 1000 * MBIT];
    let model = |r: &mut Random| match r.between(0, 2) {
        0 => SwitchModel::SharedMemory {
            memory: Bytes(r.between(60_000, 200_000)),
            reserve: Bytes(one(r, &[0, 1_600])),
            headroom: Bytes(one(r, &[0, 2_000])),
            shift: one(r, &[0, 1]),
        },
        _ => SwitchModel::OutputQueued,
    };
    let shape = r.between(0, 3);
    let switches: Vec<usize> = (0..one(r, &[3, 4, 5]))
        .map(|i| {
            let model = model(r);
            net.node(&format!("W{i}"), NodeKind::Switch(model))
        })
        .collect();
    let mut links = Vec::new();
    match shape {
        0 => links.extend(switches[1..].iter().map(|w| (switches[0], *w))),
        1 => links.extend(switches.windows(2).map(|p| (p[0], p[1]))),
        2 => {
            links.extend(switches.windows(2).map(|p| (p[0], p[1])));
            links.push((switches[switches.len() - 1], switches[0]));
        }
        _ => {
            let (spines, leaves) = switches.split_at(2);
            for leaf in leaves {
                links.extend(spines.iter().map(|s| (*s, *leaf)));
            }
            net.0.routing = Routing::Ecmp;
            net.0.choose = WAYS[number as usize % WAYS.len()];
        }
    }
    if shape == 2 {
        net.0.routing = Routing::ShortestPath;
    }
    let fabric = one(r, &rates);
    for (a, b) in links {
        net.link(a, b, fabric);
    }
    let mut hosts = Vec::new();
    for i in 0..r.between(3, 6) {
        let kind = NodeKind::Host {
            obeys: r.between(0, 1) == 0,
        };
        let host = net.node(&format!("H{i}"), kind);
        net.link(host, one(r, &switches), one(r, &rates));
        hosts.push(host);
    }
    let delays = [
        Span::ZERO,
        Span::micros(1),
        Span::micros(1),
        Span::micros(700),
    ];
    net.0
        .links
        .iter_mut()
        .for_each(|l| l.delay = one(r, &delays));
    let managed = number % 2 == 1;
    for port in &mut net.0.ports {
        let queue = any_queue(r, classes, managed);
        (port.scheduler, port.aqm) = (queue.scheduler, queue.aqm);
        if port.buffer != Limit::Unlimited {
            port.buffer = match r.between(0, 4) {
                0 => Limit::Packets(r.between(1, 20)),
                _ => Limit::Bytes(Bytes(r.between(1_518, 40_000))),
            };
        }
    }
    for i in 0..r.between(2, 8) {
        let from = one(r, &hosts);
        let others: Vec<usize> = hosts.iter().copied().filter(|h| *h != from).collect();
        let rate = one(r, &[2 * MBIT, 9 * MBIT, 60 * MBIT]);
        let source = any_source(r, rate);
        let several = r.between(0, 3) == 0;
        let flow = net.flow(&format!("f{i}"), from, one(r, &others), source);
        flow.class = r.between(0, classes - 1) as u8;
        flow.ecn = one(r, &[Ecn::NotEct, Ecn::Ect0, Ecn::Ect1]);
        if several {
            flow.to = Destination::AnyOf(others);
        }
        if !several && r.between(0, 2) == 0 {
            any_transport(r, flow);
        }
        if r.between(0, 3) == 0 {
            flow.start = Span::millis(3);
            flow.stop = Span::millis(20);
        }
    }
    // Queues that choose among flows themselves don't go with every mechanism and model.
    let itself = |port: &PortSpec| port.aqm.as_ref().is_some_and(|aqm| aqm.queues() > 0);
    for (i, port) in net.0.ports.iter_mut().enumerate() {
        let node = &net.0.nodes[net.0.links[i / 2].ends[i % 2]];
        if itself(port)
            && matches!(
                node.kind,
                NodeKind::Switch(SwitchModel::SharedMemory { .. })
            )
        {
            port.aqm = None;
        }
    }
    if number % 4 == 3 {
        return net;
    }
    any_mechanism(r, &mut net, carrier);
    if let Err(refusal) = World::build(&net.0) {
        assert!(refusal.what.contains("flows"), "{refusal:?}");
        net.0
            .ports
            .iter_mut()
            .filter(|p| itself(p))
            .for_each(|p| p.aqm = None);
    }
    net
}

fn any_transport(r: &mut Random, flow: &mut FlowSpec) {
    if r.between(0, 1) == 0 {
        flow.source = source("bulk", &[]);
    }
    let window = [("window", Value::Packets(r.between(1, 40)))];
    let (controller, given) = match r.between(0, 1) {
        0 => ("fixed", &window[..]),
        _ => ("newreno", &[][..]),
    };
    let protocol = one(r, &[Protocol::Stream, Protocol::Stream, Protocol::Datagram]);
    carry(flow, protocol, controller, given);
    let transport = flow.transport.as_mut().expect("just given");
    let way = flow.from % (SPREADERS.len() + 1);
    transport.spreader = SPREADERS.get(way).map(|part| {
        let random = Random::stream(1, "spread", &flow.name);
        (part.build)(&args(part, &[]), random).expect("defaults are legal")
    });
    // Within the 30 ms of the run.
    transport.sender.rto_min = Span::millis(r.between(1, 10));
    transport.sender.silence = Span::millis(r.between(1, 10));
    if protocol == Protocol::Stream && r.between(0, 1) == 0 {
        transport.receiver.delayed_ack = Some(DelayedAck {
            segments: 2,
            timeout: Span::millis(1),
        });
    }
}

fn any_mechanism(r: &mut Random, net: &mut Net, carrier: &'static str) {
    let pooled = |port: &usize| {
        let node = net.0.links[port / 2].ends[port % 2];
        match net.0.nodes[node].kind {
            NodeKind::Host { .. } | NodeKind::Station(_) => None,
            NodeKind::Switch(SwitchModel::OutputQueued | SwitchModel::InputQueued { .. }) => {
                Some(false)
            }
            NodeKind::Switch(SwitchModel::SharedMemory { .. }) => Some(true),
        }
    };
    let ports: Vec<usize> = (0..net.0.ports.len()).collect();
    let of = |kind: bool| -> Vec<usize> {
        let mine = ports.iter().copied();
        mine.filter(|p| pooled(p) == Some(kind)).collect()
    };
    let (plain, pool) = (of(false), of(true));
    let respond = one(r, &["gate", "gate", "shaper"]);
    let mut given = vec![
        ("audience", Value::Choice(one(r, &["feeders", "senders"]))),
        (
            "addresses",
            Value::Choice(one(r, &["filtering-table", "buffer"])),
        ),
        ("per_class", Value::Flag(r.between(0, 1) == 0)),
        ("quanta", Value::Count(one(r, &[2, 40, 65_535]))),
        ("gap", Value::Bytes(Bytes(one(r, &[0, 3_000])))),
    ];
    if r.between(0, 1) == 0 {
        given.push(("high", Value::Share(0.3)));
        given.push(("low", Value::Share(0.1)));
    }
    if !plain.is_empty() {
        let detect = one(r, &["watermark", "fill-rate", "ingress-watermark"]);
        let (notify, respond) = match detect {
            "ingress-watermark" => (one(r, &["pause", "pfc"]), "gate"),
            _ => (one(r, &["pause", "pfc", "destination"]), respond),
        };
        let room = notify == "destination" || respond == "shaper";
        let mut transports = net.0.flows.iter_mut().filter_map(|f| f.transport.as_mut());
        let carrier = match (carrier, transports.next()) {
            ("mark", Some(first)) if !room => {
                for transport in transports.chain([first]) {
                    (transport.sender.ecn, transport.receiver.ecn) =
                        (EcnFeedback::Ace, EcnFeedback::Ace);
                }
                "mark"
            }
            ("mark", _) => "header",
            (carrier, _) => carrier,
        };
        given.push(("carrier", Value::Choice(carrier)));
        given.push(("xoff", Value::Bytes(Bytes(6_000))));
        given.push(("xon", Value::Bytes(Bytes(4_000))));
        // Sometimes two that meet at some switch, and have to speak with one voice there.
        let parts = one(r, &[1, 1, 2]);
        for ports in plain.chunks(plain.len().div_ceil(parts)) {
            net.mechanism([detect, notify, respond], ports, &given);
        }
    }
    if !pool.is_empty() && r.between(0, 3) > 0 {
        let notify = one(r, &["pause", "pfc"]);
        given.retain(|(name, _)| *name != "carrier");
        net.mechanism(["dynamic-threshold", notify, "gate"], &pool, &given);
    }
}

/// Fields and echoes that come with data frames, in 60 of these networks.
#[test]
fn what_data_frames_bring_does_not_depend_on_how_runs_are_run() {
    let mut reacted = 0;
    for number in 0..60 {
        let net = network(number, ["header", "mark"][number as usize % 2]);
        let fused = finished(net.world());
        let mut unfused = net.world();
        unfused.unfuse();
        same(&fused, &finished(unfused), "unfused", number);
        let (recorded, records) = net.run_recorded();
        same(&fused, &recorded, "recorded", number);
        let knob = |r: &backwater_sim::record::Record| r.what == backwater_sim::record::What::Knob;
        reacted += u64::from(records.iter().any(knob));
    }
    assert!(reacted > 5, "{reacted} of 60 in which a place reacted");
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a person may ask for other networks"
)]
fn runs_do_not_depend_on_how_they_are_run() {
    let given = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |n| n.parse().expect("a number"))
    };
    let (first, count) = (given("FIRST", 0), given("COUNT", 80));
    let (mut control, mut again, mut marked, mut dropped) = (0, 0, 0, 0);
    let mut cut = 0;
    for number in first..first + count {
        let net = any_network(number);
        let fused = finished(net.world());
        control += u64::from(fused.control > 0);
        again += u64::from(fused.connections.iter().any(|c| c.retransmitted > 0));
        marked += u64::from(fused.all.marked.packets > 0);
        let aqm = fused.drops.iter().any(|d| d.key.0 == Cause::Aqm);
        dropped += u64::from(aqm);
        let down = fused.drops.iter().any(|d| d.key.0 == Cause::LinkDown);
        cut += u64::from(down);
        let mut unfused = net.world();
        unfused.unfuse();
        same(&fused, &finished(unfused), "unfused", number);
        let (recorded, records) = net.run_recorded();
        same(&fused, &recorded, "recorded", number);
        let ordered = records
            .windows(2)
            .all(|p| p[0].at <= p[1].at || p[0].what == backwater_sim::record::What::Send);
        assert!(ordered, "network {number}: records out of order");
        // Step by step, with a report now and then.
        let mut steps = net.world();
        while let Some(due) = steps.next_due().filter(|d| *d <= steps.end()) {
            steps.advance(due);
        }
        same(&fused, &finished(steps), "stepwise", number);
        // In strides that don't meet events, with a look in between.
        let mut strides = net.world();
        let mut at = 0;
        while at < strides.end().0 {
            at = (at + 1_234_567_891).min(strides.end().0);
            strides.advance(Time(at));
            strides.report();
        }
        same(&fused, &finished(strides), "with looks in between", number);
    }
    assert!(control > count / 3, "{control} of {count} with notices");
    assert!(
        again > count / 10,
        "{again} of {count} with retransmissions"
    );
    assert!(marked > count / 6, "{marked} of {count} with marks");
    assert!(dropped > count / 10, "{dropped} of {count} with drops");
    assert!(cut > count / 10, "{cut} of {count} with a dead wire");
}
