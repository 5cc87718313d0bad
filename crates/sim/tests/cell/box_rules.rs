//! Boxes at their edges: ties, the instants of a change, the bounds of options, and what their ports count.

use backwater_sim::ids::PortId;
use backwater_sim::injection::Injected;
use backwater_sim::medium::boxes::schedule::Scheduled;
use backwater_sim::medium::boxes::{AnyBox, BOXES, Pass, PathBox};
use backwater_sim::medium::trace::First;
use backwater_sim::spec::{LinkSpec, NodeKind, NodeSpec, Routing, Spec, SwitchModel};
use backwater_sim::table::Id;
use backwater_sim::targets::Destination;
use backwater_sim::world::World;
use backwater_transport::part::{Args, Value};
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::net::{MAHIMAHI, at, delay, deliveries, direction, path_box, recorded, source, spec};
use crate::outside::inject;

/// A link of eight opportunities in each millisecond behind these boxes.
fn world(boxes: Vec<AnyBox>, ms: u64) -> World {
    let lines = (1..ms).flat_map(|ms| [ms; 8]);
    let there = direction(recorded(lines, false), MAHIMAHI, First::Opportunity, boxes);
    World::build(&spec([there, None], ms as f64 / 1000.0)).expect("a link")
}

fn reorder(share: f64, by: u64) -> AnyBox {
    let given = [
        ("share", Value::Share(share)),
        ("by", Value::Span(Span::millis(by))),
    ];
    path_box("reorder", &given)
}

/// The port of the box with this name.
fn port(world: &World, name: &str) -> PortId {
    let ports = &world.network().ports;
    let found = ports.ids().find(|id| ports[*id].more.name == name);
    found.expect("a box")
}

/// The instants at which packets that come at these come out.
fn out<const N: usize>(made: AnyBox, came: [Time; N]) -> [Time; N] {
    let mut random = Random::stream(1, "box", "t");
    let passed = |pass: Pass| match pass {
        Pass::At(at) => at,
        other => panic!("{other:?}"),
    };
    match made {
        AnyBox::Delay(mut one) => came.map(|at| passed(one.pass(at, &mut random))),
        AnyBox::Hold(mut one) => came.map(|at| passed(one.pass(at, &mut random))),
        other => panic!("{other:?}"),
    }
}

/// Two hosts before a switch, whose link to the receiver holds half of the packets back for a millisecond.
fn joined() -> World {
    let lines = (1..400).flat_map(|ms| [ms; 8]);
    let boxes = vec![reorder(0.5, 1)];
    let there = direction(recorded(lines, false), MAHIMAHI, First::Opportunity, boxes);
    let mut spec = spec([there, None], 0.4);
    let (other, switch) = (spec.nodes.len(), spec.nodes.len() + 1);
    for (name, kind) in [
        ("T", NodeKind::Host { obeys: false }),
        ("W", NodeKind::Switch(SwitchModel::OutputQueued)),
    ] {
        let name = name.into();
        spec.nodes.push(NodeSpec { name, kind });
    }
    spec.links[0].ends[0] = switch;
    for host in [0, other] {
        let line = LinkSpec {
            name: format!("l{host}"),
            ends: [host, switch],
            directions: [None, None],
            ..spec.links[0].clone()
        };
        spec.links.push(line);
        let ends = spec.ports[..2].to_vec();
        spec.ports.extend(ends);
    }
    spec.flows[1].from = other;
    spec.flows[1].to = Destination::Node(1);
    World::build(&spec).expect("a network")
}

/// Two packets come to the box at one instant in each millisecond, and half of all are held back for one: they come out as the
/// next two come in. What comes out at one instant is in the order in which it went in.
#[test]
fn what_comes_out_at_one_instant_keeps_its_order() {
    let mut run = joined();
    for tag in 0..600 {
        inject(&mut run, at(tag / 2), Id::new(tag as usize % 2), 1000, tag);
    }
    let found = deliveries(&mut run);
    assert_eq!(found.len(), 600);
    // Some packets leave before others that came in earlier, but none of one millisecond does.
    assert!(!found.is_sorted());
    assert!(found.is_sorted_by_key(|(tag, ms)| (*ms, *tag)), "{found:?}");
}

