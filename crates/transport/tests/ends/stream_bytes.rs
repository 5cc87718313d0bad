//! Segments of one byte: whatever counts bytes counts the least of them.

use backwater_transport::controller::Cause;
use backwater_transport::endpoint::{
    AnyReceiver, EcnFeedback, Protocol, Receiver, ReceiverSetup, Recovery, Sender, SenderSetup,
};
use backwater_transport::segment::{AckSegment, Ecn, Segment};
use backwater_transport::units::{Span, Time};

use crate::MSS;
use crate::stream::{Script, ms};

fn setup(recovery: Recovery) -> SenderSetup {
    let mut setup = SenderSetup::new(Protocol::Stream, MSS, MSS + 52);
    setup.recovery = recovery;
    setup
}

/// A sender with so many segments out at 0, and a window of twenty.
fn sender(recovery: Recovery, segments: u64) -> Script {
    Script::new(recovery, 20, segments)
}

/// So many bytes more are written and leave.
fn send(s: &mut Script, now: u64, bytes: u64) {
    s.sender.write(bytes);
    s.pump(now);
}

/// An acknowledgement by the transmission `by` of all bytes below `upto`, and of a block.
fn answer(s: &Script, now: u64, by: usize, upto: u64, block: Option<[u64; 2]>) -> AckSegment {
    let mut ack = AckSegment {
        upto,
        ..s.answer(now, by, 0, &[])
    };
    if let Some([first, end]) = block {
        ack.report(first, end);
    }
    ack
}

/// One byte that is acknowledged has left the network and is delivered, and no timer runs any more. Its echo is a round trip of 80 ms
/// (RFC 7323 section 4.1).
#[test]
fn one_byte_is_acknowledged_like_any() {
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Rack] {
        let mut s = sender(recovery, 0);
        send(&mut s, 0, 1);
        let mut ack = answer(&s, 100, 0, 1, None);
        ack.echo = ms(20);
        s.take(100, &ack);
        assert_eq!((s.sender.in_flight(), s.sender.due()), (0, Time::NEVER));
        let heard = s.recorder.last();
        assert_eq!((heard.acked, heard.advanced, heard.delivered), (1, 1, 1));
        assert_eq!(s.sender.inspect().srtt, Span::millis(80), "{recovery:?}");
        // It was no duplicate: what leaves then is in flight.
        send(&mut s, 200, 5 * MSS);
        assert_eq!(s.sender.in_flight(), 5 * MSS, "{recovery:?}");
    }
}

/// A duplicate while one byte is out takes a segment out of flight (RFC 6582), so that a window of one lets the next leave.
#[test]
fn a_duplicate_of_one_byte_is_one() {
    let mut s = Script::new(Recovery::NewReno, 1, 0);
    send(&mut s, 0, 1);
    send(&mut s, 1, MSS);
    assert_eq!(s.sent.len(), 1);
    let ack = answer(&s, 100, 0, 0, None);
    s.take(100, &ack);
    assert_eq!(s.sent.len(), 2);
}

/// RFC 6582 section 3.2: three duplicates of the very beginning of a stream are a loss.
#[test]
fn the_first_segment_may_be_lost() {
    let mut s = sender(Recovery::NewReno, 5);
    for (now, by) in [(100, 1), (101, 2)] {
        assert_eq!(s.ack(now, by, 0, &[]), []);
    }
    assert_eq!(s.ack(102, 3, 0, &[]), [0]);
    assert_eq!(s.recorder.events().len(), 1);
}

/// After a timeout duplicates of what was sent before it are no loss, up to its very end (RFC 6582 section 3.2); with one byte more
/// acknowledged they are.
#[test]
fn one_byte_behind_a_timeout_duplicates_tell_again() {
    for (more, recoveries) in [(0, 0), (1, 1)] {
        let mut s = sender(Recovery::NewReno, 4);
        assert_eq!(s.expire(1000), [0, 1, 2, 3]);
        send(&mut s, 1001, 1);
        send(&mut s, 1002, 9 * MSS);
        for n in 0..4 {
            let ack = answer(&s, 1100 + n, 6, 4 * MSS + more, None);
            s.take(1100 + n, &ack);
        }
        assert_eq!(s.sender.counters().recoveries, recoveries, "{more}");
    }
}

