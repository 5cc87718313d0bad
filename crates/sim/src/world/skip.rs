//! Runs that skip what repeats itself; see `crate::skip`. A world whose state is what it was some deliveries ago is tried for as
//! many deliveries again. If its state is the same once more, word by word, whole periods are added up, as many as end before
//! anything that is known to come at an instant of its own: the warm-up, the beginning or end of a flow, an event of a wire.

use backwater_transport::units::{Span, Time};
use backwater_transport::walk::{Repeat, Seen, Walk};

use super::World;
use super::run::Step;
use crate::event::{Event, Key};
use crate::ids::FlowId;
use crate::network::Traits;
use crate::skip::{EACH, PAUSE, Recurrence, Stretch, Unable, hash};
use crate::table::Id;

/// Marks that the tape of a trial has room for: a period with more is not skipped.
const MARKS: usize = 1 << 20;

/// What a run knows of its recurrences.
#[derive(Clone, Debug)]
pub(super) struct Skip {
    recurrence: Recurrence,
    /// The flow whose deliveries are counted, and how many it had at the last look.
    anchor: FlowId,
    delivered: u64,
    /// Its delays, and frames received, up to then.
    delays: u128,
    hops: u64,
    /// Deliveries of all flows when an anchor was sought last, and events at which it is sought again.
    counts: Vec<u64>,
    next_choice: u64,
    trial: Option<Box<Trial>>,
    /// Nothing is looked for up to then.
    rest: Time,
    stretches: Vec<Stretch>,
}

/// A period that is tried.
#[derive(Clone, Debug)]
struct Trial {
    began: Time,
    events: u64,
    /// Deliveries to come.
    left: u64,
    seen: Seen,
    /// The number of each flow's next packet.
    numbers: Vec<u32>,
}

impl World {
    /// From now on stretches that repeat themselves are skipped. Results stay what they are.
    ///
    /// # Errors
    /// Something in this world has a state that is not compared.
    pub fn skip_recurrences(&mut self) -> Result<(), Unable> {
        self.seen(true)?;
        self.skip = Some(Box::new(Skip {
            recurrence: Recurrence::default(),
            anchor: Id::NONE,
            delivered: 0,
            delays: 0,
            hops: 0,
            counts: vec![0; self.shared.network.flows.len()],
            next_choice: 0,
            trial: None,
            rest: Time::ZERO,
            stretches: Vec::new(),
        }));
        Ok(())
    }

    /// The stretches that were skipped; none where the run was not to skip any.
    pub fn skipped(&self) -> Option<&[Stretch]> {
        self.skip.as_deref().map(|skip| &*skip.stretches)
    }

    /// The caller may have changed something.
    pub(super) fn forget_recurrence(&mut self) {
        if let Some(skip) = &mut self.skip {
            skip.recurrence = Recurrence::default();
            skip.trial = None;
            skip.rest = Time::ZERO;
            self.shared.run.books.tape = None;
        }
    }

    /// Serves an event, and skips what repeats what was before it.
    #[inline]
    pub(super) fn step_or_skip(&mut self, until: Time) -> Step {
        let step = self.step(until);
        if self.skip.is_some() && step == Step::Served {
            self.watch(until);
        }
        step
    }

    /// An event has been served.
    #[inline]
    fn watch(&mut self, until: Time) {
        let Some(skip) = &mut self.skip else {
            return;
        };
        if self.clock.events >= skip.next_choice {
            self.choose_anchor();
        } else if !skip.anchor.is_none() {
            let delivered = self.shared.network.flows[skip.anchor]
                .stats
                .delivered
                .packets;
            if delivered != skip.delivered {
                self.note_delivery(until);
            }
        }
    }

