//! Equal ways among which a switch chooses anew for each packet, by its queues or round-robin, when the packet arrives.

use backwater_transport::random::Random;
use backwater_transport::walk::Walk;
use smallvec::SmallVec;

use crate::ids::PortId;

/// How a switch chooses among equal ways.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Choose {
    /// By a hash of what tells flows apart, so that a flow keeps its way.
    #[default]
    Hash,
    /// At random, for each packet.
    Random,
    /// Round-robin.
    RoundRobin,
    /// The way whose queue holds the fewest bytes; among equals round-robin.
    LeastQueue,
    /// The better of two that are drawn.
    PowerOfTwo,
}

/// In place of a port: this bit, and the number of ways from which one is still to be chosen. No port has so high a number.
pub(super) const OPEN: u32 = 0x8000_0000;

impl PortId {
    /// Whether this is no port: none, or ways from which one is still to be chosen.
    #[inline(always)]
    pub(crate) fn is_open(self) -> bool {
        self.0 >= OPEN
    }
}

/// Ways of one switch.
#[derive(Clone, Debug)]
struct Equal {
    ports: Box<[PortId]>,
    salt: u32,
}

/// The ways of all switches.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenWays(Vec<Equal>);

/// Where the choice among each of these ways stands: the next one round-robin, and a random stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turns(Vec<Turn>);

#[derive(Clone, Debug)]
struct Turn {
    next: u32,
    random: Random,
}

impl Turns {
    pub(crate) fn walk(&self, walk: &mut Walk) {
        for Turn { next, random } in &self.0 {
            walk.same(*next);
            random.walk(walk);
        }
    }

    /// Their random streams begin anew.
    pub(crate) fn rekey(&mut self, by: u64) {
        self.0.iter_mut().for_each(|turn| turn.random.rekey(by));
    }
}

/// Ports to choose from.
pub(crate) type Candidates = SmallVec<[PortId; 8]>;

impl OpenWays {
    /// Adds ways; gives what stands for them in place of a port.
    pub(super) fn add(&mut self, ports: &[PortId], salt: u32) -> u32 {
        let number = self.0.len() as u32;
        let ports = ports.into();
        self.0.push(Equal { ports, salt });
        OPEN | number
    }

    /// The turns at the start of a run.
    pub(super) fn turns(&self) -> Turns {
        let begin = |ways: &Equal| {
            let first = ways.ports[0].0.to_string();
            Turn {
                next: 0,
                random: Random::stream(u64::from(ways.salt), "ways", &first),
            }
        };
        Turns(self.0.iter().map(begin).collect())
    }

    fn number(open: PortId) -> usize {
        (open.0 & !OPEN) as usize
    }

    /// Whether a port is one of them.
    pub(super) fn has(&self, open: PortId, port: PortId) -> bool {
        self.0[OpenWays::number(open)].ports.contains(&port)
    }

    /// The first of them.
    pub(super) fn first(&self, open: PortId) -> PortId {
        self.0[OpenWays::number(open)].ports[0]
    }

