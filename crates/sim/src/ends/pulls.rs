//! A host that paces its senders: the flows to it whose senders want credit, and the instant from which it may give the next.
//! Those that wait are served round-robin; where none waits, those that may have some for data to come.

use std::collections::{BTreeMap, VecDeque};

use backwater_transport::endpoint::CreditState;
use backwater_transport::units::{Span, Time};

use crate::ids::ConnectionId;

/// The senders that are listed behind one port.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pulls {
    /// The list in which a flow stands.
    listed: BTreeMap<ConnectionId, CreditState>,
    waiting: VecDeque<ConnectionId>,
    ahead: VecDeque<ConnectionId>,
    /// From then on it may give credit.
    pub(crate) free: Time,
    /// Its event is in the calendar.
    pub(crate) armed: bool,
}

impl Pulls {
    /// A flow is in this state now. Whether any flow is listed.
    pub(crate) fn list(&mut self, id: ConnectionId, state: CreditState) -> bool {
        let stood = self.listed.get(&id).copied();
        let moves = match state {
            CreditState::Enough => false,
            CreditState::Ahead => stood.is_none(),
            CreditState::Waits => stood != Some(CreditState::Waits),
        };
        if moves {
            self.listed.insert(id, state);
            match state {
                CreditState::Waits => self.waiting.push_back(id),
                _ => self.ahead.push_back(id),
            }
        }
        !self.listed.is_empty()
    }

    /// The flow whose turn it is; `state` tells how a flow stands now.
    pub(crate) fn next(
        &mut self,
        state: impl Fn(ConnectionId) -> CreditState,
    ) -> Option<ConnectionId> {
        while let Some(id) = self.waiting.pop_front() {
            self.listed.remove(&id);
            match state(id) {
                CreditState::Waits => return Some(id),
                other => self.list(id, other),
            };
        }
        while let Some(id) = self.ahead.pop_front() {
            // A flow that waits by now stands in the other list.
            if self.listed.get(&id) == Some(&CreditState::Ahead) {
                self.listed.remove(&id);
                if state(id) != CreditState::Enough {
                    return Some(id);
                }
            }
        }
        None
    }
}

/// Share of the line that credit makes senders fill (htsim's `uec`: .99), as a fraction.
const SHARE: (u64, u64) = (99, 100);

/// How long the line needs for the bytes of one pull.
pub(crate) fn interval(quantum: u64, bits_per_s: u64) -> Span {
    let ps = u128::from(quantum) * 8 * 1_000_000_000_000 * u128::from(SHARE.1);
    Span((ps / (u128::from(bits_per_s.max(1)) * u128::from(SHARE.0))) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    /// 16,384 bytes at 99 Gbit/s take 1.323959 us.
    #[test]
    fn a_pull_takes_its_bytes_at_99_percent_of_the_line() {
        assert_eq!(interval(16_384, 100_000_000_000), Span(1_323_959));
    }

    #[test]
    fn flows_that_wait_take_turns_before_those_that_do_not() {
        use CreditState::{Ahead, Enough, Waits};
        let mut pulls = Pulls::default();
        let states = [Waits, Ahead, Waits, Enough];
        let state = |id: ConnectionId| states[id.index()];
        for (number, state) in states.iter().enumerate() {
            pulls.list(Id::new(number), *state);
        }
        let mut served = Vec::new();
        for _ in 0..4 {
            let id = pulls.next(state).expect("two wait");
            served.push(id.index());
            pulls.list(id, state(id));
        }
        assert_eq!(served, [0, 2, 0, 2]);
        // From now on none waits.
        let calm = |id: ConnectionId| if id.index() == 1 { Ahead } else { Enough };
        assert_eq!(pulls.next(calm).map(|id| id.index()), Some(1));
        assert_eq!(pulls.next(calm), None);
    }
}
