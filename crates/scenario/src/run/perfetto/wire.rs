//! The wire format of protocol buffers, as far as traces need it, and the numbers of the fields of
//! `perfetto/trace/trace_packet.proto` and `track_event/*.proto` that are written.

/// Fields of a trace and its packets.
pub mod packet {
    pub const TRACE: u32 = 1;
    pub const TIMESTAMP: u32 = 8;
    pub const SEQUENCE: u32 = 10;
    pub const EVENT: u32 = 11;
    pub const INTERNED: u32 = 12;
    pub const FLAGS: u32 = 13;
    pub const DESCRIPTOR: u32 = 60;
}

/// Fields of an event on a track.
pub mod event {
    pub const ANNOTATION: u32 = 4;
    pub const KIND: u32 = 9;
    pub const NAME: u32 = 10;
    pub const TRACK: u32 = 11;
    pub const TEXT: u32 = 23;
    pub const COUNTER: u32 = 30;
    pub const FLOW: u32 = 47;
}

/// Fields of a track.
pub mod track {
    pub const ID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const PARENT: u32 = 5;
    pub const COUNTER: u32 = 8;
    pub const COUNTER_UNIT: u32 = 6;
}

/// Fields of names that are written once.
pub mod interned {
    pub const EVENT_NAME: u32 = 2;
    pub const ANNOTATION_NAME: u32 = 3;
    pub const ID: u32 = 1;
    pub const NAME: u32 = 2;
}

/// Fields of an annotation.
pub mod annotation {
    pub const NAME: u32 = 1;
    pub const WHOLE: u32 = 3;
    pub const TEXT: u32 = 6;
}

const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const BYTES: u32 = 2;

#[inline]
pub fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[inline]
pub fn whole(out: &mut Vec<u8>, field: u32, value: u64) {
    varint(out, u64::from(field << 3 | VARINT));
    varint(out, value);
}

#[inline]
pub fn fixed(out: &mut Vec<u8>, field: u32, value: u64) {
    varint(out, u64::from(field << 3 | FIXED64));
    out.extend_from_slice(&value.to_le_bytes());
}

#[inline]
pub fn bytes(out: &mut Vec<u8>, field: u32, value: &[u8]) {
    varint(out, u64::from(field << 3 | BYTES));
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the encoding's documentation: 150 in field 1 is 08 96 01, "testing" in field 2 begins with
    /// 12 07.
    #[test]
    fn numbers_and_texts_are_encoded_as_documented() {
        let mut out = Vec::new();
        whole(&mut out, 1, 150);
        assert_eq!(out, [0x08, 0x96, 0x01]);
        out.clear();
        bytes(&mut out, 2, b"testing");
        assert_eq!(out[..2], [0x12, 0x07]);
        out.clear();
        fixed(&mut out, 1, 1);
        assert_eq!(out, [0x09, 1, 0, 0, 0, 0, 0, 0, 0]);
    }
}
