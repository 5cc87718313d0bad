//! Controllers from their rows, with options as a person writes them.

use backwater_transport::controller::{Ack, AnyController, CONTROLLERS, Setup};
use backwater_transport::part::{Args, Default, Kind, Opt, Refusal, Value};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Rate, Span, Time};

/// Payload of a full segment in all these tests.
pub const MSS: u64 = 1448;

/// The controller `id` with defaults, but for these options.
pub fn build(id: &str, options: &[(&str, &str)]) -> AnyController {
    try_build(id, options).unwrap_or_else(|r| panic!("{id}: {r:?}"))
}

fn try_build(id: &str, options: &[(&str, &str)]) -> Result<AnyController, Refusal> {
    let row = CONTROLLERS.iter().find(|r| r.id == id).expect(id);
    for (name, _) in options {
        assert!(
            row.options.iter().any(|o| o.name == *name),
            "{id} has no {name}"
        );
    }
    let args = row.options.iter().filter_map(|option| {
        let written = options.iter().find(|(name, _)| *name == option.name);
        let text = match (written, option.default) {
            (Some((_, text)), _) => *text,
            (None, Default::Is(text)) => text,
            (None, Default::Absent) => return None,
            (None, Default::Required) => panic!("{id} needs {}", option.name),
        };
        Some((option.name, value(option, text)))
    });
    let setup = Setup {
        mss: MSS,
        frame: MSS + 66,
        initial: 10 * MSS,
        random: Random::stream(1, "controller", id),
    };
    (row.build)(&Args(args.collect()), &setup)
}

/// A quantity; enough of the scenario's grammar for defaults and bounds.
pub fn value(option: &Opt, text: &str) -> Value {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let scaled = |units: &[(&str, f64)]| {
        let scale = units.iter().find(|(name, _)| *name == unit);
        let (_, scale) = scale.unwrap_or_else(|| panic!("{}: unit of {text:?}", option.name));
        number.parse::<f64>().expect(text) * scale
    };
    match option.kind {
        Kind::Span => Value::Span(Span::from_seconds(scaled(&[
            ("s", 1.0),
            ("ms", 1e-3),
            ("us", 1e-6),
            ("ns", 1e-9),
        ]))),
        Kind::Rate => Value::Rate(Rate(scaled(&[
            ("bit/s", 1.0),
            ("kbit/s", 1e3),
            ("Mbit/s", 1e6),
            ("Gbit/s", 1e9),
        ]) as u64)),
        Kind::Bytes => Value::Bytes(Bytes(scaled(&[("B", 1.0), ("kB", 1e3), ("MB", 1e6)]) as u64)),
        Kind::Packets => Value::Packets(scaled(&[("packets", 1.0)]) as u64),
        Kind::Share => Value::Share(scaled(&[("%", 0.01)])),
        Kind::Count => Value::Count(text.parse().expect(text)),
        Kind::Number => Value::Number(text.parse().expect(text)),
        Kind::Flag => Value::Flag(text.parse().expect(text)),
        Kind::Choice(words) => Value::Choice(
            words
                .iter()
                .find(|w| **w == text)
                .expect("a word of the choice"),
        ),
        Kind::Metres | Kind::Decibels | Kind::Dbm => panic!("no controller has a place on earth"),
        Kind::File => panic!("no controller reads a file"),
    }
}

#[test]
fn every_row_can_be_built_at_its_defaults_and_at_its_bounds() {
    for row in CONTROLLERS {
        assert!(
            !row.summary.is_empty() && !row.source.is_empty(),
            "{}",
            row.id
        );
        build(row.id, &[]);
        for option in row.options {
            let words: &[&str] = match option.kind {
                Kind::Choice(words) => words,
                _ => &[],
            };
            for text in words.iter().copied().chain(option.min).chain(option.max) {
                // Bounds that contradict another option's default are refused, never a panic.
                try_build(row.id, &[(option.name, text)]).ok();
            }
        }
    }
}

/// An acknowledgement that tells of nothing but the bytes in flight.
pub fn quiet_ack(now: Time, in_flight: u64) -> Ack<'static> {
    Ack {
        now,
        acked: 0,
        acked_segments: 0,
        lost: 0,
        marked: 0,
        delivered: 0,
        prior_in_flight: in_flight,
        in_flight,
        rtt: None,
        srtt: Span::ZERO,
        min_rtt: Span::MAX,
        one_way: None,
        rate: None,
        round: 0,
        round_start: false,
        cwnd_limited: true,
        recovering: false,
        sent: 0,
        number: 0,
        feedback: None,
    }
}

/// A controller and what it is to be called in messages, for every row and every word of every
/// choice.
pub fn all() -> Vec<(String, AnyController)> {
    let mut list = Vec::new();
    for row in CONTROLLERS {
        list.push((row.id.to_owned(), build(row.id, &[])));
        for option in row.options {
            let others = |words: &[&'static str]| {
                words
                    .iter()
                    .copied()
                    .filter(|w| option.default != Default::Is(w))
                    .collect::<Vec<_>>()
            };
            let words = match option.kind {
                Kind::Choice(words) => others(words),
                Kind::Flag => others(&["true", "false"]),
                _ => Vec::new(),
            };
            for word in words {
                let name = format!("{} {}={word}", row.id, option.name);
                list.push((name, build(row.id, &[(option.name, word)])));
            }
        }
    }
    list
}
