//! Runs that skip what repeats itself have the report of the full run. Small networks, each for one part of a state that grows or moves.

use backwater_sim::ids::PortId;
use backwater_sim::limit::Limit;
use backwater_sim::medium::boxes::BOXES;
use backwater_sim::skip::Stretch;
use backwater_sim::source::AnySource;
use backwater_sim::spec::watchdog::Terms;
use backwater_sim::spec::{
    Action, Choose, Direction, Discipline, FlowSpec, Happening, LinkEvent, NodeKind, Routing,
    Service, SwitchModel,
};
use backwater_sim::targets::Destination;
use backwater_transport::endpoint::{DelayedAck, Protocol};
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::aqm::queue;
use crate::net::*;
use crate::queues::add_law;
use crate::random::same;
use crate::transport::carry;

/// Runs in full and with skipping; what was skipped.
#[track_caller]
fn skipped(net: &Net) -> Vec<Stretch> {
    let mut full = net.world();
    let mut short = net.world();
    short.skip_recurrences().expect("all is visited");
    full.advance(full.end());
    while !short.advance_some(1000) {}
    let (all, some) = (full.report(), short.report());
    let stretches = short.skipped().expect("it skips").to_vec();
    same(&all, &some, &format!("{stretches:?}"), 0);
    assert_eq!(short.events() < full.events(), !stretches.is_empty());
    // What was added up was not served, where looks for deadlock and timers of ends have no instants of their own.
    let plain = |flow: &FlowSpec| flow.transport.is_none();
    if net.0.mechanisms.is_empty() && net.0.flows.iter().all(plain) {
        let added = stretches.iter().map(|one| one.periods * one.events);
        assert_eq!(short.events() + added.sum::<u64>(), full.events());
    }
    assert!(all.conserved && some.conserved);
    stretches
}

/// The share of a run that was skipped.
pub fn share(stretches: &[Stretch], seconds: f64) -> f64 {
    let span = |one: &Stretch| one.period.seconds() * one.periods as f64;
    stretches.iter().map(span).sum::<f64>() / seconds
}

fn saturated(packet: u64) -> AnySource {
    source("saturated", &[("packet", Value::Bytes(Bytes(packet)))])
}

fn constant(packet: u64, rate: u64) -> AnySource {
    let packet = ("packet", Value::Bytes(Bytes(packet)));
    source("cbr", &[packet, ("rate", Value::Rate(Rate(rate)))])
}

/// Two hosts send over a switch to a third, whose line has this rate: the network, and the switch's port.
fn merge(seconds: f64, rate: u64, from: [AnySource; 2]) -> (Net, usize) {
    let mut net = Net::new(seconds);
    net.0.warmup = Span::from_seconds(seconds / 10.0);
    let (x, d) = (net.switch("X"), net.host("D"));
    for (i, source) in from.into_iter().enumerate() {
        let s = net.obeying_host(&format!("S{i}"));
        net.link(s, x, 100 * MBIT);
        net.flow(&format!("f{i}"), s, d, source);
    }
    let port = net.link(x, d, rate)[0];
    net.buffer(port, 50_000);
    (net, port)
}

/// PAUSE frames come and go; hosts are stopped, and their frames wait at gates.
#[test]
fn gates_that_close_and_open_are_skipped() {
    let given = [("high", Value::Share(0.8)), ("low", Value::Share(0.7))];
    let from = [saturated(1500), saturated(1000)];
    let (mut net, port) = merge(2.0, 100 * MBIT, from);
    net.recipe("pause", &[port], &given);
    let found = skipped(&net);
    assert!(share(&found, 2.0) > 0.3, "{found:?}");
}