    /// Takes another flow whose deliveries are counted if the present one has none any more: the one that has the fewest.
    #[cold]
    fn choose_anchor(&mut self) {
        let Some(skip) = &mut self.skip else {
            return;
        };
        let flows = &self.shared.network.flows;
        let pause = PAUSE.max(EACH * flows.len() as u64);
        skip.next_choice = self.clock.events + pause;
        let (mut fewest, mut anchor) = (u64::MAX, Id::NONE);
        for (id, count) in flows.ids().zip(&mut skip.counts) {
            let delivered = flows[id].stats.delivered.packets;
            let more = delivered - std::mem::replace(count, delivered);
            if more > 0 && id == skip.anchor {
                return;
            }
            if more > 0 && more < fewest {
                (fewest, anchor) = (more, id);
            }
        }
        skip.anchor = anchor;
        if !anchor.is_none() {
            skip.delivered = flows[anchor].stats.delivered.packets;
        }
        self.forget_recurrence();
    }

    /// The anchor has had a packet delivered.
    fn note_delivery(&mut self, until: Time) {
        let Some(mut skip) = self.skip.take() else {
            return;
        };
        let now = self.clock.now;
        let stats = &self.shared.network.flows[skip.anchor].stats;
        let (delays, hops) = (stats.sum().total, self.shared.run.books.packet_hops);
        let figures = [
            delays.wrapping_sub(skip.delays) as u64,
            hops.wrapping_sub(skip.hops),
            u64::from(self.shared.network.packets.live()),
        ];
        (skip.delivered, skip.delays, skip.hops) = (stats.delivered.packets, delays, hops);
        if let Some(trial) = &mut skip.trial {
            trial.left -= 1;
            if trial.left == 0 {
                self.end_trial(&mut skip, until);
            } else if self
                .shared
                .run
                .books
                .tape
                .as_ref()
                .is_some_and(|tape| tape.len() > MARKS)
            {
                self.give_up(&mut skip);
                skip.rest = Time::NEVER;
            }
        } else if now >= skip.rest && skip.recurrence.delivered(now, figures, self.clock.events) {
            self.look(&mut skip);
        }
        self.skip = Some(skip);
    }

    /// Compares the state with an earlier one, and begins a trial where it is the same.
    fn look(&mut self, skip: &mut Skip) {
        let Ok(seen) = self.seen(false) else {
            return;
        };
        let network = &self.shared.network;
        let things = network.ports.len() + network.flows.len() + network.packets.live() as usize;
        let (hash, events) = (hash(&seen.state), self.clock.events);
        let Some(left) = skip.recurrence.looked(hash, things as u64, events) else {
            return;
        };
        let Ok(seen) = self.seen(true) else {
            return;
        };
        skip.trial = Some(Box::new(Trial {
            began: self.clock.now,
            events,
            left,
            seen,
            numbers: self.numbers(),
        }));
        self.shared.run.books.tape = Some(Box::default());
    }

    fn numbers(&self) -> Vec<u32> {
        self.shared
            .network
            .flows
            .iter()
            .map(|flow| flow.seq)
            .collect()
    }

    /// The state, and what grows. A copy is brought up to date for that, since ports that lag behind cost less.
    fn seen(&self, all: bool) -> Result<Seen, Unable> {
        let mut copy = self.clone();
        copy.catch_up_all();
        copy.walk(match all {
            true => Walk::keep(copy.clock.now),
            false => Walk::look(copy.clock.now),
        })
    }

    fn catch_up_all(&mut self) {
        self.settle();
        self.end_event(self.clock.now);
    }

    fn give_up(&mut self, skip: &mut Skip) {
        skip.trial = None;
        skip.recurrence = Recurrence::default();
        self.shared.run.books.tape = None;
    }

