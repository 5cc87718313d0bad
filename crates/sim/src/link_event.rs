//! Events of wires in the middle of a run, as they are written: they go down, come back, or have another rate for a while.

use backwater_transport::units::{Rate, Span};

/// Something that happens to wires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkEvent {
    /// Name.
    pub name: String,
    /// Links (indices), ascending.
    pub links: Vec<usize>,
    /// When it begins.
    pub at: Span,
    /// When it ends; none where it lasts to the end of the run.
    pub until: Option<Span>,
    /// What.
    pub what: Happening,
}

/// A change of a wire.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// It is down: frames on it, and in the queues at both ends, are lost, and so is what comes to these queues.
    Down {
        /// How long after that switches forward around it, and after its return over it; none where they never do.
        converge: Option<Span>,
    },
    /// It has another line rate.
    Rate(Rate),
    /// The card of the host at its end keeps asking the other end to stop: frames of a class by PFC, or all frames by PAUSE.
    Storm(Option<u8>),
}
