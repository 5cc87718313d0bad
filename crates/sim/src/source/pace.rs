//! Exact instants of equal packets sent back to back at a constant rate. A packet rarely takes a whole
//! number of ticks (1500 bytes at 7 Mbit/s don't), so the instants are computed from the count, not
//! by adding a rounded span: after any number of packets the error is below one tick.

use backwater_transport::units::{Bytes, PS_PER_S, Rate, Span};

/// Packets of one size at one rate.
#[derive(Copy, Clone, Debug)]
pub(super) struct Pace {
    bits_ps: u128,
    rate: u128,
}

impl Pace {
    /// Packets of at most 64 KiB, at a rate above zero.
    pub(super) fn new(packet: Bytes, rate: Rate) -> Pace {
        Pace {
            bits_ps: u128::from(packet.0) * 8 * u128::from(PS_PER_S),
            rate: u128::from(rate.0),
        }
    }

    /// The time that `count` packets take, rounded down; nothing when that's no `Span`.
    pub(super) fn time_for(&self, count: u64) -> Option<Span> {
        // At most 2^64 packets of 2^16 bytes: 2^64 · 2^19 · 2^40 < 2^128.
        u64::try_from(self.bits_ps * u128::from(count) / self.rate)
            .ok()
            .map(Span)
    }

    /// The same in seconds for one packet, for laws and checks.
    pub(super) fn seconds(&self) -> f64 {
        self.bits_ps as f64 / self.rate as f64 / PS_PER_S as f64
    }
}
