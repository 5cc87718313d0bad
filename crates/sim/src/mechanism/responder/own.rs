//! How a station that forwards others' flows holds its own. In each period an own flow that gets more than a forwarded one
//! loses a tenth of its rate, while there is cause for that. Otherwise it gets a twentieth back, until the flow gets less
//! than four fifths of what it may: something else limits it then, and the hold ends.
//!
//! The source doesn't say when there is cause. `congested`: while the station is congested; a hold ends at once when
//! nothing is forwarded. `forwarding`: also while it is not and the flow gets more than 1.1 times what a forwarded one
//! gets. So a forwarded flow is given way to that gets no share of the medium upstream, for which nothing at this station
//! tells; and own flows are held on an idle medium. When nothing is forwarded they get a twentieth back in each period,
//! so that a flow whose frames are lost upstream for a second can begin again.

use backwater_transport::part::{Args, Default, Kind, Opt};
use backwater_transport::units::Rate;

use crate::ids::FlowId;
use crate::mechanism::notice::OwnFlow;

/// No own flow is held to less.
const LEAST: f64 = 100_000.0;
/// An own flow may get so much more than a forwarded one where nothing is congested.
const EXCESS: f64 = 1.1;
/// A flow that uses less of its rate is limited by something else. A flow that its hold limits gets, over the last
/// second, no less than 0.88 of a rate that has grown by a twentieth four times.
const USED: f64 = 0.8;

/// The cause for which a hold lasts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum HoldWhile {
    /// The station is congested.
    Congested,
    /// It forwards.
    Forwarding,
}

/// Whether a relay holds its own flows.
pub(super) const OWN: Opt = Opt::new(
    "own",
    Kind::Flag,
    Default::Is("true"),
    "whether a relay holds its own flows to what each flow that it forwards gets",
);

/// When it does.
pub(super) const OWN_WHILE: Opt = Opt::new(
    "own_while",
    Kind::Choice(&["congested", "forwarding"]),
    Default::Is("congested"),
    "when a relay holds its own flows: while it is congested, or whenever it forwards others",
);

/// The rates to which own flows are held.
#[derive(Clone, Debug)]
pub struct Shares {
    cause: HoldWhile,
    rates: Vec<(FlowId, Rate)>,
}

/// The change of a hold.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// The flow goes no faster than this.
    To(Rate),
    /// It goes as fast as it likes.
    End,
}

impl Shares {
    /// No flow is held; what the options say of when one is, or none where own flows are not held.
    pub fn of(args: &Args) -> Option<Shares> {
        let cause = match args.choice("own_while") {
            "congested" => HoldWhile::Congested,
            _ => HoldWhile::Forwarding,
        };
        args.flag("own").then(|| Shares::held_while(cause))
    }

    fn held_while(cause: HoldWhile) -> Shares {
        Shares {
            cause,
            rates: Vec::new(),
        }
    }

    /// Whether a flow gets too much beside forwarded ones that leave with so much.
    fn exceeds(&self, own: &OwnFlow, forwarded: f64) -> bool {
        match self.cause {
            _ if own.congested => own.gets > forwarded,
            HoldWhile::Congested => false,
            HoldWhile::Forwarding => own.gets > EXCESS * forwarded,
        }
    }

