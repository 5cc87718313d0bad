//! What a run knows of its recurrences.

use backwater_transport::units::Time;
use backwater_transport::walk::Seen;

use super::{Recurrence, Stretch};
use crate::ids::FlowId;

/// What becomes of the timers of notices in a period.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Timers {
    /// None goes off and none is started: nothing is skipped beyond the first. Such periods are short.
    Stay,
    /// Each that runs goes off and is started again. So timers are the anchor, the state is looked at after each, and those of
    /// all neighbours have to keep step.
    Move,
}

/// What a run knows of its recurrences.
#[derive(Debug, Default)]
pub(crate) struct Skip {
    /// Periods by deliveries, and by timers.
    pub(crate) short: Recurrence,
    pub(crate) long: Recurrence,
    /// The flow whose deliveries are counted, and how many it had at the last look.
    pub(crate) anchor: Option<FlowId>,
    pub(crate) delivered: u64,
    /// Its delays, and frames received, up to then.
    pub(crate) delays: u128,
    pub(crate) hops: u64,
    /// Timers that went off up to the last look.
    pub(crate) timers: u64,
    /// Deliveries of all flows when an anchor was sought last, and events at which it is sought again.
    pub(crate) counts: Vec<u64>,
    pub(crate) next_choice: u64,
    pub(crate) trial: Option<Box<Trial>>,
    /// Nothing is looked for up to then.
    pub(crate) rest: Time,
    pub(crate) stretches: Vec<Stretch>,
}

/// A copy may be changed, so it begins its search anew.
impl Clone for Skip {
    fn clone(&self) -> Skip {
        Skip {
            counts: self.counts.clone(),
            stretches: self.stretches.clone(),
            ..Skip::default()
        }
    }
}

/// A period that is tried.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    pub(crate) timers: Timers,
    pub(crate) began: Time,
    pub(crate) events: u64,
    /// How often the anchor is to come.
    pub(crate) left: u64,
    pub(crate) seen: Seen,
    /// The number of each flow's next packet.
    pub(crate) numbers: Vec<u32>,
    /// Bytes that the receiver of each connection had delivered.
    pub(crate) delivered: Vec<u64>,
    /// What receivers have delivered since, where that is told second by second: when, of which flow, and its bytes so far.
    pub(crate) log: Vec<(Time, FlowId, u64)>,
}
