//! Congestion notifications over the air: when they take effect, and for whom.

use std::collections::VecDeque;

use backwater_sim::limit::Limit;
use backwater_sim::mechanism::RECIPES;
use backwater_sim::mechanism::notifier::row::{Cue, Site, Waiting};
use backwater_sim::mechanism::notifier::voice::Arrival;
use backwater_sim::spec::MechanismSpec;
use backwater_sim::table::Id;
use backwater_sim::world::World;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::cell::{BASIC, Cell, G, RTS, cbr, disc, edca};
use crate::mechanisms::mechanism;

fn control(recipe: &str, station: usize, given: &[(&'static str, Value)]) -> MechanismSpec {
    let recipe = RECIPES.iter().find(|r| r.id == recipe).expect("a recipe");
    let parts = [recipe.detect, recipe.notify, recipe.respond];
    mechanism(parts, vec![station], given)
}

/// A sends 9 Mbit/s over B, whose link to C carries 5, in bursts of 6 ms; X hears B and has nothing to do with it.
fn relay(rts: u64) -> (Cell, [usize; 4]) {
    let mut mac = edca(G, rts);
    mac.categories[1].txop = Span::millis(6);
    let mut cell = Cell::new(10.0, G, mac, disc(100.0, 190.0));
    let stations = [[0.0, 0.0], [90.0, 0.0], [180.0, 0.0], [90.0, 60.0]];
    let stations = stations.map(|[x, y]| cell.station(&format!("s{x}{y}"), x, y));
    for station in stations {
        cell.spec(station).buffer = Limit::Bytes(Bytes(256_000));
        cell.spec(station).own_share = 0.2;
    }
    let [a, b, c, x] = stations;
    cell.spec(b).rate = Some(Rate(6_000_000));
    cell.flow(a, c, 1, cbr(1500, 9_000_000));
    let far = cell.station("far", 90.0, 150.0);
    cell.flow(x, far, 1, cbr(1500, 500_000));
    (cell, stations)
}

/// Whether gates of a station hold anything back.
fn shut(world: &World, station: usize) -> bool {
    let now = world.now();
    let gates = world.air().radios[station].gates.as_ref();
    gates.is_some_and(|gates| gates.shut(now))
}

/// Relief reaches A within the frame that is on the air, the notice and its wait for the medium: not at the end of
/// the time that was announced.
#[test]
fn a_time_of_nought_opens_gates_within_a_frame() {
    for recipe in ["tcc", "lscc"] {
        let (mut cell, [a, b, ..]) = relay(RTS);
        // X would contend with the notice.
        cell.0.flows.truncate(1);
        cell.0.mechanisms = vec![control(recipe, b, &[("cast", Value::Choice("each"))])];
        let mut world = World::build(&cell.0).expect("a legal cell");
        let (mut told, mut opened) = (None, Vec::new());
        let mut before = false;
        while world.now() < Time::ZERO + Span::secs(10) {
            world.advance(world.now() + Span::micros(10));
            let ends = |m: &backwater_sim::medium::wifi::radio::Management| m.notice.quanta() == 0;
            let after = shut(&world, a);
            let tells = world.air().radios[b].notices.iter().any(ends);
            if told.is_none() && after && tells {
                told = Some(world.now());
            }
            if before && !after {
                opened.extend(told.map(|at| world.now().since(at)));
                told = None;
            }
            before = after;
        }
        assert!(opened.len() > 5, "{recipe}: {opened:?}");
        // A data frame of 1500 B at 6 Mbit/s takes 2.07 ms, with RTS, CTS and ACK 2.3 ms. The notice follows it unless
        // data draw less backoff than management frames: then another TXOP of two frames comes between.
        let (frame, txop) = (Span::micros(2900), Span::millis(6));
        let at_once = opened.iter().filter(|after| **after < frame).count();
        assert!(4 * at_once > 3 * opened.len(), "{recipe}: {opened:?}");
        let most = opened.iter().max().expect("some");
        assert!(*most < frame + txop, "{recipe}: {most:?}");
    }
}

/// A group frame reaches X, which is no neighbour in the routing tree: X goes on, unless all in range are meant.
#[test]
fn who_is_no_neighbour_in_the_tree_ignores_a_notice() {
    let share = |reach: &'static str| {
        let (mut cell, [_, b, ..]) = relay(BASIC);
        let given = [("reach", Value::Choice(reach))];
        cell.0.mechanisms = vec![control("tcc", b, &given)];
        let (_, report) = cell.run();
        let flow = &report.flows[1].sums;
        flow.sum.gate as f64 / flow.sum.total as f64
    };
    assert_eq!(share("tree"), 0.0);
    assert!(share("range") > 0.1, "{}", share("range"));
}

/// The element has a time for each access category: while best effort is congested at B, it waits at A's gate and voice
/// passes.
#[test]
fn each_access_category_has_a_time_of_its_own() {
    for recipe in ["tcc", "lscc"] {
        let (mut cell, [a, b, c, _]) = relay(RTS);
        cell.0.flows.truncate(1);
        let voice = cell.flow(a, c, 3, cbr(200, 64_000));
        cell.0.mechanisms = vec![control(recipe, b, &[("cast", Value::Choice("each"))])];
        let (_, report) = cell.run();
        let gated = |flow: usize| report.flows[flow].sums.sum.gate;
        assert!(gated(0) > 0, "{recipe}");
        assert_eq!(gated(voice), 0, "{recipe}");
        let offered = 64_000.0 * 10.0 / 8.0;
        let delivered = report.flows[voice].sums.delivered.bytes as f64;
        assert!(delivered >= 0.98 * offered, "{recipe}: {delivered}");
    }
}

/// A run that ends while gates are shut has all packets in its books, those behind the gates included.
#[test]
fn nothing_is_missing_where_a_run_ends_at_shut_gates() {
    for recipe in ["tcc", "lscc"] {
        let (mut cell, [a, b, ..]) = relay(RTS);
        cell.0.flows.truncate(1);
        cell.0.mechanisms = vec![control(recipe, b, &[])];
        let mut world = World::build(&cell.0).expect("a legal cell");
        while !shut(&world, a) {
            assert!(world.now() < world.end(), "{recipe}: no gate is ever shut");
            world.advance(world.now() + Span::millis(1));
        }
        cell.0.duration = world.now().since(Time::ZERO);
        cell.0.flows[0].stop = cell.0.duration;
        let (world, report) = cell.run();
        assert!(shut(&world, a), "{recipe}");
        let flow = &report.flows[0].sums;
        let gone = flow.delivered.packets + flow.dropped.packets;
        let held = world.air().radios[a].categories[1].frames;
        assert!(held > 0 && gone < flow.entered.packets, "{recipe}: {held}");
    }
}

/// Durations are written in units of 0.1 TU, or of 100 µs.
#[test]
fn durations_have_the_unit_that_is_written() {
    for (unit, span) in [("100us", Span::micros(100)), ("102.4us", Span(102_400_000))] {
        let spec = control("tcc", 0, &[("unit", Value::Choice(unit))]);
        let site = Site {
            number: 0,
            respond: &spec.respond,
            neighbours: Vec::new(),
            peers: &[1],
            categories: &[],
            one_queue: true,
            hosts: 2,
            rhythm: None,
        };
        let mut told = VecDeque::new();
        let cue = Cue::Began {
            place: 0,
            arrival: &Arrival::none(Time::ZERO, 0, Id::NONE),
            waiting: &Waiting::nothing(),
        };
        spec.notify.at(&site).on(&cue, &mut told);
        assert_eq!(told[0].notice.unit(), Some(span), "{unit}");
    }
}
