//! The age of the oldest segment as the sense of congestion: see `sensing`.

use super::Build;
use super::sensing::{self, Sensing};
use crate::part::Part;

/// The law with this sense.
pub type Late = Sensing<{ sensing::LATE }>;

/// The row.
pub const PART: Part<Build> = Part {
    id: "late",
    aliases: &[],
    summary: "AIMD that acts when a segment is late, before its acknowledgement",
    source: "6.829 report, future work",
    options: &[
        sensing::THRESHOLD,
        sensing::ALPHA,
        sensing::BETA,
        sensing::LEAST,
        sensing::CAP,
    ],
    build: |args, setup| Ok(Late::new(args, setup)?.into()),
};
