//! The present of a run and its end.

use backwater_transport::units::Time;

/// The clock of a run.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    /// The time reached.
    pub now: Time,
    /// The end of the scenario.
    pub end: Time,
    /// The end of the warm-up: what is reported begins here.
    pub warm: Time,
    /// Events served.
    pub events: u64,
}

impl Clock {
    /// A clock at the beginning of a run.
    pub fn new(end: Time, warm: Time) -> Clock {
        Clock {
            now: Time::ZERO,
            end,
            warm,
            events: 0,
        }
    }
}
