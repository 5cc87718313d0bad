//! Notices on their way from a mechanism to the port that reacts.

use crate::ids::{ControlId, NoticeId};
use crate::table::Id;

/// A notice on its way, and the mechanism whose responder answers it.
#[derive(Clone, Debug)]
pub struct Posted {
    /// Whose.
    pub control: ControlId,
    /// What it says.
    pub notice: crate::mechanism::notice::Notice,
}

/// Slots for notices on their way, with reuse.
#[derive(Clone, Debug, Default)]
pub struct Mail {
    slots: Vec<Option<Posted>>,
    free: Vec<u32>,
}

impl Mail {
    /// Keeps a notice until it is taken.
    pub fn put(&mut self, posted: Posted) -> NoticeId {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(posted);
                Id::raw(slot)
            }
            None => {
                self.slots.push(Some(posted));
                NoticeId::new(self.slots.len() - 1)
            }
        }
    }

    /// Looks at a notice.
    pub fn see(&self, id: NoticeId) -> &Posted {
        self.slots[id.index()]
            .as_ref()
            .expect("a notice on its way")
    }

    /// Takes a notice out.
    pub fn take(&mut self, id: NoticeId) -> Posted {
        self.free.push(id.0);
        self.slots[id.index()].take().expect("a notice on its way")
    }
}
