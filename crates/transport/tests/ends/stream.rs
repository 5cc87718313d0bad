//! A stream's sender step by step: what each acknowledgement and each timer tells the controller, by the rules of RFC 6298, 6582, 6675,
//! 7323 and 8985.

use backwater_transport::controller::Cause;
use backwater_transport::endpoint::{AnySender, Protocol, Recovery, Sender, SenderSetup};
use backwater_transport::segment::{AckSegment, Segment};
use backwater_transport::units::{Span, Time};

use crate::MSS;
use crate::recorder::{Heard, Recorder};

pub fn ms(n: u64) -> Time {
    Time(n * 1_000_000_000)
}

/// A sender, what it sent, and acknowledgements that are written by hand.
pub struct Script {
    pub sender: AnySender,
    pub recorder: Recorder,
    pub sent: Vec<Segment>,
}

impl Script {
    /// So many segments are written at 0 and leave as far as the window lets them.
    pub fn new(recovery: Recovery, window: u64, write: u64) -> Script {
        let mut setup = SenderSetup::new(Protocol::Stream, MSS, MSS + 52);
        setup.recovery = recovery;
        Script::with(&setup, window, write)
    }

    pub fn with(setup: &SenderSetup, window: u64, write: u64) -> Script {
        Script::under(setup, Recorder::new(window * MSS), write)
    }

    pub fn under(setup: &SenderSetup, recorder: Recorder, write: u64) -> Script {
        let mut script = Script {
            sender: AnySender::new(setup, recorder.controller()),
            recorder,
            sent: Vec::new(),
        };
        script.sender.write(write * MSS);
        script.pump(0);
        script
    }

    /// The segments that leave, by their places.
    pub fn pump(&mut self, now: u64) -> Vec<u64> {
        let before = self.sent.len();
        while let Some(segment) = self.sender.poll(ms(now)) {
            self.sent.push(segment);
        }
        self.sent[before..].iter().map(|s| s.start / MSS).collect()
    }

    /// An acknowledgement by the transmission `by`, which came 40 ms ago: all below `upto`, and blocks.
    pub fn answer(&self, now: u64, by: usize, upto: u64, blocks: &[[u64; 2]]) -> AckSegment {
        let mut ack = AckSegment {
            number: by as u64,
            upto: upto * MSS,
            echo: self.sent[by].sent,
            received: Time(ms(now).0.saturating_sub(ms(40).0)),
            window: 1 << 30,
            ..AckSegment::default()
        };
        for [first, end] in blocks {
            ack.report(first * MSS, end * MSS);
        }
        ack
    }

    /// It comes. What leaves then.
    pub fn ack(&mut self, now: u64, by: usize, upto: u64, blocks: &[[u64; 2]]) -> Vec<u64> {
        let ack = self.answer(now, by, upto, blocks);
        self.take(now, &ack)
    }

    pub fn take(&mut self, now: u64, ack: &AckSegment) -> Vec<u64> {
        self.sender.on_ack(ms(now), ack);
        self.pump(now)
    }

    pub fn expire(&mut self, now: u64) -> Vec<u64> {
        self.sender.on_timer(ms(now));
        self.pump(now)
    }

    /// Acknowledged, moved, segments, lost, delivered, in flight before and after, in segments; round trip in ms; in recovery.
    pub fn told(&self) -> ([u64; 7], Option<u64>, bool) {
        let h: Heard = self.recorder.last();
        let bytes = [h.acked, h.advanced, h.lost, h.delivered, h.before, h.flight].map(|b| b / MSS);
        let [acked, moved, lost, delivered, before, flight] = bytes;
        let counts = [
            acked,
            moved,
            u64::from(h.segments),
            lost,
            delivered,
            before,
            flight,
        ];
        (counts, h.rtt.map(|r| r.0 / 1_000_000_000), h.recovering)
    }
}

