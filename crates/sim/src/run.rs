//! What has happened, and what is to come.

use crate::books::Books;
use crate::calendar::Calendar;

/// What almost every step of a world writes.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// What has happened.
    pub(crate) books: Books,
    /// Events to come.
    pub(crate) calendar: Calendar,
}