    /// The change of a flow's hold, if any.
    pub fn adapt(&mut self, own: &OwnFlow) -> Option<Hold> {
        let at = self.rates.iter().position(|(flow, _)| *flow == own.flow);
        let held = at.map(|at| self.rates[at].1.0 as f64);
        let limits = held.is_some_and(|held| own.gets >= USED * held);
        let forwarding = self.cause == HoldWhile::Forwarding;
        let rate = match (own.forwarded, held) {
            (Some(forwarded), _) if self.exceeds(own, forwarded) => {
                (0.9 * held.unwrap_or(own.gets)).max(LEAST)
            }
            (_, None) => return None,
            (Some(_), Some(_)) if own.congested => return None,
            (forwarded, Some(held)) if limits && (forwarding || forwarded.is_some()) => 1.05 * held,
            (Some(_), Some(_)) if forwarding => return None,
            (_, Some(_)) => {
                self.rates.retain(|(flow, _)| *flow != own.flow);
                return Some(Hold::End);
            }
        };
        let rate = Rate(rate as u64);
        match at {
            Some(at) => self.rates[at].1 = rate,
            None => self.rates.push((own.flow, rate)),
        }
        Some(Hold::To(rate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    fn own(gets: f64, forwarded: f64, congested: bool) -> OwnFlow {
        OwnFlow {
            flow: Id::raw(9),
            gets,
            forwarded: Some(forwarded),
            congested,
        }
    }

    fn to(rate: u64) -> Option<Hold> {
        Some(Hold::To(Rate(rate)))
    }

    /// A tenth less for each period above what it may get, a twentieth more for each without a cause.
    #[test]
    fn a_flow_that_gets_too_much_loses_a_tenth_and_gets_a_twentieth_back() {
        let mut shares = Shares::held_while(HoldWhile::Congested);
        let mut adapt = |gets, forwarded, congested| shares.adapt(&own(gets, forwarded, congested));
        assert_eq!(adapt(1e6, 0.1e6, false), None);
        assert_eq!(adapt(1e6, 2e6, true), None);
        assert_eq!(adapt(2e6, 1e6, true), to(1_800_000));
        assert_eq!(adapt(1.8e6, 1e6, true), to(1_620_000));
        assert_eq!(adapt(0.9e6, 1e6, true), None);
        assert_eq!(adapt(1.6e6, 1e6, false), to(1_701_000));
        for _ in 0..50 {
            adapt(1e6, 0.0, true);
        }
        assert_eq!(adapt(1e6, 0.0, true), to(100_000));
    }

    /// Whoever holds whenever it forwards gives its own flow a twentieth back when it no longer does.
    #[test]
    fn a_hold_of_a_station_that_forwards_nothing_any_longer_ends_at_once_or_step_by_step() {
        let nothing = OwnFlow {
            forwarded: None,
            ..own(1e6, 0.0, false)
        };
        for (cause, expected) in [
            (HoldWhile::Congested, Some(Hold::End)),
            (HoldWhile::Forwarding, to(945_000)),
        ] {
            let mut shares = Shares::held_while(cause);
            shares.adapt(&own(1e6, 0.1e6, true));
            assert_eq!(shares.adapt(&nothing), expected, "{cause:?}");
        }
    }

    #[test]
    fn a_hold_ends_when_it_no_longer_limits_its_flow_or_nothing_is_forwarded() {
        let nothing = OwnFlow {
            forwarded: None,
            ..own(1e6, 0.0, true)
        };
        for end in [own(0.4e6, 0.1e6, false), nothing] {
            let mut shares = Shares::held_while(HoldWhile::Congested);
            shares.adapt(&own(1e6, 0.1e6, true));
            assert_eq!(shares.adapt(&end), Some(Hold::End));
            assert_eq!(shares.adapt(&end), None);
        }
    }

    /// A flow that gets 1.05 or 1.2 times what a forwarded one gets, at a station that is congested and one that is not.
    #[test]
    fn causes_of_a_hold() {
        for (cause, expected) in [
            (HoldWhile::Congested, [[true, true], [false, false]]),
            (HoldWhile::Forwarding, [[true, true], [false, true]]),
        ] {
            let held = [true, false].map(|congested| {
                [1.05e6, 1.2e6].map(|gets| {
                    let mut shares = Shares::held_while(cause);
                    shares.adapt(&own(gets, 1e6, congested)).is_some()
                })
            });
            assert_eq!(held, expected, "{cause:?}");
        }
    }

    /// A flow that gets exactly what it may is not held; one that uses exactly as much of its hold as counts has it raised.
    #[test]
    fn marks_that_are_met() {
        let mut shares = Shares::held_while(HoldWhile::Forwarding);
        assert_eq!(shares.adapt(&own(1e6, 1e6, true)), None);
        assert_eq!(shares.adapt(&own(EXCESS * 1e6, 1e6, false)), None);
        // 0.9 of 1 Mbit/s; it takes 0.8 of that.
        assert_eq!(shares.adapt(&own(1e6, 0.5e6, true)), to(900_000));
        let met = own(USED * 900_000.0, 1e6, false);
        assert_eq!(shares.adapt(&met), to(945_000));
    }
}
