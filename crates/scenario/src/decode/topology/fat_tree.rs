//! Fat tree: Al-Fares, Loukissas and Vahdat, SIGCOMM 2008. 2h pods of h edge and h aggregation switches, h² core
//! switches, h hosts at each edge switch, h = k/2; more hosts make the tiers above oversubscribed. Hosts h0…, edge eP-I,
//! aggregation aP-I, core c0….

use backwater_sim::spec::Routing;
use backwater_transport::part::{Default, Kind, Opt};

use super::fields::{CORE_DELAY, CORE_RATE, SWITCH_MODEL, UP_DELAY, UP_RATE};
use super::row::{Generator, Network, Site};
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::wire::{DELAY, MAX_FRAME, OBEYS, RATE};
use crate::files::Files;
use crate::shape::{Field, Variant};

/// The row of the table.
pub const ROW: Generator = Generator {
    variant: Variant {
        kind: "fat-tree",
        summary: "k pods of edge and aggregation switches, k^2/4 core switches, k^3/4 hosts",
        source: "Al-Fares, Loukissas and Vahdat, SIGCOMM 2008",
        fields: &[
            Field::option(
                Opt::new(
                    "k",
                    Kind::Count,
                    Default::Required,
                    "ports of each switch, an even number: k^3/4 hosts",
                )
                .at_least("2")
                .at_most("32"),
            ),
            Field::option(
                Opt::new(
                    "hosts",
                    Kind::Count,
                    Default::Absent,
                    "hosts at each edge switch; k/2 where it is left out, and with more the tiers above are oversubscribed",
                )
                .at_least("1")
                .at_most("256"),
            ),
            RATE,
            DELAY,
            UP_RATE,
            UP_DELAY,
            CORE_RATE,
            CORE_DELAY,
            MAX_FRAME,
            OBEYS,
            SWITCH_MODEL,
        ],
    },
    routing: Routing::Ecmp,
    build,
};

fn build(site: &Site<'_>, files: &mut Files<'_>) -> Result<Network, Diagnostic> {
    let k = site.record.args.count("k");
    let (host, switch) = (site.host(), site.switch(files)?);
    let access = site.cable("rate", "delay");
    let up = site.cable_or("up_rate", "up_delay", access);
    let core = site.cable_or("core_rate", "core_delay", up);
    if !k.is_multiple_of(2) {
        let node = site.record.need("k");
        let what = format!("`{}` is odd: half of a switch's ports go up", node.path);
        return Err(node.refuse(Fault::new(what, format!("write {} or {}", k - 1, k + 1))));
    }
    let half = k / 2;
    let hosts = match site.record.args.has("hosts") {
        true => site.record.args.count("hosts"),
        false => half,
    };
    let mut network = Network::default();
    for number in 0..half * half {
        network.node(format!("c{number}"), &switch);
    }
    for pod in 0..2 * half {
        for i in 0..half {
            let (edge, aggregation) = (format!("e{pod}-{i}"), format!("a{pod}-{i}"));
            for j in 0..hosts {
                let name = format!("h{}", (pod * half + i) * hosts + j);
                network.link(&name, &edge, access);
                network.node(name, &host);
            }
            for j in 0..half {
                network.link(&edge, &format!("a{pod}-{j}"), up);
                network.link(&aggregation, &format!("c{}", i * half + j), core);
            }
            network.node(edge, &switch);
            network.node(aggregation, &switch);
        }
    }
    Ok(network)
}
