//! Flows whose transfers wait for those of other flows.
//!
//! In: a flow has delivered transfers. Out: the flows that begin one now.

use std::collections::BTreeMap;

use crate::ids::ConnectionId;

/// The transfers for which a flow waits.
#[derive(Clone, Debug, Default)]
struct Waits {
    after: Vec<ConnectionId>,
    /// Transfers that wait for nothing.
    lead: u64,
    /// Transfers that have begun.
    begun: u64,
}

/// All such flows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    waits: BTreeMap<ConnectionId, Waits>,
    /// Transfers that a flow has delivered, and the flows that wait for it.
    delivered: BTreeMap<ConnectionId, (u64, Vec<ConnectionId>)>,
}

impl Graph {
    /// A flow begins so many transfers at its start, and one more for each that all of `after` have delivered.
    pub(crate) fn add(&mut self, id: ConnectionId, after: Vec<ConnectionId>, lead: u64) {
        for before in &after {
            self.delivered.entry(*before).or_default().1.push(id);
        }
        let begun = lead;
        self.waits.insert(id, Waits { after, lead, begun });
    }

    /// Whether a flow begins transfers when others have delivered theirs.
    pub(crate) fn has(&self, id: ConnectionId) -> bool {
        self.waits.contains_key(&id)
    }

    /// A flow has delivered so many more transfers. The flows that begin one now, one by one.
    pub(crate) fn deliver(&mut self, id: ConnectionId, transfers: u64) -> Vec<ConnectionId> {
        let Some((delivered, next)) = self.delivered.get_mut(&id) else {
            return Vec::new();
        };
        *delivered += transfers;
        let mut begin = Vec::new();
        for id in next.clone() {
            let waits = &self.waits[&id];
            let of = |before: &ConnectionId| self.delivered[before].0;
            let least = waits.after.iter().map(of).min().unwrap_or(0);
            let may = least + waits.lead;
            let begun = waits.begun;
            begin.extend((begun..may).map(|_| id));
            self.waits.get_mut(&id).expect("it waits").begun = may.max(begun);
        }
        begin
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    #[test]
    fn a_transfer_begins_when_all_that_it_waits_for_are_there() {
        let [a, b, c] = [0, 1, 2].map(Id::raw);
        let mut graph = Graph::default();
        graph.add(c, vec![a, b], 0);
        assert_eq!(graph.deliver(a, 2), []);
        assert_eq!(graph.deliver(b, 1), [c]);
        assert_eq!(graph.deliver(b, 1), [c]);
        assert_eq!(graph.deliver(b, 1), []);
        assert_eq!(graph.deliver(a, 1), [c]);
        assert!(graph.has(c) && !graph.has(a));
    }

    /// A ring of two: each sends one at its start, and one more for each that it receives.
    #[test]
    fn a_ring_is_led_by_its_first_transfers() {
        let [a, b] = [0, 1].map(Id::raw);
        let mut graph = Graph::default();
        graph.add(a, vec![b], 1);
        graph.add(b, vec![a], 1);
        assert_eq!(graph.deliver(a, 1), [b]);
        assert_eq!(graph.deliver(b, 1), [a]);
        assert_eq!(graph.deliver(b, 1), [a]);
    }
}
