//! What has been counted and recorded (`Books`), and the pending events (`Calendar`).

use crate::books::Books;
use crate::calendar::Calendar;

/// The state that almost every step of a world writes.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// What has happened.
    pub(crate) books: Books,
    /// Events to come.
    pub(crate) calendar: Calendar,
}
