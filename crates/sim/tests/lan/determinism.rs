//! A run is a function of its scenario and seed, however it is driven.

use std::thread;

use crate::net::*;
use crate::outside::inject;
use backwater_sim::record::{Record, What};
use backwater_sim::source::AnySource;
use backwater_sim::targets::Destination;
use backwater_sim::world::{Fate, World};
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span, Time};

/// Every random source of the table that needs no file.
fn random_sources() -> Vec<AnySource> {
    let rate = || ("rate", Value::Rate(Rate(3 * MBIT)));
    let burst = || ("burst", Value::Bytes(Bytes(12_000)));
    let packet = || ("packet", Value::Bytes(Bytes(1500)));
    let spans = || {
        [
            ("on", Value::Span(Span::millis(5))),
            ("off", Value::Span(Span::millis(10))),
        ]
    };
    let on_off = |id| {
        let mut given = vec![packet(), rate()];
        given.extend(spans());
        source(id, &given)
    };
    vec![
        source("uniform-fixed", &[burst(), rate()]),
        source("uniform-uniform", &[burst(), rate()]),
        source("self-similar", &[burst(), rate()]),
        source("poisson", &[packet(), rate()]),
        source(
            "batch-poisson",
            &[packet(), rate(), ("batch", Value::Count(4))],
        ),
        on_off("exponential-on-off"),
        on_off("pareto-on-off"),
    ]
}

fn congested(seed: u64, source: &AnySource) -> Net {
    let (mut net, port) = merging(0.5, || source.clone());
    net.0.seed = seed;
    net.buffer(port, 10_000);
    net.recipe("pause", &[port], &[]);
    net
}

#[test]
fn a_seed_gives_one_run_and_another_seed_another() {
    for source in random_sources() {
        let of = |seed| congested(seed, &source).run().fingerprint;
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2), "{source:?}");
    }
}

/// Arrivals at the hosts: (instant, bytes).
fn arrivals(records: &[Record], flow: usize, port: usize) -> Vec<(u64, u16)> {
    records
        .iter()
        .filter(|r| r.what == What::Enqueue && r.port.index() == port && r.flow.index() == flow)
        .map(|r| (r.at.0, r.len))
        .collect()
}

/// Streams belong to (seed, kind, name): whoever comes along changes nobody else's arrivals.
#[test]
fn another_flow_changes_nobody_elses_arrivals() {
    for source in random_sources() {
        let alone = congested(1, &source);
        let before = alone.run_recorded().1;
        let mut more = alone.clone();
        // It comes first in the list, and everything else of it is different too.
        let (s, d) = (more.host("S9"), 1);
        more.link(s, 0, 10 * MBIT);
        more.flow("other", s, d, source.clone());
        more.0.flows.rotate_right(1);
        more.0.mechanisms.clear();
        let after = more.run_recorded().1;
        for flow in 0..3 {
            let port = flow * 4;
            let was = arrivals(&before, flow, port);
            assert!(was.len() > 20, "{source:?}");
            assert_eq!(was, arrivals(&after, flow + 1, port), "{source:?}");
        }
    }
}

