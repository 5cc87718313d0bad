//! When a link may send: instants, each of which is one opportunity. A trace is a file here and a row
//! of `TRACES`; `file` is the recorded one, the others are generators that need no file.

use backwater_transport::part::{Args, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{PS_PER_S, Rate, Span, Time};

use super::{adversarial, constant, cox, file, periodic, random_walk};

/// Opportunities in order of time.
pub trait Schedule {
    /// The next opportunity, never before the last one; none when the trace has ended. `size` is the
    /// number of bytes an opportunity carries, which turns a rate into instants.
    fn next(&mut self, size: u64, random: &mut Random) -> Option<Time>;
}

macro_rules! traces {
    ($($module:ident::$Name:ident),* $(,)?) => {
        /// Any trace. Each variant is described at the head of its file.
        #[derive(Clone, Debug)]
        pub enum AnyTrace {
            $(
                #[allow(missing_docs)]
                $Name($module::$Name),
            )*
        }

        impl Schedule for AnyTrace {
            fn next(&mut self, size: u64, random: &mut Random) -> Option<Time> {
                match self {
                    $(AnyTrace::$Name(trace) => trace.next(size, random),)*
                }
            }
        }

        /// Every trace a link can name.
        pub static TRACES: &[Part<Build>] = &[$($module::PART),*];
    };
}

/// How a trace is made from its checked options.
pub type Build = fn(&Args) -> Result<AnyTrace, Refusal>;

traces! {
    file::Recorded,
    constant::Constant,
    periodic::Periodic,
    random_walk::RandomWalk,
    cox::Cox,
    adversarial::Adversarial,
}

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
