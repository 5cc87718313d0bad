//! The interface of every detector, and the options that several have. Files of detectors know this one, and not their list.

use backwater_transport::part::{Args, Default, Kind, Opt};

use crate::knob::Knob;
use crate::mechanism::moment::{Moment, Signal};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::place::{Rhythm, View};

/// Says when congestion begins and ends. A detector receives only the events it declares: one of rates its timer; one of levels arrivals in
/// classes that are not congested and departures from those that are; one of bytes by neighbour, and one from outside
/// this crate, all of them.
pub trait Detector {
    /// Its needs.
    fn needs(&self) -> Needs {
        Needs::of(Set::BOUND).giving(Set::QUEUE)
    }

    /// When its timer comes.
    fn rhythm(&self) -> Option<Rhythm> {
        None
    }

    /// Something happened to a class at its place.
    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal>;

    /// Whether a departure that leaves this level could end congestion. May return true needlessly, never false wrongly.
    fn may_relieve(&self, _view: &View) -> bool {
        true
    }

    /// Whether it remembers what it has seen. A run with one that does is not skipped.
    fn remembers(&self) -> bool {
        true
    }

    /// Bytes by which data frames of its station get longer, where they tell how much it holds.
    fn field(&self) -> u64 {
        0
    }

    /// Next station and destination whose packets a category of its station sends first.
    fn serves_first(&self, _class: u8) -> Option<(u32, u32)> {
        None
    }

    /// The parameter that may be changed while a world runs.
    fn knob(&mut self) -> Option<Knob<'_>> {
        None
    }

    /// Bytes of a buffer above the high mark, for detectors that have one.
    fn slack(&self, _buffer: u64) -> Option<u64> {
        None
    }

    /// Bytes of a class that an input may hold before it is congested, for detectors that have such a mark.
    fn xoff(&self) -> Option<u64> {
        None
    }
}

pub use backwater_transport::part::Build;

/// How often a detector of rates looks.
pub const PERIOD: Opt = Opt::new(
    "period",
    Kind::Span,
    Default::Is("250 ms"),
    "how often it looks",
)
.at_least("1 ms")
.at_most("10 s");
/// Over how many of its periods.
pub const WINDOW: Opt = Opt::new(
    "window",
    Kind::Count,
    Default::Is("4"),
    "periods in the sliding window",
)
.at_least("1")
.at_most("100");

/// The two of them.
pub fn rhythm(args: &Args) -> Rhythm {
    Rhythm {
        period: args.span("period"),
        window: args.count("window") as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwater_transport::units::Time;

    /// A detector that says nothing about departures.
    #[derive(Debug)]
    struct Plain;

    impl Detector for Plain {
        fn observe(&mut self, _: &Moment, _: &View) -> Option<Signal> {
            None
        }
    }

    /// It must hear of every departure: one that it does not hear of could be the one that ends congestion.
    #[test]
    fn a_detector_hears_of_every_departure_unless_it_says_otherwise() {
        assert!(Plain.may_relieve(&View::level(Time::ZERO, 0, 100, 100)));
    }
}
