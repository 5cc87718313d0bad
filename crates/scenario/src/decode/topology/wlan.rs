//! WLAN with a wired back-haul: stations s1… on a circle round the access point AP, which a wire joins to the
//! router R and its fixed nodes d1….

use backwater_sim::spec::{NodeKind, Routing};
use backwater_transport::part::{Default, Kind, Opt};
use backwater_transport::units::Span;

use super::fields::{ORIGIN, STATIONS, SWITCH_MODEL};
use super::row::{Cable, Generator, Network, Site};
use super::stations::{model, station, station_of};
use crate::decode::record::Record;
use crate::decode::served;
use crate::diagnostic::Diagnostic;
use crate::fields::wire::{MAX_FRAME, OBEYS};
use crate::files::Files;
use crate::shape::{Field, Shape, Variant};
use crate::tree::Node;
use crate::units;
use crate::wireless::of_station;

/// The row of the table.
pub const ROW: Generator = Generator {
    variant: Variant {
        kind: "wlan",
        summary: "802.11 stations s1, s2… on a circle round an access point AP, wired to a router R with fixed nodes d1, d2…",
        source: "iACP: a WLAN with a wired back-haul",
        fields: of_station![
            STATIONS,
            Field::option(
                Opt::new(
                    "radius",
                    Kind::Metres,
                    Default::Is("10 m"),
                    "distance of the stations from the access point",
                )
                .at_least("0.01 m"),
            ),
            Field::option(
                Opt::new(
                    "fixed",
                    Kind::Count,
                    Default::Is("1"),
                    "how many fixed nodes"
                )
                .at_least("1")
                .at_most("4096"),
            ),
            ORIGIN,
            Field::option(
                Opt::new(
                    "wire_rate",
                    Kind::Rate,
                    Default::Required,
                    "line rate of the links AP-R and R-d1, R-d2…",
                )
                .at_least("1 bit/s"),
            ),
            Field::option(
                Opt::new(
                    "wire_delay",
                    Kind::Span,
                    Default::Required,
                    "propagation delay of these links",
                )
                .at_most("1000 s"),
            ),
            Field::free(
                "delays",
                Shape::Texts,
                "propagation delays of R-d1, R-d2… one after the other, again from the first where there are fewer; `wire_delay` where it is left out",
            ),
            Field::free(
                "station_mcs",
                Shape::Texts,
                "MCS of s1, s2… one after the other, again from the first where there are fewer, from 802.11n on; `mcs` where it is left out",
            ),
            Field::free(
                "station_streams",
                Shape::Texts,
                "spatial streams of s1, s2… likewise; `streams` where it is left out",
            ),
            MAX_FRAME,
            OBEYS,
            SWITCH_MODEL,
        ],
    },
    routing: Routing::Tree,
    build,
};

fn build(site: &Site<'_>, files: &mut Files<'_>) -> Result<Network, Diagnostic> {
    let mut network = Network::default();
    let model = model(site, files)?;
    let args = &site.record.args;
    let (stations, radius) = (args.count("stations"), args.number("radius"));
    network.node("AP", &station(&model, model.at));
    let modes = served::modes(
        &site.record,
        &site.media[model.medium],
        model.mode,
        stations,
    )?;
    for i in 0..stations {
        // None lies due east, where a drawing has the wires.
        let angle = std::f64::consts::TAU * (i as f64 + 0.5) / stations as f64;
        let at = [
            model.at[0] + radius * libm::cos(angle),
            model.at[1] + radius * libm::sin(angle),
        ];
        let mode = modes.get(i as usize).copied();
        network.node(format!("s{}", i + 1), &station_of(&model, mode, at));
    }
    network.node("R", &site.switch(files)?);
    let cable = site.cable("wire_rate", "wire_delay");
    network.link("AP", "R", cable);
    fixed_nodes(site, cable, &site.host(), &mut network)?;
    Ok(network)
}

fn fixed_nodes(
    site: &Site<'_>,
    cable: Cable,
    host: &NodeKind,
    network: &mut Network,
) -> Result<(), Diagnostic> {
    let delays = delays(&site.record)?;
    for i in 0..site.record.args.count("fixed") {
        let delay = delays.get(i as usize % delays.len().max(1));
        let delay = delay.copied().unwrap_or(cable.delay);
        let name = format!("d{}", i + 1);
        network.link("R", &name, Cable { delay, ..cable });
        network.node(name, host);
    }
    Ok(())
}

fn delays(record: &Record<'_>) -> Result<Vec<Span>, Diagnostic> {
    let Some(node) = record.get("delays") else {
        return Ok(Vec::new());
    };
    let delay = |item: &Node| units::span(item.text()?).map_err(|fault| item.refuse(fault));
    node.list()?.iter().map(delay).collect()
}
