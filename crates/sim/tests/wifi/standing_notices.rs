//! Notices over the air that stand while congestion lasts: how often they are sent, and in what unit they count.

use backwater_sim::medium::wifi::air_log::Body;
use backwater_sim::world::World;
use backwater_transport::part::Value;
use backwater_transport::units::Span;

use crate::attempts::log;
use crate::cell::{B, BASIC, Cell, cbr, disc, edca};
use crate::mechanisms::{fork, mechanism};

/// A relay that its own flow keeps congested renews its notices of 500 quanta at half of their time. A quantum over the air is
/// 0.1 TU, 102.4 us, so that is after 25.6 ms, and then it waits for the medium: for one exchange of 2.6 ms at most. Of more than
/// ten notices the mean is told, since each waits for itself.
#[test]
fn a_notice_over_the_air_is_renewed_after_its_share_of_its_time() {
    for cast in ["each", "group"] {
        let (mut cell, relay) = fork();
        cell.0.duration = Span::secs(1);
        cell.flow(relay, 3, 1, cbr(1500, 9_000_000));
        let given = [
            ("quanta", Value::Count(500)),
            ("refresh", Value::Share(0.5)),
            ("cast", Value::Choice(cast)),
        ];
        let parts = ["watermark", "pause", "gate"];
        cell.0.mechanisms = vec![mechanism(parts, vec![relay], &given)];
        let (frames, _) = log(&cell);
        let told = frames.iter().filter(|frame| !frame.retry);
        let told = told.filter(|frame| matches!(frame.body, Some(Body::Notice(..))));
        let to = told.clone().map(|frame| frame.to).min();
        let at: Vec<_> = told.filter(|f| Some(f.to) == to).map(|f| f.at).collect();
        assert!(at.len() > 10, "{cast}: {}", at.len());
        let (first, last) = (at[0], at[at.len() - 1]);
        let mean = last.since(first).0 / (at.len() as u64 - 1);
        let share = Span::micros(25_600).0;
        let exchange = Span::micros(2_600).0;
        let expected = share - exchange / 10..=share + exchange;
        assert!(expected.contains(&mean), "{cast}: {mean}");
    }
}

/// Gates of stations are looked at for a deadlock each second, and nothing else happens in a cell whose packets have gone.
#[test]
fn gates_of_stations_are_looked_at_each_second() {
    let events = |seconds: u64| {
        let (mut cell, relay) = fork();
        cell.0.duration = Span::secs(seconds);
        for flow in &mut cell.0.flows {
            flow.stop = Span::millis(1);
        }
        cell.0.mechanisms = vec![mechanism(["watermark", "pause", "gate"], vec![relay], &[])];
        let mut world = World::build(&cell.0).expect("a legal cell");
        world.advance(world.end());
        world.events()
    };
    assert_eq!(events(40) - events(10), 30);
}

/// A relay forwards to so many sinks, which are the first hosts of all. They are named, each of them.
#[test]
fn a_notice_names_as_many_hosts_as_lie_behind_its_station() {
    for sinks in [1, 70] {
        let mut cell = Cell::new(1.0, B, edca(B, BASIC), disc(100.0, 190.0));
        let sinks: Vec<usize> = (0..sinks)
            .map(|n| cell.station(&format!("to{n}"), 0.0, f64::from(n) / 10.0))
            .collect();
        let [relay, from] = [90.0, 180.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
        for sink in &sinks {
            cell.flow(from, *sink, 1, cbr(1500, 10_000));
        }
        cell.flow(relay, sinks[0], 1, cbr(1500, 9_000_000));
        let parts = ["watermark", "destination", "gate"];
        cell.0.mechanisms = vec![mechanism(parts, vec![relay], &[])];
        let (frames, _) = log(&cell);
        let told = frames.iter().find_map(|frame| match &frame.body {
            Some(Body::Notice(_, _, named)) => Some(named.clone()),
            _ => None,
        });
        let all: Vec<u32> = sinks.iter().map(|sink| *sink as u32).collect();
        assert_eq!(told, Some(all));
    }
}

/// A notice that names the filtering table names all hosts that are reached through its station, and neither that station nor
/// those to which it has no way: of the relay that is the sink alone.
#[test]
fn a_notice_names_the_hosts_behind_its_station() {
    let (mut cell, relay) = fork();
    cell.0.duration = Span::secs(1);
    cell.station("alone", 100.0, 2.0);
    let given = [("addresses", Value::Choice("filtering-table"))];
    let parts = ["watermark", "destination", "gate"];
    cell.0.mechanisms = vec![mechanism(parts, vec![relay], &given)];
    let (frames, _) = log(&cell);
    let named = frames.iter().filter_map(|frame| match &frame.body {
        Some(Body::Notice(_, _, named)) => Some(named.clone()),
        _ => None,
    });
    let mut named: Vec<_> = named.collect();
    named.dedup();
    assert_eq!(named, [vec![3]]);
}
