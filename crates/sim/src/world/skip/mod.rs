//! Runs that skip what repeats itself; see `crate::skip`. A world whose state is what it was a while ago is tried for as long
//! again. If its state is the same once more, word by word, whole periods are added up, as many as end before anything that is
//! known to come at an instant of its own: the warm-up, the beginning or end of a flow, an event of a wire.
//!
//! * `state` visits the state, `jump` writes what becomes of it.
//! * `seconds` tells what flows have delivered in each second of a stretch.
//! * `looks` settles what the looks for deadlock in a stretch would have found.

mod jump;
mod looks;
mod seconds;
mod state;
#[cfg(test)]
mod tests;

use backwater_transport::units::{Span, Time};
use backwater_transport::walk::{Repeat, Walk};

use super::World;
use super::run::Step;
use crate::skip::{EACH, PAUSE, Skip, Stretch, Timers, Trial, Unable, hash};

/// Periods in which a flow comes to the end of what it has to send, behind those that are skipped.
const TAIL: u64 = 3;
/// Marks that the tape of a trial has room for: a period with more is not skipped.
const MARKS: usize = 1 << 20;

impl World {
    /// From now on stretches that repeat themselves are skipped. Results stay what they are.
    ///
    /// # Errors
    /// Something in this world has a state that is not compared.
    pub fn skip_recurrences(&mut self) -> Result<(), Unable> {
        self.seen(true, Timers::Stay)?;
        self.skip = Some(Box::new(Skip {
            counts: vec![0; self.shared.network.flows.len()],
            ..Skip::default()
        }));
        Ok(())
    }

    /// The stretches that were skipped; none where the run was not to skip any.
    pub fn skipped(&self) -> Option<&[Stretch]> {
        self.skip.as_deref().map(|skip| &*skip.stretches)
    }

    /// The caller may have changed something.
    pub(super) fn forget_recurrence(&mut self) {
        if let Some(mut skip) = self.skip.take() {
            self.give_up(&mut skip);
            skip.long.restart();
            skip.rest = Time::ZERO;
            self.skip = Some(skip);
        }
    }

    /// Serves so many events, and skips what repeats what was before. Apart from the loop of worlds that skip nothing, which it
    /// would slow down.
    #[cold]
    #[inline(never)]
    pub(super) fn serve_or_skip(&mut self, until: Time, events: u64) -> Step {
        for _ in 0..events {
            if self.step(until) == Step::Nothing {
                return Step::Nothing;
            }
            self.watch(until);
        }
        Step::Served
    }

    /// An event has been served.
    fn watch(&mut self, until: Time) {
        let Some(skip) = &self.skip else {
            return;
        };
        if self.clock.events >= skip.next_choice {
            self.choose_anchor();
        } else if self.shared.mechanisms.refreshed != skip.timers {
            self.note_anchor(Timers::Move, until);
        } else if let Some(flow) = skip.anchor
            && self.shared.network.flows[flow].stats.delivered.packets != skip.delivered
        {
            self.note_anchor(Timers::Stay, until);
        }
    }

    /// Takes another flow whose deliveries are counted if the present one has none any more: the one that has the fewest.
    #[cold]
    fn choose_anchor(&mut self) {
        let Some(mut skip) = self.skip.take() else {
            return;
        };
        let flows = &self.shared.network.flows;
        skip.next_choice = self.clock.events + PAUSE.max(EACH * flows.len() as u64);
        let (mut fewest, mut anchor, mut goes_on) = (u64::MAX, None, false);
        for (id, count) in flows.ids().zip(&mut skip.counts) {
            let delivered = flows[id].stats.delivered.packets;
            let more = delivered - std::mem::replace(count, delivered);
            goes_on |= more > 0 && skip.anchor == Some(id);
            if more > 0 && more < fewest {
                (fewest, anchor) = (more, Some(id));
            }
        }
        if !goes_on {
            skip.anchor = anchor;
            self.give_up(&mut skip);
        }
        self.skip = Some(skip);
    }

