//! The chance of a rare event by multilevel splitting with a fixed effort in each stage (Garvels, The splitting method in rare
//! event simulation, 2000).
//!
//! A score rises on the way to the event. Runs that reach a level are kept, and those of the next stage begin from copies of
//! them whose random streams begin anew. The product of the shares that reach each next level has the chance as its mean,
//! whatever the score and the levels are: these settle how much it scatters.

use backwater_sim::world::{Climbed, Count, Course, Goal, World};
use backwater_transport::random::Random;
use backwater_transport::units::Time;

use crate::diagnostic::Diagnostic;
use crate::resolved::Resolved;

/// Seeds and keys lie below this: each reader of JSON takes them.
pub(crate) const KEYS: u64 = (1 << 53) - 1;
/// The share that a pilot wants to reach the next level.
const SHARE: f64 = 0.2;
/// A pilot gives up after so many levels.
const MOST_LEVELS: usize = 200;

/// One summand of a score; ports are called as in results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// Data frames that wait at a port.
    Waiting(String),
    /// Bytes that a port holds, those of the frame in transmission included.
    Bytes(String),
    /// Packets lost since the run began.
    Lost,
}

/// The question: how likely is it that a score reaches a level before a place is empty or the time is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rare {
    /// The sum that has to reach `level`.
    pub event: Vec<Term>,
    /// The level of the event.
    pub level: u64,
    /// The sum that rises on the way there.
    pub score: Vec<Term>,
    /// Where the event has failed once nothing is left. A run begins to count when something comes here; if the list is empty, at
    /// its beginning.
    pub empty: Vec<Term>,
    /// Before this instant nothing counts.
    pub after: Time,
    /// The event has failed at this instant.
    pub to: Time,
}

/// How much is run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Of the method itself.
    pub seed: u64,
    /// Replicates of all differ by it.
    pub replicate: u64,
    /// Runs in each stage.
    pub runs: u32,
}

/// A copy on the way to a run: when it was made, and what its streams were keyed by.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The instant.
    pub at: Time,
    /// The key.
    pub reseed: u64,
}

/// A run in which the event came: seed, copies, instant and fingerprint.
pub type Example = (u64, Vec<Step>, Time, u64);

/// The result of a replicate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replicate {
    /// Runs that reached the next level, of each stage; the last one is the event.
    pub hits: Vec<u64>,
    /// Events that the runs of each stage served.
    pub events: Vec<u64>,
    /// Events of first runs before they counted.
    pub events_before: u64,
    /// Of a run in which the event came.
    pub example: Option<Example>,
}

/// A run that reached a level.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) world: World,
    pub(crate) seed: u64,
    pub(crate) steps: Vec<Step>,
    /// The highest score so far: several packets of one instant may pass several levels.
    most: u64,
    done: bool,
}

/// The question with the ports of a world.
pub(crate) struct Asked {
    pub(crate) event: Goal,
    pub(crate) score: Vec<Count>,
    pub(crate) empty: Vec<Count>,
    pub(crate) after: Time,
    pub(crate) to: Time,
}

impl Resolved {
    /// Levels of the score between which about a fifth of the runs gets on. Its runs are thrown away: a replicate that used
    /// them would be biased.
    ///
    /// # Errors
    /// As `rare_replicate`.
    pub fn rare_levels(&self, rare: &Rare, seed: u64, runs: u32) -> Result<Vec<u64>, Diagnostic> {
        let asked = self.asked(rare)?;
        let effort = Effort {
            seed,
            replicate: KEYS,
            runs,
        };
        let (mut levels, mut entries) = (Vec::new(), Vec::new());
        let least = ((f64::from(runs) * SHARE).ceil() as usize).max(1);
        while levels.len() < MOST_LEVELS {
            let below = levels.last().copied().unwrap_or(0);
            let stage = levels.len() as u64;
            let mut most = Vec::new();
            for number in 0..u64::from(runs) {
                let mut entry = self.begin(&asked, effort, stage, number, &entries)?;
                let hit = entry.done || entry.climb(&asked, u64::MAX);
                most.push(if hit { u64::MAX } else { entry.most });
            }
            most.sort_unstable_by(|a, b| b.cmp(a));
            let quantile = most[least - 1];
            let next = if quantile > below {
                quantile
            } else {
                most.iter()
                    .copied()
                    .filter(|m| *m > below)
                    .min()
                    .unwrap_or(u64::MAX)
            };
            let same = rare.event == rare.score;
            if next == u64::MAX || (same && next >= rare.level) {
                break;
            }
            levels.push(next);
            let mut found = Vec::new();
            for number in 0..u64::from(runs) {
                let mut entry = self.begin(&asked, effort, stage, number, &entries)?;
                if entry.done || entry.climb(&asked, next) {
                    found.push(entry);
                }
            }
            entries = found;
        }
        Ok(levels)
    }

    /// An estimate of the whole: the product of the shares of `hits`.
    ///
    /// # Errors
    /// A scenario that cannot be built, a place that it does not have, or a run in which nothing begins to count.
    pub fn rare_replicate(
        &self,
        rare: &Rare,
        levels: &[u64],
        effort: Effort,
    ) -> Result<Replicate, Diagnostic> {
        let asked = self.asked(rare)?;
        let (mut found, mut entries) = (Replicate::default(), Vec::new());
        let stages = levels.iter().map(|level| Some(*level)).chain([None]);
        for (stage, level) in stages.enumerate() {
            let (mut kept, mut served) = (Vec::new(), 0);
            for number in 0..u64::from(effort.runs) {
                let mut entry = self.begin(&asked, effort, stage as u64, number, &entries)?;
                let before = entry.world.events();
                if stage == 0 {
                    found.events_before += before;
                }
                let hit = entry.done || entry.climb(&asked, level.unwrap_or(u64::MAX));
                served += entry.world.events() - before;
                if hit {
                    kept.push(entry);
                }
            }
            found.events.push(served);
            found.hits.push(kept.len() as u64);
            entries = kept;
            if entries.is_empty() {
                return Ok(found);
            }
        }
        let mut first = entries.swap_remove(0);
        let fingerprint = first.world.fingerprint();
        found.example = Some((first.seed, first.steps, first.world.now(), fingerprint));
        Ok(found)
    }

