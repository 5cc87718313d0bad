//! 802.11 stations that generators make.

use backwater_sim::spec::{Mode, NodeKind, StationSpec};

use super::row::Site;
use crate::decode::{media, settings};
use crate::diagnostic::Diagnostic;
use crate::files::Files;

/// The model of all stations, at the place of the first.
pub fn model(site: &Site<'_>, files: &mut Files<'_>) -> Result<StationSpec, Diagnostic> {
    let origin = site
        .record
        .get("at")
        .map_or(Ok([0.0; 2]), settings::place)?;
    media::station_at(&site.record, origin, site.media, files)
}

/// A station of this model at a place.
pub fn station(model: &StationSpec, at: [f64; 2]) -> NodeKind {
    NodeKind::Station(vec![StationSpec {
        at,
        ..model.clone()
    }])
}

/// The same with a mode of its own, where it has one.
pub fn station_of(model: &StationSpec, mode: Option<Mode>, at: [f64; 2]) -> NodeKind {
    let mode = mode.or(model.mode);
    let own = StationSpec {
        mode,
        ..model.clone()
    };
    station(&own, at)
}

/// Rows and columns of a grid, row by row.
pub fn cells(site: &Site<'_>) -> impl Iterator<Item = [u64; 2]> + use<> {
    let args = &site.record.args;
    let (rows, columns) = (args.count("rows"), args.count("columns"));
    (0..rows).flat_map(move |row| (0..columns).map(move |column| [row, column]))
}

/// The place of a row and a column.
pub fn point(site: &Site<'_>, model: &StationSpec, [row, column]: [u64; 2]) -> [f64; 2] {
    let spacing = site.record.args.number("spacing");
    [
        model.at[0] + spacing * column as f64,
        model.at[1] + spacing * row as f64,
    ]
}
