//! Looking ahead among 802.11 stations: a packet that comes into being waits for its flow, its station and the
//! queue of the hop one after the other.

use super::{TOGETHER, Trail};
use crate::event::Event;
use crate::ids::FlowId;
use crate::medium::wifi::air::NOBODY;
use crate::table::Id;
use crate::world::World;

type Demands = Trail<FlowId, { TOGETHER + 1 }>;

impl World {
    /// Follows packets that will come into being into the queues of their stations.
    pub(super) fn follow_to_stations(&self) -> u64 {
        let mut read = 0;
        let mut demands = Demands::new(Id::NONE);
        for key in self.calendar.soonest().iter().rev().take(TOGETHER) {
            if let Event::Demand(id) = key.event() {
                let flow = &self.flows[id];
                read ^= flow.touch() ^ flow.stats.touch() ^ flow.due;
                demands.push(id, flow.port.is_none());
            }
        }
        let mut hops = Trail::<u32, { TOGETHER + 1 }>::new(0);
        for id in demands.all() {
            let station = self.nodes[self.flows[*id].from].station as usize;
            let Some(radio) = self.air.radios.get(station) else {
                continue;
            };
            read ^= radio.touch() ^ self.air.ears[station].since.0;
            hops.push(radio.way.1, radio.way.1 != NOBODY);
        }
        for hop in hops.all() {
            let hop = &self.air.hops[*hop as usize];
            read ^= hop.sent.packets ^ u64::from(hop.to);
        }
        read
    }
}