/// A line of 1 Mbit/s takes more than a second for what a pause lets drain, and a PAUSE frame stops 100 Mbit/s for 335 ms at most: it is
/// sent again and again, also after a stretch that was skipped.
#[test]
fn pauses_that_are_asked_for_again_are_skipped() {
    let given = [("high", Value::Share(0.8)), ("low", Value::Share(0.1))];
    let (mut net, port) = merge(4000.0, MBIT, [saturated(1500), saturated(1000)]);
    net.0.flows.truncate(1);
    net.buffer(port, 200_000);
    net.recipe("pause", &[port], &given);
    let found = skipped(&net);
    assert!(share(&found, 4000.0) > 0.3, "{found:?}");
}

/// Three switches in a ring, each with a host that sends and a slow one that receives: ports that may be stopped could wait for one
/// another, and looks for deadlock find none. The first host's data go on to the second switch, whose port to the slow host stops the first, and
/// that stops its host.
#[test]
fn pauses_in_a_ring_are_skipped_where_nobody_waits_for_ever() {
    let mut net = Net::new(60.0);
    net.0.routing = Routing::ShortestPath;
    let switches: Vec<usize> = (0..3).map(|i| net.switch(&format!("W{i}"))).collect();
    let ring: Vec<usize> = (0..3)
        .map(|i| net.link(switches[i], switches[(i + 1) % 3], 10 * MBIT)[0])
        .collect();
    let mut watched = vec![ring[0]];
    let mut ends = Vec::new();
    for (i, switch) in switches.iter().enumerate() {
        let (from, to) = (
            net.obeying_host(&format!("S{i}")),
            net.host(&format!("D{i}")),
        );
        net.link(from, *switch, 10 * MBIT);
        watched.push(net.link(*switch, to, MBIT)[0]);
        ends.push((from, to));
    }
    watched.iter().for_each(|port| net.buffer(*port, 50_000));
    net.flow("f", ends[0].0, ends[1].1, saturated(1500));
    let given = [("high", Value::Share(0.8)), ("low", Value::Share(0.7))];
    net.recipe("pause", &watched, &given);
    let found = skipped(&net);
    assert!(share(&found, 60.0) > 0.3, "{found:?}");
}

/// 12 Mbit/s into 10: a frame of each flow is lost now and then, in a pattern of 24 ms at most.
#[test]
fn losses_are_skipped() {
    let from = [constant(1500, 8 * MBIT), constant(1000, 4 * MBIT)];
    let (mut net, _) = merge(3.0, 10 * MBIT, from);
    net.0
        .links
        .iter_mut()
        .for_each(|l| l.delay = Span::millis(3));
    let found = skipped(&net);
    assert!(share(&found, 3.0) > 0.5, "{found:?}");
}

/// Two classes at a host's port, by each scheduler that has a state.
#[test]
fn turns_of_schedulers_are_skipped() {
    let quantum = ("quantum", Value::Bytes(Bytes(1500)));
    for (id, given) in [
        ("wrr", vec![("weight1", Value::Count(3))]),
        ("drr", vec![quantum]),
    ] {
        let mut net = Net::new(1.0);
        let (s, d) = (net.host("S"), net.host("D"));
        let [port, _] = net.link(s, d, 100 * MBIT);
        for (class, size) in [(0, 1482), (1, 882)] {
            let flow = net.flow(&format!("f{class}"), s, d, saturated(size));
            flow.class = class;
        }
        let row = backwater_sim::queue::QUEUES.iter().find(|p| p.id == id);
        let row = row.expect("a queue");
        let classes = [("classes", Value::Count(2))];
        let given: Vec<_> = classes.into_iter().chain(given).collect();
        let built = (row.build)(&args(row, &given)).expect("legal options");
        net.0.ports[port].scheduler = built.scheduler;
        let found = skipped(&net);
        assert!(share(&found, 1.0) > 0.3, "{id}: {found:?}");
    }
}

