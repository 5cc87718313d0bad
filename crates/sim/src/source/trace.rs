//! Code that all readers of trace files share: a fault that names its place, lines of text, and exact
//! decimal numbers. Readers see the file's content in memory, and what they keep is no more than a
//! constant times as large: nothing in a file is believed before it has been checked against it.

use backwater_transport::part::{File, Refusal};
pub use backwater_wire::fault::{Fault, Place};

/// No line of a text trace is longer, in bytes.
const LINE: usize = 1000;

/// A fault as the refusal of an option that names a file.
pub(crate) fn refusal(fault: &Fault, option: &'static str, file: &File, fix: &str) -> Refusal {
    Refusal {
        option,
        what: format!("{}{}: {}", file.path, fault.place(), fault.what()),
        fix: fix.into(),
    }
}

/// Lines that say something, trimmed, with their place; empty lines and lines that begin with `#` are
/// left out, as is a byte order mark. A line that can't be text is a fault.
pub(super) fn lines(content: &[u8]) -> impl Iterator<Item = Result<(Place, &str), Fault>> {
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    let numbered = content.split(|byte| *byte == b'\n').enumerate();
    numbered.filter_map(|(index, line)| {
        let place = Place::Line(index + 1);
        if line.len() > LINE {
            let what = format!(
                "the line has {} bytes; no line has more than {LINE}",
                line.len()
            );
            return Some(Err(place.fault(what)));
        }
        match str::from_utf8(line).map(str::trim) {
            Ok("") => None,
            Ok(text) if text.starts_with('#') => None,
            Ok(text) => Some(Ok((place, text))),
            Err(_) => Some(Err(place.fault("the line isn't text in UTF-8"))),
        }
    })
}

/// Text of a file as it may stand in a message: short, in quotes, without control characters.
pub(crate) fn quote(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("{short:?}")
}

/// A decimal number that isn't negative, exact: digits · 10^exponent.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: u128,
    exponent: i32,
}

impl Decimal {
    /// From `12`, `12.5`, `1e-05`, or why not.
    pub(super) fn parse(text: &str) -> Result<Decimal, String> {
        let stray = || format!("{} is not a number", quote(text));
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, power) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, power)) => (mantissa, power.parse::<i16>().map_err(|_| stray())?),
            None => (unsigned, 0),
        };
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && part.is_empty() {
            return Err(stray());
        }
        let mut digits = 0_u128;
        for byte in whole.bytes().chain(part.bytes()) {
            if !byte.is_ascii_digit() {
                return Err(stray());
            }
            if digits >= 10_u128.pow(35) {
                return Err(format!("{} has more than 36 digits", quote(text)));
            }
            digits = digits * 10 + u128::from(byte - b'0');
        }
        if negative && digits > 0 {
            return Err(format!("{} is negative", quote(text)));
        }
        // A line has less than 2^15 bytes, so neither term comes near the limits of an i32.
        Ok(Decimal {
            digits,
            exponent: i32::from(power) - part.len() as i32,
        })
    }

    /// The number times 10^power, to the nearest integer, if that fits.
    pub(super) fn scaled(self, power: i32) -> Option<u128> {
        let exponent = self.exponent + power;
        let tens = 10_u128.checked_pow(exponent.unsigned_abs());
        match (exponent >= 0, tens) {
            (true, Some(tens)) => self.digits.checked_mul(tens),
            (true, None) => (self.digits == 0).then_some(0),
            (false, Some(tens)) => Some((self.digits + tens / 2) / tens),
            (false, None) => Some(0),
        }
    }

    /// The number times `factor`, if that's an integer and fits.
    pub(super) fn whole(self, factor: u64) -> Option<u64> {
        let digits = self.digits.checked_mul(u128::from(factor))?;
        if digits == 0 {
            return Some(0);
        }
        let tens = 10_u128.checked_pow(self.exponent.unsigned_abs())?;
        let value = if self.exponent >= 0 {
            digits.checked_mul(tens)?
        } else if digits.is_multiple_of(tens) {
            digits / tens
        } else {
            return None;
        };
        u64::try_from(value).ok()
    }
}
