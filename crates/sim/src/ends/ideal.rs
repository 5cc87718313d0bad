//! How long a transfer takes at best: alone on its path, sent at once. The slowdown of a transfer is what it
//! took over that, the measure of studies of data centres.
//!
//! Reference: Alizadeh et al., pFabric, SIGCOMM 2013 section 5.1; Montazeri et al., Homa, SIGCOMM 2018 section
//! 5. Differences: exact for switches that store and forward, where those add up a round trip and the
//! serialisation at the slowest link.

use backwater_transport::endpoint::{Receiver, Sender};
use backwater_transport::units::{Span, Time};

use crate::connection::Connection;
use crate::ends::{Ends, Step};
use crate::ids::{ConnectionId, PortId};
use crate::network::Network;
use crate::packet;

impl Ends {
    /// From the first bit of so many bytes of application data to the last at the far host. None where a hop is no
    /// wire, or a box or a fabric stands before it: how long that takes is not settled.
    fn ideal(&self, network: &Network, id: ConnectionId, bytes: u64) -> Option<Span> {
        let c = &self.connections[id];
        let path = &network.flows[c.data].path;
        let wire = |id: &PortId| {
            let port = &network.ports[*id];
            let rated = port.ps_per_byte > 0 && port.more.service.server().is_none();
            rated && !network.plan.boxes.values().any(|main| main == id)
        };
        if path.is_empty() || !path.iter().all(wire) {
            return None;
        }
        let mss = c.sender.mss();
        let frame = |payload| packet::frame(u64::from(c.header) + payload);
        let before = bytes.saturating_sub(1) / mss;
        let (full, last) = (frame(mss), frame(bytes - before * mss));
        // When the last full frame and the frame after it have arrived at a node. Full frames come at the
        // distance that the slowest hop so far gives them.
        let (mut first, mut apart, mut end) = (Time::ZERO, 0, Time::ZERO);
        for port in path.iter().map(|p| &network.ports[*p]) {
            let takes = |frame: u64| Span(port.frame_time(frame));
            apart = apart.max(port.frame_time(full) + port.gap_time());
            first += takes(full);
            let free = match before {
                0 => Time::ZERO,
                n => first + Span((n - 1) * apart) + Span(port.gap_time()),
            };
            end = end.max(free) + takes(last) + port.delay;
            first += port.delay;
        }
        Some(end.since(Time::ZERO))
    }

    /// A transfer of so many bytes, written then, has been delivered.
    fn complete(
        &mut self,
        network: &Network,
        id: ConnectionId,
        bytes: u64,
        written: Time,
        now: Time,
    ) {
        let ideal = self.ideal(network, id, bytes);
        let c = &mut self.connections[id];
        let number = c.stats.delivered.0;
        c.stats.complete(bytes, now.since(written), ideal, now);
        let flow = c.data;
        if self.steps.is_some() && self.graph.has(id) {
            let step = Step {
                flow,
                number,
                bytes,
                begun: written,
                ended: now,
            };
            self.steps.get_or_insert_default().push(step);
        }
    }
}

impl Ends {
    /// Transfers may have been delivered whole. How many were.
    pub(crate) fn end_transfers(&mut self, network: &Network, id: ConnectionId, now: Time) -> u64 {
        let mut count = 0;
        let delivered = self.connections[id].receiver.delivered();
        let ended = |t: &mut (u64, u64, Time)| t.0 <= delivered;
        let next = |c: &mut Connection| c.transfers.as_mut()?.pop_front_if(ended);
        while let Some((_, bytes, written)) = next(&mut self.connections[id]) {
            self.complete(network, id, bytes, written, now);
            count += 1;
        }
        count
    }
}
