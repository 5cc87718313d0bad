//! Options of parts: a table of the scenario against the part's own list of options. Nothing here
//! knows a part by name.

mod bounds;

use std::sync::Arc;

use backwater_transport::part::{Args, Default, Kind, Opt, Value as Checked};

use serde_json::{Value as Json, json};

use crate::diagnostic::{Diagnostic, Fault};
use crate::files::Files;
use crate::packed;
use crate::tree::{Node, Value, join};
use crate::units::{self, Dimension};
use bounds::bounded;

/// Checks a table against a list of options. Names in `besides` are allowed, too, and not read. `preset`
/// gives values, as a person would write them, that hold instead of the options' own defaults.
pub fn decode(
    table: &Node,
    options: &'static [Opt],
    preset: &[(&str, &str)],
    besides: &[&str],
    files: &mut Files<'_>,
) -> Result<Args, Diagnostic> {
    for entry in table.table()? {
        let known =
            options.iter().any(|o| o.name == entry.key) || besides.contains(&entry.key.as_str());
        if !known {
            let valid = besides
                .iter()
                .copied()
                .chain(options.iter().map(|o| o.name));
            return Err(unknown(&entry.key, &table.path, valid).at(&entry.origin));
        }
    }
    let mut args = Vec::new();
    for option in options {
        let value = match (
            table.get(option.name),
            preset.iter().find(|(name, _)| *name == option.name),
        ) {
            (Some(node), _) => Some(value(node, option, files)?),
            (None, Some((_, written))) => Some(default(option, written)),
            (None, None) => match option.default {
                Default::Is(written) => Some(default(option, written)),
                Default::Absent => None,
                Default::Required => {
                    return Err(table.refuse(missing(
                        option.name,
                        option.help,
                        &example(option),
                        &table.path,
                    )));
                }
            },
        };
        args.extend(value.map(|v| (option.name, v)));
    }
    Ok(Args(args))
}

/// The refusal of a name that is not in a table.
pub fn unknown<'a>(name: &str, path: &str, valid: impl IntoIterator<Item = &'a str>) -> Fault {
    let within = if path.is_empty() {
        String::new()
    } else {
        format!(" in `{path}`")
    };
    Fault::unknown(format!("unknown field `{name}`{within}"), name, valid)
}

/// The refusal of a table that lacks a name.
pub fn missing(name: &str, help: &str, example: &str, path: &str) -> Fault {
    let what = format!(
        "`{}` is missing: {}",
        join(path, name),
        help.trim_end_matches('.')
    );
    Fault::new(what, format!("write {name} = {example}"))
}

/// A value that would do, as a person would write it.
pub fn example(option: &Opt) -> String {
    match option.kind {
        Kind::Span | Kind::Rate | Kind::Bytes | Kind::Packets | Kind::Share => {
            format!(
                "\"{}\"",
                dimension(option.kind).map_or("80 %", |d| d.example)
            )
        }
        Kind::Metres | Kind::Decibels | Kind::Dbm => {
            format!("\"100 {}\"", unit(option.kind).unwrap_or_default())
        }
        Kind::Count => option.min.unwrap_or("1").to_owned(),
        Kind::Number => option.min.unwrap_or("1.0").to_owned(),
        Kind::Flag => "true".to_owned(),
        Kind::Choice(words) => format!("\"{}\"", words.first().copied().unwrap_or("")),
        Kind::File => "\"trace.csv\"".to_owned(),
        Kind::Text => "\"Name\"".to_owned(),
        Kind::Table => "{ name = 1 }".to_owned(),
        Kind::Series => "[0, 3, 3, 7]".to_owned(),
    }
}

/// The dimension of quantities with a unit; a share is not one, because it is read as 0..1.
pub fn dimension(kind: Kind) -> Option<&'static Dimension> {
    match kind {
        Kind::Span => Some(&units::TIME),
        Kind::Rate => Some(&units::RATE),
        Kind::Bytes => Some(&units::SIZE),
        Kind::Packets => Some(&units::PACKETS),
        Kind::Share
        | Kind::Count
        | Kind::Number
        | Kind::Flag
        | Kind::Choice(_)
        | Kind::Metres
        | Kind::Decibels
        | Kind::Dbm
        | Kind::File
        | Kind::Text
        | Kind::Table
        | Kind::Series => None,
    }
}

/// The one unit of kinds that may be negative.
pub fn unit(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Metres => Some("m"),
        Kind::Decibels => Some("dB"),
        Kind::Dbm => Some("dBm"),
        _ => None,
    }
}