/// A flow begins and one ends, the warm-up ends, and a wire has another rate and is away for a while: nothing is skipped beyond.
#[test]
fn what_comes_at_its_own_instant_bounds_what_is_skipped() {
    let from = [constant(1500, 6 * MBIT), constant(500, 2 * MBIT)];
    let (mut net, _) = merge(4.0, 10 * MBIT, from);
    net.0.warmup = Span(1_234_567_890_123);
    net.0.flows[1].start = Span(700_000_000_077);
    net.0.flows[1].stop = Span(2_100_000_000_033);
    let event = |name: &str, at: u64, until: u64, what| LinkEvent {
        name: name.into(),
        links: vec![2],
        at: Span(at * MS),
        until: Some(Span(until * MS)),
        what,
    };
    net.0.events = vec![
        event("slow", 2_500, 2_600, Happening::Rate(Rate(3 * MBIT))),
        event("cut", 3_000, 3_100, Happening::Down { converge: None }),
    ];
    let found = skipped(&net);
    let instants = [700, 1_234, 2_100, 2_500, 2_600, 3_000, 3_100];
    for at in instants {
        let within = |one: &&Stretch| {
            let end = one.from.0 + one.period.0 * one.periods;
            one.from.0 < at * MS && at * MS < end
        };
        assert_eq!(found.iter().find(within), None, "{at}");
    }
    assert!(found.len() >= 2 && share(&found, 4.0) > 0.2, "{found:?}");
}

/// Windows over a bottleneck: the state of both ends, round trips, deliveries second by second, and delayed acknowledgements.
#[test]
fn windows_are_skipped() {
    let mut all = 0.0;
    for (protocol, delayed, buffer) in [
        (Protocol::Stream, false, 500_000),
        (Protocol::Stream, true, 500_000),
        (Protocol::Stream, false, 12_000),
        (Protocol::Datagram, false, 12_000),
    ] {
        let bulk = || source("bulk", &[]);
        let (mut net, port) = merge(20.0, 10 * MBIT, [bulk(), bulk()]);
        net.buffer(port, buffer);
        net.0.flows.truncate(1);
        let window = [("window", Value::Packets(24))];
        let flow = net.0.flows.last_mut().expect("a flow");
        carry(flow, protocol, "fixed", &window);
        let transport = flow.transport.as_mut().expect("just given");
        transport.receiver.delayed_ack = delayed.then_some(DelayedAck {
            segments: 2,
            timeout: Span::millis(40),
        });
        net.0
            .links
            .iter_mut()
            .for_each(|l| l.delay = Span::millis(2));
        all += share(&skipped(&net), 20.0);
    }
    assert!(all > 0.5, "{all}");
}

/// A transfer with an end, and writes of constant rate whose acknowledgements come after half a second.
#[test]
fn transfers_are_skipped() {
    let size = ("size", Value::Bytes(Bytes(3_000_000)));
    let from = [source("bulk", &[size]), constant(1000, 2 * MBIT)];
    let (mut net, _) = merge(20.0, 10 * MBIT, from);
    let window = [("window", Value::Packets(60))];
    for flow in &mut net.0.flows {
        carry(flow, Protocol::Stream, "fixed", &window);
    }
    net.0.links[2].delay = Span::millis(50);
    let found = skipped(&net);
    assert!(share(&found, 20.0) > 0.2, "{found:?}");
}

/// A shared memory with thresholds by interface, and pauses that are longer than their timers.
#[test]
fn accounts_of_a_shared_memory_are_skipped() {
    let mut net = Net::new(1.0);
    let (x, d) = (
        net.shared_switch("X", 100_000, 2_000, 20_000, 0),
        net.host("D"),
    );
    for i in 0..2 {
        let s = net.obeying_host(&format!("S{i}"));
        net.link(s, x, 100 * MBIT);
        net.flow(&format!("f{i}"), s, d, saturated(1500));
    }
    net.link(x, d, 20 * MBIT);
    let ports = [1, 3, 4];
    net.mechanism(["dynamic-threshold", "pfc", "gate"], &ports, &[]);
    let found = skipped(&net);
    assert!(!found.is_empty());
}

