//! What all senders share: codepoints, paces, counters, timers of the controller, marks, and the window behind an idle time.

use backwater_transport::controller::{AnyController, Driven, Setup};
use backwater_transport::endpoint::{
    AfterIdle, AnySender, EcnFeedback, Protocol, Sender, SenderSetup,
};
use backwater_transport::random::Random;
use backwater_transport::segment::{AckSegment, Ecn, Segment};
use backwater_transport::units::{Rate, Span, Time};

use crate::MSS;
use crate::recorder::Recorder;

fn ms(n: u64) -> Time {
    Time(n * 1_000_000_000)
}

fn setup(protocol: Protocol) -> SenderSetup {
    let mut setup = SenderSetup::new(protocol, MSS, MSS + 52);
    setup.rto_min = Span::millis(1);
    setup
}

/// All that may leave at an instant.
fn leaves(sender: &mut AnySender, now: Time) -> Vec<Segment> {
    std::iter::from_fn(|| sender.poll(now)).collect()
}

/// An acknowledgement by the newest of `segments` segments that left at `echo`.
fn ack(segments: u64, echo: Time) -> AckSegment {
    AckSegment {
        upto: segments * MSS,
        number: segments - 1,
        echo,
        window: 1 << 30,
        ..AckSegment::default()
    }
}

/// RFC 3168 section 6.1.5: a retransmission asks for no marks. RFC 9331 keeps ECT(1) on it. A controller that wants no codepoint gets
/// ECT(0) where marks are echoed.
#[test]
fn segments_carry_the_codepoint_of_controller_and_echo() {
    use Ecn::{Ect0, Ect1, NotEct};
    for (wanted, echo, first, again) in [
        (NotEct, EcnFeedback::Off, NotEct, NotEct),
        (NotEct, EcnFeedback::Classic, Ect0, NotEct),
        (NotEct, EcnFeedback::Accurate, Ect0, NotEct),
        (Ect0, EcnFeedback::Off, Ect0, NotEct),
        (Ect1, EcnFeedback::Off, Ect1, Ect1),
        (Ect1, EcnFeedback::Ace, Ect1, Ect1),
    ] {
        let recorder = Recorder::new(MSS);
        recorder.book().ecn = wanted;
        let mut setup = setup(Protocol::Stream);
        setup.ecn = echo;
        let mut sender = AnySender::new(&setup, recorder.controller());
        sender.write(MSS);
        assert_eq!(
            leaves(&mut sender, ms(0))[0].ecn,
            first,
            "{wanted:?} {echo:?}"
        );
        // Without a round trip the timer is a second (RFC 6298 section 2.1).
        sender.on_timer(ms(1_000));
        let repeated = &leaves(&mut sender, ms(1_000))[0];
        assert_eq!((repeated.ecn, repeated.again), (again, true), "{wanted:?}");
    }
}

/// 8 Mbit/s are a packet of 1,000 bytes a millisecond; headers do not count. What waited longer is not caught up. Then the timer of the
/// controller, which is due at its instant and not before.
#[test]
fn a_pace_spaces_payload() {
    let recorder = Recorder::new(100 * MSS);
    recorder.book().pacing = Some(Rate(8_000_000));
    let mut sender = AnySender::new(&setup(Protocol::Datagram), recorder.controller());
    sender.write(3 * MSS + 500);
    for (now, due) in [(0, 1), (1, 2), (5, 6)] {
        assert_eq!(leaves(&mut sender, ms(now)).len(), 1);
        assert_eq!(sender.due(), ms(due));
        let early = Time(ms(due).0 - 1);
        sender.on_timer(early);
        assert!(leaves(&mut sender, early).is_empty());
        if now == 1 {
            // Nobody asks at 2 ms.
            assert_eq!(sender.due(), ms(2));
        }
    }
    assert_eq!(leaves(&mut sender, ms(6))[0].len, 500);
    recorder.book().wake = ms(9);
    sender.on_ack(ms(7), &ack(1, ms(0)));
    sender.poll(ms(7));
    assert_eq!(sender.due(), ms(9));
    sender.on_timer(Time(ms(9).0 - 1));
    assert!(recorder.book().woken.is_empty());
    sender.on_timer(ms(9));
    assert_eq!(recorder.book().woken, [ms(9)]);
    assert!(sender.due() > ms(9));
    let seen = sender.inspect();
    assert_eq!(
        (seen.pacing, seen.srtt),
        (Some(Rate(8_000_000)), Span::millis(7))
    );
    assert_eq!(seen.delivered, MSS);
    let c = sender.counters();
    assert_eq!((c.segments, c.bytes, c.acked), (4, 3 * MSS + 500, MSS));
}

