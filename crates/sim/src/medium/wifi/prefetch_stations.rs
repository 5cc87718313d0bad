//! Prefetching among 802.11 stations: the birth of a packet waits for its flow, its hop and its station one after the
//! other.

use crate::event::Event;
use crate::ids::PortId;
use crate::table::Id;
use crate::world::World;
use crate::world::ahead::{TOGETHER, Trail};

type Demands = Trail<PortId, { TOGETHER + 1 }>;

impl World {
    /// Follows packets that will come into being into the queues of their stations.
    pub(crate) fn follow_to_stations(&self) -> u64 {
        let mut read = 0;
        let mut demands = Demands::new(Id::NONE);
        for key in self.clock.calendar.soonest().iter().rev().take(TOGETHER) {
            if let Event::Demand(id) = key.event() {
                let flow = &self.network.flows[id];
                read ^= flow.touch() ^ flow.stats.touch() ^ flow.due;
                demands.push(flow.port, self.air.hop(flow.port).is_some());
            }
        }
        let mut stations = Trail::<u32, { TOGETHER + 1 }>::new(0);
        for port in demands.all() {
            let hop = &self.air.hops[self.air.hop_number(*port) as usize];
            read ^= hop.sent.packets ^ u64::from(hop.to);
            stations.push(hop.from, true);
        }
        for station in stations.all() {
            let station = *station as usize;
            read ^= self.air.radios[station].touch() ^ self.air.ears[station].since.0;
        }
        read
    }
}
