//! The answers of a controller: limits for the sender, the header of a segment, values for plots.

use crate::segment::Feedback;
use crate::units::{Rate, Time};

/// A controller's answer to a transmission.
#[expect(
    clippy::large_enum_variant,
    reason = "a header is copied into its segment at once, and a box would allocate for each packet"
)]
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Departure {
    /// It ignores transmissions. The sender stops reporting them.
    Ignored,
    /// It has recorded the transmission.
    Noted,
    /// It has recorded the transmission and adds this to the segment's header. With a congestion header its limits stay.
    Announced(Feedback),
}

/// Limits for the sender.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Limits {
    /// Most bytes in flight.
    pub window: u64,
    /// Pacing rate; none for no pacing.
    pub pacing: Option<Rate>,
    /// When to call `on_timer`; `NEVER` for no timer.
    pub wake: Time,
}

impl Limits {
    /// A window in bytes, without pacing or timer.
    pub fn of(window: u64) -> Limits {
        Limits {
            window,
            pacing: None,
            wake: Time::NEVER,
        }
    }
}

/// How the sender reduces the window when recovery begins.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Proportional rate reduction toward `limits().window` (RFC 9937), if the recovery supports it.
    Proportional,
    /// At once to `limits().window`.
    Direct,
}

/// Values of a controller for plots and records.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Inspect {
    /// Slow-start threshold, bytes; none where the controller has none.
    pub ssthresh: Option<u64>,
    /// Name of the state it is in.
    pub state: &'static str,
    /// Up to four named values.
    pub values: [(&'static str, f64); 4],
}

impl Inspect {
    /// Fewer than four values, padded with empty ones.
    pub fn values<const N: usize>(shown: [(&'static str, f64); N]) -> [(&'static str, f64); 4] {
        let mut values = [("", 0.0); 4];
        values[..N].copy_from_slice(&shown);
        values
    }
}
