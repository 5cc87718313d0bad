//! First in, first out, without a limit.

use backwater_transport::part::Part;

use super::{AnyScheduler, Build, Queue, Room};

/// The row.
pub const PART: Part<Build> = Part {
    id: "infinite",
    aliases: &[],
    summary: "one first-in first-out queue for all classes, without a limit",
    source: "mahimahi",
    options: &[],
    build: |_| {
        Ok(Queue {
            room: Room::Endless,
            ..AnyScheduler::Fifo.into()
        })
    },
};
