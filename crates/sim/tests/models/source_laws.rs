//! What sources draw and which transfers collectives make, by their laws, and the bounds of both.

use backwater_sim::source::{AnySource, Demand, SOURCES, Source, Step, steps};
use backwater_transport::part::{File, Value};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span, Time};

use crate::options::fill;
use crate::sources::source;
use crate::traces::rate;

const LARGEST: u64 = 1_000_000_000;

fn size(name: &'static str, bytes: u64) -> (&'static str, Value) {
    (name, Value::Bytes(Bytes(bytes)))
}

fn choice(name: &'static str, of: &'static str) -> (&'static str, Value) {
    (name, Value::Choice(of))
}

/// The first demands of a source.
pub fn demands(source: &mut AnySource, count: usize) -> Vec<Demand> {
    let mut random = Random::stream(1, "models", "laws");
    let mut now = Time::ZERO;
    let mut next = || {
        let demand = source.next(now, &mut random)?;
        now = demand.at;
        Some(demand)
    };
    (0..count).map_while(|_| next()).collect()
}

/// Requests of Pareto sizes of mean 100 kB: none is below 1 - 1/alpha of the mean, and of 4,000 one is within a hundredth of it.
#[test]
fn sizes_of_requests_have_the_exponent_that_is_written() {
    for (alpha, least) in [(None, 100_000.0 / 3.0), (Some(3.0), 200_000.0 / 3.0)] {
        let mut given = vec![
            choice("sizes", "pareto"),
            size("size", 100_000),
            ("gap", Value::Span(Span::millis(1))),
        ];
        given.extend(alpha.map(|alpha| ("alpha", Value::Number(alpha))));
        let mut source = source("request-response", &given).expect("legal options");
        let all = demands(&mut source, 4_000);
        let found = all.iter().map(|one| one.bytes.0).min().expect("some") as f64;
        assert!((found / least - 1.0).abs() < 0.01, "{found} {least}");
    }
    let other = [
        choice("sizes", "exponential"),
        size("size", 100),
        ("gap", Value::Span(Span::millis(1))),
        ("alpha", Value::Number(3.0)),
    ];
    let refusal = source("request-response", &other).expect_err("refused");
    assert_eq!(refusal.option, "alpha");
}

/// Exponential sizes of mean 1 B are below half a byte in four of ten draws, and count as a byte. Those of mean 1,000 MB are above the largest in
/// four of ten.
#[test]
fn sizes_of_requests_are_bounded() {
    let sizes = |mean: u64| {
        let given = [
            choice("sizes", "exponential"),
            size("size", mean),
            ("gap", Value::Span(Span::millis(1))),
        ];
        let mut source = source("request-response", &given).expect("legal options");
        let all = demands(&mut source, 200);
        let all: Vec<u64> = all.iter().map(|one| one.bytes.0).collect();
        all
    };
    assert_eq!(sizes(1).into_iter().min(), Some(1));
    assert_eq!(sizes(LARGEST).into_iter().max(), Some(LARGEST));
}

/// Two seconds on and six off in the mean: a quarter of the flows begin on, and send within the first interval of a millisecond. Of 2,000 that
/// is 500, with a deviation of 19.
#[test]
fn flows_begin_on_as_often_as_they_are_on() {
    let given = [
        size("packet", 125),
        ("rate", rate(1_000_000)),
        ("on", Value::Span(Span::secs(2))),
        ("off", Value::Span(Span::secs(6))),
    ];
    let mut random = Random::stream(1, "models", "on");
    let begins_on = |_: &u32| {
        let mut source = source("exponential-on-off", &given).expect("legal options");
        let first = source.next(Time::ZERO, &mut random).expect("a packet");
        first.at <= Time(Span::millis(1).0)
    };
    let on = (0..2_000).filter(begins_on).count();
    assert!(on.abs_diff(500) < 100, "{on}");
}

/// Closed requests and collectives wait for a transport; open requests do not. Only a Poisson process forgets.
#[test]
fn sources_say_what_they_wait_for() {
    for (requests, waits) in [("open", false), ("closed", true)] {
        let given = [
            choice("requests", requests),
            choice("sizes", "fixed"),
            size("size", 100),
            ("gap", Value::Span(Span::millis(1))),
        ];
        let source = source("request-response", &given).expect("legal options");
        assert_eq!((source.needs_transport(), source.waits()), (waits, waits));
    }
    let collective = source("collective", &[]).expect("legal options");
    assert!(collective.needs_transport() && collective.waits());
    let packets = [size("packet", 100), ("rate", rate(1_000))];
    for (id, forgets) in [("poisson", true), ("cbr", false)] {
        let source = source(id, &packets).expect("legal options");
        assert_eq!(source.forgets(), forgets, "{id}");
    }
}