/// A caller that looks on the way, or a copy, is told the same.
#[test]
fn looks_on_the_way_change_nothing() {
    let given = [("high", Value::Share(0.8)), ("low", Value::Share(0.7))];
    let (mut net, port) = merge(1.0, 100 * MBIT, [saturated(1500), saturated(1000)]);
    net.recipe("pause", &[port], &given);
    let (mut full, mut short) = (net.world(), net.world());
    assert_eq!(full.skipped(), None);
    short.skip_recurrences().expect("all is visited");
    for at in [0.2, 0.500_000_000_1, 0.7, 1.0] {
        let at = backwater_transport::units::Time::ZERO + Span::from_seconds(at);
        full.advance(at);
        short.advance(at);
        same(&full.report(), &short.report(), "on the way", at.0);
        let copy = short.clone();
        assert_eq!(copy.skipped(), short.skipped());
        short = copy;
    }
    let found = short.skipped().expect("it skips");
    assert!(found.len() >= 4, "{found:?}");
}

/// Which part of a network keeps a run from being skipped is told, with its place.
#[test]
fn a_part_that_is_not_visited_is_named() {
    let merged = || merge(1.0, 10 * MBIT, [saturated(1500), saturated(1000)]);
    let said = |net: &Net| {
        let unable = net.world().skip_recurrences().expect_err("refused");
        (unable.place, unable.why)
    };
    let (mut net, _) = merged();
    net.0.nodes[0].kind = NodeKind::Switch(SwitchModel::InputQueued {
        discipline: Discipline::VirtualOutputQueues,
        input_buffer: Bytes(100_000),
        cell: Bytes(64),
        speedup: 1,
    });
    let fabric = "its fabric matches inputs and outputs";
    assert_eq!(said(&net), ("nodes.X".into(), fabric));
    let (mut net, port) = merged();
    let given = [("carrier", Value::Choice("header"))];
    net.recipe("pause", &[port], &given);
    assert_eq!(said(&net).1, "data frames bring notices");
    let (mut net, port) = merged();
    net.0.ports[port].aqm = queue("codel", &[]).aqm;
    let managed = "active queue management has timers or draws random numbers";
    assert_eq!(said(&net), ("ports.X>D".into(), managed));
    let (mut net, _) = merged();
    net.0.flows[0].source = constant(1500, MBIT);
    net.0.flows[0].options.hurst = true;
    assert_eq!(
        said(&net),
        ("flows.f0".into(), "its load is measured by scale")
    );
    let (mut net, _) = merged();
    net.0.flows[1].source = source("outside", &[]);
    let outside = "its packets come from the program that drives the run";
    assert_eq!(said(&net), ("flows.f1".into(), outside));
    let (mut net, _) = merged();
    net.0.flows[1].to = Destination::AnyOf(vec![1, 2]);
    let draws = "it draws the destination of each packet";
    assert_eq!(said(&net), ("flows.f1".into(), draws));
    let (mut net, port) = merged();
    add_law(&mut net, port, &[]);
    let writes = "a router writes into headers (`stamp`)";
    assert_eq!(said(&net), ("ports".into(), writes));
}

/// The same of what stands at the line of the switch.
#[test]
fn a_port_that_is_not_visited_is_named() {
    let merged = || merge(1.0, 10 * MBIT, [saturated(1500), saturated(1000)]);
    let why = |net: &Net| {
        let unable = net.world().skip_recurrences().expect_err("refused");
        assert!(unable.place.starts_with("ports.X>D"), "{unable:?}");
        unable.why
    };
    let (mut net, port) = merged();
    net.0.ports[port].watchdog = Some(Terms {
        detection: Span::millis(1),
        restoration: Span::millis(1),
        action: Action::Drop,
    });
    net.0.events.push(LinkEvent {
        name: "storm".into(),
        links: vec![2],
        at: Span::millis(1),
        until: None,
        what: Happening::Storm(None),
    });
    assert_eq!(why(&net), "a watchdog has timers of its own");
    let (mut net, _) = merged();
    let delay = BOXES.iter().find(|row| row.id == "delay").expect("a box");
    let given = [("delay", Value::Span(Span::millis(1)))];
    net.0.links[2].directions[0] = Some(Box::new(Direction {
        name: String::new(),
        boxes: vec![(delay.build)(&args(delay, &given)).expect("legal options")],
        service: Service::Line(Rate(10 * MBIT), Span::micros(1)),
    }));
    assert_eq!(why(&net), "a box stands before its queue");
}

