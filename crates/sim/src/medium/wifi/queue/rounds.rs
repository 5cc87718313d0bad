//! Per-flow round robin at a station, in place of first come, first served: in each round every flow that has
//! frames sends one. A full buffer loses the newest frame of the flow that holds most, so that no flow keeps
//! the others out.
//!
//! The queues stay one list for each hop; frames stand in it by round.
//!
//! Reference: Nagle, RFC 970 (a queue for each source, served round-robin); McKenney, INFOCOM 1990 (the longest queue
//! gives up its buffer).
//! Differences: by flow, not by source; frames, not bytes, are counted.

use crate::ids::FlowId;

/// The rounds of the flows of an access category.
#[derive(Clone, Debug, Default)]
pub struct RoundRobin {
    /// Round of the frame that was first in line last.
    round: u64,
    flows: Vec<Entry>,
}

#[derive(Copy, Clone, Debug)]
struct Entry {
    flow: FlowId,
    /// Round of its newest frame.
    last: u64,
    frames: u32,
}

impl RoundRobin {
    fn entry(&mut self, flow: FlowId) -> &mut Entry {
        let at = match self.flows.iter().position(|e| e.flow == flow) {
            Some(at) => at,
            None => {
                self.flows.push(Entry {
                    flow,
                    last: 0,
                    frames: 0,
                });
                self.flows.len() - 1
            }
        };
        &mut self.flows[at]
    }

    /// The round of a frame that comes: the one after its flow's last, but none that is over.
    pub fn join(&mut self, flow: FlowId) -> u64 {
        let now = self.round;
        let entry = self.entry(flow);
        entry.frames += 1;
        entry.last = (entry.last + 1).max(now);
        entry.last
    }

    /// A frame of this round is first in line and stays so.
    pub fn serve(&mut self, round: u64) {
        self.round = self.round.max(round);
    }

    /// A frame of a flow has left.
    pub fn leave(&mut self, flow: FlowId) {
        self.entry(flow).frames -= 1;
    }

    /// The newest frame of a flow was given up.
    pub fn give_up(&mut self, flow: FlowId) {
        let entry = self.entry(flow);
        entry.frames -= 1;
        entry.last -= 1;
    }

    /// The flow that should give up a frame for one of `flow`: whoever holds most, if that is more than
    /// `flow` would hold.
    pub fn richest(&mut self, flow: FlowId) -> Option<FlowId> {
        let would = self.entry(flow).frames + 1;
        let most = self.flows.iter().max_by_key(|e| e.frames)?;
        (most.frames > would).then_some(most.flow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    /// A holds five frames when B's come: B is served in the round under way and in those that follow.
    #[test]
    fn a_flow_that_comes_later_does_not_wait_for_all_of_another() {
        let (a, b) = (Id::raw(1), Id::raw(2));
        let mut rounds = RoundRobin::default();
        let first: Vec<u64> = (0..5).map(|_| rounds.join(a)).collect();
        assert_eq!(first, [1, 2, 3, 4, 5]);
        rounds.serve(2);
        assert_eq!([rounds.join(b), rounds.join(b)], [2, 3]);
        // Airtime that was not used is not saved up.
        rounds.serve(40);
        assert_eq!(rounds.join(b), 40);
    }

    #[test]
    fn who_holds_most_gives_way_to_who_holds_less() {
        let (a, b) = (Id::raw(1), Id::raw(2));
        let mut rounds = RoundRobin::default();
        for _ in 0..3 {
            rounds.join(a);
        }
        assert_eq!(rounds.richest(a), None);
        assert_eq!(rounds.richest(b), Some(a));
        rounds.join(b);
        assert_eq!(rounds.richest(b), Some(a));
        rounds.give_up(a);
        assert_eq!(rounds.richest(b), None);
        assert_eq!(rounds.join(a), 3);
        rounds.leave(a);
        rounds.leave(b);
        assert_eq!(rounds.richest(b), Some(a));
    }
}
