//! 802.11 stations s0, s1… at points of a grid, drawn without replacement in the order of the names.

use backwater_sim::medium::wifi::spec::High;
use backwater_sim::spec::{NodeKind, Routing, StationSpec};
use backwater_transport::part::{Default, Kind, Opt};
use backwater_transport::random::Random;
use backwater_transport::units::Rate;

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

/// A station, as far as routes depend on it.
#[derive(Clone, Debug)]
struct Placed {
    /// Its radio, by which shadowing is drawn.
    name: String,
    at: [f64; 2],
    /// Rate of its data frames, where it has its own.
    rate: Option<Rate>,
}

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
                "routes",
                Kind::Flag,
                Default::Is("false"),
                "draw again until hops over the medium's channel lead from every station to one that is written beside",
            )),
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
    let others = others(site, model.medium);
    let args = &site.record.args;
    let wanted = args.count("stations");
    let points = args.count("rows") * args.count("columns");
    if points > MOST_POINTS {
        let what = format!("the grid has {points} points, more than {MOST_POINTS}");
        let fix = "write fewer rows or columns, and a larger spacing";
        return Err(site.record.need("rows").refuse(Fault::new(what, fix)));
    }
    let place = |cell| point(site, &model, cell);
    let free = |at: &[f64; 2]| others.iter().all(|other| distance(*at, other.at) > SAME);
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
    if args.flag("routes") && others.is_empty() {
        let what = "no station is written on the medium, so none has a route to one";
        let fix = "write gateways such as nodes.G1, or remove `routes`";
        return Err(site.record.need("routes").refuse(Fault::new(what, fix)));
    }
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
        if args.flag("routes") && !routed(site, &model, chosen, &others) {
            continue;
        }
        let mut network = Network::default();
        for (i, at) in chosen.iter().enumerate() {
            network.node(format!("s{i}"), &station(&model, *at));
        }
        return Ok(network);
    }
    Err(no_draw(site))
}

/// All draws were refused.
fn no_draw(site: &Site<'_>) -> Diagnostic {
    let args = &site.record.args;
    let (name, how) = if args.has("reach") {
        ("reach", format!("by hops of {} m", args.number("reach")))
    } else {
        ("routes", "by hops that the channel allows".to_owned())
    };
    let at_fault = site.record.need(name);
    let what = format!(
        "`{}`: of {MOST_DRAWS} draws of the places none joins all stations {how}",
        at_fault.path,
    );
    let fix = "write more stations, a smaller grid, a longer reach or more power";
    at_fault.refuse(Fault::new(what, fix))
}

/// The written stations of a medium: names of their radios, and places.
fn others(site: &Site<'_>, medium: usize) -> Vec<Placed> {
    let find = |(name, kind): (&String, &NodeKind)| match kind {
        NodeKind::Station(radios) => {
            let radio = radios.iter().position(|r| r.medium == medium)?;
            Some(Placed {
                name: StationSpec::radio_name(name, radio, &site.media[medium].name),
                at: radios[radio].at,
                rate: radios[radio].rate,
            })
        }
        NodeKind::Host { .. } | NodeKind::Switch(_) => None,
    };
    site.written.iter().filter_map(find).collect()
}

/// Whether hops over the channel lead from all places to a written station.
fn routed(site: &Site<'_>, model: &StationSpec, chosen: &[[f64; 2]], others: &[Placed]) -> bool {
    let medium = &site.media[model.medium];
    let drawn = chosen.iter().enumerate().map(|(i, at)| Placed {
        name: format!("s{i}"),
        at: *at,
        rate: model.rate,
    });
    let all: Vec<Placed> = drawn.chain(others.iter().cloned()).collect();
    let names: Vec<&str> = all.iter().map(|o| o.name.as_str()).collect();
    let places: Vec<[f64; 2]> = all.iter().map(|o| o.at).collect();
    let rates: Vec<Option<Rate>> = all.iter().map(|o| o.rate).collect();
    let own = |high: High| High {
        mode: model.mode.unwrap_or(high.mode),
        ..high
    };
    let high = medium.high.map(own);
    let hops = medium.channel.neighbours(
        site.seed,
        &names,
        &places,
        (&medium.phy, high.as_ref()),
        &rates,
    );
    let mut found = vec![false; all.len()];
    let mut waiting: Vec<usize> = (chosen.len()..all.len()).collect();
    while let Some(here) = waiting.pop() {
        if !std::mem::replace(&mut found[here], true) {
            let back = |to: &&usize| hops[**to].contains(&here);
            waiting.extend(hops[here].iter().filter(back));
        }
    }
    found.iter().all(|found| *found)
}

/// Whether hops no longer than `reach` join all places.
fn joined(chosen: &[[f64; 2]], others: &[Placed], reach: f64) -> bool {
    let mut apart: Vec<[f64; 2]> = chosen.to_vec();
    apart.extend(others.iter().map(|other| other.at));
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
