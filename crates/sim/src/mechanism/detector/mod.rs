//! Detectors: when is a queue congested, and when no longer. Each looks at one place, an egress
//! port's class queues or what came in over one interface, after every change there.

mod dynamic_threshold;
mod fill_rate;
mod ingress_watermark;
mod queue_rate_difference;
mod rate_comparison;
mod script;
pub mod station;
mod watermark;

use backwater_transport::part::{Args, Part, Refusal};
use backwater_transport::units::Time;

pub use dynamic_threshold::DynamicThreshold;
pub use fill_rate::FillRate;
pub use ingress_watermark::IngressWatermark;
pub use queue_rate_difference::QueueRateDifference;
pub use rate_comparison::RateComparison;
pub use script::place as script_place;
use station::StationDetector;
pub use watermark::Watermark;

/// What a detector sees of one class at its place.
#[derive(Copy, Clone, Debug)]
pub struct Level {
    /// Now.
    pub now: Time,
    /// Which class.
    pub class: usize,
    /// Bytes held, the frame in transmission included; under shared memory those in the pool.
    pub held: u64,
    /// Bytes it may hold; under shared memory today's threshold.
    pub room: u64,
    /// Bytes in headroom (shared memory only).
    pub headroom: u64,
}

/// Where a detector looks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Watch {
    /// The class queues of an egress port.
    Egress,
    /// What the node holds of what came in over an interface.
    Ingress,
    /// The same, in a switch with shared memory.
    Pool,
    /// What an 802.11 station forwards.
    Station,
}

/// Says when congestion begins and ends. Arrivals begin it, departures end it.
pub trait Detector {
    /// Where it looks.
    fn watch(&self) -> Watch {
        Watch::Egress
    }

    /// A frame arrived in a class that is not congested: is it now?
    fn alarm(&mut self, level: &Level) -> bool;

    /// A frame left a congested class: is congestion over?
    fn relief(&mut self, level: &Level) -> bool;

    /// Whether a departure that leaves this level could end an alarm. Never says no wrongly.
    fn may_relieve(&self, _level: &Level) -> bool {
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
            fn watch(&self) -> Watch {
                match self {
                    $(AnyDetector::$Name(d) => d.watch(),)*
                    AnyDetector::Custom(d) => d.watch(),
                }
            }

            fn alarm(&mut self, level: &Level) -> bool {
                match self {
                    $(AnyDetector::$Name(d) => d.alarm(level),)*
                    AnyDetector::Custom(d) => d.alarm(level),
                }
            }

            fn relief(&mut self, level: &Level) -> bool {
                match self {
                    $(AnyDetector::$Name(d) => d.relief(level),)*
                    AnyDetector::Custom(d) => d.relief(level),
                }
            }

            fn may_relieve(&self, level: &Level) -> bool {
                match self {
                    $(AnyDetector::$Name(d) => d.may_relieve(level),)*
                    AnyDetector::Custom(d) => d.may_relieve(level),
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
    /// What an 802.11 station forwards.
    Station(StationDetector),
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
];

/// Detectors that a host makes. A world that holds one and has no host is refused.
pub static HOSTED: &[Part<Build>] = &[script::PART];
