//! The state of sources, for `skip`. Those are skipped whose demands come again and again at the same distance.

use backwater_transport::walk::Walk;

use super::AnySource;
use super::cbr::Cbr;
use super::periodic_on_off::{PeriodicOnOff, State};
use super::saturated::Saturated;

/// Draws at each packet.
const DRAWS: &str = "its source draws random numbers";

impl AnySource {
    /// The state of the source of the flow at `place`, which has begun or has not.
    pub(crate) fn walk(&mut self, walk: &mut Walk, place: &str, begun: bool) {
        match self {
            AnySource::Cbr(cbr) => cbr.walk(walk, place, begun),
            AnySource::PeriodicOnOff(on_off) => on_off.walk(walk, place, begun),
            AnySource::Saturated(Saturated { first, .. }) => walk.same(*first),
            AnySource::Replay(_) | AnySource::PacketList(_) | AnySource::VideoTrace(_) => {
                walk.unable(place, "its source follows a list");
            }
            _ => walk.unable(place, DRAWS),
        }
    }
}

impl Cbr {
    fn walk(&mut self, walk: &mut Walk, place: &str, begun: bool) {
        if self.jitter > 0.0 {
            walk.unable(place, DRAWS);
        }
        walk.same(self.carry.0);
        if let (Some(last), true) = (&mut self.last, begun) {
            walk.time(last);
        }
    }
}

impl PeriodicOnOff {
    fn walk(&mut self, walk: &mut Walk, place: &str, begun: bool) {
        if self.random_phase {
            walk.unable(place, DRAWS);
        }
        if let (Some(State { last, carry, end }), true) = (&mut self.state, begun) {
            walk.same(carry.0);
            walk.time(last);
            walk.time(end);
        }
    }
}
