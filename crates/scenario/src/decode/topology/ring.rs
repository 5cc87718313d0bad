//! Ring of switches s0…, with hosts h0… at each: the first `hosts` of them at s0.

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
        kind: "ring",
        summary: "switches in a ring, hosts at each",
        source: "the smallest network whose back-pressure can deadlock",
        fields: &[
            Field::option(
                Opt::new(
                    "switches",
                    Kind::Count,
                    Default::Required,
                    "switches in the ring",
                )
                .at_least("3")
                .at_most("1024"),
            ),
            Field::option(
                Opt::new(
                    "hosts",
                    Kind::Count,
                    Default::Is("1"),
                    "hosts at each switch",
                )
                .at_least("1")
                .at_most("16"),
            ),
            RATE,
            DELAY,
            MAX_FRAME,
            OBEYS,
            SWITCH_MODEL,
        ],
    },
    routing: Routing::ShortestPath,
    build,
};

fn build(site: &Site<'_>, files: &mut Files<'_>) -> Result<Network, Diagnostic> {
    let (host, switch) = (site.host(), site.switch(files)?);
    let cable = site.cable("rate", "delay");
    let args = &site.record.args;
    let (switches, hosts) = (args.count("switches"), args.count("hosts"));
    let mut network = Network::default();
    for i in 0..switches {
        let name = format!("s{i}");
        network.link(&name, &format!("s{}", (i + 1) % switches), cable);
        for j in 0..hosts {
            let end = format!("h{}", i * hosts + j);
            network.link(&end, &name, cable);
            network.node(end, &host);
        }
        network.node(name, &switch);
    }
    Ok(network)
}
