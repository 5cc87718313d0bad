//! Detectors: when is a queue congested, and when no longer. Each looks at one place, an egress
//! port's class queues or what came in over one interface, after every change there.

mod dynamic_threshold;
mod fill_rate;
mod ingress_watermark;
mod watermark;

use backwater_transport::part::{Args, Part, Refusal};
use backwater_transport::units::Time;

pub use dynamic_threshold::DynamicThreshold;
pub use fill_rate::FillRate;
pub use ingress_watermark::IngressWatermark;
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

/// What a detector found.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Congestion begins.
    Congested,
    /// Congestion is over.
    Relieved,
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
}

/// Says when congestion begins and ends. Signals of one class alternate.
pub trait Detector {
    /// Looks at a class after something changed.
    fn observe(&mut self, level: &Level) -> Option<Signal>;
}

/// Every detector.
#[derive(Clone, Debug)]
pub enum AnyDetector {
    /// Occupancy thresholds.
    Watermark(Watermark),
    /// Predicted occupancy.
    FillRate(FillRate),
    /// Bytes by ingress.
    IngressWatermark(IngressWatermark),
    /// Shared memory.
    DynamicThreshold(DynamicThreshold),
}

impl AnyDetector {
    /// Where it looks.
    pub fn watch(&self) -> Watch {
        match self {
            AnyDetector::Watermark(_) | AnyDetector::FillRate(_) => Watch::Egress,
            AnyDetector::IngressWatermark(_) => Watch::Ingress,
            AnyDetector::DynamicThreshold(_) => Watch::Pool,
        }
    }

    /// Whether a departure that leaves this level could end an alarm. Never says no wrongly.
    pub fn may_relieve(&self, level: &Level) -> bool {
        match self {
            AnyDetector::Watermark(d) => d.may_relieve(level),
            AnyDetector::FillRate(d) => d.may_relieve(level),
            AnyDetector::IngressWatermark(_) | AnyDetector::DynamicThreshold(_) => true,
        }
    }

    /// Bytes of a buffer above the high mark, for detectors that have one.
    pub fn slack(&self, buffer: u64) -> Option<u64> {
        match self {
            AnyDetector::Watermark(d) => Some(d.slack(buffer)),
            AnyDetector::FillRate(_)
            | AnyDetector::IngressWatermark(_)
            | AnyDetector::DynamicThreshold(_) => None,
        }
    }
}

impl Detector for AnyDetector {
    fn observe(&mut self, level: &Level) -> Option<Signal> {
        match self {
            AnyDetector::Watermark(d) => d.observe(level),
            AnyDetector::FillRate(d) => d.observe(level),
            AnyDetector::IngressWatermark(d) => d.observe(level),
            AnyDetector::DynamicThreshold(d) => d.observe(level),
        }
    }
}

/// Which classes are congested; the memory that gives every detector its hysteresis.
#[derive(Copy, Clone, Debug, Default)]
struct Latch(u8);

impl Latch {
    /// Enters or leaves the state of a class; says so when it changed.
    fn turn(&mut self, class: usize, enter: bool, leave: bool) -> Option<Signal> {
        let bit = 1 << class;
        if self.0 & bit == 0 && enter {
            self.0 |= bit;
            Some(Signal::Congested)
        } else if self.0 & bit != 0 && leave {
            self.0 &= !bit;
            Some(Signal::Relieved)
        } else {
            None
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
];
