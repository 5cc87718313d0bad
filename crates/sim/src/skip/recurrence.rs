//! Finds out when a world repeats itself. The anchor is a flow: after each of its deliveries a few figures that cost nothing are
//! compared with those of an earlier delivery (Brent 1980: the earlier one is given up for the present one after 256, 512, ...
//! deliveries). Where they agree, the whole state is compared by a hash. A state that is the same begins a trial, and only a
//! trial of one period, whose states are compared word by word, makes a world jump.
//!
//! A look at the whole state costs as much as some thousand events in a large world, so it has a budget: events served, and not
//! time, because a run depends on nothing but its scenario.

use backwater_transport::units::Time;

/// Events between two looks, at least, and for each thing that a look visits.
pub(crate) const PAUSE: u64 = 2000;
pub(crate) const EACH: u64 = 8;
/// The part of the events so far that lie between two looks, at least.
const SHARE: u64 = 64;
/// Deliveries after which the first of them is given up.
const FIRST: u64 = 256;

/// A delivery that later ones are compared with.
#[derive(Copy, Clone, Debug)]
struct Earlier {
    /// Its number.
    number: u64,
    cheap: u64,
    /// The hash of the state, once it was looked at.
    hash: Option<u64>,
}

/// The search for a recurrence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recurrence {
    /// Deliveries so far.
    number: u64,
    /// The last delivery.
    at: Time,
    /// Figures of the last eight deliveries.
    cheap: u64,
    earlier: Option<Earlier>,
    /// The earlier one is given up for one that is so many deliveries behind it.
    power: u64,
    /// Events at which the next look may be.
    next_look: u64,
}

impl Recurrence {
    /// A delivery: when, and figures that are the same in each period. Whether to look at the state.
    pub(crate) fn delivered(&mut self, at: Time, figures: [u64; 3], events: u64) -> bool {
        self.number += 1;
        let gap = at.since(self.at).0;
        self.at = at;
        let [a, b, c] = figures;
        let mixed = [gap, a, b, c].into_iter().fold(0, mix);
        // Eight bits of each of the last eight.
        self.cheap = self.cheap << 8 ^ mixed >> 48;
        if events < self.next_look {
            return false;
        }
        let over = |earlier: Earlier| self.number - earlier.number >= self.power;
        if self.earlier.is_none_or(over) {
            self.power = (2 * self.power).max(FIRST);
            self.earlier = Some(Earlier {
                number: self.number,
                cheap: self.cheap,
                hash: None,
            });
            return true;
        }
        self.earlier.is_some_and(|earlier| earlier.cheap == self.cheap)
    }

    /// The state has this hash, and a look visited so many things. Deliveries in a period, if it was the same before.
    pub(crate) fn looked(&mut self, hash: u64, things: u64, events: u64) -> Option<u64> {
        self.next_look = events + PAUSE.max(EACH * things).max(events / SHARE);
        let earlier = self.earlier.as_mut()?;
        if earlier.hash == Some(hash) {
            return Some(self.number - earlier.number);
        }
        earlier.hash.get_or_insert(hash);
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
