//! Pause deadlock: ports that all wait for one another. Port u waits for port v when a gate holds u
//! shut, u's far node holds frames that came in through u, and some of them stand at v, which is
//! stuck too. A cycle of ports that have sent nothing since the last look and wait like this cannot
//! resolve itself while its notices are refreshed.
//!
//! Reference: Dally and Seitz, IEEE ToC C-36(5), 1987 (cyclic buffer dependency).

use backwater_transport::units::Time;

use super::World;
use crate::event::Event;
use crate::network::Port;
use crate::table::Id;

/// A cycle of ports that wait for one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// When it was seen.
    pub at: Time,
    /// The ports in the order of waiting: each waits for the next, the last for the first.
    pub cycle: Vec<Id<Port>>,
}

impl World {
    /// Looks for a deadlock, the first time it is seen.
    pub(super) fn inspect(&mut self, now: Time) {
        let Some(every) = self.inspect_after() else {
            return;
        };
        if self.deadlock.is_none() {
            let stuck: Vec<bool> = self
                .ports
                .ids()
                .map(|id| self.stuck(id, now, now.0.saturating_sub(every.0)))
                .collect();
            if let Some(cycle) = self.cycle(&stuck) {
                self.deadlock = Some(Deadlock { at: now, cycle });
            }
        }
        self.calendar.push(now + every, Event::Inspect);
    }

    fn stuck(&self, id: Id<Port>, now: Time, since: u64) -> bool {
        let port = &self.ports[id];
        port.stalled && port.free_at.0 <= since && port.gates.as_ref().is_some_and(|g| g.shut(now))
    }

    /// Ports that `id` waits for.
    fn waits_for(&self, id: Id<Port>, stuck: &[bool]) -> Vec<Id<Port>> {
        let far = &self.nodes[self.ports[id].far];
        let holds = |v: Id<Port>| {
            let mut queues = self.ports[v].queues.iter();
            queues.any(|q| self.packets.walk(&q.list).any(|p| p.ingress == id))
        };
        far.ports
            .iter()
            .copied()
            .filter(|v| stuck[v.index()] && holds(*v))
            .collect()
    }

    /// Depth-first search for a cycle among the stuck ports, from the first one on.
    fn cycle(&self, stuck: &[bool]) -> Option<Vec<Id<Port>>> {
        #[derive(Copy, Clone, PartialEq)]
        enum Colour {
            White,
            Grey,
            Black,
        }
        let mut colour = vec![Colour::White; stuck.len()];
        for root in self.ports.ids().filter(|p| stuck[p.index()]) {
            let mut path: Vec<(Id<Port>, Vec<Id<Port>>)> = Vec::new();
            if colour[root.index()] == Colour::White {
                colour[root.index()] = Colour::Grey;
                path.push((root, self.waits_for(root, stuck)));
            }
            while let Some((at, next)) = path.last_mut() {
                let Some(to) = next.pop() else {
                    colour[at.index()] = Colour::Black;
                    path.pop();
                    continue;
                };
                match colour[to.index()] {
                    Colour::Grey => {
                        let from = path
                            .iter()
                            .position(|(p, _)| *p == to)
                            .expect("a grey port is on the path");
                        return Some(path[from..].iter().map(|(p, _)| *p).collect());
                    }
                    Colour::White => {
                        colour[to.index()] = Colour::Grey;
                        path.push((to, self.waits_for(to, stuck)));
                    }
                    Colour::Black => {}
                }
            }
        }
        None
    }
}
