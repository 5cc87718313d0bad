//! Wires go down, come back, or change their rate, and some time later switches forward around them or over them again. All
//! steps are settled when the world is built.

use backwater_transport::units::Time;

use super::World;
use crate::ids::PortId;
use crate::link_steps::{LinkEvents, Step};

impl World {
    /// A step is due.
    pub(super) fn take_link_step(&mut self, step: u32, now: Time) {
        let (_, step) = self.link_events.steps[step as usize];
        match step {
            Step::Down(first) => both(first).for_each(|port| self.shared.go_down(port, now)),
            Step::Back(first) => both(first).for_each(|port| self.shared.restore_wire(port, now)),
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

/// The two ports of a link.
fn both(first: PortId) -> impl Iterator<Item = PortId> {
    [first, PortId::raw(first.0 + 1)].into_iter()
}
