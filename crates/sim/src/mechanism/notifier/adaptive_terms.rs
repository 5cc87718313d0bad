//! The decisions of a notifier whose notices have a duration that adapts.

use backwater_transport::units::Span;

use super::row::Reach;
use super::terms::Cast;
use crate::mechanism::needs::{Needs, Set};

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::MANAGEMENT.and(Set::QUEUE));

/// The decisions of the notifier.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptiveTerms {
    /// Expected duration of the first congestion.
    pub initial: Span,
    /// Factor where it was too short.
    pub increase: f64,
    /// Factor where it was too long.
    pub decrease: f64,
    /// Bounds of the duration.
    pub bounds: [Span; 2],
    /// How long before a notice expires the buffer is looked at.
    pub lead: Span,
    /// Unit of the element's times.
    pub unit: Span,
    /// Whether each departure from a buffer that is clear decreases the duration.
    pub each_departure: bool,
    /// Whether a station that may send nothing itself renews its notices.
    pub renew_when_stopped: bool,
    /// Whether an early warning names the destination whose packets fill the buffer.
    pub by_destination: bool,
    /// Share of the buffer's contents whose owner is told by an early warning.
    pub owner: f64,
    /// That share is one of the buffer, not of its contents.
    pub owner_of_buffer: bool,
    /// How all are told.
    pub cast: Cast,
    /// Who is told of congestion.
    pub reach: Reach,
    /// The element has room for a destination's address.
    pub addressed: bool,
}
