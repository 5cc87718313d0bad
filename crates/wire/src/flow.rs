//! The messages of two ends of a flow in UDP datagrams, numbers in network byte order. The packets of data are as long as those
//! of the simulation: 24 B of a stream's header stand for TCP's 20 B with timestamps beyond UDP's own, 48 B for the contest's
//! numbers. An acknowledgement has 48 B and 8 B for each SACK block; a simulated stream's has 24 B, and 4 B more where there
//! are blocks.

use backwater_transport::congestion_header::CongestionHeader;
use backwater_transport::segment::{AckSegment, Feedback, SACK_BLOCKS, Segment};

use crate::flow_fields::{
    ACK, FIELDS, PS, Reader, flags_of, put_numbers, take_flags, take_numbers,
};

/// The bytes at the beginning of every message of the beginning and the end.
const MAGIC: &[u8; 7] = b"bwflow3";
/// Bytes before the payload of a stream's segment.
const HEADER: usize = 24;
/// Least bits of a number that has 40.
const FORTY: u64 = (1 << 40) - 1;
/// No flow's clock shows more when it begins, and no sender pauses for longer: an hour.
const HOUR_NS: u64 = 3_600_000_000_000;
/// Positions beyond it do not occur: at 1 Tbit/s a stream gets there in a year.
const FARTHEST: u64 = 1 << 61;

const DATA: u8 = 0;
const ACKS: u8 = 1;
const HELLO: u8 = 2;
const WELCOME: u8 = 3;
const REFUSED: u8 = 4;
const END: u8 = 5;
const ENDED: u8 = 6;
const COOKIE: u8 = 7;

const AGAIN: u8 = 0x10;
const CWR: u8 = 0x20;
const PUSH: u8 = 0x40;
const FEEDBACK: u8 = 0x80;

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Data.
    Data(Segment),
    /// An acknowledgement.
    Ack(AckSegment),
    /// The sender asks for a listening end.
    Hello(Hello),
    /// The listener asks for the question again, with this cookie.
    Cookie {
        /// That of the question.
        token: u64,
        /// The value by which the sender shows that answers reach it.
        cookie: u64,
    },
    /// The listener has one; `one_clock` if its clock is the sender's.
    Welcome {
        /// That of the question.
        token: u64,
        /// Both ends run on one machine.
        one_clock: bool,
    },
    /// The listener has none.
    Refused {
        /// That of the question.
        token: u64,
        /// Why.
        why: String,
    },
    /// The sender is done.
    End(u64),
    /// The counts of the listener, as JSON.
    Ended {
        /// That of the flow.
        token: u64,
        /// The summary.
        summary: String,
    },
}

/// How a flow begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Tells flows apart.
    pub token: u64,
    /// Nanoseconds of the system's clock at which the flow's own clock is zero.
    pub begun_ns: u64,
    /// The flow's clock as this leaves, in nanoseconds.
    pub now_ns: u64,
    /// Nanoseconds that the way here takes, as far as the sender knows: half a round trip.
    pub way_ns: u64,
    /// The value that the listener gave in answer to the question before.
    pub cookie: u64,
    /// Which machine, since its start.
    pub boot: [u8; 16],
    /// The fields of the flow.
    pub fields: String,
}

/// Writes a segment. `size` is the payload of the datagram: longer than what is said by the user's data.
pub fn write_data(segment: &Segment, size: usize, into: &mut Vec<u8>) {
    into.clear();
    let mut kind = DATA;
    for (flag, set) in [
        (AGAIN, segment.again),
        (CWR, segment.cwr),
        (PUSH, segment.push),
        (FEEDBACK, segment.feedback.is_some()),
    ] {
        kind |= if set { flag } else { 0 };
    }
    into.push(kind);
    into.extend(&segment.number.to_be_bytes()[3..]);
    into.extend((segment.len as u16).to_be_bytes());
    into.extend(segment.start.to_be_bytes());
    into.extend((segment.sent.0 / PS).to_be_bytes());
    if let Some(Feedback::Announce {
        next,
        discarded,
        position,
    }) = segment.feedback.as_deref()
    {
        for number in [next, discarded, position] {
            into.extend(number.to_be_bytes());
        }
    }
    into.resize(size.max(into.len()), 0);
}

/// Writes an acknowledgement.
pub fn write_ack(ack: &AckSegment, into: &mut Vec<u8>) {
    into.clear();
    into.push(ACKS | flags_of(ack) | if ack.feedback.is_some() { FEEDBACK } else { 0 });
    put_numbers(ack, into);
    into.push(ack.blocks.count() as u8);
    into.resize(ACK, 0);
    for (first, end) in ack.sack() {
        into.extend((first as u32).to_be_bytes());
        into.extend((end as u32).to_be_bytes());
    }
    match ack.feedback.as_deref() {
        Some(Feedback::Forecast {
            made,
            packets,
            settled,
        }) => {
            into.extend((made.0 / PS).to_be_bytes());
            into.extend(packets.iter().flat_map(|p| p.to_be_bytes()));
            into.extend(settled.to_be_bytes());
        }
        Some(Feedback::Congestion(CongestionHeader::Codepoints { ect1, ect0, ce })) => {
            into.extend([*ect1, *ect0, *ce].iter().flat_map(|n| n.to_be_bytes()));
        }
        _ => {}
    }
}

