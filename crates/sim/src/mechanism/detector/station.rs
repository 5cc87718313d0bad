//! Detectors that watch what an 802.11 station forwards. They are asked once in a period, for each access
//! category; `relay` adds up what they see.

use backwater_transport::part::{Args, Default, Kind, Opt};
use backwater_transport::units::Span;

use super::{Detector, Level, QueueRateDifference, RateComparison, Watch};

/// What a relay saw of an access category within its window.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Bytes that came in to be forwarded.
    pub came: u64,
    /// Bytes that the next stations acknowledged.
    pub left: u64,
    /// Share of time for which the medium was busy.
    pub busy: f64,
    /// Share of the buffer in use, at the end of the window.
    pub queued: f64,
}

/// What follows for the upstream stations.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Those that send more than their flows leave with must send less.
    Less,
    /// All of them must.
    LessOfAll,
    /// Nothing.
    Keep,
    /// They may send more.
    More,
}

impl Judgement {
    /// Whether the category is congested.
    pub fn congested(self) -> bool {
        matches!(self, Judgement::Less | Judgement::LessOfAll)
    }
}

/// How often a relay looks, and how far back.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Rhythm {
    /// How often.
    pub period: Span,
    /// Periods in the window.
    pub window: usize,
}

pub(super) const PERIOD: Opt = Opt::new(
    "period",
    Kind::Span,
    Default::Is("250 ms"),
    "how often it looks",
)
.at_least("1 ms")
.at_most("10 s");
pub(super) const WINDOW: Opt = Opt::new(
    "window",
    Kind::Count,
    Default::Is("4"),
    "periods in the sliding window",
)
.at_least("1")
.at_most("100");

pub(super) fn rhythm(args: &Args) -> Rhythm {
    Rhythm {
        period: args.span("period"),
        window: args.count("window") as usize,
    }
}

/// Every detector of stations.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum StationDetector {
    /// What came in against what left.
    RateComparison(RateComparison),
    /// The queue, and what came in against what left.
    QueueRateDifference(QueueRateDifference),
}

impl StationDetector {
    /// When it looks.
    pub fn rhythm(&self) -> Rhythm {
        match self {
            StationDetector::RateComparison(d) => d.rhythm,
            StationDetector::QueueRateDifference(d) => d.rhythm,
        }
    }

    /// Judges an access category.
    pub fn judge(&self, seen: &Seen) -> Judgement {
        match self {
            StationDetector::RateComparison(d) => d.judge(seen),
            StationDetector::QueueRateDifference(d) => d.judge(seen),
        }
    }

    /// Whether it wants to know how full a buffer is.
    pub fn needs_bound(&self) -> bool {
        matches!(self, StationDetector::QueueRateDifference(_))
    }
}

/// Stations ask it every period, not at each frame.
impl Detector for StationDetector {
    fn watch(&self) -> Watch {
        Watch::Station
    }

    fn alarm(&mut self, _: &Level) -> bool {
        false
    }

    fn relief(&mut self, _: &Level) -> bool {
        true
    }
}
