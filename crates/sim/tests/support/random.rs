//! The parts of random worlds, and the properties that their runs share however they are driven.

use backwater_sim::queue::{QUEUES, Queue};
use backwater_sim::record::delays::Delays;
use backwater_sim::source::{AnySource, SOURCES};
use backwater_sim::world::{Report, World};
use backwater_transport::part::{Args, Part, Value};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Rate, Span};
pub use backwater_transport_testing::options;

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

/// All that a report says, a line each. Distributions are told by their counts and quantiles, since what they have not counted yet may lie
/// apart.
pub fn told(report: &Report) -> String {
    let mut report = report.clone();
    let mut more = Vec::new();
    let mut tell = |delays: &mut Delays| {
        let delays = std::mem::take(delays);
        let quantiles = [0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0].map(|q| delays.quantile(q));
        more.push((delays.len(), quantiles, delays.mean()));
    };
    let flows = report.flows.iter_mut().map(|row| &mut row.sums);
    let sums = flows.chain(&mut report.classes).chain([&mut report.all]);
    sums.for_each(|sums| tell(&mut sums.delay));
    for row in &mut report.connections {
        tell(&mut row.stats.rtt);
        tell(&mut row.stats.completion);
        row.stats.slowdown.iter_mut().for_each(&mut tell);
    }
    format!("{report:#?}\n{more:#?}")
}

/// Two runs of one scenario have the same results.
#[track_caller]
pub fn same(a: &Report, b: &Report, what: &str, number: u64) {
    let (a, b) = (told(a), told(b));
    if a == b {
        return;
    }
    let (a, b): (Vec<&str>, Vec<&str>) = (a.lines().collect(), b.lines().collect());
    let at = a.iter().zip(&b).position(|(a, b)| a != b);
    let at = at.unwrap_or(a.len().min(b.len()));
    let around =
        |lines: &[&str]| lines[at.saturating_sub(12)..(at + 2).min(lines.len())].join("\n");
    panic!(
        "network {number}, {what}:\n{}\n--- but ---\n{}",
        around(&a),
        around(&b)
    );
}
