//! Forks of a run whose random trace goes on by chance, and who reads the trace with them.

use backwater_sim::medium::trace::log::{Happening, Log};
use backwater_sim::medium::trace::{AnyTrace, First, Server};
use backwater_sim::spec::Service;
use backwater_sim::table::Id;
use backwater_sim::world::World;
use backwater_transport::part::Value;
use backwater_transport::units::{Rate, Span, Time};

use crate::net::{MAHIMAHI, MS, at, direction, generated, spec};
use crate::outside::inject;

/// Poisson opportunities: from 400 ms on at this rate, to which the model returns.
fn poisson(per_second: u64) -> AnyTrace {
    let given = [
        ("peak", Value::Rate(Rate(2 * per_second * 8 * 1504))),
        ("volatility", Value::Rate(Rate(1))),
        ("reversion", Value::Number(20.0)),
        ("sticky", Value::Share(0.0)),
        ("outage", Value::Span(Span::millis(1))),
        ("burst", Value::Number(1.0)),
    ];
    generated("cox", &given)
}

/// A link with 500 opportunities in a second on an exact clock.
fn world(seed: u64) -> World {
    on_clock(seed, false)
}

/// The same on a clock of milliseconds or an exact one.
fn on_clock(seed: u64, milliseconds: bool) -> World {
    let mut there = direction(poisson(500), MAHIMAHI, First::Opportunity, vec![]).expect("one");
    if let Service::Trace(server) = &mut there.service {
        server.milliseconds = milliseconds;
    }
    let mut spec = spec([Some(there), None], 0.6);
    spec.seed = seed;
    World::build(&spec).expect("a link")
}

fn server(world: &World) -> &Server {
    let port = &world.network().ports[Id::new(0)];
    port.more.service.server().expect("a trace")
}

/// All opportunities of the run.
fn opportunities(world: &World) -> Vec<Time> {
    server(world).opportunities(world.end()).collect()
}

/// A Poisson process has no memory: from any instant on the next opportunity is 2 ms away on average, with which opportunity
/// the run itself would go on. The mean of 1,000 has a deviation of 3.2 %.
#[test]
fn an_opportunity_is_drawn_again_from_the_present_on() {
    let mut sum = 0.0;
    for seed in 1..=20 {
        let mut run = world(seed);
        run.advance(at(500));
        let before = opportunities(&run);
        for by in 0..50 {
            let mut fork = run.clone();
            fork.redraw(by);
            let after = opportunities(&fork);
            let known = before.iter().filter(|one| **one <= at(500)).count();
            assert_eq!(after[..known], before[..known]);
            sum += after[known].since(at(500)).seconds();
        }
    }
    let mean = sum / 1000.0;
    assert!((mean / 2e-3 - 1.0).abs() < 0.13, "{mean}");
}

/// What has passed stays, that of the present millisecond too, and what is drawn again lies behind it. Numbers tell forks apart,
/// and a packet leaves at the first opportunity that its fork says it has.
#[test]
fn a_fork_is_served_as_it_says() {
    for (seed, milliseconds) in (1..=10).flat_map(|seed| [(seed, false), (seed, true)]) {
        let mut run = on_clock(seed, milliseconds);
        run.advance(at(500));
        let before = opportunities(&run);
        let known = before.iter().filter(|one| **one <= at(500)).count();
        let mut seen = Vec::new();
        for by in 0..4 {
            let mut fork = run.clone();
            fork.redraw(by);
            let after = opportunities(&fork);
            assert_eq!(after[..known], before[..known]);
            assert!(after[known] > at(500), "{seed} {by}");
            inject(&mut fork, at(500), Id::new(0), 1500, by);
            fork.advance(fork.end());
            let exits = fork.take_exits();
            assert_eq!(exits[0].at, after[known], "{seed} {by}");
            seen.push(after);
        }
        assert!((1..4).all(|n| seen[n] != seen[0]), "{seed}");
    }
}

/// The first opportunity of a trace that has just begun keeps its own law, so that nothing is drawn again there. Later ones are.
#[test]
fn the_first_opportunity_of_a_new_trace_is_not_drawn_again() {
    let mut run = world(1);
    run.advance(at(500));
    run.change_trace(Id::new(0), poisson(1000))
        .expect("another");
    let all = opportunities(&run);
    let mut fork = run.clone();
    fork.redraw(7);
    assert_eq!(opportunities(&fork), all);
    run.advance(at(550));
    run.redraw(7);
    let known = all.iter().filter(|one| **one <= at(550)).count();
    let found = opportunities(&run);
    assert_eq!(found[..known], all[..known]);
    assert_ne!(found[known..], all[known..]);
}

/// The log of an idle link has been read further than the link has looked. Behind that both go on anew, and the log has the
/// opportunities of the link.
#[test]
fn a_log_goes_on_with_the_opportunities_of_the_link() {
    let mut run = world(1);
    let journal = |run: &mut World, over: bool| {
        let now = run.now();
        let port = &mut run.network_mut().ports[Id::new(0)];
        let server = port.more.service.server_mut().expect("a trace");
        server.take_entries(now, over)
    };
    let port = &mut run.network_mut().ports[Id::new(0)];
    port.more.service.server_mut().expect("a trace").journal = Some(Box::default());
    run.advance(at(500));
    let mut log = Log::default();
    log.entries.extend(journal(&mut run, false));
    let before = opportunities(&run);
    run.reseed(7);
    for tag in 0..20 {
        inject(&mut run, at(510 + tag), Id::new(0), 1500, tag);
    }
    run.advance(run.end());
    log.entries.extend(journal(&mut run, true));
    let all = opportunities(&run);
    assert_ne!(all, before);
    let due: Vec<u64> = all.iter().map(|one| one.0 / MS).collect();
    let logged = log.entries.iter();
    let logged = logged.filter(|entry| matches!(entry.what, Happening::Opportunity(_)));
    assert_eq!(logged.map(|entry| entry.at).collect::<Vec<_>>(), due);
}
