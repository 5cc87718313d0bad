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
}

impl Mechanisms {
    /// Takes what a mechanism has to say.
    pub(crate) fn collect(&mut self, control: ControlId) {
        while let Some(told) = self.controls[control].next_told() {
            self.outbox.push_back((control, told));
        }
    }

    /// A neighbour's timer went off.
    pub(crate) fn refresh(&mut self, control: ControlId, neighbour: u8, epoch: u16) {
        self.controls[control].refresh(neighbour, epoch);
        self.collect(control);
    }
}
