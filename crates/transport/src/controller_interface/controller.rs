//! The trait that every controller implements, and how a row of the table builds one.

use super::decisions::{Departure, Inspect, Limits, Reduction};
use super::driven::Driven;
use super::signals::{Ack, Congestion, Idle, Lost, Sent};
use crate::congestion_header::Layout;
use crate::forecast::Forecaster;
use crate::part::{Args, Refusal};
use crate::protocol::Protocol;
use crate::random::Random;
use crate::segment::{Ecn, Signal};
use crate::units::Time;
use crate::walk::Walk;

/// How a row builds its controller.
pub type BuildOf<C> = fn(&Args, &Setup) -> Result<C, Refusal>;

/// The arguments that every controller needs besides its options.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Whether what is lost is sent again.
    pub protocol: Protocol,
    /// Payload bytes of a full segment (SMSS).
    pub mss: u64,
    /// Bytes of such a segment on the link, headers included.
    pub frame: u64,
    /// Initial window in bytes (RFC 6928).
    pub initial: u64,
    /// The controller's own random stream.
    pub random: Random,
}

/// A congestion controller.
pub trait Controller {
    /// The sender has processed an acknowledgement. If it also begins a congestion episode,
    /// `on_congestion` is called first.
    fn on_ack(&mut self, ack: &Ack);

    /// Congestion begins or ends.
    fn on_congestion(&mut self, congestion: &Congestion);

    /// The present limits of the sender.
    fn limits(&self) -> Limits;

    /// A packet has come that acknowledges nothing, such as a notification of marks.
    fn on_signal(&mut self, _now: Time, _signal: &Signal) {}

    /// A segment leaves.
    fn on_sent(&mut self, _sent: &Sent) -> Departure {
        Departure::Ignored
    }

    /// A segment has been declared lost. Called for each segment, before `on_congestion` and `on_ack`.
    fn on_lost(&mut self, _lost: &Lost) {}

    /// Transmission restarts after an idle time. Controllers that model the path use their own rules.
    fn on_idle(&mut self, _idle: &Idle) {}

    /// The forecaster that the receiver runs for this controller.
    fn forecaster(&self) -> Option<Forecaster> {
        None
    }

    /// The congestion header that its segments carry and its receiver echoes.
    fn congestion_header(&self) -> Option<Layout> {
        None
    }

    /// Whether queues on the way send it notices (`Signal::Notice`).
    fn receives_notices(&self) -> bool {
        false
    }

    /// The share of the way to the target of a router that it goes at an acknowledgement; none without such a target.
    fn approach(&self) -> Option<f64> {
        None
    }

    /// Bytes of that header.
    fn congestion_header_bytes(&self) -> u64 {
        self.congestion_header().map_or(0, Layout::bytes)
    }

    /// Bytes of the datagram that leaves now although the window is full; zero for none. A stream sends
    /// a full segment then, which may be a retransmission.
    fn heartbeat(&self) -> u64 {
        0
    }

    /// The timer `limits().wake` has expired.
    fn on_timer(&mut self, _now: Time) {}

    /// Its random stream; none where it draws nothing.
    fn stream(&mut self) -> Option<&mut Random> {
        None
    }

    /// How the window comes down in recovery.
    fn reduction(&self) -> Reduction {
        Reduction::Proportional
    }

    /// The codepoint its segments carry.
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }

    /// Visits its state. Without such a visit no run with the flow is skipped.
    fn walk(&mut self, walk: &mut Walk, flow: &str) {
        walk.unable(flow, "its controller has a state that is not compared");
    }

    /// State for plots and records.
    fn inspect(&self) -> Inspect {
        Inspect::default()
    }
}

/// Most segments that a window of a controller from outside the tables counts for: a window without a bound would put a source
/// without an end into memory at once. The largest window of TCP is smaller, 65 535 × 2^14 B (RFC 7323 section 2.2), which
/// are 741 541 segments of 1448 B.
pub const MOST_SEGMENTS: u64 = 1_000_000;

/// A controller from outside the tables, such as one written in Python. Forking a simulation forks it
/// too.
pub trait CustomController: Controller + std::fmt::Debug + Send + Sync {
    /// An independent copy.
    fn fork(&self) -> Box<dyn CustomController>;

    /// A warning for the report of a run, in one line.
    fn warning(&self) -> Option<String> {
        None
    }

    /// The fault of the controller, which ends its run.
    fn fault(&self) -> Option<&Refusal> {
        None
    }

    /// The same as one that is driven from outside, if it is.
    fn driven(&self) -> Option<&Driven> {
        None
    }

    /// The same, to be told.
    fn driven_mut(&mut self) -> Option<&mut Driven> {
        None
    }
}

impl Clone for Box<dyn CustomController> {
    fn clone(&self) -> Self {
        self.fork()
    }
}
