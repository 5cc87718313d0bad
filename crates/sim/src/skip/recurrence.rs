//! Finds out when a world repeats itself. Each time that an anchor comes a few figures that cost nothing are compared with those
//! of earlier times. Where they agree, the whole state is compared by a hash. Where it differs although the figures agree, it is
//! one more state to compare later ones with: the figures have a shorter period than the state. A state that is the same begins a
//! trial, and only a trial of one period, whose states are compared word by word, makes a world jump.
//!
//! A look at the whole state costs as much as some hundred events, so it has a budget: events served, and not time, because a
//! run depends on nothing but its scenario.

use backwater_transport::units::Time;

/// Events between two choices of an anchor, at least, and for each flow.
pub(crate) const PAUSE: u64 = 2000;
pub(crate) const EACH: u64 = 8;
/// Events that a look costs, and things that cost one more.
const LOOK: u64 = 30;
const THINGS: u64 = 4;
/// The part of the events that looks may cost, and events that are given on credit.
const SHARE: u64 = 32;
const CREDIT: u64 = 20_000;
/// The part of the events skipped that looks may cost beside.
const GAIN: u64 = 4;
/// States that later ones are compared with.
const STATES: usize = 32;
/// The number of the first time that is looked at; others follow at twice as many each.
const FIRST: u64 = 8;

/// A time that later ones are compared with.
#[derive(Copy, Clone, Debug)]
struct Earlier {
    number: u64,
    figures: u64,
    hash: u64,
}

/// The search for a recurrence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recurrence {
    /// How often the anchor has come.
    number: u64,
    /// When it came last.
    at: Time,
    /// Figures of the last eight times.
    figures: u64,
    /// The last states that were looked at, in a ring.
    earlier: Vec<Earlier>,
    oldest: usize,
    /// The number at which one is looked at in any case.
    next: u64,
    /// What looks have cost so far, in events.
    spent: u64,
}

impl Recurrence {
    /// Begins anew. What was spent stays spent.
    pub(crate) fn restart(&mut self) {
        *self = Recurrence {
            next: FIRST,
            spent: self.spent,
            ..Recurrence::default()
        };
    }

    /// So many events were skipped, which pay for looks.
    pub(crate) fn gained(&mut self, events: u64) {
        self.spent = self.spent.saturating_sub(events / GAIN);
    }

    fn may_look(&self, events: u64) -> bool {
        self.spent.saturating_mul(SHARE) <= events + CREDIT
    }

    /// A rare anchor came. Whether to look at the state, without a glance at figures.
    pub(crate) fn came_rarely(&mut self, events: u64) -> bool {
        self.number += 1;
        self.may_look(events)
    }

    /// The anchor came: when, and figures that are the same in each period. Whether to look at the state.
    pub(crate) fn came(&mut self, at: Time, figures: [u64; 3], events: u64) -> bool {
        self.number += 1;
        let gap = at.since(self.at).0;
        self.at = at;
        let [a, b, c] = figures;
        let mixed = [gap, a, b, c].into_iter().fold(0, mix);
        // Eight bits of each of the last eight.
        self.figures = self.figures << 8 ^ mixed >> 48;
        if !self.may_look(events) {
            return false;
        }
        if self.number >= self.next {
            self.next = 2 * self.number;
            return true;
        }
        let figures = self.figures;
        self.earlier
            .iter()
            .any(|earlier| earlier.figures == figures)
    }

    /// The state has this hash, and a look visited so many things. How often the anchor came in a period, if the state was the
    /// same before.
    pub(crate) fn looked(&mut self, hash: u64, things: u64) -> Option<u64> {
        self.spent += LOOK + things / THINGS;
        let mut all = self.earlier.iter();
        if let Some(earlier) = all.find(|earlier| earlier.hash == hash) {
            return Some(self.number - earlier.number);
        }
        let earlier = Earlier {
            number: self.number,
            figures: self.figures,
            hash,
        };
        match self.earlier.get_mut(self.oldest) {
            Some(place) => *place = earlier,
            None => self.earlier.push(earlier),
        }
        self.oldest = (self.oldest + 1) % STATES;
        None
    }
}

/// Goes on with a hash.
pub(crate) fn mix(hash: u64, value: u64) -> u64 {
    let product =
        u128::from(hash ^ 0x9e37_79b9_7f4a_7c15) * u128::from(value ^ 0xd1b5_4a32_d192_ed03);
    (product as u64 ^ (product >> 64) as u64).rotate_left(23) ^ value
}

/// The hash of a state.
pub(crate) fn hash(state: &[u64]) -> u64 {
    state.iter().copied().fold(state.len() as u64, mix)
}
