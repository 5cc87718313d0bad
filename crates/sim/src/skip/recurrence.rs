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

#[cfg(test)]
mod tests {
    use super::*;

    /// A recurrence whose anchor has come so often, each time with the same figures.
    fn after(times: u64, seen: &mut Vec<u64>) -> Recurrence {
        let mut one = Recurrence::default();
        one.restart();
        for number in 1..=times {
            if one.came(Time(1000 * number), [1, 2, 3], 0) {
                seen.push(number);
            }
        }
        one
    }

    /// 20,000 events are given on credit, and a thirty-second part of all may be spent: looks at forty things cost 40 each. 640 spent are
    /// too much up to 480 events more, and a quarter of what is skipped pays for them.
    #[test]
    fn looks_cost_a_share_of_the_events() {
        let mut one = Recurrence::default();
        let mut looks = 0;
        while one.came_rarely(0) {
            assert_eq!(one.looked(looks, 43), None);
            looks += 1;
        }
        assert_eq!(looks, 16);
        let may = |one: &Recurrence, events| {
            let rarely = one.clone().came_rarely(events);
            let mut often = one.clone();
            often.next = 0;
            assert_eq!(often.came(Time(1), [0; 3], events), rarely);
            rarely
        };
        assert_eq!((may(&one, 479), may(&one, 480)), (false, true));
        one.gained(7);
        assert_eq!((may(&one, 447), may(&one, 448)), (false, true));
        // What was spent stays spent.
        one.restart();
        assert_eq!((may(&one, 447), may(&one, 448)), (false, true));
        one.gained(4 * 639);
        assert_eq!(one.spent, 0);
        one.gained(4);
        assert_eq!(one.spent, 0);
    }

    /// Without a state to compare with: the eighth time, and at twice as many each. With one, each time that has its figures.
    #[test]
    fn a_state_is_looked_at_where_figures_agree_or_after_twice_as_long() {
        let mut seen = Vec::new();
        let mut one = after(40, &mut seen);
        assert_eq!(seen, [8, 16, 32]);
        assert_eq!(one.looked(99, 0), None);
        assert!(one.came(Time(41_000), [1, 2, 3], 0));
        // The gap, or any of the figures, is another one: for as long as it is among the last eight nothing agrees.
        for other in 0..4 {
            let mut one = one.clone();
            let mut figures = [1, 2, 3];
            let mut at = 42_000;
            match other {
                3 => at += 1,
                place => figures[place] += 1,
            }
            assert!(!one.came(Time(at), figures, 0), "{other}");
            let mut agrees = 0;
            for number in 1..=9 {
                let at = at + 1000 * number;
                if one.came(Time(at), [1, 2, 3], 0) {
                    agrees = number;
                    break;
                }
            }
            assert_eq!(agrees, 8, "{other}");
        }
        // Seven times more, and a state is looked at anew at the 64th.
        (42..64).for_each(|number| _ = one.came(Time(1000 * number), [number, 0, 0], 0));
        assert!(one.came(Time(64_000), [0, 0, 0], 0));
        assert!(!one.came(Time(65_000), [0, 0, 1], 0));
        one.restart();
        assert!(!one.came(Time(66_000), [1, 2, 3], 0));
    }

    /// The last 32 states are known, and how often the anchor came since each.
    #[test]
    fn a_state_recurs_after_as_many_anchors_as_came_since() {
        let mut one = Recurrence::default();
        let mut look = |hash: u64| {
            one.came_rarely(u64::MAX / 64);
            one.looked(hash, 0)
        };
        for hash in 1..=33 {
            assert_eq!(look(hash), None);
        }
        // The 34th to 36th times.
        assert_eq!((look(33), look(10), look(2)), (Some(1), Some(25), Some(34)));
        assert_eq!(look(1), None, "it has left the ring");
        assert_eq!(look(2), None, "and so has this now");
        assert_eq!(look(3), None);
        assert_eq!(look(5), Some(35));
    }

    /// Words, their order and their number tell states apart.
    #[test]
    fn a_hash_tells_states_apart() {
        let states: [&[u64]; 8] = [
            &[],
            &[0],
            &[0, 0],
            &[1],
            &[0, 1],
            &[1, 0],
            &[1 << 63],
            &[2, 1],
        ];
        for (n, state) in states.iter().enumerate() {
            let before = states[..n].iter().map(|one| hash(one));
            assert!(before.clone().all(|one| one != hash(state)), "{state:?}");
        }
        // A bit that changes turns about half of those of the hash.
        for bit in 0..64 {
            let other = (hash(&[7, 1 << bit, 9]) ^ hash(&[7, 0, 9])).count_ones();
            assert!((10..=54).contains(&other), "{bit}: {other}");
        }
    }
}
