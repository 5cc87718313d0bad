//! Bounds of options.

use std::cmp::Ordering;

use backwater_transport::part::{Kind, Opt, Value as Checked};

use super::default;
use crate::diagnostic::Fault;
use crate::units;

/// Refuses a value outside its option's bounds.
pub fn bounded(value: Checked, option: &Opt) -> Result<Checked, Fault> {
    // A share is 0..1 unless its option says otherwise.
    let whole = matches!(option.kind, Kind::Share).then_some("100 %");
    let limits = [
        ("at least", option.min, Ordering::Less),
        ("at most", option.max.or(whole), Ordering::Greater),
    ];
    for (words, limit, wrong) in limits {
        let Some(limit) = limit else { continue };
        if order(&value, &default(option, limit)) == Some(wrong) {
            let quote = if matches!(option.kind, Kind::Count | Kind::Number) {
                ""
            } else {
                "\""
            };
            let side = if wrong == Ordering::Less {
                "small"
            } else {
                "large"
            };
            let what = format!(
                "{} is too {side}: `{}` is {words} {limit}",
                shown(&value),
                option.name
            );
            return Err(Fault::new(
                what,
                format!(
                    "write {quote}{limit}{quote} or {}",
                    if side == "small" { "more" } else { "less" }
                ),
            ));
        }
    }
    Ok(value)
}

fn order(a: &Checked, b: &Checked) -> Option<Ordering> {
    match (a, b) {
        (Checked::Span(a), Checked::Span(b)) => Some(a.cmp(b)),
        (Checked::Rate(a), Checked::Rate(b)) => Some(a.cmp(b)),
        (Checked::Bytes(a), Checked::Bytes(b)) => Some(a.cmp(b)),
        (Checked::Packets(a), Checked::Packets(b)) => Some(a.cmp(b)),
        (Checked::Count(a), Checked::Count(b)) => Some(a.cmp(b)),
        (Checked::Share(a), Checked::Share(b)) | (Checked::Number(a), Checked::Number(b)) => {
            a.partial_cmp(b)
        }
        _ => None,
    }
}

fn shown(value: &Checked) -> String {
    match value {
        Checked::Span(s) => format!("{} s", units::in_si(s.0, &units::TIME)),
        Checked::Rate(r) => format!("{} bit/s", r.0),
        Checked::Bytes(b) => format!("{} B", b.0),
        Checked::Packets(n) => format!("{n} packets"),
        Checked::Share(s) => format!("{} %", (s * 1e12).round() / 1e10),
        Checked::Count(n) => n.to_string(),
        Checked::Number(f) => f.to_string(),
        Checked::Flag(flag) => flag.to_string(),
        Checked::Choice(word) => (*word).to_owned(),
        Checked::File(file) => file.path.clone(),
        Checked::Text(text) | Checked::Table(text) => text.clone(),
        Checked::Series(list) => format!("a list of {} numbers", list.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_a_percentage_without_the_rounding_of_binary_fractions() {
        for (share, text) in [
            (0.56, "56 %"),
            (0.07, "7 %"),
            (0.001, "0.1 %"),
            (0.0381, "3.81 %"),
        ] {
            assert_eq!(shown(&Checked::Share(share)), text);
        }
    }
}