/// Checks one value.
pub fn value(node: &Node, option: &Opt, files: &mut Files<'_>) -> Result<Checked, Diagnostic> {
    let checked = match (option.kind, &node.value) {
        (Kind::File, Value::Text(path)) => files.open(path).map(Checked::File),
        (Kind::Text, Value::Text(text)) if text.is_empty() => Err(Fault::new(
            "an empty name",
            format!("write {}", example(option)),
        )),
        (Kind::Text, Value::Text(text)) => Ok(Checked::Text(text.clone())),
        (Kind::Table, Value::Table(_)) => Ok(Checked::Table(plain(node)?.to_string())),
        (Kind::Series, Value::List(items)) => series(items).map(Checked::Series),
        (Kind::Series, Value::Text(text)) => {
            packed::unpack(text).map(|list| Checked::Series(list.into()))
        }
        (
            Kind::Span
            | Kind::Rate
            | Kind::Bytes
            | Kind::Packets
            | Kind::Share
            | Kind::Choice(_)
            | Kind::Metres
            | Kind::Decibels
            | Kind::Dbm,
            Value::Text(text),
        ) => written(text, option.kind),
        (
            Kind::Span | Kind::Rate | Kind::Bytes | Kind::Packets,
            Value::Integer(_) | Value::Number(_),
        ) => {
            let dimension = dimension(option.kind).expect("a quantity has a dimension");
            Err(units::bare(&number_text(&node.value), dimension))
        }
        (Kind::Metres | Kind::Decibels | Kind::Dbm, Value::Integer(_) | Value::Number(_)) => {
            let unit = unit(option.kind).unwrap_or_default();
            let number = number_text(&node.value);
            Err(Fault::new(
                format!("`{number}` has no unit"),
                format!("write \"{number} {unit}\""),
            ))
        }
        (Kind::Share, Value::Integer(_) | Value::Number(_)) => Err(bare_share(&node.value)),
        (Kind::Count, Value::Integer(n)) => count(*n),
        // JSON has no integers beyond 64 bits.
        (Kind::Count, Value::Number(f)) if f.fract() == 0.0 && f.abs() > MOST_COUNT as f64 => {
            count(*f as i128)
        }
        (Kind::Number, Value::Integer(n)) => Ok(Checked::Number(*n as f64)),
        (Kind::Number, Value::Number(f)) if f.is_finite() => Ok(Checked::Number(*f)),
        (Kind::Number | Kind::Count, Value::Number(f)) => Err(Fault::new(
            format!("{f} is not {}", noun(option.kind)),
            format!("write {}, such as {}", noun(option.kind), example(option)),
        )),
        (Kind::Flag, Value::Flag(flag)) => Ok(Checked::Flag(*flag)),
        (kind, other) => Err(Fault::new(
            format!("`{}` is {}, not {}", node.path, other.noun(), noun(kind)),
            format!("write {}", example(option)),
        )),
    };
    checked.and_then(|v| bounded(v, option)).map_err(|fault| {
        let what = if fault.what.contains(&node.path) {
            fault.what
        } else {
            format!("`{}`: {}", node.path, fault.what)
        };
        node.refuse(Fault { what, ..fault })
    })
}

fn number_text(value: &Value) -> String {
    match value {
        Value::Integer(n) => n.to_string(),
        Value::Number(f) => f.to_string(),
        _ => String::new(),
    }
}

fn bare_share(value: &Value) -> Fault {
    let percent = match value {
        Value::Number(f) if (0.0..=1.0).contains(f) => (f * 1e6).round() / 1e4,
        Value::Integer(n @ 0..=100) => *n as f64,
        _ => 80.0,
    };
    Fault::new(
        format!(
            "`{}` has no unit: a share is written in %",
            number_text(value)
        ),
        format!("write \"{percent} %\""),
    )
}

/// JSON documents carry counts as doubles in many readers, exact up to 2^53.
const MOST_COUNT: i128 = 1 << 53;

fn count(n: i128) -> Result<Checked, Fault> {
    match u64::try_from(n) {
        Ok(count) if n <= MOST_COUNT => Ok(Checked::Count(count)),
        _ if n < 0 => Err(Fault::new(
            format!("{n} is negative: a count cannot be"),
            "write 0 or more",
        )),
        _ => Err(Fault::new(
            format!("{n} is absurdly large for a count"),
            format!("write at most {MOST_COUNT}"),
        )),
    }
}

/// The whole numbers of a list.
fn series(items: &[Node]) -> Result<Arc<[u64]>, Fault> {
    let number = |item: &Node| match item.value {
        Value::Integer(n) if (0..=packed::LARGEST.into()).contains(&n) => Ok(n as u64),
        _ => Err(Fault::new(
            format!("`{}` is no whole number from 0 to 2^53", item.path),
            "write a list such as [0, 3, 3, 7]",
        )),
    };
    items.iter().map(number).collect()
}

