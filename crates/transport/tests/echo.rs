//! The receiver's echo of congestion headers, with and without delayed acknowledgements.

use backwater_transport::congestion_header::CongestionHeader;
use backwater_transport::endpoint::{AnyReceiver, DelayedAck, Protocol, Receiver, ReceiverSetup};
use backwater_transport::segment::{AckSegment, Ecn, Feedback, Segment};
use backwater_transport::units::{Span, Time};

const LEN: u32 = 1000;

fn rate(rate: f64) -> CongestionHeader {
    CongestionHeader::Rate {
        rtt: Span::millis(100),
        rate,
    }
}

fn segment(n: u64, header: Option<CongestionHeader>) -> Segment {
    Segment {
        number: n,
        start: n * u64::from(LEN),
        len: LEN,
        feedback: header.map(|header| Box::new(Feedback::Congestion(header))),
        ..Segment::default()
    }
}

fn receiver(protocol: Protocol, codepoints: bool) -> AnyReceiver {
    let delayed = DelayedAck {
        segments: 2,
        timeout: Span::millis(40),
    };
    AnyReceiver::new(&ReceiverSetup {
        delayed_ack: (protocol == Protocol::Stream).then_some(delayed),
        codepoints,
        ..ReceiverSetup::new(protocol, u64::from(LEN))
    })
}

fn echo(ack: Option<AckSegment>) -> Option<CongestionHeader> {
    match ack?.feedback.as_deref() {
        Some(Feedback::Congestion(header)) => Some(*header),
        other => panic!("no echo but {other:?}"),
    }
}

/// An acknowledgement of two segments grants the less of both, and the one after knows nothing of them.
#[test]
fn a_delayed_acknowledgement_echoes_the_least_rate_since_the_last_one() {
    let mut receiver = receiver(Protocol::Stream, false);
    let mut hear = |n, granted| {
        let segment = segment(n, Some(rate(granted)));
        echo(receiver.on_segment(Time(n), &segment, Ecn::NotEct))
    };
    let echoes = [(0, 3e6), (1, 5e6), (2, 9e6), (3, 7e6)].map(|(n, granted)| hear(n, granted));
    assert_eq!(echoes, [None, Some(rate(3e6)), None, Some(rate(7e6))]);
}

/// An echo that waits for the timer is sent with it.
#[test]
fn the_timer_sends_the_echo_of_a_single_segment() {
    let mut receiver = receiver(Protocol::Stream, false);
    let lonely = segment(0, Some(rate(3e6)));
    assert!(receiver.on_segment(Time(0), &lonely, Ecn::NotEct).is_none());
    let due = receiver.due();
    assert_eq!(echo(receiver.on_timer(due)), Some(rate(3e6)));
}

#[test]
fn codepoints_are_reported_in_bytes() {
    let mut receiver = receiver(Protocol::Stream, true);
    let mut hear = |n, ecn| echo(receiver.on_segment(Time(n), &segment(n, None), ecn));
    assert_eq!(hear(0, Ecn::Ect1), None);
    let told = hear(1, Ecn::Ect0).expect("the second of two");
    let (ect1, ect0, ce) = (LEN, LEN, 0);
    assert_eq!(told, CongestionHeader::Codepoints { ect1, ect0, ce });
}

#[test]
fn each_datagram_is_echoed_alone() {
    let mut receiver = receiver(Protocol::Datagram, false);
    for (n, granted) in [(0, 3e6), (1, 5e6)] {
        let segment = segment(n, Some(rate(granted)));
        let told = echo(receiver.on_segment(Time(n), &segment, Ecn::NotEct));
        assert_eq!(told, Some(rate(granted)));
    }
}

#[test]
fn a_flow_without_a_header_has_no_echo() {
    let mut receiver = receiver(Protocol::Datagram, false);
    let ack = receiver.on_segment(Time(0), &segment(0, None), Ecn::Ce);
    assert_eq!(ack.expect("each is acknowledged").feedback, None);
}
