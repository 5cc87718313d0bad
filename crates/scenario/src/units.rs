//! Quantities as a person writes them: `"<number> <unit>"`. Decimals are converted by integer
//! arithmetic, so "0.1 us" is exactly 100 000 ps; what is finer than a tick is refused.

mod decimal;

use backwater_transport::units::{Bytes, Rate, Span};

use crate::diagnostic::{Fault, nearest};
use decimal::{Scaling, decimal};

/// A dimension: what its quantities are called, its units, and the largest sensible value.
#[derive(Debug)]
pub struct Dimension {
    /// "a time", "a rate", "a size", …
    pub noun: &'static str,
    /// The unit that the whole numbers count, for messages: "picosecond".
    tick: &'static str,
    /// A good example.
    pub example: &'static str,
    /// Name of a unit and how many ticks it is; the first is the one of JSON documents.
    pub units: &'static [(&'static str, u128)],
    /// Greatest value in ticks, as a person would write it.
    most: (u128, &'static str),
}

/// Times, in picoseconds.
pub static TIME: Dimension = Dimension {
    noun: "a time",
    tick: "picosecond",
    example: "20 ms",
    units: &[
        ("s", 1_000_000_000_000),
        ("ms", 1_000_000_000),
        ("us", 1_000_000),
        ("ns", 1_000),
    ],
    // The clock lasts 213 days: a run of 50 leaves room for what is still under way at its end.
    most: (4_320_000_000_000_000_000, "4320000 s"),
};

/// Rates, in bit/s.
pub static RATE: Dimension = Dimension {
    noun: "a rate",
    tick: "bit/s",
    example: "10 Mbit/s",
    units: &[
        ("bit/s", 1),
        ("kbit/s", 1_000),
        ("Mbit/s", 1_000_000),
        ("Gbit/s", 1_000_000_000),
        ("bps", 1),
        ("kbps", 1_000),
        ("Mbps", 1_000_000),
        ("Gbps", 1_000_000_000),
    ],
    most: (10_000_000_000_000, "10000 Gbit/s"),
};

/// Sizes, in bytes.
pub static SIZE: Dimension = Dimension {
    noun: "a size",
    tick: "byte",
    example: "50 kB",
    units: &[
        ("B", 1),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
    ],
    most: (1_000_000_000_000_000, "1000000000 MB"),
};

/// Numbers of packets.
pub static PACKETS: Dimension = Dimension {
    noun: "a number of packets",
    tick: "packet",
    example: "100 packets",
    units: &[("packets", 1)],
    most: (1_000_000_000_000, "1000000000000 packets"),
};

static SHARE: Dimension = Dimension {
    noun: "a share",
    tick: "share",
    example: "80 %",
    units: &[("%", 1)],
    most: (1_000_000, "1000000 %"),
};

/// Reads a time.
pub fn span(text: &str) -> Result<Span, Fault> {
    ticks(text, &TIME).map(Span)
}

/// Reads a rate.
pub fn rate(text: &str) -> Result<Rate, Fault> {
    ticks(text, &RATE).map(Rate)
}

/// How to write what is no rate: "50 MB/s" is "400 Mbit/s".
pub fn rate_advice(text: &str) -> Option<String> {
    rate(text).err().map(|fault| fault.fix)
}

/// Reads a size.
pub fn bytes(text: &str) -> Result<Bytes, Fault> {
    ticks(text, &SIZE).map(Bytes)
}

/// Reads a number of packets.
pub fn packets(text: &str) -> Result<u64, Fault> {
    ticks(text, &PACKETS)
}

/// Reads a percentage as a share: "80 %" is the double nearest to 0.8.
pub fn share(text: &str) -> Result<f64, Fault> {
    let (number, _) = split(text, &SHARE)?;
    let percent = decimal(number, text, &SHARE)?;
    let written = format!("{}e{}", percent.digits, percent.exponent - 2);
    let share: f64 = written.parse().map_err(|_| not_a_number(text, &SHARE))?;
    if share * 100.0 > SHARE.most.0 as f64 {
        return Err(absurd(text, &SHARE));
    }
    Ok(share)
}

