//! Detects and tells: left to the recipe. Responds: doubles CWmin for each step, up to CWmax.
//! Reference: alternative to S0's AIFSN, for comparison. Differences: none known.

use backwater_transport::part::Part;

use super::Build;
use super::own::{OWN, OWN_WHILE, Shares};
use super::steps::{Knob, STEPS, Steps};

/// The row.
pub const PART: Part<Build> = Part {
    id: "cw-min",
    aliases: &[],
    summary: "CWmin doubled for each request for less, halved for each for more",
    source: "alternative to S0's AIFSN",
    options: &[STEPS, OWN, OWN_WHILE],
    build: |args| {
        let most = [args.count("steps") as u8; 4];
        Ok(Steps::responder(Knob::CwMin, 0, most, Shares::of(args)))
    },
};
