//! Whose turn it is at a station that serves several neighbours: each for one exchange, or each for the same time on the air.
//!
//! A deficit scheduler. A neighbour with packets stands in one of two lists. Exchanges, those that failed too, are charged to its deficit, and
//! by airtime also the data frames that it sent. The first neighbour of the list sends while its deficit is positive; else it gets a quantum and goes to
//! the end. By airtime a neighbour that had nothing to send joins the list that goes first, for one round.
//!
//! Reference: Høiland-Jørgensen et al., Ending the Anomaly, USENIX ATC 2017, algorithm 3.
//! Differences: no frames wait in hardware, since one is made when its backoff ends, so charges are known before the next choice.

use std::collections::VecDeque;

use backwater_transport::units::Span;

/// Which neighbour a category serves next.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Turn {
    /// The one whose first packet is the oldest.
    #[default]
    Oldest,
    /// One exchange to each, then to the next.
    RoundRobin,
    /// The same time on the air to each: so much in a turn.
    Airtime(Span),
}

/// The turns of an access category.
#[derive(Clone, Debug)]
pub struct Turns {
    /// Ticks, or exchanges, that a turn is worth.
    quantum: i64,
    by_airtime: bool,
    entries: Vec<Entry>,
    /// Places of entries that had nothing to send before, and of others.
    new: VecDeque<usize>,
    old: VecDeque<usize>,
}

/// A neighbour.
#[derive(Clone, Debug)]
struct Entry {
    hop: u32,
    deficit: i64,
    listed: bool,
}

/// The packets of a neighbour.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Ready {
    /// Nothing.
    Empty,
    /// Packets that may not go now.
    Shut,
    /// Packets.
    Sends,
}

impl Turns {
    /// Turns as they were written; none where the oldest packet goes first.
    pub fn of(turn: Turn) -> Option<Turns> {
        let (quantum, by_airtime) = match turn {
            Turn::Oldest => return None,
            Turn::RoundRobin => (1, false),
            Turn::Airtime(quantum) => (i64::try_from(quantum.0).unwrap_or(i64::MAX), true),
        };
        Some(Turns {
            quantum,
            by_airtime,
            entries: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
        })
    }

    fn place(&mut self, hop: u32) -> usize {
        let found = self.entries.iter().position(|e| e.hop == hop);
        found.unwrap_or_else(|| {
            self.entries.push(Entry {
                hop,
                deficit: self.quantum,
                listed: false,
            });
            self.entries.len() - 1
        })
    }

    /// A hop has a packet.
    pub fn join(&mut self, hop: u32) {
        let place = self.place(hop);
        if !std::mem::replace(&mut self.entries[place].listed, true) {
            match self.by_airtime {
                true => self.new.push_back(place),
                false => self.old.push_back(place),
            }
        }
    }

    /// The hop whose turn it is, of those that can send.
    pub fn choose(&mut self, ready: impl Fn(u32) -> Ready) -> Option<u32> {
        let sends = |place: &usize| ready(self.entries[*place].hop) == Ready::Sends;
        if !self.new.iter().chain(&self.old).any(sends) {
            return None;
        }
        loop {
            let from_new = !self.new.is_empty();
            let list = match from_new {
                true => &mut self.new,
                false => &mut self.old,
            };
            let place = *list.front()?;
            let entry = &mut self.entries[place];
            let state = ready(entry.hop);
            if state == Ready::Sends && entry.deficit > 0 {
                return Some(entry.hop);
            }
            list.pop_front();
            if state == Ready::Empty && !from_new {
                entry.listed = false;
                continue;
            }
            if state == Ready::Sends {
                entry.deficit += self.quantum;
            }
            self.old.push_back(place);
        }
    }

    /// The hops that have packets, in the order of their turns.
    pub fn order(&self) -> impl Iterator<Item = u32> {
        let places = self.new.iter().chain(&self.old);
        places.map(|place| self.entries[*place].hop)
    }

    /// A hop has had an exchange of so many ticks.
    pub fn charge(&mut self, hop: u32, ticks: u64) {
        let place = self.place(hop);
        self.entries[place].deficit -= match self.by_airtime {
            true => ticks as i64,
            false => 1,
        };
    }

    /// A neighbour's data frame took so many ticks. `toward` says which hop leads back.
    pub fn charge_received(&mut self, ticks: u64, toward: impl Fn(u32) -> bool) {
        let found = self.entries.iter_mut().find(|e| toward(e.hop));
        if let Some(entry) = found.filter(|_| self.by_airtime) {
            entry.deficit -= ticks as i64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    /// Shares of 1000 choices, each neighbour's exchanges being so long.
    fn shares(turn: Turn, millis: [u64; 3]) -> [u64; 3] {
        let mut turns = Turns::of(turn).expect("turns");
        (0..3).for_each(|hop| turns.join(hop));
        let mut sent = [0; 3];
        for _ in 0..1000 {
            let hop = turns.choose(|_| Ready::Sends).expect("all can send");
            turns.charge(hop, millis[hop as usize] * MS);
            sent[hop as usize] += 1;
        }
        sent
    }

    /// Round-robin each has a third of the exchanges; by airtime each a third of the time, so that exchanges are as 1/1 : 1/2 : 1/6.
    #[test]
    fn exchanges_or_airtime_are_shared_alike() {
        assert_eq!(shares(Turn::RoundRobin, [1, 2, 6]), [334, 333, 333]);
        let sent = shares(Turn::Airtime(Span::micros(300)), [1, 2, 6]);
        for (sent, expected) in sent.into_iter().zip([600, 300, 100]) {
            assert!(sent.abs_diff(expected) <= 3, "{sent} {expected}");
        }
    }

    /// Who had nothing to send goes first once, and not again before the others had their turn.
    #[test]
    fn who_had_nothing_to_send_goes_first_by_airtime() {
        let mut turns = Turns::of(Turn::Airtime(Span::micros(300))).expect("turns");
        turns.join(0);
        turns.join(1);
        for hop in [0, 1] {
            assert_eq!(turns.choose(|_| Ready::Sends), Some(hop));
            turns.charge(hop, 2 * MS / 5);
        }
        turns.join(2);
        assert_eq!(turns.choose(|_| Ready::Sends), Some(2));
        // It has sent what it had, and has a packet again at once.
        let empty = |hop| if hop == 2 { Ready::Empty } else { Ready::Sends };
        assert_ne!(turns.choose(empty), Some(2));
        turns.join(2);
        assert_ne!(turns.choose(|_| Ready::Sends), Some(2));
    }

    /// Where nobody can send, nobody is chosen, and no deficit grows.
    #[test]
    fn nobody_is_chosen_where_all_are_held_back() {
        let mut turns = Turns::of(Turn::RoundRobin).expect("turns");
        turns.join(4);
        assert_eq!(turns.choose(|_| Ready::Shut), None);
        assert_eq!(turns.choose(|_| Ready::Empty), None);
        assert_eq!(turns.choose(|_| Ready::Sends), Some(4));
    }

    /// A frame that a neighbour sends is charged to it by airtime only.
    #[test]
    fn received_frames_are_charged_by_airtime() {
        for (turn, first) in [(Turn::RoundRobin, 0), (Turn::Airtime(Span::micros(300)), 1)] {
            let mut turns = Turns::of(turn).expect("turns");
            turns.join(0);
            turns.join(1);
            turns.charge_received(MS, |hop| hop == 0);
            assert_eq!(turns.choose(|_| Ready::Sends), Some(first));
        }
    }
}
