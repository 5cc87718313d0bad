//! Grid of 802.11 stations, one at each point: s0-0, s0-1…, row before column.

use backwater_sim::spec::Routing;

use super::fields::{COLUMNS, ORIGIN, ROWS, SPACING};
use super::row::{Generator, Network, Site};
use super::stations::{cells, model, point, station};
use crate::diagnostic::Diagnostic;
use crate::files::Files;
use crate::shape::Variant;
use crate::wireless::of_station;

/// The row of the table.
pub const ROW: Generator = Generator {
    variant: Variant {
        kind: "grid",
        summary: "802.11 stations s0-0, s0-1…, one at each point of a grid: row, then column",
        source: "S0: two-dimensional scenarios",
        fields: of_station![ROWS, COLUMNS, SPACING, ORIGIN,],
    },
    routing: Routing::Airtime,
    build,
};

fn build(site: &Site<'_>, files: &mut Files<'_>) -> Result<Network, Diagnostic> {
    let model = model(site, files)?;
    let mut network = Network::default();
    for [row, column] in cells(site) {
        let at = point(site, &model, [row, column]);
        network.node(format!("s{row}-{column}"), &station(&model, at));
    }
    Ok(network)
}
