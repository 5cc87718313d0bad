//! Packet scripts for loss recovery. A script says which transmission reaches the receiver when; the
//! receiver is real, and its acknowledgements reach the sender at once. What must happen next is
//! derived beside each step from the text of the RFC.

use backwater_transport::endpoint::{
    AnyReceiver, AnySender, Protocol, Receiver, ReceiverSetup, Recovery, Sender, SenderSetup,
};
use backwater_transport::segment::{Ecn, Segment};
use backwater_transport::units::{Span, Time};
use backwater_transport_testing::loopback::{MSS, controller, ms};

struct Script {
    sender: AnySender,
    receiver: AnyReceiver,
    sent: Vec<Segment>,
}

impl Script {
    /// Segments written at 0 ms leave at once, as far as the window lets them.
    fn new(recovery: Recovery, id: &str, options: &[(&'static str, &str)], write: u64) -> Script {
        let mut setup = SenderSetup::new(Protocol::Stream, MSS, MSS + 52);
        setup.recovery = recovery;
        let mut script = Script {
            sender: AnySender::new(&setup, controller(Protocol::Stream, id, options)),
            receiver: AnyReceiver::new(&ReceiverSetup::new(Protocol::Stream, MSS)),
            sent: Vec::new(),
        };
        script.sender.write(write.saturating_mul(MSS));
        script.pump(ms(0));
        script
    }

    /// Lets the sender send; what left, as places in the stream.
    fn pump(&mut self, now: Time) -> Vec<u64> {
        let before = self.sent.len();
        while let Some(segment) = self.sender.poll(now) {
            assert_eq!(segment.number, self.sent.len() as u64);
            self.sent.push(segment);
        }
        self.sent[before..].iter().map(|s| s.start / MSS).collect()
    }

    /// A transmission reaches the receiver, and the acknowledgement the sender. What leaves then.
    fn deliver(&mut self, at: u64, number: usize) -> Vec<u64> {
        let segment = self.sent[number].clone();
        let ack = self
            .receiver
            .on_segment(ms(at), &segment, Ecn::NotEct)
            .expect("not delayed");
        self.sender.on_ack(ms(at), &ack);
        self.pump(ms(at))
    }

    /// A transmission reaches the receiver; its acknowledgement is lost.
    fn deliver_silently(&mut self, at: u64, number: usize) {
        let segment = self.sent[number].clone();
        self.receiver.on_segment(ms(at), &segment, Ecn::NotEct);
    }

    /// The timer that is due next, which must be at this time, expires. What leaves then.
    fn expire(&mut self, at: u64) -> Vec<u64> {
        assert_eq!(self.sender.due(), ms(at), "{}", self.sender.due());
        self.sender.on_timer(ms(at));
        self.pump(ms(at))
    }

    fn flight(&self) -> u64 {
        self.sender.inspect().in_flight / MSS
    }

    fn threshold(&self) -> Option<u64> {
        self.sender.inspect().controller.ssthresh.map(|s| s / MSS)
    }
}

const NOTHING: [u64; 0] = [];

/// RFC 8985 section 6.2, step 4: before reordering was seen the window is a quarter of the least round
/// trip while fewer than three segments are selectively acknowledged, and zero from the third on.
#[test]
fn rack_waits_a_quarter_of_a_round_trip_or_for_three_segments() {
    // Ten segments leave at 0; 0 is acknowledged after 100 ms, 1 is lost.
    let start = || {
        let mut s = Script::new(
            Recovery::Rack,
            "fixed",
            &[("window", "10 packets")],
            u64::MAX,
        );
        assert_eq!(s.deliver(100, 0), [10]);
        // RACK.rtt = 101 ms: 1 is due at 0 + 101 + 25 ms.
        assert_eq!(s.deliver(101, 2), [11]);
        assert_eq!(s.sender.due(), ms(126));
        // RACK.rtt = 102 ms.
        assert_eq!(s.deliver(102, 3), [12]);
        assert_eq!(s.sender.due(), ms(127));
        assert_eq!(s.sender.counters().lost, 0);
        s
    };
    let mut by_count = start();
    // Third: the window is zero, 0 + 103 ≤ 103. 1 is lost and leaves again.
    assert_eq!(by_count.deliver(103, 4)[0], 1);
    assert_eq!(by_count.sender.counters().recoveries, 1);
    let mut by_time = start();
    assert_eq!(by_time.expire(127), [1]);
    assert_eq!(by_time.sender.counters().recoveries, 1);
    assert_eq!(by_time.sender.counters().lost, 1);
}

/// Step 3: a segment that was never retransmitted and is delivered below the highest one delivered
/// is reordering. From then on the window stays a quarter of a round trip whatever is acknowledged.
#[test]
fn rack_keeps_its_window_once_reordering_was_seen() {
    let mut s = Script::new(
        Recovery::Rack,
        "fixed",
        &[("window", "20 packets")],
        u64::MAX,
    );
    s.deliver(100, 0);
    s.deliver(101, 2);
    s.deliver(102, 1);
    // 3 is lost. 4, 5, 6, 7 come: no loss before 0 + RACK.rtt + 25 ms.
    for (at, n) in [(103, 4), (104, 5), (105, 6), (106, 7)] {
        s.deliver(at, n);
        assert_eq!(s.sender.due(), ms(at + 25));
    }
    assert_eq!(s.sender.counters().lost, 0);
    assert_eq!(s.expire(131)[0], 3);
    assert_eq!(
        (s.sender.counters().lost, s.sender.counters().spurious),
        (1, 0)
    );
}

/// Step 5: the timer is for the segment that waits longest, so that it fires once for all.
#[test]
fn the_reordering_timer_is_for_the_largest_remainder() {
    let mut s = Script::new(
        Recovery::Rack,
        "fixed",
        &[("window", "4 packets")],
        u64::MAX,
    );
    for (at, n) in [(100, 0), (110, 1), (120, 2), (130, 3)] {
        s.deliver(at, n);
    }
    // 4 left at 100, 5 at 110, 6 at 120, 7 at 130. 4 and 5 are lost; 6 comes at 222: RACK.rtt = 102.
    // 4 waits until 100 + 102 + 25 = 227, 5 until 237.
    s.deliver(222, 6);
    assert_eq!(s.sender.due(), ms(237));
    // At 232 comes 7 (RACK.rtt = 102): 4 is overdue, 5 still waits.
    assert_eq!(s.deliver(232, 7), [4, 9]);
    assert_eq!(s.sender.counters().lost, 1);
    s.expire(237);
    assert_eq!(s.sender.counters().lost, 2);
}

/// Step 4: a DSACK widens the window by a quarter of a round trip, once for each round.
#[test]
fn a_duplicate_report_widens_the_reordering_window() {
    let mut s = Script::new(
        Recovery::Rack,
        "fixed",
        &[("window", "10 packets")],
        u64::MAX,
    );
    s.deliver(100, 0);
    s.deliver(101, 2);
    s.deliver(102, 3);
    // 1 is late, not lost: the retransmission at 127 (number 13) was unnecessary.
    s.expire(127);
    assert_eq!(s.sent[13].start, MSS);
    s.deliver(128, 1);
    s.deliver(228, 13);
    assert_eq!(s.sender.counters().spurious, 1);
    // Now 4 is late. 5 left at 0: RACK.rtt = 229, and the window is 2 × 25 ms.
    s.deliver(229, 5);
    assert_eq!(s.sender.due(), ms(229 + 50));
}

/// A retransmission that is lost is found by what left after it, which is a second indication of
/// congestion (RFC 5681 section 4.3): the threshold is lowered twice.
#[test]
fn the_loss_of_a_retransmission_is_found_without_the_timer() {
    let mut s = Script::new(Recovery::Rack, "reno", &[], u64::MAX);
    s.deliver(100, 0);
    // 1 is lost; 2, 3, 4 tell. The first two let a segment each leave: the window stays at 11.
    s.deliver(101, 2);
    s.deliver(102, 3);
    let again = s.sent.len();
    assert_eq!(s.deliver(103, 4), [1]);
    assert_eq!(s.threshold(), Some(5));
    for n in 5..again {
        s.deliver(104 + n as u64, n);
    }
    let later = again + 1;
    assert!(
        s.sent.len() > later,
        "proportional rate reduction sent new data"
    );
    // The segments that left after the retransmission arrive a round trip later; the retransmission does not.
    let out = s.deliver(205, later);
    assert_eq!(out.first(), Some(&1), "{out:?}");
    assert_eq!(s.sender.counters().timeouts, 0);
    assert_eq!(s.sender.counters().recoveries, 2);
}

/// RFC 6675 section 5: recovery is over when all that was outstanding at its beginning is acknowledged. What
/// left in it and was lost is repaired in it, and answered when it is over, by another recovery: two windows of
/// data had losses, so the threshold is lowered twice (RFC 5681 section 4.3).
#[test]
fn new_data_lost_in_recovery_is_answered_when_it_is_over() {
    let mut s = Script::new(Recovery::Rack, "reno", &[], u64::MAX);
    // 1 and 11 are lost. 13 is the last to leave before recovery begins.
    for (at, n) in [(100, 0), (101, 2), (102, 3)] {
        s.deliver(at, n);
    }
    assert_eq!(s.deliver(103, 4), [1]);
    assert_eq!((s.sent.len(), s.threshold()), (15, Some(5)));
    for n in (5..14).filter(|n| *n != 11) {
        s.deliver(104, n);
    }
    let number = |s: &Script, place| s.sent.iter().rposition(|s| s.start == place * MSS).unwrap();
    let (first, second) = (number(&s, 1), number(&s, 11));
    let (new, next) = (number(&s, 14), number(&s, 15));
    assert!(first < new && new < next && next < second, "as PRR sends");
    s.deliver(204, first);
    // 14 is lost: 15 left later and arrives. It leaves again at once, and recovery goes on.
    assert_eq!(s.deliver(206, next)[0], 14);
    assert_eq!(
        (s.sender.counters().recoveries, s.threshold()),
        (1, Some(5))
    );
    // With 11 all below 14 has arrived.
    s.deliver(208, second);
    assert_eq!(
        (s.sender.counters().recoveries, s.threshold()),
        (2, Some(2))
    );
    // All that was outstanding then ends the second: the window may grow again.
    for n in number(&s, 14)..s.sent.len() {
        s.deliver(310, n);
    }
    assert_eq!(s.sender.counters().recoveries, 2);
    assert!(s.sender.inspect().window > 2 * MSS);
}

/// RFC 8985 section 7.2 and 7.3: without acknowledgements a probe leaves after two smoothed round
/// trips: new data if there are any. Then the retransmission timer runs from the probe.
#[test]
fn a_probe_leaves_after_two_round_trips() {
    let mut s = Script::new(Recovery::Rack, "fixed", &[("window", "4 packets")], 20);
    assert_eq!(s.deliver(100, 0), [4]);
    // SRTT = 100 ms; the last segment left at 100 ms, so the probe is due at 300 ms: 5 is new.
    assert_eq!(s.expire(300), [5]);
    assert_eq!(s.sender.counters().probes, 1);
    // One probe at a time: next is the retransmission timer, 1 s after the probe.
    assert_eq!(s.sender.due(), ms(1300));
    // The probe's SACK tells that 1..4 are lost: all left before it and more than 101 + 25 ms ago.
    assert_eq!(s.deliver(401, 5), [1, 2, 3, 4]);
    let c = s.sender.counters();
    assert_eq!((c.lost, c.recoveries, c.timeouts), (4, 1, 0));
}

/// Section 7.3 and 7.4: without new data the last segment leaves again. If it repaired a loss, that is
/// answered like one; if original and probe both arrived, it is not.
#[test]
fn a_probe_that_repairs_a_loss_is_answered() {
    let start = || {
        let mut s = Script::new(Recovery::Rack, "reno", &[], 4);
        for (at, n) in [(100, 0), (101, 1), (102, 2)] {
            s.deliver(at, n);
        }
        let probe = s.sender.due();
        s.sender.on_timer(probe);
        assert_eq!(s.pump(probe), [3]);
        assert!(s.sent[4].again);
        s
    };
    // SRTT after 100, 101, 102 ms is a little above 100: the probe leaves after 302 ms and 2 × that.
    let mut lost = start();
    assert_eq!(
        lost.sent[4].sent.since(ms(102)).0,
        2 * lost.sender.inspect().srtt.0
    );
    lost.deliver(410, 4);
    // The acknowledgement is exactly TLP.end_seq: original or probe, it can't be told yet.
    assert_eq!(lost.sender.counters().recoveries, 0);
    lost.sender.write(2 * MSS);
    lost.pump(ms(420));
    lost.deliver(520, 5);
    // Beyond TLP.end_seq without a DSACK: the probe repaired a loss.
    assert_eq!(lost.sender.counters().recoveries, 1);
    let mut both = start();
    both.deliver(405, 3);
    both.deliver(410, 4);
    both.sender.write(2 * MSS);
    both.pump(ms(420));
    both.deliver(520, 5);
    assert_eq!(both.sender.counters().recoveries, 0);
}

/// RFC 9937, the vector: one loss in 100 segments, threshold 50: one transmission for two
/// acknowledgements, and the flight ends at the threshold.
#[test]
fn proportional_rate_reduction_sends_one_for_two() {
    let mut s = Script::new(Recovery::Rack, "reno", &[], u64::MAX);
    // Slow start to a window of 100, a round each 100 ms.
    let mut at = 0;
    let mut next = 0;
    while s.sender.inspect().window < 100 * MSS {
        at = s.sent[next].sent.0 / 1_000_000_000 + 100;
        s.deliver(at, next);
        next += 1;
    }
    at += 100;
    let first = next;
    let last = s.sent.len();
    assert_eq!(last - first, 100);
    // `first` is lost; the three after it tell so. The first two let a segment each leave.
    let mut pattern = Vec::new();
    for n in first + 1..last + 2 {
        pattern.push(s.deliver(at, n).len());
    }
    assert_eq!(s.sender.counters().recoveries, 1);
    assert_eq!(s.threshold(), Some(50));
    // RecoverFS is 100. The retransmission leaves with the first acknowledgement of recovery:
    // ⌈1·50/100⌉ − 0 = 1, then ⌈2·50/100⌉ − 1 = 0, ⌈3·50/100⌉ − 1 = 1, …
    let recovery = &pattern[2..];
    for (n, count) in recovery[..90].iter().enumerate() {
        assert_eq!(*count, usize::from(n % 2 == 0), "{n}");
    }
    assert!(recovery.iter().all(|c| *c <= 1));
    assert!(s.flight().abs_diff(50) <= 1, "{}", s.flight());
    // The retransmission ends recovery, without a burst.
    let resent = s.sent.iter().position(|s| s.again).unwrap();
    let out = s.deliver(at + 100, resent);
    assert!(out.len() <= 2, "{out:?}");
    assert_eq!(s.sender.inspect().window, 50 * MSS);
}

/// RFC 8985 section 6.3: when the retransmission timer expires the first segment is lost, and of the
/// others only those that are overdue.
#[test]
fn the_timer_declares_lost_only_what_is_overdue() {
    let mut s = Script::new(Recovery::Rack, "fixed", &[("window", "4 packets")], 20);
    s.deliver(100, 0);
    // 300 ms: probe with 5. 1300 ms: the timer. 1..4 left at 0 and 100, 5 at 300: all are older than
    // RACK.rtt + 25 = 125 ms.
    s.expire(300);
    let out = s.expire(1300);
    assert_eq!(s.sender.counters().timeouts, 1);
    assert_eq!(s.sender.counters().lost, 5);
    assert_eq!(out, [1, 2, 3, 4]);
    // A segment that has just left is not overdue at the next expiry but for the first: 2 s later (RFC 6298
    // section 5.5), all were sent at 1300.
    assert_eq!(s.sender.due(), ms(3300));
}

/// After a timeout Reno's window is a segment, the threshold half of the flight, once (RFC 5681).
#[test]
fn repeated_timeouts_back_off_and_lower_the_threshold_once() {
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Rack] {
        let mut s = Script::new(recovery, "reno", &[], 10);
        if recovery == Recovery::Rack {
            // Without a round-trip sample the probe comes after 1 s, not before the timer.
            assert_eq!(s.sender.due(), ms(1000));
        }
        assert_eq!(s.expire(1000), [0]);
        assert_eq!(s.threshold(), Some(5), "{recovery:?}");
        assert_eq!(s.sender.inspect().window, MSS);
        assert_eq!(s.expire(3000), [0]);
        assert_eq!(s.expire(7000), [0]);
        assert_eq!(s.threshold(), Some(5), "{recovery:?}");
        assert_eq!(s.sender.counters().timeouts, 3);
    }
}

/// RFC 4015 with the timestamps of RFC 3522: the original arrives after the timer expired, so its
/// acknowledgement echoes a stamp older than the retransmission: all is as before.
#[test]
fn a_spurious_timeout_is_undone_by_timestamps() {
    for recovery in [Recovery::Sack, Recovery::Rack] {
        let mut s = Script::new(recovery, "reno", &[], u64::MAX);
        assert_eq!(s.expire(1000), [0]);
        assert_eq!(s.sender.inspect().window, MSS);
        s.deliver(1200, 0);
        let c = s.sender.counters();
        assert_eq!(
            (c.timeouts, c.spurious, c.retransmitted),
            (1, 1, 1),
            "{recovery:?}"
        );
        assert!(s.sender.inspect().window >= 10 * MSS, "{recovery:?}");
        assert_eq!(s.threshold(), None);
        // Nothing else is sent again: 1..9 still fly.
        for n in 1..10 {
            s.deliver(1200, n);
        }
        assert_eq!(s.sender.counters().retransmitted, 1);
    }
}

/// The same when the retransmission itself was needed: no undoing.
#[test]
fn a_true_timeout_is_not_undone() {
    let mut s = Script::new(Recovery::Rack, "reno", &[], u64::MAX);
    assert_eq!(s.expire(1000), [0]);
    s.deliver(1100, 10);
    assert_eq!(s.sender.counters().spurious, 0);
    assert_eq!(s.threshold(), Some(5));
}

/// RFC 3708: every retransmission of the episode is reported as a duplicate, so the losses were none.
/// The window is again what it was.
#[test]
fn spurious_losses_are_undone_by_duplicate_reports() {
    for id in ["reno", "newreno", "cubic"] {
        let mut s = Script::new(Recovery::Rack, id, &[], u64::MAX);
        s.deliver(100, 0);
        let before = s.sender.inspect().window;
        s.deliver(101, 3);
        s.deliver(102, 4);
        // 1 and 2 are lost, it seems.
        let out = s.deliver(103, 5);
        assert!(out.starts_with(&[1]), "{out:?}");
        assert!(s.sender.inspect().controller.ssthresh.is_some());
        let mut next = 6;
        while !s.sent.iter().any(|s| s.again && s.start == 2 * MSS) {
            s.deliver(104, next);
            next += 1;
        }
        let resent: Vec<usize> = (0..s.sent.len()).filter(|n| s.sent[*n].again).collect();
        assert_eq!(resent.len(), 2);
        // They come after all: first 2, selectively, then 1, whose acknowledgement echoes an old stamp.
        // That is one of two.
        s.deliver(105, 2);
        s.deliver(106, 1);
        assert_eq!(s.sender.counters().spurious, 0, "{id}");
        // Then what was sent again, reported as duplicates.
        s.deliver(203, resent[0]);
        assert_eq!(s.sender.counters().spurious, 0, "{id}");
        s.deliver(204, resent[1]);
        assert_eq!(s.sender.counters().spurious, 2, "{id}");
        assert_eq!(s.threshold(), None, "{id}");
        assert!(s.sender.inspect().window >= before, "{id}");
    }
}

/// RFC 6675: a segment is lost when three segments' bytes above it are selectively acknowledged; one
/// window, one reduction; the flight counts what is not known to have left.
#[test]
fn counting_selective_acknowledgements_repairs_several_losses() {
    let mut s = Script::new(Recovery::Sack, "reno", &[], u64::MAX);
    s.deliver(100, 0);
    // Window 11. 1 and 3 are lost.
    s.deliver(101, 2);
    s.deliver(102, 4);
    assert_eq!(s.sender.counters().lost, 0);
    // Two ranges, three segments: more than two segments' bytes are above 1, not above 3.
    let out = s.deliver(103, 5);
    assert_eq!(out[0], 1);
    assert_eq!(s.sender.counters().lost, 1);
    s.deliver(104, 6);
    assert_eq!(s.sender.counters().lost, 2);
    // FlightSize was 11, so the window is 5. Flying when 7, 8 and 9 have come: 1 and 10..13. 3 leaves when
    // 10 has come.
    for n in 7..10 {
        assert_eq!(s.deliver(104, n), NOTHING);
    }
    assert_eq!((s.threshold(), s.flight()), (Some(5), 5));
    assert_eq!(s.deliver(200, 10), [3]);
    let c = *s.sender.counters();
    assert_eq!((c.recoveries, c.timeouts, c.retransmitted), (1, 0, 2));
}

/// RFC 5681 sections 3.1 and 3.2: duplicates, fewer than tell of a loss, leave the window as it is; what
/// they report lets as much leave anew. When the gap fills, one acknowledgement covers three
/// segments and slow start adds one (two by RFC 3465, L = 2).
#[test]
fn reordering_does_not_open_the_window() {
    for recovery in [Recovery::Sack, Recovery::Rack] {
        for (id, most) in [
            ("reno", 1),
            ("newreno", 1),
            ("cubic", 1),
            ("dctcp", 2),
            ("westwood", 2),
            ("vegas", 2),
        ] {
            let mut s = Script::new(recovery, id, &[], u64::MAX);
            let window = |s: &Script| s.sender.inspect().window / MSS;
            s.deliver(100, 0);
            assert_eq!(window(&s), 11, "{id}");
            assert_eq!(s.deliver(101, 2).len(), 1, "{id}");
            assert_eq!(s.deliver(102, 3).len(), 1, "{id}");
            assert_eq!((window(&s), s.flight()), (11, 11), "{id}");
            s.deliver(103, 1);
            assert_eq!(window(&s), 11 + most, "{id} {recovery:?}");
            assert_eq!(s.sender.counters().recoveries, 0);
        }
    }
}

/// The acknowledgement of a probe or of anything else that comes out of order does not count twice.
#[test]
fn old_acknowledgements_change_nothing() {
    let mut s = Script::new(Recovery::Rack, "reno", &[], u64::MAX);
    s.deliver_silently(100, 1);
    let late = s
        .receiver
        .on_segment(ms(100), &s.sent[0].clone(), Ecn::NotEct)
        .unwrap();
    s.deliver(101, 2);
    let (acked, flight) = (s.sender.counters().acked, s.flight());
    s.sender.on_ack(ms(102), &late);
    assert_eq!((s.sender.counters().acked, s.flight()), (acked, flight));
    assert_eq!(acked, 3 * MSS);
}

/// Acknowledgements from an end that follows no rule: nothing panics, nothing is acknowledged that was
/// not sent, and the sender still knows when to look again.
#[test]
fn acknowledgements_without_rule_or_reason() {
    use backwater_transport::random::Random;
    use backwater_transport::segment::AckSegment;
    for seed in 0..30 {
        let recovery = Recovery::ALL[seed as usize % 3].1;
        let mut s = Script::new(recovery, "cubic", &[], 5_000);
        let mut random = Random::stream(seed, "test", "nonsense");
        let mut now = Time::ZERO;
        for _ in 0..1_000 {
            now += Span::micros(random.between(0, 20_000));
            let top = s.sent.len() as u64 * MSS;
            let mut byte = |scale: u64| random.between(0, top + 3 * MSS) / scale * scale;
            let scale = if seed % 2 == 0 { MSS } else { 7 };
            let mut ack = AckSegment {
                upto: byte(scale) / 20,
                window: (byte(scale) * 10) as u32,
                echo: Time(byte(1) * 1_000_000),
                ..AckSegment::default()
            };
            let blocks = [(); 3].map(|()| {
                let from = byte(scale);
                (from, from + byte(scale) / 40)
            });
            let count = random.between(0, 5).min(3) as usize;
            blocks[..count]
                .iter()
                .for_each(|b| _ = ack.report(b.0, b.1));
            ack.duplicate = random.between(0, 3) == 0;
            ack.number = random.between(0, s.sent.len() as u64);
            ack.ce_bytes = random.between(0, top);
            s.sender.on_ack(now, &ack);
            s.pump(now);
            if s.sender.due() <= now {
                s.sender.on_timer(now);
                s.pump(now);
            }
            let i = s.sender.inspect();
            let top = s.sent.len() as u64 * MSS;
            assert!(i.in_flight <= top && s.sender.counters().acked <= top);
            assert!(i.window < 1 << 50);
        }
    }
}

/// RFC 3522 in fast recovery: the original of the only retransmission arrives first, and its
/// acknowledgement echoes an older stamp. Undone at once, before any duplicate is reported. If it is the
/// retransmission that arrives, the loss was one.
#[test]
fn a_spurious_fast_retransmit_is_undone_by_timestamps() {
    for original in [true, false] {
        let mut s = Script::new(Recovery::Rack, "reno", &[], u64::MAX);
        for (at, n) in [(100, 0), (101, 2), (102, 3), (103, 4)] {
            s.deliver(at, n);
        }
        let resent = s
            .sent
            .iter()
            .position(|s| s.again)
            .expect("fast retransmit");
        s.deliver(204, if original { 1 } else { resent });
        let expected = if original { (1, None) } else { (0, Some(5)) };
        assert_eq!((s.sender.counters().spurious, s.threshold()), expected);
    }
}

/// RFC 5681 section 3.1: after a timeout the window is one segment. Two duplicates before it have told of segments that left the network;
/// all that is out counts as lost now, so they make no room for more.
#[test]
fn a_timeout_without_sack_sends_one_segment_whatever_duplicates_came_before() {
    let mut s = Script::new(Recovery::NewReno, "newreno", &[], u64::MAX);
    let first = s.sent.len();
    assert_eq!(s.deliver(100, 0).len(), 2);
    // Segment 1 is lost. Limited transmit (RFC 3042): each duplicate lets one segment leave.
    assert_eq!(s.deliver(110, 2), [first as u64 + 2]);
    assert_eq!(s.deliver(111, 3), [first as u64 + 3]);
    let due = s.sender.due();
    s.sender.on_timer(due);
    assert_eq!(s.pump(due), [1]);
    assert_eq!(s.flight(), 1);
    assert_eq!(s.sender.counters().timeouts, 1);
}