/// The same packets, handed in from outside step by step, or asked for by sources: one fingerprint.
#[test]
fn a_world_driven_from_outside_is_the_same_world() {
    let packets =
        |flow: u64| (0..400).map(move |i| (i * 1_237 * US + flow * 311 * US, 1500 - i % 7 * 200));
    let (mut inside, port) = merging(0.5, || source("outside", &[]));
    inside.buffer(port, 10_000);
    inside.recipe("pause", &[port], &[]);
    let outside = inside.clone();
    for flow in 0..3 {
        inside.0.flows[flow].source = script(packets(flow as u64));
    }
    let expected = inside.run();
    assert!(expected.control > 0);

    let mut world = outside.world();
    let mut waiting: Vec<(u64, usize, u64, u64)> = (0..3usize)
        .flat_map(|f| {
            packets(f as u64)
                .enumerate()
                .map(move |(seq, (at, len))| (at, f, len, seq as u64))
        })
        .collect();
    waiting.sort_unstable();
    let flows: Vec<_> = world.network().flows.ids().collect();
    let (mut delivered, mut dropped) = (0, 0);
    let mut next = 0;
    // As an emulator does: hand in what has come, serve what is due, look at what has gone out.
    loop {
        let due = world.next_due().unwrap_or(Time::NEVER);
        match waiting.get(next) {
            Some((at, f, len, seq)) if *at <= due.0 => {
                inject(&mut world, Time(*at), flows[*f], *len, *seq);
                next += 1;
            }
            _ if due <= world.end() => world.advance(due),
            _ => break,
        }
        for exit in world.take_exits() {
            assert_eq!(exit.at, world.now());
            match exit.fate {
                Fate::Copied => unreachable!("no box makes copies here"),
                Fate::Delivered => delivered += 1,
                Fate::Dropped(_) => dropped += 1,
            }
        }
    }
    world.advance(world.end());
    let report = world.report();
    assert_eq!(report.fingerprint, expected.fingerprint);
    assert_eq!((delivered, dropped), (expected.delivered, expected.dropped));
    assert_eq!((report.delivered, report.dropped), (delivered, dropped));
}

/// A fork in the middle of a run, with frames on wires and gates closed, goes on like the original.
#[test]
fn a_copy_of_a_world_goes_on_like_the_original() {
    for source in random_sources() {
        let net = congested(3, &source);
        let whole = net.run().fingerprint;
        let mut world = net.world();
        for share in [1, 7, 50, 77, 99] {
            world.advance(Time(world.end().0 / 100 * share));
            let mut copy = world.clone();
            copy.advance(copy.end());
            assert_eq!(copy.report().fingerprint, whole, "forked at {share} %");
        }
    }
}

/// Worlds share nothing, so threads don't matter.
#[test]
fn threads_change_nothing() {
    let source = &random_sources()[2];
    let seeds: Vec<u64> = (1..=8).collect();
    let run = |seed: &u64| congested(*seed, source).run().fingerprint;
    let alone: Vec<u64> = seeds.iter().map(run).collect();
    let together: Vec<u64> = thread::scope(|scope| {
        let started: Vec<_> = seeds
            .iter()
            .map(|seed| scope.spawn(move || run(seed)))
            .collect();
        started
            .into_iter()
            .map(|t| t.join().expect("a run"))
            .collect()
    });
    assert_eq!(alone, together);
}

/// A run in slices of events is the run at once.
#[test]
fn a_run_in_slices_is_the_run_at_once() {
    let net = congested(1, &random_sources()[1]);
    let mut world: World = net.world();
    let mut slices = 0;
    while !world.advance_some(97) {
        slices += 1;
    }
    assert!(slices > 10);
    assert_eq!(world.report().fingerprint, net.run().fingerprint);
}

/// Each packet of a flow goes to one of three hosts, drawn by the flow. A fork by another number draws others, and one by the same number the same.
#[test]
fn a_fork_draws_other_destinations() {
    let mut net = Net::new(0.2);
    let (s, w) = (net.host("S"), net.switch("W"));
    net.link(s, w, 100 * MBIT);
    let hosts: Vec<usize> = (0..3).map(|n| net.host(&format!("D{n}"))).collect();
    let ports: Vec<usize> = hosts
        .iter()
        .map(|host| net.link(w, *host, 100 * MBIT)[0])
        .collect();
    net.flow("f", s, hosts[0], cbr(12 * MBIT)).to = Destination::AnyOf(hosts.clone());
    let end = |by: u64| {
        let mut world = net.world();
        world.advance(Time(100 * MS));
        world.reseed(by);
        world.advance(world.end());
        let report = world.report();
        assert!(report.conserved);
        let ports = ports.iter().map(|port| report.ports[*port].count.packets);
        ports.collect::<Vec<u64>>()
    };
    let found: Vec<_> = (1..6).map(end).collect();
    assert_eq!(found[0], end(1));
    assert!(found.iter().any(|one| *one != found[0]), "{found:?}");
    // 200 packets in all.
    assert!(
        found
            .iter()
            .all(|one| one.iter().sum::<u64>().abs_diff(200) <= 1)
    );
}