/// Writes a share as a percentage that the engine reads back to the same double: 0.56 is "56 %".
pub fn percent(value: f64) -> String {
    let shortest = format!("{value:e}");
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent = exponent.parse().unwrap_or(0) + 2;
    let places = usize::try_from(digits.len().saturating_sub(2) as i32 - exponent).unwrap_or(0);
    let plain = format!("{:.places$} %", value * 100.0);
    match share(&plain) {
        Ok(read) if read == value && places < 12 => plain,
        _ => format!("{digits}e{exponent} %"),
    }
}

/// Reads a number that may be negative and has this unit, such as "-71 m" or "10 dB".
pub fn signed(text: &str, unit: &str) -> Result<f64, Fault> {
    let example = format!("write \"<number> {unit}\", such as \"100 {unit}\" or \"-3.5 {unit}\"");
    let mut words = text.split_ascii_whitespace();
    let (number, found) = match (words.next(), words.next(), words.next()) {
        (Some(number), Some(found), None) => (number, found),
        _ => {
            let what = format!("`{}` is not a number and the unit {unit}", short(text));
            return Err(Fault::new(what, example));
        }
    };
    if found != unit {
        let what = format!("`{}` is not the unit {unit}", short(found));
        return Err(Fault::new(what, example));
    }
    let plain = number
        .bytes()
        .all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    match number.parse::<f64>() {
        Ok(value) if plain && value.abs() <= 1e9 => Ok(value),
        _ => {
            let what = format!("`{}` is not a sensible number of {unit}", short(number));
            Err(Fault::new(what, example))
        }
    }
}

/// Refuses a number without a unit.
pub fn bare(number: &str, dimension: &Dimension) -> Fault {
    let what = format!(
        "`{number}` has no unit: {} is written with one",
        dimension.noun
    );
    let valid = unit_names(dimension);
    let number = if number.starts_with(|c: char| c.is_ascii_digit()) {
        number
    } else {
        "1"
    };
    let first = valid.first().map_or("", String::as_str);
    Fault {
        what,
        nearest: Vec::new(),
        fix: format!("write \"{number} {first}\" (units: {})", valid.join(", ")),
    }
}

fn unit_names(dimension: &Dimension) -> Vec<String> {
    dimension
        .units
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect()
}

fn ticks(text: &str, dimension: &Dimension) -> Result<u64, Fault> {
    let (number, factor) = split(text, dimension)?;
    let decimal = decimal(number, text, dimension)?;
    let exact = decimal.times(factor).map_err(|fault| match fault {
        Scaling::Fraction => Fault::new(
            format!(
                "`{}` is not a whole number of {}s",
                short(text),
                dimension.tick.trim_end_matches("/s")
            ),
            format!(
                "round it to a whole {}, such as \"{}\"",
                dimension.tick, dimension.example
            ),
        ),
        Scaling::Overflow => absurd(text, dimension),
    })?;
    match u64::try_from(exact) {
        Ok(ticks) if exact <= dimension.most.0 => Ok(ticks),
        _ => Err(absurd(text, dimension)),
    }
}

fn absurd(text: &str, dimension: &Dimension) -> Fault {
    let what = format!("`{}` is absurdly large for {}", short(text), dimension.noun);
    Fault::new(what, format!("write at most \"{}\"", dimension.most.1))
}

