//! Two histories of a connection that end alike but for one number: their states differ, or what one of them lived through would be skipped
//! as if it were the other.

use backwater_transport::controller::Reduction;
use backwater_transport::endpoint::{
    AnyReceiver, DelayedAck, EcnFeedback, Protocol, Receiver, ReceiverSetup, Recovery, Sender,
    SenderSetup,
};
use backwater_transport::segment::{Ecn, Segment};
use backwater_transport::units::{Span, Time};
use backwater_transport::walk::{Base, OnTheWay, Walk};

use crate::MSS;
use crate::recorder::Recorder;
use crate::stream::{Script, ms};

/// A sender with a window of thirty segments, which begins with so many.
fn sender(recovery: Recovery, segments: u64) -> Script {
    let mut setup = SenderSetup::new(Protocol::Stream, MSS, MSS + 52);
    setup.recovery = recovery;
    setup.ecn = EcnFeedback::Accurate;
    let recorder = Recorder::new(30 * MSS);
    recorder.book().reduction = Reduction::Proportional;
    Script::under(&setup, recorder, segments)
}

fn send(s: &mut Script, now: u64, segments: u64) {
    s.sender.write(segments * MSS);
    s.pump(now);
}

/// An acknowledgement whose echo is a round trip of so many ms.
fn ack(s: &mut Script, now: u64, by: usize, upto: u64, blocks: &[[u64; 2]], rtt: u64) {
    let mut ack = s.answer(now, by, upto, blocks);
    ack.echo = ms(now - rtt);
    s.take(now, &ack);
}

/// The same, and its first block reports a duplicate.
fn again(s: &mut Script, now: u64, by: usize, upto: u64, blocks: &[[u64; 2]]) {
    let mut ack = s.answer(now, by, upto, blocks);
    ack.duplicate = true;
    s.take(now, &ack);
}

fn state(s: &mut Script, now: u64) -> Vec<u64> {
    let mut walk = Walk::look(ms(now));
    s.sender.walk(&mut walk, "flow", &OnTheWay::default());
    walk.seen().expect("all is visited").state
}

/// Both histories, and an instant behind them.
fn differ(now: u64, history: impl Fn(bool) -> Script) {
    let [mut one, mut other] = [false, true].map(&history);
    assert_ne!(state(&mut one, now), state(&mut other, now));
    // Neither depends on anything but its history.
    let mut same = history(true);
    assert_eq!(state(&mut same, now), state(&mut other, now));
}

/// RACK's round trip is that of 5, which came after 150 or 151 ms; what came later had left before it, and the smoothed round trip is that
/// of the echoes.
#[test]
fn the_round_trip_of_rack_is_part_of_the_state() {
    differ(170, |later| {
        let mut s = sender(Recovery::Rack, 10);
        ack(&mut s, 100, 0, 1, &[], 100);
        ack(&mut s, 150 + u64::from(later), 5, 2, &[[5, 6]], 100);
        ack(&mut s, 160, 4, 6, &[], 100);
        s
    });
}

/// 9 left at 10 or at 11 ms and came back after 140 ms; all that came behind it had left at 0, and 10 leaves at 170 ms.
#[test]
fn the_departure_of_the_newest_segment_is_part_of_the_state() {
    differ(180, |later| {
        let later = u64::from(later);
        let mut s = sender(Recovery::Rack, 9);
        send(&mut s, 10 + later, 1);
        ack(&mut s, 100, 0, 1, &[], 100);
        ack(&mut s, 150 + later, 9, 1, &[[9, 10]], 140);
        ack(&mut s, 160, 8, 10, &[], 100);
        send(&mut s, 170, 1);
        s
    });
}

/// 2 came before 1, or behind it.
#[test]
fn reordering_is_part_of_the_state() {
    differ(140, |reordered| {
        let mut s = sender(Recovery::Rack, 10);
        ack(&mut s, 100, 0, 1, &[], 100);
        match reordered {
            true => ack(&mut s, 110, 2, 1, &[[2, 3]], 110),
            false => ack(&mut s, 110, 1, 2, &[], 110),
        }
        ack(&mut s, 120, if reordered { 1 } else { 2 }, 3, &[], 120);
        ack(&mut s, 130, 9, 10, &[], 130);
        s
    });
}

/// A duplicate was reported, and all that was out then has come since.
#[test]
fn the_width_of_racks_window_is_part_of_the_state() {
    differ(140, |widened| {
        let mut s = sender(Recovery::Rack, 10);
        ack(&mut s, 100, 0, 1, &[], 100);
        match widened {
            true => again(&mut s, 110, 1, 2, &[[0, 1]]),
            false => ack(&mut s, 110, 1, 2, &[], 110),
        }
        ack(&mut s, 130, 9, 10, &[], 130);
        s
    });
}

/// A duplicate was reported before a recovery or behind it, of what was acknowledged before: one recovery or none has passed since.
#[test]
fn the_recoveries_since_a_duplicate_are_part_of_the_state() {
    differ(320, |behind| {
        let mut s = sender(Recovery::Rack, 6);
        match behind {
            false => again(&mut s, 100, 0, 1, &[[0, 1]]),
            true => ack(&mut s, 100, 0, 1, &[], 100),
        }
        for by in 2..5 {
            ack(&mut s, 100, by, 1, &[[2, by as u64 + 1]], 100);
        }
        ack(&mut s, 200, 6, 6, &[], 100);
        match behind {
            true => again(&mut s, 210, 6, 6, &[[0, 1]]),
            false => ack(&mut s, 210, 6, 6, &[], 100),
        }
        send(&mut s, 210, 1);
        ack(&mut s, 310, 7, 7, &[], 100);
        s
    });
}

