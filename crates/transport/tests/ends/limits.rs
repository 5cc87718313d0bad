//! What holds a packet back: the pace, the most packets that are kept, and the application.

use backwater_transport::endpoint::{AnySender, MAX_UNACKNOWLEDGED, Protocol, Sender, SenderSetup};
use backwater_transport::queue_pair::Pull;
use backwater_transport::segment::AckSegment;
use backwater_transport::units::{Rate, Span, Time};

use crate::recorder::Recorder;
use crate::{FRAME, MSS};

fn us(n: u64) -> Time {
    Time(n * 1_000_000)
}

fn sender(protocol: Protocol, recorder: &Recorder) -> AnySender {
    AnySender::new(
        &SenderSetup::new(protocol, MSS, FRAME),
        recorder.controller(),
    )
}

/// A frame of 1,048 bytes takes a microsecond at 8.384 Gbit/s. What a NACK asks for waits for its turn like all else.
#[test]
fn a_queue_pair_paces_frames_and_what_it_sends_again() {
    for protocol in [Protocol::Roce, Protocol::Irn] {
        let recorder = Recorder::new(100 * MSS);
        recorder.book().pacing = Some(Rate(8_384_000_000));
        let mut sender = sender(protocol, &recorder);
        sender.write(2 * MSS);
        assert!(sender.poll(us(0)).is_some());
        assert!(sender.poll(us(0)).is_none());
        assert_eq!(sender.due(), us(1));
        assert!(sender.poll(Time(us(1).0 - 1)).is_none());
        assert!(sender.poll(us(1)).is_some());
        assert!(sender.poll(us(1)).is_none());
        assert_eq!(sender.due(), Time::NEVER, "nothing waits for its turn");
        let mut nack = AckSegment {
            nack: true,
            number: 1,
            ..AckSegment::default()
        };
        if protocol == Protocol::Irn {
            nack.report(MSS, 2 * MSS);
        }
        sender.on_ack(Time(1_500_000), &nack);
        assert!(sender.poll(Time(1_999_999)).is_none());
        assert_eq!(sender.due(), us(2));
        let again = sender.poll(us(2)).expect("its turn");
        assert_eq!((again.start, again.again), (0, true));
    }
}

/// 1,048,576 packets are kept until they are acknowledged, whatever the window. That a window was wider is told, and not
/// that one was full.
#[test]
fn a_sender_keeps_a_bounded_number_of_packets() {
    for protocol in [Protocol::Roce, Protocol::Irn, Protocol::Datagram] {
        let recorder = Recorder::new(2 * MSS);
        let mut sender = sender(protocol, &recorder);
        assert_eq!(sender.mss(), MSS);
        sender.write(u64::MAX);
        assert!(sender.poll(us(0)).is_some() && sender.poll(us(0)).is_some());
        assert!(sender.poll(us(0)).is_none());
        assert_eq!(sender.warnings(), None, "{protocol:?}");
        recorder.book().window = u64::MAX / 2;
        sender.on_ack(us(0), &answer(protocol, 1, us(0)));
        sender.write(1);
        let left = std::iter::from_fn(|| {
            recorder.book().sent.clear();
            sender.poll(us(0))
        });
        assert_eq!(left.count() as u64 + 1, MAX_UNACKNOWLEDGED);
        assert!(sender.warnings().is_some(), "{protocol:?}");
        sender.on_ack(us(5), &answer(protocol, 2, us(0)));
        assert!(sender.poll(us(5)).is_some());
        assert!(sender.poll(us(5)).is_none());
    }
}

fn answer(protocol: Protocol, packets: u64, echo: Time) -> AckSegment {
    let upto = match protocol {
        Protocol::Datagram => packets,
        _ => packets * MSS,
    };
    AckSegment {
        upto,
        number: packets - 1,
        echo,
        window: 1 << 30,
        ..AckSegment::default()
    }
}

/// Where nothing is left to send below the window, what leaves next is limited by the application (draft-ietf-ccwg-bbr section 4.1.2.4);
/// with a full window it is not.
#[test]
fn a_sender_with_an_open_window_and_no_data_is_limited_by_its_application() {
    for protocol in [
        Protocol::Stream,
        Protocol::Datagram,
        Protocol::Roce,
        Protocol::Irn,
    ] {
        for (window, limited) in [(3 * MSS, true), (2 * MSS + 1, true), (2 * MSS, false)] {
            let recorder = Recorder::new(window);
            let mut sender = sender(protocol, &recorder);
            sender.write(2 * MSS);
            while sender.poll(us(0)).is_some() {}
            sender.on_ack(us(100), &answer(protocol, 1, us(0)));
            sender.write(MSS);
            assert!(sender.poll(us(101)).is_some());
            sender.on_ack(us(102), &answer(protocol, 2, us(0)));
            sender.on_ack(us(201), &answer(protocol, 3, us(101)));
            let book = recorder.book();
            let rates: Vec<_> = book
                .rates
                .iter()
                .map(|r| r.map(|r| (r.app_limited, r.tx_in_flight)))
                .collect();
            let sent = Some((limited, 2 * MSS));
            assert_eq!(
                rates,
                [Some((false, MSS)), Some((false, 2 * MSS)), sent],
                "{protocol:?} {window}"
            );
            let rates: Vec<_> = book
                .rates
                .iter()
                .map(|r| r.map(|r| (r.delivered, r.interval)))
                .collect();
            // The third left at 101 us, after the first had arrived: it brought 2 packets in 101 us, as the second was delivered meanwhile.
            let expected = [(MSS, 100), (2 * MSS, 102), (2 * MSS, 101)]
                .map(|(bytes, us)| Some((bytes, Span::micros(us))));
            assert_eq!(rates, expected, "{protocol:?} {window}");
        }
    }
}

