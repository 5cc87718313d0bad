//! The two ends of flows with a transport: transfers that wait for others, what is told of them, and how flows come to share.

use std::collections::BTreeSet;

use backwater_sim::medium::boxes::BOXES;
use backwater_sim::record::{Record, What};
use backwater_sim::source::{AnySource, Step};
use backwater_sim::spec::{After, Direction, FlowSpec, Routing, Service};
use backwater_sim::world::{Report, World};
use backwater_transport::endpoint::Protocol;
use backwater_transport::forecast::{Forecaster, Model, Process};
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::spreading::SPREADERS;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::net::*;
use crate::transport::carry;

/// A payload that fills a packet of 1500 bytes.
const FULL: u64 = 1448;
/// From the first bit of a full frame to its last at the far end: preamble, 1518 bytes at 100 Mbit/s and 1 us of wire.
const TRIP: u64 = (8 + 1518) * 80_000 + US;

/// Full transfers that wait for others.
fn waiting(transfers: usize) -> AnySource {
    AnySource::of_step(&Step {
        from: 0,
        to: 0,
        number: 0,
        sizes: vec![FULL; transfers],
        after: Vec::new(),
        lead: 0,
    })
}

fn one_transfer(bytes: u64) -> AnySource {
    source("bulk", &[("size", Value::Bytes(Bytes(bytes)))])
}

/// Gives a flow a window that holds nothing back here.
fn carry_all(flow: &mut FlowSpec) {
    carry(
        flow,
        Protocol::Stream,
        "fixed",
        &[("window", Value::Packets(100))],
    );
}

/// Two hosts at one wire, and flows between them, the first from A to B and the second back.
fn pair(seconds: f64, sources: [AnySource; 2]) -> Net {
    let mut net = Net::new(seconds);
    let (a, b) = (net.host("A"), net.host("B"));
    net.link(a, b, 100 * MBIT);
    for ((name, from, to), source) in [("f", a, b), ("g", b, a)].into_iter().zip(sources) {
        carry_all(net.flow(name, from, to, source));
    }
    net
}

fn after(flow: usize, lead: u64) -> Option<After> {
    Some(After {
        flows: vec![flow],
        lead,
        delays: Vec::new(),
    })
}

/// Three transfers one way and three back, each begun by the one before: each takes the time of its frame, which waits for nothing. A
/// transfer beside them, which waits for none, is no step of theirs.
#[test]
fn steps_begin_where_those_before_them_end() {
    let mut net = pair(0.1, [waiting(3), waiting(3)]);
    net.0.flows[0].after = after(1, 1);
    net.0.flows[1].after = after(0, 0);
    let beside = net.flow("h", 0, 1, one_transfer(FULL));
    beside.start = Span::millis(50);
    carry_all(beside);
    let mut world = net.world();
    world.ends.start_steps();
    world.advance(world.end());
    let told: Vec<_> = world
        .ends
        .take_steps()
        .iter()
        .map(|step| {
            (
                step.flow.index(),
                step.number,
                step.bytes,
                step.begun.0,
                step.ended.0,
            )
        })
        .collect();
    let expected: Vec<_> = (0..6)
        .map(|n| (n as usize % 2, n / 2, FULL, n * TRIP, (n + 1) * TRIP))
        .collect();
    assert_eq!(told, expected);
    assert!(world.ends.take_steps().is_empty(), "they are told once");
    let mut silent = net.world();
    silent.advance(silent.end());
    assert!(silent.ends.take_steps().is_empty(), "nobody asked");
    assert_eq!(silent.report().connections[2].stats.completed, 1);
}

/// Three of eight transfers wait for nothing, and one more for a transfer that begins at 50 ms.
#[test]
fn a_flow_begins_as_many_transfers_at_its_start_as_lead() {
    let mut net = pair(0.1, [waiting(8), one_transfer(FULL)]);
    net.0.flows[0].after = after(1, 3);
    net.0.flows[1].start = Span::millis(50);
    let mut world = net.world();
    let mut written = |until: u64| {
        world.advance(Time(until));
        world.report().connections[0].written
    };
    assert_eq!(written(1), 3 * FULL);
    assert_eq!(written(49 * MS), 3 * FULL);
    assert_eq!(written(100 * MS), 4 * FULL);
}

