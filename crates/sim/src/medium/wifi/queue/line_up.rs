//! The queues of a station: first come, first served, or round-robin by flow.

use backwater_transport::units::Time;

use crate::cause::Cause;
use crate::ids::{FlowId, PacketId};
use crate::medium::wifi::air::Air;
use crate::medium::wifi::mac::category::Room;
use crate::medium::wifi::radio::Line;
use crate::network::Network;
use crate::shared::Shared;
use crate::table::Id;

impl Air {
    /// Puts a packet into the queue of its hop: at its end, or behind what has its round or an earlier one.
    pub(crate) fn line_up(
        &mut self,
        network: &mut Network,
        station: u32,
        number: usize,
        hop: u32,
        packet_id: PacketId,
    ) {
        let port = self.hops[hop as usize].port;
        let list = &mut network.ports[port].queue_mut(number).list;
        let radio = &mut self.radios[station as usize];
        radio.categories[number].line_up(hop);
        let Some(rounds) = &mut radio.rounds else {
            return network.packets.append(list, packet_id);
        };
        let round = rounds[number].join(network.packets[packet_id].flow);
        let spent = &mut network.spent;
        spent[packet_id].round = round;
        let (mut before, mut next) = (Id::NONE, list.head());
        while !next.is_none() && spent[next].round <= round {
            (before, next) = (next, network.packets[next].next);
        }
        network.packets.insert_after(list, before, packet_id);
    }

    /// The hop of a flow's newest frame that is first nowhere, and the frame before it.
    fn newest(
        &self,
        network: &Network,
        station: u32,
        number: usize,
        flow: FlowId,
    ) -> Option<(u32, PacketId)> {
        let mut found: Option<(u64, u32, PacketId)> = None;
        for hop in &self.radios[station as usize].hops {
            let port = self.hops[*hop as usize].port;
            let mut before = network.ports[port].queue(number).list.head();
            while !before.is_none() {
                let next = network.packets[before].next;
                if next.is_none() {
                    break;
                }
                let round = network.spent[next].round;
                let newer = found.is_none_or(|(newest, ..)| round >= newest);
                if network.packets[next].flow == flow && newer {
                    found = Some((round, *hop, before));
                }
                before = next;
            }
        }
        found.map(|(_, hop, before)| (hop, before))
    }
}
impl Air {
    /// Where flows are served round-robin, makes room in a full buffer at the cost of the flow that holds most.
    pub(crate) fn make_room(
        &mut self,
        cx: &mut Shared,
        station: u32,
        number: usize,
        packet_id: PacketId,
        now: Time,
    ) -> bool {
        let packet = &cx.network.packets[packet_id];
        let (flow, own, size) = (packet.flow, self.enters_with(packet), packet.frame());
        loop {
            let radio = &mut self.radios[station as usize];
            let c = &radio.categories[number];
            match c.room(own, size, radio.own_share) {
                Room::Free => return true,
                Room::ShareFull => return false,
                Room::Full => {}
            }
            let Some(rounds) = &mut radio.rounds else {
                return false;
            };
            let Some(richest) = rounds[number].richest(flow) else {
                return false;
            };
            let Some((from, before)) = self.newest(&cx.network, station, number, richest) else {
                return false;
            };
            let first_port = self.first_port;
            let port = self.hops[from as usize].port;
            let list = &mut cx.network.ports[port].queue_mut(number).list;
            let victim = cx.network.packets.take_after(list, before);
            let radio = &mut self.radios[station as usize];
            if let Some(rounds) = &mut radio.rounds {
                rounds[number].give_up(richest);
            }
            let packet = &cx.network.packets[victim];
            let own = packet.ingress.is_none() || packet.ingress.0 < first_port;
            cx.network.ports[port].lose_waiting(number, packet.frame(), now.0 - packet.at.0);
            self.observe_station_loss(cx, Line { hop: from, number }, victim, now);
            let radio = &mut self.radios[station as usize];
            radio.categories[number].release(own, cx.network.packets[victim].frame());
            self.tell_backlog(&mut cx.network, station, now);
            self.lose_at_station(cx, victim, Cause::BufferFull, port, now);
        }
    }
}