    /// A period is over: whether it was one.
    fn end_trial(&mut self, skip: &mut Skip, until: Time) {
        let Some(trial) = skip.trial.take() else {
            return;
        };
        self.catch_up_all();
        let now = self.clock.now;
        let period = now.since(trial.began);
        let seen = self.walk(Walk::keep(now));
        let same = |seen: &Seen| {
            seen.state == trial.seen.state && seen.grows.len() == trial.seen.grows.len()
        };
        let seen = match seen {
            Ok(seen) if same(&seen) && self.inspected_alike(period, trial.began) => seen,
            _ => return self.give_up(skip),
        };
        let limit = seen.soonest.min(until);
        skip.rest = limit;
        let left = limit
            .0
            .saturating_sub(1)
            .saturating_sub((now + seen.reach).0);
        let periods = (left / period.0).saturating_sub(1);
        if periods == 0 {
            return self.give_up(skip);
        }
        let repeat = Repeat {
            period,
            began: trial.began,
            periods,
        };
        skip.stretches.push(Stretch {
            from: now,
            period,
            periods,
            events: self.clock.events - trial.events,
        });
        self.jump(*trial, seen, repeat);
        self.give_up(skip);
        let stats = &self.shared.network.flows[skip.anchor].stats;
        skip.delivered = stats.delivered.packets;
        (skip.delays, skip.hops) = (stats.sum().total, self.shared.run.books.packet_hops);
    }

    /// Adds up so many periods.
    fn jump(&mut self, trial: Trial, seen: Seen, repeat: Repeat) {
        let way = Span(repeat.period.0 * repeat.periods);
        let numbers = self.numbers();
        let books = &mut self.shared.run.books;
        if let Some(tape) = books.tape.take() {
            let step = |who: u32| numbers[who as usize].wrapping_sub(trial.numbers[who as usize]);
            tape.repeat(&mut books.fingerprint, repeat.period, repeat.periods, step);
        }
        let keys = self.shared.run.calendar.keys();
        let behind: Vec<u16> = keys.iter().map(|key| self.epochs_behind(*key)).collect();
        let mut walk = Walk::write(self.clock.now, trial.seen, seen, repeat);
        self.walk_all(&mut walk);
        let moved = keys.into_iter().zip(behind);
        let moved = moved
            .map(|(key, behind)| self.moved(key, behind, way))
            .collect();
        self.shared.run.calendar.replace(moved);
        self.clock.now += way;
    }

    /// An event a while later.
    fn moved(&self, key: Key, behind: u16, way: Span) -> Key {
        let (at, event) = (key.at(), key.event());
        match event {
            event if self.comes_when_known(event) => key,
            Event::Inspect => {
                let every = self.shared.mechanisms.inspect.map_or(1, |every| every.0);
                Key::new(Time(at.0 + way.0.div_ceil(every) * every), event)
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
        }
    }

    /// By how much the serial of a timer lies behind the live one.
    fn epochs_behind(&self, key: Key) -> u16 {
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

    /// Whether an event comes at an instant that was known from the beginning.
    fn comes_when_known(&self, event: Event) -> bool {
        match event {
            Event::Link(_) | Event::Warm => true,
            Event::Demand(flow) => !self.shared.network.flows[flow].begun(),
            _ => false,
        }
    }

    /// Looks for deadlock come at instants of their own. In a stretch in which no port stands still for a whole period they
    /// find nothing, or they come as often in each period.
    fn inspected_alike(&self, period: Span, began: Time) -> bool {
        let mechanisms = &self.shared.mechanisms;
        let Some(every) = mechanisms.inspect else {
            return true;
        };
        if mechanisms.deadlock.is_some() {
            return true;
        }
        let mut ports = self.shared.network.ports.iter();
        let still = ports.any(|port| {
            let waits = port.waiting > 0 && port.free_at() <= began;
            waits || port.is(Traits::STALLED) && port.stall_from <= began
        });
        every >= period && !still
    }

    /// Visits the state of this world.
    fn walk(&mut self, mut walk: Walk) -> Result<Seen, Unable> {
        self.walk_all(&mut walk);
        walk.seen()
    }

    fn walk_all(&mut self, walk: &mut Walk) {
        for key in self.shared.run.calendar.keys() {
            match key.event() {
                Event::Inspect => {}
                event if self.comes_when_known(event) => walk.fixed(key.at()),
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
                    walk.event(key.at(), Key::new(key.at(), event).tie());
                }
            }
        }
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
        shared.network.walk(walk, &shared.run.books);
        shared.mechanisms.walk(walk);
        shared.run.books.walk(walk);
        media.walk(walk);
        ends.walk(walk);
    }
}
