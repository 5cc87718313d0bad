//! Responders: what a neighbour does when it is told. A responder says what to ask for and moves
//! the knobs of the port that sends toward the congested queue.

pub mod contention;
mod gate;
mod shaper;

use backwater_transport::part::{Args, Part, Refusal};
use backwater_transport::units::{Rate, Span, Time};

pub use shaper::Shaper;

use super::gates::Gates;
use super::notice::Notice;

/// What a responder moves.
pub struct Knobs<'a> {
    /// The port's gates and bars.
    pub gates: &'a mut Gates,
    /// 512 bit times at the port's rate.
    pub quantum: Span,
}

/// Answers notices at an egress port.
pub trait Responder {
    /// The rate to ask of each of `feeders` neighbours of a queue that drains at `drain`; none asks
    /// them to stop.
    fn ask(&self, drain: Rate, feeders: u32) -> Option<Rate>;

    /// A notice takes effect.
    fn react(&self, now: Time, notice: &Notice, knobs: &mut Knobs);
}

/// Every responder.
#[derive(Clone, Debug)]
pub enum AnyResponder {
    /// Stops.
    Gate,
    /// Slows down.
    Shaper(Shaper),
    /// Contends less for an 802.11 medium.
    Contention(contention::Contention),
}

impl Responder for AnyResponder {
    fn ask(&self, drain: Rate, feeders: u32) -> Option<Rate> {
        match self {
            AnyResponder::Gate | AnyResponder::Contention(_) => None,
            AnyResponder::Shaper(s) => s.ask(drain, feeders),
        }
    }

    fn react(&self, now: Time, notice: &Notice, knobs: &mut Knobs) {
        match self {
            AnyResponder::Gate => gate::react(now, notice, knobs),
            AnyResponder::Shaper(s) => s.react(now, notice, knobs),
            AnyResponder::Contention(_) => unreachable!("stations answer for themselves"),
        }
    }
}

/// How a row builds its responder.
pub type Build = fn(&Args) -> Result<AnyResponder, Refusal>;

/// Every responder.
pub static RESPONDERS: &[Part<Build>] = &[
    gate::PART,
    shaper::PART,
    contention::AIFSN,
    contention::CW_MIN,
    contention::TXOP,
    contention::TOKEN_BUCKET,
];
