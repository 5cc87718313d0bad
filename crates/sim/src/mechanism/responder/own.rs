//! How a station that forwards others' flows holds its own: an own flow that gets more than it may loses a tenth of
//! its rate in each period, and otherwise gets a twentieth back.

use backwater_transport::units::Rate;

use crate::ids::FlowId;
use crate::mechanism::notice::OwnFlow;

/// No own flow is held to less.
const LEAST: f64 = 100_000.0;

/// The rates to which own flows are held.
#[derive(Clone, Debug, Default)]
pub struct Shares(Vec<(FlowId, Rate)>);

impl Shares {
    /// The rate to which a flow is held from now on; none if it never was and need not be.
    pub fn adapt(&mut self, own: &OwnFlow) -> Option<Rate> {
        let at = self.0.iter().position(|(flow, _)| *flow == own.flow);
        let share = at.map(|at| self.0[at].1.0 as f64);
        let rate = if own.gets > own.allowed {
            (0.9 * share.unwrap_or(own.gets)).max(LEAST)
        } else {
            (1.05 * share?).min(own.offered.max(LEAST))
        };
        let rate = Rate(rate as u64);
        match at {
            Some(at) => self.0[at].1 = rate,
            None => self.0.push((own.flow, rate)),
        }
        Some(rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    /// A tenth less for each period above what it may get, a twentieth more for each below.
    #[test]
    fn a_flow_that_gets_too_much_loses_a_tenth_and_gets_a_twentieth_back() {
        let mut shares = Shares::default();
        let own = |offered, gets, allowed| OwnFlow {
            flow: Id::raw(9),
            offered,
            gets,
            allowed,
        };
        assert_eq!(shares.adapt(&own(4e6, 1e6, 2e6)), None);
        assert_eq!(shares.adapt(&own(4e6, 2e6, 1e6)), Some(Rate(1_800_000)));
        assert_eq!(shares.adapt(&own(4e6, 1.8e6, 1e6)), Some(Rate(1_620_000)));
        assert_eq!(shares.adapt(&own(4e6, 1e6, 1.1e6)), Some(Rate(1_701_000)));
        // No more than it sends, and never less than what keeps it alive.
        assert_eq!(shares.adapt(&own(1.2e6, 1e6, 1.1e6)), Some(Rate(1_200_000)));
        for _ in 0..50 {
            shares.adapt(&own(4e6, 1e6, 0.0));
        }
        assert_eq!(shares.adapt(&own(4e6, 1e6, 0.0)), Some(Rate(100_000)));
    }
}