/// Packets of 1500 bytes every 4 ms, which three ways take by turns: a period has one of each, though nothing is on its way between two of them.
#[test]
fn turns_of_equal_ways_are_skipped() {
    let mut net = Net::new(60.0);
    net.0.routing = Routing::Ecmp;
    net.0.choose = Choose::RoundRobin;
    let (s, x, y) = (net.host("S"), net.switch("X"), net.switch("Y"));
    let d = net.host("D");
    net.link(s, x, 100 * MBIT);
    net.link(y, d, 100 * MBIT);
    for name in ["A", "B", "C"] {
        let way = net.switch(name);
        net.link(x, way, 100 * MBIT);
        net.link(way, y, 100 * MBIT);
    }
    net.flow("f", s, d, constant(1500, 3 * MBIT));
    let found = skipped(&net);
    assert!(share(&found, 60.0) > 0.3, "{found:?}");
}

/// A caller advances step by step, and makes a buffer smaller for a millisecond. What is lost by that is lost once: no period in which it happened is repeated
/// behind, though the state at its end is what it was at its beginning.
#[test]
fn what_a_caller_changes_on_the_way_is_not_repeated() {
    let from = [constant(1500, 8 * MBIT), constant(1000, 4 * MBIT)];
    let (net, port) = merge(3.0, 10 * MBIT, from);
    let port = PortId::new(port);
    for offset in 0..4 {
        let run = |skips: bool| {
            let mut world = net.world();
            if skips {
                world.skip_recurrences().expect("all is visited");
            }
            for ms in 1..=700 + offset * 5 {
                world.advance(Time(ms * MS));
            }
            let now = world.now();
            for (ms, bytes) in [(0, 3_036), (1, 50_000)] {
                world.advance(Time(now.0 + ms * MS));
                let buffer = Limit::Bytes(Bytes(bytes));
                world
                    .change_buffer(port, buffer)
                    .expect("a buffer that holds a frame");
            }
            world.advance(world.end());
            let stretches = world.skipped().map_or(0, <[Stretch]>::len);
            (world.report(), stretches)
        };
        let ((all, none), (some, stretches)) = (run(false), run(true));
        assert!(none == 0 && stretches > 0);
        same(&all, &some, "a caller that changes a buffer", offset);
    }
}

/// A source that draws random numbers has a future that no state tells: jitter, or a phase of its own in each period.
#[test]
fn sources_that_draw_random_numbers_are_not_skipped() {
    let packet = ("packet", Value::Bytes(Bytes(1_500)));
    let rate = ("rate", Value::Rate(Rate(MBIT)));
    let jitter = |share| {
        source(
            "cbr",
            &[
                packet.clone(),
                rate.clone(),
                ("jitter", Value::Share(share)),
            ],
        )
    };
    let periods = |phase| {
        let spans = ["on", "off"].map(|name| (name, Value::Span(Span(100 * MS))));
        let [on, off] = spans;
        let phase = ("phase", Value::Choice(phase));
        source(
            "periodic-on-off",
            &[packet.clone(), rate.clone(), on, off, phase],
        )
    };
    for (from, draws) in [
        (jitter(0.0), false),
        (jitter(0.1), true),
        (periods("start"), false),
        (periods("random"), true),
    ] {
        let (net, _) = merge(1.0, 10 * MBIT, [from, constant(1_000, MBIT)]);
        let refused = net
            .world()
            .skip_recurrences()
            .err()
            .map(|unable| unable.place);
        assert_eq!(refused.is_some(), draws, "{refused:?}");
    }
}
