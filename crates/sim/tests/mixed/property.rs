//! A world is refused with place, problem and remedy, or it is built, and then every run of it is the same run and
//! accounts for every packet and every tick.

use backwater_sim::record::What;
use backwater_sim::spec::Spec;
use backwater_sim::spec::{NodeKind, Refusal, Service};
use backwater_sim::world::{Report, World};
use backwater_transport::units::{PS_PER_S, Rate, Span, Time};

use crate::random::{finished, same};
use crate::worlds::{AIR, any_world};

/// The features that the worlds of a test had between them.
#[derive(Debug, Default)]
struct Covered {
    built: u64,
    refused: u64,
    /// Worlds whose packets crossed wires and radios, trace links, boxes, two radios of one node.
    both: u64,
    traces: u64,
    boxes: u64,
    bridges: u64,
    marked: u64,
    dropped: u64,
    control: u64,
}

fn refused(refusal: &Refusal, number: u64) {
    let roots = [
        "nodes",
        "links",
        "ports",
        "flows",
        "mechanisms",
        "media",
        "routing",
    ];
    let root = refusal.path.split('.').next().unwrap_or_default();
    assert!(roots.contains(&root), "world {number}: {refusal:?}");
    assert!(
        !refusal.what.is_empty() && !refusal.fix.is_empty(),
        "world {number}: {refusal:?}"
    );
}

/// Every packet's delay is the sum of its parts, and what was spent in propagation is what its links have.
fn delays(spec: &Spec, world: &World, report: &Report, number: u64) {
    let delay = |port: usize| match port / 2 {
        link if link >= spec.links.len() => Some(AIR),
        link => match &spec.links[link].directions[port % 2] {
            None => Some(spec.links[link].delay),
            Some(direction) if !direction.boxes.is_empty() => None,
            Some(direction) => match direction.service {
                Service::Line(_, delay) => Some(delay),
                ref other => Some(other.line().1),
            },
        },
    };
    for flow in &report.flows {
        let name = &world.network().flows[flow.flow].name;
        let sum = &flow.sums.sum;
        let parts = [
            sum.serial,
            sum.queue,
            sum.gate,
            sum.contention,
            sum.retries,
            sum.propagation,
        ];
        let total: u128 = parts.iter().sum();
        assert_eq!(total, sum.total, "world {number}, {name}: {sum:?}");
        let path: Option<Vec<Span>> = flow
            .hops
            .iter()
            .map(|hop| delay(hop.port.index()))
            .collect();
        if let Some(path) = path.filter(|path| !path.is_empty()) {
            let each: u128 = path.iter().map(|span| u128::from(span.0)).sum();
            let expected = each * u128::from(flow.sums.delivered.packets);
            assert_eq!(sum.propagation, expected, "world {number}, {name}");
        }
    }
}

/// Nothing is busy for longer than the run.
fn shares(spec: &Spec, report: &Report, number: u64) {
    let window = spec.duration.0 - spec.warmup.0;
    for (i, station) in report.stations.iter().enumerate() {
        let busy = [station.airtime, station.busy];
        assert!(
            busy.iter().all(|b| *b <= window),
            "world {number}, station {i}: {busy:?}"
        );
    }
    for (i, port) in report.ports.iter().enumerate().take(spec.ports.len()) {
        let link = &spec.links[i / 2];
        let rate = match link.directions[i % 2]
            .as_ref()
            .map(|direction| &direction.service)
        {
            Some(Service::Line(rate, _)) => *rate,
            Some(_) => continue,
            None => link.rate,
        };
        let c = &port.count;
        // Preamble and gap; the last frame, with a header field of 20 bytes, may end after the run.
        let bytes = c.bytes + c.control_bytes + 20 * (c.packets + c.control);
        let ticks = |bytes: u64, Rate(bps): Rate| bytes * 8 * (PS_PER_S / bps);
        let most = window + ticks(link.max_frame.0 + 20 + 20, rate);
        assert!(ticks(bytes, rate) <= most, "world {number}, port {i}");
        assert!(c.stall <= window, "world {number}, port {i}");
    }
}

