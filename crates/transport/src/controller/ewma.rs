//! A moving average of round trips as the sense of congestion: see `sensing`.

use super::Build;
use super::sensing::{self, Sensing};
use crate::part::{Default, Kind, Opt, Part};

/// The law with this sense.
pub type Ewma = Sensing<{ sensing::EWMA }>;

/// The row.
pub const PART: Part<Build> = Part {
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
        sensing::THRESHOLD,
        sensing::ALPHA,
        sensing::BETA,
        sensing::LEAST,
        sensing::CAP,
    ],
    build: |args, setup| Ok(Ewma::new(args, setup)?.into()),
};
