//! The fields of an acknowledgement in a datagram, made from their list in `acknowledgement_fields!`, and the reader of numbers.

use backwater_transport::acknowledgement_fields;
use backwater_transport::segment::AckSegment;
use backwater_transport::units::Time;

/// Picoseconds in a nanosecond.
pub(crate) const PS: u64 = 1000;

/// Reads numbers off a datagram.
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// An unsigned number of so many bytes.
    pub fn number(&mut self, bytes: usize) -> Option<u64> {
        let taken = self.take(bytes)?;
        Some(
            taken
                .iter()
                .fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
        )
    }

    /// An instant in nanoseconds.
    pub fn time(&mut self) -> Option<Time> {
        self.number(8)?.checked_mul(PS).map(Time)
    }

    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(std::mem::take(&mut self.0)).into_owned()
    }
}

/// A field of fixed length as a number.
pub(crate) trait Field: Copy {
    fn number(self) -> u64;
    fn of(number: u64) -> Option<Self>;
}

impl Field for u64 {
    fn number(self) -> u64 {
        self
    }
    fn of(number: u64) -> Option<u64> {
        Some(number)
    }
}

impl Field for u32 {
    fn number(self) -> u64 {
        u64::from(self)
    }
    fn of(number: u64) -> Option<u32> {
        u32::try_from(number).ok()
    }
}

impl Field for u8 {
    fn number(self) -> u64 {
        u64::from(self)
    }
    fn of(number: u64) -> Option<u8> {
        u8::try_from(number).ok()
    }
}

/// In nanoseconds.
impl Field for Time {
    fn number(self) -> u64 {
        self.0 / PS
    }
    fn of(number: u64) -> Option<Time> {
        number.checked_mul(PS).map(Time)
    }
}

/// Flags take the bits of the first byte between its kind and its last bit, numbers follow it; each in the order of the list.
macro_rules! in_a_datagram {
    (
        flags { $($(#[$about_flag:meta])* $flag:ident,)* }
        numbers { $($(#[$about:meta])* $number:ident: $type:ty,)* }
    ) => {
        const _: () = assert!([$(stringify!($flag)),*].len() <= 3, "a byte has no more bits");
        /// Bytes of the first byte, the numbers, and the count of blocks.
        pub(crate) const FIELDS: usize = 1 $(+ size_of::<$type>())* + 1;
        /// Bytes of an acknowledgement without blocks and feedback.
        pub(crate) const ACK: usize = FIELDS.next_multiple_of(8);

        pub(crate) fn flags_of(ack: &AckSegment) -> u8 {
            let flags = [$(ack.$flag),*].into_iter().enumerate();
            flags.fold(0, |byte, (place, set)| byte | u8::from(set) << (4 + place))
        }

        pub(crate) fn take_flags(ack: &mut AckSegment, kind: u8) {
            let flags = [$(&mut ack.$flag),*].into_iter().enumerate();
            flags.for_each(|(place, flag)| *flag = kind >> (4 + place) & 1 == 1);
        }

        pub(crate) fn put_numbers(ack: &AckSegment, into: &mut Vec<u8>) {
            $(into.extend(&ack.$number.number().to_be_bytes()[8 - size_of::<$type>()..]);)*
        }

        pub(crate) fn take_numbers(ack: &mut AckSegment, from: &mut Reader<'_>) -> Option<()> {
            $(ack.$number = Field::of(from.number(size_of::<$type>())?)?;)*
            Some(())
        }
    };
}

acknowledgement_fields!(in_a_datagram);
