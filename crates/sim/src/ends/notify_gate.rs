//! The gate of a host's port for notification packets: one interval for all queue pairs that end there, as in ConnectX cards. A mark inside
//! an interval is told when the gate opens next, those of several queue pairs in the order in which they came.

use std::collections::VecDeque;

use backwater_transport::units::{Span, Time};

use crate::ids::ConnectionId;

/// The gate of one port.
#[derive(Clone, Debug, Default)]
pub(crate) struct NotifyGate {
    /// Queue pairs with a mark that nobody was told of, and their intervals.
    waiting: VecDeque<(ConnectionId, Span)>,
    /// It opens then.
    pub(crate) opens: Time,
}

impl NotifyGate {
    /// A packet of a queue pair came with a mark. Whether it may be told now, and whether the gate needs an event for when it opens.
    pub(crate) fn mark(&mut self, id: ConnectionId, interval: Span, now: Time) -> (bool, bool) {
        let first = self.waiting.is_empty();
        if first && now >= self.opens {
            self.opens = now.after(interval);
            return (true, false);
        }
        if self.waiting.iter().all(|waits| waits.0 != id) {
            self.waiting.push_back((id, interval));
        }
        (false, first)
    }

    /// The gate opens. The queue pair whose turn it is, and whether others wait.
    pub(crate) fn open(&mut self, now: Time) -> (Option<ConnectionId>, bool) {
        let next = self.waiting.pop_front();
        if let Some((_, interval)) = next {
            self.opens = now.after(interval);
        }
        (next.map(|next| next.0), !self.waiting.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    /// Intervals of 4 us: the first mark is told at once; of three queue pairs that are marked inside the interval one is told every 4 us,
    /// in their order, though the second is marked twice.
    #[test]
    fn queue_pairs_take_turns_at_the_gate_of_a_port() {
        let us = |n: u64| Time(n * 1_000_000);
        let four = Span::micros(4);
        let mut gate = NotifyGate::default();
        let pair = |n: u32| Id::raw(n);
        assert_eq!(gate.mark(pair(7), four, us(1)), (true, false));
        assert_eq!(gate.mark(pair(8), four, us(2)), (false, true));
        assert_eq!(gate.mark(pair(9), four, us(3)), (false, false));
        assert_eq!(gate.mark(pair(8), four, us(3)), (false, false));
        assert_eq!(gate.opens, us(5));
        assert_eq!(gate.open(us(5)), (Some(pair(8)), true));
        assert_eq!(gate.mark(pair(7), four, us(6)), (false, false));
        assert_eq!(gate.open(us(9)), (Some(pair(9)), true));
        assert_eq!(gate.open(us(13)), (Some(pair(7)), false));
        assert_eq!(gate.mark(pair(7), four, us(16)), (false, true));
        assert_eq!(gate.open(us(17)), (Some(pair(7)), false));
        assert_eq!(gate.mark(pair(8), four, us(30)), (true, false));
    }
}
