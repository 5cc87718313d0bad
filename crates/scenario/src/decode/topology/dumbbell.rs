//! Dumbbell: senders s1… at switch L, receivers d1… at switch R, and a link between the two.

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
        kind: "dumbbell",
        summary: "senders at a switch L, receivers at a switch R, a bottleneck between the two",
        source: "the field's standard bottleneck",
        fields: &[
            Field::option(
                Opt::new(
                    "pairs",
                    Kind::Count,
                    Default::Required,
                    "senders s1, s2… at switch L and as many receivers d1, d2… at switch R",
                )
                .at_least("1")
                .at_most("65536"),
            ),
            RATE,
            DELAY,
            Field::option(
                Opt::new(
                    "bottleneck",
                    Kind::Rate,
                    Default::Required,
                    "line rate of the link between the switches",
                )
                .at_least("1 bit/s"),
            ),
            Field::option(
                Opt::new(
                    "bottleneck_delay",
                    Kind::Span,
                    Default::Required,
                    "its propagation delay",
                )
                .at_most("1000 s"),
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
    let (host, switch) = (site.host(), site.switch(files)?);
    let access = site.cable("rate", "delay");
    let mut network = Network::default();
    for name in ["L", "R"] {
        network.node(name, &switch);
    }
    network.link("L", "R", site.cable("bottleneck", "bottleneck_delay"));
    for i in 1..=site.record.args.count("pairs") {
        for (side, name) in [("L", format!("s{i}")), ("R", format!("d{i}"))] {
            network.link(&name, side, access);
            network.node(name, &host);
        }
    }
    Ok(network)
}
