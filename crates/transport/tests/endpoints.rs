//! Both ends over the loopback: delivery, NewReno's recovery, the timer, delayed acknowledgements,
//! pauses, and the datagram protocol.

use backwater_transport::controller::{
    Ack, AnyController, Congestion, Controller, CustomController, Limits,
};
use backwater_transport::endpoint::{
    AfterIdle, AnySender, DelayedAck, MAX_UNACKNOWLEDGED, Protocol, Receiver, ReceiverSetup,
    Recovery, Sender, SenderSetup,
};
use backwater_transport::segment::Segment;
use backwater_transport::units::{Rate, Span, Time};
use backwater_transport_testing::loopback::{Fate, Loopback, MSS, Path, datagrams, ms, stream};

/// A script that drops the first transmission of these segments (by place in the stream).
fn drop_once(places: &'static [u64]) -> Box<dyn FnMut(&Segment) -> Fate> {
    Box::new(move |s| {
        let hit = !s.again && places.contains(&(s.start / MSS));
        if hit { Fate::Drop } else { Fate::Pass }
    })
}

fn newreno(path: Path, id: &str, options: &[(&'static str, &str)]) -> Loopback {
    stream(path, id, options, |s, _| s.recovery = Recovery::NewReno)
}

#[test]
fn bytes_arrive_in_order_and_fill_the_path() {
    // 10 Mbit/s × 20 ms = 25 segments; a window of 40 fills it.
    let mut net = newreno(Path::new(10, 20, 100), "fixed", &[("window", "40 packets")]);
    net.sender.write(u64::MAX);
    net.run(ms(10_000));
    // 1250 segments a second, but for the first 10 ms on the wire.
    let expected = 9_990 * 1_250_000 / 1_000;
    assert!(net.receiver.delivered().abs_diff(expected) <= 2 * MSS);
    assert_eq!(net.drops, 0);
    assert_eq!(net.sender.counters().retransmitted, 0);
    // Queueing: 15 segments wait behind the 25 on the path, so the round trip is 40 × 0.8 ms.
    assert!((net.sender.inspect().srtt.seconds() - 0.032).abs() < 1e-4);
}

#[test]
fn a_finite_transfer_ends_with_a_short_segment_and_no_timer() {
    let mut net = newreno(Path::new(10, 20, 100), "reno", &[]);
    net.keep = true;
    net.sender.write(2_500);
    net.run(ms(1_000));
    let lens: Vec<u32> = net.sent.iter().map(|(s, _)| s.len).collect();
    assert_eq!(lens, [1000, 1000, 500]);
    assert!(net.sent[2].0.push && !net.sent[1].0.push);
    assert_eq!(net.receiver.delivered(), 2_500);
    assert_eq!(net.sender.counters().acked, 2_500);
    assert_eq!(net.sender.due(), Time::NEVER);
}

/// RFC 6582 section 3.2, by hand. A window of 10; segments 4 and 6 are lost. Acknowledgements of
/// 0..3 release 10..13; duplicates come from 5, 7, 8, …; the third retransmits 4.
#[test]
fn newreno_repairs_two_losses_with_one_reduction_and_no_timeout() {
    let mut net = newreno(Path::new(10, 100, 100), "reno", &[]);
    net.keep = true;
    net.script = drop_once(&[4, 6]);
    net.sender.write(100 * MSS);
    net.run(ms(5_000));
    let c = net.sender.counters();
    assert_eq!(
        (c.recoveries, c.timeouts, c.retransmitted, c.lost),
        (1, 0, 2, 2)
    );
    assert_eq!(net.receiver.delivered(), 100 * MSS);
    let again: Vec<u64> = net
        .sent
        .iter()
        .filter(|(s, _)| s.again)
        .map(|(s, _)| s.start / MSS)
        .collect();
    assert_eq!(again, [4, 6]);
    // Slow start: acknowledgements of 0..3 make the window 14. Fast retransmit with a FlightSize of
    // 14 segments (4..17) leaves a threshold of 7.
    assert_eq!(net.sender.inspect().controller.ssthresh, Some(7 * MSS));
    // Limited transmit: two duplicates release 18 and 19 before the retransmission of 4.
    let order: Vec<(u64, bool)> = net
        .sent
        .iter()
        .map(|(s, _)| (s.start / MSS, s.again))
        .collect();
    let at = order.iter().position(|o| *o == (4, true)).unwrap();
    assert_eq!(order[at - 3..at], [(17, false), (18, false), (19, false)]);
}

/// Without the third duplicate there is only the timer: 1 s (RFC 6298), then 2 s.
#[test]
fn the_timer_repairs_what_duplicates_cannot() {
    let mut net = newreno(Path::new(10, 100, 100), "reno", &[]);
    net.keep = true;
    let mut times = 0;
    net.script = Box::new(move |s| {
        if s.start == 2 * MSS {
            times += 1;
            if times <= 2 {
                return Fate::Drop;
            }
        }
        Fate::Pass
    });
    net.sender.write(3 * MSS);
    net.run(ms(10_000));
    let c = net.sender.counters();
    assert_eq!((c.timeouts, c.recoveries, c.retransmitted), (2, 0, 2));
    assert_eq!(net.receiver.delivered(), 3 * MSS);
    let sent: Vec<f64> = net
        .sent
        .iter()
        .filter(|(s, _)| s.again)
        .map(|(s, _)| s.sent.seconds())
        .collect();
    // The timer was last restarted by the acknowledgement of segment 1 (101.6 ms).
    assert!((sent[0] - 1.1016).abs() < 1e-9, "{sent:?}");
    assert!((sent[1] - sent[0] - 2.0).abs() < 1e-9, "{sent:?}");
}

/// After a timeout the window is one segment and the threshold half of the flight.
#[test]
fn a_timeout_begins_slow_start_again() {
    let mut net = newreno(Path::new(10, 100, 100), "reno", &[]);
    let black = std::cell::Cell::new(0u32);
    net.script = Box::new(move |s| {
        black.set(black.get() + 1);
        if s.start >= 10 * MSS && black.get() <= 30 {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
    net.sender.write(u64::MAX);
    net.run(ms(1_250));
    let i = net.sender.inspect();
    // Ten acknowledgements made the window 20; all 20 in flight were lost.
    assert_eq!(i.controller.ssthresh, Some(10 * MSS));
    assert_eq!(net.sender.counters().timeouts, 1);
    net.run(ms(3_000));
    assert_eq!(net.sender.counters().timeouts, 1);
    assert!(net.receiver.delivered() > 100 * MSS);
}

#[test]
fn delayed_acknowledgements_come_for_two_segments_or_after_the_timeout() {
    let delayed = DelayedAck {
        segments: 2,
        timeout: Span::millis(200),
    };
    let mut net = stream(
        Path::new(10, 20, 100),
        "fixed",
        &[("window", "4 packets")],
        |s, r| {
            s.recovery = Recovery::NewReno;
            r.delayed_ack = Some(delayed);
        },
    );
    let acks = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let seen = acks.clone();
    net.ack_script = Box::new(move |a| {
        seen.borrow_mut().push(a.upto / MSS);
        true
    });
    net.sender.write(5 * MSS);
    net.run(ms(50));
    // Segment 4 ends what the application wrote, so it does not wait.
    assert_eq!(*acks.borrow(), [2, 4, 5]);
    net.sender.write(u64::MAX);
    net.run(ms(60));
    net.sender.write(0);
    let mut one = stream(
        Path::new(10, 20, 100),
        "fixed",
        &[("window", "1 packets")],
        |s, r| {
            s.recovery = Recovery::NewReno;
            r.delayed_ack = Some(delayed);
        },
    );
    one.sender.write(u64::MAX);
    one.run(ms(2_000));
    // One segment each 0.8 + 10 + 200 + 10 ms.
    assert_eq!(one.receiver.delivered(), 10 * MSS);
}

/// Catalogue of the contest: as many packets as the window allows, an acknowledgement each, one extra
/// packet after each silence.
#[test]
fn datagrams_are_sent_once_and_silence_sends_one_more() {
    let mut net = datagrams(
        Path::new(10, 20, 100),
        "fixed",
        &[("window", "5 packets")],
        |s, _| {
            s.silence = Span::millis(100);
        },
    );
    net.keep = true;
    // All is lost from the 20th to the 29th packet.
    net.script = Box::new(|s| {
        if (20..30).contains(&s.number) {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
    net.sender.write(u64::MAX);
    net.run(ms(2_000));
    assert!(net.sent.iter().all(|(s, _)| !s.again));
    // 20..24 fill the window, then 25..29 and 30 leave one by one.
    let gaps: Vec<u64> = (25..=30)
        .map(|n| net.sent[n].0.sent.since(net.sent[n - 1].0.sent).0 / 1_000_000_000)
        .collect();
    assert_eq!(gaps, [100; 6]);
    let c = net.sender.counters();
    assert_eq!((c.timeouts, c.lost, c.retransmitted), (6, 10, 0));
    assert_eq!(c.acked + 10 * MSS + net.sender.inspect().in_flight, c.bytes);
}

/// A datagram that a later one overtakes is lost until it arrives.
#[test]
fn overtaken_datagrams_that_arrive_are_no_loss() {
    let mut net = datagrams(
        Path::new(10, 20, 100),
        "fixed",
        &[("window", "5 packets")],
        |_, _| {},
    );
    net.script = Box::new(|s| {
        if s.number == 7 {
            Fate::Late(Span::millis(2))
        } else {
            Fate::Pass
        }
    });
    net.sender.write(50 * MSS);
    net.run(ms(1_000));
    let c = net.sender.counters();
    assert_eq!((c.lost, c.spurious, c.acked), (1, 1, 50 * MSS));
    assert_eq!(net.receiver.delivered(), 50 * MSS);
}

/// A window is answered once: what left before the answer is no reason for another, even if its loss is
/// noticed by the acknowledgement that ends the episode. With a window of 5 the acknowledgement of 21 tells that
/// 20 is lost, when 24 was the last to leave.
#[test]
fn losses_before_the_answer_begin_no_second_episode_of_datagrams() {
    for (lost, episodes) in [(&[20, 24][..], 1), (&[20, 24, 25], 2)] {
        let path = Path::new(10, 20, 100);
        let mut net = datagrams(path, "fixed", &[("window", "5 packets")], |_, _| {});
        net.script = Box::new(move |s| match lost.contains(&s.number) {
            true => Fate::Drop,
            false => Fate::Pass,
        });
        net.sender.write(100 * MSS);
        net.run(ms(1_000));
        let c = net.sender.counters();
        assert_eq!((c.lost, c.recoveries), (lost.len() as u64, episodes));
    }
}

/// Half of the window at a round trip above the threshold, `alpha / w` more otherwise.
#[test]
fn aimd_follows_the_round_trip() {
    // 10 Mbit/s: 100 ms of round trip are 125 segments in flight; above that, halve.
    let path = Path::new(10, 20, 1000);
    let mut net = datagrams(path, "aimd", &[("once", "true")], |_, _| {});
    net.sender.write(u64::MAX);
    net.area_from = ms(20_000);
    net.run(ms(120_000));
    // A saw-tooth between 62 and 125: the mean in time weighs the long round trips more; in
    // packets acknowledged it is at a constant rate, so time ∝ Σ w: (2/3)(b³−a³)/(b²−a²) = 97.
    assert!(
        (net.mean_window() - 97.0).abs() < 3.0,
        "{}",
        net.mean_window()
    );
    // Literal: with no cool-down every acknowledgement above the threshold halves.
    let mut literal = datagrams(path, "aimd", &[], |_, _| {});
    literal.sender.write(u64::MAX);
    literal.area_from = ms(20_000);
    literal.run(ms(120_000));
    // Seven in a row make the window one packet, so it climbs from there: 0.5 s with a mean of 13 while
    // nothing queues, then 6 s in which time goes with w: 80 in all.
    assert!(
        (literal.mean_window() - 80.4).abs() < 2.0,
        "{}",
        literal.mean_window()
    );
}

#[test]
fn every_controller_of_the_report_moves_data_over_datagrams() {
    for (id, options) in [
        ("aimd", &[][..]),
        ("delay-triggered", &[]),
        ("zekalho", &[]),
        ("zekalho", &[("variant", "text")]),
        ("sprout", &[]),
    ] {
        let mut net = datagrams(Path::new(10, 40, 1000), id, options, |_, _| {});
        net.sender.write(u64::MAX);
        net.run(ms(30_000));
        let share = net.receiver.delivered() as f64 / (30.0 * 1_250_000.0);
        assert!(share > 0.8, "{id} {share}");
    }
}

/// A controller with a large window and a rate of one segment each millisecond.
#[derive(Clone, Debug)]
struct Paced;

impl Controller for Paced {
    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_congestion(&mut self, _congestion: &Congestion) {}

    fn limits(&self) -> Limits {
        Limits {
            window: 1_000 * MSS,
            pacing: Some(Rate(8 * MSS * 1_000)),
            wake: Time::NEVER,
        }
    }
}

impl CustomController for Paced {
    fn fork(&self) -> Box<dyn CustomController> {
        Box::new(self.clone())
    }
}

#[test]
fn pacing_spaces_segments_and_can_be_switched_off() {
    for protocol in [Protocol::Stream, Protocol::Datagram] {
        for pacing in [true, false] {
            let mut setup = SenderSetup::new(protocol, MSS, MSS + 52);
            setup.pacing = pacing;
            let controller = AnyController::Custom(Box::new(Paced));
            let mut sender = AnySender::new(&setup, controller);
            sender.write(5 * MSS);
            let mut times = Vec::new();
            let mut now = Time::ZERO;
            while times.len() < 5 {
                while let Some(segment) = sender.poll(now) {
                    times.push(segment.sent);
                }
                if times.len() < 5 {
                    now = sender.due();
                    sender.on_timer(now);
                }
            }
            let expected: Vec<Time> = (0..5).map(|n| ms(if pacing { n } else { 0 })).collect();
            assert_eq!(times, expected, "{protocol:?} {pacing}");
        }
    }
}

/// A controller whose window has no end.
#[derive(Clone, Debug)]
struct Boundless;

impl Controller for Boundless {
    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_congestion(&mut self, _congestion: &Congestion) {}

    fn limits(&self) -> Limits {
        Limits {
            window: u64::MAX / 2,
            pacing: None,
            wake: Time::NEVER,
        }
    }
}

impl CustomController for Boundless {
    fn fork(&self) -> Box<dyn CustomController> {
        Box::new(self.clone())
    }
}

/// One event would fill the memory. A packet leaves after a silence, or an outage would stop the flow forever.
#[test]
fn packets_in_flight_are_bounded_whatever_the_controller_allows() {
    let setup = SenderSetup::new(Protocol::Datagram, MSS, MSS + 52);
    let mut sender = AnySender::new(&setup, AnyController::Custom(Box::new(Boundless)));
    sender.write(MAX_UNACKNOWLEDGED * MSS);
    let left = |sender: &mut AnySender, now| std::iter::from_fn(|| sender.poll(now)).count();
    assert_eq!(left(&mut sender, Time::ZERO) as u64, MAX_UNACKNOWLEDGED);
    assert_eq!(sender.warning(), None, "the application was the limit");
    sender.write(u64::MAX);
    assert_eq!(left(&mut sender, ms(1)), 0);
    let warning = sender.warning().expect("the window was not the limit");
    assert!(warning.starts_with("1048576 packets"), "{warning}");
    let now = sender.due();
    sender.on_timer(now);
    assert_eq!(left(&mut sender, now), 1);
}

#[test]
fn a_receive_window_is_a_gibibyte_or_as_many_segments_as_a_sender_keeps() {
    for (mss, window) in [(40, 40 << 20), (1024, 1 << 30), (1448, 1 << 30)] {
        assert_eq!(ReceiverSetup::new(Protocol::Stream, mss).window, window);
    }
}

/// A window that is not used does not grow (RFC 7661).
#[test]
fn the_application_not_the_window_is_the_limit() {
    for id in ["reno", "newreno", "cubic"] {
        let mut net = newreno(Path::new(10, 100, 100), id, &[]);
        for n in 0..100 {
            net.sender.write(MSS);
            net.run(ms(100 * (n + 1)));
        }
        assert_eq!(net.sender.inspect().window, 10 * MSS, "{id}");
        net.sender.write(30 * MSS);
        net.run(ms(11_000));
        assert!(net.sender.inspect().window > 15 * MSS, "{id}");
    }
}

/// A duplicate acknowledgement tells that a segment was delivered (draft-ietf-ccwg-bbr section
/// 4.1.3.5.1). Counting it only when the hole is repaired makes a burst of many segments in one round
/// trip, and a rate of several times the link's. No interval is shorter than a round trip, in which
/// the link carries 25 segments: two on top, by delayed acknowledgements, are 8 %.
#[test]
fn without_selective_acknowledgements_a_repaired_hole_is_no_burst() {
    for buffer in [10, 20, 30] {
        let mut net = newreno(Path::new(10, 20, buffer), "bbr1", &[]);
        net.sender.write(1 << 40);
        let mut greatest = 0.0f64;
        for tick in 1..=2000 {
            net.run(ms(10 * tick));
            let values = net.sender.inspect().controller.values;
            greatest = greatest.max(values[0].1);
            assert_eq!(values[0].0, "bw_bps");
        }
        assert!(greatest <= 10.8e6, "{buffer}: {greatest}");
        let lost = net.drops as f64 / (net.drops + net.arrivals) as f64;
        assert!(lost < 0.1, "{buffer}: {lost}");
        let used = net.sender.counters().acked as f64 * 8.0 / 20.0 / 10e6;
        assert!(used > 0.8, "{buffer}: {used}");
    }
}

/// Two hundred segments, a pause from the last of them on, and two hundred more: what leaves at once after
/// the pause, and how the window stands then.
fn after_a_pause(id: &str, choice: AfterIdle, pause_ms: u64) -> (u64, u64, Option<u64>) {
    let mut net = stream(Path::new(10_000, 100, 100_000), id, &[], |sender, _| {
        sender.after_idle = choice;
    });
    net.keep = true;
    net.sender.write(200 * MSS);
    net.run(ms(700));
    let last = net.sent.last().expect("all of it").0.sent;
    let again = last.after(Span::millis(pause_ms));
    assert!(again > net.now);
    net.run(again);
    let before = net.sender.window() / MSS;
    net.sender.write(200 * MSS);
    net.pump();
    let burst = net.sent.iter().filter(|s| s.0.sent == again).count() as u64;
    assert_eq!(burst, (net.sender.window() / MSS).min(200), "{id}");
    let threshold = net.sender.inspect().controller.ssthresh;
    (before, burst, threshold.map(|t| t / MSS))
}

/// RFC 5681 section 4.1: whoever sent nothing for longer than the retransmission timeout (1 s here, RFC
/// 6298) begins with the initial window of ten. RFC 2861, as Linux has it: the first timeout is free, each
/// later one halves, the threshold is three quarters of the window of before. Slow start made that
/// window 200 here, or a little less: rounds of 10, 20, 40, 80, and 50 of the fifth.
#[test]
fn a_pause_longer_than_the_timeout_takes_the_window_back() {
    for id in [
        "reno", "newreno", "cubic", "dctcp", "westwood", "vegas", "fast",
    ] {
        let (before, burst, _) = after_a_pause(id, AfterIdle::Restart, 1_500);
        assert!(before > 20, "{id}: {before}");
        assert_eq!(burst, 10, "{id}");
        let (before, burst, _) = after_a_pause(id, AfterIdle::Restart, 990);
        assert_eq!(burst, before.min(200), "{id}");
        let (before, burst, _) = after_a_pause(id, AfterIdle::Keep, 60_000);
        assert_eq!(burst, before.min(200), "{id}");
        // Four timeouts and a half: halved four times, but to ten at least.
        let (before, burst, threshold) = after_a_pause(id, AfterIdle::Decay, 4_500);
        assert_eq!(burst, (before / 16).max(10), "{id}");
        if id != "fast" {
            assert!(threshold.is_none_or(|t| t >= before * 3 / 4), "{id}");
        }
        let (before, burst, _) = after_a_pause(id, AfterIdle::Decay, 1_500);
        assert_eq!(burst, before / 2, "{id}");
    }
}

/// 20 IP, 20 TCP, 12 timestamps; SACK: 2 padding, 2 kind and length, 8 a block. The contest's datagrams: 1424 bytes behind
/// headers make an IP packet of 1500.
#[test]
fn acknowledgements_are_as_long_as_their_options() {
    let of = |blocks| Protocol::Stream.ack_bytes(blocks);
    assert_eq!([of(0), of(1), of(2), of(3)], [52, 64, 72, 80]);
    assert_eq!(Protocol::Datagram.ack_bytes(0), 76);
    assert_eq!(1500 - Protocol::Datagram.row().header, 1424);
}
