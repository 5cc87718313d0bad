//! Responders answer notices. Each place that can be told owns its responder, which moves the
//! knobs of that place: gates and bars of a port or a station, and the parameters of an 802.11 transmitter. A notice
//! says what is asked for; the responder decides how to answer.

mod aifsn;
mod cw_min;
mod gate;
mod knobs;
mod link_gate;
mod own;
mod script;
mod shaper;
mod steps;
mod stop_all;
mod token_bucket;
mod txop;

use backwater_transport::part::{self, Part};
use backwater_transport::units::Rate;

pub use knobs::{Knobs, Moved, Transmitter};
pub use own::Hold;
pub use shaper::Shaper;
pub use steps::{Knob, Steps};

use super::needs::{Needs, Set, rows};
use super::notice::Notice;

/// Answers notices at the place that is told.
pub trait Responder {
    /// Its needs.
    fn needs(&self) -> Needs {
        Needs::of(Set::GATES)
    }

    /// The rate to ask of each of `feeders` neighbours of a queue that drains at `drain`; none asks
    /// them to stop.
    fn ask(&self, _drain: Rate, _feeders: u32) -> Option<Rate> {
        None
    }

    /// How many requests for less it answers with a further step, by access category.
    fn most(&self) -> [u8; 4] {
        [1; 4]
    }

    /// Part of the room for a station's own packets that those may take which gates hold back.
    fn blocked_share(&self) -> f64 {
        1.0
    }

    /// A notice takes effect.
    fn react(&mut self, notice: &Notice, knobs: &mut Knobs);

    /// A time that it asked for has come.
    fn timer(&mut self, _knobs: &mut Knobs) {}
}

crate::custom::custom! {
    /// A responder from outside this crate.
    CustomResponder: Responder
}

backwater_transport::parts! {
    /// Every responder.
    pub enum AnyResponder: Responder or Custom(Box<dyn CustomResponder>) {
        fn needs(&self) -> Needs;
        fn ask(&self, drain: Rate, feeders: u32) -> Option<Rate>;
        fn most(&self) -> [u8; 4];
        fn blocked_share(&self) -> f64;
        fn react(&mut self, notice: &Notice, knobs: &mut Knobs);
        fn timer(&mut self, knobs: &mut Knobs);
    }

    gate::Gate,
    shaper::Shaper,
    steps::Steps in Box,
    stop_all::StopAll,
    link_gate::LinkGate,
}

impl AnyResponder {
    /// Whether all that it does lies in the knobs that it moves.
    pub(crate) fn has_no_state(&self) -> bool {
        matches!(
            self,
            AnyResponder::Gate(_) | AnyResponder::Shaper(_) | AnyResponder::StopAll(_)
        )
    }
}

/// How a row builds its responder.
pub type Build = part::Build<AnyResponder>;

rows! {
    /// Every responder.
    pub static RESPONDERS;
    gate needs gate::NEEDS,
    shaper needs shaper::NEEDS,
    aifsn needs steps::NEEDS,
    cw_min needs steps::NEEDS,
    txop needs steps::NEEDS,
    token_bucket needs steps::NEEDS_OF_RATE,
    stop_all needs stop_all::NEEDS,
    link_gate needs link_gate::NEEDS,

    /// Responders that a host makes. A world that holds one and has no host is refused.
    pub static HOSTED;
    script needs script::NEEDS,
}

/// The responder of a port that a host's card tells to stop.
pub(crate) const GATE: AnyResponder = AnyResponder::Gate(gate::Gate);

/// Stops all data of a station; for recipes.
pub const STOP_ALL: Part<Build> = stop_all::PART;
/// Stops one link of a station; for recipes.
pub const LINK_GATE: Part<Build> = link_gate::PART;

/// Doubles CWmin; for recipes.
pub const CW_MIN: Part<Build> = cw_min::PART;
