//! Star: hosts h1… and a server D at one switch. What several hosts send to D meets at the port `W>D`.

use backwater_sim::spec::Routing;
use backwater_transport::part::{Default, Kind, Opt};

use super::fields::SWITCH_MODEL;
use super::row::{Generator, Network, Site};
use crate::diagnostic::Diagnostic;
use crate::fields::wire::{DELAY, MAX_FRAME, OBEYS, RATE};
use crate::files::Files;
use crate::shape::{Field, Variant};

/// The row of the table.
pub const ROW: Generator = Generator {
    variant: Variant {
        kind: "star",
        summary: "hosts and a server D at one switch W",
        source: "the field's standard incast",
        fields: &[
            Field::option(
                Opt::new(
                    "hosts",
                    Kind::Count,
                    Default::Required,
                    "hosts h1, h2… at the switch W, beside the server D",
                )
                .at_least("1")
                .at_most("4096"),
            ),
            RATE,
            DELAY,
            Field::option(
                Opt::new(
                    "bottleneck",
                    Kind::Rate,
                    Default::Required,
                    "line rate of the link between the switch and the server",
                )
                .at_least("1 bit/s"),
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
    let host = site.host();
    let mut network = Network::default();
    network.node("W", &site.switch(files)?);
    network.node("D", &host);
    network.link("W", "D", site.cable("bottleneck", "delay"));
    for i in 1..=site.record.args.count("hosts") {
        let name = format!("h{i}");
        network.link(&name, "W", site.cable("rate", "delay"));
        network.node(&name, &host);
    }
    Ok(network)
}
