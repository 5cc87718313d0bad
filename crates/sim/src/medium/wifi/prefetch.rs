//! Prefetching among 802.11 stations: the birth of a packet waits for its flow, its hop and its station one after the
//! other.

use super::air::Air;
use crate::calendar::Calendar;
use crate::event::Event;
use crate::ids::PortId;
use crate::network::Network;
use crate::prefetch::{TOGETHER, Trail};
use crate::table::Id;

type Demands = Trail<PortId, { TOGETHER + 1 }>;

/// Follows packets that will come into being into the queues of their stations.
pub(crate) fn follow(calendar: &Calendar, network: &Network, air: &Air) -> u64 {
    let mut read = 0;
    let mut demands = Demands::new(Id::NONE);
    for key in calendar.soonest().iter().rev().take(TOGETHER) {
        if let Event::Demand(id) = key.event() {
            let flow = &network.flows[id];
            read ^= flow.prefetch() ^ flow.stats.prefetch() ^ flow.due;
            demands.push(flow.port, air.hop(flow.port).is_some());
        }
    }
    let mut stations = Trail::<u32, { TOGETHER + 1 }>::new(0);
    for port in demands.all() {
        let hop = &air.hops[air.hop_number(*port) as usize];
        read ^= network.ports[*port].prefetch_queue() ^ u64::from(hop.to);
        stations.push(hop.from, true);
    }
    for station in stations.all() {
        let station = *station as usize;
        read ^= air.radios[station].prefetch() ^ air.sensing[station].since.0;
    }
    read
}
