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

#[cfg(test)]
mod tests {
    use backwater_transport::units::Span;

    use super::*;
    use crate::mechanism::notice::Form;
    use crate::mechanism::notifier::judgements::{OwnSteps, OwnTerms};
    use crate::mechanism::notifier::{Audience, Cast, Terms};
    use crate::table::Id;

    /// Queues are spoken for together where they are to be marked, and where no notice stands.
    #[test]
    fn who_marks_speaks_for_queues_that_are_to_be_marked() {
        let terms = |carrier| Terms {
            form: Form::Pause,
            audience: Audience::Feeders,
            window: Span::ZERO,
            quanta: 1,
            refresh: 0.5,
            per_class: false,
            addresses: None,
            cast: Cast::Each,
            carrier,
        };
        let own = OwnSteps::new(OwnTerms { exponent: 15 }, 0, &[], [0; 4]);
        for (memory, marks) in [(Memory::Marks, true), (Memory::Own(Box::new(own)), false)] {
            let control = Control::new(Id::new(0), 0, memory);
            assert_eq!(control.speaks_like(Some(&terms(CarriedBy::Mark))), marks);
            assert!(!control.speaks_like(Some(&terms(CarriedBy::Frame))));
            assert!(control.speaks_like(None));
        }
    }
}
