//! How a station that forwards others' flows holds its own: while it is congested, an own flow that gets more than a
//! forwarded one loses a tenth of its rate in each period. Otherwise it gets a twentieth back, until the flow gets less
//! than four fifths of what it may: something else limits it then, and the hold ends.

use backwater_transport::units::Rate;

use crate::ids::FlowId;
use crate::mechanism::notice::{OwnFlow, Share};

/// No own flow is held to less.
const LEAST: f64 = 100_000.0;
/// A flow that uses less of its rate is limited by something else. A flow that its hold limits gets, over the last
/// second, no less than 0.88 of a rate that has grown by a twentieth four times.
const USED: f64 = 0.8;

/// The rates to which own flows are held.
#[derive(Clone, Debug, Default)]
pub struct Shares(Vec<(FlowId, Rate)>);

/// What becomes of a hold.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// The flow goes no faster than this.
    To(Rate),
    /// It goes as fast as it likes.
    End,
}

impl Shares {
    /// What becomes of the hold of a flow; none if nothing.
    pub fn adapt(&mut self, own: &OwnFlow) -> Option<Hold> {
        let at = self.0.iter().position(|(flow, _)| *flow == own.flow);
        let held = at.map(|at| self.0[at].1.0 as f64);
        let rate = match (own.share, held) {
            (Share::AtMost(share), _) if own.gets > share => {
                (0.9 * held.unwrap_or(own.gets)).max(LEAST)
            }
            (Share::More, Some(held)) if own.gets >= USED * held => 1.05 * held,
            (Share::More | Share::Free, Some(_)) => {
                self.0.retain(|(flow, _)| *flow != own.flow);
                return Some(Hold::End);
            }
            (_, None) | (Share::AtMost(_), Some(_)) => return None,
        };
        let rate = Rate(rate as u64);
        match at {
            Some(at) => self.0[at].1 = rate,
            None => self.0.push((own.flow, rate)),
        }
        Some(Hold::To(rate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    fn own(gets: f64, share: Share) -> OwnFlow {
        OwnFlow {
            flow: Id::raw(9),
            gets,
            share,
        }
    }

    /// A tenth less for each period above what it may get, a twentieth more for each without congestion.
    #[test]
    fn a_flow_that_gets_too_much_loses_a_tenth_and_gets_a_twentieth_back() {
        let mut shares = Shares::default();
        let mut adapt = |gets, share| shares.adapt(&own(gets, share));
        let to = |rate| Some(Hold::To(Rate(rate)));
        assert_eq!(adapt(1e6, Share::More), None);
        assert_eq!(adapt(1e6, Share::AtMost(2e6)), None);
        assert_eq!(adapt(2e6, Share::AtMost(1e6)), to(1_800_000));
        assert_eq!(adapt(1.8e6, Share::AtMost(1e6)), to(1_620_000));
        assert_eq!(adapt(0.9e6, Share::AtMost(1e6)), None);
        assert_eq!(adapt(1.6e6, Share::More), to(1_701_000));
        for _ in 0..50 {
            adapt(1e6, Share::AtMost(0.0));
        }
        assert_eq!(adapt(1e6, Share::AtMost(0.0)), to(100_000));
    }

    #[test]
    fn a_hold_ends_when_it_no_longer_limits_its_flow_or_nothing_is_forwarded() {
        for end in [own(0.4e6, Share::More), own(1e6, Share::Free)] {
            let mut shares = Shares::default();
            shares.adapt(&own(1e6, Share::AtMost(0.1e6)));
            assert_eq!(shares.adapt(&end), Some(Hold::End));
            assert_eq!(shares.adapt(&end), None);
        }
    }
}
