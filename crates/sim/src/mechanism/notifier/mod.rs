//! Notifiers decide who is told what, and when that is repeated. A row makes its terms from options, and the terms make the notifier
//! of each node (`row`). Notices of `standing` hold while congestion lasts; a `request` asks for a step; those of `adaptive` end
//! by themselves; `judgements` are steps that a station tells itself; `marks` tells nothing.

pub mod adaptive;
mod adaptive_terms;
mod congestion_notification;
mod destination;
pub mod judgements;
pub mod marks;
mod own_step;
mod pause;
mod pfc;
pub mod request;
pub mod row;
pub mod standing;
pub mod terms;
pub mod voice;
mod walk;

use backwater_transport::part::Part;

pub use adaptive_terms::AdaptiveTerms;
pub use judgements::OwnTerms;
pub use request::Request;
pub use row::{AnyNotifier, Build, Notify, Reach};
pub(super) use standing::Standing;
pub use terms::{Addresses, Audience, Cast, Terms};

use super::needs::{Needs, rows};

rows! {
    /// Every notifier.
    pub static NOTIFIERS;
    pause needs terms::NEEDS,
    pfc needs terms::NEEDS,
    destination needs terms::NEEDS_OF_ADDRESSES,
    request needs request::NEEDS,
    congestion_notification needs adaptive_terms::NEEDS,
    own_step needs judgements::NEEDS,
}

/// Congestion notifications of 802.11s; for recipes.
pub const CONGESTION: Part<Build> = congestion_notification::PART;

/// The station itself; for recipes.
pub const OWN_STEP: Part<Build> = own_step::PART;
