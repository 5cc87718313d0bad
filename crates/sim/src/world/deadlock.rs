//! Pause deadlock: ports that all wait for one another. A port is stuck when a gate has held it
//! since the last look. It waits for the output queue that told it to stop, or, where a switch
//! watches what comes in, for any queue that holds its frames. Ports that are stuck and can be freed
//! by stuck ports only, for as long as that holds, cannot resolve it themselves while their notices
//! are refreshed.
//!
//! Reference: Dally and Seitz, IEEE ToC C-36(5), 1987 (cyclic buffer dependency).

use backwater_transport::units::Time;

use super::World;
use crate::event::Event;
use crate::ids::PortId;
use crate::mechanism::Deadlock;
use crate::mechanism::carrier::Toward;
use crate::mechanism::place::Place;
use crate::network::Traits;

impl World {
    /// Looks for a deadlock, the first time it is seen.
    pub(super) fn inspect(&mut self, now: Time) {
        let Some(every) = self.inspect_after() else {
            return;
        };
        if self.mechanisms.deadlock.is_none() {
            let stuck: Vec<bool> = self
                .network
                .ports
                .ids()
                .map(|id| self.stuck(id, now, now.0.saturating_sub(every.0)))
                .collect();
            if let Some(cycle) = self.cycle(&stuck) {
                self.mechanisms.deadlock = Some(Deadlock { at: now, cycle });
            }
        }
        self.clock.calendar.push(now + every, Event::Inspect);
    }

    /// Whether a gate has held a port since then.
    fn stuck(&self, id: PortId, now: Time, since: u64) -> bool {
        let port = &self.network.ports[id];
        port.is(Traits::STALLED)
            && port.free_at().0 <= since
            && port.gates.as_ref().is_some_and(|g| g.shut(now))
    }

    /// Ports any of which could free `id` by sending: the congested output queues whose word it has,
    /// or, where the node watches what comes in, all that hold frames that came in through `id`.
    fn waits_for(&self, id: PortId) -> Vec<PortId> {
        let (far, peer) = (self.network.ports[id].far, self.network.ports[id].peer);
        let mut all = Vec::new();
        for control in self.mechanisms.controls.iter().filter(|c| c.node() == far) {
            for place in control.holding(Toward::Port(peer)) {
                match place {
                    Place::Egress(port) => all.push(port),
                    Place::Ingress(_) => {
                        let holds = |v: &PortId| {
                            let mut lists = self.network.ports[*v].lists();
                            lists.any(|list| {
                                self.network.packets.walk(list).any(|p| p.ingress == id)
                            })
                        };
                        all.extend(self.network.nodes[far].ports.iter().copied().filter(holds));
                    }
                    // A station's notices reach no port.
                    Place::Station(_) => {}
                }
            }
        }
        all
    }

    /// A cycle among ports that are stuck and wait for stuck ports only.
    fn cycle(&self, stuck: &[bool]) -> Option<Vec<PortId>> {
        let mut dead = stuck.to_vec();
        let waits: Vec<Vec<PortId>> = self
            .network
            .ports
            .ids()
            .map(|id| {
                if stuck[id.index()] {
                    self.waits_for(id)
                } else {
                    Vec::new()
                }
            })
            .collect();
        loop {
            let free = |id: &PortId| {
                let list = &waits[id.index()];
                dead[id.index()] && (list.is_empty() || list.iter().any(|v| !dead[v.index()]))
            };
            let Some(id) = self.network.ports.ids().find(free) else {
                break;
            };
            dead[id.index()] = false;
        }
        // Each of those left waits for another of them: a walk must come round.
        let mut walk = vec![self.network.ports.ids().find(|id| dead[id.index()])?];
        loop {
            let next = waits[walk[walk.len() - 1].index()][0];
            if let Some(from) = walk.iter().position(|p| *p == next) {
                return Some(walk.split_off(from));
            }
            walk.push(next);
        }
    }
}
