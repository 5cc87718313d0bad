//! The bytes of a congestion header: an option of the IPv4 header, because routers rewrite it and look no
//! further than that header. TCP's options have no room for it beside timestamps and three SACK blocks.
//!
//! ```text
//! offset  bytes
//!      0      1  option type 158: experimental (RFC 4727), copied into fragments
//!      1      1  length
//!      2      1  layout: 1 change of throughput, 2 rate, 3 target rate, 4 target window
//!      3      1  bit 0: a link is congested (layout 3)
//!      4      4  round trip
//!      8      4  spacing of packets (1) or window of the sender (4); layouts 2 and 3 lack it
//!      .      4  forward feedback, in data
//!      .      4  reverse feedback, in acknowledgements
//! ```
//!
//! Fields are big-endian. Times are seconds with 28 bits after the binary point, windows packets with 8,
//! changes signed bytes/s, rates bytes/s. What does not fit takes the nearest value; all ones stand for no
//! limit. Layout and sizes of the first are those of draft-falk-xcp-spec-03 section 3.1. Schemes that use the
//! two ECN bits have no option.

use backwater_transport::congestion_header::CongestionHeader;
use backwater_transport::segment::Feedback;

use crate::tcp::Said;

const EXPERIMENTAL: u8 = 158;
/// 28 bits after the binary point.
const SECOND: f64 = 268_435_456.0;
/// 8 bits after the binary point.
const PACKET: f64 = 256.0;

/// The option of a packet; empty where it has no congestion header.
pub(crate) fn option(header: Said<'_>) -> Vec<u8> {
    let (feedback, echo) = match header {
        Said::Data(segment, _) => (&segment.feedback, false),
        Said::Ack(ack) => (&ack.feedback, true),
    };
    let Some(Feedback::Congestion(header)) = feedback.as_deref() else {
        return Vec::new();
    };
    let (layout, flags, fields) = match *header {
        CongestionHeader::Change {
            rtt,
            spacing,
            change,
        } => (
            1,
            0,
            vec![seconds(rtt.seconds()), seconds(spacing), signed(change)],
        ),
        CongestionHeader::Rate { rtt, rate } => (2, 0, vec![seconds(rtt.seconds()), whole(rate)]),
        CongestionHeader::Target {
            rtt,
            rate,
            congested,
        } => (
            3,
            u8::from(congested),
            vec![seconds(rtt.seconds()), whole(rate)],
        ),
        CongestionHeader::Window { rtt, cwnd, window } => (
            4,
            0,
            vec![
                seconds(rtt.seconds()),
                whole(cwnd * PACKET),
                whole(window * PACKET),
            ],
        ),
        CongestionHeader::Telemetry(_) | CongestionHeader::Codepoints { .. } => return Vec::new(),
    };
    let mut out = vec![EXPERIMENTAL, header.bytes() as u8, layout, flags];
    let (feedback, state) = fields.split_last().expect("each layout has feedback");
    let (forward, reverse) = if echo { (0, *feedback) } else { (*feedback, 0) };
    for field in state.iter().copied().chain([forward, reverse]) {
        out.extend_from_slice(&field.to_be_bytes());
    }
    debug_assert_eq!(out.len() as u64, header.bytes());
    out
}

fn seconds(s: f64) -> u32 {
    whole(s * SECOND)
}

/// Casts saturate, so that infinity is all ones.
fn whole(x: f64) -> u32 {
    x as u32
}

fn signed(x: f64) -> u32 {
    match x.is_finite() {
        true => x as i32 as u32,
        false => u32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use backwater_transport::segment::{AckSegment, Segment};
    use backwater_transport::units::{Span, Time};

    use super::*;

    fn data(header: CongestionHeader) -> Vec<u8> {
        let feedback = Some(Box::new(Feedback::Congestion(header)));
        let segment = Segment {
            feedback,
            ..Segment::default()
        };
        option(Said::Data(&segment, Time::ZERO))
    }

    fn ack(header: CongestionHeader) -> Vec<u8> {
        let feedback = Some(Box::new(Feedback::Congestion(header)));
        option(Said::Ack(&AckSegment {
            feedback,
            ..AckSegment::default()
        }))
    }

    /// By hand: 0.5 s is 2^27; 1/256 s is 2^20; -2 is all ones but the last bit.
    #[test]
    fn a_change_goes_forward_in_data_and_back_in_acknowledgements() {
        let header = CongestionHeader::Change {
            rtt: Span::millis(500),
            spacing: 1.0 / 256.0,
            change: -2.0,
        };
        let state = [158, 20, 1, 0, 8, 0, 0, 0, 0, 0x10, 0, 0];
        let (minus_two, zero) = ([0xFF, 0xFF, 0xFF, 0xFE], [0; 4]);
        let expected = [&state[..], &minus_two, &zero].concat();
        assert_eq!(data(header), expected);
        let expected = [&state[..], &zero, &minus_two].concat();
        assert_eq!(ack(header), expected);
    }

    #[test]
    fn the_other_layouts_by_hand() {
        let rtt = Span::secs(1);
        let unlimited = CongestionHeader::Rate {
            rtt,
            rate: f64::INFINITY,
        };
        let expected = [158, 16, 2, 0, 16, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0];
        assert_eq!(data(unlimited), expected);
        let target = CongestionHeader::Target {
            rtt,
            rate: 258.0,
            congested: true,
        };
        let expected = [158, 16, 3, 1, 16, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0];
        assert_eq!(data(target), expected);
        let window = CongestionHeader::Window {
            rtt,
            cwnd: 3.5,
            window: 10.0,
        };
        let expected = [
            158, 20, 4, 0, 16, 0, 0, 0, 0, 0, 3, 128, 0, 0, 0, 0, 0, 0, 10, 0,
        ];
        assert_eq!(ack(window), expected);
        let (ect1, ect0, ce) = (1, 0, 0);
        let none = CongestionHeader::Codepoints { ect1, ect0, ce };
        assert!(ack(none).is_empty());
    }
}
