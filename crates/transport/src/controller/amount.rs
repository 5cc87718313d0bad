//! From floating-point windows to bytes and rates: never NaN, never zero, never beyond what any
//! path could hold.

use crate::units::{PS_PER_S, Rate, Span};

/// Greatest window in bytes: 10 Tbit/s for a tenth of a second, and far from overflow.
pub const MOST: f64 = 1e11;

/// A window in bytes between `least` and `MOST`.
pub fn window(bytes: f64, least: u64) -> u64 {
    // `max` returns the other operand for NaN.
    bytes.max(least as f64).min(MOST.max(least as f64)) as u64
}

/// The rate at which `bytes` leave in `span`; at least 1 bit/s, at most 10 Tbit/s.
pub fn rate(bytes: f64, span: Span) -> Rate {
    let bits = bytes * 8.0 * PS_PER_S as f64 / (span.0.max(1)) as f64;
    Rate(bits.clamp(1.0, 1e13) as u64)
}
