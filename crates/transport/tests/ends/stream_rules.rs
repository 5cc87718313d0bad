//! Rules of a stream's sender at their edges: proportional rate reduction, probes, duplicates, echoes, and marks.

use backwater_transport::controller::{Cause, Reduction};
use backwater_transport::endpoint::{EcnFeedback, Protocol, Recovery, Sender, SenderSetup};
use backwater_transport::segment::AckSegment;
use backwater_transport::units::{Span, Time};

use crate::MSS;
use crate::recorder::Recorder;
use crate::stream::{Script, ms};

fn setup(recovery: Recovery) -> SenderSetup {
    let mut setup = SenderSetup::new(Protocol::Stream, MSS, MSS + 52);
    setup.recovery = recovery;
    setup
}

/// A sender that reduces in proportion, to a threshold of ten segments, with twenty in flight.
fn proportional() -> Script {
    let recorder = Recorder::new(20 * MSS);
    recorder.book().reduction = Reduction::Proportional;
    let s = Script::under(&setup(Recovery::Rack), recorder, 20);
    assert_eq!(s.sent.len(), 20);
    s.recorder.book().window = 10 * MSS;
    s
}

/// RFC 9937 with a flight below the threshold: as much leaves as was delivered; a segment more if the left edge moved and no further loss
/// shows.
#[test]
fn a_safe_acknowledgement_lets_one_segment_more_leave() {
    let mut s = proportional();
    s.ack(100, 12, 0, &[[12, 13]]);
    s.ack(101, 13, 0, &[[12, 14]]);
    // 0 to 11 are lost: five of twenty fly, one was delivered.
    assert_eq!(s.ack(102, 14, 0, &[[12, 15]]), [0]);
    assert_eq!(s.ack(103, 19, 0, &[[12, 20]]), [1, 2, 3, 4, 5]);
    assert_eq!(s.ack(202, 20, 1, &[[12, 20]]), [6, 7], "safe");
    let mut s = proportional();
    // Four are delivered at once, and ten are lost: the edge moved, but it is not safe.
    let left = s.ack(100, 13, 1, &[[11, 14]]);
    assert_eq!(left, [1, 2, 3, 4]);
    assert_eq!(
        s.recorder.events(),
        [(Cause::Loss, 20 * MSS, 10 * MSS, 11 * MSS)]
    );
}

/// RFC 8985 section 7.2: two smoothed round trips after the last transmission a probe is due; none with a segment selectively
/// acknowledged, although that acknowledgement moved no edge; and with a single segment in flight the delay of acknowledgements is added.
#[test]
fn a_probe_is_armed_and_disarmed() {
    let mut s = Script::new(Recovery::Rack, 4, 8);
    assert_eq!(s.ack(100, 3, 4, &[]), [4, 5, 6, 7]);
    assert_eq!(s.sender.due(), ms(300));
    // RACK: 100 + 190 + 25 ms. The probe at 300 ms is gone.
    assert_eq!(s.ack(290, 5, 4, &[[5, 6]]), []);
    assert_eq!(s.sender.due(), ms(315));
    let mut setup = setup(Recovery::Rack);
    setup.ack_delay = Span::millis(40);
    for (write, due) in [(1, 340), (2, 300)] {
        let mut s = Script::with(&setup, 4, 4);
        s.ack(100, 3, 4, &[]);
        assert_eq!(s.sender.due(), Time::NEVER);
        s.sender.write(write * MSS);
        s.pump(100);
        assert_eq!(s.sender.due(), ms(due), "{write}");
    }
}

/// What probes send: new data where the receiver has room for it, otherwise the last segment again. The timer is restarted, and a second
/// probe does not follow.
#[test]
fn a_probe_has_new_data_or_the_last_segment() {
    for (room, last, again) in [(3000, 6, false), (2999, 5, true)] {
        let mut s = Script::new(Recovery::Rack, 4, 12);
        s.recorder.book().window = 2 * MSS;
        let mut ack = s.answer(100, 3, 4, &[]);
        ack.window = room;
        assert_eq!(s.take(100, &ack), [4, 5]);
        assert_eq!(s.sender.due(), ms(300));
        assert_eq!(s.expire(300), [last], "with room for {room} bytes");
        assert_eq!(s.sent.last().expect("the probe").again, again);
        assert_eq!(s.sender.counters().probes, 1);
        assert_eq!(s.sender.due(), ms(1300), "the timer, and no probe");
    }
}

/// Duplicates while nothing is outstanding say nothing: neither they nor the next two after more data are a loss; the third is.
#[test]
fn duplicates_of_an_idle_sender_say_nothing() {
    let mut s = Script::new(Recovery::NewReno, 10, 4);
    s.ack(100, 3, 4, &[]);
    for n in 0..4 {
        s.ack(110 + n, 3, 4, &[]);
    }
    s.sender.write(5 * MSS);
    assert_eq!(s.pump(120).len(), 5);
    assert_eq!(s.sender.in_flight(), 5 * MSS);
    for n in 0..2 {
        s.ack(220 + n, 5, 4, &[]);
    }
    assert_eq!(s.sender.counters().recoveries, 0);
    assert_eq!(s.ack(222, 7, 4, &[]), [4]);
    assert_eq!(s.sender.counters().recoveries, 1);
}

