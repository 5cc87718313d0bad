//! The view of detectors of the packets that a station holds.

use backwater_transport::units::{Span, Time};

use crate::limit::Limit;
use crate::mechanism::place::View;
use crate::medium::wifi::air::Air;
use crate::medium::wifi::radio::Edcaf;
use crate::network::Network;
use crate::packet::List;

impl Air {
    /// Occupancy of a category, in the unit of its limit.
    pub(in crate::medium::wifi) fn station_view(
        &self,
        station: u32,
        number: usize,
        now: Time,
    ) -> View<'static> {
        let c = &self.radios[station as usize].categories[number];
        let (held, room) = match c.buffer {
            Limit::Bytes(limit) => (c.bytes, limit.0),
            Limit::Packets(limit) => (u64::from(c.frames), limit),
            Limit::Unlimited => (c.bytes, u64::MAX),
        };
        View::level(now, number, held, room)
    }

    /// The same, and how long the frame has waited that is first in line for any hop, where `times` says so.
    pub(in crate::medium::wifi) fn timed_view(
        &self,
        network: &Network,
        station: u32,
        number: usize,
        times: bool,
        now: Time,
    ) -> View<'static> {
        let mut view = self.station_view(station, number, now);
        if times {
            let lists = self.lists_of(network, station, number);
            let firsts = lists.filter_map(|list| network.packets.walk(list).next());
            let oldest = firsts.map(|first| first.at).min();
            view.sojourn = oldest.map_or(Span::ZERO, |at| now.since(at));
        }
        view
    }

    /// The packets of a category that wait at a station: for each hop, and in queue management.
    pub(super) fn lists_of<'a>(
        &'a self,
        network: &'a Network,
        station: u32,
        number: usize,
    ) -> impl Iterator<Item = &'a List> {
        let radio = &self.radios[station as usize];
        let of_hop = move |hop: &u32| {
            &network.ports[self.hops[*hop as usize].port]
                .queue(number)
                .list
        };
        let judged = radio.categories[number].arranged.iter();
        let judged = judged
            .flat_map(|a| &a.judged)
            .flat_map(|j| j.queues())
            .map(|queue| &queue.list);
        radio.hops.iter().map(of_hop).chain(judged)
    }

    /// The same without a frame that is about to leave.
    pub(super) fn view_without(
        &self,
        network: &Network,
        Edcaf { station, number }: Edcaf,
        bytes: u64,
        times: bool,
        now: Time,
    ) -> View<'static> {
        let mut view = self.timed_view(network, station, number, times, now);
        view.held = self.less(station, number, view.held, bytes);
        view
    }

    /// The packets of a category that are held, in the unit of its limit, less a frame.
    pub(super) fn less(&self, station: u32, number: usize, held: u64, bytes: u64) -> u64 {
        held - match self.radios[station as usize].categories[number].buffer {
            Limit::Packets(_) => 1,
            Limit::Bytes(_) | Limit::Unlimited => bytes,
        }
    }
}
