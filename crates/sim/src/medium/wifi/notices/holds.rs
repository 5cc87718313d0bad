//! Flows that a station holds to a rate.

use backwater_transport::units::{Rate, Time};

use crate::cause::Cause;
use crate::ids::{FlowId, PacketId};
use crate::limit::Limit;
use crate::medium::wifi::air::Air;
use crate::medium::wifi::events::Code;
use crate::medium::wifi::radio::Held;
use crate::network::Network;
use crate::packet::List;
use crate::shared::Shared;

/// Packets of a held flow that wait, where the station's buffer counts bytes or nothing.
const MOST_HELD: u64 = 100;

impl Air {
    /// From now on a flow of the station's own goes no faster than this.
    pub(crate) fn hold_to(&mut self, network: &Network, station: u32, flow: FlowId, rate: Rate) {
        let flow_port = network.flows[flow].port;
        let port = self
            .hop(flow_port)
            .filter(|hop| hop.from == station)
            .map(|hop| hop.port);
        let radio = &mut self.radios[station as usize];
        match (radio.holds.iter_mut().find(|h| h.flow == flow), port) {
            (Some(held), _) => held.rate = Some(rate),
            (None, Some(port)) => radio.holds.push(Held {
                flow,
                port,
                rate: Some(rate),
                next: Time::ZERO,
                list: List::default(),
                frames: 0,
            }),
            // A flow with many destinations has no one hop to hold it to.
            (None, None) => {}
        }
    }

    /// A flow is held back no longer. Its packets that wait go first.
    pub(crate) fn end_hold(&mut self, station: u32, flow: FlowId) {
        let holds = &mut self.radios[station as usize].holds;
        if let Some(at) = holds.iter().position(|h| h.flow == flow) {
            match holds[at].frames {
                0 => drop(holds.remove(at)),
                _ => holds[at].rate = None,
            }
        }
    }

    /// A packet of a flow that is held back waits for its turn.
    pub(crate) fn hold(&mut self, cx: &mut Shared, station: u32, packet_id: PacketId, now: Time) {
        let flow = cx.network.packets[packet_id].flow;
        let radio = &mut self.radios[station as usize];
        let number = radio.category(cx.network.packets[packet_id].class());
        let most = match radio.categories[number].buffer {
            Limit::Packets(most) => most,
            Limit::Bytes(_) | Limit::Unlimited => MOST_HELD,
        };
        let held = radio.holds.iter_mut().find(|h| h.flow == flow);
        let held = held.expect("a flow that is held");
        if held.frames >= most {
            let port = held.port;
            return self.lose_at_station(cx, packet_id, Cause::BufferFull, port, now);
        }
        held.frames += 1;
        cx.network.packets.append(&mut held.list, packet_id);
        if held.frames == 1 {
            cx.run
                .calendar
                .push(held.next.max(now), Code::Release.of(flow.0));
        }
    }
}
