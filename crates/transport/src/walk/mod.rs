//! A walk through the state of a world, always in the same order. Everything that has state is visited by one method of its
//! own, which serves three purposes: to look at the state relative to the present, to keep what grows with time as well, and
//! to write what it will be after so many periods.

mod numbers;

use crate::units::{Span, Time};
use numbers::Distance;
pub use numbers::{Base, OnTheWay};

/// A part whose state no walk visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unable {
    /// Where it is: the path of a scenario, or the name of what has it.
    pub place: String,
    /// What it is.
    pub why: &'static str,
}

/// What a walk is for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Purpose {
    /// The state that the future depends on.
    Look,
    /// The same, and all that grows.
    Keep,
    /// What grows is written anew.
    Write,
}

/// A walk. See the head of the file.
#[derive(Debug)]
pub struct Walk {
    purpose: Purpose,
    now: Time,
    /// The state relative to the present. Two worlds in which it is the same have the same future, but for the instant.
    state: Vec<u64>,
    /// What grows, as it is.
    grows: Vec<u128>,
    /// The same a period before, where it is written, and the place in both.
    before: Vec<u128>,
    at: usize,
    /// The length of the period, its beginning, and how many follow.
    period: Span,
    began: Time,
    periods: u64,
    /// The soonest instant that stays where it is.
    soonest: Time,
    /// How far from the present the latest instant lies that moves and may be compared with one that stays.
    reach: Span,
    either: Vec<usize>,
    settled: Vec<usize>,
    distances: Vec<Distance>,
    /// Whether instants that might stay have to move.
    all_move: bool,
    unable: Option<Unable>,
}

/// The growth over one period and how often it is repeated.
#[derive(Copy, Clone, Debug)]
pub struct Repeat {
    /// Its length.
    pub period: Span,
    /// Its beginning.
    pub began: Time,
    /// How many more of it there are.
    pub periods: u64,
}

/// What a walk has seen.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The state relative to the present. Two worlds in which it is the same have the same future, but for the instant.
    pub state: Vec<u64>,
    /// What grows, as it is.
    pub grows: Vec<u128>,
    /// The soonest instant that stays where it is.
    pub soonest: Time,
    /// How far from the present the latest instant lies that moves and may be compared with one that stays.
    pub reach: Span,
    /// The places in `grows` of instants that stay or move.
    either: Vec<usize>,
    /// The same of instants of the past.
    settled: Vec<usize>,
    /// Numbers that grow towards others.
    distances: Vec<Distance>,
}

impl Seen {
    /// Whether the state is what it was a period ago, and as much grows: then how many more periods may follow at most. Instants that have
    /// stayed bound what is skipped, too. No time is no period.
    pub fn recurs(&mut self, before: &Seen, period: Span) -> Option<u64> {
        if period == Span::ZERO
            || self.state != before.state
            || self.grows.len() != before.grows.len()
        {
            return None;
        }
        for at in &self.either {
            let (was, is) = (before.grows[*at], self.grows[*at]);
            match is - was.min(is) {
                0 if was == is => self.soonest = self.soonest.min(Time(is as u64)),
                moved if moved == u128::from(period.0) => {}
                _ => return None,
            }
        }
        self.periods(before, period)
    }
}

impl Walk {
    /// Looks at the state.
    pub fn look(now: Time) -> Walk {
        Walk {
            purpose: Purpose::Look,
            now,
            state: Vec::new(),
            grows: Vec::new(),
            before: Vec::new(),
            at: 0,
            period: Span::ZERO,
            began: Time::ZERO,
            periods: 0,
            soonest: Time::NEVER,
            reach: Span::ZERO,
            either: Vec::new(),
            settled: Vec::new(),
            distances: Vec::new(),
            all_move: false,
            unable: None,
        }
    }

    /// Keeps what grows, too.
    pub fn keep(now: Time) -> Walk {
        Walk {
            purpose: Purpose::Keep,
            ..Walk::look(now)
        }
    }

