//! Detects and tells: left to the recipe. Responds: a token bucket holds the category to the rate asked for, whatever
//! the next hop.
//! Reference: alternative to S0's AIFSN, for comparison. Differences: none known.

use backwater_transport::part::Part;

use super::Build;
use super::own::{OWN, OWN_WHILE, Shares};
use super::steps::{Knob, Steps};

/// The row.
pub const PART: Part<Build> = Part {
    id: "token-bucket",
    aliases: &[],
    summary: "the category sends no faster than the rate asked for",
    source: "alternative to S0's AIFSN",
    options: &[OWN, OWN_WHILE],
    build: |args| Ok(Steps::responder(Knob::Rate, 0, [1; 4], Shares::of(args))),
};