/// A run is not skipped where a transfer waits for one of another flow, whatever their sources, and it says why.
#[test]
fn a_run_whose_transfers_wait_for_others_skips_nothing() {
    let mut net = pair(0.1, [one_transfer(FULL), one_transfer(FULL)]);
    assert_eq!(net.world().skip_recurrences(), Ok(()));
    net.0.flows[1].after = after(0, 0);
    let unable = net.world().skip_recurrences().expect_err("refused");
    assert_eq!(unable.place, "flows");
    assert!(unable.why.contains("`after`"), "{unable:?}");
}

/// Somebody who wants to see each delivery, or each step, is told that the run skips none.
#[test]
fn a_run_whose_deliveries_are_kept_skips_nothing() {
    let net = pair(0.1, [one_transfer(FULL), one_transfer(FULL)]);
    let starts: [fn(&mut World); 2] = [|w| w.ends.start_log(), |w| w.ends.start_steps()];
    for start in starts {
        let mut world = net.world();
        start(&mut world);
        let unable = world.skip_recurrences().expect_err("refused");
        assert_eq!(
            (&*unable.place, unable.why),
            ("run", "every delivery is recorded")
        );
    }
}

/// A queue pair whose card pulls its segments is not skipped.
#[test]
fn a_run_with_a_card_that_pulls_skips_nothing() {
    let mut net = pair(0.1, [one_transfer(FULL), one_transfer(FULL)]);
    let transport = net.0.flows[0].transport.as_mut().expect("just given");
    transport.pulled = true;
    let unable = net.world().skip_recurrences().expect_err("refused");
    assert_eq!(unable.place, "flows");
    assert!(unable.why.starts_with("cards of hosts pull"), "{unable:?}");
}

/// A receiver that makes forecasts has a belief, which is not compared: a run with it is not skipped, though its flow has not begun and its window is constant.
#[test]
fn a_run_whose_receiver_makes_forecasts_skips_nothing() {
    let process = Process {
        most: 1000.0,
        bins: 16,
        tick: Span::millis(20),
        sigma: 200.0,
        escape: 1.0,
        counts: 8,
        quantile: 0.05,
        tabulated: false,
    };
    let mut net = pair(0.1, [one_transfer(FULL), one_transfer(FULL)]);
    let transport = net.0.flows[0].transport.as_mut().expect("just given");
    let forecaster = Forecaster::new(&process, Model::Bayes, 1_400, 1);
    transport.receiver.forecaster = Some(Box::new(forecaster));
    let unable = net.world().skip_recurrences().expect_err("refused");
    let sends = "its receiver sends explicit feedback";
    assert_eq!((&*unable.place, unable.why), ("flows.f", sends));
}

/// Segments with entropy values are spread over ways by random numbers: a run with such a flow is not skipped, neither before its first packet nor
/// after it.
#[test]
fn a_run_with_a_flow_that_is_spread_skips_nothing() {
    let spreader = SPREADERS.iter().find(|row| row.id == "oblivious");
    let spreader = spreader.expect("a spreader");
    let mut net = pair(0.1, [source("bulk", &[]), one_transfer(FULL)]);
    net.0.flows.truncate(1);
    let transport = net.0.flows[0].transport.as_mut().expect("just given");
    let random = Random::stream(1, "spreader", "f");
    let built = (spreader.build)(&args(spreader, &[]), random);
    transport.spreader = Some(built.expect("legal options"));
    let mut world = net.world();
    let unable = world.skip_recurrences().expect_err("refused");
    assert_eq!(
        (&*unable.place, unable.why),
        ("flows.f", "its segments are spread over ways")
    );
    world.advance(Time(MS));
    let unable = world.skip_recurrences().expect_err("refused");
    assert!(unable.why.contains("or of a spreader"), "{unable:?}");
}

