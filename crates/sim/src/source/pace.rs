//! Exact instants of equal packets sent back to back at a constant rate. A packet rarely takes a whole
//! number of ticks (1500 bytes at 7 Mbit/s don't), so what rounding leaves over is carried to the next
//! packet: after any number of packets the error is below one tick. A division for each packet would
//! say the same and cost more than all else a source does.

use backwater_transport::units::{Bytes, PS_PER_S, Rate, Span};
use backwater_transport::walk::Walk;

/// Packets of one size at one rate.
#[derive(Copy, Clone, Debug)]
pub(super) struct Pace {
    bits_ps: u128,
    rate: u64,
    /// Ticks of a packet, rounded down.
    whole: u64,
    /// The remainder, in ticks / rate.
    rest: u64,
}

/// The sum of the remainders of rounding, in ticks / rate.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Carry(u64);

impl Carry {
    pub(super) fn walk(&self, walk: &mut Walk) {
        walk.same(self.0);
    }
}

impl Pace {
    /// Packets of at most 64 KiB, at a rate above zero and at most 800 Gbit/s.
    pub(super) fn new(packet: Bytes, rate: Rate) -> Pace {
        let bits_ps = u128::from(packet.0) * 8 * u128::from(PS_PER_S);
        Pace {
            bits_ps,
            rate: rate.0,
            // At most 2^16 · 8 · 2^40 = 2^59.
            whole: (bits_ps / u128::from(rate.0)) as u64,
            rest: (bits_ps % u128::from(rate.0)) as u64,
        }
    }

    /// The time of a packet alone, rounded down.
    pub(super) fn first(&self) -> Span {
        Span(self.whole)
    }

    /// The time of the packet that follows those that have left `carry` over.
    pub(super) fn next(&self, carry: &mut Carry) -> Span {
        let left = carry.0 + self.rest;
        let tick = u64::from(left >= self.rate);
        carry.0 = left - tick * self.rate;
        Span(self.whole + tick)
    }

    /// The time of a packet in seconds, for laws and checks.
    pub(super) fn seconds(&self) -> f64 {
        self.bits_ps as f64 / self.rate as f64 / PS_PER_S as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_take_together_what_the_rate_says_rounded_once() {
        for (packet, rate) in [
            (1500, 7_000_000),
            (1500, 9_752_926),
            (1, 800_000_000_000),
            (65_535, 1),
            (64, 999_999_999_989),
        ] {
            let pace = Pace::new(Bytes(packet), Rate(rate));
            let (mut carry, mut sum) = (Carry::default(), 0u128);
            for n in 1..=5000u128 {
                sum += u128::from(pace.next(&mut carry).0);
                let exact = u128::from(packet) * 8 * n * u128::from(PS_PER_S) / u128::from(rate);
                assert_eq!(sum, exact, "{n} packets of {packet} B at {rate} bit/s");
            }
        }
    }
}