/// Where the sender does not pace, a pace neither holds a segment back nor is shown.
#[test]
fn a_sender_that_does_not_pace_ignores_the_pace() {
    for (protocol, pacing) in [
        (Protocol::Stream, true),
        (Protocol::Stream, false),
        (Protocol::Datagram, true),
        (Protocol::Datagram, false),
    ] {
        let recorder = Recorder::new(100 * MSS);
        recorder.book().pacing = Some(Rate(8_000_000));
        let mut setup = setup(protocol);
        let mut sender = AnySender::new(&setup, recorder.controller());
        setup.pacing = pacing;
        sender.take_options(&setup);
        sender.write(3 * MSS);
        let left = leaves(&mut sender, ms(0)).len();
        let shown = sender.inspect().pacing;
        let expected = match pacing {
            true => (1, Some(Rate(8_000_000))),
            false => (3, None),
        };
        assert_eq!((left, shown), expected);
    }
}

/// Another controller takes over: its window and its codepoint hold, and it is told what leaves.
#[test]
fn another_controller_takes_over() {
    let first = Recorder::new(MSS);
    let setup = setup(Protocol::Stream);
    let mut sender = AnySender::new(&setup, first.controller());
    sender.write(10 * MSS);
    assert_eq!(leaves(&mut sender, ms(0)).len(), 1);
    let second = Recorder::new(4 * MSS);
    second.book().ecn = Ecn::Ect1;
    sender.take_controller(second.controller(), &setup);
    assert_eq!(sender.window(), 4 * MSS);
    let left = leaves(&mut sender, ms(1));
    assert!(left.len() == 3 && left.iter().all(|s| s.ecn == Ecn::Ect1));
    assert_eq!((first.book().sent.len(), second.book().sent.len()), (1, 3));
    sender.on_ack(ms(2), &ack(1, ms(0)));
    assert!(first.book().heard.is_empty());
    assert_eq!(second.book().heard.len(), 1);
}

/// Who drives a controller from outside moves the limits at once.
#[test]
fn a_driver_sets_the_limits() {
    let driven = Driven::new(&Setup {
        protocol: Protocol::Stream,
        mss: MSS,
        frame: MSS + 52,
        initial: 2 * MSS,
        random: Random::stream(1, "controller", ""),
    });
    let controller = AnyController::Custom(Box::new(driven));
    let mut sender = AnySender::new(&setup(Protocol::Stream), controller);
    sender.write(10 * MSS);
    assert_eq!(leaves(&mut sender, ms(0)).len(), 2);
    sender.drive(&mut |agent| agent.tell(5 * MSS, None));
    assert_eq!(sender.window(), 5 * MSS);
    assert_eq!(leaves(&mut sender, ms(0)).len(), 3);
    let mut asked = 0;
    let mut other = AnySender::new(&setup(Protocol::Stream), Recorder::new(MSS).controller());
    other.drive(&mut |_| asked += 1);
    assert_eq!(asked, 0, "it is not driven from outside");
}

