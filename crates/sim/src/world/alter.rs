//! Facts that a caller makes otherwise while a world runs.

use super::World;
use crate::altered::Altered;

impl World {
    /// What is made otherwise from the present on.
    pub fn alter(&mut self) -> &mut Altered {
        self.shared.run.books.altered.get_or_insert_default()
    }

    /// What is made otherwise, and what was seen since somebody asked.
    pub fn altered(&self) -> Option<&Altered> {
        self.shared.run.books.altered.as_deref()
    }
}
