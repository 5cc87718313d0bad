//! Whether the room above a queue's high mark takes what its feeders may still send: a count of
//! full frames, in the worst of phases.
//!
//! A feeder sends what it begins until our notice takes effect: reaction, wire there and back, and
//! the notice itself, which may have to wait for a frame in transmission. One feeder's frame has
//! crossed the mark; another's may come in just after it, so that it counts in full. An output that
//! may be stopped, or is slow, takes none of them meanwhile; one that drains takes a frame for each
//! slot, and in step with the feeder that came first: where all are as fast as the output, that one
//! never crosses the mark, and has no frame to come just after it was crossed.
//!
//! Reference: IEEE 802.3 Annex 31B; the count is that of `validation/pause.py`.

use std::collections::BTreeSet;

use super::Mechanisms;
use super::carrier::Toward;
use crate::ids::PortId;
use crate::limit::Limit;
use crate::network::{Network, Port};
use crate::packet;

/// Where frames may go: along the paths of the flows, or anywhere where one has many destinations.
struct Traffic {
    anywhere: bool,
    ports: BTreeSet<PortId>,
    pairs: BTreeSet<(PortId, PortId)>,
}

impl Traffic {
    fn of(network: &Network) -> Traffic {
        let paths = || network.flows.iter().map(|f| &f.path);
        Traffic {
            anywhere: paths().any(Vec::is_empty),
            ports: paths().flatten().copied().collect(),
            pairs: paths()
                .flat_map(|p| p.windows(2).map(|w| (w[0], w[1])))
                .collect(),
        }
    }

    /// Whether frames may pass a port.
    fn passes(&self, port: PortId) -> bool {
        self.anywhere || self.ports.contains(&port)
    }

    /// Whether frames may come through one port to the other.
    fn crosses(&self, from: PortId, to: PortId) -> bool {
        self.anywhere || self.pairs.contains(&(from, to))
    }
}

impl Mechanisms {
    /// Watched output queues that may lose frames although their feeders obey, each with what may
    /// still come and the room there is.
    pub(crate) fn headroom_warnings(&self, network: &Network) -> Vec<String> {
        let frames = network.flows.iter().map(|f| packet::frame(f.packet));
        let Some(frame) = frames.max() else {
            return Vec::new();
        };
        let traffic = Traffic::of(network);
        let mut all = Vec::new();
        for id in network.ports.ids() {
            let port = &network.ports[id];
            let (Some((control, place)), Limit::Bytes(limit)) = (port.watch, port.buffer) else {
                continue;
            };
            let Some(slack) = self.controls[control].slack(place, limit.0) else {
                continue;
            };
            let told = self.controls[control].audience(place);
            let feeders: Vec<PortId> = told
                .filter_map(|to| match to {
                    Toward::Port(port) => Some(port),
                    Toward::Station(_) | Toward::Everybody | Toward::Itself => None,
                })
                .filter(|toward| traffic.crosses(network.ports[*toward].peer, id))
                .collect();
            let come = network.still_to_come(id, &feeders, &traffic, frame);
            // The frame that crosses the mark has room.
            let room = (limit.0 / frame).saturating_sub((limit.0 - slack) / frame + 1);
            if come > room {
                all.push(format!(
                    "{}: its {} feeders may send {come} more frames of {frame} B when the high mark has been crossed, and there is room for {room}: frames can be lost",
                    port.more.name,
                    feeders.len()
                ));
            }
        }
        all
    }
}

impl Network {
    /// Frames that may be in the way of an output queue beyond what it can send, when its mark has
    /// just been crossed. `feeders` are the ports toward those that are told.
    fn still_to_come(&self, id: PortId, feeders: &[PortId], traffic: &Traffic, frame: u64) -> u64 {
        let out = &self.ports[id];
        let slot = |port: &Port| port.frame_time(frame) + port.gap_time();
        // Frames that the feeder begins after the one that has just come in. Another's may come in just
        // after that: one more.
        let begun = |toward: &PortId| {
            let port = &self.ports[*toward];
            let wait = if traffic.passes(*toward) {
                slot(port)
            } else {
                0
            };
            let notice = port.shortest_frame_time() - port.gap_time();
            let open = wait + notice + 2 * port.delay.0 + port.reaction().0;
            open.div_ceil(slot(port))
        };
        let come = feeders.iter().map(|f| begun(f) + 1).sum::<u64>();
        let come = come.saturating_sub(1);
        if out.gates.is_some() {
            return come;
        }
        let last = feeders.iter().map(|f| begun(f) * slot(&self.ports[*f]));
        let drained = last.min().unwrap_or(0) / slot(out);
        let alike = |f: &PortId| self.ports[*f].ps_per_byte == out.ps_per_byte;
        let in_step = feeders.len() > 1 && feeders.iter().all(alike);
        come.saturating_sub(drained + u64::from(in_step))
    }
}
