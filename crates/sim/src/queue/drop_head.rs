//! Drop from the head: where a frame does not fit, the oldest make room for it, so that the loss is
//! noticed a queueing delay earlier.
//! Reference: Lakshman, Neidhardt and Ott, INFOCOM 1996; mahimahi's `drophead`.

use backwater_transport::part::Part;

use super::aqm::{Aqm, Frame};
use super::row::{Build, ClassQueue};

/// Drop from the head.
#[derive(Clone, Debug)]
pub struct DropHead;

impl Aqm for DropHead {
    fn victim(&self, arriving: &Frame, queues: &[ClassQueue]) -> Option<usize> {
        (!queues[arriving.queue].list.is_empty()).then_some(arriving.queue)
    }
}

/// The row.
pub const PART: Part<Build<DropHead>> = Part {
    id: "drop-head",
    aliases: &["drophead"],
    summary: "one first-in first-out queue; where a frame does not fit, the oldest make room",
    source: "Lakshman, Neidhardt and Ott, INFOCOM 1996",
    options: &[],
    build: |_| Ok(DropHead.into()),
};
