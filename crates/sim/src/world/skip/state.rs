//! The state of a world, visited in one order.

use backwater_transport::walk::{Seen, Walk};

use super::super::World;
use crate::event::{Event, Key};
use crate::skip::{Timers, Unable};

impl World {
    /// The state, and what grows. A copy is brought up to date for that, since ports that lag behind cost less.
    pub(super) fn seen(&self, all: bool, timers: Timers) -> Result<Seen, Unable> {
        let mut copy = self.clone();
        copy.catch_up_all();
        let walk = match all {
            true => Walk::keep(copy.clock.now),
            false => Walk::look(copy.clock.now),
        };
        copy.walk(walk, timers)
    }

    pub(super) fn catch_up_all(&mut self) {
        self.settle();
        self.end_event(self.clock.now);
    }

    /// By how much the serial of a timer lies behind the live one.
    pub(super) fn epochs_behind(&self, key: Key) -> u16 {
        match key.event() {
            Event::Refresh {
                control,
                neighbour,
                epoch,
            } => {
                let live = self.shared.mechanisms.controls[control].epoch(neighbour);
                live.wrapping_sub(epoch)
            }
            _ => 0,
        }
    }

    /// Whether an event comes at an instant that does not move.
    pub(super) fn stays(&self, event: Event, timers: Timers) -> bool {
        match event {
            Event::Link(_) | Event::Warm => true,
            Event::Demand(flow) => !self.shared.network.flows[flow].begun(),
            Event::Refresh { .. } => timers == Timers::Stay,
            _ => false,
        }
    }

    /// Whether an event is that of a closed gate, whose instant the port knows.
    pub(super) fn may_stay(&self, key: Key, timers: Timers) -> bool {
        match key.event() {
            Event::Wake(port) if timers == Timers::Stay && key.at() > self.clock.now => {
                key.at() == self.shared.network.ports[port].more.armed
            }
            _ => false,
        }
    }

    /// Visits the state of this world.
    pub(super) fn walk(&mut self, mut walk: Walk, timers: Timers) -> Result<Seen, Unable> {
        walk = walk.where_all_move(timers == Timers::Move);
        self.walk_all(&mut walk, timers);
        walk.seen()
    }

    pub(super) fn walk_all(&mut self, walk: &mut Walk, timers: Timers) {
        let mut armed: Vec<u64> = Vec::new();
        let keys = self.shared.run.calendar.keys();
        let mut talks = self.ends.talks(&keys);
        for key in keys {
            match key.event() {
                Event::Inspect => {}
                Event::Timer { connection, side } => {
                    if self.ends.has_stopped(connection, side, self.clock.now) {
                        walk.known(key.at(), key.tie());
                    }
                }
                _ if self.may_stay(key, timers) => armed.push(key.tie()),
                event if self.stays(event, timers) => walk.known(key.at(), key.tie()),
                event => {
                    let behind = self.epochs_behind(key);
                    let event = match event {
                        Event::Refresh {
                            control, neighbour, ..
                        } => Event::Refresh {
                            control,
                            neighbour,
                            epoch: behind,
                        },
                        event => event,
                    };
                    let compared = !matches!(event, Event::Wake(_));
                    walk.event(key.at(), Key::new(key.at(), event).tie(), compared);
                }
            }
        }
        armed.sort_unstable();
        walk.same(armed.len() as u64);
        armed.iter().for_each(|tie| walk.same(*tie));
        let World {
            clock,
            shared,
            media,
            ends,
            injections: _,
            link_events,
            reseeds: _,
            skip: _,
        } = self;
        walk.fixed(clock.end);
        walk.same(link_events.active as u64);
        walk.same(shared.handovers.len() as u64);
        shared.network.walk(walk, &shared.run.books, &mut talks);
        shared.mechanisms.walk(walk);
        shared.run.books.walk(walk);
        media.walk(walk);
        ends.walk(walk, &shared.network.flows, &talks);
    }
}
