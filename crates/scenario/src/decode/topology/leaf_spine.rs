//! Leaf and spine: hosts h0… at leaf switches l0…, each leaf joined to each spine switch s0….

use backwater_sim::spec::Routing;

use super::fields::{SWITCH_MODEL, UP_DELAY, UP_RATE, count};
use super::row::{Generator, Network, Site};
use crate::diagnostic::Diagnostic;
use crate::fields::wire::{DELAY, MAX_FRAME, OBEYS, RATE};
use crate::files::Files;
use crate::shape::Variant;

/// The row of the table.
pub const ROW: Generator = Generator {
    variant: Variant {
        kind: "leaf-spine",
        summary: "hosts at leaf switches, each leaf joined to each spine switch",
        source: "Al-Fares, Loukissas and Vahdat, SIGCOMM 2008, two tiers",
        fields: &[
            count("leaves", "leaf switches l0, l1…"),
            count("spines", "spine switches s0, s1…"),
            count("hosts", "hosts at each leaf; h0, h1… in all"),
            RATE,
            DELAY,
            UP_RATE,
            UP_DELAY,
            MAX_FRAME,
            OBEYS,
            SWITCH_MODEL,
        ],
    },
    routing: Routing::Ecmp,
    build,
};

fn build(site: &Site<'_>, files: &mut Files<'_>) -> Result<Network, Diagnostic> {
    let count = |name| site.record.args.count(name);
    let (host, switch) = (site.host(), site.switch(files)?);
    let access = site.cable("rate", "delay");
    let up = site.cable_or("up_rate", "up_delay", access);
    let mut network = Network::default();
    for spine in 0..count("spines") {
        network.node(format!("s{spine}"), &switch);
    }
    for leaf in 0..count("leaves") {
        let name = format!("l{leaf}");
        for i in 0..count("hosts") {
            let host_name = format!("h{}", leaf * count("hosts") + i);
            network.link(&host_name, &name, access);
            network.node(host_name, &host);
        }
        for spine in 0..count("spines") {
            network.link(&name, &format!("s{spine}"), up);
        }
        network.node(name, &switch);
    }
    Ok(network)
}
