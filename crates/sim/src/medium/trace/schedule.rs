//! When a link may send: instants, each of which is one opportunity. Files of traces know this one,
//! and not their list (`any_trace`).

use backwater_transport::random::Random;
use backwater_transport::units::{PS_PER_S, Rate, Span, Time};

/// Opportunities in order of time.
pub trait Schedule {
    /// The next opportunity, never before the last one; none when the trace has ended. `size` is the
    /// number of bytes an opportunity carries, which turns a rate into instants.
    fn next(&mut self, size: u64, random: &mut Random) -> Option<Time>;

    /// Whether its opportunities are random: another stream would give others.
    fn is_random(&self) -> bool {
        false
    }

    /// How many steps of its rate the next opportunity is away on average, which is what `next` costs.
    fn steps(&self, _size: u64) -> f64 {
        0.0
    }
}

/// Steps that opportunities of `size` bytes are apart on average at a mean rate in bit/s.
pub(super) fn steps_apart(size: u64, mean_bps: f64, step: Span) -> f64 {
    (8 * size) as f64 / mean_bps / step.seconds()
}

pub use backwater_transport::part::Build;

/// Instants of a rate that is constant for a while: the bits that have come together since the last
/// opportunity are kept, so that nothing is lost where the rate changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Integrator {
    /// Up to when the rate has been integrated.
    at: Time,
    /// Bits × ticks per second that have come together since the last opportunity.
    saved: u128,
}

impl Integrator {
    /// The next opportunity of `size` bytes if the rate is `rate` until `until`; none where it comes
    /// later, and then the integral stands at `until`.
    pub(super) fn next(&mut self, rate: Rate, until: Time, size: u64) -> Option<Time> {
        let whole = u128::from(size) * 8 * u128::from(PS_PER_S);
        let missing = whole.saturating_sub(self.saved);
        let span = u128::from(until.since(self.at).0);
        if rate.0 > 0 {
            let wait = missing.div_ceil(u128::from(rate.0));
            if wait <= span {
                self.at += Span(wait as u64);
                self.saved = self.saved + wait * u128::from(rate.0) - whole;
                return Some(self.at);
            }
        }
        self.saved += span * u128::from(rate.0);
        self.at = until;
        None
    }
}
