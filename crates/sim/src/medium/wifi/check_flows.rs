//! The conditions under which flows can pass a station.

use crate::ids::{FlowId, PortId};
use crate::limit::Limit;
use crate::medium::access::CATEGORIES;
use crate::medium::wifi::air::{Air, NOBODY};
use crate::network::Network;
use crate::spec::{Refusal, Spec};
use crate::world::build::refuse;

/// Longest IP packet over 802.11: an MSDU of 2304 bytes less LLC and SNAP. 9.2.4.7.
const MAX_PACKET: u64 = 2296;

impl Air {
    /// The port of the hop from a station to its group, if it has one.
    pub(crate) fn group_port(&self, station: u32) -> Option<PortId> {
        self.hop_to(station, NOBODY)
    }

    /// Every packet must fit the frames and the buffer of a station on its way.
    pub(crate) fn check_hop(
        &self,
        network: &Network,
        spec: &Spec,
        id: FlowId,
        port: PortId,
    ) -> Result<(), Refusal> {
        let flow = &network.flows[id];
        let path = |field: &str| format!("flows.{}.{field}", spec.flows[id.index()].name);
        if flow.packet > MAX_PACKET {
            let what = format!("an 802.11 frame holds an IP packet of {MAX_PACKET} B at most");
            return refuse(path("packet"), what, "write smaller packets");
        }
        if usize::from(flow.class) >= CATEGORIES.len() {
            let what = "a station has four access categories";
            return refuse(path("class"), what, "write ac = \"BE\"");
        }
        let hop = self.hop(port).expect("a radio hop");
        let radio = &self.radios[hop.from as usize];
        let full = match radio.categories[radio.category(flow.class)].buffer {
            Limit::Bytes(room) => room.0 < flow.packet,
            Limit::Packets(room) => room == 0,
            Limit::Unlimited => false,
        };
        if full {
            let name = &network.nodes[radio.node].name;
            let what = format!("the buffer of {name} cannot hold one packet");
            return refuse(
                format!("nodes.{name}.buffer"),
                what,
                "write a larger buffer",
            );
        }
        Ok(())
    }
}
