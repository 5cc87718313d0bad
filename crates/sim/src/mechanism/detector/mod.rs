//! Detectors say when a class at a place is congested, and when it is clear again. Each observes one place: the
//! class queues of an egress port, what came in over an interface, or the categories of an 802.11 station.

mod differential_backlog;
mod dynamic_threshold;
mod fill_rate;
mod ingress_watermark;
mod occupancy;
mod overheard_backlog;
mod queue_rate_difference;
mod rate_comparison;
mod row;
mod script;
mod sojourn;
mod watermark;

use backwater_transport::part::{self, Part};

use super::moment::{Moment, Signal};
use super::needs::Needs;
use super::place::{Rhythm, View};
use crate::knob::Knob;

pub use differential_backlog::DifferentialBacklog;
pub use dynamic_threshold::DynamicThreshold;
pub use fill_rate::FillRate;
pub use ingress_watermark::IngressWatermark;
pub use occupancy::Occupancy;
pub use overheard_backlog::OverheardBacklog;
pub use queue_rate_difference::QueueRateDifference;
pub use rate_comparison::RateComparison;
pub use row::Detector;
pub use script::needs as script_needs;
pub use sojourn::Sojourn;
pub use watermark::Watermark;

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

        $(impl From<$Name> for AnyDetector {
            fn from(detector: $Name) -> AnyDetector {
                AnyDetector::$Name(detector.into())
            }
        })*

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

            fn field(&self) -> u64 {
                match self {
                    $(AnyDetector::$Name(d) => d.field(),)*
                    AnyDetector::Custom(d) => d.field(),
                }
            }

            #[inline]
            fn serves_first(&self, class: u8) -> Option<(u32, u32)> {
                match self {
                    $(AnyDetector::$Name(d) => d.serves_first(class),)*
                    AnyDetector::Custom(d) => d.serves_first(class),
                }
            }

            fn knob(&mut self) -> Option<Knob<'_>> {
                match self {
                    $(AnyDetector::$Name(d) => d.knob(),)*
                    AnyDetector::Custom(d) => d.knob(),
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
    /// Waiting time of the first frame in line.
    Sojourn(Sojourn),
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
    /// Packets sent that were not overheard to be sent on.
    OverheardBacklog(Box<OverheardBacklog>),
    /// The own queue less the next station's.
    DifferentialBacklog(Box<DifferentialBacklog>),
}

impl From<script::Script> for AnyDetector {
    fn from(script: script::Script) -> AnyDetector {
        AnyDetector::Custom(Box::new(script))
    }
}

/// How a row builds its detector.
pub type Build = part::Build<AnyDetector>;

macro_rules! row {
    ($module:ident) => {
        $module::PART.with_build(|args| ($module::PART.build)(args).map(AnyDetector::from))
    };
}

/// Every detector.
pub static DETECTORS: &[Part<Build>] = &[
    row!(watermark),
    row!(sojourn),
    row!(fill_rate),
    row!(ingress_watermark),
    row!(dynamic_threshold),
    row!(rate_comparison),
    row!(queue_rate_difference),
    row!(occupancy),
    row!(overheard_backlog),
    row!(differential_backlog),
];

/// Occupancy of a buffer; for recipes.
pub const OCCUPANCY: &str = occupancy::PART.id;

/// Backlog of the next station, as it is overheard; for recipes.
pub const OVERHEARD_BACKLOG: &str = overheard_backlog::PART.id;

/// The own queue less the next station's; for recipes.
pub const DIFFERENTIAL_BACKLOG: &str = differential_backlog::PART.id;

/// Detectors that a host makes. A world that holds one and has no host is refused.
pub static HOSTED: &[Part<Build>] = &[row!(script)];

const _: () = assert!(NEEDS.len() == DETECTORS.len() + HOSTED.len());

/// What each of both lists needs, in their order.
pub static NEEDS: &[Needs] = &[
    watermark::NEEDS,
    sojourn::NEEDS,
    fill_rate::NEEDS,
    ingress_watermark::NEEDS,
    dynamic_threshold::NEEDS,
    rate_comparison::NEEDS,
    queue_rate_difference::NEEDS,
    occupancy::NEEDS,
    overheard_backlog::NEEDS,
    differential_backlog::NEEDS,
    script::NEEDS,
];