/// A round trip of 100 ms makes a timeout of 100 + 4 · 50 ms (RFC 6298). After a longer pause a window of 40 segments is the initial 10
/// (RFC 5681); or (RFC 2861 as in Linux) half for each timeout but the first, not below 10, and the threshold is three quarters.
#[test]
fn the_window_behind_an_idle_time() {
    const TIMEOUT: u64 = 300_000_000_000;
    let all = u64::MAX;
    let behind = |choice, pause: u64, window: u64| {
        let recorder = Recorder::new(window * MSS);
        let mut setup = setup(Protocol::Stream);
        setup.after_idle = choice;
        let mut sender = AnySender::new(&setup, recorder.controller());
        sender.write(MSS);
        leaves(&mut sender, ms(0));
        assert!(recorder.book().idle.is_empty(), "nothing was sent before");
        sender.on_ack(ms(100), &ack(1, ms(0)));
        sender.write(MSS);
        // Since the last transmission, at 0.
        leaves(&mut sender, Time(pause));
        let book = recorder.book();
        let told = book.idle.last().expect("one word");
        assert_eq!((book.idle.len(), told.now), (1, Time(pause)));
        (told.window, told.threshold)
    };
    for choice in [AfterIdle::Restart, AfterIdle::Decay, AfterIdle::Keep] {
        assert_eq!(behind(choice, TIMEOUT, 40), (all, 0), "{choice:?}");
    }
    let later = TIMEOUT + 1;
    assert_eq!(behind(AfterIdle::Keep, later, 40), (all, 0));
    assert_eq!(behind(AfterIdle::Restart, later, 40), (10 * MSS, 0));
    assert_eq!(behind(AfterIdle::Restart, later, 4), (4 * MSS, 0));
    for (timeouts, window, left) in [
        (2, 40, 20),
        (3, 40, 10),
        (4, 40, 10),
        (2, 4, 4),
        (80, 40, 10),
    ] {
        let told = behind(AfterIdle::Decay, timeouts * TIMEOUT, window);
        assert_eq!(told, (left * MSS, window * MSS / 4 * 3), "{timeouts}");
    }
    // One ps more is the next halving.
    assert_eq!(
        behind(AfterIdle::Decay, 2 * TIMEOUT + 1, 80),
        (20 * MSS, 60 * MSS)
    );
    assert_eq!(behind(AfterIdle::Decay, later, 80), (40 * MSS, 60 * MSS));
}

/// Marks by each echo: bytes of AccECN's option; packets of its three bits, as full segments; what an acknowledgement of DCTCP covers; and
/// none of the classic echo, which is one report for a window.
#[test]
fn marks_are_bytes_by_each_echo() {
    for (echo, marked) in [
        (EcnFeedback::Off, [700, 0, 100]),
        (EcnFeedback::Accurate, [700, 0, 100]),
        (EcnFeedback::Ace, [3 * MSS, 0, 5 * MSS]),
        (EcnFeedback::Dctcp, [MSS, 0, MSS]),
        (EcnFeedback::Classic, [0, 0, 0]),
    ] {
        let recorder = Recorder::new(100 * MSS);
        let mut setup = setup(Protocol::Stream);
        setup.ecn = echo;
        let mut sender = AnySender::new(&setup, recorder.controller());
        sender.write(10 * MSS);
        leaves(&mut sender, ms(0));
        // Bytes and packets so far, and the echo. The second is one that was overtaken by the first.
        for (n, (bytes, packets, ece)) in [(700, 3, true), (600, 3, false), (800, 0, true)]
            .into_iter()
            .enumerate()
        {
            let acked = n as u64 + 1;
            let told = AckSegment {
                ce_bytes: bytes,
                ace: packets,
                ece,
                ..ack(acked, ms(0))
            };
            sender.on_ack(ms(10 + acked), &told);
            assert_eq!(recorder.last().marked, marked[n], "{echo:?} {n}");
        }
        // The first mark of a window is reported once.
        let marks = sender.counters().marks;
        assert_eq!(marks, 1, "{echo:?}");
    }
}

/// A sender whose number is told at each loss: bytes lost since the lost packet left, itself included, and the flight without it.
#[test]
fn a_loss_is_told_with_what_was_lost_since() {
    let recorder = Recorder::new(10 * MSS);
    let mut sender = AnySender::new(&setup(Protocol::Datagram), recorder.controller());
    sender.write(9 * MSS + 500);
    leaves(&mut sender, ms(0));
    for (now, number) in [(10, 2), (11, 4), (12, 9)] {
        sender.on_ack(
            ms(now),
            &AckSegment {
                number,
                ..AckSegment::default()
            },
        );
    }
    let book = recorder.book();
    let told: Vec<_> = book
        .lost
        .iter()
        .map(|l| (l.number, l.lost / MSS, l.in_flight, l.tx_in_flight / MSS))
        .collect();
    // Packets 0 and 1, 3, and 5 to 8; ten flew with half of one.
    let flight = |gone: u64| 9_500 - gone * MSS;
    let expected = [
        (0, 1, flight(1), 1),
        (1, 2, flight(2), 2),
        (3, 3, flight(4), 4),
        (5, 4, flight(6), 6),
        (6, 5, flight(7), 7),
        (7, 6, flight(8), 8),
        (8, 7, flight(9), 9),
    ];
    assert_eq!(told, expected);
    assert!(book.lost.iter().all(|l| !l.app_limited && l.len == MSS));
}
