//! Sources alone, by what they draw and what they refuse.

use backwater_sim::source::{AnySource, SOURCES, Source, listed};
use backwater_transport::part::{File, Refusal, Value};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span, Time};

use crate::options::fill;
use crate::traces::rate;

pub fn source(id: &str, given: &[(&'static str, Value)]) -> Result<AnySource, Refusal> {
    let row = SOURCES.iter().find(|row| row.id == id).expect("a row");
    (row.build)(&fill(row.options, given))
}

/// Sizes of a file are drawn with equal probability: each of three 1,000 times in 3,000, with a
/// deviation of 26.
#[test]
fn every_size_of_a_file_comes_as_often() {
    let file = File {
        path: "sizes.txt".into(),
        content: b"100\n200\n300\n".as_slice().into(),
    };
    let given = [
        ("requests", Value::Choice("open")),
        ("gap", Value::Span(Span::millis(1))),
        ("sizes", Value::Choice("file")),
        ("file", Value::File(file)),
    ];
    let mut source = source("request-response", &given).expect("legal options");
    let mut random = Random::stream(1, "models", "sizes");
    let (mut now, mut counts) = (Time::ZERO, [0u64; 3]);
    for _ in 0..3_000 {
        let demand = source.next(now, &mut random).expect("it goes on");
        now = demand.at;
        let place = [100, 200, 300]
            .map(Bytes)
            .iter()
            .position(|size| *size == demand.bytes);
        counts[place.expect("a size of the file")] += 1;
    }
    assert!(
        counts.iter().all(|n| n.abs_diff(1_000) < 5 * 26),
        "{counts:?}"
    );
}

/// A bit per second at 25 frames per second is less than a byte for every kind of frame, and the
/// refusal says so.
#[test]
fn frames_of_less_than_a_byte_are_said_to_have_none() {
    let given = [("rate", rate(1)), ("fps", Value::Number(25.0))];
    let refusal = source("video", &given).expect_err("refused");
    assert_eq!(refusal.option, "rate");
    assert!(refusal.what.contains("0 to 0 B"), "{}", refusal.what);
}

/// With the shape 1/2 and a greatest burst of k² bytes the mean is k times the least: bursts of a
/// byte at least have a mean of k, and no smaller one.
#[test]
fn the_least_burst_may_be_one_byte() {
    for k in [2, 4, 5] {
        let build = |burst| {
            let given = [
                ("burst", Value::Bytes(Bytes(burst))),
                ("burst_max", Value::Bytes(Bytes(k * k))),
                ("alpha_burst", Value::Number(0.5)),
                ("rate", rate(1_000_000)),
            ];
            source("self-similar", &given)
        };
        assert!(build(k).is_ok(), "{k}");
        assert_eq!(build(k - 1).expect_err("refused").option, "burst");
    }
}

/// One process of bursts is enough for demands. The instants of a list may be equal and do not go back.
#[test]
fn few_instants_are_enough() {
    let given = [
        ("burst", Value::Bytes(Bytes(6_000))),
        ("rate", rate(1_000_000)),
        ("sources", Value::Count(1)),
    ];
    let mut one = source("self-similar", &given).expect("legal options");
    let mut random = Random::stream(1, "models", "one");
    assert!(one.next(Time::ZERO, &mut random).is_some());
    let bytes = || [9].as_slice().into();
    assert!(listed([3, 3].as_slice().into(), bytes()).is_ok());
    let refused = listed([3, 2].as_slice().into(), bytes()).expect_err("refused");
    assert_eq!(refused.0, "at_us");
}
