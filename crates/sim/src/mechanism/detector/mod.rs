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

#[cfg(test)]
pub use queue_rate_difference::QueueRateDifference;
#[cfg(test)]
pub use rate_comparison::RateComparison;
pub use row::Detector;
pub use script::needs as script_needs;

crate::custom::custom! {
    /// A detector from outside this crate.
    CustomDetector: Detector
}

backwater_transport::parts! {
    /// Every detector.
    pub enum AnyDetector: Detector or Custom(Box<dyn CustomDetector>) {
        fn needs(&self) -> Needs;
        fn remembers(&self) -> bool;
        fn rhythm(&self) -> Option<Rhythm>;
        #[inline]
        fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal>;
        #[inline]
        fn may_relieve(&self, view: &View) -> bool;
        fn field(&self) -> u64;
        #[inline]
        fn serves_first(&self, class: u8) -> Option<(u32, u32)>;
        fn knob(&mut self) -> Option<Knob<'_>>;
        fn slack(&self, buffer: u64) -> Option<u64>;
        fn xoff(&self) -> Option<u64>;
    }

    /// Every detector of the tables.
    pub static DETECTORS with NEEDS: Needs, then script;

    watermark::Watermark,
    sojourn::Sojourn,
    fill_rate::FillRate in Box,
    ingress_watermark::IngressWatermark,
    dynamic_threshold::DynamicThreshold,
    rate_comparison::RateComparison,
    queue_rate_difference::QueueRateDifference in Box,
    occupancy::Occupancy,
    overheard_backlog::OverheardBacklog in Box,
    differential_backlog::DifferentialBacklog in Box,
}

impl From<script::Script> for AnyDetector {
    fn from(script: script::Script) -> AnyDetector {
        AnyDetector::Custom(Box::new(script))
    }
}

/// How a row builds its detector.
pub type Build = part::Build<AnyDetector>;

/// Occupancy of a buffer; for recipes.
pub const OCCUPANCY: &str = occupancy::PART.id;

/// Backlog of the next station, as it is overheard; for recipes.
pub const OVERHEARD_BACKLOG: &str = overheard_backlog::PART.id;

/// The own queue less the next station's; for recipes.
pub const DIFFERENTIAL_BACKLOG: &str = differential_backlog::PART.id;

/// Detectors that a host makes. A world that holds one and has no host is refused.
pub static HOSTED: &[Part<Build>] =
    &[script::PART.with_build(|args| (script::PART.build)(args).map(AnyDetector::from))];
