//! The trait that every controller implements, and how a row of the table builds one.

use super::decisions::{Departure, Inspect, Limits, Reduction};
use super::signals::{Ack, Congestion, Idle, Lost, Sent};
use crate::forecast::Forecaster;
use crate::part::{Args, Refusal};
use crate::random::Random;
use crate::segment::Ecn;
use crate::units::Time;

/// How a row builds its controller.
pub type BuildOf<C> = fn(&Args, &Setup) -> Result<C, Refusal>;

/// What every controller is built from besides its options.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Payload bytes of a full segment (SMSS).
    pub mss: u64,
    /// Bytes of such a segment on the link, headers included, as the flow accounts for it.
    pub frame: u64,
    /// Initial window in bytes (RFC 6928).
    pub initial: u64,
    /// The controller's own random stream.
    pub random: Random,
}

/// A congestion controller.
pub trait Controller {
    /// An acknowledgement has come, after the sender has taken note of it. When it also begins a
    /// congestion episode, `on_congestion` is called first.
    fn on_ack(&mut self, ack: &Ack);

    /// The network is congested, or no longer so.
    fn on_congestion(&mut self, congestion: &Congestion);

    /// What the sender may do now.
    fn limits(&self) -> Limits;

    /// A segment leaves.
    fn on_sent(&mut self, _sent: &Sent) -> Departure {
        Departure::Ignored
    }

    /// A segment has been declared lost: called for each, before `on_congestion` and `on_ack`.
    fn on_lost(&mut self, _lost: &Lost) {}

    /// Transmission begins anew. Schemes that measure the path have laws of their own for that.
    fn on_idle(&mut self, _idle: &Idle) {}

    /// What the receiver has to run for this controller, besides acknowledging.
    fn forecaster(&self) -> Option<Forecaster> {
        None
    }

    /// The instant `limits().wake` has come.
    fn on_timer(&mut self, _now: Time) {}

    /// How the window comes down in recovery.
    fn reduction(&self) -> Reduction {
        Reduction::Proportional
    }

    /// The codepoint its segments carry.
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }

    /// State for plots and records.
    fn inspect(&self) -> Inspect {
        Inspect::default()
    }
}

/// A controller from outside the tables, such as one written in Python. It forks with its world.
pub trait CustomController: Controller + std::fmt::Debug + Send + Sync {
    /// A copy that goes its own way.
    fn fork(&self) -> Box<dyn CustomController>;

    /// What the reader of a run has to know of it, in one line.
    fn warning(&self) -> Option<String> {
        None
    }
}

impl Clone for Box<dyn CustomController> {
    fn clone(&self) -> Self {
        self.fork()
    }
}
