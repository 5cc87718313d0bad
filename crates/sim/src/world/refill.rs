//! Hosts on a link that have saturated flows. A packet of each waits at the host's port, unless there is no room: as
//! soon as one begins to leave the queue the next is born. So the port sends whenever nothing holds it back.
//!
//! A packet that finds no room is not born before there is. One that queue management has lost is followed when the
//! port next begins or ends a transmission; where it does neither, a frame time later. So a loss is never answered at
//! its own instant, which need not end.
//!
//! A port of such a host acts at the due instants: every departure has an event.

use backwater_transport::units::Time;

use super::World;
use crate::ids::PortId;
use crate::network::Traits;

impl World {
    /// Puts in what is missing at ports where something has changed.
    #[cold]
    pub(super) fn refill_all(&mut self, now: Time) {
        while let Some(id) = self.shared.network.refills.pop() {
            let port = &self.shared.network.ports[id];
            let (refilled, pulled) = (port.is(Traits::REFILLED), port.is(Traits::PULLED));
            if refilled {
                self.refill_port(id, now);
            }
            if pulled {
                self.pull(id, now);
            }
        }
    }

    fn refill_port(&mut self, id: PortId, now: Time) {
        let mut place = 0;
        for _ in 0..self.shared.network.ports[id].more.missing.len() {
            let flow = self.shared.network.ports[id].more.missing[place];
            if self.shared.network.finds_room(id, flow) {
                self.shared.network.ports[id].more.missing.remove(place);
                let onward = self.shared.refill(flow, now);
                self.move_on(onward, id, now);
            } else {
                place += 1;
            }
        }
        self.shared
            .network
            .recheck_idle_port(&mut self.shared.run.calendar, id, now);
    }
}
