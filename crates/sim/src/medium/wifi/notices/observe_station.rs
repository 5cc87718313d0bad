//! Detectors at 802.11 stations: they observe what comes into the queues, each MAC transmission, and what is lost.

use std::collections::BTreeMap;

use backwater_transport::units::{Span, Time};

use crate::ids::{ControlId, PacketId};
use crate::mechanism::Mechanisms;
use crate::mechanism::carrier::Toward;
use crate::mechanism::control::HeldBack;
use crate::mechanism::gates::Gates;
use crate::mechanism::moment::{Identity, Moment, Seen};
use crate::mechanism::notice::Hosts;
use crate::mechanism::notifier::row::{Owner, Waiting};
use crate::mechanism::notifier::voice::Arrival;
use crate::mechanism::place::View;
use crate::medium::ethernet;
use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::mac::window::{Ghost, Transmission};
use crate::medium::wifi::radio::{Edcaf, Line};
use crate::network::Network;
use crate::network::views::queued_hosts;
use crate::packet::Packet;
use crate::shared::Shared;
use crate::table::Id;

impl Air {
    /// A notice of a mechanism at a station is about to expire.
    pub(crate) fn notice_expires(
        &self,
        cx: &mut Shared,
        control: ControlId,
        station: u32,
        class: usize,
        now: Time,
    ) {
        let gates = self.radios[station as usize].gates.as_ref();
        let opens = |g: &Gates| g.opens_toward(class as u8, None, None, now);
        let stopped = gates.is_some_and(|g| opens(g) > now);
        let times = cx.mechanisms.controls[control].times(0);
        let view = self.timed_view(&cx.network, station, class, times, now);
        let mechanism = &mut cx.mechanisms.controls[control];
        let held_back = match mechanism.expires_when_stopped() {
            true => self.held_back(&cx.network, station, class, now),
            false => HeldBack::default(),
        };
        let waiting = Waiting {
            hosts: &|| hosts_queued(self, &cx.network, station, class),
            owners: &|| owners_of(self, &cx.network, station, class),
        };
        mechanism.expiring(0, view, stopped, &held_back, &waiting);
        cx.mechanisms.collect(control);
    }

    /// The timer of a detector at a station has come.
    pub(crate) fn take_station_sample(
        &self,
        cx: &mut Shared,
        control: ControlId,
        place: usize,
        station: u32,
        now: Time,
    ) {
        let (network, mechanisms) = (&cx.network, &mut cx.mechanisms);
        let busy = self.station_count(station, now).busy;
        let categories = self.radios[station as usize].categories.len();
        let times = mechanisms.controls[control].times(place);
        let views: Vec<View> = (0..categories)
            .map(|number| self.timed_view(network, station, number, times, now))
            .collect();
        let queued = |number| hosts_queued(self, network, station, number);
        mechanisms.controls[control].sample(place, &views, Some(busy), Id::NONE, queued);
        mechanisms.collect(control);
    }

    /// A packet comes to a station: to be forwarded, or from one of its own flows. Rates count it.
    #[inline]
    pub(crate) fn came_to_station(
        &self,
        network: &Network,
        mechanisms: &mut Mechanisms,
        station: u32,
        packet_id: PacketId,
        now: Time,
    ) {
        let radio = &self.radios[station as usize];
        if let Some((control, place)) = radio.watch {
            let packet = &network.packets[packet_id];
            let prev = self.hop(packet.ingress).map(|hop| hop.from);
            let number = radio.category(packet.class()) as u8;
            let len = u64::from(packet.len);
            let control = &mut mechanisms.controls[control];
            if let Some(tally) = control.tally(place) {
                tally.came(prev, number, packet.flow, len, now);
            }
            let upstream = prev.map(|from| (from, &self.radios[from as usize]));
            if let Some((from, upstream)) = upstream.filter(|u| u.1.report_field > 0) {
                control.reported(from, number, upstream.steps[usize::from(number)]);
            }
        }
    }

