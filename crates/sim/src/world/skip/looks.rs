//! Looks for deadlock come at instants of their own, which are no part of a period. What they would find in a stretch is found
//! in a copy that serves one more period, with a look at each of their places in it.

use backwater_transport::units::Time;
use backwater_transport::walk::Repeat;

use super::super::World;
use crate::event::Event;
use crate::network::Traits;

impl World {
    /// The instant up to which nothing is to be skipped, because a look for deadlock would find one, or might.
    pub(super) fn finds_deadlock(&self, repeat: Repeat) -> Option<Time> {
        let mechanisms = &self.shared.mechanisms;
        let every = mechanisms.inspect?;
        if mechanisms.deadlock.is_some() || !self.gates_form_a_ring() {
            return None;
        }
        if self.some_stand_still(repeat.began) {
            return Some(self.clock.now);
        }
        // A port that sends in each period is not stuck for longer than one.
        if every >= repeat.period {
            return None;
        }
        let mut keys = self.shared.run.calendar.keys().into_iter();
        let first = keys.find(|key| key.event() == Event::Inspect)?.at();
        let (now, period) = (self.clock.now, repeat.period.0);
        let end = Time(now.0 + period * repeat.periods);
        let at = (first.0..end.0).step_by(every.0 as usize);
        let mut looks: Vec<(u64, u64)> = at.map(|at| ((at - now.0) % period, at)).collect();
        looks.sort_unstable();
        looks.dedup_by_key(|(phase, _)| *phase);
        let mut copy = self.clone();
        copy.skip = None;
        copy.shared.run.books.tape = None;
        copy.shared.run.calendar.cancel(Event::Inspect);
        let mut found: Option<u64> = None;
        for (phase, at) in looks {
            let here = Time(now.0 + phase);
            copy.shared.run.calendar.push(here, Event::Inspect);
            copy.advance(here);
            copy.shared.run.calendar.cancel(Event::Inspect);
            if copy.shared.mechanisms.deadlock.take().is_some() {
                found = Some(found.map_or(at, |before| before.min(at)));
            }
        }
        found.map(Time)
    }

    /// Whether ports with gates may wait for one another in a circle.
    pub(super) fn gates_form_a_ring(&self) -> bool {
        let network = &self.shared.network;
        let ids: Vec<_> = network.ports.ids().collect();
        let mut waits: Vec<bool> = ids
            .iter()
            .map(|id| network.ports[*id].gates.is_some())
            .collect();
        loop {
            let before = waits.iter().filter(|waits| **waits).count();
            for id in &ids {
                let mut far = network.nodes[network.ports[*id].far].ports.iter();
                waits[id.index()] &= far.any(|next| waits[next.index()]);
            }
            match waits.iter().filter(|waits| **waits).count() {
                0 => return false,
                after if after == before => return true,
                _ => {}
            }
        }
    }

    /// Whether a port has frames that wait and has sent none since then.
    fn some_stand_still(&self, since: Time) -> bool {
        let mut ports = self.shared.network.ports.iter();
        ports.any(|port| {
            let waits = port.waiting > 0 && port.free_at() <= since;
            waits || port.is(Traits::STALLED) && port.stall_from <= since
        })
    }
}
