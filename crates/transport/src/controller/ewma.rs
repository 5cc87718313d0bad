//! A moving average of round trips as the congestion signal: see `signal_aimd`.

use crate::building_blocks::signal_aimd::{self, SignalAimd};
use crate::controller_interface::BuildOf;
use crate::part::{Default, Kind, Opt, Part};

/// AIMD with this signal.
pub type Ewma = SignalAimd<{ signal_aimd::EWMA }>;

/// The row.
pub const PART: Part<BuildOf<Ewma>> = Part {
    id: "ewma",
    aliases: &[],
    summary: "AIMD on a moving average of round trips",
    source: "6.829 report, future work",
    options: &[
        Opt::new(
            "gain",
            Kind::Number,
            Default::Is("0.125"),
            "weight of a new round trip in the average",
        )
        .at_least("0.001")
        .at_most("1"),
        signal_aimd::THRESHOLD,
        signal_aimd::ALPHA,
        signal_aimd::BETA,
        signal_aimd::LEAST,
        signal_aimd::CAP,
    ],
    build: |args, setup| Ewma::new(args, setup),
};
