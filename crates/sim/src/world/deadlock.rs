//! Pause deadlock: ports that all wait for one another. A port is stuck when a gate has held it
//! since the last look. It waits for the output queue that told it to stop, or, where a switch
//! watches what comes in, for any queue that holds its frames. A queue whose word names destinations counts where
//! frames for one of these wait. Ports that are stuck and can be freed
//! by stuck ports only, for as long as that holds, cannot resolve it themselves while their notices
//! are refreshed.
//!
//! Reference: Dally and Seitz, IEEE ToC C-36(5), 1987 (cyclic buffer dependency).

use backwater_transport::units::Time;

use super::World;
use crate::event::Event;
use crate::ids::PortId;
use crate::mechanism::carrier::Toward;
use crate::mechanism::notice::{Hosts, holds};
use crate::mechanism::place::Place;
use crate::network::{Port, Traits};

/// A cycle of ports that wait for one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// When it was seen.
    pub at: Time,
    /// The ports in the order of waiting: each waits for the next, the last for the first.
    pub cycle: Vec<PortId>,
}

/// Packets wait, and none of them moves.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Standstill {
    /// When a packet was delivered last.
    pub since: Time,
    /// Packets that wait.
    pub packets: u64,
}

/// Nothing was delivered for this share of the run.
const LONG: u64 = 10;

impl World {
    /// What stands still, where so many packets are held, none is in transmission, and none was delivered in the last
    /// tenth of the time so far.
    pub fn standstill(&self, held: u64) -> Option<Standstill> {
        let (now, packets) = (self.now, held);
        let since = self.flows.iter().map(|f| f.stats.last).max()?;
        let long = now.since(since).0 >= now.0 / LONG;
        let moves = self.ports.iter().any(|p| self.sends_data(p))
            || self.air.radios.iter().any(|r| r.exchange.is_some());
        (packets > 0 && long && !moves).then_some(Standstill { since, packets })
    }

    /// Whether a data frame is in transmission at a port or on its wire.
    fn sends_data(&self, port: &Port) -> bool {
        let mut wire = self.packets.walk(&port.wire);
        port.sending > 0 || wire.any(|p| !p.flow.is_none())
    }

    /// Looks for a deadlock, the first time it is seen.
    pub(super) fn inspect(&mut self, now: Time) {
        let Some(every) = self.inspect_after() else {
            return;
        };
        if self.deadlock.is_none() {
            let stuck: Vec<bool> = self
                .ports
                .ids()
                .map(|id| self.stuck(id, now, now.0.saturating_sub(every.0)))
                .collect();
            if let Some(cycle) = self.cycle(&stuck) {
                self.deadlock = Some(Deadlock { at: now, cycle });
            }
        }
        self.calendar.push(now + every, Event::Inspect);
    }

    /// Whether a gate has held a port since then.
    fn stuck(&self, id: PortId, now: Time, since: u64) -> bool {
        let port = &self.ports[id];
        port.is(Traits::STALLED)
            && port.free_at().0 <= since
            && port.gates.as_ref().is_some_and(|g| g.shut(now))
    }

    /// Ports any of which could free `id` by sending: the congested output queues whose word it has,
    /// or, where the node watches what comes in, all that hold frames that came in through `id`.
    fn waits_for(&self, id: PortId) -> Vec<PortId> {
        let (far, peer) = (self.ports[id].far, self.ports[id].peer);
        let mut all = Vec::new();
        for control in self.controls.iter().filter(|c| c.node() == far) {
            for (place, hosts) in control.holding(Toward::Port(peer)) {
                match place {
                    Place::Egress(port) if hosts.is_none_or(|h| self.waits_toward(id, h)) => {
                        all.push(port);
                    }
                    Place::Egress(_) => {}
                    Place::Ingress(_) => {
                        let holds = |v: &PortId| {
                            let mut lists = self.ports[*v].lists();
                            lists.any(|list| self.packets.walk(list).any(|p| p.ingress == id))
                        };
                        all.extend(self.nodes[far].ports.iter().copied().filter(holds));
                    }
                    // A station's notices reach no port.
                    Place::Station(_) => {}
                }
            }
        }
        all
    }

    /// Whether a frame for one of these hosts waits at a port.
    fn waits_toward(&self, id: PortId, hosts: &Hosts) -> bool {
        let mut lists = self.ports[id].lists();
        lists.any(|list| self.packets.walk(list).any(|p| holds(hosts, p.to)))
    }

    /// A cycle among ports that are stuck and wait for stuck ports only.
    fn cycle(&self, stuck: &[bool]) -> Option<Vec<PortId>> {
        let mut dead = stuck.to_vec();
        let waits: Vec<Vec<PortId>> = self
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
            let Some(id) = self.ports.ids().find(free) else {
                break;
            };
            dead[id.index()] = false;
        }
        // Each of those left waits for another of them: a walk must come round.
        let mut walk = vec![self.ports.ids().find(|id| dead[id.index()])?];
        loop {
            let next = waits[walk[walk.len() - 1].index()][0];
            if let Some(from) = walk.iter().position(|p| *p == next) {
                return Some(walk.split_off(from));
            }
            walk.push(next);
        }
    }
}
