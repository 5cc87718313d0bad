//! Frames of slots, and who sends in them: what a world remembers of TDMA. `build` makes it, `events` moves it on.

use std::sync::Arc;

use backwater_transport::units::Time;

use super::hub::Hub;
use super::spec::FramesSpec;
use crate::calendar::Calendar;
use crate::event::{Event, MediumKind};
use crate::ids::PortId;

/// The event of a frame that begins.
pub(super) const FRAME: u8 = 0;
/// The event of a slot that begins. What comes to a terminal at that instant uses it, because arrivals are served first.
pub(super) const SLOT: u8 = 1;

/// All frames of slots of a world.
#[derive(Clone, Debug, Default)]
pub struct Tdma {
    pub(super) media: Vec<Frames>,
    pub(super) places: Vec<TerminalSlots>,
}

impl Tdma {
    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.media.is_empty()
    }
}

/// One medium.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    pub spec: Arc<FramesSpec>,
    pub hub: Hub,
    /// Its terminals, in the order of their ports. Their slots follow each other in this order.
    pub terminals: Vec<usize>,
    /// Frames begun so far.
    pub begun: u64,
}

/// A terminal in the frame at hand.
#[derive(Clone, Debug)]
pub(super) struct TerminalSlots {
    pub port: PortId,
    pub medium: usize,
    /// Its slots that are still to come: the number of the next one, and that behind the last.
    pub next: u32,
    pub end: u32,
    /// Bytes left of the slot that has begun at this instant.
    pub left: Option<u64>,
}

impl Frames {
    /// When slot `number` of the frame at hand begins. The last one ends with the frame.
    pub fn slot(&self, number: u32) -> Time {
        let (frame, slots) = (u128::from(self.spec.frame.0), u128::from(self.spec.slots));
        let within = frame * u128::from(number) / slots;
        Time((self.begun - 1) * self.spec.frame.0 + within as u64)
    }
}

pub(super) fn schedule(calendar: &mut Calendar, at: Time, code: u8, owner: usize) {
    let (kind, owner) = (MediumKind::Tdma, owner as u32);
    calendar.push(at, Event::Medium { kind, code, owner });
}
