//! Leaf and spine: hosts h0… at leaf switches l0…, each leaf joined to each spine switch s0….

use backwater_sim::spec::Routing;

use super::fabric::{Fabric, fields};
use super::fields::count;
use super::row::{Generator, Network, Site};
use crate::diagnostic::Diagnostic;
use crate::files::Files;
use crate::shape::Variant;

/// The row of the table.
pub const ROW: Generator = Generator {
    variant: Variant {
        kind: "leaf-spine",
        summary: "hosts at leaf switches, each leaf joined to each spine switch",
        source: "Al-Fares, Loukissas and Vahdat, SIGCOMM 2008, two tiers",
        fields: fields!(
            [
                count("leaves", "leaf switches l0, l1…"),
                count("spines", "spine switches s0, s1…"),
                count("hosts", "hosts at each leaf; h0, h1… in all"),
            ],
            []
        ),
    },
    routing: Routing::Ecmp,
    build,
};

fn build(site: &Site<'_>, files: &mut Files<'_>) -> Result<Network, Diagnostic> {
    let count = |name| site.record.args.count(name);
    let (spines, hosts) = (count("spines"), count("hosts"));
    let mut fabric = Fabric::new(site, files)?;
    fabric.spines(spines);
    for leaf in 0..count("leaves") {
        let name = format!("l{leaf}");
        fabric.switch(&name, leaf * hosts..(leaf + 1) * hosts);
        fabric.link_spines(&name, spines);
    }
    Ok(fabric.done())
}
