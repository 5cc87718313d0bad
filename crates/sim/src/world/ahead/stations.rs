//! Looking ahead among 802.11 stations: a packet that comes into being waits for its flow, its station, the way from
//! there and the queue of its hop one after the other.

use super::{TOGETHER, Trail};
use crate::event::Event;
use crate::network::{Flow, Port};
use crate::table::Id;
use crate::world::World;

type Demands = Trail<Id<Flow>, { TOGETHER + 1 }>;

impl World {
    /// Follows packets that will come into being into the queues of their stations.
    pub(super) fn follow_to_stations(&self) -> u64 {
        let mut read = 0;
        let mut demands = Demands::new(Id::NONE);
        for key in self.calendar.soonest().iter().rev().take(TOGETHER) {
            if let Event::Demand(id) = key.event() {
                let flow = &self.flows[id];
                read ^= flow.touch() ^ flow.due;
                demands.push(id, flow.port.is_none());
            }
        }
        let mut hops = Trail::<Id<Port>, { TOGETHER + 1 }>::new(Id::NONE);
        for id in demands.all() {
            let flow = &self.flows[*id];
            let station = self.nodes[flow.from].station as usize;
            let radio = &self.air.radios[station];
            read ^= radio.touch() ^ self.air.ears[station].since.0;
            if let Some(to) = flow.to.iter().next() {
                hops.push(self.forwarding.egress(radio.row, *id, to), true);
            }
        }
        for port in hops.all() {
            read ^= self
                .air
                .hop(*port)
                .map_or(0, |hop| hop.sent.packets ^ u64::from(hop.to));
        }
        read
    }
}
