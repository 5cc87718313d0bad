//! Rail-optimised: servers of several cards each. Card r of every server of a group is at the same rail switch, so the same cards of
//! the group's servers are one hop apart. Spine switches join the rails, and servers have no other way between their own cards.

use backwater_sim::spec::Routing;
use backwater_transport::part::{Default, Kind, Opt};

use super::fabric::{Fabric, fields};
use super::fields::count;
use super::row::{Generator, Network, Site};
use crate::diagnostic::Diagnostic;
use crate::files::Files;
use crate::shape::{Field, Variant};

/// The row of the table.
pub const ROW: Generator = Generator {
    variant: Variant {
        kind: "rail-optimised",
        summary: "servers of several cards, the same card of each at one switch, spines above",
        source: "NVIDIA, DGX SuperPOD reference architecture; Wang et al., Rail-only, HOTI 2024",
        fields: fields!(
            [
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
            ],
            []
        ),
    },
    routing: Routing::Ecmp,
    build,
};

fn build(site: &Site<'_>, files: &mut Files<'_>) -> Result<Network, Diagnostic> {
    let count = |name| site.record.args.count(name);
    let (servers, cards, spines) = (count("servers"), count("cards"), count("spines"));
    let mut fabric = Fabric::new(site, files)?;
    fabric.spines(spines);
    for group in 0..count("groups") {
        for rail in 0..cards {
            let name = format!("r{group}-{rail}");
            let of = |server| (group * servers + server) * cards + rail;
            fabric.switch(&name, (0..servers).map(of));
            fabric.link_spines(&name, spines);
        }
    }
    Ok(fabric.done())
}
