//! Options as a person writes them, for tests of crates that may not see the scenario's reader.

use backwater_transport::part::{Args, Default, Kind, Opt, Value};
use backwater_transport::units::{Bytes, Rate, Span};

/// Arguments of a part: these, and the defaults of the rest.
pub fn fill(options: &[Opt], given: &[(&'static str, Value)]) -> Args {
    for (name, _) in given {
        assert!(options.iter().any(|o| o.name == *name), "no option {name}");
    }
    let arguments = options.iter().filter_map(|option| {
        let written = given.iter().find(|(name, _)| *name == option.name);
        match (written, option.default) {
            (Some(given), _) => Some(given.clone()),
            (None, Default::Is(text)) => Some((option.name, value(option, text))),
            (None, Default::Absent) => None,
            // Any value does; the least is there for each.
            (None, Default::Required) => {
                let least = option
                    .min
                    .unwrap_or_else(|| panic!("{} must be given", option.name));
                Some((option.name, value(option, least)))
            }
        }
    });
    Args(arguments.collect())
}

/// The same from text.
pub fn read(options: &[Opt], given: &[(&str, &str)]) -> Args {
    let values: Vec<_> = given
        .iter()
        .map(|(name, text)| {
            let option = options.iter().find(|o| o.name == *name);
            let option = option.unwrap_or_else(|| panic!("no option {name}"));
            (option.name, value(option, text))
        })
        .collect();
    fill(options, &values)
}

/// A quantity; enough of the scenario's grammar for defaults and bounds.
pub fn value(option: &Opt, text: &str) -> Value {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let number = || number.parse::<f64>().expect(text);
    let scaled = |units: &[(&str, f64)]| {
        let scale = units.iter().find(|(name, _)| *name == unit);
        let (_, scale) = scale.unwrap_or_else(|| panic!("{}: unit of {text:?}", option.name));
        number() * scale
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
        Kind::Metres => Value::Number(scaled(&[("m", 1.0)])),
        Kind::Decibels => Value::Number(scaled(&[("dB", 1.0)])),
        Kind::Dbm => Value::Number(scaled(&[("dBm", 1.0)])),
        Kind::Count => Value::Count(text.parse().expect(text)),
        Kind::Number => Value::Number(number()),
        Kind::Flag => Value::Flag(text.parse().expect(text)),
        Kind::Choice(words) => {
            let word = words.iter().find(|w| **w == text);
            Value::Choice(word.expect("a word of the choice"))
        }
        Kind::File | Kind::Text | Kind::Table | Kind::Series => {
            panic!("{}: nothing of the kind has a default", option.name)
        }
    }
}
