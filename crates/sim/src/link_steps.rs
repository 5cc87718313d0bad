//! Events of wires in a run, step by step, and the forwarding tables that switches use one after the other.

use std::sync::Arc;

use backwater_transport::units::{Rate, Time};

use crate::forwarding::Turns;
use crate::ids::PortId;
use crate::network::Plan;

/// The steps of a run in order of time, and the forwarding tables that they switch between.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkEvents {
    pub(crate) steps: Arc<[(Time, Step)]>,
    /// Tables by number; the first is the one of the beginning.
    pub(crate) tables: Vec<Table>,
    /// The one in use.
    pub(crate) active: usize,
}

/// The changes of a step. A link is named by its first port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A link is back.
    Back(PortId),
    /// A link is down.
    Down(PortId),
    /// A link has another rate.
    Rate(PortId, Rate),
    /// The card at a port asks to stop, again and again until this instant, which frees.
    Storm {
        port: PortId,
        class: Option<u8>,
        until: Time,
    },
    /// Switches forward by this table.
    Forward(usize),
}

/// A forwarding table, and where its switches stand that choose for each packet.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) plan: Arc<Plan>,
    pub(crate) turns: Turns,
}

impl LinkEvents {
    /// The random streams of tables that are not in use begin anew.
    pub(crate) fn rekey(&mut self, by: u64) {
        self.tables
            .iter_mut()
            .for_each(|table| table.turns.rekey(by));
    }
}