/// The value that a kind expects, for messages.
pub fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Span | Kind::Rate | Kind::Bytes | Kind::Packets => {
            dimension(kind).map_or("a quantity", |d| d.noun)
        }
        Kind::Metres => "a length in m",
        Kind::Decibels => "a ratio in dB",
        Kind::Dbm => "a power in dBm",
        Kind::Share => "a share in %",
        Kind::Count => "a whole number",
        Kind::Number => "a finite number",
        Kind::Flag => "true or false",
        Kind::Choice(_) => "one of its words, in quotes",
        Kind::File => "the path of a file, in quotes",
        Kind::Text => "a name, in quotes",
        Kind::Table => "a table",
        Kind::Series => "a list of whole numbers",
    }
}

/// Reads a value as tables write defaults and bounds.
pub fn written(text: &str, kind: Kind) -> Result<Checked, Fault> {
    match kind {
        Kind::Span => units::span(text).map(Checked::Span),
        Kind::Rate => units::rate(text).map(Checked::Rate),
        Kind::Bytes => units::bytes(text).map(Checked::Bytes),
        Kind::Packets => units::packets(text).map(Checked::Packets),
        Kind::Share => units::share(text).map(Checked::Share),
        Kind::Metres => units::signed(text, "m").map(Checked::Number),
        Kind::Decibels => units::signed(text, "dB").map(Checked::Number),
        Kind::Dbm => units::signed(text, "dBm").map(Checked::Number),
        Kind::Count => text
            .parse()
            .map_err(|_| Fault::new(format!("`{text}` is not a count"), "write 1"))
            .and_then(count),
        Kind::Number => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Checked::Number(number)),
            _ => Err(Fault::new(
                format!("`{text}` is not a finite number"),
                "write 1.0",
            )),
        },
        Kind::Flag => match text {
            "true" => Ok(Checked::Flag(true)),
            "false" => Ok(Checked::Flag(false)),
            _ => Err(Fault::new(
                format!("`{text}` is neither true nor false"),
                "write true",
            )),
        },
        Kind::Choice(words) => match words.iter().find(|w| **w == text) {
            Some(word) => Ok(Checked::Choice(word)),
            None => Err(Fault::unknown(
                format!("`{text}` is not one of the words of this option"),
                text,
                words.iter().copied(),
            )),
        },
        Kind::Text => Ok(Checked::Text(text.to_owned())),
        Kind::File | Kind::Table | Kind::Series => Err(Fault::new(
            format!(
                "`{text}` cannot be a default: {} is written out",
                noun(kind)
            ),
            "write it in the scenario",
        )),
    }
}

/// A value that nobody here checks, as JSON; tables in the order of their names.
fn plain(node: &Node) -> Result<Json, Diagnostic> {
    Ok(match &node.value {
        Value::Text(text) => json!(text),
        Value::Flag(flag) => json!(flag),
        Value::Integer(n) if i64::try_from(*n).is_ok() => json!(*n as i64),
        Value::Number(f) if f.is_finite() => json!(f),
        Value::List(items) => items.iter().map(plain).collect::<Result<Json, _>>()?,
        Value::Table(entries) => {
            let mut fields = Vec::new();
            for entry in entries {
                fields.push((entry.key.clone(), plain(&entry.node)?));
            }
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            Json::Object(fields.into_iter().collect())
        }
        Value::Integer(_) | Value::Number(_) | Value::Foreign(_) => {
            let what = format!("`{}` is no plain value", node.path);
            let fix = "write a text, a finite number, a flag, a list or a table";
            return Err(node.refuse(Fault::new(what, fix)));
        }
    })
}

/// A default or preset, as the table writes it.
///
/// # Panics
/// When the table writes what a person could not: a bug of the part.
pub fn default(option: &Opt, text: &str) -> Checked {
    match written(text, option.kind) {
        Ok(value) => value,
        Err(fault) => panic!(
            "option {} has the default {text}: {}",
            option.name, fault.what
        ),
    }
}

#[cfg(test)]
mod tests {
    use backwater_transport::units::{Bytes, Rate, Span};

    use super::*;
    use crate::diagnostic::Text;
    use crate::files::Folders;

