//! Marks in place of notices: while a class of a place is congested, its packets get congestion experienced (CE).

use super::Control;

impl Control {
    /// Whether a packet of this class that joins the queue is to be marked.
    #[inline]
    pub fn marks(&self, place: usize, class: usize) -> bool {
        self.facts.marks() && self.places[place].is_congested(class)
    }

    /// Whether its places mark packets, and send no notices.
    pub fn only_marks(&self) -> bool {
        self.facts.marks()
    }
}
