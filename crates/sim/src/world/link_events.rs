//! Wires go down, come back, or change their rate, and some time later switches forward around them or over them again. All
//! steps are settled when the world is built.

use std::sync::Arc;

use backwater_transport::units::{Rate, Time};

use super::World;
use crate::forwarding::Turns;
use crate::ids::PortId;
use crate::network::Plan;

/// The steps of a run in order of time, and the forwarding tables that they switch between.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkEvents {
    pub(super) steps: Arc<[(Time, Step)]>,
    /// Tables by number; the first is the one of the beginning.
    pub(super) tables: Vec<Table>,
    /// The one in use.
    pub(super) active: usize,
}

/// What happens at a step. A link is named by its first port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A link is back.
    Back(PortId),
    /// A link is down.
    Down(PortId),
    /// A link has another rate.
    Rate(PortId, Rate),
    /// Switches forward by this table.
    Forward(usize),
}

/// A forwarding table, and where its switches stand that choose for each packet.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub plan: Arc<Plan>,
    pub turns: Turns,
}

impl World {
    /// A step is due.
    pub(super) fn take_link_step(&mut self, step: u32, now: Time) {
        let (_, step) = self.link_events.steps[step as usize];
        match step {
            Step::Down(first) => both(first).for_each(|port| self.shared.go_down(port, now)),
            Step::Back(first) => both(first).for_each(|port| self.shared.come_back(port, now)),
            Step::Rate(first, rate) => both(first).for_each(|port| self.set_rate(port, rate)),
            Step::Forward(table) => self.forward_by(table, now),
        }
    }

    fn forward_by(&mut self, table: usize, now: Time) {
        // A frame that has begun to leave by now goes where the old table said, up to the far end of its wire.
        for id in self.shared.network.ports.ids() {
            self.shared.catch_up(id, now);
        }
        let LinkEvents { tables, active, .. } = &mut self.link_events;
        let network = &mut self.shared.network;
        tables[*active].turns = std::mem::take(&mut network.turns);
        *active = table;
        network.plan = tables[table].plan.clone();
        network.turns = std::mem::take(&mut tables[table].turns);
        network.forward_anew();
    }
}

impl LinkEvents {
    /// The random streams of tables that are not in use begin anew.
    pub(super) fn rekey(&mut self, by: u64) {
        self.tables
            .iter_mut()
            .for_each(|table| table.turns.rekey(by));
    }
}

/// The two ports of a link.
fn both(first: PortId) -> impl Iterator<Item = PortId> {
    [first, PortId::raw(first.0 + 1)].into_iter()
}
