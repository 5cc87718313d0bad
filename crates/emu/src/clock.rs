//! The wall clock of an emulation: the time of a world since it began.

use backwater_transport::units::Time;

use crate::system;

/// Picoseconds in a nanosecond.
const PS: u64 = 1000;

/// A clock that began with the world.
#[derive(Copy, Clone, Debug)]
pub struct Clock {
    begun_ns: u64,
}

impl Clock {
    /// Begins now.
    pub fn begin() -> Clock {
        Clock {
            begun_ns: system::monotonic_ns(),
        }
    }

    /// Began at this instant of the system's clock.
    pub fn begun_at(begun_ns: u64) -> Clock {
        Clock { begun_ns }
    }

    /// Shows this now.
    pub fn showing(now_ns: u64) -> Clock {
        Clock {
            // A machine that has just started may have a clock that shows less.
            begun_ns: system::monotonic_ns().wrapping_sub(now_ns),
        }
    }

    /// When it began, by the system's clock.
    pub fn begun_ns(&self) -> u64 {
        self.begun_ns
    }

    /// The present. A world's time ends after 213 days, as it does here.
    pub fn now(&self) -> Time {
        Time(system::monotonic_ns().wrapping_sub(self.begun_ns) * PS)
    }

    /// Nanoseconds of the system's clock at an instant of the world, rounded up: nothing happens early.
    pub fn system_ns(&self, at: Time) -> u64 {
        self.begun_ns.wrapping_add(at.0.div_ceil(PS))
    }
}