fn short(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

fn not_a_number(text: &str, dimension: &Dimension) -> Fault {
    let what = format!(
        "`{}` is not {}: it does not begin with a decimal number",
        short(text),
        dimension.noun
    );
    Fault::new(
        what,
        format!(
            "write \"<number> <unit>\", such as \"{}\"",
            dimension.example
        ),
    )
}

/// The number and the unit's factor.
fn split<'a>(text: &'a str, dimension: &Dimension) -> Result<(&'a str, u128), Fault> {
    let mut words = text.split_ascii_whitespace();
    let (number, unit) = match (words.next(), words.next(), words.next()) {
        (Some(number), Some(unit), None) => (number, unit),
        (Some(word), None, None) => return Err(glued(word, dimension)),
        _ => return Err(not_a_number(text, dimension)),
    };
    if let Some((_, factor)) = dimension.units.iter().find(|(name, _)| *name == unit) {
        return Ok((number, *factor));
    }
    let number_shown = if number.starts_with(|c: char| c.is_ascii_digit()) {
        short(number)
    } else {
        "1".to_owned()
    };
    if unit.eq_ignore_ascii_case("kb") && dimension.units.iter().any(|(name, _)| *name == "kB") {
        return Err(Fault {
            what: format!("`{unit}` is not a unit of size: it could be 1000 or 1024 bytes"),
            nearest: vec!["kB".to_owned(), "KiB".to_owned()],
            fix: format!(
                "write \"{number_shown} kB\" for 1000 bytes each, or \"{number_shown} KiB\" for 1024"
            ),
        });
    }
    if let Some(fault) = bytes_per_second(number, unit, dimension) {
        return Err(fault);
    }
    let near = nearest(unit, dimension.units.iter().map(|(name, _)| *name));
    let what = format!(
        "`{}` is not a unit of {}",
        short(unit),
        dimension.noun.trim_start_matches("a ")
    );
    let fix = match near.first() {
        Some(near) => format!(
            "write \"{number_shown} {near}\" (units: {})",
            unit_names(dimension).join(", ")
        ),
        None => format!(
            "write one of the units {}, such as \"{}\"",
            unit_names(dimension).join(", "),
            dimension.example
        ),
    };
    Err(Fault {
        what,
        nearest: near,
        fix,
    })
}

/// Bytes per second, whose number is an eighth of that of bit/s.
fn bytes_per_second(number: &str, unit: &str, dimension: &Dimension) -> Option<Fault> {
    let multiple = unit
        .strip_suffix("B/s")
        .or_else(|| unit.strip_suffix("Bps"))?;
    let (bits, prefix) = match multiple {
        "" => (8.0, ""),
        "k" | "K" => (8.0, "k"),
        "M" => (8.0, "M"),
        "G" => (8.0, "G"),
        "Ki" => (8.192, "k"),
        "Mi" => (8.388_608, "M"),
        _ => return None,
    };
    let right = format!("{prefix}bit/s");
    dimension.units.iter().find(|(name, _)| *name == right)?;
    let value = number
        .parse::<f64>()
        .ok()
        .filter(|n| n.is_finite() && *n >= 0.0);
    let what = format!(
        "`{}` is bytes per second: a rate is written in bit/s",
        short(unit)
    );
    let fix = match value {
        // Six digits after the point are more than anybody writes.
        Some(value) => format!("write \"{} {right}\"", (value * bits * 1e6).round() / 1e6),
        None => format!("write eight times the number with {right}"),
    };
    Some(Fault {
        what,
        nearest: vec![right],
        fix,
    })
}

/// One word: a number without a unit, or both without a space.
fn glued(word: &str, dimension: &Dimension) -> Fault {
    let digits = word
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(word.len());
    let (number, unit) = word.split_at(digits);
    if unit.is_empty() && !number.is_empty() {
        return bare(&short(number), dimension);
    }
    if !number.is_empty() && dimension.units.iter().any(|(name, _)| *name == unit) {
        let what = format!("`{}` lacks the space between number and unit", short(word));
        return Fault::new(what, format!("write \"{} {unit}\"", short(number)));
    }
    not_a_number(word, dimension)
}

