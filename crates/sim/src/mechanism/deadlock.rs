//! Pause deadlock: ports that all wait for one another. A port is stuck when a gate has held it
//! since the last look. It waits for the output queue that told it to stop, or, where a switch
//! watches what comes in, for any queue that holds its frames. A queue whose word names destinations counts where
//! frames for one of these wait. Ports that are stuck and can be freed
//! by stuck ports only, for as long as that holds, cannot resolve it themselves while their notices
//! are refreshed. A link of an 802.11 station is stuck when its gates have stopped all that waits for it for 10 s. It waits
//! for the links of those stations that told its own to stop, and have renewed that; each of these can free it.
//!
//! Reference: Dally and Seitz, IEEE ToC C-36(5), 1987 (cyclic buffer dependency).

use backwater_transport::units::{Span, Time};

use super::carrier::Toward;
use super::control::Control;
use super::notice::{Hosts, holds};
use super::place::Place;
use super::{Deadlock, Mechanisms};
use crate::calendar::Calendar;
use crate::event::Event;
use crate::ids::PortId;
use crate::medium::Media;
use crate::network::{Network, Traits};

/// Links of stations that have been stopped for so long are stuck. A notice holds for 6.55 s at most, and one that was renewed
/// may not have been heard.
const LONG: Span = Span::secs(10);

impl Network {
    /// Whether a frame for one of these hosts waits at a port.
    fn waits_toward(&self, id: PortId, hosts: &Hosts) -> bool {
        let mut lists = self.ports[id].lists();
        lists.any(|list| self.packets.walk(list).any(|p| holds(hosts, p.to)))
    }
}

impl Mechanisms {
    /// Looks for a deadlock, the first time it is seen.
    pub(crate) fn detect_deadlock(
        &mut self,
        network: &Network,
        media: &Media,
        calendar: &mut Calendar,
        now: Time,
    ) {
        let Some(every) = self.inspect else {
            return;
        };
        if self.deadlock.is_none() {
            let since = Time(now.0.saturating_sub(every.0));
            let stuck = |id: PortId| match media.stuck_since(network, id, now) {
                None => network.stuck(id, now, since.0),
                Some(since) => now.since(since) >= LONG,
            };
            let stuck: Vec<bool> = network.ports.ids().map(stuck).collect();
            if let Some(cycle) = self.cycle(network, media, &stuck, now) {
                let begun = cycle.iter().map(|id| media.stuck_since(network, *id, now));
                let at = begun.max().flatten().unwrap_or(now);
                self.deadlock = Some(Deadlock { at, cycle });
            }
        }
        calendar.push(now + every, Event::Inspect);
    }

    /// Ports any of which could free `id` by sending: the congested output queues whose word it has,
    /// or, where the node watches what comes in, all that hold frames that came in through `id`.
    fn waits_for(&self, network: &Network, media: &Media, id: PortId, now: Time) -> Vec<PortId> {
        if let Some(attachment) = media.attachment(id) {
            let told = |c: &&Control| c.stops_still(attachment, now);
            let stations = self
                .controls
                .iter()
                .filter(told)
                .filter_map(Control::station);
            let links = stations.flat_map(|station| media.waiting_ports(network, station));
            return links.collect();
        }
        let (far, peer) = (network.ports[id].far, network.ports[id].peer);
        let mut all = Vec::new();
        for control in self.controls.iter().filter(|c| c.node() == far) {
            for (place, hosts) in control.holding(Toward::Port(peer), now) {
                match place {
                    Place::Egress(port) if hosts.is_none_or(|h| network.waits_toward(id, h)) => {
                        all.push(port);
                    }
                    Place::Egress(_) => {}
                    Place::Ingress(_) => {
                        let holds = |v: &PortId| {
                            let mut lists = network.ports[*v].lists();
                            lists.any(|list| network.packets.walk(list).any(|p| p.ingress == id))
                        };
                        all.extend(network.nodes[far].ports.iter().copied().filter(holds));
                    }
                    // A station's notices reach no port.
                    Place::Attachment(_) => {}
                }
            }
        }
        all
    }

    /// A cycle among ports that are stuck and wait for stuck ports only.
    fn cycle(
        &self,
        network: &Network,
        media: &Media,
        stuck: &[bool],
        now: Time,
    ) -> Option<Vec<PortId>> {
        let mut dead = stuck.to_vec();
        let waits: Vec<Vec<PortId>> = network
            .ports
            .ids()
            .map(|id| {
                if stuck[id.index()] {
                    self.waits_for(network, media, id, now)
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
            let Some(id) = network.ports.ids().find(free) else {
                break;
            };
            dead[id.index()] = false;
        }
        // Each of those left waits for another of them: a walk must come round.
        let mut walk = vec![network.ports.ids().find(|id| dead[id.index()])?];
        loop {
            let next = waits[walk[walk.len() - 1].index()][0];
            if let Some(from) = walk.iter().position(|p| *p == next) {
                return Some(walk.split_off(from));
            }
            walk.push(next);
        }
    }
}

impl Network {
    /// Whether a gate has held a port since then. It may have sent control frames: a port that is stuck asks its neighbour to stop,
    /// too, again and again.
    fn stuck(&self, id: PortId, now: Time, since: u64) -> bool {
        let port = &self.ports[id];
        port.is(Traits::STALLED)
            && (port.free_at().0 <= since || port.stall_from.0 <= since)
            && port.gates.as_ref().is_some_and(|g| g.shut(now))
    }
}
