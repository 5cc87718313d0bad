//! Stretches of a run that repeat what was before. When the state of a world relative to the present is what it was a while
//! ago, the future repeats that while: counters grow by as much, and the marks of the fingerprint come again, later. So whole
//! periods are added up and not served. The result is that of the full run to the last bit.
//!
//! * `tape` keeps the marks of one period, `recurrence` finds one, `search` holds what a run knows, `world/skip` jumps.
//! * A method `walk` visits the state of each struct, beside it or in a file `walk.rs`. A struct is taken apart there by all its
//!   fields, so that a new one does not compile before it has its place. What has no such method is refused.

mod recurrence;
mod search;
mod tape;

use backwater_transport::units::{Span, Time};
pub use backwater_transport::walk::Unable;

pub(crate) use recurrence::{EACH, PAUSE, Recurrence, hash};
pub(crate) use search::{Skip, Timers, Trial};
pub(crate) use tape::{Tape, detail};

/// A stretch that was skipped.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// When it begins.
    pub from: Time,
    /// The length of a period.
    pub period: Span,
    /// How many periods it has.
    pub periods: u64,
    /// The events of each.
    pub events: u64,
}
