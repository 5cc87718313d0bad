//! A host's network card that pulls: the flows whose segments wait in their senders until the port is free. They are asked
//! round-robin for one segment each.
//!
//! In: a flow that may have something to send again. Out: the flow whose turn it is.
//! Reference: the queue pairs of an RDMA card. HPCC's simulator asks them round-robin, acknowledgements first, and each for its
//! pace, its window and its class (`rdma-queue-pair`, `GetNextQindex`). Differences: none in the order; a flow is a queue pair.

use backwater_transport::units::Time;

use crate::ids::ConnectionId;

/// One flow of a card.
#[derive(Copy, Clone, Debug)]
struct Pair {
    connection: ConnectionId,
    /// It had nothing to send when it was asked last, and nothing has happened to it since.
    idle: bool,
}

/// The card behind a port.
#[derive(Clone, Debug, Default)]
pub(crate) struct Card {
    pairs: Vec<Pair>,
    /// Place of the flow that is asked next.
    next: usize,
    /// Instant of the event at which the first closed class opens.
    pub(crate) armed: Time,
}

impl Card {
    /// One more flow. Its place.
    pub(crate) fn add(&mut self, connection: ConnectionId) -> u32 {
        self.pairs.push(Pair {
            connection,
            idle: false,
        });
        self.pairs.len() as u32 - 1
    }

    /// A flow may have something to send.
    #[inline]
    pub(crate) fn wake_up(&mut self, place: u32) {
        self.pairs[place as usize].idle = false;
    }

    /// How many flows there are to ask.
    pub(crate) fn turns(&self) -> usize {
        self.pairs.len()
    }

    /// The flow that is asked after so many others, unless it has nothing to send.
    #[inline]
    pub(crate) fn turn(&self, after: usize) -> Option<ConnectionId> {
        let pair = &self.pairs[self.place(after)];
        (!pair.idle).then_some(pair.connection)
    }

    /// That flow had nothing to send.
    pub(crate) fn rest(&mut self, after: usize) {
        let place = self.place(after);
        self.pairs[place].idle = true;
    }

    /// That flow has sent a segment: the one behind it is next.
    pub(crate) fn sent(&mut self, after: usize) {
        self.next = (self.place(after) + 1) % self.pairs.len();
    }

    #[inline]
    fn place(&self, after: usize) -> usize {
        (self.next + after) % self.pairs.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    #[test]
    fn flows_take_turns_and_one_that_rests_is_passed_over() {
        let mut card = Card::default();
        for number in 0..3 {
            card.add(Id::raw(number));
        }
        let mut asked = Vec::new();
        for _ in 0..6 {
            let after = (0..card.turns()).find(|after| card.turn(*after).is_some());
            let after = after.expect("two never rest");
            asked.push(card.turn(after).expect("not at rest").0);
            card.sent(after);
            if asked.len() == 2 {
                // The flow in the middle has just sent its last.
                card.rest(2);
            }
        }
        assert_eq!(asked, [0, 1, 2, 0, 2, 0]);
        card.wake_up(1);
        assert_eq!(card.turn(0).map(|c| c.0), Some(1));
    }
}
