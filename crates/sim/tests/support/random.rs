//! The parts of random worlds, and the properties that their runs share however they are driven.

#[path = "../../../transport/tests/support/options.rs"]
pub mod options;

use backwater_sim::queue::{QUEUES, Queue};
use backwater_sim::source::{AnySource, SOURCES};
use backwater_sim::world::{Report, World};
use backwater_transport::part::{Args, Part, Value};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Rate, Span};

/// Arguments of a part: the given ones, and the defaults of the rest.
pub fn args<B>(part: &Part<B>, given: &[(&'static str, Value)]) -> Args {
    options::fill(part.options, given)
}

/// A source by name.
pub fn source(id: &str, given: &[(&'static str, Value)]) -> AnySource {
    let part = SOURCES.iter().find(|p| p.id == id).expect("a source");
    (part.build)(&args(part, given)).expect("legal options")
}

/// Draws one of these.
pub fn one<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[random.between(0, of.len() as u64 - 1) as usize]
}

/// A random source of this mean rate.
pub fn any_source(random: &mut Random, rate: u64) -> AnySource {
    let packet = || Value::Bytes(Bytes(1500));
    let size = one(random, &[46, 300, 1500]);
    let rate = Value::Rate(Rate(rate));
    match random.between(0, 5) {
        0 => source(
            "cbr",
            &[("packet", Value::Bytes(Bytes(size))), ("rate", rate)],
        ),
        1 => source(
            "poisson",
            &[("packet", Value::Bytes(Bytes(size))), ("rate", rate)],
        ),
        2 => source(
            "batch-poisson",
            &[
                ("batch", Value::Count(8)),
                ("packet", packet()),
                ("rate", rate),
            ],
        ),
        3 => source(
            "uniform-uniform",
            &[
                ("burst", Value::Bytes(Bytes(one(random, &[6_000, 24_000])))),
                ("rate", rate),
            ],
        ),
        4 => source(
            "self-similar",
            &[("burst", Value::Bytes(Bytes(6_000))), ("rate", rate)],
        ),
        _ => source(
            "exponential-on-off",
            &[
                ("packet", packet()),
                ("rate", rate),
                ("on", Value::Span(Span::millis(2))),
                ("off", Value::Span(Span::millis(6))),
            ],
        ),
    }
}

/// Plain schedulers, or any queue at all; with thresholds that a small network crosses.
pub fn any_queue(random: &mut Random, classes: u64, managed: bool) -> Queue {
    let last = if managed { QUEUES.len() as u64 - 1 } else { 3 };
    let part = &QUEUES[random.between(0, last) as usize];
    // A queue that counts whole milliseconds takes no less.
    let targets = match part.id {
        "codel-mahimahi" => [1_000, 2_000],
        _ => [50, 500],
    };
    let target = Span::micros(one(random, &targets));
    let small = [
        ("classes", Value::Count(classes)),
        (
            "target",
            match part.id {
                "qcn" => Value::Bytes(Bytes(2_000)),
                _ => Value::Span(target),
            },
        ),
        ("sample", Value::Bytes(Bytes(3_000))),
        ("interval", Value::Span(Span::millis(one(random, &[1, 4])))),
        ("mtu", Value::Bytes(Bytes(one(random, &[0, 1_518])))),
        ("flows", Value::Count(one(random, &[2, 16]))),
        ("reference", Value::Span(Span::millis(one(random, &[1, 2])))),
        ("max_burst", Value::Span(Span::millis(1))),
        (
            "period",
            Value::Span(Span::micros(one(random, &[200, 900]))),
        ),
        (
            "delay",
            Value::Choice(one(random, &["sojourn", "departure-rate"])),
        ),
        ("min", Value::Bytes(Bytes(2_000))),
        ("max", Value::Bytes(Bytes(12_000))),
        ("weight", Value::Number(one(random, &[0.01, 1.0]))),
        ("ramp_from", Value::Span(Span::micros(50))),
        (
            "hosts",
            Value::Choice(one(random, &["ignored", "source", "destination"])),
        ),
    ];
    let has = |name: &str| part.options.iter().any(|o| o.name == name);
    let given: Vec<_> = small.into_iter().filter(|(name, _)| has(name)).collect();
    (part.build)(&args(part, &given)).expect("legal options")
}

/// Runs to the end; no packet is missing.
pub fn finished(mut world: World) -> Report {
    world.advance(world.end());
    let report = world.report();
    assert!(report.conserved);
    report
}

/// The results that two runs of one scenario share.
pub fn same(a: &Report, b: &Report, what: &str, number: u64) {
    let of = |r: &Report| {
        let flows: Vec<_> = r
            .flows
            .iter()
            .map(|f| {
                (
                    f.sums.entered,
                    f.sums.delivered,
                    f.sums.dropped,
                    f.sums.marked,
                    f.sums.sum,
                    f.sums.max,
                    f.victims,
                    f.hops.iter().map(|h| h.count).collect::<Vec<_>>(),
                )
            })
            .collect();
        let ports: Vec<_> = r
            .ports
            .iter()
            .map(|p| &p.count)
            .map(|c| {
                (
                    c.packets,
                    c.bytes,
                    c.control,
                    c.area,
                    c.max_bytes,
                    c.marked,
                    c.victims,
                    c.stall,
                    c.closed,
                )
            })
            .collect();
        let drops: Vec<_> = r.drops.iter().map(|d| (d.key, d.count)).collect();
        let connections: Vec<_> = r
            .connections
            .iter()
            .map(|c| {
                let s = &c.stats;
                let counts = [c.delivered, c.retransmitted, c.segments, s.rtt_count];
                (counts, s.rtt_sum, s.rtt_min, s.window_area, s.completed)
            })
            .collect();
        let stations: Vec<_> = r
            .stations
            .iter()
            .map(|s| {
                let counts = [s.frames, s.attempts, s.failures, s.internal, s.retry_drops];
                (s.airtime, s.busy, counts)
            })
            .collect();
        (
            connections,
            stations,
            r.entered,
            r.delivered,
            r.dropped,
            r.held,
            r.control,
            flows,
            ports,
            drops,
            r.deadlock.clone(),
        )
    };
    assert_eq!(of(a), of(b), "network {number}, {what}");
    assert_eq!(a.fingerprint, b.fingerprint, "network {number}, {what}");
}
