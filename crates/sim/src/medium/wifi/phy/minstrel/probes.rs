//! Which mode a frame probes next: the next faster one of each group, a random faster one, or one between those in use.
//!
//! Reference: minstrel_ht of Linux since 5.12 (net/mac80211/rc80211_minstrel_ht.c), `minstrel_ht_refill_sample_rates`.

use super::{GROUPS, Minstrel, Row};

/// Kinds of probes, one after the other.
const TURNS: [Kind; 6] = [
    Kind::Next,
    Kind::Faster,
    Kind::Next,
    Kind::Faster,
    Kind::Next,
    Kind::Slower,
];
/// Modes that wait to be probed, of each kind.
const WAITING: usize = 5;
/// Share from which a slower mode is not probed.
const KNOWN: f64 = 0.95;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    Next,
    Faster,
    Slower,
}

impl Minstrel {
    /// The mode that the next frame probes, of the kind whose turn it is.
    pub(super) fn take_probe(&mut self) -> Option<usize> {
        let kind = TURNS[self.turn];
        self.turn = (self.turn + 1) % TURNS.len();
        let waiting = match kind {
            Kind::Next => &mut self.next,
            Kind::Faster => &mut self.faster,
            Kind::Slower => &mut self.slower,
        };
        match waiting.is_empty() {
            true => None,
            false => Some(waiting.remove(0)),
        }
    }

    /// Fills the lists of modes to be probed, after the modes in use have changed.
    pub(super) fn plan_probes(&mut self, used: [usize; 3]) {
        let (fast, slow) = (used.into_iter().max(), used.into_iter().min());
        let (fast, slow) = (fast.expect("three"), slow.expect("three"));
        self.next.retain(|row| *row > fast);
        self.faster.retain(|row| *row > fast);
        self.slower.retain(|row| *row > slow && *row < fast);
        let most = self.rows[used[0]].time;
        for streams in 1..=GROUPS as u8 {
            let of_group = |row: &Row| row.mode.streams == streams && row.time < most;
            let Some(next) = self.rows.iter().position(of_group) else {
                continue;
            };
            if self.next.len() < WAITING && !self.next.contains(&next) {
                self.next.push(next);
            }
        }
        while self.faster.len() < WAITING && self.draw(fast, slow) {}
    }

    /// Draws a mode faster than those in use to be probed. One between them is noted too, unless it is known to arrive. False where there is no
    /// new faster one.
    fn draw(&mut self, fast: usize, slow: usize) -> bool {
        let least = match self.slower.len() < WAITING {
            true => slow + 1,
            false => fast + 1,
        };
        if least >= self.rows.len() {
            return false;
        }
        let row = loop {
            if self.place == self.order.len() {
                self.shuffle();
            }
            self.place += 1;
            let row = self.order[self.place - 1];
            if row >= least {
                break row;
            }
        };
        if row > fast {
            let new = !self.faster.contains(&row);
            if new {
                self.faster.push(row);
            }
            return new;
        }
        if row < fast && self.rows[row].share <= KNOWN && !self.slower.contains(&row) {
            self.slower.push(row);
        }
        false
    }

    pub(super) fn shuffle(&mut self) {
        self.order = (0..self.rows.len()).collect();
        self.place = 0;
        for last in (1..self.order.len()).rev() {
            let other = self.random.between(0, last as u64) as usize;
            self.order.swap(last, other);
        }
    }
}