/// RFC 6582 section 3.2: after a timeout duplicates of what was sent before it are no loss, up to the very end; behind it they are.
#[test]
fn duplicates_of_what_a_timeout_repeats_are_no_loss() {
    for (more, recoveries) in [(0, 0), (1, 1)] {
        let mut s = Script::new(Recovery::NewReno, 20, 4);
        assert_eq!(s.expire(1000), [0, 1, 2, 3]);
        s.sender.write(10 * MSS);
        assert_eq!(s.pump(1001).len(), 10);
        s.ack(1100, 4, 4 + more, &[]);
        for n in 0..3 {
            s.ack(1101 + n, 6, 4 + more, &[]);
        }
        assert_eq!(s.sender.counters().recoveries, recoveries, "{more}");
    }
}

/// An acknowledgement that delivers nothing is no delivery: the rate of what leaves afterwards counts from the last one.
#[test]
fn a_rate_counts_from_the_last_delivery() {
    let mut s = Script::new(Recovery::Rack, 10, 2);
    s.ack(100, 0, 1, &[]);
    s.ack(150, 0, 1, &[]);
    s.sender.write(MSS);
    assert_eq!(s.pump(160), [2]);
    s.ack(161, 1, 2, &[]);
    s.ack(260, 2, 3, &[]);
    let rate = s
        .recorder
        .book()
        .rates
        .last()
        .copied()
        .flatten()
        .expect("a sample");
    assert_eq!(
        (rate.delivered, rate.interval),
        (2 * MSS, Span::millis(160))
    );
}

/// RFC 9768: one mark more among ten packets may be nine. That holds for what is delivered, also without selective acknowledgements.
#[test]
fn a_counter_that_may_have_wrapped_is_read_at_its_worst() {
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Rack] {
        let mut setup = setup(recovery);
        setup.ecn = EcnFeedback::Ace;
        let mut s = Script::with(&setup, 12, 12);
        let mut ack = s.answer(100, 9, 10, &[]);
        ack.ace = 1;
        s.take(100, &ack);
        assert_eq!(s.recorder.last().marked, 9 * MSS, "{recovery:?}");
        assert_eq!(s.recorder.events(), [(Cause::Mark, 12 * MSS, 0, 0)]);
    }
}

/// One window of data answers to marks once: up to the last byte that had left, and not up to the next.
#[test]
fn a_mark_is_answered_again_behind_the_window() {
    let mut setup = setup(Recovery::Rack);
    setup.ecn = EcnFeedback::Accurate;
    let mut s = Script::with(&setup, 4, 20);
    let mut marks = Vec::new();
    for n in 0..9 {
        let by = n as usize;
        let ack = AckSegment {
            ce_bytes: (n + 1) * MSS,
            ..s.answer(100 + n, by, n + 1, &[])
        };
        s.take(100 + n, &ack);
        marks.push(s.sender.counters().marks);
    }
    // The mark of the first is answered with four sent, so those of the next three belong to it, and so on.
    assert_eq!(marks, [1, 1, 1, 1, 2, 2, 2, 2, 3]);
    assert!(s.recorder.events().iter().all(|e| e.0 == Cause::Mark));
}

/// RFC 3522: an echo older than the retransmission shows that the original came; one as old as it does not.
#[test]
fn an_echo_as_old_as_the_retransmission_is_its_own() {
    for (by, spurious) in [(0, 4), (4, 0)] {
        let mut s = Script::new(Recovery::Rack, 4, 4);
        assert_eq!(s.expire(1000), [0, 1, 2, 3]);
        s.recorder.events();
        // Sent at 0 and at 1000 ms; the answer comes at 1100 ms. The first segment decides for all four (RFC 4015 section 3.2).
        s.ack(1100, by, 1, &[]);
        assert_eq!(s.sender.counters().spurious, spurious);
        let told = s
            .recorder
            .events()
            .iter()
            .filter(|e| e.0 == Cause::Spurious)
            .count();
        assert_eq!(told as u64, spurious / 4);
    }
}

/// A round trip is that of the newest segment, and ambiguous where a retransmission may be its original (Karn): then none is told. One
/// way is told only if that segment caused the acknowledgement.
#[test]
fn a_round_trip_is_that_of_an_unambiguous_segment() {
    let mut s = Script::new(Recovery::Rack, 10, 4);
    // The acknowledgement of 0 names 0, but covers 2.
    let mut ack = s.answer(100, 2, 3, &[]);
    ack.number = 0;
    s.take(100, &ack);
    assert_eq!(s.recorder.last().rtt, Some(Span::millis(100)));
    assert_eq!(s.recorder.last().one_way, None);
    let mut s = Script::new(Recovery::Sack, 10, 4);
    s.expire(1000);
    // 0 again is transmission 4. An echo of the original is ambiguous, whatever it says of timestamps.
    s.ack(1100, 0, 1, &[]);
    assert_eq!(
        (s.recorder.last().rtt, s.recorder.last().one_way),
        (None, None)
    );
}
