//! Decimal numbers without rounding.

use super::{Dimension, absurd, negative, not_a_number, short};
use crate::diagnostic::Fault;

/// `digits × 10^exponent`.
pub struct Decimal {
    /// Its digits.
    pub digits: u128,
    /// Its power of ten.
    pub exponent: i32,
}

/// Why a product is not a whole number of ticks.
pub enum Scaling {
    /// It is finer than a tick.
    Fraction,
    /// It exceeds 128 bits.
    Overflow,
}

impl Decimal {
    /// The product with a factor, if it is whole.
    pub fn times(&self, factor: u128) -> Result<u128, Scaling> {
        if self.digits == 0 {
            return Ok(0);
        }
        let product = self.digits.checked_mul(factor).ok_or(Scaling::Overflow)?;
        let Some(power) = 10u128.checked_pow(self.exponent.unsigned_abs()) else {
            return Err(if self.exponent > 0 {
                Scaling::Overflow
            } else {
                Scaling::Fraction
            });
        };
        if self.exponent >= 0 {
            return product.checked_mul(power).ok_or(Scaling::Overflow);
        }
        if product % power == 0 {
            Ok(product / power)
        } else {
            Err(Scaling::Fraction)
        }
    }
}

/// Digits, at most one point, an optional exponent; trailing zeros don't count as precision.
pub fn decimal(number: &str, text: &str, dimension: &Dimension) -> Result<Decimal, Fault> {
    // 24 digits times the largest factor stay below 2^128.
    const MOST_DIGITS: usize = 24;
    if let Some(rest) = number.strip_prefix('-') {
        return Err(negative(rest, text, dimension));
    }
    let (mantissa, power) = match number.split_once(['e', 'E']) {
        None => (number, 0),
        Some((mantissa, power)) => {
            let digits = power.strip_prefix(['+', '-']).unwrap_or(power);
            if digits.is_empty() || digits.len() > 4 || !digits.bytes().all(|b| b.is_ascii_digit())
            {
                return Err(not_a_number(text, dimension));
            }
            (
                mantissa,
                power
                    .parse::<i32>()
                    .map_err(|_| not_a_number(text, dimension))?,
            )
        }
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let pointed = mantissa.contains('.');
    let all_digits = whole
        .bytes()
        .chain(fraction.bytes())
        .all(|b| b.is_ascii_digit());
    if whole.is_empty() || (pointed && fraction.is_empty()) || !all_digits {
        return Err(not_a_number(text, dimension));
    }
    let fraction = fraction.trim_end_matches('0');
    let joined = format!("{whole}{fraction}");
    let significant = joined.trim_start_matches('0');
    if significant.len() > MOST_DIGITS {
        return Err(if whole.trim_start_matches('0').len() > MOST_DIGITS {
            absurd(text, dimension)
        } else {
            Fault::new(
                format!(
                    "`{}` has more than {MOST_DIGITS} significant digits",
                    short(text)
                ),
                format!("round it, such as \"{}\"", dimension.example),
            )
        });
    }
    let places = i32::try_from(fraction.len()).map_err(|_| not_a_number(text, dimension))?;
    let digits = if significant.is_empty() {
        0
    } else {
        significant
            .parse()
            .map_err(|_| not_a_number(text, dimension))?
    };
    Ok(Decimal {
        digits,
        exponent: power - places,
    })
}
