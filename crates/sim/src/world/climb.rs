//! A run up to the instant at which a score has reached a level, or a place is empty: what splitting does with each copy.

use backwater_transport::units::Time;

use super::World;
use super::run::Step;
use crate::goal::{Climbed, Count, Course};

impl World {
    /// The present value of a score.
    pub fn score(&mut self, of: &[Count]) -> u64 {
        let now = self.clock.now;
        self.catch_up_counts(of, now);
        self.post_all(now);
        self.sum(of)
    }

    /// Serves events until one of the goals is reached, nothing is left, or the time is over, and then what else is due at that
    /// instant: a copy is made when all events of an instant have been served. `most` becomes the highest score of the first
    /// goal that an event left behind; a goal that `most` or the present already has is reached at once.
    ///
    /// A queue fills at events only, but the departure that empties it may have none. So emptiness, and a score below the floor,
    /// are judged between instants, with all that left before the next one. Within an instant a packet may have left one place and
    /// not yet reached the next.
    pub fn climb(&mut self, course: &Course<'_>, most: &mut u64) -> Climbed {
        let mut reached = self.reached(course, most);
        loop {
            if let Some(number) = reached {
                let at = self.clock.now;
                let mut best = number;
                while self.step(at) == Step::Served {
                    best = self.reached(course, most).map_or(best, |n| n.max(best));
                }
                return Climbed::Goal(best);
            }
            let Some(next) = self.next_due().filter(|next| *next <= course.to) else {
                let empty = self.has_emptied(course.empty, course.to);
                self.advance(course.to);
                return if empty { Climbed::Empty } else { Climbed::Over };
            };
            if next > self.clock.now {
                let before = Time(next.0 - 1);
                if self.has_emptied(course.empty, before) {
                    return Climbed::Empty;
                }
                if self.has_fallen(course, before) {
                    self.clock.now = before;
                    return Climbed::Fallen;
                }
            }
            if self.step(course.to) == Step::Nothing {
                return Climbed::Over;
            }
            reached = self.reached(course, most);
        }
    }

    /// The last of the goals that the present, or for the first one `most`, has reached.
    fn reached(&mut self, course: &Course<'_>, most: &mut u64) -> Option<usize> {
        let mut reached = None;
        for (number, goal) in course.goals.iter().enumerate() {
            let mut score = self.score(&goal.score);
            if number == 0 {
                score = score.max(*most);
                *most = score;
            }
            if score >= goal.level {
                reached = Some(number);
            }
        }
        reached
    }

    /// True where nothing is left at an instant before which no event is due.
    fn has_emptied(&mut self, empty: &[Count], at: Time) -> bool {
        if empty.is_empty() {
            return false;
        }
        self.catch_up_counts(empty, at);
        self.sum(empty) == 0
    }

    /// True where the score of the first goal is below the floor at an instant before which no event is due.
    fn has_fallen(&mut self, course: &Course<'_>, at: Time) -> bool {
        let Some(goal) = course.goals.first().filter(|_| course.floor > 0) else {
            return false;
        };
        self.catch_up_counts(&goal.score, at);
        self.sum(&goal.score) < course.floor
    }

    fn catch_up_counts(&mut self, of: &[Count], at: Time) {
        for count in of {
            if let Count::Waiting(id) | Count::Bytes(id) = count {
                self.shared.catch_up(*id, at);
            }
        }
    }

    fn sum(&self, of: &[Count]) -> u64 {
        let ports = &self.shared.network.ports;
        let value = |count: &Count| match count {
            Count::Waiting(id) => u64::from(ports[*id].waiting),
            Count::Bytes(id) => ports[*id].held_bytes(),
            Count::Lost => {
                let drops = &self.shared.run.books.drops;
                drops.values().map(|lost| lost.packets).sum()
            }
        };
        of.iter().map(value).sum()
    }
}