    /// A packet of a station's queue toward a hop, as a detector sees it.
    fn seen_queued(&self, hop: u32, number: usize, packet: &Packet, now: Time) -> Seen {
        Seen {
            class: number as u8,
            bytes: packet.frame(),
            prev: self.hop(packet.ingress).map(|hop| hop.from),
            next: Some(self.hops[hop as usize].to),
            sojourn: now.since(packet.at),
            airtime: Span::ZERO,
            retries: 0,
            packet: None,
            to: Some(packet.to),
        }
    }

    /// The frames of a category that gates hold back.
    fn held_back(&self, network: &Network, station: u32, number: usize, now: Time) -> HeldBack {
        let mut held_back = HeldBack {
            rest: self.station_view(station, number, now).held,
            ..HeldBack::default()
        };
        for hop in &self.radios[station as usize].hops {
            let queue = network.ports[self.hops[*hop as usize].port].queue(number);
            for packet in network.packets.walk(&queue.list) {
                if self.gate_opens(station, number, *hop, Some(packet.to), now) > now {
                    held_back.rest = self.less(station, number, held_back.rest, packet.frame());
                    held_back
                        .frames
                        .push(self.seen_queued(*hop, number, packet, now));
                }
            }
        }
        held_back
    }

    /// The station from which a packet came that waits at a station, where somebody watches that; else `NOBODY`.
    pub(crate) fn origin(&self, network: &Network, station: u32, packet_id: PacketId) -> u32 {
        if self.radios[station as usize].watch.is_none() {
            return NOBODY;
        }
        let ingress = network.packets[packet_id].ingress;
        self.hop(ingress).map_or(NOBODY, |hop| hop.from)
    }

    /// A MAC transmission of a station is over: acknowledged, or given up. Its frame is still counted as held.
    #[inline(always)]
    pub(crate) fn observe_transmission(
        &self,
        cx: &mut Shared,
        at: Edcaf,
        ghost: &Ghost,
        done: &Transmission,
        now: Time,
    ) {
        if self.radios[at.station as usize].watch.is_some() {
            self.observe_watched_transmission(cx, at, ghost, done, now);
        }
    }

    #[inline(never)]
    fn observe_watched_transmission(
        &self,
        cx: &mut Shared,
        at: Edcaf,
        ghost: &Ghost,
        done: &Transmission,
        now: Time,
    ) {
        let Edcaf { station, number } = at;
        let Some((control, place)) = self.radios[station as usize].watch else {
            return;
        };
        let (len, c) = (u64::from(ghost.len), &mut cx.mechanisms.controls[control]);
        if let (true, Some(tally)) = (done.acknowledged, c.tally(place)) {
            tally.left(ghost.own, number as u8, ghost.flow, len, now);
        }
        if !c.observes_departure(place, number) {
            return;
        }
        let (bytes, times) = (ethernet::frame(len), c.times(place));
        let seen = Seen {
            class: number as u8,
            bytes,
            prev: (ghost.from != NOBODY).then_some(ghost.from),
            next: Some(done.to),
            sojourn: now.since(ghost.at),
            airtime: done.airtime,
            retries: done.retries,
            packet: ghost.overheard.then_some(Identity {
                flow: ghost.flow,
                seq: ghost.seq,
            }),
            to: Some(ghost.to),
        };
        let moment = match done.acknowledged {
            true => Moment::Sent(&seen),
            false => Moment::Lost(&seen),
        };
        let view = self.view_without(&cx.network, at, bytes, times, now);
        cx.mechanisms.controls[control].released(place, view, &moment);
        cx.mechanisms.collect(control);
    }
}

