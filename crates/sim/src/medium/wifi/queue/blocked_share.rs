//! How many of its own packets a station takes for neighbours to which a gate is closed.

use backwater_transport::units::Time;

use crate::ids::PacketId;
use crate::limit::Limit;
use crate::medium::wifi::air::Air;
use crate::network::Network;

impl Air {
    /// Whether own packets that gates hold back leave no room for another one, which would be held back as well.
    pub(in crate::medium::wifi) fn blocked_share_is_full(
        &self,
        network: &Network,
        station: u32,
        number: usize,
        hop: u32,
        packet_id: PacketId,
        now: Time,
    ) -> bool {
        let radio = &self.radios[station as usize];
        if radio.blocked_share >= 1.0 {
            return false;
        }
        let packet = &network.packets[packet_id];
        let closed =
            |hop: u32, host: u32| self.gate_opens(station, number, hop, Some(host), now) > now;
        if !self.enters_with(packet) || !closed(hop, packet.to) {
            return false;
        }
        let c = &radio.categories[number];
        let waiting = c.hops.iter().flat_map(|hop| {
            let queue = network.ports[self.hops[*hop as usize].port].queue(number);
            let held = network.packets.walk(&queue.list);
            held.filter(move |p| self.enters_with(p) && closed(*hop, p.to))
        });
        let (held, step, room) = match c.buffer {
            Limit::Unlimited => return false,
            Limit::Bytes(room) => (waiting.map(|p| p.frame()).sum(), packet.frame(), room.0),
            Limit::Packets(room) => (waiting.count() as u64, 1, room),
        };
        let share = radio.blocked_share * radio.own_share;
        held + step > libm::floor(room as f64 * share) as u64
    }
}
