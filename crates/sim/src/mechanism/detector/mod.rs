//! Detectors: when is a class at a place congested, and when no longer. Each observes what happens at one place: the
//! class queues of an egress port, what came in over an interface, or the categories of an 802.11 station.

mod dynamic_threshold;
mod fill_rate;
mod ingress_watermark;
mod occupancy;
mod queue_rate_difference;
mod rate_comparison;
mod script;
mod watermark;

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};

pub use dynamic_threshold::DynamicThreshold;
pub use fill_rate::FillRate;
pub use ingress_watermark::IngressWatermark;
pub use occupancy::Occupancy;
pub use queue_rate_difference::QueueRateDifference;
pub use rate_comparison::RateComparison;
pub use script::needs as script_needs;
pub use watermark::Watermark;

use super::moment::{Moment, Signal};
use super::needs::{Needs, Set};
use super::place::{Rhythm, View};

/// Says when congestion begins and ends. It hears of what it can need: one of rates of its timer; one of levels of arrivals in
/// classes that are not congested and of departures from those that are; one of bytes by neighbour, and one from outside
/// this crate, of all.
pub trait Detector {
    /// What it needs.
    fn needs(&self) -> Needs {
        Needs::of(Set::BOUND).giving(Set::QUEUE)
    }

    /// When its timer comes.
    fn rhythm(&self) -> Option<Rhythm> {
        None
    }

    /// Something happened to a class at its place.
    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal>;

    /// Whether a departure that leaves this level could end congestion. Never says no wrongly.
    fn may_relieve(&self, _view: &View) -> bool {
        true
    }

    /// Bytes of a buffer above the high mark, for detectors that have one.
    fn slack(&self, _buffer: u64) -> Option<u64> {
        None
    }
}

crate::custom::custom! {
    /// A detector from outside this crate.
    CustomDetector: Detector
}

macro_rules! detectors {
    ($($(#[$doc:meta])* $Name:ident($Inside:ty)),* $(,)?) => {
        /// Every detector.
        #[derive(Clone, Debug)]
        pub enum AnyDetector {
            $($(#[$doc])* $Name($Inside),)*
            /// From outside this crate; not in `DETECTORS`.
            Custom(Box<dyn CustomDetector>),
        }

        impl Detector for AnyDetector {
            fn needs(&self) -> Needs {
                match self {
                    $(AnyDetector::$Name(d) => d.needs(),)*
                    AnyDetector::Custom(d) => d.needs(),
                }
            }

            fn rhythm(&self) -> Option<Rhythm> {
                match self {
                    $(AnyDetector::$Name(d) => d.rhythm(),)*
                    AnyDetector::Custom(d) => d.rhythm(),
                }
            }

            #[inline]
            fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
                match self {
                    $(AnyDetector::$Name(d) => d.observe(moment, view),)*
                    AnyDetector::Custom(d) => d.observe(moment, view),
                }
            }

            #[inline]
            fn may_relieve(&self, view: &View) -> bool {
                match self {
                    $(AnyDetector::$Name(d) => d.may_relieve(view),)*
                    AnyDetector::Custom(d) => d.may_relieve(view),
                }
            }

            fn slack(&self, buffer: u64) -> Option<u64> {
                match self {
                    $(AnyDetector::$Name(d) => d.slack(buffer),)*
                    AnyDetector::Custom(d) => d.slack(buffer),
                }
            }
        }
    };
}

detectors! {
    /// Occupancy thresholds.
    Watermark(Watermark),
    /// Predicted occupancy.
    FillRate(Box<FillRate>),
    /// Bytes by ingress.
    IngressWatermark(IngressWatermark),
    /// Shared memory.
    DynamicThreshold(DynamicThreshold),
    /// What came in against what left.
    RateComparison(RateComparison),
    /// The queue, and what came in against what left.
    QueueRateDifference(Box<QueueRateDifference>),
    /// Occupancy, and what is held for others.
    Occupancy(Occupancy),
}

/// How a row builds its detector.
pub type Build = fn(&Args) -> Result<AnyDetector, Refusal>;

/// Every detector.
pub static DETECTORS: &[Part<Build>] = &[
    watermark::PART,
    fill_rate::PART,
    ingress_watermark::PART,
    dynamic_threshold::PART,
    rate_comparison::PART,
    queue_rate_difference::PART,
    occupancy::PART,
];

/// Occupancy of a buffer; for recipes.
pub const OCCUPANCY: Part<Build> = occupancy::PART;

/// Detectors that a host makes. A world that holds one and has no host is refused.
pub static HOSTED: &[Part<Build>] = &[script::PART];

/// What each of both lists needs, in their order.
pub static NEEDS: &[Needs] = &[
    watermark::NEEDS,
    fill_rate::NEEDS,
    ingress_watermark::NEEDS,
    dynamic_threshold::NEEDS,
    rate_comparison::NEEDS,
    queue_rate_difference::NEEDS,
    occupancy::NEEDS,
    script::NEEDS,
];

const PERIOD: Opt = Opt::new(
    "period",
    Kind::Span,
    Default::Is("250 ms"),
    "how often it looks",
)
.at_least("1 ms")
.at_most("10 s");
const WINDOW: Opt = Opt::new(
    "window",
    Kind::Count,
    Default::Is("4"),
    "periods in the sliding window",
)
.at_least("1")
.at_most("100");

fn rhythm(args: &Args) -> Rhythm {
    Rhythm {
        period: args.span("period"),
        window: args.count("window") as usize,
    }
}