    /// Writes what becomes of it.
    pub fn write(now: Time, before: Seen, after: Seen, repeat: Repeat) -> Walk {
        Walk {
            purpose: Purpose::Write,
            grows: after.grows,
            before: before.grows,
            period: repeat.period,
            began: repeat.began,
            periods: repeat.periods,
            ..Walk::look(now)
        }
    }

    /// In a long period all that may stay moves.
    pub fn where_all_move(self, all_move: bool) -> Walk {
        Walk { all_move, ..self }
    }

    /// What it has seen, or why a world like this has no recurrence to look for.
    pub fn seen(self) -> Result<Seen, Unable> {
        match self.unable {
            Some(unable) => Err(unable),
            None => Ok(Seen {
                state: self.state,
                grows: self.grows,
                soonest: self.soonest,
                reach: self.reach,
                either: self.either,
                settled: self.settled,
                distances: self.distances,
            }),
        }
    }

    /// The present.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Whether counters and records are visited as well.
    pub fn counts(&self) -> bool {
        self.purpose != Purpose::Look
    }

    /// Whether it writes.
    pub fn writes(&self) -> bool {
        self.purpose == Purpose::Write
    }

    /// How far instants move, where it writes.
    pub fn way(&self) -> Span {
        Span(self.period.0 * self.periods)
    }

    /// This part is not known here: no run with it is skipped.
    #[cold]
    pub fn unable(&mut self, place: impl Into<String>, why: &'static str) {
        let place = place.into();
        self.unable.get_or_insert(Unable { place, why });
    }

    /// A value that has to be the same.
    #[inline]
    pub fn same(&mut self, value: impl Into<u64>) {
        if self.purpose != Purpose::Write {
            self.state.push(value.into());
        }
    }

    /// An instant that does not move, which is known beforehand. Nothing is skipped beyond it.
    pub fn fixed(&mut self, at: Time) {
        let ahead = at > self.now;
        self.same(if ahead { at.0 } else { 0 });
        if ahead {
            self.soonest = self.soonest.min(at);
        }
    }

    /// An event that stays at its instant, which may be this one. Nothing is skipped beyond it.
    pub fn known(&mut self, at: Time, what: u64) {
        self.same(at.0);
        self.same(what);
        self.soonest = self.soonest.min(at);
    }

    /// An instant that keeps its distance from the present.
    #[inline]
    pub fn time(&mut self, at: &mut Time) {
        self.same(match *at {
            Time::NEVER => u64::MAX,
            at => at.0.wrapping_sub(self.now.0),
        });
        self.reach_to(*at);
        self.instant(at);
    }

    /// An event that keeps its distance from the present, and whether it may be compared with instants that stay. Whoever
    /// writes moves it.
    pub fn event(&mut self, at: Time, what: u64, compared: bool) {
        self.same(at.0.wrapping_sub(self.now.0));
        self.same(what);
        if compared {
            self.reach_to(at);
        }
    }

    /// An instant that matters up to then only: the past is one to whoever asks.
    #[inline]
    pub fn until(&mut self, at: &mut Time) {
        self.same(match *at {
            Time::NEVER => u64::MAX,
            at if at < self.now => 0,
            at => at.0 - self.now.0 + 1,
        });
        self.instant(at);
    }

    /// An instant up to which something is asked for, by which nothing is ordered that moves: it stays in a period, or moves with
    /// it.
    pub fn either(&mut self, at: &mut Time) {
        if self.all_move {
            return self.until(at);
        }
        let ahead = *at > self.now && *at < Time::NEVER;
        self.same(ahead);
        if !ahead {
            return self.last(at);
        }
        if self.purpose == Purpose::Keep {
            self.either.push(self.grows.len());
        }
        if let Some((before, after)) = self.grown(u128::from(at.0))
            && after != before
        {
            *at += self.way();
        }
    }

