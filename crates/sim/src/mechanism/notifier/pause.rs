//! Detects: left to the recipe. Tells: an 802.3x PAUSE frame, which carries no more than a time, to
//! the neighbours that feed the queue. A node's queues are ORed for each neighbour: XOFF while any
//! is congested, XON (zero quanta) when all are clear.
//! Responds: left to the recipe. Reference: IEEE 802.3 Annex 31B.
//! Differences: none known.

use backwater_transport::part::Part;

use super::row::Build;
use super::terms::{AUDIENCE, CARRIER, CAST, QUANTA, REFRESH, WINDOW, base};
use crate::mechanism::notice::Form;

/// The row.
pub const PART: Part<Build> = Part {
    id: "pause",
    aliases: &["802.3x"],
    summary: "PAUSE frames: all classes, a time",
    source: "IEEE 802.3 Annex 31B",
    options: &[AUDIENCE, WINDOW, QUANTA, REFRESH, CAST, CARRIER],
    build: |args| Ok(base(args, Form::Pause).into()),
};
