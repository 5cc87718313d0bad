//! Queue pairs over a line of so many packets in each round trip that loses packets at random, against closed forms: with W
//! packets sent in a round trip and M in the time in which no second NACK leaves, go-back-N delivers the share
//! (1 − p) / (1 + p (W + p M)) of the line.

use backwater_transport_testing::options;
use std::collections::VecDeque;

use backwater_transport::controller::{AnyController, CONTROLLERS, Setup};
use backwater_transport::endpoint::{
    AnyReceiver, AnySender, Protocol, Receiver, ReceiverSetup, Sender, SenderSetup,
};
use backwater_transport::queue_pair::{Pull, QueuePair};
use backwater_transport::random::Random;
use backwater_transport::segment::{AckSegment, Ecn, Segment, Signal};
use backwater_transport::units::{Span, Time};

const MSS: u64 = 1000;
/// A frame of 1,048 bytes at 100 Gbit/s.
const SLOT: u64 = 83_840;
/// Packets in a round trip.
const W: u64 = 100;
/// The share of packets lost.
const P: f64 = 1.0 / 256.0;

/// The result of a run.
struct Got {
    /// Share of the line that was delivered.
    goodput: f64,
    /// Share of the packets sent that the receiver could use.
    useful: f64,
}

fn boundless(protocol: Protocol) -> AnyController {
    controller(protocol, "fixed", &[("window", "1000000 packets")])
}

/// A controller whose first window has ten packets.
fn controller(protocol: Protocol, id: &str, options: &[(&str, &str)]) -> AnyController {
    let part = CONTROLLERS.iter().find(|p| p.id == id).expect("a row");
    let setup = Setup {
        protocol,
        mss: MSS,
        frame: MSS + 48,
        initial: 10 * MSS,
        random: Random::stream(1, "controller", ""),
    };
    (part.build)(&options::read(part.options, options), &setup).expect("legal options")
}

/// Sends without end for so many slots; one packet leaves in each.
fn run(protocol: Protocol, pair: QueuePair, lost: impl Fn(u64) -> bool, slots: u64) -> Got {
    run_late(protocol, pair, lost, |_| 0, slots)
}

/// The same where a packet may come so many slots late.
fn run_late(
    protocol: Protocol,
    pair: QueuePair,
    lost: impl Fn(u64) -> bool,
    late: impl Fn(u64) -> u64,
    slots: u64,
) -> Got {
    let mut setup = SenderSetup::new(protocol, MSS, MSS + 48);
    setup.pair = pair;
    let mut receiver = ReceiverSetup::new(protocol, MSS);
    receiver.pair = pair;
    let mut sender = AnySender::new(&setup, boundless(protocol));
    let mut receiver = AnyReceiver::new(&receiver);
    let mut there: VecDeque<(u64, Segment)> = VecDeque::new();
    let mut back: VecDeque<(u64, AckSegment)> = VecDeque::new();
    sender.write(u64::MAX);
    for slot in 0..slots {
        let now = Time(slot * SLOT);
        while let Some((_, ack)) = back.pop_front_if(|b| b.0 == slot) {
            sender.on_ack(now, &ack);
        }
        if sender.due() <= now {
            sender.on_timer(now);
        }
        if let Some(segment) = sender.poll(now)
            && !lost(segment.number)
        {
            let due = slot + W / 2 + late(segment.number);
            let place = there.partition_point(|t| t.0 <= due);
            there.insert(place, (due, segment));
        }
        while let Some((_, segment)) = there.pop_front_if(|t| t.0 == slot) {
            let ack = receiver.on_segment(now, &segment, Ecn::NotEct);
            back.extend(ack.map(|ack| (slot + W / 2, ack)));
        }
    }
    Got {
        goodput: receiver.delivered() as f64 / (slots * MSS) as f64,
        useful: receiver.delivered() as f64 / (sender.counters().segments * MSS) as f64,
    }
}

