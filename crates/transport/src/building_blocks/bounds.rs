//! Converts floating-point windows to bytes and rates. The results are never NaN, never zero and
//! bounded.

use crate::part::{Default, Kind, Opt, Refusal};
use crate::units::{PS_PER_S, Rate, Span};

/// Greatest window in bytes: 10 Tbit/s for a tenth of a second, and far from overflow.
pub const MAX_WINDOW: f64 = 1e11;

/// A window in bytes between `least` and `MOST`.
pub fn window(bytes: f64, least: u64) -> u64 {
    // `max` returns the other operand for NaN.
    bytes.max(least as f64).min(MAX_WINDOW.max(least as f64)) as u64
}

/// The rate at which `bytes` leave in `span`; at least 1 bit/s, at most 10 Tbit/s.
pub fn rate(bytes: f64, span: Span) -> Rate {
    let bits = bytes * 8.0 * PS_PER_S as f64 / (span.0.max(1)) as f64;
    Rate(bits.clamp(1.0, 1e13) as u64)
}

/// First window of the report's rules.
pub(crate) const fn first_window(default: &'static str) -> Opt {
    Opt::new(
        "initial",
        Kind::Packets,
        Default::Is(default),
        "first window",
    )
    .at_least("1 packets")
    .at_most("1000000 packets")
}

/// A greatest window in segments. It is refused if it is below the least window.
pub(crate) fn cap(cap: f64, least: f64) -> Result<f64, Refusal> {
    if cap >= least {
        return Ok(cap);
    }
    Err(Refusal {
        option: "cap",
        what: format!("lies below the least window of {least} packets"),
        fix: format!("write cap = \"{least} packets\" or more, or lower the least window"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_below_the_least_window_is_refused_and_one_at_it_is_not() {
        assert_eq!(cap(3.0, 3.0), Ok(3.0));
        assert_eq!(cap(2.0, 3.0).unwrap_err().option, "cap");
    }

    /// 10^11 bytes, but for a least window above them; nothing that is no number.
    #[test]
    fn a_window_lies_between_its_bounds() {
        for (bytes, least, expected) in [
            (0.5, 1_000, 1_000),
            (1_000.9, 1_000, 1_000),
            (9.9e10, 1_000, 99_000_000_000),
            (1.1e11, 1_000, 100_000_000_000),
            (1e15, 200_000_000_000, 200_000_000_000),
            (f64::INFINITY, 1_000, 100_000_000_000),
            (f64::NAN, 1_000, 1_000),
        ] {
            assert_eq!(window(bytes, least), expected, "{bytes} {least}");
        }
    }

    /// Eight bits a byte: 1 kB in a millisecond are 8 Mbit/s. At least 1 bit/s, at most 10 Tbit/s, and no time is the least there is.
    #[test]
    fn a_rate_lies_between_its_bounds() {
        for (bytes, span, expected) in [
            (1_000.0, Span::millis(1), 8_000_000),
            (0.5, Span::secs(1), 4),
            (0.01, Span::secs(1), 1),
            (1.24e12, Span::secs(1), 9_920_000_000_000),
            (2e12, Span::secs(1), 10_000_000_000_000),
            (0.5, Span::ZERO, 4_000_000_000_000),
        ] {
            assert_eq!(rate(bytes, span), Rate(expected), "{bytes} {span:?}");
        }
    }
}
