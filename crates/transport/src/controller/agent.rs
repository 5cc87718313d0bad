//! A window and a pacing rate that come from outside, such as those of a learned policy.
//!
//! Detects, tells, responds: `controller_interface/driven.rs`.
//!
//! Reference: the sender of PCC-RL (Aurora). Differences: the window is part of it.

use crate::controller_interface::{BuildOf, Driven};
use crate::part::Part;

/// The row.
pub const PART: Part<BuildOf<Driven>> = Part {
    id: "agent",
    aliases: &[],
    summary: "window and pacing from outside, as a learned policy gives them (backwater.learn)",
    source: "Jay et al. 2019 (Aurora)",
    options: &[],
    build: |_, setup| Ok(Driven::new(setup)),
};
