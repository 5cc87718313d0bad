//! What all readers of trace files share: a fault that names its place, lines of text, and exact
//! decimal numbers. Readers see the file's content in memory, and what they keep is no more than a
//! constant times as large: nothing in a file is believed before it has been checked against it.

use std::fmt;

use backwater_transport::part::{File, Refusal};

/// No line of a text trace is longer, in bytes.
const LINE: usize = 1000;

/// What is wrong with a trace, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    place: Place,
    what: String,
}

/// Where in a trace. Lines, packets and blocks are counted from one, bytes from zero.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The file.
    Whole,
    /// A line of text.
    Line(usize),
    /// A packet of a pcap file and where its record begins.
    Packet(u64, usize),
    /// A block of a pcapng file and where it begins.
    Block(u64, usize),
}

impl Place {
    /// A fault here.
    pub(crate) fn fault(self, what: impl Into<String>) -> Fault {
        Fault {
            place: self,
            what: what.into(),
        }
    }
}

impl Fault {
    /// What is wrong, without its place.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// The line of text, counted from one.
    pub fn line(&self) -> Option<usize> {
        match self.place {
            Place::Line(line) => Some(line),
            Place::Whole | Place::Packet(..) | Place::Block(..) => None,
        }
    }

    /// As the refusal of an option that names a file.
    pub(crate) fn refusal(&self, option: &'static str, file: &File, fix: &str) -> Refusal {
        Refusal {
            option,
            what: format!("{}{}: {}", file.path, self.place, self.what),
            fix: fix.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Whole => f.write_str(&self.what),
            place => write!(f, "{}: {}", &place.to_string()[2..], self.what),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Whole => Ok(()),
            Place::Line(n) => write!(f, ", line {n}"),
            Place::Packet(n, byte) => write!(f, ", packet {n} at byte {byte}"),
            Place::Block(n, byte) => write!(f, ", block {n} at byte {byte}"),
        }
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