/// RFC 8985 section 7.2: no probe with a byte selectively acknowledged. RACK's timer is due 100 + 190 + 25 ms.
#[test]
fn one_byte_selectively_acknowledged_disarms_the_probe() {
    let mut s = Script::new(Recovery::Rack, 4, 5);
    s.sender.write(1);
    assert_eq!(s.ack(100, 3, 4, &[]), [4, 5]);
    assert_eq!(s.sender.due(), ms(300));
    let ack = answer(&s, 290, 5, 4 * MSS, Some([5 * MSS, 5 * MSS + 1]));
    s.take(290, &ack);
    assert_eq!(s.sender.due(), ms(315));
}

/// A probe sends new data, and be it a byte (RFC 8985 section 7.3).
#[test]
fn a_probe_may_be_a_byte() {
    let mut s = Script::new(Recovery::Rack, 2, 4);
    s.sender.write(1);
    assert_eq!(s.ack(100, 1, 2, &[]), [2, 3]);
    assert_eq!(s.expire(300), [4]);
    assert_eq!(s.sent.last().map(|s| (s.len, s.again)), Some((1, false)));
}

/// A byte that is acknowledged with a mark is a window that has answered: the loss of the next one belongs to it, since no more is
/// acknowledged (RFC 3168 section 6.1.2).
#[test]
fn a_mark_of_one_byte_answers_for_its_window() {
    for recovery in [Recovery::Sack, Recovery::NewReno] {
        let mut setup = setup(recovery);
        setup.ecn = EcnFeedback::Classic;
        let mut s = Script::with(&setup, 20, 0);
        send(&mut s, 0, 1);
        let mut ack = answer(&s, 100, 0, 1, None);
        ack.ece = true;
        s.take(100, &ack);
        assert_eq!(s.recorder.events(), [(Cause::Mark, 1, 0, 0)]);
        send(&mut s, 101, 5 * MSS);
        for n in 2..5u64 {
            let end = (n - 1) * MSS + 1;
            let ack = answer(&s, 200 + n, n as usize, 1, Some([MSS + 1, end + MSS]));
            s.take(200 + n, &ack);
        }
        assert_eq!(s.sender.counters().recoveries, 1, "{recovery:?}");
        assert_eq!(s.recorder.events(), []);
    }
}

/// A byte that leaves before a reduction that was needless, and is lost after it, is a loss of its own. Two to four tell of a loss of 1,
/// whose original comes at 103 ms, with an echo that is older than the retransmission (RFC 3522). The byte left at 50 ms, and what left
/// after it arrives at 151 ms: RACK waits for 100 and a quarter of the least round trip, which is 25 ms.
#[test]
fn a_byte_lost_behind_a_needless_reduction_is_a_loss() {
    let mut s = Script::new(Recovery::Rack, 20, 5);
    send(&mut s, 50, 1);
    send(&mut s, 51, MSS);
    s.ack(100, 0, 1, &[]);
    for (now, by) in [(100, 2), (101, 3)] {
        s.ack(now, by, 1, &[[2, by as u64 + 1]]);
    }
    assert_eq!(s.ack(102, 4, 1, &[[2, 5]]), [1]);
    s.ack(103, 1, 5, &[]);
    let causes = |s: &Script| s.recorder.events().iter().map(|e| e.0).collect::<Vec<_>>();
    assert_eq!(causes(&s), [Cause::Loss, Cause::Spurious]);
    let ack = answer(&s, 151, 6, 5 * MSS, Some([5 * MSS + 1, 6 * MSS + 1]));
    s.take(151, &ack);
    let due = s.sender.due();
    assert!(due > ms(151) && due <= ms(180), "{due}");
    s.sender.on_timer(due);
    assert_eq!(causes(&s), [Cause::Loss]);
}

/// RFC 7323 section 4.3: only a segment at or below the last acknowledgement gives the time that is echoed, and not one that begins a
/// byte above it.
#[test]
fn a_byte_above_a_gap_is_not_echoed() {
    let mut receiver = AnyReceiver::new(&ReceiverSetup::new(Protocol::Stream, MSS));
    let mut arrive = |start, sent| {
        let segment = Segment {
            start,
            len: 1,
            sent: Time(sent),
            ..Segment::default()
        };
        receiver
            .on_segment(Time(100), &segment, Ecn::NotEct)
            .expect("at once")
            .echo
    };
    assert_eq!(arrive(1, 7), Time::ZERO);
    assert_eq!(arrive(0, 5), Time(5));
}
