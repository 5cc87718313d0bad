//! Detectors: when is a queue congested, and when no longer. Each looks at one place, an egress
//! port's class queues or what came in over one interface, after every change there.

mod dynamic_threshold;
mod fill_rate;
mod ingress_watermark;
mod rate_comparison;
mod watermark;

use backwater_transport::part::{Args, Part, Refusal};
use backwater_transport::units::Time;

pub use dynamic_threshold::DynamicThreshold;
pub use fill_rate::FillRate;
pub use ingress_watermark::IngressWatermark;
pub use rate_comparison::RateComparison;
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
    /// A frame arrived in a class that is not congested: is it now?
    fn alarm(&mut self, level: &Level) -> bool;

    /// A frame left a congested class: is congestion over?
    fn relief(&mut self, level: &Level) -> bool;
}

/// Every detector.
#[derive(Clone, Debug)]
pub enum AnyDetector {
    /// Occupancy thresholds.
    Watermark(Watermark),
    /// Predicted occupancy.
    FillRate(Box<FillRate>),
    /// Bytes by ingress.
    IngressWatermark(IngressWatermark),
    /// Shared memory.
    DynamicThreshold(DynamicThreshold),
    /// What came in and left at a relay.
    RateComparison(RateComparison),
}

impl AnyDetector {
    /// Where it looks.
    pub fn watch(&self) -> Watch {
        match self {
            AnyDetector::Watermark(_) | AnyDetector::FillRate(_) => Watch::Egress,
            AnyDetector::IngressWatermark(_) => Watch::Ingress,
            AnyDetector::DynamicThreshold(_) => Watch::Pool,
            AnyDetector::RateComparison(_) => Watch::Station,
        }
    }

    /// Whether a departure that leaves this level could end an alarm. Never says no wrongly.
    pub fn may_relieve(&self, level: &Level) -> bool {
        match self {
            AnyDetector::Watermark(d) => d.below(level),
            AnyDetector::FillRate(d) => d.below(level),
            AnyDetector::IngressWatermark(_)
            | AnyDetector::DynamicThreshold(_)
            | AnyDetector::RateComparison(_) => true,
        }
    }

    /// Bytes of a buffer above the high mark, for detectors that have one.
    pub fn slack(&self, buffer: u64) -> Option<u64> {
        match self {
            AnyDetector::Watermark(d) => Some(d.slack(buffer)),
            AnyDetector::FillRate(_)
            | AnyDetector::IngressWatermark(_)
            | AnyDetector::DynamicThreshold(_)
            | AnyDetector::RateComparison(_) => None,
        }
    }
}

impl Detector for AnyDetector {
    fn alarm(&mut self, level: &Level) -> bool {
        match self {
            AnyDetector::Watermark(d) => d.alarm(level),
            AnyDetector::FillRate(d) => d.alarm(level),
            AnyDetector::IngressWatermark(d) => d.alarm(level),
            AnyDetector::DynamicThreshold(d) => d.alarm(level),
            AnyDetector::RateComparison(_) => false,
        }
    }

    fn relief(&mut self, level: &Level) -> bool {
        match self {
            AnyDetector::Watermark(d) => d.relief(level),
            AnyDetector::FillRate(d) => d.relief(level),
            AnyDetector::IngressWatermark(d) => d.relief(level),
            AnyDetector::DynamicThreshold(d) => d.relief(level),
            AnyDetector::RateComparison(_) => true,
        }
    }
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
];
