//! Stations that overhear a data frame of one station to another: their detectors learn which packet was sent on. A station overhears
//! only what it receives whole; of an A-MPDU the frames that are whole at it, in their order.

use backwater_transport::units::Time;

use crate::ids::PacketId;
use crate::mechanism::Mechanisms;
use crate::mechanism::moment::{Identity, Overheard};
use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::mac::frame::Exchange;
use crate::network::Network;

impl Air {
    /// Whether the next station sends a packet of a hop's queue on over the air.
    pub(in crate::medium::wifi) fn is_sent_on(
        &self,
        network: &Network,
        hop: u32,
        packet_id: PacketId,
    ) -> bool {
        let hop = &self.hops[hop as usize];
        if hop.to == NOBODY {
            return false;
        }
        let (packet, next) = (&network.packets[packet_id], &self.radios[hop.to as usize]);
        let row = network.nodes[next.node].row;
        packet.to != next.host
            && self
                .hop(network.plan.forwarding.egress(row, packet.flow, packet.to))
                .is_some_and(|on| on.from == hop.to)
    }

    /// Packets for a host that a station holds.
    pub(in crate::medium::wifi) fn held_for(
        &self,
        network: &Network,
        station: u32,
        number: usize,
        host: u32,
    ) -> u32 {
        let hops = self.radios[station as usize].categories[number].hops.iter();
        let queues = hops.map(|hop| network.ports[self.hops[*hop as usize].port].queue(number));
        let packets = queues.flat_map(|queue| network.packets.walk(&queue.list));
        packets.filter(|packet| packet.to == host).count() as u32
    }

    /// The data frame of a station has ended, and some stations that it was not for have it whole.
    #[cold]
    pub(in crate::medium::wifi) fn overhear(
        &self,
        network: &Network,
        mechanisms: &mut Mechanisms,
        station: u32,
        now: Time,
    ) {
        let exchange = self.radios[station as usize].exchange;
        let exchange = exchange.expect("a data frame belongs to an exchange");
        let Some(hop) = exchange.hop else {
            return;
        };
        let number = usize::from(exchange.category);
        let tells = self.radios[station as usize].backlog_field > 0;
        let (mut place, mut before) = (0, PacketId::NONE);
        for frame in 0..exchange.count {
            let served = &self.hops[hop as usize];
            place = served.windows[number].open_from(place);
            let (flow, seq, to) = match served.windows[number].at(place).ghost {
                Some(ghost) => (ghost.flow, ghost.seq, ghost.to),
                None => {
                    before = served.behind(network, number, before);
                    let packet = &network.packets[before];
                    (packet.flow, packet.seq, packet.to)
                }
            };
            place += 1;
            let seen = Overheard {
                class: exchange.category,
                by: station,
                packet: Identity { flow, seq },
                to,
                backlog: tells.then(|| self.held_for(network, station, number, to)),
            };
            for by in &self.overheard {
                if self.missed_by(*by, (station, &exchange, frame)) {
                    continue;
                }
                if let Some((control, place)) = self.radios[*by as usize].watch {
                    let times = mechanisms.controls[control].times(place);
                    let view = self.timed_view(network, *by, number, times, now);
                    mechanisms.controls[control].overheard(place, view, &seen);
                    mechanisms.collect(control);
                }
            }
        }
    }

    /// Whether a station that overheard a burst which ended now does not have this frame of it.
    fn missed_by(&self, by: u32, (from, exchange, frame): (u32, &Exchange, u16)) -> bool {
        if exchange.count == 1 {
            return false;
        }
        let medium = &self.media[self.radios[from as usize].medium as usize];
        if medium.receivers.is_some() {
            return self.hearings[by as usize].missed(frame);
        }
        let cell = self.cells[self.radios[from as usize].medium as usize].as_ref();
        let follows = self.sensing[by as usize].cover == NOBODY;
        let hits = match cell.filter(|_| follows) {
            Some(cell) => &cell.hits[0],
            None => &self.hits[by as usize],
        };
        hits.frames.contains(frame)
    }
}
