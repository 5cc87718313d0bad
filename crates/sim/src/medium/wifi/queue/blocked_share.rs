//! How many of its own packets a station takes for neighbours to which a gate is closed.

use backwater_transport::units::Time;

use crate::ids::PacketId;
use crate::limit::Limit;
use crate::medium::wifi::air::Air;
use crate::medium::wifi::radio::Line;
use crate::network::Network;

impl Air {
    /// Whether own packets that gates hold back leave no room for another one, which would be held back as well.
    pub(in crate::medium::wifi) fn blocked_share_is_full(
        &self,
        network: &Network,
        line: Line,
        packet_id: PacketId,
        now: Time,
    ) -> bool {
        let Line { hop, number } = line;
        let station = self.hops[hop as usize].from;
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

#[cfg(test)]
mod tests {
    use backwater_transport::units::{Bytes, Time};

    use crate::limit::Limit;
    use crate::mechanism::gates::{Bar, Gates};
    use crate::medium::wifi::queue::next_frame::tests::two_flows;
    use crate::world::World;

    /// Half of the 80 % for own packets of a buffer of 100 packets, or of 100 kB, may be held back: 40 packets, or 39 frames of
    /// 1018 B. What comes beside is lost, and nothing of the flow that may pass. Without a bound, or with the whole share, all
    /// 75 packets of 600 ms are kept.
    #[test]
    fn own_packets_that_gates_hold_back_take_their_share_and_no_more() {
        let shut = Time(600_000_000_000);
        for (buffer, share, most) in [
            (Limit::Packets(100), 0.5, 40),
            (Limit::Bytes(Bytes(100_000)), 0.5, 39),
            (Limit::Unlimited, 0.5, 75),
            (Limit::Packets(200), 1.0, 75),
        ] {
            let mut world = World::build(&two_flows()).expect("a legal line");
            let mut gates = Gates::default();
            gates.lower(
                Time::ZERO,
                Bar {
                    key: 1,
                    classes: 0xff,
                    hosts: None,
                    next: Some(1),
                    until: shut,
                    bucket: None,
                },
            );
            let radio = &mut world.media.air.radios[0];
            radio.gates = Some(Box::new(gates));
            (radio.own_share, radio.blocked_share) = (0.8, share);
            for c in &mut radio.categories {
                c.buffer = buffer;
            }
            world.advance(Time(shut.0 - 1));
            let held = |flow: usize| {
                let flow = &world.network().flows.0[flow];
                flow.entered.packets - flow.stats.delivered.packets - flow.stats.dropped.packets
            };
            assert_eq!(held(0), most, "{buffer:?} {share}");
            assert_eq!(world.network().flows.0[1].stats.dropped.packets, 0);
        }
    }
}
