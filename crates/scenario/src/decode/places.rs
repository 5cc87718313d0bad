//! Places of 802.11 stations: a chain, a grid, and points of a grid drawn at random.

use std::collections::BTreeMap;

use backwater_sim::spec::{MediumSpec, NodeKind, StationSpec};
use backwater_transport::random::Random;

use super::air;
use super::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::files::Files;

/// Draws of all places, before none is believed to join the stations.
const MOST_DRAWS: u32 = 1000;
/// Points of a grid that a draw may choose from.
const MOST_POINTS: u64 = 1 << 16;
/// Two places so close are one: a point computed, and the same point written.
const SAME: f64 = 1e-3;

/// The stations of a topology, by name.
pub fn generate(
    kind: &str,
    record: &Record<'_>,
    written: &BTreeMap<String, NodeKind>,
    media: &[MediumSpec],
    seed: u64,
    files: &mut Files<'_>,
) -> Result<BTreeMap<String, NodeKind>, Diagnostic> {
    let origin = record.get("at").map_or(Ok([0.0; 2]), air::place)?;
    let model = air::station_at(record, origin, media, files)?;
    let points = match kind {
        "chain" => chain(record.args.count("stations")),
        "grid" => grid(record),
        _ => return drawn(record, &model, &others(written, model.medium), seed),
    };
    let named = |(name, [row, column]): (String, [u64; 2])| {
        (name, station(&model, point(record, origin, [row, column])))
    };
    Ok(points.into_iter().map(named).collect())
}

/// A name, a row and a column for each station.
fn chain(stations: u64) -> Vec<(String, [u64; 2])> {
    (0..stations).map(|i| (format!("s{i}"), [0, i])).collect()
}

fn grid(record: &Record<'_>) -> Vec<(String, [u64; 2])> {
    cells(record)
        .map(|[row, column]| (format!("s{row}-{column}"), [row, column]))
        .collect()
}

fn cells(record: &Record<'_>) -> impl Iterator<Item = [u64; 2]> + use<> {
    let (rows, columns) = (record.args.count("rows"), record.args.count("columns"));
    (0..rows).flat_map(move |row| (0..columns).map(move |column| [row, column]))
}

fn point(record: &Record<'_>, origin: [f64; 2], [row, column]: [u64; 2]) -> [f64; 2] {
    let spacing = record.args.number("spacing");
    [
        origin[0] + spacing * column as f64,
        origin[1] + spacing * row as f64,
    ]
}

fn station(model: &StationSpec, at: [f64; 2]) -> NodeKind {
    NodeKind::Station(vec![StationSpec {
        at,
        ..model.clone()
    }])
}

/// Places of the written stations of a medium.
fn others(written: &BTreeMap<String, NodeKind>, medium: usize) -> Vec<[f64; 2]> {
    let place = |kind: &NodeKind| match kind {
        NodeKind::Station(radios) => radios.iter().find(|r| r.medium == medium).map(|r| r.at),
        NodeKind::Host { .. } | NodeKind::Switch(_) => None,
    };
    written.values().filter_map(place).collect()
}

/// Stations at points drawn without replacement, in the order of the draws.
fn drawn(
    record: &Record<'_>,
    model: &StationSpec,
    others: &[[f64; 2]],
    seed: u64,
) -> Result<BTreeMap<String, NodeKind>, Diagnostic> {
    let args = &record.args;
    let wanted = args.count("stations");
    let points = args.count("rows") * args.count("columns");
    if points > MOST_POINTS {
        let what = format!("the grid has {points} points, more than {MOST_POINTS}");
        let fix = "write fewer rows or columns, and a larger spacing";
        return Err(record.need("rows").refuse(Fault::new(what, fix)));
    }
    let place = |cell| point(record, model.at, cell);
    let free = |at: &[f64; 2]| others.iter().all(|other| distance(*at, *other) > SAME);
    let mut places: Vec<[f64; 2]> = cells(record).map(place).filter(free).collect();
    if wanted > places.len() as u64 {
        let to_blame = record.need("stations");
        let what = format!(
            "`{}`: {wanted} stations do not fit the {} free points of the grid",
            to_blame.path,
            places.len()
        );
        let fix = "write fewer stations, or more rows and columns";
        return Err(to_blame.refuse(Fault::new(what, fix)));
    }
    let wanted = wanted as usize;
    let seed = if args.has("seed") {
        args.count("seed")
    } else {
        seed
    };
    let mut random = Random::stream(seed, "topology", "random-grid");
    for _ in 0..MOST_DRAWS {
        for i in 0..wanted {
            let other = random.between(i as u64, places.len() as u64 - 1) as usize;
            places.swap(i, other);
        }
        let chosen = &places[..wanted];
        if args.has("reach") && !joined(chosen, others, args.number("reach")) {
            continue;
        }
        let named = |(i, at): (usize, &[f64; 2])| (format!("s{i}"), station(model, *at));
        return Ok(chosen.iter().enumerate().map(named).collect());
    }
    let to_blame = record.need("reach");
    let what = format!(
        "`{}`: of {MOST_DRAWS} draws of the places none joins all stations by hops of {} m",
        to_blame.path,
        args.number("reach")
    );
    let fix = "write more stations, a smaller grid or a longer reach";
    Err(to_blame.refuse(Fault::new(what, fix)))
}

/// Whether hops no longer than `reach` join all places.
fn joined(chosen: &[[f64; 2]], others: &[[f64; 2]], reach: f64) -> bool {
    let mut apart: Vec<[f64; 2]> = chosen.iter().chain(others).copied().collect();
    let mut waiting: Vec<[f64; 2]> = apart.pop().into_iter().collect();
    while let Some(here) = waiting.pop() {
        let (near, far): (Vec<_>, Vec<_>) = apart
            .into_iter()
            .partition(|there| distance(here, *there) <= reach);
        waiting.extend(near);
        apart = far;
    }
    apart.is_empty()
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    libm::hypot(a[0] - b[0], a[1] - b[1])
}
