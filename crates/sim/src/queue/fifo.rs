//! First in, first out: one queue for all classes, so that a closed class gate at its head holds
//! back whatever stands behind.

use backwater_transport::part::Part;

use super::{AnyScheduler, Build};

/// The row.
pub const PART: Part<Build> = Part {
    id: "fifo",
    aliases: &["droptail", "drop-tail"],
    summary: "one first-in first-out queue for all classes",
    source: "S2 simulation model, with one class",
    options: &[],
    build: |_| Ok(AnyScheduler::Fifo.into()),
};
