//! The slope of round trips as the sense of a capacity that collapses: see `sensing`.

use crate::building_blocks::signal_aimd::{self, SignalAimd};
use crate::controller_interface::BuildOf;
use crate::part::{Default, Kind, Opt, Part};

/// AIMD with this signal.
pub type Slope = SignalAimd<{ signal_aimd::SLOPE }>;

/// The row.
pub const PART: Part<BuildOf<Slope>> = Part {
    id: "slope",
    aliases: &[],
    summary: "AIMD that acts when round trips grow faster than time passes",
    source: "6.829 report, future work",
    options: &[
        Opt::new(
            "steepest",
            Kind::Number,
            Default::Is("1"),
            "a greater growth of round trips in time means that capacity collapses",
        )
        .at_least("0.01")
        .at_most("1000"),
        Opt::new(
            "n",
            Kind::Count,
            Default::Is("4"),
            "round trips that the slope and the mean are taken of",
        )
        .at_least("2")
        .at_most("1000"),
        signal_aimd::THRESHOLD,
        signal_aimd::ALPHA,
        signal_aimd::BETA,
        signal_aimd::LEAST,
        signal_aimd::CAP,
    ],
    build: |args, setup| Slope::new(args, setup),
};
