//! The state of a receiver, for runs that skip: what decides later answers is compared, and what only grows is not.

use backwater_transport::endpoint::{AnyReceiver, DelayedAck, Protocol, Receiver, ReceiverSetup};
use backwater_transport::segment::{Ecn, Segment};
use backwater_transport::units::{Span, Time};
use backwater_transport::walk::{Base, Walk};

use crate::MSS;

/// A receiver after segments of these places, a microsecond apart, the last at 120 us.
fn after(setup: &ReceiverSetup, places: &[u64]) -> AnyReceiver {
    let mut receiver = AnyReceiver::new(setup);
    let first = 121 - places.len() as u64;
    for (at, place) in (first..).zip(places) {
        let segment = Segment {
            number: *place,
            start: place * MSS,
            len: MSS as u32,
            sent: Time(1_000_000),
            ..Segment::default()
        };
        receiver.on_segment(Time(at * 1_000_000), &segment, Ecn::NotEct);
    }
    receiver
}

/// The state at 120 us, where the sender has sent so many segments.
fn state(receiver: &AnyReceiver, sent: u64) -> Vec<u64> {
    let mut walk = Walk::look(Time(120_000_000));
    let base = Base {
        number: sent,
        byte: sent * MSS,
        upto: sent * MSS,
        ..Base::default()
    };
    receiver.clone().walk(&mut walk, "flow", &base);
    walk.seen().expect("all is visited").state
}

/// Which of the numbers behind the newest have come decides whether another is a duplicate. A flow that is 100 packets further is in the
/// same state.
#[test]
fn a_receiver_of_datagrams_knows_which_came() {
    let setup = ReceiverSetup::new(Protocol::Datagram, MSS);
    let all: Vec<u64> = (0..70).collect();
    let usual = state(&after(&setup, &all), 80);
    let without: Vec<u64> = all.iter().copied().filter(|n| *n != 30).collect();
    assert_ne!(state(&after(&setup, &without), 80), usual);
    // What lies 64 behind is known no more.
    let forgotten: Vec<u64> = all.iter().copied().filter(|n| *n != 5).collect();
    assert_eq!(state(&after(&setup, &forgotten), 80), usual);
    let further: Vec<u64> = (100..170).collect();
    assert_eq!(state(&after(&setup, &further), 180), usual);
    assert_ne!(state(&after(&setup, &further), 181), usual);
}

/// How many segments wait, the timer, the delay that holds, and what was acknowledged last.
#[test]
fn a_receiver_of_a_stream_knows_what_waits() {
    let setup = |segments, us| {
        let mut setup = ReceiverSetup::new(Protocol::Stream, MSS);
        let timeout = Span::micros(us);
        setup.delayed_ack = Some(DelayedAck { segments, timeout });
        setup
    };
    let usual = after(&setup(4, 500), &[0, 1]);
    let of = |receiver: &AnyReceiver| state(receiver, 10);
    assert_eq!(of(&usual), of(&usual.clone()));
    // Three wait; two, whose timer began later; and none, after the timer.
    let mut later = AnyReceiver::clone(&usual);
    later.on_timer(later.due());
    for (what, other) in [
        ("three wait", after(&setup(4, 500), &[0, 1, 2])),
        ("another timer", after(&setup(4, 501), &[0, 1])),
        ("another count", after(&setup(5, 500), &[0, 1])),
        ("none waits", later),
        ("a gap", after(&setup(4, 500), &[0, 1, 3])),
    ] {
        assert_ne!(of(&other), of(&usual), "{what}");
    }
    // The first of the two came earlier.
    let mut early = AnyReceiver::new(&setup(4, 500));
    for (place, us) in [(0, 100), (1, 120)] {
        let segment = Segment {
            number: place,
            start: place * MSS,
            len: MSS as u32,
            sent: Time(1_000_000),
            ..Segment::default()
        };
        early.on_segment(Time(us * 1_000_000), &segment, Ecn::NotEct);
    }
    assert_ne!(of(&early), of(&usual), "the timer began earlier");
    // The delay that holds from the next segment on.
    for (segments, us) in [(5, 500), (4, 501)] {
        let mut other = usual.clone();
        let timeout = Span::micros(us);
        other.delay_acks(Some(DelayedAck { segments, timeout }));
        assert_ne!(of(&other), of(&usual));
    }
    assert_ne!(state(&usual, 11), state(&usual, 10));
}
