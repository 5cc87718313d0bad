//! Long lists of whole numbers as a short text: the differences of neighbours, seven bits a byte, in base64. A list from
//! Python stands in the scenario in this form, so it counts in its hash and lies in every report that shows the scenario.

use crate::diagnostic::{Diagnostic, Fault, Origin};

/// How the text begins.
pub const PREFIX: &str = "delta:";

/// No list is longer.
const MOST: usize = 20_000_000;

/// JSON documents carry numbers as doubles in many readers, exact up to here.
pub const LARGEST: u64 = 1 << 53;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A list as a text.
pub fn pack(values: impl IntoIterator<Item = u64>) -> String {
    let values = values.into_iter();
    let (mut bytes, mut last) = (Vec::with_capacity(values.size_hint().0), 0_i64);
    for value in values {
        let difference = value as i64 - last;
        last = value as i64;
        // The sign in the lowest bit, so that a small difference is a small number.
        let mut rest = ((difference << 1) ^ (difference >> 63)) as u64;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    let mut text = String::with_capacity(PREFIX.len() + bytes.len().div_ceil(3) * 4);
    text.push_str(PREFIX);
    for group in bytes.chunks(3) {
        let whole = (0..3).fold(0_u32, |sum, i| {
            sum << 8 | u32::from(group.get(i).copied().unwrap_or(0))
        });
        for i in 0..4 {
            text.push(match i <= group.len() {
                true => char::from(ALPHABET[(whole >> (18 - 6 * i)) as usize & 63]),
                false => '=',
            });
        }
    }
    text
}

/// The list of a text.
///
/// # Errors
/// The text is not what `pack` writes.
pub fn unpack(text: &str) -> Result<Vec<u64>, Fault> {
    let wrong = |what: &str| {
        let what = format!("this packed list {what}");
        Fault::new(what, "write a list such as [0, 3, 3, 7], or pack it again")
    };
    let Some(body) = text.strip_prefix(PREFIX) else {
        return Err(wrong(&format!("does not begin with `{PREFIX}`")));
    };
    let mut values = Vec::new();
    let (mut last, mut number, mut shift) = (0_i64, 0_u64, 0_u32);
    for byte in bytes(body).ok_or_else(|| wrong("is not base64"))? {
        if shift > 56 {
            return Err(wrong("has a number beyond 2^53"));
        }
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 != 0 {
            continue;
        }
        let difference = (number >> 1) as i64 ^ -((number & 1) as i64);
        last = last.wrapping_add(difference);
        let Some(value) = u64::try_from(last).ok().filter(|v| *v <= LARGEST) else {
            return Err(wrong("has a number below 0 or beyond 2^53"));
        };
        values.push(value);
        if values.len() > MOST {
            return Err(wrong("has more than 20,000,000 numbers"));
        }
        (number, shift) = (0, 0);
    }
    match shift {
        0 => Ok(values),
        _ => Err(wrong("ends in the middle of a number")),
    }
}

/// The same where the text stands in no scenario.
///
/// # Errors
/// The text is not what `pack` writes.
pub fn unpacked(text: &str) -> Result<Vec<u64>, Diagnostic> {
    unpack(text).map_err(|fault| fault.at(&Origin::Set("a packed list".into())))
}

fn bytes(body: &str) -> Option<Vec<u8>> {
    let body = body.as_bytes();
    if !body.len().is_multiple_of(4) {
        return None;
    }
    let mut found = Vec::with_capacity(body.len() / 4 * 3);
    let groups = body.len() / 4;
    for (number, group) in body.chunks(4).enumerate() {
        let padding = group.iter().rev().take_while(|c| **c == b'=').count();
        if padding > 2 || (padding > 0 && number + 1 < groups) {
            return None;
        }
        let mut whole = 0_u32;
        for letter in &group[..4 - padding] {
            whole = whole << 6 | u32::from(value(*letter)?);
        }
        whole <<= 6 * padding;
        found.extend_from_slice(&whole.to_be_bytes()[1..4 - padding]);
    }
    Some(found)
}

fn value(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 0, 3, 3, 2 differ by 0, 3, 0, -1, which are 0, 6, 0, 1 with the sign in the lowest bit, and base64 of the bytes
    /// 00 06 00 01 is AAYAAQ==.
    #[test]
    fn a_list_is_packed_as_computed_by_hand() {
        assert_eq!(pack([0, 3, 3, 2]), "delta:AAYAAQ==");
        assert_eq!(unpack("delta:AAYAAQ==").unwrap(), [0, 3, 3, 2]);
        assert_eq!(unpack("delta:").unwrap(), [0_u64; 0]);
        for list in [
            vec![LARGEST, 0, LARGEST],
            vec![64, 127, 128, 1 << 40],
            vec![7],
        ] {
            assert_eq!(unpack(&pack(list.iter().copied())).unwrap(), list);
        }
    }

    #[test]
    fn what_is_no_packed_list_is_refused() {
        for (text, why) in [
            ("AAYAAQ==", "does not begin"),
            ("delta:AAYAAQ=", "not base64"),
            ("delta:AA=AAQ==", "not base64"),
            ("delta:A*YAAQ==", "not base64"),
            ("delta:AQ==", "below 0"),
            ("delta:gA==", "middle of a number"),
            ("delta://///////////w==", "beyond 2^53"),
        ] {
            let found = unpack(text).unwrap_err().what;
            assert!(found.contains(why), "{text}: {found}");
        }
    }
}
