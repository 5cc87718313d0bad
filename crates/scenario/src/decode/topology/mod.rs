//! Generators of networks: the values of `topology`. Those of wires make nodes and links; those of 802.11 stations
//! make stations, which need no links. A generator is one file and one row of the table.

mod chain;
mod dragonfly;
mod dumbbell;
mod fabric;
mod fat_tree;
mod fields;
mod grid;
mod leaf_spine;
mod rail_optimised;
mod random_grid;
mod ring;
pub mod row;
mod satellite;
mod star;
mod stations;
mod wlan;

use row::Generator;

use crate::shape::Variant;

/// Every generator.
pub const GENERATORS: [Generator; 12] = [
    fat_tree::ROW,
    leaf_spine::ROW,
    dragonfly::ROW,
    rail_optimised::ROW,
    dumbbell::ROW,
    star::ROW,
    ring::ROW,
    wlan::ROW,
    chain::ROW,
    grid::ROW,
    random_grid::ROW,
    satellite::ROW,
];

/// Their names and fields.
pub static TOPOLOGIES: &[Variant] = &VARIANTS;
static VARIANTS: [Variant; GENERATORS.len()] = {
    let mut variants = [GENERATORS[0].variant; GENERATORS.len()];
    let mut i = 1;
    while i < variants.len() {
        variants[i] = GENERATORS[i].variant;
        i += 1;
    }
    variants
};