/// Writes a message.
pub fn write(message: &Message) -> Vec<u8> {
    let mut bytes = Vec::new();
    match message {
        Message::Data(segment) => write_data(segment, 0, &mut bytes),
        Message::Ack(ack) => write_ack(ack, &mut bytes),
        Message::Hello(hello) => {
            begin(HELLO, hello.token, &mut bytes);
            for number in [hello.begun_ns, hello.now_ns, hello.way_ns, hello.cookie] {
                bytes.extend(number.to_be_bytes());
            }
            bytes.extend(hello.boot);
            bytes.extend(hello.fields.as_bytes());
        }
        Message::Cookie { token, cookie } => {
            begin(COOKIE, *token, &mut bytes);
            bytes.extend(cookie.to_be_bytes());
        }
        Message::Welcome { token, one_clock } => {
            begin(WELCOME, *token, &mut bytes);
            bytes.push(u8::from(*one_clock));
        }
        Message::Refused { token, why } => {
            begin(REFUSED, *token, &mut bytes);
            bytes.extend(why.as_bytes());
        }
        Message::End(token) => begin(END, *token, &mut bytes),
        Message::Ended { token, summary } => {
            begin(ENDED, *token, &mut bytes);
            bytes.extend(summary.as_bytes());
        }
    }
    bytes
}

fn begin(kind: u8, token: u64, bytes: &mut Vec<u8>) {
    bytes.push(kind);
    bytes.extend(MAGIC);
    bytes.extend(token.to_be_bytes());
}

/// Reads a datagram; none for what is no message of this format.
pub fn read(bytes: &[u8]) -> Option<Message> {
    let mut from = Reader(bytes);
    let kind = from.number(1)? as u8;
    match kind & 0x0f {
        DATA => return read_data(kind, from).map(Message::Data),
        ACKS => return read_ack(kind, from).map(Message::Ack),
        _ => {}
    }
    if from.take(MAGIC.len())? != MAGIC {
        return None;
    }
    let token = from.number(8)?;
    match kind {
        HELLO => {
            let hello = Hello {
                token,
                begun_ns: from.number(8)?,
                now_ns: from.number(8)?,
                way_ns: from.number(8)?,
                cookie: from.number(8)?,
                boot: from.take(16)?.try_into().ok()?,
                fields: from.text(),
            };
            let sane = hello.now_ns <= HOUR_NS && hello.way_ns <= HOUR_NS;
            sane.then_some(Message::Hello(hello))
        }
        COOKIE => Some(Message::Cookie {
            token,
            cookie: from.number(8)?,
        }),
        WELCOME => Some(Message::Welcome {
            token,
            one_clock: from.number(1)? == 1,
        }),
        REFUSED => Some(Message::Refused {
            token,
            why: from.text(),
        }),
        END => Some(Message::End(token)),
        ENDED => Some(Message::Ended {
            token,
            summary: from.text(),
        }),
        _ => None,
    }
}

fn read_data(kind: u8, mut from: Reader<'_>) -> Option<Segment> {
    let mut segment = Segment {
        number: from.number(5)?,
        len: from.number(2)? as u32,
        start: from.number(8)?,
        sent: from.time()?,
        again: kind & AGAIN != 0,
        cwr: kind & CWR != 0,
        push: kind & PUSH != 0,
        ..Segment::default()
    };
    if kind & FEEDBACK != 0 {
        let (next, discarded, position) = (from.number(8)?, from.number(8)?, from.number(8)?);
        if next > HOUR_NS * PS || discarded >= FARTHEST || position >= FARTHEST {
            return None;
        }
        segment.feedback = Some(Box::new(Feedback::Announce {
            next,
            discarded,
            position,
        }));
    }
    (segment.start < FARTHEST && segment.len > 0).then_some(segment)
}

fn read_ack(kind: u8, mut from: Reader<'_>) -> Option<AckSegment> {
    let mut ack = AckSegment::default();
    take_flags(&mut ack, kind);
    take_numbers(&mut ack, &mut from)?;
    ack.ace %= 8;
    let blocks = from.number(1)? as usize;
    from.take(ACK - FIELDS)?;
    if blocks > SACK_BLOCKS || ack.upto >= FARTHEST {
        return None;
    }
    for _ in 0..blocks {
        let (first, end) = (from.number(4)?, from.number(4)?);
        ack.report(first, end);
    }
    if kind & FEEDBACK != 0 {
        ack.feedback = Some(Box::new(read_feedback(&mut from)?));
    }
    Some(ack)
}

/// Codepoints have 12 B, a forecast 32 B.
fn read_feedback(from: &mut Reader<'_>) -> Option<Feedback> {
    if from.0.len() < 32 {
        let mut bytes = || from.number(4).map(|n| n as u32);
        return Some(Feedback::Congestion(CongestionHeader::Codepoints {
            ect1: bytes()?,
            ect0: bytes()?,
            ce: bytes()?,
        }));
    }
    let made = from.time()?;
    let mut packets = [0; 8];
    for count in &mut packets {
        *count = from.number(2)? as u16;
    }
    Some(Feedback::Forecast {
        made,
        packets,
        settled: from.number(8)?,
    })
}

