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

    /// How many opportunities of `size` bytes come up to and including `end`, from the beginning; none where only drawing them tells.
    fn up_to(&self, _size: u64, _end: Time) -> Option<u64> {
        None
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
    /// What one opportunity takes at the last rate.
    pace: Pace,
}

/// An opportunity of `size` bytes at a rate takes `ticks` whole ticks and `rest / rate` of one.
#[derive(Copy, Clone, Debug, Default)]
struct Pace {
    rate: Rate,
    size: u64,
    ticks: u64,
    rest: u64,
}

impl Pace {
    /// None where the rate is nought or the ticks do not fit.
    fn of(rate: Rate, size: u64) -> Option<Pace> {
        let by = u128::from(rate.0);
        let whole = whole(size);
        Some(Pace {
            rate,
            size,
            ticks: u64::try_from(whole.checked_div(by)?).ok()?,
            rest: (whole % by) as u64,
        })
    }
}

/// An opportunity in bits × ticks per second.
fn whole(size: u64) -> u128 {
    u128::from(size) * 8 * u128::from(PS_PER_S)
}

/// How many opportunities of `size` bytes a constant rate has brought up to and including `end`: the n-th comes at ⌈8 n size / rate⌉.
pub(super) fn brought(rate: Rate, size: u64, end: Time) -> u64 {
    (u128::from(end.0) * u128::from(rate.0) / whole(size)) as u64
}

impl Integrator {
    /// The next opportunity of `size` bytes if the rate is `rate` until `until`; none where it comes
    /// later, and then the integral stands at `until`.
    pub(super) fn next(&mut self, rate: Rate, until: Time, size: u64) -> Option<Time> {
        if (self.pace.rate, self.pace.size) != (rate, size) {
            self.pace = Pace::of(rate, size).unwrap_or_default();
        }
        // Where less than a tick is saved, the wait is one of two numbers of ticks, without a division.
        let known = self.pace.rate == rate && self.saved < u128::from(rate.0);
        if known {
            let (saved, pace) = (self.saved as u64, self.pace);
            let more = pace.rest > saved;
            let wait = pace.ticks + u64::from(more);
            if wait <= until.since(self.at).0 {
                self.at += Span(wait);
                let left = saved.wrapping_sub(pace.rest);
                self.saved = u128::from(if more {
                    left.wrapping_add(rate.0)
                } else {
                    left
                });
                return Some(self.at);
            }
        }
        self.divided(rate, until, size)
    }

    /// The same with a division.
    fn divided(&mut self, rate: Rate, until: Time, size: u64) -> Option<Time> {
        let whole = whole(size);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The n-th opportunity comes when n times its bits have come together: ⌈8 n size / rate⌉ in ticks.
    #[test]
    fn opportunities_of_a_constant_rate_come_when_their_bits_have_come_together() {
        for rate in [1, 7, 999_999_937, 48_000_000, 1_000_000_000, u64::MAX] {
            let mut integral = Integrator::default();
            for n in 1..=1000u128 {
                let size = if rate == 1 { 1 } else { 1504 };
                let due = (n * 8 * size * u128::from(PS_PER_S)).div_ceil(u128::from(rate));
                let Ok(due) = u64::try_from(due) else { break };
                let got = integral.next(Rate(rate), Time::NEVER, size as u64);
                assert_eq!(got, Some(Time(due)), "{n} at {rate} bit/s");
            }
        }
    }

    /// Rates and sizes change, also to nought and to rates below what is saved. The n-th opportunity is the first tick at
    /// which the integral of the rate has reached all bits up to it.
    #[test]
    fn nothing_is_lost_where_the_rate_changes() {
        let rates = [3_000_000, 7, 999_983, 0, 50_000_000, 1, 250_000];
        let sizes = [1500u64, 1, 64];
        let step = Span(777_777_777_777);
        let (mut integral, mut due, mut n) = (Integrator::default(), 0u128, 0);
        let mut passed = 0u128;
        for (i, rate) in rates.into_iter().cycle().take(28).enumerate() {
            let (from, until) = (step.0 * i as u64, Time(step.0 * (i as u64 + 1)));
            loop {
                let size = sizes[n % 3];
                let target = due + u128::from(size) * 8 * u128::from(PS_PER_S);
                let missing = target.saturating_sub(passed);
                let wait = missing
                    .checked_div(u128::from(rate))
                    .map(|whole| whole + u128::from(!missing.is_multiple_of(u128::from(rate))));
                let expected = wait
                    .filter(|wait| *wait <= u128::from(step.0))
                    .map(|wait| Time(from).after(Span(wait as u64)));
                let got = integral.next(Rate(rate), until, size);
                // What is due at once comes at once, where the last one came.
                let last = got.is_some_and(|at| Some(at) == expected || missing == 0);
                assert!(
                    last || got.is_none() && expected.is_none(),
                    "{n}: {got:?} {expected:?}"
                );
                if got.is_none() {
                    break;
                }
                (due, n) = (target, n + 1);
            }
            passed += u128::from(rate) * u128::from(step.0);
        }
        assert!(n > 1000);
    }
}
