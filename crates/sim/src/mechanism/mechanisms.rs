//! All mechanisms of a world, and the notices that they have issued during the current event.

use std::collections::VecDeque;

use backwater_transport::units::{Span, Time};

use super::carrier::Told;
use super::control::Control;
use crate::ids::{ControlId, PortId};
use crate::table::Table;

/// A cycle of ports that wait for one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// When it was seen.
    pub at: Time,
    /// The ports in the order of waiting: each waits for the next, the last for the first.
    pub cycle: Vec<PortId>,
}

/// Whether a mechanism of the scenario has told anybody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hearing {
    /// The mechanism.
    pub name: String,
    /// Whether it tells others, rather than its own place.
    pub tells: bool,
    /// Notices that it issued to others.
    pub issued: u64,
    /// Notices that reached somebody, who acted on them.
    pub heard: u64,
}

/// Mechanisms and their notices that have not left yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mechanisms {
    /// A row for each mechanism at each node.
    pub controls: Table<Control>,
    /// Notices to send before the event at hand is over.
    pub outbox: VecDeque<(ControlId, Told)>,
    /// The span between looks for deadlock, if gates can close.
    pub inspect: Option<Span>,
    /// The first deadlock seen.
    pub deadlock: Option<Deadlock>,
    /// A row for each mechanism of the scenario.
    pub hearing: Vec<Hearing>,
    /// Timers of notices that went off.
    pub refreshed: u64,
}

impl Mechanisms {
    /// Somebody has received a notice of this mechanism and acts on it; a card that pauses without reason is none.
    pub(crate) fn note_heard(&mut self, mechanism: u32) {
        if let Some(hearing) = self.hearing.get_mut(mechanism as usize) {
            hearing.heard += 1;
        }
    }

    /// Takes what a mechanism has to say.
    pub(crate) fn collect(&mut self, control: ControlId) {
        while let Some(told) = self.controls[control].next_told() {
            self.outbox.push_back((control, told));
        }
    }

    /// A neighbour's timer went off.
    pub(crate) fn refresh(&mut self, control: ControlId, neighbour: u8, epoch: u16) {
        self.refreshed += 1;
        self.controls[control].refresh(neighbour, epoch);
        self.collect(control);
    }
}