/// Ten segments leave at 0, 2 and 3 are lost. Acknowledgements of 0 and 1, then selective ones of 4, 5 and 6. With the third both are
/// lost: RFC 6675 counts three segments above them; RFC 8985 closes its window. The recovery ends when all ten have arrived, and the
/// acknowledgement that ends it is part of it.
#[test]
fn a_recovery_with_selective_acknowledgements_is_told_step_by_step() {
    for recovery in [Recovery::Sack, Recovery::Rack] {
        let mut s = Script::new(recovery, 10, 10);
        assert_eq!(s.ack(100, 1, 2, &[]), []);
        assert_eq!(s.told(), ([2, 2, 2, 0, 2, 10, 8], Some(100), false));
        assert_eq!(s.recorder.last().one_way, Some(Span::millis(60)));
        assert_eq!(s.recorder.last().number, 1);
        assert_eq!(s.ack(101, 4, 2, &[[4, 5]]), []);
        assert_eq!(s.told(), ([1, 0, 1, 0, 3, 8, 7], Some(101), false));
        assert_eq!(s.ack(102, 5, 2, &[[4, 6]]), []);
        assert_eq!(s.told(), ([1, 0, 1, 0, 4, 7, 6], Some(102), false));
        assert_eq!(s.recorder.events(), []);
        assert_eq!(s.ack(103, 6, 2, &[[4, 7]]), [2, 3], "{recovery:?}");
        assert_eq!(s.told(), ([1, 0, 1, 2, 5, 6, 3], Some(103), true));
        let loss = (Cause::Loss, 6 * MSS, 2 * MSS, 4 * MSS);
        assert_eq!(s.recorder.events(), [loss]);
        let lost: Vec<_> = s
            .recorder
            .book()
            .lost
            .iter()
            .map(|l| [l.number, l.tx_in_flight, l.lost, l.in_flight])
            .collect();
        assert_eq!(lost, [[2, 3000, 1000, 4000], [3, 4000, 2000, 3000]]);
        // The rest has arrived before the retransmissions.
        for (n, flight) in [(7, 4), (8, 3), (9, 2)] {
            assert_eq!(s.ack(97 + n, n as usize, 2, &[[4, n + 1]]), []);
            assert_eq!(
                s.told(),
                ([1, 0, 1, 0, n - 1, flight + 1, flight], Some(97 + n), true)
            );
        }
        assert_eq!(s.ack(203, 10, 3, &[[4, 10]]), []);
        assert_eq!(s.told(), ([1, 1, 1, 0, 9, 2, 1], Some(100), true));
        assert_eq!(s.recorder.events(), []);
        s.sender.write(2 * MSS);
        assert_eq!(s.ack(204, 11, 10, &[]), [10, 11]);
        assert_eq!(s.told(), ([1, 7, 1, 0, 10, 1, 0], Some(101), true));
        assert_eq!(s.recorder.events(), [(Cause::Recovered, 0, 2 * MSS, 0)]);
        assert_eq!(s.ack(305, 13, 12, &[]), []);
        assert_eq!(s.told(), ([2, 2, 2, 0, 12, 2, 0], Some(101), false));
        let c = s.sender.counters();
        assert_eq!(
            (c.recoveries, c.lost, c.retransmitted, c.acked),
            (1, 2, 2, 12 * MSS)
        );
    }
}

/// The same losses without selective acknowledgements (RFC 6582): a duplicate takes a segment out of flight and counts it as delivered;
/// the third shows the loss of the first, with the flight as the duplicates began; a partial acknowledgement shows the second.
#[test]
fn a_recovery_by_duplicates_is_told_step_by_step() {
    let mut s = Script::new(Recovery::NewReno, 10, 10);
    s.ack(100, 1, 2, &[]);
    for (n, by) in [(1, 4), (2, 5)] {
        assert_eq!(s.ack(100 + n, by, 2, &[]), []);
        assert_eq!(s.told(), ([0, 0, 0, 0, 2 + n, 9 - n, 8 - n], None, false));
        assert_eq!(s.recorder.last().one_way, None);
    }
    assert_eq!(s.ack(103, 6, 2, &[]), [2]);
    assert_eq!(s.told(), ([0, 0, 0, 1, 5, 6, 4], None, true));
    assert_eq!(s.recorder.events(), [(Cause::Loss, 8 * MSS, MSS, 3 * MSS)]);
    assert_eq!(s.ack(104, 7, 2, &[]), []);
    assert_eq!(s.told(), ([0, 0, 0, 0, 6, 5, 4], None, true));
    // Partial: 2 has arrived, so 3 is the next hole. One segment left, and one is added: four are out of flight, and 3 is lost.
    assert_eq!(s.ack(203, 10, 3, &[]), [3]);
    assert_eq!(s.told(), ([1, 1, 1, 1, 7, 4, 2], Some(100), true));
    // 8 and 9 had not answered.
    assert_eq!(s.ack(303, 11, 10, &[]), []);
    assert_eq!(s.told(), ([7, 7, 7, 0, 10, 3, 0], Some(100), true));
    assert_eq!(s.recorder.events(), [(Cause::Recovered, 0, 2 * MSS, 0)]);
    // An overtaken acknowledgement says nothing without blocks.
    let before = s.recorder.book().heard.len();
    s.ack(304, 8, 9, &[]);
    assert_eq!(s.recorder.book().heard.len(), before);
}

/// Two partial acknowledgements: only the first restarts the timer (RFC 6582 section 4). Round trips of 100 ms keep it at a second.
#[test]
fn the_first_partial_acknowledgement_restarts_the_timer() {
    let mut s = Script::new(Recovery::NewReno, 10, 10);
    assert_eq!(s.sender.due(), ms(1000));
    s.ack(100, 0, 1, &[]);
    assert_eq!(s.sender.due(), ms(1100));
    for (now, by) in [(110, 4), (111, 5), (112, 6)] {
        s.ack(now, by, 1, &[]);
    }
    assert_eq!(s.sender.due(), ms(1100), "duplicates do not move it");
    s.ack(212, 10, 2, &[]);
    assert_eq!(s.sender.due(), ms(1212));
    s.ack(312, 11, 3, &[]);
    assert_eq!(s.sender.due(), ms(1212));
    s.ack(412, 12, 10, &[]);
    assert_eq!(s.sender.due(), Time::NEVER);
}

