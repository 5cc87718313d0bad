//! Facts that a caller makes otherwise while a world runs.

use super::World;
use crate::altered::Altered;

impl World {
    /// The changes that hold from the present on.
    pub fn alter(&mut self) -> &mut Altered {
        self.shared.run.books.altered.get_or_insert_default()
    }

    /// The changes, and the facts that were seen since somebody asked.
    pub fn altered(&self) -> Option<&Altered> {
        self.shared.run.books.altered.as_deref()
    }
}
