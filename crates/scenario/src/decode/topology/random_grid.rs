//! 802.11 stations s0, s1… at points of a grid, drawn without replacement in the order of the names.

use std::collections::BTreeMap;

use backwater_sim::spec::{NodeKind, Routing};
use backwater_transport::part::{Default, Kind, Opt};
use backwater_transport::random::Random;

use super::fields::{COLUMNS, ORIGIN, ROWS, SPACING, STATIONS};
use super::row::{Generator, Network, Site};
use super::stations::{cells, model, point, station};
use crate::diagnostic::{Diagnostic, Fault};
use crate::files::Files;
use crate::shape::{Field, Variant};
use crate::wireless::of_station;

/// Draws of all places before the scenario is refused.
const MOST_DRAWS: u32 = 1000;
/// Points of a grid that a draw may choose from.
const MOST_POINTS: u64 = 1 << 16;
/// Places closer than this, in metres, are the same: one is computed, the other was written.
const SAME: f64 = 1e-3;

/// The row of the table.
pub const ROW: Generator = Generator {
    variant: Variant {
        kind: "random-grid",
        summary: "802.11 stations s0, s1… at points of a grid drawn without replacement, none where a written station lies",
        source: "S4; S0: two-dimensional scenarios",
        fields: of_station![
            STATIONS,
            ROWS,
            COLUMNS,
            SPACING,
            ORIGIN,
            Field::option(
                Opt::new(
                    "reach",
                    Kind::Metres,
                    Default::Absent,
                    "draw again until all stations are joined by hops no longer than this; the first draw where it is left out",
                )
                .at_least("1 m"),
            ),
            Field::option(Opt::new(
                "seed",
                Kind::Count,
                Default::Absent,
                "seed of the places; the scenario's where it is left out",
            )),
        ],
    },
    routing: Routing::Airtime,
    build,
};

fn build(site: &Site<'_>, files: &mut Files<'_>) -> Result<Network, Diagnostic> {
    let model = model(site, files)?;
    let others = others(site.written, model.medium);
    let args = &site.record.args;
    let wanted = args.count("stations");
    let points = args.count("rows") * args.count("columns");
    if points > MOST_POINTS {
        let what = format!("the grid has {points} points, more than {MOST_POINTS}");
        let fix = "write fewer rows or columns, and a larger spacing";
        return Err(site.record.need("rows").refuse(Fault::new(what, fix)));
    }
    let place = |cell| point(site, &model, cell);
    let free = |at: &[f64; 2]| others.iter().all(|other| distance(*at, *other) > SAME);
    let mut places: Vec<[f64; 2]> = cells(site).map(place).filter(free).collect();
    if wanted > places.len() as u64 {
        let at_fault = site.record.need("stations");
        let what = format!(
            "`{}`: {wanted} stations do not fit the {} free points of the grid",
            at_fault.path,
            places.len()
        );
        let fix = "write fewer stations, or more rows and columns";
        return Err(at_fault.refuse(Fault::new(what, fix)));
    }
    let wanted = wanted as usize;
    let seed = if args.has("seed") {
        args.count("seed")
    } else {
        site.seed
    };
    let mut random = Random::stream(seed, "topology", ROW.variant.kind);
    for _ in 0..MOST_DRAWS {
        for i in 0..wanted {
            let other = random.between(i as u64, places.len() as u64 - 1) as usize;
            places.swap(i, other);
        }
        let chosen = &places[..wanted];
        if args.has("reach") && !joined(chosen, &others, args.number("reach")) {
            continue;
        }
        let mut network = Network::default();
        for (i, at) in chosen.iter().enumerate() {
            network.node(format!("s{i}"), &station(&model, *at));
        }
        return Ok(network);
    }
    let at_fault = site.record.need("reach");
    let what = format!(
        "`{}`: of {MOST_DRAWS} draws of the places none joins all stations by hops of {} m",
        at_fault.path,
        args.number("reach")
    );
    let fix = "write more stations, a smaller grid or a longer reach";
    Err(at_fault.refuse(Fault::new(what, fix)))
}

/// Places of the written stations of a medium.
fn others(written: &BTreeMap<String, NodeKind>, medium: usize) -> Vec<[f64; 2]> {
    let place = |kind: &NodeKind| match kind {
        NodeKind::Station(radios) => radios.iter().find(|r| r.medium == medium).map(|r| r.at),
        NodeKind::Host { .. } | NodeKind::Switch(_) => None,
    };
    written.values().filter_map(place).collect()
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
