//! The events that a controller written in Python receives: one object for each call.

use backwater_transport::controller::{Ack, Cause, Congestion, Idle, Sent};
use backwater_transport::units::{Span, Time};
use pyo3::prelude::*;

/// The arguments that a controller is made from.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct ControllerSetup {
    /// Name of the flow.
    pub(super) flow: String,
    /// Payload bytes of a full segment.
    #[pyo3(name = "mss_B")]
    pub(super) mss: u64,
    /// Initial window.
    #[pyo3(name = "initial_B")]
    pub(super) initial: u64,
    /// For a generator of random numbers: the run's seed and the flow's name determine it.
    pub(super) seed: u64,
}

/// An acknowledgement.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct AckSeen {
    now_s: f64,
    #[pyo3(name = "acked_B")]
    acked: u64,
    #[pyo3(name = "advanced_B")]
    advanced: u64,
    #[pyo3(name = "lost_B")]
    lost: u64,
    #[pyo3(name = "marked_B")]
    marked: u64,
    #[pyo3(name = "in_flight_B")]
    in_flight: u64,
    rtt_s: Option<f64>,
    srtt_s: f64,
    rtt_min_s: f64,
    delivery_bps: Option<u64>,
    round: u64,
    recovering: bool,
    /// Number of the newest transmission acknowledged.
    number: u64,
}

/// A round trip: what was acknowledged from the beginning of one round to that of the next.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct RoundSeen {
    pub(super) now_s: f64,
    pub(super) took_s: f64,
    #[pyo3(name = "acked_B")]
    pub(super) acked: u64,
    #[pyo3(name = "lost_B")]
    pub(super) lost: u64,
    #[pyo3(name = "marked_B")]
    pub(super) marked: u64,
    #[pyo3(name = "in_flight_B")]
    pub(super) in_flight: u64,
    pub(super) rtt_min_s: Option<f64>,
    pub(super) rtt_mean_s: Option<f64>,
    pub(super) srtt_s: f64,
    pub(super) round: u64,
}

/// Congestion, told once for each round at most.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct CongestionSeen {
    now_s: f64,
    cause: &'static str,
    #[pyo3(name = "in_flight_B")]
    in_flight: u64,
    #[pyo3(name = "lost_B")]
    lost: u64,
}

/// Nothing was in flight, and a segment is about to leave.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct IdleSeen {
    now_s: f64,
    /// Most that the flow's `after_idle` leaves a window; none where it sets no bound.
    #[pyo3(name = "window_B")]
    window: Option<u64>,
}

/// A segment leaves.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct SentSeen {
    now_s: f64,
    /// Number of the transmission: 0, 1, 2 and so on.
    number: u64,
    #[pyo3(name = "len_B")]
    len: u64,
    /// This segment included.
    #[pyo3(name = "in_flight_B")]
    in_flight: u64,
    /// It was sent before.
    again: bool,
    /// The application has nothing more to send.
    app_limited: bool,
}

/// The instant has come that the controller asked for.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct TimerSeen {
    now_s: f64,
}

impl From<&Ack<'_>> for AckSeen {
    fn from(ack: &Ack<'_>) -> AckSeen {
        AckSeen {
            now_s: ack.now.seconds(),
            acked: ack.acked,
            advanced: ack.advanced,
            lost: ack.lost,
            marked: ack.marked,
            in_flight: ack.in_flight,
            rtt_s: ack.rtt.map(Span::seconds),
            srtt_s: ack.srtt.seconds(),
            rtt_min_s: ack.min_rtt.seconds(),
            delivery_bps: ack.rate.map(|sample| sample.rate().0),
            round: ack.round,
            recovering: ack.recovering,
            number: ack.number,
        }
    }
}

impl From<&Congestion> for CongestionSeen {
    fn from(congestion: &Congestion) -> CongestionSeen {
        CongestionSeen {
            now_s: congestion.now.seconds(),
            cause: match congestion.cause {
                Cause::Loss => "loss",
                Cause::Mark => "mark",
                Cause::Timeout => "timeout",
                Cause::Spurious => "spurious",
                Cause::Recovered => "recovered",
            },
            in_flight: congestion.in_flight,
            lost: congestion.lost,
        }
    }
}

impl From<&Idle> for IdleSeen {
    fn from(idle: &Idle) -> IdleSeen {
        IdleSeen {
            now_s: idle.now.seconds(),
            window: (idle.window < u64::MAX).then_some(idle.window),
        }
    }
}

impl From<&Sent> for SentSeen {
    fn from(sent: &Sent) -> SentSeen {
        SentSeen {
            now_s: sent.now.seconds(),
            number: sent.number,
            len: sent.len,
            in_flight: sent.in_flight,
            again: sent.again,
            app_limited: sent.app_limited,
        }
    }
}

impl From<Time> for TimerSeen {
    fn from(now: Time) -> TimerSeen {
        TimerSeen {
            now_s: now.seconds(),
        }
    }
}