/// Whether a transmission is lost, drawn by its number.
fn at_random(p: f64, seed: u64) -> impl Fn(u64) -> bool {
    let mut random = Random::stream(seed, "test", "losses");
    let drawn: Vec<bool> = (0..500_000).map(|_| random.unit() <= p).collect();
    move |number| drawn[number as usize]
}

fn closed_form(p: f64, m: f64) -> f64 {
    (1.0 - p) / (1.0 + p * (W as f64 + p * m))
}

#[test]
fn go_back_n_sends_a_round_trip_again_for_each_loss() {
    // A second NACK may leave as soon as the sender has gone back (M = 0): .716 at 1/256, .908 at 1/1000, .495 at 1/100.
    for (p, expected) in [(P, 0.716), (0.001, 0.908), (0.01, 0.495)] {
        assert!((closed_form(p, 0.0) - expected).abs() < 0.001);
        let got = run(
            Protocol::Roce,
            QueuePair::default(),
            at_random(p, 1),
            400_000,
        );
        assert!(
            (got.goodput / expected - 1.0).abs() < 0.05,
            "{p} {}",
            got.goodput
        );
    }
}

/// 500 us at 100 Gbit/s are 5,963 packets, in which a packet that is lost again waits: .672.
#[test]
fn a_nack_that_comes_once_in_500_us_costs_what_the_closed_form_says() {
    let pair = QueuePair {
        nack_interval: Some(Span::micros(500)),
        ..QueuePair::default()
    };
    let expected = closed_form(P, 500e6 / SLOT as f64);
    assert!((expected - 0.672).abs() < 0.001);
    let got = run(Protocol::Roce, pair, at_random(P, 2), 450_000);
    assert!(
        (got.goodput / expected - 1.0).abs() < 0.05,
        "{}",
        got.goodput
    );
}

/// A message of 4000 packets arrives whole with probability (255/256)^4000 = 1.6e-7.
#[test]
fn go_back_0_delivers_no_message_of_4000_packets_at_a_loss_of_one_in_256() {
    let pair = QueuePair {
        message: Some(4000 * MSS),
        ..QueuePair::default()
    };
    let got = run(Protocol::Roce, pair, at_random(P, 3), 200_000);
    assert_eq!(got.goodput, 0.0);
    let whole = run(Protocol::Roce, pair, |_| false, 8_000 + W);
    let packets = whole.goodput * (8_000 + W) as f64;
    assert!((packets - 8_000.0).abs() < 1e-6, "{packets}");
}

/// IRN sends again only what is lost, so the share of useful packets is that of packets that arrive. A cap of one product
/// counted from the cumulative acknowledgement idles while a hole is open; one of two does not.
#[test]
fn irn_sends_again_only_what_is_missing() {
    for (products, counts_sacked, low, high) in [
        (1, true, 0.75, 0.83),
        (2, true, 0.98, 1.0),
        (1, false, 0.98, 1.0),
    ] {
        let pair = QueuePair {
            cap: products * W * MSS,
            counts_sacked,
            timeout: Some(Span(3 * W * SLOT)),
            timeout_low: Some(Span(3 * W * SLOT)),
            ..QueuePair::default()
        };
        let got = run(Protocol::Irn, pair, at_random(P, 4), 400_000);
        assert!(
            (low..=high).contains(&got.goodput),
            "{products} {counts_sacked} {}",
            got.goodput
        );
        assert!((got.useful - (1.0 - P)).abs() < 0.002, "{}", got.useful);
    }
}