/// A transfer within a picosecond begins at the flow's start or a picosecond later. One that begins at once and has an end is known beforehand.
#[test]
fn a_transfer_begins_at_any_instant_of_its_span() {
    let within = |span: u64| ("within", Value::Span(Span(span)));
    let mut random = Random::stream(1, "models", "bulk");
    let mut begins = [0; 2];
    for _ in 0..60 {
        let mut source = source("bulk", &[size("size", 9), within(1)]).expect("legal options");
        let demand = source.next(Time::ZERO, &mut random).expect("a transfer");
        begins[demand.at.0 as usize] += 1;
    }
    assert!(begins.iter().all(|times| *times > 10), "{begins:?}");
    for (given, only) in [
        (vec![size("size", 9)], Some(Bytes(9))),
        (vec![size("size", 9), within(1)], None),
        (vec![], None),
    ] {
        let source = source("bulk", &given).expect("legal options");
        assert_eq!(source.only_transfer(), only);
    }
}

/// A packet each millisecond, 3 ms on and 2 ms off: the packet that would come as the period ends does not.
#[test]
fn a_period_ends_before_the_packet_at_its_end() {
    let given = [
        size("packet", 125),
        ("rate", rate(1_000_000)),
        ("on", Value::Span(Span::millis(3))),
        ("off", Value::Span(Span::millis(2))),
    ];
    let mut source = source("periodic-on-off", &given).expect("legal options");
    let at: Vec<u64> = demands(&mut source, 7)
        .iter()
        .map(|one| one.at.0 / Span::millis(1).0)
        .collect();
    assert_eq!(at, [0, 1, 2, 5, 6, 7, 10]);
}

/// A size of a file may be as large as a demand may be, and not larger.
#[test]
fn sizes_of_a_file_are_bounded() {
    for (bytes, legal) in [(LARGEST, true), (LARGEST + 1, false)] {
        let file = File {
            path: "sizes.txt".into(),
            content: format!("{bytes}\n").as_bytes().into(),
        };
        let given = [
            choice("sizes", "file"),
            ("file", Value::File(file)),
            ("gap", Value::Span(Span::millis(1))),
        ];
        assert_eq!(source("request-response", &given).is_ok(), legal, "{bytes}");
    }
}

/// A trace of two packets: its own times are exact, also where a float has too few bits for them, and twice as long at a scale of two. A packet may
/// be as large as a demand may be.
#[test]
fn traces_are_played_at_their_times() {
    let trace = |scale: f64, bytes: u64| {
        let file = File {
            path: "trace.csv".into(),
            content: format!("time_s,size_B\n0,9\n20000.000000000001,{bytes}\n")
                .as_bytes()
                .into(),
        };
        let given = [("file", Value::File(file)), ("scale", Value::Number(scale))];
        source("replay", &given)
    };
    let last = |scale: f64| {
        let all = demands(&mut trace(scale, LARGEST).expect("a trace"), 3);
        all.last().map(|one| (one.at.0, one.bytes.0))
    };
    let end = 20_000_000_000_000_001;
    assert_eq!(last(1.0), Some((end, LARGEST)));
    let twice = last(2.0).expect("a packet").0;
    assert!(twice.abs_diff(2 * end) < 10, "{twice}");
    assert!(trace(1.0, LARGEST + 1).is_err());
}

/// Frames of one kind, 25 a second, with scenes of this length and no other variation, at a mean of so many bytes.
fn video(mean: u64, scene: u64, sigma: f64) -> Option<AnySource> {
    scenes(mean, scene, sigma, 0.35)
}

/// The same with this deviation of scenes.
fn scenes(mean: u64, scene: u64, sigma: f64, between: f64) -> Option<AnySource> {
    let given = [
        ("rate", rate(mean * 8 * 25)),
        ("fps", Value::Number(25.0)),
        choice("gop", "I"),
        ("sigma", Value::Number(sigma)),
        ("scene", Value::Span(Span::secs(scene))),
        ("scene_sigma", Value::Number(between)),
    ];
    source("video", &given).ok()
}

