//! Marks over the loopback: how receivers tell of them, and what senders make of it.

use backwater_transport::controller::{
    Ack, AnyController, Congestion, Controller, CustomController, Inspect, Limits,
};
use backwater_transport::endpoint::{
    AnyReceiver, AnySender, DelayedAck, EcnFeedback, Protocol, Receiver, ReceiverSetup, Recovery,
    Sender, SenderSetup,
};
use backwater_transport::segment::{AckSegment, Ecn, Segment};
use backwater_transport::units::Span;
use backwater_transport_testing::loopback::{Fate, Loopback, MSS, Path, ms, stream};

/// RFC 3168: the echo stays until CWR, and one window of marks is one reduction.
#[test]
fn classic_marks_reduce_once_for_each_window() {
    let run = |ecn| {
        let mut net = stream(Path::new(10, 100, 1000), "reno", &[], move |s, r| {
            s.recovery = Recovery::NewReno;
            s.ecn = ecn;
            r.ecn = ecn;
        });
        net.keep = true;
        net.script = Box::new(|s| {
            if !s.again && (20..23).contains(&(s.start / MSS)) {
                Fate::Mark
            } else {
                Fate::Pass
            }
        });
        net.sender.write(u64::MAX);
        net.run(ms(1_000));
        net
    };
    let net = run(EcnFeedback::Classic);
    assert_eq!(net.sent[20].0.ecn, Ecn::Ect0);
    assert_eq!(net.sender.counters().marks, 1);
    assert_eq!(net.sender.counters().retransmitted, 0);
    assert_eq!(net.sent.iter().filter(|(s, _)| s.cwr).count(), 1);
    // Slow start: 20 is in the third round of 10, 20, 40; its acknowledgement comes when the flight
    // is 40 segments.
    let threshold = net.sender.inspect().controller.ssthresh.unwrap();
    assert_eq!(threshold / MSS, 15);
    assert_eq!(run(EcnFeedback::Accurate).sender.counters().marks, 1);
    // Without ECN the same marks are losses.
    assert_eq!(run(EcnFeedback::Off).sender.counters().retransmitted, 3);
}

/// RFC 3168 section 6.1.2: the first new data after a reduction carries CWR, whatever the reason for
/// the reduction, and a loss and a mark in one window of data are one reduction.
#[test]
fn a_loss_sets_cwr_and_answers_the_marks_of_its_window() {
    let run = |recovery, ecn| {
        let mut net = stream(Path::new(10, 100, 1000), "reno", &[], move |s, r| {
            s.recovery = recovery;
            s.ecn = ecn;
            r.ecn = ecn;
        });
        net.keep = true;
        net.script = Box::new(|s| match s.start / MSS {
            20 if !s.again => Fate::Drop,
            27 if !s.again => Fate::Mark,
            _ => Fate::Pass,
        });
        net.sender.write(u64::MAX);
        net.run(ms(1_500));
        net
    };
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Rack] {
        let net = run(recovery, EcnFeedback::Classic);
        assert_eq!(net.sender.counters().recoveries, 1, "{recovery:?}");
        assert_eq!(net.sender.counters().marks, 0, "{recovery:?}");
        let resent = net.sent.iter().position(|(s, _)| s.again).unwrap();
        let fresh = net.sent[resent..].iter().position(|(s, _)| !s.again);
        let cwr: Vec<_> = (0..net.sent.len()).filter(|i| net.sent[*i].0.cwr).collect();
        assert_eq!(cwr, [resent + fresh.unwrap()], "{recovery:?}");
        let off = run(recovery, EcnFeedback::Off);
        assert!(off.sent.iter().all(|(s, _)| !s.cwr), "{recovery:?}");
    }
}

/// The same after a retransmission timeout: 30 and all behind it are lost once.
#[test]
fn a_timeout_sets_cwr() {
    let mut net = stream(Path::new(10, 100, 1000), "reno", &[], |s, r| {
        s.ecn = EcnFeedback::Classic;
        r.ecn = EcnFeedback::Classic;
    });
    net.keep = true;
    net.script = Box::new(|s| match s.start / MSS {
        30..150 if !s.again => Fate::Drop,
        _ => Fate::Pass,
    });
    net.sender.write(u64::MAX);
    net.run(ms(4_000));
    assert!(net.sender.counters().timeouts > 0);
    let cwr = net.sent.iter().find(|(s, _)| s.cwr).expect("CWR");
    assert!(!cwr.0.again);
}

/// A receiver that acknowledges every second segment.
fn receiver(ecn: EcnFeedback) -> AnyReceiver {
    let mut setup = ReceiverSetup::new(Protocol::Stream, MSS);
    setup.ecn = ecn;
    setup.delayed_ack = Some(DelayedAck {
        segments: 2,
        timeout: Span::millis(40),
    });
    AnyReceiver::new(&setup)
}

/// Acknowledgements of segments in order, a millisecond apart, each with the number of the segment that it answers.
fn acknowledgements(
    receiver: &mut AnyReceiver,
    marks: &[bool],
) -> impl Iterator<Item = (usize, AckSegment)> {
    marks.iter().enumerate().filter_map(|(n, mark)| {
        let segment = Segment {
            number: n as u64,
            start: n as u64 * MSS,
            len: MSS as u32,
            ..Segment::default()
        };
        let ecn = if *mark { Ecn::Ce } else { Ecn::Ect0 };
        Some((n, receiver.on_segment(ms(n as u64), &segment, ecn)?))
    })
}