/// Whether a segment has a number and a length that the format can say.
pub fn fits(segment: &Segment) -> bool {
    segment.number <= FORTY && segment.len <= u32::from(u16::MAX)
}

/// Payload bytes of the datagram of a segment behind so many bytes of headers in the simulation.
pub fn size(simulated_header: u64, len: u32) -> usize {
    (simulated_header as usize - UDP_IP).max(HEADER) + len as usize
}

/// IPv4 and UDP headers.
pub const UDP_IP: usize = 28;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow_fields::Field;
    use backwater_transport::acknowledgement_fields;
    use backwater_transport::endpoint::Protocol;
    use backwater_transport::units::Time;

    fn segment() -> Segment {
        Segment {
            number: FORTY,
            start: 1 << 40,
            len: 1448,
            again: true,
            push: true,
            sent: Time(7_000),
            ..Segment::default()
        }
    }

    fn ack() -> AckSegment {
        let mut ack = AckSegment {
            upto: (1 << 33) + 5,
            number: 9,
            echo: Time(1_000_000),
            received: Time(2_000_000),
            ece: true,
            ce_bytes: 77,
            ace: 5,
            window: 1 << 30,
            ..AckSegment::default()
        };
        assert!(ack.report((1 << 33) + 100, (1 << 33) + 200));
        ack
    }

    #[test]
    fn what_is_written_is_read() {
        let announced = Segment {
            feedback: Some(Box::new(Feedback::Announce {
                next: 20_000_000_000,
                discarded: 5,
                position: 6,
            })),
            ..segment()
        };
        let forecast = AckSegment {
            feedback: Some(Box::new(Feedback::Forecast {
                made: Time(3_000),
                packets: [1, 2, 3, 4, 5, 6, 7, 800],
                settled: 12_345,
            })),
            ..ack()
        };
        let codepoints = AckSegment {
            feedback: Some(Box::new(Feedback::Congestion(
                CongestionHeader::Codepoints {
                    ect1: 1,
                    ect0: 2,
                    ce: 3,
                },
            ))),
            ..ack()
        };
        let hello = Hello {
            token: 1,
            begun_ns: 2,
            now_ns: 3,
            way_ns: 4,
            cookie: u64::MAX - 1,
            boot: [5; 16],
            fields: "{}".to_owned(),
        };
        for message in [
            Message::Data(segment()),
            Message::Data(announced),
            Message::Ack(ack()),
            Message::Ack(forecast),
            Message::Ack(codepoints),
            Message::Hello(hello),
            Message::Welcome {
                token: 1,
                one_clock: true,
            },
            Message::Refused {
                token: 1,
                why: "no".to_owned(),
            },
            Message::End(1),
            Message::Ended {
                token: 1,
                summary: "{}".to_owned(),
            },
        ] {
            assert_eq!(read(&write(&message)).as_ref(), Some(&message));
        }
    }

    macro_rules! each_field {
        (
            flags { $($(#[$about_flag:meta])* $flag:ident,)* }
            numbers { $($(#[$about:meta])* $number:ident: $type:ty,)* }
        ) => {
            [
                $(AckSegment { $flag: true, ..AckSegment::default() },)*
                $(AckSegment { $number: Field::of(5).expect("a small number"), ..AckSegment::default() },)*
            ]
        };
    }

    /// A field of the list comes through, whatever it is. Who adds one writes it there and nowhere else.
    #[test]
    fn each_field_of_an_acknowledgement_comes_through() {
        for ack in acknowledgement_fields!(each_field) {
            assert_ne!(ack, AckSegment::default());
            let message = Message::Ack(ack);
            assert_eq!(read(&write(&message)), Some(message));
        }
    }

    #[test]
    fn what_is_cut_or_not_ours_is_not_read() {
        for message in [
            Message::Data(segment()),
            Message::Ack(ack()),
            Message::End(1),
        ] {
            let whole = write(&message);
            for length in 0..whole.len() {
                assert_eq!(read(&whole[..length]), None, "{message:?} cut to {length}");
            }
        }
        assert_eq!(read(b"\x02another protocol, which is long enough"), None);
        let mut far = write(&Message::Data(segment()));
        far[8..16].fill(0xff);
        assert_eq!(read(&far), None);
    }

    #[test]
    fn packets_of_data_are_as_long_as_simulated_ones() {
        // A full segment in an IP packet of 1500 B.
        for protocol in [Protocol::Stream, Protocol::Datagram] {
            let header = protocol.row().header;
            let mss = 1500 - header as u32;
            assert_eq!(UDP_IP + size(header, mss), 1500);
        }
        let mut bytes = Vec::new();
        write_ack(&AckSegment::default(), &mut bytes);
        assert_eq!(
            (UDP_IP + bytes.len()) as u64,
            Protocol::Datagram.ack_bytes(0)
        );
    }
}