/// Every other packet takes a way that is ten slots longer. A receiver that takes any order asks for nothing, and each packet is sent
/// once; one that takes a gap for a loss has packets sent again that come anyway. A real loss is found by the timer.
#[test]
fn packets_of_two_ways_are_no_losses_where_gaps_are_none() {
    let got = |gaps_are_losses, lost: fn(u64) -> bool| {
        let pair = QueuePair {
            cap: 3 * W * MSS,
            gaps_are_losses,
            timeout: Some(Span(3 * W * SLOT)),
            timeout_low: Some(Span(3 * W * SLOT)),
            ..QueuePair::default()
        };
        run_late(Protocol::Irn, pair, lost, |n| n % 2 * 10, 20_000)
    };
    let none = |_| false;
    let sent_once = got(false, none);
    // Bytes in flight at the end count as sent: a round trip of 20,000 slots.
    assert!(sent_once.useful > 0.99, "{}", sent_once.useful);
    assert!(got(true, none).useful < 0.8);
    let found = got(false, |number| number == 5_000);
    assert!(found.goodput > 0.95, "{}", found.goodput);
}

/// The last packet of a write is lost, so nothing comes out of order: only the timer finds it.
#[test]
fn the_timer_finds_the_loss_of_a_last_packet() {
    for protocol in [Protocol::Roce, Protocol::Irn] {
        let pair = QueuePair {
            timeout: Some(Span(4 * W * SLOT)),
            timeout_low: Some(Span(2 * W * SLOT)),
            ..QueuePair::default()
        };
        let mut setup = SenderSetup::new(protocol, MSS, MSS + 48);
        setup.pair = pair;
        let mut sender = AnySender::new(&setup, boundless(protocol));
        sender.write(MSS);
        let first = sender.poll(Time::ZERO).expect("a packet");
        assert!(sender.poll(Time::ZERO).is_none());
        let due = match protocol {
            Protocol::Irn => 2,
            _ => 4,
        };
        assert_eq!(sender.due(), Time(due * W * SLOT));
        sender.on_timer(sender.due());
        let again = sender.poll(Time(due * W * SLOT)).expect("the packet again");
        assert_eq!(
            (again.start, again.again, again.number),
            (first.start, true, 1)
        );
        assert_eq!(sender.counters().timeouts, 1);
    }
}

/// A pair at a steady rate paces whole frames: 1,048 bytes at 8 Gbit/s take 1,048 ns. A notification halves the rate (α is 1), and the next
/// departure moves with it: the card counts the packet that has left at the new pace.
#[test]
fn paces_count_frames() {
    let protocol = Protocol::Roce;
    let options = [("rate", "8 Gbit/s"), ("variant", "paper")];
    let controller = controller(protocol, "dcqcn", &options);
    let mut sender = AnySender::new(&SenderSetup::new(protocol, MSS, MSS + 48), controller);
    sender.write(10 * MSS);
    assert!(sender.poll(Time::ZERO).is_some());
    assert!(sender.poll(Time::ZERO).is_none());
    assert_eq!(sender.due(), Time(1_048_000));
    sender.on_signal(Time(500_000), &Signal::Congestion);
    assert!(sender.poll(Time(1_048_000)).is_none());
    assert_eq!(sender.due(), Time(2_096_000));
}

/// A sender that has sent so many packets at once, and its acknowledgements: up to a packet, a block of one packet, or the place of a trimmed one.
fn with_packets(protocol: Protocol, pair: QueuePair, packets: u64) -> AnySender {
    controlled(protocol, pair, packets, boundless(protocol))
}

/// The same under a controller.
fn controlled(
    protocol: Protocol,
    pair: QueuePair,
    packets: u64,
    controller: AnyController,
) -> AnySender {
    let mut setup = SenderSetup::new(protocol, MSS, MSS + 48);
    setup.pair = pair;
    let mut sender = AnySender::new(&setup, controller);
    sender.write(packets * MSS);
    for _ in 0..packets {
        assert!(sender.poll(Time::ZERO).is_some());
    }
    sender
}

fn answer(upto: u64, block: Option<[u64; 2]>) -> AckSegment {
    let mut ack = AckSegment {
        upto: upto * MSS,
        nack: block.is_some(),
        ..AckSegment::default()
    };
    if let Some([first, end]) = block {
        ack.report(first * MSS, end * MSS);
    }
    ack
}

