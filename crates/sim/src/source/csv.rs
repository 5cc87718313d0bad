//! Comma-separated traces: a header that names the two columns with their units, such as
//! `time_s,size_B` or `time (us),size (kB)`, then a line for each packet. Numbers are read exactly,
//! not through floating point.

use super::replay::Timeline;
use super::trace::{Decimal, Fault, Place, lines, quote};

/// The power of ten that makes picoseconds of each unit of time.
const TIMES: [(&str, i32); 4] = [("s", 12), ("ms", 9), ("us", 6), ("ns", 3)];
/// Bytes of each unit of size.
const SIZES: [(&str, u64); 4] = [("B", 1), ("kB", 1000), ("MB", 1_000_000), ("KiB", 1024)];

/// The packets of a trace.
pub(super) fn read(content: &[u8]) -> Result<Timeline, Fault> {
    let mut rows = lines(content);
    let (place, header) = rows
        .next()
        .unwrap_or(Err(Place::Whole.fault("the trace is empty")))?;
    let (time, size) = pair(place, header)?;
    let power = unit(place, time, "time", &TIMES)?;
    let factor = unit(place, size, "size", &SIZES)?;
    let mut timeline = Timeline::default();
    for row in rows {
        let (place, text) = row?;
        let (time, size) = pair(place, text)?;
        let number = |name: &str, text: &str| {
            Decimal::parse(text).map_err(|why| place.fault(format!("{name}: {why}")))
        };
        let at = number("time", time)?
            .scaled(power)
            .and_then(|ps| i128::try_from(ps).ok());
        let at = at.ok_or_else(|| place.fault(format!("time: {} is too large", quote(time))))?;
        let bytes = number("size", size)?.whole(factor);
        let bytes = bytes.ok_or_else(|| {
            place.fault(format!(
                "size: {} is not a whole number of bytes",
                quote(size)
            ))
        })?;
        timeline.push(place, at, bytes)?;
    }
    Ok(timeline)
}

fn pair(place: Place, text: &str) -> Result<(&str, &str), Fault> {
    match text.split_once(',') {
        Some((time, size)) if !size.contains(',') => Ok((time.trim(), size.trim())),
        _ => Err(place.fault(format!(
            "{} is not two columns with a comma between",
            quote(text)
        ))),
    }
}

/// The value of the unit in a header cell such as `time_s`, `time (s)` or `time [s]`.
fn unit<T: Copy>(place: Place, cell: &str, name: &str, units: &[(&str, T)]) -> Result<T, Fault> {
    let written = cell
        .strip_prefix(name)
        .map(|rest| rest.trim_matches([' ', '_', '(', ')', '[', ']']));
    let known = units.iter().find(|(unit, _)| written == Some(unit));
    known.map(|(_, value)| *value).ok_or_else(|| {
        let all: Vec<String> = units
            .iter()
            .map(|(unit, _)| format!("{name}_{unit}"))
            .collect();
        place.fault(format!(
            "the header has {} where one of {} is due",
            quote(cell),
            all.join(", ")
        ))
    })
}
