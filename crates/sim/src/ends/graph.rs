//! Flows whose transfers wait for those of other flows.
//!
//! In: a flow has delivered transfers. Out: the flows that begin one now.

use std::collections::BTreeMap;

use backwater_transport::units::{Span, Time};

use crate::ids::ConnectionId;

/// The transfers for which a flow waits.
#[derive(Clone, Debug, Default)]
struct Waits {
    after: Vec<(ConnectionId, Span)>,
    /// Transfers that wait for nothing.
    lead: u64,
    /// Of those, the ones that the start of the flow has yet to write.
    unwritten: u64,
    /// Transfers that have begun.
    begun: u64,
    /// The earliest instant of the next, as far as is known.
    ready: Time,
}

/// All such flows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    waits: BTreeMap<ConnectionId, Waits>,
    /// Transfers that a flow has delivered, and the flows that wait for it.
    delivered: BTreeMap<ConnectionId, (u64, Vec<ConnectionId>)>,
}

impl Graph {
    /// A flow begins so many transfers at its start, and one more for each that all of `after` have delivered, so long after each of
    /// these and not before the start.
    pub(crate) fn add(
        &mut self,
        id: ConnectionId,
        after: Vec<(ConnectionId, Span)>,
        lead: u64,
        start: Time,
    ) {
        for (before, _) in &after {
            self.delivered.entry(*before).or_default().1.push(id);
        }
        let waits = Waits {
            after,
            lead,
            unwritten: lead,
            begun: lead,
            ready: start,
        };
        self.waits.insert(id, waits);
    }

    /// Whether no flow waits for another.
    pub(crate) fn is_empty(&self) -> bool {
        self.waits.is_empty()
    }

    /// Whether a flow begins transfers when others have delivered theirs.
    pub(crate) fn has(&self, id: ConnectionId) -> bool {
        self.waits.contains_key(&id)
    }

    /// One of the transfers that wait for nothing has been written. Whether more of them are to be.
    pub(crate) fn leads_on(&mut self, id: ConnectionId) -> bool {
        let Some(waits) = self.waits.get_mut(&id) else {
            return false;
        };
        waits.unwritten = waits.unwritten.saturating_sub(1);
        waits.unwritten > 0
    }

    /// A flow has delivered so many more transfers. The flows that begin one, one by one, and when.
    pub(crate) fn deliver(
        &mut self,
        id: ConnectionId,
        transfers: u64,
        now: Time,
    ) -> Vec<(ConnectionId, Time)> {
        let Some((delivered, next)) = self.delivered.get_mut(&id) else {
            return Vec::new();
        };
        *delivered += transfers;
        let mut begin = Vec::new();
        for next in next.clone() {
            let waits = self.waits.get_mut(&next).expect("it waits");
            let of = |before: &(ConnectionId, Span)| self.delivered[&before.0].0;
            let least = waits.after.iter().map(of).min().unwrap_or(0);
            let delay = waits.after.iter().find(|before| before.0 == id);
            let delay = delay.map_or(Span::ZERO, |before| before.1);
            waits.ready = waits.ready.max(now.after(delay));
            let may = least + waits.lead;
            begin.extend((waits.begun..may).map(|_| (next, waits.ready)));
            waits.begun = may.max(waits.begun);
        }
        begin
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    fn none(flows: &[ConnectionId]) -> Vec<(ConnectionId, Span)> {
        flows.iter().map(|f| (*f, Span::ZERO)).collect()
    }

    #[test]
    fn a_transfer_begins_when_all_that_it_waits_for_are_there() {
        let [a, b, c] = [0, 1, 2].map(Id::raw);
        let mut graph = Graph::default();
        graph.add(c, none(&[a, b]), 0, Time::ZERO);
        assert_eq!(graph.deliver(a, 2, Time(1)), []);
        assert_eq!(graph.deliver(b, 1, Time(2)), [(c, Time(2))]);
        assert_eq!(graph.deliver(b, 1, Time(3)), [(c, Time(3))]);
        assert_eq!(graph.deliver(b, 1, Time(4)), []);
        assert_eq!(graph.deliver(a, 1, Time(5)), [(c, Time(5))]);
        assert!(graph.has(c) && !graph.has(a));
    }

    /// a is there at 10 and b at 12; c begins 5 after a or 1 after b, whichever is later, and not before its start.
    #[test]
    fn each_delay_counts_from_its_own_flow() {
        let [a, b, c, d] = [0, 1, 2, 3].map(Id::raw);
        let mut graph = Graph::default();
        graph.add(c, vec![(a, Span(5)), (b, Span(1))], 0, Time::ZERO);
        graph.add(d, vec![(b, Span(1))], 0, Time(40));
        assert_eq!(graph.deliver(a, 1, Time(10)), []);
        assert_eq!(
            graph.deliver(b, 1, Time(12)),
            [(c, Time(15)), (d, Time(40))]
        );
    }

    /// A ring of two: each sends one at its start, and one more for each that it receives.
    #[test]
    fn a_ring_is_led_by_its_first_transfers() {
        let [a, b] = [0, 1].map(Id::raw);
        let mut graph = Graph::default();
        graph.add(a, none(&[b]), 1, Time::ZERO);
        graph.add(b, none(&[a]), 1, Time::ZERO);
        assert_eq!(graph.deliver(a, 1, Time(1)), [(b, Time(1))]);
        assert_eq!(graph.deliver(b, 1, Time(2)), [(a, Time(2))]);
        assert_eq!(graph.deliver(b, 1, Time(3)), [(a, Time(3))]);
    }
}