/// Runs a world in every way there is.
fn every_way(spec: &Spec, number: u64) -> Report {
    let build = || World::build(spec).expect("built before");
    let mut world = build();
    world.advance(world.end());
    let plain = world.report();
    assert!(plain.conserved, "world {number}");
    delays(spec, &world, &plain, number);
    shares(spec, &plain, number);

    let mut unfused = build();
    unfused.unfuse();
    same(&plain, &finished(unfused), "unfused", number);

    let mut recorded = build();
    recorded.start_recording();
    recorded.start_air_log();
    recorded.advance(recorded.end());
    let records = recorded.take_records();
    same(&plain, &finished(recorded), "recorded", number);
    // A record of a transmission may be written before it begins, and over the air after it has ended.
    let instants = records
        .iter()
        .filter(|r| r.what != What::Send)
        .map(|r| r.at);
    assert!(instants.is_sorted(), "world {number}: records out of order");

    let mut steps = build();
    while let Some(due) = steps.next_due().filter(|d| *d <= steps.end()) {
        steps.advance(due);
    }
    same(&plain, &finished(steps), "stepwise", number);

    let mut strides = build();
    let mut at = 0;
    while at < strides.end().0 {
        at = (at + 7_234_567_891).min(strides.end().0);
        strides.advance(Time(at));
        assert!(strides.report().conserved, "world {number} at {at}");
    }
    same(&plain, &finished(strides), "with looks in between", number);
    plain
}

fn cover(covered: &mut Covered, spec: &Spec, report: &Report) {
    let wires = 2 * spec.links.len();
    let used = |port: usize| report.ports[port].count.packets > 0;
    let crossed = |flow: &backwater_sim::world::FlowReport| {
        let air = |port: usize| port >= wires;
        let hops = || flow.hops.iter().map(|hop| hop.port.index());
        flow.sums.delivered.packets > 0 && hops().any(air) && !hops().all(air)
    };
    let directions = |f: &dyn Fn(&backwater_sim::spec::Direction) -> bool| {
        (0..wires).any(|p| {
            used(p)
                && spec.links[p / 2].directions[p % 2]
                    .as_deref()
                    .is_some_and(f)
        })
    };
    let bridge =
        |n: &backwater_sim::spec::NodeSpec| matches!(&n.kind, NodeKind::Station(r) if r.len() > 1);
    covered.both += u64::from(report.flows.iter().any(crossed));
    covered.traces += u64::from(directions(&|direction| {
        matches!(direction.service, Service::Trace(_))
    }));
    covered.boxes += u64::from(directions(&|direction| !direction.boxes.is_empty()));
    covered.bridges += u64::from(spec.nodes.iter().any(bridge));
    covered.marked += u64::from(report.all.marked.packets > 0);
    covered.dropped += u64::from(report.dropped > 0);
    covered.control += u64::from(report.control > 0);
}

fn check(numbers: std::ops::Range<u64>) -> Covered {
    let mut covered = Covered::default();
    for number in numbers {
        let spec = any_world(number);
        match World::build(&spec) {
            Err(refusal) => {
                refused(&refusal, number);
                covered.refused += 1;
            }
            Ok(_) => {
                covered.built += 1;
                cover(&mut covered, &spec, &every_way(&spec, number));
            }
        }
    }
    println!("{covered:?}");
    covered
}

#[test]
fn random_worlds_of_all_media_are_sound() {
    let covered = check(0..300);
    assert!(covered.built > 200, "{covered:?}");
    let parts = [
        covered.both,
        covered.traces,
        covered.boxes,
        covered.bridges,
        covered.marked,
        covered.dropped,
        covered.control,
    ];
    assert!(parts.iter().all(|n| *n >= 20), "{covered:?}");
}

/// `cargo test -p backwater-sim --test mixed -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn thousands_of_random_worlds_are_sound() {
    let covered = check(300..5_300);
    assert!(covered.built > 2_500, "{covered:?}");
}
