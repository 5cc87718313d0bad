//! The work of a port's watchdog: it opens gates that have been closed for too long, and frames are lost or sent.

use backwater_transport::units::Time;

use super::Shared;
use crate::cause::Cause;
use crate::event::Event;
use crate::ids::PortId;
use crate::network::Traits;
use crate::record::fingerprint::Mark;
use crate::table::Id;

impl Shared {
    /// Gates of a port have changed: its watchdog looks when they will have been closed for too long.
    pub(super) fn arm_watchdog(&mut self, id: PortId, now: Time) {
        let port = &mut self.network.ports[id];
        let (Some(gates), Some(watchdog)) = (&port.gates, &mut port.more.watchdog) else {
            return;
        };
        if let Some(due) = watchdog.arm(gates, now) {
            self.run.calendar.push(due, Event::Watchdog(id));
        }
    }

    /// The timer of a port's watchdog has gone off.
    pub(crate) fn look_after_pauses(&mut self, id: PortId, now: Time) {
        self.catch_up(id, now);
        let port = &mut self.network.ports[id];
        let (Some(gates), Some(watchdog)) = (&mut port.gates, &mut port.more.watchdog) else {
            return;
        };
        let Some(begun) = watchdog.elapse(gates, now) else {
            return;
        };
        let drops = watchdog.drops_any();
        port.set(Traits::DROPS, drops);
        if begun != 0 {
            // Behind a gate that is still shut: none of them is sent.
            if drops {
                self.lose_stormed(id, now);
            }
            self.let_go(id, begun, now);
            self.note_stops(id, now);
            let detail = u64::from(begun) << 16 | 1 << 32;
            let books = &mut self.run.books;
            books.fingerprint.add(Mark::Knob, now, id.0, detail);
            self.network.recheck_card(id);
            self.mechanisms.update_drain(&self.network, id, now);
            self.catch_up(id, now);
        }
        self.arm_watchdog(id, now);
    }

    /// Frames of these classes may leave again.
    fn let_go(&mut self, id: PortId, classes: u8, now: Time) {
        let port = &mut self.network.ports[id];
        if let Some(gates) = &mut port.gates {
            gates.set(now, classes, now);
            if port.more.managed.is_none() {
                port.shut_until = gates.shut_until();
            }
        }
        port.retry(now);
    }

    /// Frames that wait in stormed classes are lost.
    fn lose_stormed(&mut self, id: PortId, now: Time) {
        for q in 0..self.network.ports[id].queues().len() {
            let mut before = Id::NONE;
            loop {
                let port = &self.network.ports[id];
                let list = &port.queue(q).list;
                let next = match before.is_none() {
                    true => list.head(),
                    false => self.network.packets[before].next,
                };
                if next.is_none() {
                    break;
                }
                match port.drops(self.network.packets[next].class()) {
                    true => self.lose_waiting_at(id, q, before, Cause::Watchdog, now),
                    false => before = next,
                }
            }
        }
    }
}
