//! What a notifier of standing notices decides.

use backwater_transport::units::Span;

use crate::mechanism::carrier::CarriedBy;
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::notice::Form;

/// What they need.
pub const NEEDS: Needs = Needs::of(Set::NONE);

/// What they need that name addresses: those behind what waits to leave.
pub const NEEDS_OF_ADDRESSES: Needs = Needs::of(Set::QUEUE.and(Set::ROOM));

/// What a notifier of standing notices decides.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Frame layout.
    pub form: Form,
    /// Whom to tell.
    pub audience: Audience,
    /// A frame came from a neighbour no longer ago than this: it is a current sender.
    pub window: Span,
    /// Timer value, in the carrier's units.
    pub quanta: u16,
    /// Share of the timer after which it is sent again.
    pub refresh: f64,
    /// Names the congested class alone rather than all classes.
    pub per_class: bool,
    /// Where destination addresses come from, if the frame names any.
    pub addresses: Option<Addresses>,
    /// A frame to each neighbour, or one to all.
    pub cast: Cast,
    /// What takes the notice there.
    pub carrier: CarriedBy,
}

/// Whom to tell.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Every neighbour but the one the congested port faces.
    Feeders,
    /// Of these, those that sent into the queue lately.
    Senders,
}

/// Where destination addresses come from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// All that are reached through the congested port or station.
    FilteringTable,
    /// Those of the frames in the congested queue.
    Buffer,
}

/// How many frames tell several stations.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cast {
    /// One each.
    Each,
    /// One for all.
    Group,
}

impl Terms {
    /// What they need.
    pub fn needs(&self) -> Needs {
        match self.addresses {
            None => NEEDS,
            Some(_) => NEEDS_OF_ADDRESSES,
        }
    }

    /// Whether notices like these and those can have one timer at a neighbour.
    pub(super) fn alike(&self, other: &Terms) -> bool {
        let timer = |t: &Terms| (t.quanta, t.refresh.to_bits());
        let frame = |t: &Terms| (t.form, t.carrier);
        frame(self) == frame(other) && timer(self) == timer(other)
    }
}
