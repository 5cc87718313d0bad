//! First in, first out: one queue for all classes, so that a closed class gate at its head holds
//! back whatever stands behind.

use backwater_transport::part::Part;

use super::aqm::Aqm;
use super::row::Build;

/// The one queue has no choice to make.
#[derive(Copy, Clone, Debug)]
pub struct Fifo;

/// As queue management it judges nothing.
impl Aqm for Fifo {}

/// The row.
pub const PART: Part<Build<Fifo>> = Part {
    id: "fifo",
    aliases: &["droptail", "drop-tail"],
    summary: "one first-in first-out queue for all classes",
    source: "S2 simulation model, with one class",
    options: &[],
    build: |_| Ok(Fifo.into()),
};