/// RFC 8257 section 3.2: when the marks change, what is pending is acknowledged with the old state, so
/// that delayed acknowledgements still tell exactly which segments were marked.
#[test]
fn dctcp_acknowledges_at_once_when_the_marks_change() {
    let mut receiver = receiver(EcnFeedback::Dctcp);
    let marks = [false, false, false, true, true, true, false, false];
    let told: Vec<_> = acknowledgements(&mut receiver, &marks)
        .map(|(n, ack)| (n, ack.upto / MSS, ack.ece))
        .collect();
    // 2 is acknowledged when 3 comes marked; 5 when 6 comes unmarked.
    let expected = [
        (1, 2, false),
        (3, 3, false),
        (4, 5, true),
        (6, 6, true),
        (7, 8, false),
    ];
    assert_eq!(told, expected);
    // Marked out of order: two are due, and the second comes as soon as the timer is asked.
    let segment = |start: u64| Segment {
        start: start * MSS,
        len: MSS as u32,
        ..Segment::default()
    };
    assert!(receiver.on_segment(ms(9), &segment(8), Ecn::Ect0).is_none());
    let first = receiver
        .on_segment(ms(10), &segment(10), Ecn::Ce)
        .expect("old state");
    assert_eq!((first.upto / MSS, first.ece), (9, false));
    assert_eq!(receiver.due(), ms(10));
    let second = receiver.on_timer(ms(10)).expect("out of order");
    assert_eq!(
        (
            second.ece,
            second.blocks.count(),
            second.sack().next().unwrap().0 / MSS
        ),
        (true, 1, 10)
    );
}

/// RFC 9768 section 3.2.2.5.1: the first of several marked packets is acknowledged at once, whatever the delay.
#[test]
fn the_first_mark_of_a_row_is_acknowledged_at_once() {
    let mut receiver = receiver(EcnFeedback::Ace);
    let marks = [false, false, true, true, true, false, false, true, true];
    let told = acknowledgements(&mut receiver, &marks).map(|(n, ack)| (n, ack.upto / MSS, ack.ace));
    // Every second one, and 2 and 7, which begin a row, before it is their turn.
    assert_eq!(
        told.collect::<Vec<_>>(),
        [(1, 2, 0), (2, 3, 1), (4, 5, 3), (6, 7, 3), (7, 8, 4)]
    );
}

/// Counts the bytes that it is told were marked.
#[derive(Clone, Debug)]
struct Marked(u64);

impl Controller for Marked {
    fn on_ack(&mut self, ack: &Ack) {
        self.0 += ack.marked;
    }

    fn on_congestion(&mut self, _congestion: &Congestion) {}

    fn limits(&self) -> Limits {
        Limits::of(1_000 * MSS)
    }

    fn ecn(&self) -> Ecn {
        Ecn::Ect1
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            values: Inspect::values([("marked", self.0 as f64)]),
            ..Inspect::default()
        }
    }
}

impl CustomController for Marked {
    fn fork(&self) -> Box<dyn CustomController> {
        Box::new(self.clone())
    }
}

/// Of forty segments, those taken for marked where these are, and one acknowledgement in so many arrives.
fn marked(marks: EcnFeedback, every: u64, mark: fn(u64) -> bool) -> f64 {
    let mut setup = SenderSetup::new(Protocol::Stream, MSS, MSS + 52);
    let mut receiver = ReceiverSetup::new(Protocol::Stream, MSS);
    (setup.ecn, receiver.ecn) = (marks, marks);
    let controller = AnyController::Custom(Box::new(Marked(0)));
    let sender = AnySender::new(&setup, controller);
    let mut net = Loopback::new(
        Path::new(10, 100, 1000),
        sender,
        AnyReceiver::new(&receiver),
    );
    net.script = Box::new(move |s| match mark(s.start / MSS) {
        true => Fate::Mark,
        false => Fate::Pass,
    });
    net.ack_script = Box::new(move |ack| (ack.upto / MSS).is_multiple_of(every));
    net.sender.write(40 * MSS);
    net.run(ms(500));
    assert_eq!(net.sender.counters().acked, 40 * MSS);
    net.sender.inspect().controller.values[0].1 / MSS as f64
}

/// RFC 9768 appendix A.2.1, by hand. Of packets told of one by one, or by up to seven, the three bits tell as much as
/// exact counts. One acknowledgement of ten packets leaves open whether the count went round: with
/// ten marked it reads 2, and ten is the greatest count of that residue; with none marked it reads 0, and eight
/// is, so that four fifths are taken for marked which exact counts know were not.
#[test]
fn three_bits_tell_marks_apart_up_to_seven_and_are_safe_beyond() {
    let (all, none, fourth): (_, _, fn(u64) -> bool) = (|_| true, |_| false, |n| n % 4 == 3);
    let both = |every, mark: fn(u64) -> bool| {
        [EcnFeedback::Accurate, EcnFeedback::Ace].map(|marks| marked(marks, every, mark))
    };
    for every in [1, 4] {
        assert_eq!(both(every, all), [40.0, 40.0], "{every}");
        assert_eq!(both(every, none), [0.0, 0.0], "{every}");
        assert_eq!(both(every, fourth), [10.0, 10.0], "{every}");
    }
    assert_eq!(both(10, all), [40.0, 40.0]);
    assert_eq!(both(10, none), [0.0, 32.0]);
}
