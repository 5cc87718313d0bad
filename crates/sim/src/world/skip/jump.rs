//! The jump: what grows is written as it will be after so many periods, and events move with the present.

use backwater_transport::units::{Span, Time};
use backwater_transport::walk::{Repeat, Seen, Walk};

use super::super::World;
use crate::event::{Event, Key};
use crate::skip::{Timers, Trial};

impl World {
    /// Adds up so many periods.
    pub(super) fn jump(&mut self, trial: Trial, seen: Seen, repeat: Repeat) {
        let timers = trial.timers;
        let way = Span(repeat.period.0 * repeat.periods);
        let (now, numbers) = (self.clock.now, self.numbers());
        self.note_seconds(&trial, repeat);
        let books = &mut self.shared.run.books;
        if let Some(tape) = books.tape.take() {
            let step = |who: u32| numbers[who as usize].wrapping_sub(trial.numbers[who as usize]);
            tape.repeat(&mut books.fingerprint, repeat.period, repeat.periods, step);
        }
        let keys = self.shared.run.calendar.keys();
        let known = |key: &Key| (self.epochs_behind(*key), self.may_stay(*key, timers));
        let known: Vec<(u16, bool)> = keys.iter().map(known).collect();
        let walk = Walk::write(self.clock.now, trial.seen, seen, repeat);
        let mut walk = walk.where_all_move(timers == Timers::Move);
        self.walk_all(&mut walk, timers);
        let moved = keys.into_iter().zip(known);
        let moved =
            moved.filter_map(
                |(key, (behind, stays))| match stays && self.may_stay(key, timers) {
                    true => Some(key),
                    false => self.moved(key, timers, behind, way),
                },
            );
        let moved = moved.collect();
        self.shared.run.calendar.replace(moved);
        self.ends.renew_alarms(&mut self.shared.run.calendar, now);
        self.clock.now += way;
    }

    /// An event of the present a while later. A look for deadlock is the first that is not behind. Those of ends are made anew.
    fn moved(&self, key: Key, timers: Timers, behind: u16, way: Span) -> Option<Key> {
        let (at, event) = (key.at(), key.event());
        Some(match event {
            Event::Timer { connection, side } => {
                let stopped = self.ends.has_stopped(connection, side, self.clock.now);
                return stopped.then_some(key);
            }
            event if self.stays(event, timers) => key,
            Event::Inspect => {
                let every = self.shared.mechanisms.inspect.map_or(1, |every| every.0);
                let behind = (self.clock.now + way).0.saturating_sub(at.0);
                Key::new(Time(at.0 + behind.div_ceil(every) * every), event)
            }
            Event::Refresh {
                control, neighbour, ..
            } => {
                let live = self.shared.mechanisms.controls[control].epoch(neighbour);
                let epoch = live.wrapping_sub(behind);
                let event = Event::Refresh {
                    control,
                    neighbour,
                    epoch,
                };
                Key::new(at + way, event)
            }
            event => Key::new(at + way, event),
        })
    }
}