    pub(crate) fn asked(&self, rare: &Rare) -> Result<Asked, Diagnostic> {
        let world = self.build()?;
        self.is_sound(rare, world.end())?;
        let counts = |terms: &[Term]| -> Result<Vec<Count>, Diagnostic> {
            let count = |term: &Term| match term {
                Term::Lost => Ok(Count::Lost),
                Term::Waiting(name) => Ok(Count::Waiting(self.port(&world, name)?)),
                Term::Bytes(name) => Ok(Count::Bytes(self.port(&world, name)?)),
            };
            terms.iter().map(count).collect()
        };
        Ok(Asked {
            event: Goal {
                score: counts(&rare.event)?,
                level: rare.level,
            },
            score: counts(&rare.score)?,
            empty: counts(&rare.empty)?,
            after: rare.after,
            to: rare.to,
        })
    }

    /// Refuses a question whose answer is known, or that lasts longer than its scenario.
    fn is_sound(&self, rare: &Rare, end: Time) -> Result<(), Diagnostic> {
        for (name, terms) in [("event", &rare.event), ("score", &rare.score)] {
            if terms.is_empty() {
                let fix = "name at least one of waiting:PORT, bytes:PORT and lost";
                return Err(self.refuse(name, "there is nothing to count", fix));
            }
        }
        if rare.level == 0 {
            let fix = "give a level of 1 or more";
            return Err(self.refuse("level", "each run begins with this level", fix));
        }
        if rare.empty.contains(&Term::Lost) {
            let fix = "name places by waiting:PORT or bytes:PORT";
            return Err(self.refuse("empty", "the number of lost packets never falls", fix));
        }
        if rare.to > end {
            let what = format!("{} lies after {end}, the end of the scenario", rare.to);
            return Err(self.refuse("to", &what, "give an earlier instant or a longer scenario"));
        }
        if rare.after >= rare.to {
            let what = format!(
                "{} does not lie before {}, where runs end",
                rare.after, rare.to
            );
            return Err(self.refuse("after", &what, "give an earlier instant"));
        }
        Ok(())
    }

    fn port(&self, world: &World, name: &str) -> Result<backwater_sim::ids::PortId, Diagnostic> {
        let found = world.network().port_named(name);
        found.ok_or_else(|| {
            let what = format!("there is no port `{name}`");
            self.refuse(name, &what, "name a port as results do, such as \"W>D\"")
        })
    }

    /// A run of a stage at its beginning: a world with a seed of its own in the first, then a copy of one that was kept.
    pub(crate) fn begin(
        &self,
        asked: &Asked,
        effort: Effort,
        stage: u64,
        number: u64,
        entries: &[Entry],
    ) -> Result<Entry, Diagnostic> {
        let name = format!("{}/{stage}/{number}", effort.replicate);
        let mut draws = Random::stream(effort.seed, "splitting", &name);
        let key = draws.between(0, KEYS);
        if stage > 0 {
            let parent = draws.between(0, entries.len() as u64 - 1) as usize;
            let mut entry = entries[parent].clone();
            if !entry.done {
                entry.part(key);
            }
            return Ok(entry);
        }
        let mut spec = self.spec();
        spec.seed = key;
        let mut world = self.build_hosted(&spec)?;
        self.reach_beginning(&mut world, asked)?;
        Ok(Entry {
            world,
            seed: key,
            steps: Vec::new(),
            most: 0,
            done: false,
        })
    }

    /// Up to the instant from which the run counts.
    fn reach_beginning(&self, world: &mut World, asked: &Asked) -> Result<(), Diagnostic> {
        world.advance(asked.after);
        if asked.empty.is_empty() {
            return Ok(());
        }
        let course = |goals| Course {
            goals,
            empty: &asked.empty,
            to: asked.to,
            floor: 0,
        };
        let begun = [Goal {
            score: asked.empty.clone(),
            level: 1,
        }];
        let idle =
            world.score(&asked.empty) == 0 || world.climb(&course(&[]), &mut 0) == Climbed::Empty;
        let waits = Course {
            empty: &[],
            ..course(&begun)
        };
        if idle && world.climb(&waits, &mut 0) == Climbed::Goal(0) {
            return Ok(());
        }
        let what = "the place does not become empty and fill again before the end";
        Err(self.refuse("empty", what, "run for longer, or name another place"))
    }
}

impl Entry {
    /// From here on it has random numbers of its own.
    pub(crate) fn part(&mut self, key: u64) {
        self.world.reseed(key);
        self.world.redraw(key);
        let at = self.world.now();
        self.steps.push(Step { at, reseed: key });
    }

    /// Runs until the score has this level or the event has come; false where it has failed.
    fn climb(&mut self, asked: &Asked, level: u64) -> bool {
        let score = asked.score.clone();
        let goals = [Goal { score, level }, asked.event.clone()];
        let course = Course {
            goals: &goals,
            empty: &asked.empty,
            to: asked.to,
            floor: 0,
        };
        let reached = self.world.climb(&course, &mut self.most);
        self.done = reached == Climbed::Goal(1);
        matches!(reached, Climbed::Goal(_))
    }
}
