//! The properties of every source, and code that the tests of single sources share.

mod bounds;
mod captures;
mod laws;
mod on_off;
mod self_similar;
mod text;
mod video;

use std::sync::Arc;

use backwater_transport::part::{Args, Default, File, Kind, Part, Refusal, Value};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, PS_PER_S, Rate, Span, Time};

use super::{AnySource, Build, Demand, SOURCES, Source};

type Options = Vec<(&'static str, Value)>;

fn part(id: &str) -> &'static Part<Build> {
    SOURCES
        .iter()
        .find(|part| part.id == id)
        .expect("a row of the table")
}

/// A source from all of its options but those that may be absent.
fn make(id: &str, options: Options) -> Result<AnySource, Refusal> {
    let part = part(id);
    for option in part.options {
        let given = options.iter().any(|(name, _)| *name == option.name);
        assert!(
            given || option.default == Default::Absent,
            "{id}: {} missing",
            option.name
        );
    }
    (part.build)(&Args(options))
}

fn rate(bit_s: u64) -> (&'static str, Value) {
    ("rate", Value::Rate(Rate(bit_s)))
}

fn size(name: &'static str, bytes: u64) -> (&'static str, Value) {
    (name, Value::Bytes(Bytes(bytes)))
}

fn file(content: &[u8]) -> (&'static str, Value) {
    let content = Arc::from(content);
    (
        "file",
        Value::File(File {
            path: "trace".into(),
            content,
        }),
    )
}

fn stream(name: &str) -> Random {
    Random::stream(1, "source", name)
}

/// The next demands, at most `count`, asked for as the engine does, and checked for what it relies on.
fn take(source: &mut AnySource, start: Time, random: &mut Random, count: usize) -> Vec<Demand> {
    let mut now = start;
    let mut demands = Vec::new();
    while demands.len() < count {
        let Some(demand) = source.next(now, random) else {
            break;
        };
        assert!(demand.at >= now, "{demand:?} before {now}");
        assert!(demand.bytes > Bytes(0));
        now = demand.at;
        demands.push(demand);
    }
    demands
}

/// Bytes and number of demands in `window` from the start on, for a fresh copy and stream.
fn amount(source: &AnySource, name: &str, window: Span) -> (u64, u64) {
    let (mut source, mut random, mut now) = (source.clone(), stream(name), Time::ZERO);
    let (mut bytes, mut count) = (0, 0);
    while let Some(demand) = source.next(now, &mut random) {
        if demand.at > Time::ZERO + window {
            break;
        }
        now = demand.at;
        bytes += demand.bytes.0;
        count += 1;
    }
    (bytes, count)
}

/// Mean and its standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (variance(values) / n).sqrt())
}

fn variance(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)
}

/// Seconds between demands.
fn gaps(demands: &[Demand]) -> Vec<f64> {
    demands
        .windows(2)
        .map(|pair| pair[1].at.since(pair[0].at).seconds())
        .collect()
}

/// Whether the values follow the law at the 0.1 % level (Kolmogorov and Smirnov: 1.95/√n).
fn follows(mut values: Vec<f64>, law: impl Fn(f64) -> f64) -> bool {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let off = values.iter().enumerate().map(|(i, v)| {
        let f = law(*v);
        (f - i as f64 / n).abs().max(((i + 1) as f64 / n - f).abs())
    });
    off.fold(0.0, f64::max) < 1.95 / n.sqrt()
}

/// A source of each kind, under a load of some Mbit/s.
fn examples() -> Vec<(&'static str, AnySource)> {
    let on_off = || {
        vec![
            size("packet", 1500),
            rate(10_000_000),
            ("on", Value::Span(Span::millis(10))),
            ("off", Value::Span(Span::millis(30))),
        ]
    };
    let mut pareto_on_off = on_off();
    pareto_on_off.push(("alpha", Value::Number(1.5)));
    let mut periodic = on_off();
    periodic.extend([
        ("first", Value::Choice("off")),
        ("phase", Value::Choice("random")),
    ]);
    let batch = ("batch", Value::Count(4));
    let all = [
        ("uniform-fixed", vec![size("burst", 6000), rate(3_000_000)]),
        (
            "uniform-uniform",
            vec![size("burst", 6000), rate(3_000_000)],
        ),
        ("self-similar", self_similar::options(6000, 3_000_000)),
        ("video", video::options(0.3, "IBBPBBPBBPBB", "random")),
        (
            "video-trace",
            text::frames(b"100\n0\n300\n", true, "random"),
        ),
        (
            "cbr",
            vec![
                size("packet", 1500),
                rate(3_000_000),
                ("phase", Value::Choice("random")),
                ("jitter", Value::Share(0.0)),
            ],
        ),
        ("poisson", vec![size("packet", 1500), rate(3_000_000)]),
        (
            "batch-poisson",
            vec![batch, size("packet", 1500), rate(3_000_000)],
        ),
        ("exponential-on-off", on_off()),
        ("pareto-on-off", pareto_on_off),
        ("periodic-on-off", periodic),
        (
            "request-response",
            vec![
                ("requests", Value::Choice("open")),
                ("sizes", Value::Choice("exponential")),
                size("size", 6000),
                ("gap", Value::Span(Span::millis(16))),
                ("gaps", Value::Choice("exponential")),
            ],
        ),
        (
            "workload",
            vec![("sizes", Value::Choice("hadoop")), rate(3_000_000)],
        ),
        (
            "replay",
            text::replay(b"time_ms,size_B\n0,100\n1,200\n1,1500\n", "auto", 1.0),
        ),
    ];
    let listed = super::listed(Arc::from([0, 500, 500]), Arc::from([100, 1500, 700]));
    let mut all: Vec<_> = all
        .into_iter()
        .map(|(id, options)| (id, make(id, options).expect(id)))
        .collect();
    // All but `outside`, which demands nothing, `bulk`, which demands once, `saturated`, whose
    // station makes its demands, and `collective`, whose flows do.
    all.push(("packet-list", listed.expect("lists of equal length")));
    assert_eq!(all.len() + 4, SOURCES.len());
    all
}

