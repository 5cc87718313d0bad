//! Prefetching where ports have laws of explicit feedback: a law lies behind its port, and what it writes into behind the
//! header of the packet.

use backwater_transport::units::Time;

use super::{TOGETHER, Trail};
use crate::calendar::Calendar;
use crate::ids::{PacketId, PortId};
use crate::network::{Network, Traits};
use crate::table::Id;

/// Packets of a wire that are followed.
const DEEP: usize = 4;
/// Packets that are followed together, at most.
const MOST: usize = (TOGETHER + 1) * DEEP;

/// Follows packets that arrive up to the last event of the list to the laws of the ports through which they leave.
pub(super) fn follow(calendar: &Calendar, network: &Network, arrivals: &[PortId]) -> u64 {
    let last = calendar.soonest().first();
    let horizon = last.map_or(Time::ZERO, |key| key.at());
    let mut shown = Trail::<(PortId, PacketId), MOST>::new((Id::NONE, Id::NONE));
    for id in arrivals {
        let mut next = network.ports[*id].wire.head();
        for _ in 0..DEEP {
            if next.is_none() || network.packets[next].at > horizon {
                break;
            }
            let to = network.packets[next].ingress;
            let stamps = !to.is_open() && network.ports[to].is(Traits::STAMPED);
            shown.push((to, next), stamps);
            next = network.packets[next].next;
        }
    }
    let mut read = 0;
    for (port, packet) in shown.all() {
        read ^= network.ports[*port].more.laws.len() as u64 ^ network.headers.prefetch(*packet);
    }
    for (port, packet) in shown.all() {
        let law = network.ports[*port].more.laws[0].law;
        read ^= network.laws[law].prefetch() ^ network.headers.prefetch_feedback(*packet);
    }
    read
}
