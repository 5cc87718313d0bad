//! A queue for each class; the highest class with a frame that may leave goes first, without
//! interrupting the frame in transmission (non-preemptive). The choice is made when the last bit of
//! the frame before has left, a gap before the next begins, so a frame of a higher class that comes in
//! during the gap waits for one frame more: the high class waits up to 1.1 % longer than in the
//! textbook's queue (`validation/queues.py` has both forms). To choose at the end of the gap would
//! take a second event for each frame on wires shorter than the gap.

use backwater_transport::part::Part;

use super::row::{Build, SCHEDULED_CLASSES};

/// So many class queues.
#[derive(Copy, Clone, Debug)]
pub struct StrictPriority(pub usize);

/// The row.
pub const PART: Part<Build<StrictPriority>> = Part {
    id: "strict-priority",
    aliases: &[],
    summary: "a queue for each class, the highest class first",
    source: "S2 simulation model; IEEE 802.1Q clause 8.6.8.1",
    options: &[SCHEDULED_CLASSES],
    build: |args| Ok(StrictPriority(args.count("classes") as usize).into()),
};
