//! Arrivals from which nothing can follow pass a detector without a look: those that leave their queue at or below the
//! high mark, where nothing else is counted.

use super::Control;
use crate::mechanism::detector::Detector;
use crate::mechanism::needs::Set;
use crate::mechanism::notifier::row::Cues;
use crate::mechanism::watched::Observes;

impl Control {
    /// Bytes of a buffer that lie above the mark at which a place stops its feeders; none where
    /// they are not stopped or the mark is no share of a buffer.
    pub fn slack(&self, place: usize, buffer: u64) -> Option<u64> {
        let slack = self.places[place].detector.slack(buffer);
        slack.filter(|_| !self.rated())
    }

    /// Bytes of a class that an input may hold before its sender is stopped; none where it is not stopped, or by another rule.
    pub fn xoff(&self, place: usize) -> Option<u64> {
        let xoff = self.places[place].detector.xoff();
        xoff.filter(|_| !self.rated())
    }

    /// Whether a place stops its feeders when its share of a memory is full, so that what comes then needs headroom.
    pub fn needs_headroom(&self, place: usize) -> bool {
        self.places[place].detector.needs().needs.has(Set::POOL) && !self.rated()
    }

    /// Lets arrivals pass without a look while the queue of a place holds no more than its mark. `buffer` is what the queue
    /// may hold.
    pub fn pass_below_the_mark(&mut self, place: usize, buffer: u64) {
        let standing = self.facts.needs_arrivals();
        let slack = self.slack(place, buffer);
        let looks = self.facts.hears.has(Cues::SENDERS);
        let watched = &mut self.places[place];
        let counts = watched.tally.is_some() || watched.observes != Observes::Changes;
        watched.calm = match slack {
            Some(slack) if standing && !looks && !counts => buffer - slack,
            _ => 0,
        };
    }

    /// Whether nothing follows from a frame that joined a queue, which holds `held` now.
    #[inline]
    pub fn passes(&self, place: usize, class: usize, held: u64) -> bool {
        let watched = &self.places[place];
        held <= watched.calm && !watched.is_congested(class)
    }
}

#[cfg(test)]
mod tests {
    use backwater_transport::part::{Args, Value};
    use backwater_transport::units::Span;

    use super::*;
    use crate::ids::PortId;
    use crate::mechanism::DETECTORS;
    use crate::mechanism::notifier::marks::Marks;
    use crate::mechanism::place::Place;
    use crate::mechanism::watched::Watched;
    use crate::table::Id;

    /// A control that watches one queue of 50 kB by a detector with marks at 80 % and 70 %.
    fn watching(detector: &str) -> Control {
        let row = DETECTORS.iter().find(|row| row.id == detector);
        let options = [
            ("high", Value::Share(0.8)),
            ("low", Value::Share(0.7)),
            ("horizon", Value::Span(Span::millis(10))),
            ("window", Value::Span(Span::millis(1))),
        ];
        let built = (row.expect("a row").build)(&Args(options.into())).expect("legal options");
        let place = Place::Egress(PortId::new(0));
        let mut control = Control::new(Id::new(0), 0, Box::new(Marks), &[]);
        control.watch(Watched::new(place, built, None, false));
        control.pass_below_the_mark(0, 50_000);
        control
    }

    #[test]
    fn arrivals_pass_up_to_the_high_mark() {
        let mut control = watching("watermark");
        assert!(control.passes(0, 0, 40_000), "80 % of 50 kB");
        assert!(!control.passes(0, 0, 40_001));
        control.places[0].congested = 1;
        assert!(!control.passes(0, 0, 1), "its class is congested");
        assert!(control.passes(0, 1, 1), "another class is not");
    }

    #[test]
    fn a_detector_that_measures_how_fast_a_queue_fills_sees_every_arrival() {
        assert!(!watching("fill-rate").passes(0, 0, 1));
    }
}
