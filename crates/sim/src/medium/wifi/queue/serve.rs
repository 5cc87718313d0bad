//! Which hop a category serves where neighbours take turns, and packets that leave queue management: for the next attempt, for the
//! queue of the driver, or until they fill an A-MPDU.

use backwater_transport::units::{Span, Time};
use smallvec::SmallVec;

use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::phy::aggregate::{Growing, least_part};
use crate::medium::wifi::phy::mode::LONGEST;
use crate::medium::wifi::queue::arrangement::Arrangement;
use crate::medium::wifi::queue::judge::Instance;
use crate::medium::wifi::queue::turns::Ready;
use crate::shared::Shared;

impl Air {
    fn arranged(&mut self, station: u32, number: usize) -> Option<&mut Arrangement> {
        let c = &mut self.radios[station as usize].categories[number];
        c.arranged.as_deref_mut()
    }

    /// The hop whose turn it is.
    pub(super) fn choose_by_turn(
        &mut self,
        cx: &mut Shared,
        station: u32,
        number: usize,
        now: Time,
    ) -> Option<u32> {
        // A gate that has opened since lets packets leave for the driver.
        self.fill_driver(cx, station, number, now);
        // Hops of whose packets queue management lets none go now.
        let mut shut = SmallVec::<[u32; 4]>::new();
        loop {
            let arranged = self.arranged(station, number)?;
            let each = arranged.for_single_hops();
            let mut turns = arranged.turns.take()?;
            let c = &self.radios[station as usize].categories[number];
            let ready = |hop: u32| {
                let lined_up = c.hops.contains(&hop);
                let judged = || c.arranged.as_ref().map_or(0, |a| a.held_for(hop));
                if !lined_up && (!each || judged() == 0) {
                    return Ready::Empty;
                }
                let open = || self.hop_opens(&cx.network, station, number, hop, now) <= now;
                match shut.contains(&hop) || (lined_up && !open()) {
                    true => Ready::Shut,
                    false => Ready::Sends,
                }
            };
            let chosen = turns.choose(ready);
            self.arranged(station, number)?.turns = Some(turns);
            let hop = chosen?;
            if !each {
                return Some(hop);
            }
            if self.arranged(station, number)?.airtime.is_none() {
                self.fill_burst(cx, (station, number, hop), now);
            }
            let c = &self.radios[station as usize].categories[number];
            if c.hops.contains(&hop) {
                return Some(hop);
            }
            shut.push(hop);
        }
    }

    /// A packet leaves queue management, since none waits in the list of a hop.
    pub(super) fn take_managed(
        &mut self,
        cx: &mut Shared,
        station: u32,
        number: usize,
        now: Time,
    ) -> Option<u32> {
        let arranged = self.arranged(station, number)?;
        if !arranged.manages() {
            return None;
        }
        let of = Instance {
            station,
            number,
            place: 0,
        };
        let hop = self.bind(cx, of, now)?;
        let c = &mut self.radios[station as usize].categories[number];
        c.current = Some(hop);
        Some(hop)
    }

    /// Packets leave queue management as far as the driver has room.
    #[inline]
    pub(super) fn fill_driver(&mut self, cx: &mut Shared, station: u32, number: usize, now: Time) {
        let c = &self.radios[station as usize].categories[number];
        let Some(arranged) = &c.arranged else {
            return;
        };
        if arranged.driver.is_some() {
            self.fill_driver_queue(cx, station, number, now);
        } else if let Some(limits) = arranged.airtime {
            self.fill_by_airtime(cx, (station, number), limits, now);
        }
    }

    #[inline(never)]
    fn fill_driver_queue(&mut self, cx: &mut Shared, station: u32, number: usize, now: Time) {
        let of = Instance {
            station,
            number,
            place: 0,
        };
        loop {
            let c = &self.radios[station as usize].categories[number];
            let Some(arranged) = &c.arranged else {
                return;
            };
            let room = arranged.driver.unwrap_or(0);
            let full = c.frames - arranged.held() >= room;
            if full || self.bind(cx, of, now).is_none() {
                return;
            }
        }
    }