    /// Those of which the one with the shortest queue is taken, the first among equals.
    pub(super) fn candidates(&self, turns: &mut Turns, open: PortId, choose: Choose) -> Candidates {
        let number = OpenWays::number(open);
        let ports = &self.0[number].ports;
        let Turn { next, random } = &mut turns.0[number];
        let count = ports.len();
        let mut draw = |below: usize| random.between(0, below as u64 - 1) as usize;
        match choose {
            Choose::Hash | Choose::Random => Candidates::from_slice(&[ports[draw(count)]]),
            Choose::RoundRobin => {
                let port = ports[*next as usize % count];
                *next = (*next + 1) % count as u32;
                Candidates::from_slice(&[port])
            }
            Choose::LeastQueue => {
                let first = *next as usize % count;
                *next = (*next + 1) % count as u32;
                (0..count).map(|n| ports[(first + n) % count]).collect()
            }
            Choose::PowerOfTwo => {
                let first = draw(count);
                let second = (first + 1 + draw(count - 1)) % count;
                Candidates::from_slice(&[ports[first], ports[second]])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    #[test]
    fn two_that_are_drawn_differ_and_all_are_drawn() {
        let ports: Vec<PortId> = (10..14).map(Id::raw).collect();
        let mut ways = OpenWays::default();
        let open = Id::raw(ways.add(&ports, 7));
        let mut turns = ways.turns();
        let mut drawn = [0; 4];
        for _ in 0..400 {
            let pair = ways.candidates(&mut turns, open, Choose::PowerOfTwo);
            assert_ne!(pair[0], pair[1]);
            for port in pair {
                drawn[port.0 as usize - 10] += 1;
            }
        }
        // Binomial with mean 200 and a deviation of 10: five of them.
        assert!(drawn.iter().all(|n| (150..=250).contains(n)), "{drawn:?}");
    }

    #[test]
    fn turns_pass_all_ways() {
        let ports: Vec<PortId> = (10..13).map(Id::raw).collect();
        let mut ways = OpenWays::default();
        let open = Id::raw(ways.add(&ports, 7));
        let mut turns = ways.turns();
        let taken: Vec<u32> = (0..6)
            .map(|_| ways.candidates(&mut turns, open, Choose::RoundRobin)[0].0)
            .collect();
        assert_eq!(taken, [10, 11, 12, 10, 11, 12]);
        let least = ways.candidates(&mut turns, open, Choose::LeastQueue);
        assert_eq!(least.len(), 3);
    }
    /// Two groups of ways, of which the second has three.
    fn two_groups(salt: u32) -> (OpenWays, PortId, Vec<PortId>) {
        let ports: Vec<PortId> = (10..13).map(Id::raw).collect();
        let mut ways = OpenWays::default();
        ways.add(&[Id::raw(3), Id::raw(4)], 1);
        let open = Id::raw(ways.add(&ports, salt));
        (ways, open, ports)
    }

    #[test]
    fn what_stands_for_ways_is_no_port() {
        let (ways, open, ports) = two_groups(7);
        assert_eq!(open.0, OPEN + 1);
        assert!(open.is_open() && Id::raw(OPEN).is_open() && PortId::NONE.is_open());
        assert!(!PortId::raw(OPEN - 1).is_open() && !ports[0].is_open());
        assert!(ports.iter().all(|port| ways.has(open, *port)));
        assert!(!ways.has(open, Id::raw(3)) && ways.has(Id::raw(OPEN), Id::raw(3)));
        assert_eq!(
            (ways.first(open), ways.first(Id::raw(OPEN))),
            (ports[0], Id::raw(3))
        );
    }

    /// Among equal queues the first listed is taken, so the list begins with another way each time.
    #[test]
    fn the_list_of_all_ways_turns() {
        let (ways, open, _) = two_groups(7);
        let mut turns = ways.turns();
        let mut listed = || {
            let all = ways.candidates(&mut turns, open, Choose::LeastQueue);
            all.iter().map(|port| port.0).collect::<Vec<u32>>()
        };
        assert_eq!(listed(), [10, 11, 12]);
        assert_eq!(listed(), [11, 12, 10]);
        assert_eq!(listed(), [12, 10, 11]);
        assert_eq!(listed(), [10, 11, 12]);
        // The other group has turns of its own.
        let other = ways.candidates(&mut turns, Id::raw(OPEN), Choose::RoundRobin);
        assert_eq!(other.to_vec(), [PortId::raw(3)]);
    }

    /// Of 900 draws each of three ways has 300 and each ordered pair of them 150, within five deviations of 14 and 11.
    #[test]
    fn draws_are_even() {
        let (ways, open, _) = two_groups(7);
        let mut turns = ways.turns();
        let mut singles = [0; 3];
        let mut pairs = [[0; 3]; 3];
        for _ in 0..900 {
            let one = ways.candidates(&mut turns, open, Choose::Random);
            assert_eq!(one.len(), 1);
            singles[one[0].index() - 10] += 1;
            let two = ways.candidates(&mut turns, open, Choose::PowerOfTwo);
            assert_eq!(two.len(), 2);
            pairs[two[0].index() - 10][two[1].index() - 10] += 1;
        }
        assert!(
            singles.iter().all(|n| (230..=370).contains(n)),
            "{singles:?}"
        );
        for (i, row) in pairs.iter().enumerate() {
            for (j, n) in row.iter().enumerate() {
                let wanted = if i == j { 0..=0 } else { 95..=205 };
                assert!(wanted.contains(n), "{pairs:?}");
            }
        }
    }

    /// Each switch draws for itself, and otherwise when its streams have begun anew; where its choice stands is part of the state.
    #[test]
    fn each_switch_draws_for_itself() {
        let drawn = |salt: u32, by: Option<u64>| {
            let (ways, open, _) = two_groups(salt);
            let mut turns = ways.turns();
            if let Some(by) = by {
                turns.rekey(by);
            }
            let draw = |_| ways.candidates(&mut turns, open, Choose::Random)[0].0;
            (0..40).map(draw).collect::<Vec<u32>>()
        };
        assert_eq!(drawn(7, None), drawn(7, None));
        assert_ne!(drawn(7, None), drawn(8, None));
        assert_ne!(drawn(7, None), drawn(7, Some(5)));
        let (ways, open, _) = two_groups(7);
        let mut turns = ways.turns();
        let mut states = Vec::new();
        for choose in [Choose::RoundRobin, Choose::Random] {
            for _ in 0..2 {
                let mut walk = Walk::look(backwater_transport::units::Time::ZERO);
                turns.walk(&mut walk);
                let state = walk.seen().expect("all is visited").state;
                assert!(!states.contains(&state), "{choose:?}");
                states.push(state);
                ways.candidates(&mut turns, open, choose);
            }
        }
    }
}
