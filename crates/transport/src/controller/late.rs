//! The age of the oldest segment as the congestion signal: see `signal_aimd`.

use crate::building_blocks::signal_aimd::{self, SignalAimd};
use crate::controller_interface::BuildOf;
use crate::part::Part;

/// AIMD with this signal.
pub type Late = SignalAimd<{ signal_aimd::LATE }>;

/// The row.
pub const PART: Part<BuildOf<Late>> = Part {
    id: "late",
    aliases: &[],
    summary: "AIMD that acts when a segment is late, before its acknowledgement",
    source: "6.829 report, future work",
    options: &[
        signal_aimd::THRESHOLD,
        signal_aimd::ALPHA,
        signal_aimd::BETA,
        signal_aimd::LEAST,
        signal_aimd::CAP,
    ],
    build: |args, setup| Late::new(args, setup),
};
