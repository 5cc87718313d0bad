//! The state of a mechanism at a node, for `skip`: what its detectors see and whom its notifier has told.

use std::any::Any;

use backwater_transport::walk::Walk;

use super::{Control, Watched};
use crate::mechanism::detector::Detector;
use crate::mechanism::moment::Signal;
use crate::mechanism::notifier::Standing;

impl Control {
    pub(crate) fn walk(&mut self, walk: &mut Walk) {
        let Control {
            node: _,
            number: _,
            notifier,
            facts: _,
            neighbours: _,
            places,
            outbox,
        } = self;
        walk.same(outbox.len() as u64);
        let notifier: &mut dyn Any = &mut **notifier;
        match notifier.downcast_mut::<Standing>() {
            Some(standing) => standing.walk(walk),
            None => walk.unable("mechanisms", "its notifier keeps no standing notices"),
        }
        places.iter_mut().for_each(|place| place.walk(walk));
    }

    /// The serial of the live timer of a neighbour.
    pub(crate) fn epoch(&self, neighbour: u8) -> u16 {
        let notifier: &dyn Any = &*self.notifier;
        let standing = notifier.downcast_ref::<Standing>();
        standing.map_or(0, |standing| standing.epoch(neighbour))
    }
}

impl Watched {
    fn walk(&mut self, walk: &mut Walk) {
        let Watched {
            place: _,
            detector,
            observes: _,
            times,
            congested,
            calm,
            audience: _,
            noted,
            signals,
            tally,
            holdings,
        } = self;
        if detector.remembers() || *times || tally.is_some() || holdings.is_some() {
            walk.unable("mechanisms", "its detector looks at more than levels");
        }
        walk.same(*congested);
        walk.same(*calm);
        walk.same(*noted);
        for signal in signals {
            walk.same(match signal {
                Signal::Congested => 0u64,
                Signal::CongestedByAll => 1,
                Signal::EarlyWarning => 2,
                Signal::Easing => 3,
                Signal::Clear => 4,
                Signal::Underused => 5,
                Signal::Back(steps) => 6 + u64::from(*steps),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::DETECTORS;
    use crate::mechanism::place::Place;
    use crate::table::Id;
    use backwater_transport::part::{Args, Value};
    use backwater_transport::units::Time;

    /// Between its marks a queue is congested or not by what was before. In a network somebody was told so, too; a queue without a
    /// neighbour to tell has nothing else.
    #[test]
    fn whether_a_queue_is_congested_is_seen() {
        let row = DETECTORS.iter().find(|row| row.id == "watermark");
        let marks = [("high", 0.8), ("low", 0.7)].map(|(name, share)| (name, Value::Share(share)));
        let detector = (row.expect("a row").build)(&Args(marks.to_vec())).expect("legal marks");
        let mut watched = Watched::new(Place::Egress(Id::NONE), detector, None, false);
        let mut state = |congested: u8| {
            watched.congested = congested;
            let mut walk = Walk::look(Time::ZERO);
            watched.walk(&mut walk);
            walk.seen().expect("a detector of levels").state
        };
        let states = [0, 1, 2].map(&mut state);
        assert!(states[0] != states[1] && states[1] != states[2]);
        assert_eq!(state(1), states[1]);
    }
}