/// The short timer is for three packets in flight or fewer.
#[test]
fn irn_has_a_short_timer_for_its_last_three_packets() {
    let pair = QueuePair {
        timeout: Some(Span::micros(320)),
        timeout_low: Some(Span::micros(100)),
        ..QueuePair::default()
    };
    let mut sender = with_packets(Protocol::Irn, pair, 6);
    for (upto, now, due) in [(2, 10, 330), (3, 20, 120), (4, 30, 130), (6, 40, u64::MAX)] {
        sender.on_ack(Time(now * 1_000_000), &answer(upto, None));
        assert_eq!(sender.due(), Time(due.saturating_mul(1_000_000)), "{upto}");
    }
}

/// A recovery lasts until what had been sent as it began is acknowledged: gaps until then belong to it, the next one opens another.
#[test]
fn a_gap_behind_a_recovery_opens_another() {
    let mut sender = with_packets(Protocol::Irn, QueuePair::default(), 10);
    sender.on_ack(Time(1), &answer(1, Some([2, 3])));
    sender.on_ack(Time(2), &answer(1, Some([5, 6])));
    assert_eq!(sender.counters().recoveries, 1);
    sender.on_ack(Time(3), &answer(10, None));
    sender.write(10 * MSS);
    while sender.poll(Time(4)).is_some() {}
    sender.on_ack(Time(5), &answer(11, Some([12, 13])));
    assert_eq!(sender.counters().recoveries, 2);
}

/// Going back twice among the packets of one flight is one recovery; behind it begins the next.
#[test]
fn go_back_n_recovers_once_for_a_flight() {
    let nack = |packet| AckSegment {
        nack: true,
        ..answer(packet, None)
    };
    let mut sender = with_packets(Protocol::Roce, QueuePair::default(), 10);
    for (now, packet, recoveries) in [(1, 2, 1), (3, 5, 1), (5, 10, 2)] {
        sender.on_ack(Time(now), &nack(packet));
        assert_eq!(sender.counters().recoveries, recoveries, "{packet}");
        while sender.poll(Time(now + 1)).is_some() {}
    }
}

/// The header of a transmission that was repeated meanwhile says nothing of the repetition.
#[test]
fn a_trimmed_packet_is_lost_once() {
    let mut sender = with_packets(Protocol::Irn, QueuePair::default(), 3);
    sender.on_ack(Time(1), &answer(0, Some([0, 0])));
    assert_eq!(sender.counters().lost, 1);
    let again = sender.poll(Time(2)).expect("the packet again");
    assert_eq!((again.start, again.number), (0, 3));
    sender.on_ack(Time(3), &answer(0, Some([0, 0])));
    assert_eq!(sender.counters().lost, 1);
    let mut late = answer(0, Some([0, 0]));
    late.number = 3;
    sender.on_ack(Time(4), &late);
    assert_eq!(sender.counters().lost, 2);
}

/// Two headers of one flight are one congestion event, and that of a packet that left behind the first is another. Reno keeps half of the flight at
/// each: 4 of 8 packets, then the least window of two.
#[test]
fn headers_of_a_flight_are_one_congestion_event() {
    let reno = controller(Protocol::Irn, "newreno", &[]);
    let mut sender = controlled(Protocol::Irn, QueuePair::default(), 8, reno);
    let header = |upto, packet, number| AckSegment {
        number,
        ..answer(upto, Some([packet, packet]))
    };
    for number in [6, 7] {
        sender.on_ack(Time(1), &header(0, number, number));
        assert_eq!(sender.core().window(), 4 * MSS, "{number}");
    }
    sender.on_ack(Time(2), &answer(6, None));
    let again = sender.poll(Time(3)).expect("the packet again");
    assert_eq!((again.start, again.number), (6 * MSS, 8));
    sender.on_ack(Time(4), &header(6, 6, 8));
    assert_eq!(sender.core().window(), 2 * MSS);
}

