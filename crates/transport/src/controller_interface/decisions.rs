//! What a controller answers: limits for the sender, the header of a segment, values for plots.

use crate::segment::Feedback;
use crate::units::{Rate, Time};

/// What a controller makes of a departure.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Departure {
    /// Nothing, now or ever: it need not be told of another.
    Ignored,
    /// It took note.
    Noted,
    /// It took note, and the header of the segment says this.
    Announced(Feedback),
}

/// What the sender may do.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Limits {
    /// Most bytes in flight.
    pub window: u64,
    /// Rate at which segments leave; none = as the window allows.
    pub pacing: Option<Rate>,
    /// When `on_timer` wants to be called; `NEVER` for none.
    pub wake: Time,
}

impl Limits {
    /// A window in bytes; as fast as it allows, and no timer.
    pub fn of(window: u64) -> Limits {
        Limits {
            window,
            pacing: None,
            wake: Time::NEVER,
        }
    }
}

/// How the sender brings the window down when recovery begins.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Proportional rate reduction toward `limits().window` (RFC 9937), where recovery has it.
    Proportional,
    /// At once: `limits().window` holds as it stands.
    Direct,
}

/// What a controller shows for plots and records.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Inspect {
    /// Slow-start threshold, bytes; none where the controller has none.
    pub ssthresh: Option<u64>,
    /// Name of the state it is in.
    pub state: &'static str,
    /// Up to four values of its own, by name.
    pub values: [(&'static str, f64); 4],
}

impl Inspect {
    /// Fewer than four values, with nothing in the places left.
    pub fn values<const N: usize>(shown: [(&'static str, f64); N]) -> [(&'static str, f64); 4] {
        let mut values = [("", 0.0); 4];
        values[..N].copy_from_slice(&shown);
        values
    }
}
