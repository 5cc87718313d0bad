//! Time, rate and size as types. Time is counted in picoseconds, because a byte then takes a whole
//! number of ticks at every standard Ethernet rate up to 800 Gbit/s; 64 bits last 213 days.

use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use crate::product;

/// Picoseconds in one second.
pub const PS_PER_S: u64 = 1_000_000_000_000;

/// An instant: picoseconds since the run began.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

/// A length of time in picoseconds.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub u64);

/// A rate in bit/s.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(pub u64);

/// A size in bytes (octets).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

impl Time {
    /// The beginning of the run.
    pub const ZERO: Time = Time(0);
    /// An instant no run reaches.
    pub const NEVER: Time = Time(u64::MAX);

    /// Seconds since the run began.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / PS_PER_S as f64
    }

    /// The instant after a span; `NEVER` where that does not fit.
    pub fn after(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }

    /// The span since `earlier`, which must not be later.
    pub fn since(self, earlier: Time) -> Span {
        Span(self.0 - earlier.0)
    }
}

impl Span {
    /// No time.
    pub const ZERO: Span = Span(0);
    /// The longest span.
    pub const MAX: Span = Span(u64::MAX);

    /// Whole nanoseconds as a span.
    pub const fn nanos(n: u64) -> Span {
        Span(n * 1_000)
    }

    /// Whole microseconds as a span.
    pub const fn micros(n: u64) -> Span {
        Span(product::of(n, 1_000_000))
    }

    /// Whole milliseconds as a span.
    pub const fn millis(n: u64) -> Span {
        Span(n * 1_000_000_000)
    }

    /// Whole seconds as a span.
    pub const fn secs(n: u64) -> Span {
        Span(n * PS_PER_S)
    }

    /// The span in seconds.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / PS_PER_S as f64
    }

    /// So many of it; the longest span where that does not fit.
    pub fn times(self, n: u64) -> Span {
        Span(self.0.saturating_mul(n))
    }

    /// The nearest span to a number of seconds; half a tick rounds up. Negative and NaN give zero,
    /// so callers must have refused them; too long saturates.
    pub fn from_seconds(s: f64) -> Span {
        Span(libm::floor(s * PS_PER_S as f64 + 0.5) as u64)
    }
}

impl Rate {
    /// Time for `bytes` at this rate, rounded up to a whole picosecond (11 Mbit/s does not divide).
    ///
    /// # Panics
    /// When the rate is zero or the time does not fit 213 days.
    pub fn time_for(self, bytes: Bytes) -> Span {
        // Up to 2.3 MB fit 64 bits, whose division is several times as fast.
        if let Some(bits_ps) = product::checked(bytes.0, 8 * PS_PER_S) {
            return Span(bits_ps.div_ceil(self.0));
        }
        let bits_ps = u128::from(bytes.0) * 8 * u128::from(PS_PER_S);
        let span = bits_ps.div_ceil(u128::from(self.0));
        Span(u64::try_from(span).expect("a transmission shorter than 213 days"))
    }

    /// Time that pacing gives `bytes`, rounded down; a rate of zero counts as 1 bit/s.
    pub(crate) fn pace(self, bytes: u64) -> Span {
        Span((bytes as f64 * 8e12 / self.0.max(1) as f64) as u64)
    }

    /// Whole bytes that pass in `span`, rounded down.
    pub fn bytes_in(self, span: Span) -> Bytes {
        let bits = u128::from(self.0) * u128::from(span.0) / u128::from(PS_PER_S);
        Bytes(u64::try_from(bits / 8).expect("a byte count of 64 bits"))
    }
}

impl Add<Span> for Time {
    type Output = Time;
    fn add(self, s: Span) -> Time {
        Time(self.0 + s.0)
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, s: Span) {
        self.0 += s.0;
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, s: Span) -> Span {
        Span(self.0 + s.0)
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, s: Span) {
        self.0 += s.0;
    }
}

impl Sub for Span {
    type Output = Span;
    fn sub(self, s: Span) -> Span {
        Span(self.0 - s.0)
    }
}

impl SubAssign for Span {
    fn sub_assign(&mut self, s: Span) {
        self.0 -= s.0;
    }
}

impl Add for Bytes {
    type Output = Bytes;
    fn add(self, b: Bytes) -> Bytes {
        Bytes(self.0 + b.0)
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, b: Bytes) {
        self.0 += b.0;
    }
}

impl Sub for Bytes {
    type Output = Bytes;
    fn sub(self, b: Bytes) -> Bytes {
        Bytes(self.0 - b.0)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:012} s", self.0 / PS_PER_S, self.0 % PS_PER_S)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_a_whole_number_of_ticks_at_every_ethernet_rate() {
        for gbit_tenths in [1, 10, 25, 50, 100, 250, 400, 500, 1000, 2000, 4000, 8000] {
            let rate = Rate(gbit_tenths * 100_000_000);
            assert_eq!(rate.time_for(Bytes(1)).0 * rate.0, 8 * PS_PER_S, "{rate:?}");
        }
        assert_eq!(Rate(10_000_000).time_for(Bytes(1)), Span::nanos(800));
    }

    #[test]
    fn a_rate_that_does_not_divide_rounds_up() {
        // 8 bit / 11 Mbit/s = 727272.72… ps
        assert_eq!(Rate(11_000_000).time_for(Bytes(1)), Span(727_273));
    }

    #[test]
    fn the_longest_pause_fits() {
        // 65535 quanta of 512 bit at 10 Mbit/s: 3.355392 s
        let quanta = Rate(10_000_000).time_for(Bytes(65_535 * 64));
        assert_eq!(quanta, Span(3_355_392_000_000));
    }
}