/// From 2 ms on packets are held back for 3 ms in place of 20. The second comes at 2 and is out at 5, while the first is in
/// until 21; a third, at 21, is held until 24. Each leaves at the next opportunity, a millisecond later.
#[test]
fn what_is_held_for_less_time_comes_out_in_front() {
    let mut run = world(vec![reorder(1.0, 20)], 50);
    for (tag, ms) in (0..).zip([1, 2, 21]) {
        inject(&mut run, at(ms), Id::new(0), 1000, tag);
    }
    run.advance(Time(at(2).0 - 1));
    let id = port(&run, "S>R~reorder");
    run.change_box(id, &reorder(1.0, 3)).expect("of its kind");
    assert_eq!(deliveries(&mut run), [(1, 6), (0, 22), (2, 25)]);
}

/// A new delay holds from its very instant on, 50 ms: the last tick before it still waits for 5 ms. Counted from its
/// millisecond, a packet at 10.7 ms with a delay of 5 ms is out at 15.
#[test]
fn a_delay_holds_from_its_instant_or_its_millisecond_on() {
    let made = |clock, change: bool| {
        let mut given = vec![
            ("delay", Value::Span(Span::millis(5))),
            ("clock", Value::Choice(clock)),
        ];
        if change {
            given.push(("at", Value::Span(Span::millis(50))));
            given.push(("then", Value::Span(Span::millis(20))));
        }
        path_box("delay", &given)
    };
    let before = Time(at(50).0 - 1);
    let due = [Time(at(55).0 - 1), at(70)];
    assert_eq!(out(made("exact", true), [before, at(50)]), due);
    let came = at(10).after(Span::micros(700));
    assert_eq!(
        out(made("exact", false), [came]),
        [came.after(Span::millis(5))]
    );
    assert_eq!(out(made("ms", false), [came]), [at(15)]);
}

/// With a period of 60 ms packets come out at multiples of 60 ms.
#[test]
fn packets_are_held_for_the_period_that_is_asked_for() {
    let hold = path_box("hold", &[("period", Value::Span(Span::millis(60)))]);
    let due = [0, 60, 60, 120].map(at);
    assert_eq!(out(hold, [0, 1, 60, 61].map(at)), due);
}

/// Of a jitter of at most one tick each of the two delays is as likely: 500 of 1,000, with a standard deviation of 16.
#[test]
fn jitter_begins_at_nought() {
    let mut random = Random::stream(1, "box", "t");
    let most = ("most", Value::Span(Span(1)));
    let late = (0..1000).filter(|n| {
        let AnyBox::Jitter(mut one) = path_box("jitter", std::slice::from_ref(&most)) else {
            panic!("jitter");
        };
        one.pass(at(*n), &mut random) != Pass::At(at(*n))
    });
    assert!(late.count().abs_diff(500) < 80);
}

/// A change of delay has an instant and a new delay. The one that is written is named, with the other as the remedy.
#[test]
fn half_a_change_of_delay_is_refused() {
    let part = BOXES.iter().find(|part| part.id == "delay");
    let part = part.expect("a delay");
    for (written, other) in [("at", "then"), ("then", "at")] {
        let span = || Value::Span(Span::millis(5));
        let given = vec![
            ("delay", span()),
            (written, span()),
            ("clock", Value::Choice("exact")),
        ];
        let refusal = (part.build)(&Args(given)).expect_err("half a change");
        assert_eq!(refusal.option, written);
        assert!(refusal.fix.contains(&format!("`{other}`")));
    }
}

/// The longest delay is 1,000 s, and a million of a million packets are the most that are lost.
#[test]
fn a_schedule_takes_the_greatest_numbers_that_it_names() {
    let (longest, million) = (1_000_000_000, 1_000_000);
    let made = Scheduled::new(&[0], Some(&[longest]), Some(&[0])).expect("the longest delay");
    assert_eq!(made.least(), Span::secs(1000));
    assert!(Scheduled::new(&[0], Some(&[longest + 1]), None).is_err());
    assert!(Scheduled::new(&[0], None, Some(&[million])).is_ok());
    assert!(Scheduled::new(&[0], None, Some(&[million + 1])).is_err());
}

/// Rows without loss draw nothing, so that the losses of a later row do not depend on how many packets came before it.
#[test]
fn rows_without_loss_leave_the_random_numbers_to_the_others() {
    let lost = |before: u64| {
        let made = Scheduled::new(&[0, 100], None, Some(&[0, 500_000]));
        let mut made = made.expect("two rows");
        let mut random = Random::stream(1, "box", "t");
        for ms in 0..before {
            assert_eq!(made.pass(at(ms), &mut random), Pass::At(at(ms)));
        }
        [0; 60].map(|_| made.pass(at(100), &mut random))
    };
    assert_eq!(lost(5), lost(50));
}

