//! Equal ways among which a switch chooses anew for each packet, by its queues or round-robin, when the packet arrives.

use backwater_transport::random::Random;
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
    turn: u32,
    random: Random,
}

/// The ways of all switches.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenWays(Vec<Equal>);

/// Ports to choose from.
pub(crate) type Candidates = SmallVec<[PortId; 8]>;

impl OpenWays {
    /// Adds ways; gives what stands for them in place of a port.
    pub(super) fn add(&mut self, ports: &[PortId], salt: u32) -> u32 {
        let number = self.0.len() as u32;
        let first = ports[0].0;
        self.0.push(Equal {
            ports: ports.into(),
            turn: 0,
            random: Random::stream(u64::from(salt), "ways", &first.to_string()),
        });
        OPEN | number
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
    pub(super) fn candidates(&mut self, open: PortId, choose: Choose) -> Candidates {
        let Equal {
            ports,
            turn,
            random,
        } = &mut self.0[OpenWays::number(open)];
        let count = ports.len();
        let mut draw = |below: usize| random.between(0, below as u64 - 1) as usize;
        match choose {
            Choose::Hash | Choose::Random => Candidates::from_slice(&[ports[draw(count)]]),
            Choose::RoundRobin => {
                let port = ports[*turn as usize % count];
                *turn = (*turn + 1) % count as u32;
                Candidates::from_slice(&[port])
            }
            Choose::LeastQueue => {
                let first = *turn as usize % count;
                *turn = (*turn + 1) % count as u32;
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
        let mut drawn = [0; 4];
        for _ in 0..400 {
            let pair = ways.candidates(open, Choose::PowerOfTwo);
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
        let turns: Vec<u32> = (0..6)
            .map(|_| ways.candidates(open, Choose::RoundRobin)[0].0)
            .collect();
        assert_eq!(turns, [10, 11, 12, 10, 11, 12]);
        let least = ways.candidates(open, Choose::LeastQueue);
        assert_eq!(least.len(), 3);
    }
}
