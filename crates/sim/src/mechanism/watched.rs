//! A place that a detector watches, and what is counted there.

use super::detector::{AnyDetector, Detector};
use super::moment::{Moment, Seen, Signal};
use super::needs::Set;
use super::place::{Holdings, Place, Rhythm, Tally, View};
use crate::limit::MAX_CLASSES;

/// Which arrivals and departures a detector observes; from others nothing could follow.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Observes {
    /// None: it looks at its timer only.
    None,
    /// Arrivals in a class that is not congested, departures from one that is.
    Changes,
    /// All.
    All,
}

impl Observes {
    /// By what a detector says that it needs.
    fn of(detector: &AnyDetector) -> Observes {
        let needs = detector.needs().needs;
        match detector {
            _ if needs.has(Set::HOLDINGS) || needs.has(Set::OVERHEARING) => Observes::All,
            AnyDetector::Custom(_) => Observes::All,
            _ if needs.has(Set::RATES) => Observes::None,
            _ => Observes::Changes,
        }
    }
}

/// A watched place.
#[derive(Clone, Debug)]
pub struct Watched {
    /// Where.
    pub(super) place: Place,
    pub(super) detector: AnyDetector,
    pub(super) observes: Observes,
    /// Whether it looks at how long frames have waited.
    pub(super) times: bool,
    /// Bits of the classes that are congested.
    pub(super) congested: u8,
    /// From an arrival that leaves no more than this in its queue nothing follows, unless its class is congested.
    pub(super) calm: u64,
    /// Bits of the neighbours that may be told while congestion lasts.
    pub(super) audience: u64,
    /// Whether its node counts it among its alarms.
    pub(super) noted: bool,
    /// The last signal of each class.
    pub(super) signals: [Signal; MAX_CLASSES],
    /// Rates, where a part needs them.
    pub(super) tally: Option<Box<Tally>>,
    /// Bytes by neighbour, where a part needs them.
    pub(super) holdings: Option<Box<Holdings>>,
}

impl Watched {
    /// A place at which nothing has happened.
    pub fn new(
        place: Place,
        detector: AnyDetector,
        rhythm: Option<Rhythm>,
        holdings: bool,
    ) -> Watched {
        Watched {
            place,
            observes: Observes::of(&detector),
            times: detector.needs().needs.has(Set::SOJOURN),
            detector,
            congested: 0,
            calm: 0,
            audience: 0,
            noted: false,
            signals: [Signal::Clear; MAX_CLASSES],
            tally: rhythm.map(|rhythm| Box::new(Tally::new(rhythm))),
            holdings: holdings.then(Box::default),
        }
    }

    #[inline]
    pub(super) fn is_congested(&self, class: usize) -> bool {
        self.congested >> class & 1 == 1
    }

    /// Lets the detector observe; gives what it says, which is remembered.
    #[inline]
    pub(super) fn observe(&mut self, moment: &Moment, view: &mut View) -> Option<Signal> {
        view.congested = self.is_congested(view.class);
        let signal = match &mut self.holdings {
            None => self.detector.observe(moment, view)?,
            Some(holdings) => {
                holdings.observe(moment);
                let holdings = Some(&**holdings);
                self.detector.observe(moment, &View { holdings, ..*view })?
            }
        };
        self.signals[view.class] = signal;
        Some(signal)
    }

    /// Whether congestion would last without the frames that can't leave. What the detector says of that is not remembered.
    pub(super) fn lasts_without(&mut self, held_back: &HeldBack, view: &View) -> bool {
        let mut left = self.holdings.as_deref().cloned();
        for seen in &held_back.frames {
            if let Some(left) = &mut left {
                left.observe(&Moment::Lost(seen));
            }
        }
        let view = View {
            held: held_back.rest,
            holdings: left.as_ref(),
            ..*view
        };
        let signal = self.detector.observe(&Moment::Expiring, &view);
        signal.is_none_or(Signal::congested)
    }
}

/// Frames of a class that gates hold back.
#[derive(Clone, Debug, Default)]
pub struct HeldBack {
    /// Which.
    pub frames: Vec<Seen>,
    /// The other bytes or frames that the class holds, in the unit of its room.
    pub rest: u64,
}
