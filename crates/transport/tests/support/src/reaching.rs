//! Whether a number that is written as an option reaches the part that is built, unchanged.

use std::fmt::Debug;

use backwater_transport::part::{Kind, Opt, Refusal, Value};
use backwater_transport::units::{Bytes, Rate, Span};

use crate::options;

/// Payload of a full segment, for what a part holds in bytes.
pub const MSS: u64 = 1448;

/// Numbers that parts have nowhere else.
fn candidates(kind: Kind) -> Vec<Value> {
    let wholes = [37, 23, 173, 11, 7, 5, 3, 12_347, 123_457, 1_234_577];
    let numbers = [0.3719, 3.719, 37.19, 1.3719, 0.037_19, 371.9];
    let count = wholes.iter().copied();
    match kind {
        Kind::Span => [12.345, 1.234, 123.45, 1234.5, 0.1234, 12_345.0, 345_670.0]
            .map(|ms| Value::Span(Span::from_seconds(ms / 1e3)))
            .to_vec(),
        Kind::Rate => [1_234_577, 123_457, 12_345_679, 123_456_791]
            .map(|n| Value::Rate(Rate(n)))
            .to_vec(),
        Kind::Bytes => [12_347, 1237, 123_457, 37, 1_234_577]
            .map(|n| Value::Bytes(Bytes(n)))
            .to_vec(),
        Kind::Packets => count.map(Value::Packets).collect(),
        Kind::Count => count.map(Value::Count).collect(),
        Kind::Share => [0.37, 0.73, 0.13, 0.07, 0.93].map(Value::Share).to_vec(),
        Kind::Number | Kind::Metres | Kind::Decibels | Kind::Dbm => {
            numbers.map(Value::Number).to_vec()
        }
        Kind::Flag | Kind::Choice(_) | Kind::File | Kind::Text | Kind::Table | Kind::Series => {
            Vec::new()
        }
    }
}

/// A value in the units that a part may hold it in.
fn figures(value: &Value) -> Vec<f64> {
    match value {
        Value::Span(span) => vec![span.0 as f64, span.seconds(), span.seconds() * 1e3],
        Value::Rate(Rate(bits)) => [1.0, 0.125, 1e-6].map(|unit| *bits as f64 * unit).to_vec(),
        Value::Packets(n) => [1.0, MSS as f64].map(|unit| *n as f64 * unit).to_vec(),
        Value::Bytes(Bytes(n)) | Value::Count(n) => vec![*n as f64],
        Value::Share(x) => vec![*x, x * 100.0, 1.0 - x],
        Value::Number(x) => vec![*x],
        other => panic!("no number: {other:?}"),
    }
}

/// The numbers in a part's text.
fn numbers(text: &str) -> Vec<f64> {
    let digit = |c: char| c.is_ascii_digit() || ".e-".contains(c);
    let words = text.split(|c| !digit(c));
    words.filter_map(|word| word.parse().ok()).collect()
}

fn holds(text: &str, value: &Value) -> bool {
    let found = numbers(text);
    let same = |x: f64| found.iter().any(|y| (y / x - 1.0).abs() < 1e-9);
    figures(value).into_iter().any(same)
}

fn bounded(option: &Opt, value: &Value) -> bool {
    let bound = |text| figures(&options::value(option, text))[0];
    let figure = figures(value)[0];
    option.min.is_none_or(|min| bound(min) <= figure)
        && option.max.is_none_or(|max| figure <= bound(max))
}

/// The options with a number whose value can't be found in the part, once they are written. `besides` are options
/// of this part that must be written, too.
pub fn lost<T: Debug>(
    part: &[Opt],
    besides: &[(&str, &str)],
    build: impl Fn(&[(&'static str, Value)]) -> Result<T, Refusal>,
) -> Vec<&'static str> {
    let given: Vec<(&'static str, Value)> = part
        .iter()
        .filter_map(|option| {
            let (_, text) = besides.iter().find(|(name, _)| *name == option.name)?;
            Some((option.name, options::value(option, text)))
        })
        .collect();
    let usual = build(&given)
        .map(|made| format!("{made:?}"))
        .unwrap_or_default();
    let arrives = |option: &Opt| {
        let mut legal = candidates(option.kind);
        legal.retain(|value| bounded(option, value) && !holds(&usual, value));
        let built = legal.into_iter().find_map(|value| {
            let mut all = given.clone();
            all.retain(|(name, _)| *name != option.name);
            all.push((option.name, value.clone()));
            Some((build(&all).ok()?, value))
        });
        built.is_some_and(|(made, value)| holds(&format!("{made:?}"), &value))
    };
    let numeric = part.iter().filter(|one| !candidates(one.kind).is_empty());
    numeric
        .filter(|one| !arrives(one))
        .map(|one| one.name)
        .collect()
}
