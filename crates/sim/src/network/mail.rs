//! Notices on their way to the port that reacts.

use crate::ids::NoticeId;
use crate::mechanism::notice::Notice;
use crate::table::Id;

/// Slots for notices on their way, with reuse.
#[derive(Clone, Debug, Default)]
pub struct Mail {
    slots: Vec<Option<Notice>>,
    free: Vec<u32>,
}

impl Mail {
    /// Keeps a notice until it is taken.
    pub fn put(&mut self, notice: Notice) -> NoticeId {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(notice);
                Id::raw(slot)
            }
            None => {
                self.slots.push(Some(notice));
                NoticeId::new(self.slots.len() - 1)
            }
        }
    }

    /// Looks at a notice.
    pub fn see(&self, id: NoticeId) -> &Notice {
        self.slots[id.index()]
            .as_ref()
            .expect("a notice on its way")
    }

    /// Puts a notice in the place of one that is on its way.
    pub fn replace(&mut self, id: NoticeId, notice: Notice) {
        self.slots[id.index()] = Some(notice);
    }

    /// Takes a notice out.
    pub fn take(&mut self, id: NoticeId) -> Notice {
        self.free.push(id.0);
        self.slots[id.index()].take().expect("a notice on its way")
    }
}