fn negative(number: &str, text: &str, dimension: &Dimension) -> Fault {
    let what = format!(
        "`{}` is negative: {} cannot be",
        short(text),
        dimension.noun
    );
    let number = if number.starts_with(|c: char| c.is_ascii_digit()) {
        short(number)
    } else {
        "1".to_owned()
    };
    let unit = text.split_ascii_whitespace().nth(1).unwrap_or("");
    let fix = format!("write \"{number} {unit}\", or another value of 0 or more");
    Fault::new(what, fix)
}

/// Ticks as an exact decimal number of the dimension's first unit: 100 000 ps is "0.0000001".
pub fn in_si(ticks: u64, dimension: &Dimension) -> String {
    let factor = dimension.units[0].1;
    let ticks = u128::from(ticks);
    let (whole, rest) = (ticks / factor, ticks % factor);
    if rest == 0 {
        return whole.to_string();
    }
    let places = factor.ilog10() as usize;
    let fraction = format!("{rest:0places$}");
    format!("{whole}.{}", fraction.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decimals_are_exact() {
        for (text, ps) in [
            ("0.1 us", 100_000),
            ("0.3 ms", 300_000_000),
            ("1.1 s", 1_100_000_000_000),
            ("0.001 ns", 1),
            ("512 ns", 512_000),
            ("60 s", 60_000_000_000_000),
            ("0.000000000001 s", 1),
            ("1e-6 s", 1_000_000),
            ("2.5e3 us", 2_500_000_000),
            ("0 s", 0),
            ("000.500 s", 500_000_000_000),
            (
                "1.000000000000000000000000000000000000 s",
                1_000_000_000_000,
            ),
            ("0e99 s", 0),
        ] {
            assert_eq!(span(text), Ok(Span(ps)), "{text}");
        }
        assert_eq!(rate("11 Mbit/s"), Ok(Rate(11_000_000)));
        assert_eq!(rate("5.5 Mbps"), Ok(Rate(5_500_000)));
        assert_eq!(rate("800 Gbit/s"), Ok(Rate(800_000_000_000)));
        assert_eq!(bytes("50 kB"), Ok(Bytes(50_000)));
        assert_eq!(bytes("1.5 KiB"), Ok(Bytes(1_536)));
        assert_eq!(bytes("12 MiB"), Ok(Bytes(12_582_912)));
        assert_eq!(packets("100 packets"), Ok(100));
    }

    #[test]
    fn a_share_is_written_as_it_was_read() {
        for (written, value) in [
            ("56 %", 0.56),
            ("0 %", 0.0),
            ("100 %", 1.0),
            ("0.1 %", 0.001),
            ("33.3 %", 0.333),
            ("2.5e-12 %", 2.5e-14),
        ] {
            assert_eq!(percent(value), written);
        }
    }

    #[test]
    fn a_percentage_is_the_nearest_double() {
        for (text, value) in [
            ("80 %", 0.8),
            ("70 %", 0.7),
            ("0.1 %", 0.001),
            ("100 %", 1.0),
            ("0 %", 0.0),
            ("29 %", 0.29),
        ] {
            assert_eq!(share(text), Ok(value), "{text}");
        }
    }

    #[track_caller]
    fn refused<T: std::fmt::Debug>(read: Result<T, Fault>, what: &str, fix: &str) {
        let fault = read.expect_err("a refusal");
        assert!(fault.what.contains(what), "{fault:?}");
        assert!(fault.fix.contains(fix), "{fault:?}");
    }

    #[test]
    fn bare_numbers_are_refused_with_the_fix() {
        refused(span("60"), "no unit", "\"60 s\"");
        refused(bytes("1500"), "no unit", "\"1500 B\"");
        refused(rate("10.5"), "no unit", "\"10.5 bit/s\"");
        refused(share("0.8"), "no unit", "%");
    }

    #[test]
    fn unknown_units_name_the_nearest() {
        refused(
            span("60 parsec"),
            "`parsec` is not a unit of time",
            "s, ms, us, ns",
        );
        refused(rate("10 mbit/s"), "not a unit of rate", "\"10 Mbit/s\"");
        // A byte has eight bits, KiB 1024 B and MiB 1,048,576 B.
        for (written, right) in [
            ("50 MB/s", "\"400 Mbit/s\""),
            ("50 MBps", "\"400 Mbit/s\""),
            ("1.5 kB/s", "\"12 kbit/s\""),
            ("0.1 GB/s", "\"0.8 Gbit/s\""),
            ("2 KiB/s", "\"16.384 kbit/s\""),
            ("1 MiB/s", "\"8.388608 Mbit/s\""),
            ("7 B/s", "\"56 bit/s\""),
        ] {
            refused(rate(written), "bytes per second", right);
            assert!(rate_advice(written).is_some_and(|fix| fix.contains(right)));
        }
        refused(span("10 kB"), "`kB` is not a unit of time", "ms");
        assert_eq!(rate("10 MBit/s").unwrap_err().nearest[0], "Mbit/s");
    }

    #[test]
    fn kb_is_refused_because_it_means_two_things() {
        refused(bytes("50 KB"), "1000 or 1024", "\"50 kB\"");
        assert_eq!(bytes("50 KB").unwrap_err().nearest, ["kB", "KiB"]);
    }

    #[test]
    fn a_missing_space_is_refused_with_the_fix() {
        refused(bytes("50kB"), "space", "\"50 kB\"");
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "NaN s",
            "inf s",
            "nan",
            "",
            " ",
            "s",
            "1_000 s",
            "0x10 s",
            "+1 s",
            ".5 s",
            "5. s",
            "1 2 s",
            "1e s",
            "1e99999 s",
            "ms 5",
        ] {
            refused(span(text), "", "\"");
        }
        refused(span("NaN s"), "not a time", "\"20 ms\"");
    }

    #[test]
    fn negative_quantities_are_refused() {
        refused(span("-60 s"), "negative", "\"60 s\"");
        refused(bytes("-1 B"), "negative", "0 or more");
        refused(span("-inf s"), "negative", "\"1 s\"");
    }

    #[test]
    fn absurd_sizes_are_refused() {
        refused(bytes("1e30 MB"), "absurdly large", "1000000000 MB");
        refused(
            bytes("99999999999999999999999999999999999999999999 B"),
            "absurdly large",
            "MB",
        );
        refused(span("4320001 s"), "absurdly large", "4320000 s");
        refused(rate("11000 Gbit/s"), "absurdly large", "10000 Gbit/s");
        refused(share("1e9 %"), "absurdly large", "%");
    }

    #[test]
    fn what_is_finer_than_a_tick_is_refused() {
        refused(
            span("0.0001 ns"),
            "not a whole number of picoseconds",
            "round",
        );
        refused(bytes("1.5 B"), "not a whole number of bytes", "round");
        refused(span("1e-99 s"), "whole number", "round");
    }

    #[test]
    fn ticks_are_written_back_exactly() {
        for (ps, text) in [
            (100_000, "0.0000001"),
            (1, "0.000000000001"),
            (60_000_000_000_000, "60"),
            (0, "0"),
            (1_500_000_000_000, "1.5"),
        ] {
            assert_eq!(in_si(ps, &TIME), text);
        }
        assert_eq!(in_si(11_000_000, &RATE), "11000000");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            let faults = [span(&text).err(), rate(&text).err(), bytes(&text).err(), share(&text).err(), packets(&text).err()];
            for fault in faults.into_iter().flatten() {
                prop_assert!(!fault.fix.is_empty() && fault.what.len() < 500);
            }
        }

        #[test]
        fn a_share_survives_being_written(value in 0.0f64..1.0, exponent in 0i32..30) {
            let small = value * 10f64.powi(-exponent);
            prop_assert_eq!(share(&percent(small)), Ok(small));
        }

        #[test]
        fn a_span_survives_being_written(ps in 0u64..4_320_000_000_000_000_000) {
            prop_assert_eq!(span(&format!("{} s", in_si(ps, &TIME))), Ok(Span(ps)));
        }
    }
}