/// With four segments acknowledged and a receive window of three, three more may leave; one byte less, and it is two. The edge never
/// moves back (RFC 9293 section 3.8.6).
#[test]
fn the_receive_window_holds_segments_back() {
    for (window, leaves) in [(3000, vec![4, 5, 6]), (2999, vec![4, 5])] {
        let mut s = Script::new(Recovery::Rack, 4, 20);
        let mut ack = s.answer(100, 3, 4, &[]);
        ack.window = window;
        assert_eq!(s.take(100, &ack), leaves);
        // An acknowledgement that was overtaken, and a window that shrank.
        let mut old = s.answer(101, 2, 3, &[]);
        old.window = 90_000;
        assert_eq!(s.take(101, &old), []);
        let mut small = s.answer(102, 4, 5, &[]);
        small.window = 500;
        assert_eq!(s.take(102, &small), []);
        let mut wide = s.answer(103, 5, 6, &[]);
        wide.window = 3000;
        let expected: Vec<u64> = if window == 3000 {
            vec![7, 8]
        } else {
            vec![6, 7, 8]
        };
        assert_eq!(s.take(103, &wide), expected);
    }
}

/// The timer expires at a second with ten segments in flight: all are lost without RACK, the first and what is overdue with it. Later
/// expiries of the first segment are not told; each doubles the timer. The first retransmission leaves with a window of none.
#[test]
fn a_timeout_is_told_once_for_a_segment() {
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Rack] {
        let mut s = Script::new(recovery, 10, 10);
        s.recorder.book().window = 0;
        // A probe comes first with RACK; without a round trip it waits for a second, too, and the timer is the first.
        assert_eq!(s.expire(1000), [0], "{recovery:?}");
        assert_eq!(
            s.recorder.events(),
            [(Cause::Timeout, 10 * MSS, 10 * MSS, MSS)]
        );
        assert_eq!(s.sender.due(), ms(3000));
        assert_eq!(s.expire(2999), []);
        assert_eq!(s.expire(3000), [0]);
        assert_eq!(s.sender.due(), ms(7000));
        assert_eq!(s.recorder.events(), []);
        assert_eq!(s.sender.counters().timeouts, 2);
        // The second segment's own timeout is told, with the flight of one.
        s.recorder.book().window = MSS;
        s.ack(3100, 11, 1, &[]);
        assert!(!s.recorder.last().recovering);
        let due = s.sender.due();
        s.sender.on_timer(due);
        let told = s.recorder.events();
        assert_eq!((told.len(), told[0].0, told[0].1), (1, Cause::Timeout, MSS));
    }
}

/// A heartbeat is a full segment that leaves although the window is full.
#[test]
fn a_heartbeat_leaves_beyond_the_window() {
    let mut s = Script::new(Recovery::Rack, 3, 10);
    assert_eq!(s.sent.len(), 3);
    s.recorder.book().heartbeat = 1;
    let beyond = s.sender.poll(ms(1)).expect("a segment");
    assert_eq!((beyond.start, u64::from(beyond.len)), (3 * MSS, MSS));
    s.recorder.book().heartbeat = 0;
    assert!(s.sender.poll(ms(1)).is_none());
}

/// 2 comes behind 3 and 4. The two duplicates have counted two segments as delivered, so the acknowledgement of all three adds one.
#[test]
fn duplicates_of_a_reordering_count_once() {
    let mut s = Script::new(Recovery::NewReno, 10, 10);
    s.ack(100, 1, 2, &[]);
    s.ack(101, 3, 2, &[]);
    s.ack(102, 4, 2, &[]);
    assert_eq!(s.told(), ([0, 0, 0, 0, 4, 7, 6], None, false));
    s.ack(103, 2, 5, &[]);
    assert_eq!(s.told(), ([3, 3, 3, 0, 5, 6, 5], Some(103), false));
    assert_eq!(s.recorder.events(), []);
}

/// Three are lost and new data leave in the recovery. The acknowledgement that ends it is no partial one: it restarts the timer, which the
/// second partial one did not.
#[test]
fn the_end_of_a_recovery_restarts_the_timer() {
    let mut s = Script::new(Recovery::NewReno, 12, 60);
    s.ack(100, 0, 1, &[]);
    s.ack(110, 4, 1, &[]);
    s.ack(111, 5, 1, &[]);
    let recover = s.sent.len() as u64;
    assert_eq!(s.ack(112, 6, 1, &[])[0], 1);
    for by in 7..12 {
        s.ack(106 + by as u64, by, 1, &[]);
    }
    assert!(s.sent.iter().any(|s| s.start / MSS > recover));
    let again = |s: &Script, place| {
        s.sent
            .iter()
            .rposition(|t| t.start / MSS == place)
            .expect("it left")
    };
    let by = again(&s, 1);
    s.ack(212, by, 2, &[]);
    assert_eq!(s.sender.due(), ms(1212));
    let by = again(&s, 2);
    s.ack(312, by, 3, &[]);
    assert_eq!(s.sender.due(), ms(1212));
    let by = again(&s, 3);
    s.ack(412, by, recover, &[]);
    assert_eq!(s.sender.due(), ms(1412));
}