/// The port of a box counts what comes out: of 30 packets a copy each, and the delay behind has both. Nothing waits in a
/// queue of theirs.
#[test]
fn the_port_of_a_box_counts_what_comes_out() {
    let twice = path_box("duplicate", &[("share", Value::Share(1.0))]);
    let mut run = world(vec![delay(3), twice, delay(5)], 100);
    for tag in 0..30 {
        inject(&mut run, at(tag), Id::new(0), 1000, tag);
    }
    assert_eq!(deliveries(&mut run).len(), 60);
    let report = run.report();
    for (name, packets) in [("S>R~delay", 30), ("S>R~duplicate", 60), ("S>R~delay2", 60)] {
        let id = port(&run, name);
        let found = report.ports.iter().find(|row| row.port == id);
        let count = &found.expect("a row").count;
        assert_eq!((count.packets, count.area), (packets, 0), "{name}");
    }
}

/// A host whose link to a switch duplicates, another host, and two ways from the switch to the receiver. The first has a packet
/// of its own at 10 us.
fn two_ways() -> Spec {
    let twice = path_box("duplicate", &[("share", Value::Share(1.0))]);
    let boxes = vec![delay(5), twice];
    let there = direction(recorded([1], true), MAHIMAHI, First::Opportunity, boxes);
    let mut spec = spec([there, None], 0.02);
    spec.routing = Routing::Ecmp;
    let switch = || NodeKind::Switch(SwitchModel::OutputQueued);
    let host = NodeKind::Host { obeys: false };
    for (name, kind) in
        ["T", "W", "X", "Y", "Z"]
            .into_iter()
            .zip([host, switch(), switch(), switch(), switch()])
    {
        let name = name.into();
        spec.nodes.push(NodeSpec { name, kind });
    }
    spec.links[0].ends[1] = 3;
    for ends in [[2, 3], [3, 4], [3, 5], [4, 6], [5, 6], [6, 1]] {
        let line = LinkSpec {
            name: format!("l{}-{}", ends[0], ends[1]),
            ends,
            directions: [None, None],
            ..spec.links[0].clone()
        };
        spec.links.push(line);
        let both = spec.ports[..2].to_vec();
        spec.ports.extend(both);
    }
    let given = [
        ("packet", Value::Bytes(Bytes(1000))),
        ("rate", Value::Rate(Rate(8_000_000))),
        ("phase", Value::Choice("start")),
        ("jitter", Value::Share(0.0)),
    ];
    spec.flows[0].source = source("cbr", &given);
    (spec.flows[0].start, spec.flows[0].stop) = (Span::micros(10), Span::micros(11));
    spec.flows[1].from = 2;
    spec.flows[1].to = Destination::Node(1);
    spec
}

/// Two equal ways lead from the switch behind the boxes to the receiver, and a hash chooses. A packet of the run's own source and
/// its copy go the same way, whatever hash a packet had that was injected, and delivered, before the copy was made.
#[test]
fn a_copy_goes_the_way_of_its_packet() {
    let spec = two_ways();
    for hash in 0..8 {
        let mut run = World::build(&spec).expect("a network");
        let (from, to) = (run.network().flows[Id::new(1)].from, run.network().hosts[1]);
        let packet = Injected {
            to,
            class: 0,
            len: Bytes(1000),
            ecn: Ecn::NotEct,
            hash: Some(hash),
            tag: 0,
        };
        run.inject(at(0), from, packet).expect("a packet that fits");
        let sent = |run: &mut World| {
            let report = run.report();
            // From W to X and to Y.
            [4, 6].map(|port| {
                let row = report.ports.iter().find(|row| row.port == Id::new(port));
                row.expect("a port").count.packets
            })
        };
        run.advance(at(4));
        let before = sent(&mut run);
        assert_eq!(before.iter().sum::<u64>(), 1);
        run.advance(run.end());
        let after = sent(&mut run);
        let pair = [0, 1].map(|way| after[way] - before[way]);
        assert!(pair == [2, 0] || pair == [0, 2], "{hash}: {pair:?}");
    }
}
