//! First in, first out, without a limit.

use backwater_transport::part::Part;

use super::fifo::Fifo;
use super::row::{Build, Made, Room};

/// The row.
pub const PART: Part<Build<Fifo>> = Part {
    id: "infinite",
    aliases: &[],
    summary: "one first-in first-out queue for all classes, without a limit",
    source: "mahimahi",
    options: &[],
    build: |_| {
        Ok(Made {
            room: Room::Endless,
            ..Fifo.into()
        })
    },
};