/// The round of a duplicate ends with what was out as it was reported: five segments or six.
#[test]
fn the_round_of_a_duplicate_is_part_of_the_state() {
    differ(130, |later| {
        let mut s = sender(Recovery::Rack, 5);
        match later {
            false => again(&mut s, 100, 0, 1, &[[0, 1]]),
            true => ack(&mut s, 100, 0, 1, &[], 100),
        }
        send(&mut s, 110, 1);
        match later {
            true => again(&mut s, 120, 0, 1, &[[0, 1]]),
            false => ack(&mut s, 120, 0, 1, &[], 120),
        }
        s
    });
}

/// Without selective acknowledgements: ten duplicates came in both. Of four before a partial acknowledgement of five segments no more than
/// of three is left, but of seven behind it one more than of six has departed; as many as are out are counted as delivered.
#[test]
fn departed_segments_are_part_of_the_state() {
    differ(240, |early| {
        let mut s = sender(Recovery::NewReno, 12);
        for n in 0..3 + usize::from(early) {
            ack(&mut s, 100 + n as u64, 1 + n, 0, &[], 100);
        }
        ack(&mut s, 202, 12, 5, &[], 100);
        for _ in 0..7 - usize::from(early) {
            ack(&mut s, 230, 11, 5, &[], 100);
        }
        s
    });
}

/// Three duplicates of two segments that came, or of three: one is counted as delivered that the recovery of 0 and 1 does not acknowledge, or
/// none. Then five more leave, one duplicate comes, and the first of them.
#[test]
fn what_duplicates_have_counted_is_part_of_the_state() {
    differ(510, |all_came| {
        let first = 4 + u64::from(all_came);
        let mut s = sender(Recovery::NewReno, first);
        for (now, by) in [(100, 2), (101, 3), (102, first as usize - 1)] {
            ack(&mut s, now, by, 0, &[], 100);
        }
        ack(&mut s, 202, first as usize, 1, &[], 100);
        ack(&mut s, 302, first as usize + 1, first, &[], 100);
        send(&mut s, 400, 5);
        let by = s.sent.len() - 5;
        ack(&mut s, 500, by + 1, first, &[], 100);
        ack(&mut s, 500, by, first + 1, &[], 100);
        s
    });
}

/// A recovery began with the third of three acknowledgements, or with one that told of all three: it began with eighteen segments in flight
/// or twenty, of which it reduces a share. The estimate of the round trip has come to rest before.
#[test]
fn a_proportional_reduction_is_part_of_the_state() {
    let warm = 200;
    differ(100 * warm + 110, |at_once| {
        let mut s = sender(Recovery::Rack, 0);
        for n in 0..warm {
            send(&mut s, 100 * n, 1);
            ack(&mut s, 100 * n + 100, n as usize, n + 1, &[], 100);
        }
        let now = 100 * warm;
        send(&mut s, now, 21);
        ack(&mut s, now + 100, warm as usize, warm + 1, &[], 100);
        let lost = warm + 1;
        for n in 1..4 {
            if n == 3 || !at_once {
                ack(
                    &mut s,
                    now + 100,
                    (lost + n) as usize,
                    lost,
                    &[[lost + 1, lost + n + 1]],
                    100,
                );
            }
        }
        assert!(s.sent.last().is_some_and(|s| s.again));
        s
    });
}

/// A mark was answered with ten segments sent or with eleven.
#[test]
fn the_window_of_a_mark_is_part_of_the_state() {
    differ(110, |later| {
        let mut s = sender(Recovery::Rack, 10);
        for n in 0..2 {
            let mut ack = s.answer(100, n, n as u64 + 1, &[]);
            ack.ce_bytes = if later && n == 0 { 0 } else { MSS };
            s.take(100, &ack);
            send(&mut s, 100, 1);
        }
        s
    });
}

/// A delayed acknowledgement waits for three segments, and two have come since 0, or three halves of them.
#[test]
fn segments_that_wait_for_an_acknowledgement_are_part_of_the_state() {
    let state = |lens: &[u32]| {
        let mut setup = ReceiverSetup::new(Protocol::Stream, MSS);
        setup.delayed_ack = Some(DelayedAck {
            segments: 4,
            timeout: Span::millis(1),
        });
        let mut receiver = AnyReceiver::new(&setup);
        let mut start = 0;
        for (n, len) in lens.iter().enumerate() {
            let segment = Segment {
                number: n as u64,
                start,
                len: *len,
                ..Segment::default()
            };
            assert_eq!(receiver.on_segment(Time::ZERO, &segment, Ecn::NotEct), None);
            start += u64::from(*len);
        }
        let base = Base {
            number: lens.len() as u64,
            byte: start,
            ..Base::default()
        };
        let mut walk = Walk::look(Time(1));
        receiver.walk(&mut walk, "flow", &base);
        walk.seen().expect("all is visited").state
    };
    assert_ne!(state(&[1000, 1000]), state(&[500, 500, 1000]));
}
