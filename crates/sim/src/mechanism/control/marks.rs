//! Marks in place of notices: while a class of a place is congested, its packets get congestion experienced (CE).

use super::{Control, Memory};
use crate::mechanism::carrier::CarriedBy;

impl Control {
    /// Whether a packet of this class that joins the queue is to be marked.
    #[inline]
    pub fn marks(&self, place: usize, class: usize) -> bool {
        matches!(self.memory, Memory::Marks) && self.places[place].is_congested(class)
    }

    /// What takes its notices to their receivers.
    pub fn carried_by(&self) -> CarriedBy {
        match &self.memory {
            Memory::Standing(standing) => standing.carried_by(),
            Memory::Requests(_) | Memory::Adaptive(_) | Memory::Own(_) => CarriedBy::Frame,
            Memory::Marks => CarriedBy::Mark,
        }
    }

    /// Whether its places mark packets, and send no notices.
    pub fn only_marks(&self) -> bool {
        matches!(self.memory, Memory::Marks)
    }
}
