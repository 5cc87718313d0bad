//! Chain of 802.11 stations s0, s1… in a row.

use backwater_sim::spec::Routing;

use super::fields::{ORIGIN, SPACING, STATIONS};
use super::row::{Generator, Network, Site};
use super::stations::{model, point, station};
use crate::diagnostic::Diagnostic;
use crate::files::Files;
use crate::shape::Variant;
use crate::wireless::of_station;

/// The row of the table.
pub const ROW: Generator = Generator {
    variant: Variant {
        kind: "chain",
        summary: "802.11 stations s0, s1… in a row",
        source: "S0 Fig. 6",
        fields: of_station![STATIONS, SPACING, ORIGIN,],
    },
    routing: Routing::Airtime,
    build,
};

fn build(site: &Site<'_>, files: &mut Files<'_>) -> Result<Network, Diagnostic> {
    let model = model(site, files)?;
    let mut network = Network::default();
    for i in 0..site.record.args.count("stations") {
        let at = point(site, &model, [0, i]);
        network.node(format!("s{i}"), &station(&model, at));
    }
    Ok(network)
}