/// S has two wires. What is recorded about its sender stands at the port by which its segments leave, and no packet is there.
#[test]
fn what_is_told_of_a_sender_stands_at_the_port_of_its_segments() {
    let mut found = BTreeSet::new();
    for seed in 0..8 {
        let mut net = Net::new(0.1);
        net.0.seed = seed;
        net.0.routing = Routing::Ecmp;
        let (s, d) = (net.host("S"), net.host("D"));
        for name in ["X", "Y"] {
            let way = net.switch(name);
            net.link(s, way, 100 * MBIT);
            net.link(way, d, 100 * MBIT);
        }
        carry_all(net.flow("f", s, d, one_transfer(20 * FULL)));
        let records = net.run_recorded().1;
        let first = records
            .iter()
            .find(|r| r.what == What::Send)
            .expect("a segment");
        let shown = |r: &&Record| matches!(r.what, What::Window | What::Srtt);
        let about: Vec<&Record> = records.iter().filter(shown).collect();
        assert!(about.len() > 2, "{}", about.len());
        for record in about {
            assert_eq!(record.port, first.port);
            assert_eq!((record.len, record.gated), (0, 0));
        }
        found.insert(first.port);
    }
    assert_eq!(found.len(), 2, "each way is taken");
}

/// Two pairs of hosts with a wire of their own share evenly from the first second on. That has held for five whole seconds at the end
/// of the fifth, and not a picosecond sooner, though no segment comes at that instant.
#[test]
fn seconds_are_whole_at_the_instant_of_a_report() {
    let mut net = Net::new(10.0);
    for i in 0..2 {
        let (s, d) = (net.host(&format!("S{i}")), net.host(&format!("D{i}")));
        net.link(s, d, 10 * MBIT);
        let flow = net.flow(&format!("f{i}"), s, d, source("bulk", &[]));
        carry(
            flow,
            Protocol::Stream,
            "fixed",
            &[("window", Value::Packets(10))],
        );
    }
    let mut world = net.world();
    let mut converged = |at: u64| {
        world.advance(Time(at));
        world.report().progress.converged()
    };
    assert_eq!(converged(5_000 * MS - 1), None);
    assert_eq!(converged(5_000 * MS), Some(0));
}

fn slowdowns(report: &Report) -> Vec<u64> {
    let all = &report.connections[0].stats.slowdown;
    all.iter().map(|some| some.len()).collect()
}

/// How long a transfer takes at best is settled unless a box stands before a queue on its way; one before a queue on the way back is in
/// nobody's way.
#[test]
fn a_box_on_the_way_back_leaves_the_best_time_settled() {
    let delay = BOXES.iter().find(|row| row.id == "delay").expect("a box");
    let given = [("delay", Value::Span(Span::millis(1)))];
    for (boxed, settled) in [(None, true), (Some(0), false), (Some(1), true)] {
        let mut net = pair(0.1, [one_transfer(3 * FULL), one_transfer(FULL)]);
        net.0.flows.truncate(1);
        if let Some(direction) = boxed {
            net.0.links[0].directions[direction] = Some(Box::new(Direction {
                name: String::new(),
                boxes: vec![(delay.build)(&args(delay, &given)).expect("legal options")],
                service: Service::Line(Rate(100 * MBIT), Span::micros(1)),
            }));
        }
        let report = net.run();
        assert_eq!(report.connections[0].stats.completed, 1);
        // By decade of the size, up to that of 4344 bytes.
        let expected: &[u64] = if settled { &[0, 0, 0, 1] } else { &[] };
        assert_eq!(slowdowns(&report), expected, "{boxed:?}");
    }
}

/// At 8 Tbit/s a byte takes a picosecond, the shortest time there is: a transfer alone takes its best time there too.
#[test]
fn a_transfer_over_the_fastest_wire_takes_its_best_time() {
    let mut net = pair(0.1, [one_transfer(3 * FULL), one_transfer(FULL)]);
    net.0.flows.truncate(1);
    net.0.links[0].rate = Rate(8_000_000 * MBIT);
    let mut report = net.run();
    let of_size = report.connections[0].stats.slowdown.last_mut();
    assert_eq!(of_size.expect("a transfer").quantile(1.0), 1000);
}