    /// The anchor of such periods has come.
    fn note_anchor(&mut self, of: Timers, until: Time) {
        let Some(mut skip) = self.skip.take() else {
            return;
        };
        let now = self.clock.now;
        let (delays, hops) = (skip.delays, skip.hops);
        self.count_from_here(&mut skip);
        let figures = [
            skip.delays.wrapping_sub(delays) as u64,
            skip.hops.wrapping_sub(hops),
            u64::from(self.shared.network.packets.live()),
        ];
        let events = self.clock.events;
        match &mut skip.trial {
            Some(trial) if trial.timers == of => {
                trial.left -= 1;
                let tape = self.shared.run.books.tape.as_ref();
                if trial.left == 0 {
                    self.end_trial(&mut skip, until);
                } else if tape.is_some_and(|tape| tape.len() > MARKS) {
                    self.give_up(&mut skip);
                    skip.rest = Time::NEVER;
                }
            }
            Some(trial) if trial.timers == Timers::Move => {}
            _ => {
                let look = match of {
                    Timers::Move => skip.long.came_rarely(events),
                    Timers::Stay => skip.trial.is_none() && skip.short.came(now, figures, events),
                };
                if look && now >= skip.rest {
                    self.look(of, &mut skip);
                }
            }
        }
        self.skip = Some(skip);
    }

    /// What anchors do is counted from the present on.
    fn count_from_here(&self, skip: &mut Skip) {
        skip.timers = self.shared.mechanisms.refreshed;
        skip.hops = self.shared.run.books.packet_hops;
        if let Some(flow) = skip.anchor {
            let stats = &self.shared.network.flows[flow].stats;
            (skip.delivered, skip.delays) = (stats.delivered.packets, stats.sum().total);
        }
    }

    /// Compares the state with earlier ones, and begins a trial where it is the same.
    fn look(&mut self, of: Timers, skip: &mut Skip) {
        let Ok(seen) = self.seen(false, of) else {
            return;
        };
        let network = &self.shared.network;
        let things = network.ports.len() + network.flows.len() + network.packets.live() as usize;
        let recurrence = match of {
            Timers::Stay => &mut skip.short,
            Timers::Move => &mut skip.long,
        };
        let Some(left) = recurrence.looked(hash(&seen.state), things as u64) else {
            return;
        };
        let Ok(seen) = self.seen(true, of) else {
            return;
        };
        skip.trial = Some(Box::new(Trial {
            timers: of,
            began: self.clock.now,
            events: self.clock.events,
            left,
            seen,
            numbers: self.numbers(),
            delivered: self.ends.delivered(),
            log: Vec::new(),
        }));
        self.shared.run.books.tape = Some(Box::default());
        if self.ends.progress.second_ends() < Time::NEVER {
            self.ends.start_trial();
        }
    }

    fn numbers(&self) -> Vec<u32> {
        let flows = self.shared.network.flows.iter();
        flows.map(|flow| flow.seq).collect()
    }

    fn give_up(&mut self, skip: &mut Skip) {
        if skip.trial.take().is_some() {
            self.ends.end_trial();
        }
        skip.short.restart();
        self.shared.run.books.tape = None;
        self.count_from_here(skip);
    }

    /// A period is over: whether it was one.
    fn end_trial(&mut self, skip: &mut Skip, until: Time) {
        let Some(mut trial) = skip.trial.take() else {
            return;
        };
        trial.log = self.ends.end_trial();
        self.catch_up_all();
        let now = self.clock.now;
        let period = now.since(trial.began);
        let Ok(mut seen) = self.walk(Walk::keep(now), trial.timers) else {
            return self.give_up(skip);
        };
        let Some(most) = seen.recurs(&trial.seen, period) else {
            return self.give_up(skip);
        };
        let limit = seen.soonest.min(until);
        let last = limit.0.saturating_sub(1);
        let left = last.saturating_sub((now + seen.reach).0);
        let periods = (left / period.0).saturating_sub(1);
        skip.rest = match most < periods {
            true => now + Span(period.0 * (most + TAIL)),
            false => limit,
        };
        let periods = periods.min(most);
        if periods == 0 {
            return self.give_up(skip);
        }
        let repeat = Repeat {
            period,
            began: trial.began,
            periods,
        };
        if let Some(found) = self.finds_deadlock(repeat) {
            skip.rest = found;
            return self.give_up(skip);
        }
        let events = self.clock.events - trial.events;
        skip.short.gained(events * periods);
        skip.long.gained(events * periods);
        skip.stretches.push(Stretch {
            from: now,
            period,
            periods,
            events,
        });
        self.jump(*trial, seen, repeat);
        self.give_up(skip);
    }
}