#[test]
fn the_table_is_sound() {
    for (index, part) in SOURCES.iter().enumerate() {
        assert!(
            SOURCES[..index].iter().all(|other| other.id != part.id),
            "{} twice",
            part.id
        );
        assert!(!part.summary.is_empty() && !part.source.is_empty());
        for option in part.options {
            let quantity = matches!(
                option.kind,
                Kind::Span | Kind::Rate | Kind::Bytes | Kind::Count | Kind::Number
            );
            // Zero rates, negative numbers and sizes that fill the memory end here.
            assert_eq!(
                option.min.is_some(),
                quantity,
                "{} {}",
                part.id,
                option.name
            );
            if let (Kind::Choice(words), Default::Is(default)) = (option.kind, option.default) {
                assert!(words.contains(&default), "{} {}", part.id, option.name);
            }
        }
    }
}

#[test]
fn equal_streams_give_equal_demands_and_copies_carry_on() {
    for (id, source) in examples() {
        let (mut one, mut random) = (source.clone(), stream("f1"));
        let first = take(&mut one, Time(5), &mut random, 500);
        assert_eq!(
            first,
            take(&mut source.clone(), Time(5), &mut stream("f1"), 500),
            "{id}"
        );
        let (mut copy, mut again) = (one.clone(), random.clone());
        let now = first.last().expect("demands").at;
        let rest = take(&mut one, now, &mut random, 500);
        assert_eq!(rest, take(&mut copy, now, &mut again, 500), "{id}");
    }
}

#[test]
fn different_streams_are_independent() {
    for (id, source) in examples() {
        if matches!(id, "replay" | "packet-list") {
            continue;
        }
        let one = take(&mut source.clone(), Time::ZERO, &mut stream("f1"), 4000);
        let two = take(&mut source.clone(), Time::ZERO, &mut stream("f2"), 4000);
        assert_ne!(one[0].at, two[0].at, "{id}");
        // Only the phases of these are random.
        if matches!(id, "cbr" | "video" | "video-trace") {
            continue;
        }
        let ranks = |demands: &[Demand]| {
            // Without those within a batch.
            let gaps: Vec<f64> = gaps(demands).into_iter().filter(|gap| *gap > 0.0).collect();
            let (middle, _) = mean(&gaps);
            gaps.iter()
                .map(|g| if *g > middle { 1.0 } else { 0.0 })
                .collect::<Vec<f64>>()
        };
        let (a, b) = (ranks(&one), ranks(&two));
        let both: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
        let covariance = mean(&both).0 - mean(&a).0 * mean(&b).0;
        let correlation = covariance / (variance(&a) * variance(&b)).sqrt();
        // Standard error 1/√4000 = 0.016, for batches of four twice that.
        assert!(correlation.abs() < 0.11, "{id}: {correlation}");
    }
}

#[test]
fn a_demand_beyond_all_time_is_none() {
    for (id, source) in examples() {
        // 213 days less 10 ms: every source reaches the end soon, and none goes past it.
        let start = Time(u64::MAX - PS_PER_S / 100);
        let got = take(&mut source.clone(), start, &mut stream("late"), 10_000);
        assert!(got.len() < 10_000, "{id}");
    }
    // One burst in 253 years.
    let slow = make("uniform-fixed", vec![size("burst", 1_000_000_000), rate(1)]).expect("built");
    assert_eq!(slow.clone().next(Time::ZERO, &mut stream("slow")), None);
    let start = ("phase", Value::Choice("start"));
    let jitter = ("jitter", Value::Share(0.0));
    let cbr = make("cbr", vec![size("packet", 65_535), rate(1), start, jitter]).expect("cbr");
    // 524280 s for each packet: the 36th begins after the last instant, 18446744 s.
    assert_eq!(
        take(&mut cbr.clone(), Time::ZERO, &mut stream("slow"), 100).len(),
        36
    );
}

#[test]
fn a_custom_source_is_cloned_with_its_state() {
    #[derive(Clone, Debug)]
    struct Count(u64);
    impl Source for Count {
        fn next(&mut self, now: Time, _: &mut Random) -> Option<Demand> {
            self.0 += 1;
            Some(Demand {
                at: now,
                bytes: Bytes(self.0),
            })
        }
    }
    let mut source = AnySource::Custom(Box::new(Count(0)));
    let mut random = stream("custom");
    take(&mut source, Time::ZERO, &mut random, 3);
    let mut copy = source.clone();
    assert_eq!(
        take(&mut source, Time::ZERO, &mut random, 1)[0].bytes,
        Bytes(4)
    );
    assert_eq!(
        take(&mut copy, Time::ZERO, &mut random, 1)[0].bytes,
        Bytes(4)
    );
}
