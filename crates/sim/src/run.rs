//! The counts and records of a run (`Books`), and the pending events (`Calendar`).

use crate::books::Books;
use crate::calendar::Calendar;

/// The state that almost every step of a world writes.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The counts and records so far.
    pub(crate) books: Books,
    /// Events to come.
    pub(crate) calendar: Calendar,
}