/// Two packets go ahead of credit, and no header or answer comes. The timer sends the first of them again, without credit: it owes a frame of 1,048 B
/// then. So of three frames of credit two packets leave.
#[test]
fn a_packet_that_the_timer_repeats_owes_its_credit() {
    const FRAME: u64 = MSS + 48;
    let pair = QueuePair {
        timeout: Some(Span::micros(100)),
        pull: Some(Pull {
            quantum: FRAME,
            speculate: 2 * FRAME,
        }),
        ..QueuePair::default()
    };
    let mut sender = with_packets(Protocol::Irn, pair, 2);
    sender.write(6 * MSS);
    let request = sender.poll(Time(1)).expect("a request");
    assert_eq!(request.len, 0);
    assert!(sender.poll(Time(1)).is_none());
    assert_eq!(sender.due(), Time(100_000_000));
    sender.on_timer(sender.due());
    let again = sender.poll(Time(100_000_000)).expect("the packet again");
    assert_eq!((again.start, again.again), (0, true));
    assert!(sender.poll(Time(100_000_001)).is_none());
    sender.on_signal(Time(100_000_002), &Signal::Credit { granted: 3 * FRAME });
    let mut sent = Vec::new();
    while let Some(segment) = sender.poll(Time(100_000_003)) {
        sent.push(segment.start);
    }
    assert_eq!(sent, [2 * MSS, 3 * MSS]);
}

/// All that was sent is acknowledged when more data come and no credit is left: one request leaves. The timer sends it again, and no packet with it.
#[test]
fn the_timer_repeats_a_request_for_credit() {
    let pair = QueuePair {
        timeout: Some(Span::micros(100)),
        pull: Some(Pull {
            quantum: 4000,
            speculate: MSS + 48,
        }),
        ..QueuePair::default()
    };
    let mut sender = with_packets(Protocol::Irn, pair, 1);
    sender.on_ack(Time(1_000_000), &answer(1, None));
    sender.write(MSS);
    for (now, number) in [(2_000_000, 1), (102_000_000, 2)] {
        let request = sender.poll(Time(now)).expect("a request");
        assert_eq!((request.len, request.number), (0, number));
        assert!(sender.poll(Time(now)).is_none());
        assert_eq!(sender.due(), Time(102_000_000 + 100_000_000 * (number - 1)));
        sender.on_timer(sender.due());
    }
    assert_eq!((sender.counters().timeouts, sender.counters().lost), (0, 0));
}

/// Three of four packets are acknowledged after 10 us. An acknowledgement of two that comes after 50 us was overtaken: the round trip stays, and the fourth packet stays in flight.
#[test]
fn an_acknowledgement_that_was_overtaken_says_nothing() {
    for protocol in [Protocol::Roce, Protocol::Irn] {
        let mut sender = with_packets(protocol, QueuePair::default(), 4);
        sender.on_ack(Time(10_000_000), &answer(3, None));
        assert_eq!(sender.inspect().srtt, Span::micros(10));
        sender.on_ack(Time(50_000_000), &answer(2, None));
        let seen = sender.inspect();
        assert_eq!((seen.srtt, seen.in_flight), (Span::micros(10), MSS));
    }
}

/// Of a message of four packets two have arrived when the receiver asks for the first: all four leave again.
#[test]
fn go_back_0_sends_what_was_acknowledged_again() {
    let pair = QueuePair {
        message: Some(4 * MSS),
        ..QueuePair::default()
    };
    let mut sender = with_packets(Protocol::Roce, pair, 4);
    sender.on_ack(Time(1), &answer(2, None));
    let nack = AckSegment {
        nack: true,
        ..answer(0, None)
    };
    sender.on_ack(Time(2), &nack);
    let mut sent = Vec::new();
    while let Some(segment) = sender.poll(Time(3)) {
        sent.push(segment.start / MSS);
    }
    assert_eq!(sent, [0, 1, 2, 3]);
}