    /// Packets of a hop leave its queue management until they fill the next burst.
    fn fill_burst(
        &mut self,
        cx: &mut Shared,
        (station, number, hop): (u32, usize, u32),
        now: Time,
    ) {
        let of = self.instance_of(station, number, hop);
        let served = &self.hops[hop as usize];
        let port = served.port;
        let mut waits = cx.network.ports[port].queue(number).list.head();
        let Some((limits, mode)) = self.aggregation(hop, number).copied().zip(served.mode) else {
            if waits.is_none() && !served.first(&cx.network, number).is_ghost() {
                self.bind(cx, of, now);
            }
            return;
        };
        let overhead = self.header_bytes(station);
        let least = least_part(limits.bounds.apart, mode.rate());
        let most = limits.bounds.most(&mode, LONGEST);
        let (mut all, mut place) = (Growing::default(), 0);
        loop {
            let window = &self.hops[hop as usize].windows[number];
            place = window.open_from(place);
            if place >= usize::from(limits.window) {
                return;
            }
            let ghost = window.at(place).ghost;
            if ghost.is_none() && waits.is_none() {
                if self.bind(cx, of, now).is_none() {
                    return;
                }
                waits = cx.network.ports[port].queue(number).list.tail();
            }
            let len = match ghost {
                Some(ghost) => ghost.len,
                None => {
                    let packet = &cx.network.packets[waits];
                    waits = packet.next;
                    packet.len
                }
            };
            let mpdu = u64::from(len) + overhead;
            all = all.with(mpdu, least);
            if !most.holds(&all) {
                return;
            }
            place += 1;
        }
    }

    /// A hop has had an exchange, or has tried to: its turn is charged.
    #[inline]
    pub(in crate::medium::wifi) fn charge_turn(
        &mut self,
        (station, number, hop): (u32, usize, u32),
        took: Span,
    ) {
        let to = self.hops[hop as usize].to;
        if self.medium(station).aggregates() && to != NOBODY {
            self.radios[to as usize].count.toward.airtime += took.0;
        }
        if let Some(arranged) = self.arranged(station, number)
            && let Some(turns) = &mut arranged.turns
        {
            turns.charge(hop, took.0);
        }
    }

    /// A data frame of so many ticks has come from a station: the turn of the hop back to it is charged.
    #[inline]
    pub(in crate::medium::wifi) fn charge_received(
        &mut self,
        (from, receiver, number): (u32, u32, usize),
        took: Span,
    ) {
        let radio = &mut self.radios[receiver as usize];
        let c = &mut radio.categories[number];
        if let Some(arranged) = &mut c.arranged
            && let Some(turns) = &mut arranged.turns
        {
            let hops = &self.hops;
            turns.charge_received(took.0, |hop| hops[hop as usize].to == from);
        }
    }
}

#[cfg(test)]
mod tests {
    use backwater_transport::part::Args;
    use backwater_transport::units::{Span, Time};

    use crate::medium::wifi::mac::aggregate::tests::{APART, short_packets};
    use crate::medium::wifi::queue::turns::Turn;
    use crate::queue::QUEUES;
    use crate::spec::{NodeKind, Serving};
    use crate::world::World;

    /// 1000 B hold six parts of 132 B and one MPDU of 82 B, for MPDUs 16 us apart at 65 Mbit/s; ten parts of 84 B without that distance. The packet that no
    /// longer fits has left queue management, too.
    #[test]
    fn no_more_packets_leave_queue_management_than_fill_a_burst() {
        let mut limits = APART;
        limits.bounds.bytes = 1000;
        let mut spec = short_packets(limits);
        let NodeKind::Station(radios) = &mut spec.nodes[0].kind else {
            unreachable!("a station");
        };
        let row = QUEUES.iter().find(|part| part.id == "drop-head");
        let queue = (row.expect("a queue").build)(&Args(Vec::new())).expect("no options");
        radios[0].aqm = queue.aqm;
        radios[0].serving = Serving {
            turn: Turn::RoundRobin,
            each: true,
            ..Serving::default()
        };
        let mut world = World::build(&spec).expect("a legal line");
        let mut most = 0;
        for micros in (0..20_000).step_by(10) {
            world.advance(Time::ZERO + Span::micros(micros));
            let (network, hop) = (&world.shared.network, &world.media.air.hops[0]);
            let mut waits = network.ports[hop.port].queue(1).list.head();
            let mut count = 0;
            while !waits.is_none() {
                (waits, count) = (network.packets[waits].next, count + 1);
            }
            most = most.max(count);
        }
        assert_eq!(most, 8);
    }
}
