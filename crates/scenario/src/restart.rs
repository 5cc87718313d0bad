//! The chance of a rare event by RESTART (Villén-Altamirano, RESTART: a method for accelerating rare event simulations, 1991).
//!
//! A run that passes a level upwards goes on as several. The copies begin their random streams anew, and each ends where the score
//! is below the level at which it began; the run itself goes on there. Beyond levels with R1, …, Ri runs each hit counts as one of
//! R1 · … · Ri. The mean of what is counted is the chance, whatever the score, the levels and the numbers are: up to the instant at
//! which copies end, all have the same law, and what they would have counted afterwards the run itself counts in full.

use backwater_sim::world::{Climbed, Course, Goal};
use backwater_transport::random::Random;

use crate::diagnostic::Diagnostic;
use crate::rare::{Asked, Effort, Entry, Example, KEYS, Rare};
use crate::resolved::Resolved;

/// Copies for each first run: with more of them levels lie too near to each other.
const MOST_COPIES: u64 = 10_000;
/// Up to here a product is exact as a float.
const MOST_PRODUCT: u64 = 1 << 53;

/// The result of a replicate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restarted {
    /// How often the event came beyond so many levels.
    pub hits: Vec<u64>,
    /// How often a run passed each level upwards.
    pub passed: Vec<u64>,
    /// Events that runs beyond so many levels served.
    pub events: Vec<u64>,
    /// Events of first runs before they counted.
    pub events_before: u64,
    /// The sum of squares of what each first run and its copies count together.
    pub squares: f64,
    /// Of a run in which the event came.
    pub example: Option<Example>,
}

/// The levels, and one of how many a hit is beyond none, one, … of them.
struct Ladder<'a> {
    levels: &'a [u64],
    products: Vec<u64>,
}

/// A first run or a copy.
struct Climber {
    entry: Entry,
    /// Beyond so many levels.
    zone: usize,
    /// Beyond so many levels it began, and it ends below them.
    born: usize,
}

impl Resolved {
    /// An estimate of the whole by RESTART: at `levels[i]` a run goes on as `each[i]` runs.
    ///
    /// # Errors
    /// As `rare_replicate`; other numbers than levels, and more copies than a replicate may make.
    pub fn restart_replicate(
        &self,
        rare: &Rare,
        levels: &[u64],
        each: &[u32],
        effort: Effort,
    ) -> Result<Restarted, Diagnostic> {
        let asked = self.asked(rare)?;
        let ladder = self.ladder(levels, each)?;
        let mut found = Restarted {
            hits: vec![0; levels.len() + 1],
            passed: vec![0; levels.len()],
            events: vec![0; levels.len() + 1],
            ..Restarted::default()
        };
        let mut copies = 0;
        for number in 0..u64::from(effort.runs) {
            let entry = self.begin(&asked, effort, 0, number, &[])?;
            found.events_before += entry.world.events();
            let name = format!("{}/{number}", effort.replicate);
            let mut draws = Random::stream(effort.seed, "restart", &name);
            let (mut counted, mut open) = (0.0, vec![Climber::first(entry)]);
            // Copies go before the run that they are of, so that few are open at once.
            while let Some(mut one) = open.pop() {
                let (reached, zone) = (one.climb(&asked, &ladder, &mut found), one.zone);
                match reached {
                    Climbed::Goal(1) => {
                        found.hits[zone] += 1;
                        counted += 1.0 / ladder.products[zone] as f64;
                        found.example.get_or_insert_with(|| one.example());
                    }
                    Climbed::Goal(_) => {
                        found.passed[zone] += 1;
                        copies += u64::from(each[zone] - 1);
                        if copies > MOST_COPIES * u64::from(effort.runs) {
                            return Err(self.too_many_copies());
                        }
                        one.zone += 1;
                        let parted = (1..each[zone]).map(|_| one.copy(draws.between(0, KEYS)));
                        let parted: Vec<_> = parted.collect();
                        open.push(one);
                        open.extend(parted);
                    }
                    Climbed::Fallen if one.falls(&asked, &ladder) => open.push(one),
                    Climbed::Fallen | Climbed::Empty | Climbed::Over => {}
                }
            }
            found.squares += counted * counted;
        }
        Ok(found)
    }

    fn ladder<'a>(&self, levels: &'a [u64], each: &'a [u32]) -> Result<Ladder<'a>, Diagnostic> {
        if levels.len() != each.len() {
            let what = format!("{} numbers of runs for {} levels", each.len(), levels.len());
            let fix = "give one number for all levels, or one for each";
            return Err(self.refuse("restart", &what, fix));
        }
        let mut products = vec![1];
        for number in each {
            let next = products[products.len() - 1] * u64::from(*number);
            if next == 0 || next > MOST_PRODUCT {
                let what =
                    "a run goes on as at least one run at each level, and as at most 2^53 at all";
                return Err(self.refuse("restart", what, "take a smaller number, or fewer levels"));
            }
            products.push(next);
        }
        Ok(Ladder { levels, products })
    }

    fn too_many_copies(&self) -> Diagnostic {
        let what = format!("more than {MOST_COPIES} copies for each first run");
        let fix = "take a smaller number, or levels that are further apart";
        self.refuse("restart", &what, fix)
    }
}

impl Climber {
    fn first(entry: Entry) -> Self {
        Self {
            entry,
            zone: 0,
            born: 0,
        }
    }

    /// Another run from here on, with random numbers of its own.
    fn copy(&self, key: u64) -> Self {
        let mut entry = self.entry.clone();
        entry.part(key);
        Self {
            entry,
            zone: self.zone,
            born: self.zone,
        }
    }

    /// Up to the next level, the event, or below the level that it is beyond.
    fn climb(&mut self, asked: &Asked, ladder: &Ladder<'_>, found: &mut Restarted) -> Climbed {
        let next = ladder.levels.get(self.zone).copied();
        let goals = [
            Goal {
                score: asked.score.clone(),
                level: next.unwrap_or(u64::MAX),
            },
            asked.event.clone(),
        ];
        let course = Course {
            goals: &goals,
            empty: &asked.empty,
            to: asked.to,
            floor: self.zone.checked_sub(1).map_or(0, |at| ladder.levels[at]),
        };
        let before = self.entry.world.events();
        let reached = self.entry.world.climb(&course, &mut 0);
        found.events[self.zone] += self.entry.world.events() - before;
        reached
    }

    /// Counts the levels that it is still beyond; false where it ends.
    fn falls(&mut self, asked: &Asked, ladder: &Ladder<'_>) -> bool {
        let score = self.entry.world.score(&asked.score);
        self.zone = ladder.levels.partition_point(|level| *level <= score);
        self.zone >= self.born
    }

    fn example(&mut self) -> Example {
        let world = &mut self.entry.world;
        let (at, fingerprint) = (world.now(), world.fingerprint());
        let steps = self.entry.steps.clone();
        (self.entry.seed, steps, at, fingerprint)
    }
}