/// HPCC's public simulator: a frame has 48 bytes besides its payload and an acknowledgement 60, 18 of them Ethernet's. IRN names the packet
/// that came in eight bytes more. TCP: 20 + 20 + 12 bytes of headers and timestamps; blocks take 4 and 8 each (RFC 2018). The contest's
/// datagrams: 20 + 8 + 48.
#[test]
fn packets_have_the_bytes_of_their_protocol() {
    let bytes = |protocol: Protocol| {
        let of = |blocks| protocol.ack_bytes(blocks);
        [protocol.row().header, of(0), of(1), of(3)]
    };
    assert_eq!(bytes(Protocol::Roce), [30, 42, 42, 42]);
    assert_eq!(bytes(Protocol::Irn), [30, 42, 50, 66]);
    assert_eq!(bytes(Protocol::Stream), [52, 52, 64, 80]);
    assert_eq!(bytes(Protocol::Datagram), [76; 4]);
}

/// A silence with nothing left to send is none: no packet more, no timeout, and no timer. With data left it is.
#[test]
fn silence_behind_the_last_datagram_says_nothing() {
    for (more, timeouts) in [(0, 0), (1, 1)] {
        let recorder = Recorder::new(MSS);
        let mut sender = sender(Protocol::Datagram, &recorder);
        sender.write((1 + more) * MSS);
        assert!(sender.poll(us(0)).is_some());
        assert!(sender.poll(us(0)).is_none());
        // The silence of the default settings is a second.
        assert_eq!(sender.due(), us(1_000_000));
        sender.on_timer(us(1_000_000));
        let due = [Time::NEVER, us(2_000_000)][more as usize];
        assert_eq!((sender.due(), sender.counters().timeouts), (due, timeouts));
        assert_eq!(sender.poll(us(1_000_000)).is_some(), more == 1);
    }
}

const ALL: [Protocol; 4] = [
    Protocol::Stream,
    Protocol::Datagram,
    Protocol::Roce,
    Protocol::Irn,
];

/// The timer of a controller expires at its instant. A pace that holds nothing back is no timer: with two packets sent, the next one is the
/// silence, the retransmission or none, a second away at least.
#[test]
fn timers_of_a_controller_and_its_pace_end() {
    for protocol in ALL {
        let recorder = Recorder::new(100 * MSS);
        recorder.book().pacing = Some(Rate(8_000_000));
        recorder.book().wake = us(9_000);
        let mut sender = sender(protocol, &recorder);
        assert_eq!(sender.mss(), MSS);
        sender.write(2 * MSS);
        assert!(sender.poll(us(0)).is_some());
        assert!(sender.poll(us(0)).is_none());
        assert!(
            (us(1_000)..us(1_100)).contains(&sender.due()),
            "{protocol:?}"
        );
        assert!(sender.poll(us(1_100)).is_some());
        assert!(sender.poll(us(1_100)).is_none());
        assert_eq!(sender.due(), us(9_000), "{protocol:?}");
        sender.on_timer(Time(us(9_000).0 - 1));
        assert!(recorder.book().woken.is_empty());
        sender.on_timer(us(9_000));
        assert_eq!(recorder.book().woken, [us(9_000)], "{protocol:?}");
        assert!(sender.due() >= us(1_000_000), "{protocol:?}");
    }
}

/// A window of nothing lets one packet be in flight, and be it of one byte.
#[test]
fn one_byte_fills_a_window_of_nothing() {
    for protocol in [Protocol::Roce, Protocol::Irn, Protocol::Stream] {
        let mut sender = sender(protocol, &Recorder::new(0));
        sender.write(1);
        assert!(sender.poll(us(0)).is_some());
        sender.write(MSS);
        assert!(sender.poll(us(0)).is_none(), "{protocol:?}");
    }
}

/// Another silence holds from the next packet on.
#[test]
fn another_silence_holds_from_the_next_packet_on() {
    let mut sender = sender(Protocol::Datagram, &Recorder::new(MSS));
    let mut setup = SenderSetup::new(Protocol::Datagram, MSS, FRAME);
    setup.silence = Span::secs(2);
    sender.take_options(&setup);
    sender.write(2 * MSS);
    assert!(sender.poll(us(0)).is_some());
    assert_eq!(sender.due(), us(2_000_000));
}

/// Two packets go ahead of credit. Of one only the header came, and it waits for credit; then the packet comes after all. It is no longer
/// out of flight: the other one flies.
#[test]
fn a_packet_that_comes_behind_its_header_waits_no_more() {
    for (cut, upto, block) in [(0, 1, None), (1, 0, Some([1, 2]))] {
        let mut setup = SenderSetup::new(Protocol::Irn, MSS, FRAME);
        setup.pair.counts_sacked = false;
        setup.pair.pull = Some(Pull {
            quantum: FRAME,
            speculate: 2 * FRAME,
        });
        let recorder = Recorder::new(10 * MSS);
        let mut sender = AnySender::new(&setup, recorder.controller());
        sender.write(2 * MSS);
        assert!(sender.poll(us(0)).is_some() && sender.poll(us(0)).is_some());
        let mut header = AckSegment {
            nack: true,
            number: cut,
            ..AckSegment::default()
        };
        header.report(cut * MSS, cut * MSS);
        sender.on_ack(us(10), &header);
        assert_eq!(sender.in_flight(), MSS);
        let request = sender.poll(us(10)).expect("a request for credit");
        assert_eq!(request.len, 0);
        let mut ack = AckSegment {
            upto: upto * MSS,
            number: cut,
            ..AckSegment::default()
        };
        if let Some([first, end]) = block {
            ack.report(first * MSS, end * MSS);
        }
        sender.on_ack(us(20), &ack);
        assert_eq!(sender.in_flight(), MSS);
    }
}