    static OPTIONS: &[Opt] = &[
        Opt::new("rate", Kind::Rate, Default::Required, "Mean rate.").at_least("1 bit/s"),
        Opt::new("burst", Kind::Bytes, Default::Is("24 kB"), "Mean burst.")
            .at_least("64 B")
            .at_most("1 MB"),
        Opt::new("gap", Kind::Span, Default::Absent, "Gap."),
        Opt::new("high", Kind::Share, Default::Is("80 %"), "Mark."),
        Opt::new("sources", Kind::Count, Default::Is("100"), "Sources.")
            .at_least("1")
            .at_most("10000"),
        Opt::new("alpha", Kind::Number, Default::Is("1.5"), "Shape.")
            .at_least("1.01")
            .at_most("2"),
        Opt::new("repeat", Kind::Flag, Default::Is("false"), "Repeat."),
        Opt::new(
            "audience",
            Kind::Choice(&["all", "feeders"]),
            Default::Is("all"),
            "Who is told.",
        ),
        Opt::new("trace", Kind::File, Default::Absent, "Trace."),
    ];

    fn read(text: &str) -> Result<Args, Diagnostic> {
        let folders = Folders::default();
        let text = Arc::new(Text {
            name: "x.toml".to_owned(),
            content: text.to_owned(),
        });
        let root = Node::from_toml(&text).unwrap();
        decode(
            root.get("s").unwrap(),
            OPTIONS,
            &[("sources", "7")],
            &["kind"],
            &mut Files::new(&folders),
        )
    }

    #[test]
    fn defaults_and_presets_are_filled_in() {
        let args =
            read("s = { kind = \"x\", rate = \"3 Mbit/s\", gap = \"1 ms\", alpha = 2 }").unwrap();
        assert_eq!(args.rate("rate"), Rate(3_000_000));
        assert_eq!(args.bytes("burst"), Bytes(24_000));
        assert_eq!(args.span("gap"), Span::millis(1));
        assert_eq!(args.share("high"), 0.8);
        assert_eq!(args.count("sources"), 7);
        assert_eq!(args.number("alpha"), 2.0);
        assert!(!args.flag("repeat"));
        assert_eq!(args.choice("audience"), "all");
        assert!(!args.has("trace"));
    }

    #[track_caller]
    fn refused(fields: &str, what: &str, fix: &str) -> Diagnostic {
        let found = read(&format!("s = {{ rate = \"1 Mbit/s\", {fields} }}")).expect_err(fields);
        assert!(found.what.contains(what), "{found}");
        assert!(found.fix.contains(fix), "{found}");
        assert_eq!(found.line, Some(1));
        found
    }

    #[test]
    fn an_unknown_option_names_the_nearest_and_points_at_the_name() {
        let found = refused(
            "brust = \"1 kB\"",
            "unknown field `brust` in `s`",
            "`burst`",
        );
        assert_eq!(
            (found.nearest[0].as_str(), found.column),
            ("burst", Some(26))
        );
    }

    #[test]
    fn a_missing_option_is_named_with_an_example() {
        let found = read("s = { }").unwrap_err();
        assert_eq!(found.what, "`s.rate` is missing: Mean rate");
        assert_eq!(found.fix, "write rate = \"10 Mbit/s\"");
    }

    #[test]
    fn wrong_kinds_are_refused() {
        refused("burst = 1500", "no unit", "\"1500 B\"");
        refused("burst = nan", "no unit", "\"1 B\"");
        refused("burst = true", "is true or false, not a size", "\"50 kB\"");
        refused("high = 0.8", "no unit", "\"80 %\"");
        refused(
            "alpha = \"2\"",
            "is a text, not a finite number",
            "write 1.01",
        );
        refused("alpha = nan", "NaN is not a finite number", "such as");
        refused("alpha = inf", "inf is not a finite number", "such as");
        refused("sources = 1.5", "1.5 is not a whole number", "such as 1");
        refused("sources = 1e20", "absurdly large for a count", "at most");
        refused("sources = -1", "negative", "0 or more");
        refused("sources = 9223372036854775807", "absurdly large", "at most");
        refused("repeat = 1", "is a number, not true or false", "true");
        refused("gap = 2020-01-01", "is a date, not a time", "20 ms");
        refused("gap = []", "is a list", "20 ms");
    }

    #[test]
    fn values_outside_their_bounds_are_refused_with_the_bound() {
        refused(
            "burst = \"63 B\"",
            "63 B is too small: `burst` is at least 64 B",
            "\"64 B\" or more",
        );
        refused("burst = \"2 MB\"", "too large", "\"1 MB\" or less");
        refused("sources = 0", "too small", "write 1 or more");
        refused("alpha = 2.5", "too large", "write 2 or less");
        refused("high = \"101 %\"", "too large", "\"100 %\" or less");
        let found = read("s = { rate = \"0 Mbit/s\" }").unwrap_err();
        assert!(found.what.contains("too small"), "{found}");
    }

    #[test]
    fn a_misspelt_choice_names_the_nearest() {
        assert_eq!(
            refused("audience = \"feders\"", "not one of the words", "`feeders`").nearest,
            ["feeders"]
        );
    }
}
