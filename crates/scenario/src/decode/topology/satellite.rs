//! Satellite: hosts h1… behind terminals t1…, a hub G, and a server D behind the hub. Terminals send to the hub in slots of a medium.

use backwater_sim::medium::tdma;
use backwater_sim::spec::Routing;
use backwater_transport::part::{Default, Kind, Opt};
use backwater_transport::units::Span;

use super::fields::SWITCH_MODEL;
use super::row::{Generator, Network, Site};
use crate::decode::links::tdma::{TerminalLink, terminal};
use crate::diagnostic::Diagnostic;
use crate::fields::wire::{MAX_FRAME, OBEYS};
use crate::files::Files;
use crate::shape::{Field, Shape, Variant};

/// The row of the table.
pub const ROW: Generator = Generator {
    variant: Variant {
        kind: "satellite",
        summary: "hosts behind terminals that share a satellite's return link, a hub and a server",
        source: "ETSI EN 301 790",
        fields: &[
            Field::option(
                Opt::new(
                    "terminals",
                    Kind::Count,
                    Default::Required,
                    "terminals t1, t2…, with a host h1, h2… behind each; all send to the hub G, behind which is the server D",
                )
                .at_least("1")
                .at_most("4096"),
            ),
            Field::needed("medium", Shape::Text, "medium of kind \"tdma\" of the way to the hub"),
            Field::option(tdma::CONSTANT),
            Field::option(tdma::DEMAND),
            Field::option(tdma::MOST),
            Field::option(tdma::OVERHEAD),
            Field::option(
                Opt::new(
                    "delay",
                    Kind::Span,
                    Default::Is("250 ms"),
                    "propagation delay between terminals and hub, each way",
                )
                .at_most("10 s"),
            ),
            Field::option(
                Opt::new(
                    "forward",
                    Kind::Rate,
                    Default::Is("20 Mbit/s"),
                    "line rate from the hub to each terminal",
                )
                .at_least("1 bit/s"),
            ),
            Field::option(
                Opt::new(
                    "wire_rate",
                    Kind::Rate,
                    Default::Is("100 Mbit/s"),
                    "line rate of the links of hosts and of the server",
                )
                .at_least("1 bit/s"),
            ),
            Field::option(
                Opt::new(
                    "wire_delay",
                    Kind::Span,
                    Default::Is("1 ms"),
                    "propagation delay of these links",
                )
                .at_most("10 s"),
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
    let wire = site.cable("wire_rate", "wire_delay");
    let args = &site.record.args;
    let delay: Span = args.span("delay");
    let mut network = Network::default();
    network.node("G", &switch);
    network.node("D", &host);
    network.link("G", "D", wire);
    for i in 1..=args.count("terminals") {
        let (user, here) = (format!("h{i}"), format!("t{i}"));
        network.link(&user, &here, wire);
        network.node(&user, &host);
        network.node(&here, &switch);
        let both = TerminalLink {
            up: terminal(&site.record, site.frames)?,
            rate: args.rate("forward"),
            delay,
            max_frame: wire.max_frame,
        };
        let ends = [here.clone(), "G".to_owned()];
        network.terminals.push((format!("{here}-G"), ends, both));
    }
    Ok(network)
}
