//! Detects: left to the recipe. Tells: a priority PAUSE frame with the vector of congested classes.
//! Responds: left to the recipe. Reference: IEEE 802.1Qbb (frame of Annex 31D of 802.3).
//! Differences: a frame names the classes that changed and leaves the others' timers alone.

use backwater_transport::part::Part;

use super::row::Build;
use super::terms::{AUDIENCE, CARRIER, CAST, QUANTA, REFRESH, Terms, WINDOW, base};
use crate::mechanism::notice::Form;

/// The row.
pub const PART: Part<Build> = Part {
    id: "pfc",
    aliases: &["802.1Qbb"],
    summary: "priority PAUSE frames: a class vector, a time",
    source: "IEEE 802.1Qbb",
    options: &[AUDIENCE, WINDOW, QUANTA, REFRESH, CAST, CARRIER],
    build: |args| {
        Ok(Terms {
            per_class: true,
            ..base(args, Form::Pfc)
        }
        .into())
    },
};