impl Air {
    /// A packet is lost from a station's queue before it was tried. It is still counted as held.
    pub(crate) fn observe_station_loss(
        &mut self,
        cx: &mut Shared,
        line: Line,
        packet_id: PacketId,
        now: Time,
    ) {
        let Line { hop, number } = line;
        let station = self.hops[hop as usize].from;
        if let Some((control, place)) = self.radios[station as usize].watch {
            let seen = self.seen_queued(hop, number, &cx.network.packets[packet_id], now);
            let times = cx.mechanisms.controls[control].times(place);
            let at = Edcaf { station, number };
            let view = self.view_without(&cx.network, at, seen.bytes, times, now);
            cx.mechanisms.controls[control].released(place, view, &Moment::Lost(&seen));
            cx.mechanisms.collect(control);
        }
    }

    /// A packet has joined a station's queue, or found no room in it.
    #[inline(always)]
    pub(crate) fn observe_station_arrival(
        &mut self,
        cx: &mut Shared,
        line: Line,
        packet_id: PacketId,
        joined: bool,
        now: Time,
    ) {
        let station = self.hops[line.hop as usize].from;
        if self.radios[station as usize].watch.is_some() {
            self.observe_watched_arrival(cx, line, packet_id, joined, now);
        }
    }

    #[inline(never)]
    fn observe_watched_arrival(
        &mut self,
        cx: &mut Shared,
        line: Line,
        packet_id: PacketId,
        joined: bool,
        now: Time,
    ) {
        let Line { hop, number } = line;
        let station = self.hops[hop as usize].from;
        let Some((control, place)) = self.radios[station as usize].watch else {
            return;
        };
        if !cx.mechanisms.controls[control].observes_arrivals(place) {
            return;
        }
        let seen = self.seen_queued(hop, number, &cx.network.packets[packet_id], now);
        let c = &cx.mechanisms.controls[control];
        let entrance = || cx.network.entrance(packet_id).map(Toward::Port);
        let from = seen.prev.map(Toward::Station).or_else(entrance);
        let arrival = Arrival {
            now,
            class: number,
            from: from.and_then(|from| c.neighbour(from)),
            egress: Id::NONE,
            to: cx.network.packets[packet_id].to,
        };
        let times = c.times(place);
        let view = self.timed_view(&cx.network, station, number, times, now);
        let c = &mut cx.mechanisms.controls[control];
        if joined {
            let waiting = Waiting {
                hosts: &|| hosts_queued(self, &cx.network, station, number),
                owners: &|| owners_of(self, &cx.network, station, number),
            };
            c.enqueued(place, view, &seen, &arrival, &waiting);
            let port = self.hops[hop as usize].port;
            let at = (port, packet_id);
            cx.mark_congested(control, place, at, number, now);
        } else {
            c.refused(place, view, &seen, &arrival);
        }
        cx.mechanisms.collect(control);
    }
}

/// How much of each neighbour's packets for each destination waits at a station, ascending.
fn owners_of(air: &Air, network: &Network, station: u32, number: usize) -> Vec<Owner> {
    let mut sums = BTreeMap::new();
    for hop in &air.radios[station as usize].hops {
        let queue = network.ports[air.hops[*hop as usize].port].queue(number);
        for packet in network.packets.walk(&queue.list) {
            if let Some(from) = air.hop(packet.ingress).map(|hop| hop.from) {
                *sums.entry((from, packet.to)).or_insert(0) += packet.frame();
            }
        }
    }
    let owner = |((station, host), bytes)| Owner {
        station,
        host,
        bytes,
    };
    sums.into_iter().map(owner).collect()
}

/// The hosts for which packets of a category wait at a station.
fn hosts_queued(air: &Air, network: &Network, station: u32, number: usize) -> Hosts {
    let hosts = network.hosts.len();
    let mut words = vec![0u64; hosts.div_ceil(64)];
    for list in air.lists_of(network, station, number) {
        let queued = queued_hosts(&network.packets, list, hosts);
        words.iter_mut().zip(&*queued).for_each(|(w, q)| *w |= q);
    }
    words.into()
}