/// A scene of two seconds has 50 frames in the mean: of 20,000 frames 400 begin one, with a deviation of 20. The logarithm of its factor has a
/// deviation of 0.35, and a mean of minus half of its square. In a scene that does not end all frames have one factor.
#[test]
fn scenes_change_the_size_of_frames() {
    let mut source = video(1_000_000, 2, 0.0).expect("legal options");
    let sizes: Vec<f64> = demands(&mut source, 20_000)
        .iter()
        .map(|one| one.bytes.0 as f64 / 1e6)
        .collect();
    let begun: Vec<f64> = sizes
        .windows(2)
        .filter(|pair| (pair[0] - pair[1]).abs() > 1e-9)
        .map(|pair| pair[1].ln())
        .collect();
    let n = begun.len() as f64;
    assert!((n - 400.0).abs() < 100.0, "{n}");
    let mean = begun.iter().sum::<f64>() / n;
    let squares = begun.iter().map(|ln| (ln - mean).powi(2)).sum::<f64>();
    assert!((mean + 0.35 * 0.35 / 2.0).abs() < 0.08, "{mean}");
    assert!(((squares / n).sqrt() - 0.35).abs() < 0.06);
    let mut long = video(1_000_000, 1_000_000, 0.0).expect("legal options");
    let sizes = demands(&mut long, 100);
    assert!(sizes.iter().all(|one| one.bytes == sizes[0].bytes));
    assert_ne!(sizes[0].bytes, Bytes(1_000_000));
    let mut wide = scenes(1_000_000, 1, 0.0, 1.0).expect("legal options");
    let sizes = demands(&mut wide, 1_000);
    assert!(sizes.iter().any(|one| one.bytes != sizes[0].bytes));
}

/// Frames of the least mean, 64 B, vary down to a byte. Means go up to the largest demand.
#[test]
fn frames_of_video_are_bounded() {
    let mut small = video(64, 10, 1.0).expect("legal options");
    let least = demands(&mut small, 4_000).iter().map(|one| one.bytes).min();
    assert_eq!(least, Some(Bytes(1)));
    assert!(video(LARGEST, 10, 0.3).is_some());
    assert!(video(LARGEST + 1, 10, 0.3).is_none());
    assert!(video(4 * LARGEST, 10, 0.3).is_none());
}

fn collective(algorithm: &'static str, bytes: u64, ranks: usize, pieces: Option<u64>) -> Vec<Step> {
    let row = SOURCES.iter().find(|row| row.id == "collective");
    let mut given = vec![choice("algorithm", algorithm), size("size", bytes)];
    given.extend(pieces.map(|pieces| ("pieces", Value::Count(pieces))));
    let args = fill(row.expect("a row").options, &given);
    steps(&args, ranks).expect("as many ranks as it takes")
}

/// Two pieces of each half are quarters. A part of one byte is a byte.
#[test]
fn pieces_are_equal_parts() {
    for step in collective("tree", 1_000, 4, Some(2)) {
        assert_eq!(step.sizes, [250, 250]);
    }
    let ring = collective("ring", 1, 4, None);
    assert!(ring.iter().all(|step| step.sizes == [1; 6]));
}

/// Each rank of an even number has something to add in one tree, and only sends in the other. What goes up from a rank waits for all that comes
/// up to it.
#[test]
fn who_is_a_leaf_of_one_tree_is_none_of_the_other() {
    for ranks in [2, 4, 6, 8, 14] {
        let all = collective("tree", 64_000, ranks, None);
        let edges = ranks - 1;
        let trees = [0, 2 * edges].map(|first| {
            let up = first..first + edges;
            let into = |rank: usize| up.clone().filter(|n| all[*n].to == rank).collect();
            for n in up.clone() {
                let below: Vec<usize> = into(all[n].from);
                let mut after = all[n].after.clone();
                after.sort_unstable();
                assert_eq!(after, below, "{ranks} ranks, flow {n}");
            }
            let inner = |rank: &usize| !Vec::<usize>::is_empty(&into(*rank));
            (0..ranks).filter(inner).collect::<Vec<usize>>()
        });
        // The second tree is the first from the other end.
        for (first, second) in all[..edges].iter().zip(&all[2 * edges..]) {
            assert_eq!(second.from, ranks - 1 - first.from);
        }
        let mut both: Vec<usize> = trees.concat();
        both.sort_unstable();
        assert!(both.into_iter().eq(0..ranks), "{ranks}: {trees:?}");
    }
}

/// Pairs exchange: in each step but the first a rank waits for what it received in the step before.
#[test]
fn a_rank_waits_for_its_partner_of_the_step_before() {
    let all = collective("recursive-doubling", 1_000, 8, None);
    for step in &all {
        assert_eq!(step.after.len(), usize::from(step.number > 0));
        for before in &step.after {
            let before = &all[*before];
            assert_eq!((before.to, before.number + 1), (step.from, step.number));
        }
    }
}
