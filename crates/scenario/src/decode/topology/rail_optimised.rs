//! Rail-optimised: servers of several cards each. Card r of every server of a group is at the same rail switch, so the same cards of
//! the group's servers are one hop apart. Spine switches join the rails, and servers have no other way between their own cards.

use backwater_sim::spec::Routing;
use backwater_transport::part::{Default, Kind, Opt};

use super::fields::{SWITCH_MODEL, UP_DELAY, UP_RATE, count};
use super::row::{Generator, Network, Site};
use crate::diagnostic::Diagnostic;
use crate::fields::wire::{DELAY, MAX_FRAME, OBEYS, RATE};
use crate::files::Files;
use crate::shape::{Field, Variant};

/// The row of the table.
pub const ROW: Generator = Generator {
    variant: Variant {
        kind: "rail-optimised",
        summary: "servers of several cards, the same card of each at one switch, spines above",
        source: "NVIDIA, DGX SuperPOD reference architecture; Wang et al., Rail-only, HOTI 2024",
        fields: &[
            count("servers", "servers of each group"),
            count(
                "cards",
                "cards of each server, and rail switches of each group: card r of server s is host h(s x cards + r)",
            ),
            count(
                "spines",
                "spine switches s0, s1… above the rail switches rG-R",
            ),
            Field::option(
                Opt::new(
                    "groups",
                    Kind::Count,
                    Default::Is("1"),
                    "groups of servers that share rail switches",
                )
                .at_least("1")
                .at_most("256"),
            ),
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
    let (servers, cards, spines) = (count("servers"), count("cards"), count("spines"));
    let (host, switch) = (site.host(), site.switch(files)?);
    let access = site.cable("rate", "delay");
    let up = site.cable_or("up_rate", "up_delay", access);
    let mut network = Network::default();
    for spine in 0..spines {
        network.node(format!("s{spine}"), &switch);
    }
    for group in 0..count("groups") {
        for rail in 0..cards {
            let name = format!("r{group}-{rail}");
            for server in 0..servers {
                let host_name = format!("h{}", (group * servers + server) * cards + rail);
                network.link(&host_name, &name, access);
                network.node(host_name, &host);
            }
            for spine in 0..spines {
                network.link(&name, &format!("s{spine}"), up);
            }
            network.node(name, &switch);
        }
    }
    Ok(network)
}