    /// An instant of the past that matters only if it is later than `than`.
    #[inline]
    pub fn later(&mut self, at: &mut Time, than: Time) {
        self.same(match *at > than {
            true => self.now.0.wrapping_sub(at.0),
            false => u64::MAX,
        });
        self.instant(at);
    }

    /// An instant of the past that nothing but a report asks for.
    #[inline]
    pub fn last(&mut self, at: &mut Time) {
        if self.counts() {
            self.instant(at);
        }
    }

    fn reach_to(&mut self, at: Time) {
        if at < Time::NEVER && at > self.now {
            self.reach = self.reach.max(at.since(self.now));
        }
    }

    /// Moves what has moved by a period, or has been written in it.
    #[inline]
    fn instant(&mut self, at: &mut Time) {
        let Some((before, after)) = self.grown(u128::from(at.0)) else {
            return;
        };
        let moved = after - before == i128::from(self.period.0) || after > i128::from(self.began.0);
        if moved && *at < Time::NEVER {
            *at += self.way();
        }
    }

    /// A number that matters as a difference from `base`.
    #[inline]
    pub fn number(&mut self, number: &mut u32, base: u32) {
        self.same(base.wrapping_sub(*number));
        self.grow(u128::from(*number), |new| *number = new as u32);
    }

    /// The same of 64 bits.
    #[inline]
    pub fn long(&mut self, number: &mut u64, base: u64) {
        self.same(base.wrapping_sub(*number));
        self.grow(u128::from(*number), |new| *number = new as u64);
    }

    /// A counter that nothing depends on.
    #[inline]
    pub fn count(&mut self, count: &mut u64) {
        self.grow(u128::from(*count), |new| *count = new as u64);
    }

    /// The same of 16 bits.
    #[inline]
    pub fn short(&mut self, count: &mut u16) {
        self.grow(u128::from(*count), |new| *count = new as u16);
    }

    /// The same of 32 bits.
    #[inline]
    pub fn small(&mut self, count: &mut u32) {
        self.grow(u128::from(*count), |new| *count = new as u32);
    }

    /// The same of 128 bits.
    #[inline]
    pub fn wide(&mut self, count: &mut u128) {
        self.grow(*count, |new| *count = new);
    }

    #[inline]
    fn grow(&mut self, value: u128, write: impl FnOnce(u128)) {
        let periods = u128::from(self.periods);
        if let Some((before, after)) = self.grown_wide(value) {
            write(after.wrapping_add(after.wrapping_sub(before).wrapping_mul(periods)));
        }
    }

    #[inline]
    fn grown(&mut self, value: u128) -> Option<(i128, i128)> {
        let (before, after) = self.grown_wide(value)?;
        Some((before as i128, after as i128))
    }

    /// The value a period ago and now, where it is written; else it is kept.
    #[inline]
    fn grown_wide(&mut self, value: u128) -> Option<(u128, u128)> {
        match self.purpose {
            Purpose::Look => None,
            Purpose::Keep => {
                self.grows.push(value);
                None
            }
            Purpose::Write => {
                let at = self.at;
                self.at += 1;
                debug_assert_eq!(self.grows[at], value, "the walks part at {at}");
                Some((self.before[at], self.grows[at]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(now: u64, due: u64, count: u64) -> Seen {
        let mut walk = Walk::keep(Time(now));
        walk.time(&mut Time(due));
        walk.count(&mut { count });
        walk.seen().expect("no part that is not visited")
    }

    /// Two anchors of one instant see one state, which would be multiplied without end.
    #[test]
    fn a_state_recurs_after_some_time_only() {
        let before = seen(100, 130, 7);
        assert!(seen(150, 180, 9).recurs(&before, Span(50)).is_some());
        assert!(seen(150, 181, 9).recurs(&before, Span(50)).is_none());
        assert!(seen(100, 130, 7).recurs(&before, Span::ZERO).is_none());
    }
}
