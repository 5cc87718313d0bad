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
