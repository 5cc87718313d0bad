//! The first stage of a link that replays two workloads: packets wait here until a train lets them go. It knows of each of
//! them whether it may leave at once if the queue behind is empty. Trains are described in `medium/trace/trains.rs`.

use std::collections::VecDeque;

use backwater_transport::units::{Span, Time};

use super::Pass;
use crate::medium::trace::TrainReplay;

/// Its name in results.
pub(super) const ID: &str = "light";

/// See the head of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Light {
    trains: TrainReplay,
    /// Of each packet inside, in order: whether it may leave at once.
    inside: VecDeque<bool>,
}

impl Light {
    /// With nothing inside.
    pub fn new(trains: TrainReplay) -> Light {
        Light {
            trains,
            inside: VecDeque::new(),
        }
    }

    /// The shortest base delay of its trains.
    pub fn least(&self) -> Span {
        self.trains.least()
    }

    /// A packet comes in.
    pub(super) fn pass(&mut self, now: Time, len: u16) -> Pass {
        let release = self.trains.release(now, len);
        self.inside.push_back(release.light);
        Pass::At(release.at)
    }

    /// The first packet comes out. True if it may leave at once.
    pub(super) fn come_out(&mut self) -> bool {
        self.inside.pop_front().expect("a packet that was let in")
    }
}
