//! The contest's datagrams at the ends of what they count: the first packet, a packet of one byte, and 64 packets behind the newest.

use backwater_transport::controller::Cause;
use backwater_transport::endpoint::{
    AnyReceiver, AnySender, Protocol, Receiver, ReceiverSetup, Sender, SenderSetup,
};
use backwater_transport::segment::{AckSegment, Ecn, Segment};
use backwater_transport::units::{Span, Time};
use backwater_transport::walk::{Base, Walk};

use crate::recorder::Recorder;
use crate::{FRAME, MSS};

fn ms(n: u64) -> Time {
    Time(n * 1_000_000_000)
}

/// A sender with so many packets out at 0.
fn sender(recorder: &Recorder, packets: u64) -> AnySender {
    let setup = SenderSetup::new(Protocol::Datagram, MSS, FRAME);
    let mut sender = AnySender::new(&setup, recorder.controller());
    send(&mut sender, packets * MSS);
    sender
}

fn send(sender: &mut AnySender, bytes: u64) {
    sender.write(bytes);
    while sender.poll(ms(0)).is_some() {}
}

fn ack(number: u64, marked: u64) -> AckSegment {
    AckSegment {
        number,
        ce_bytes: marked,
        ..AckSegment::default()
    }
}

/// The second packet overtakes the first: that is a loss with two in flight, of which one flew as the lost one left. One of a byte is, too.
#[test]
fn the_first_packet_may_be_lost() {
    for bytes in [MSS, 1] {
        let recorder = Recorder::new(10 * MSS);
        let mut sender = sender(&recorder, 0);
        send(&mut sender, bytes);
        send(&mut sender, MSS);
        sender.on_ack(ms(100), &ack(1, 0));
        let loss = (Cause::Loss, bytes + MSS, bytes, bytes);
        assert_eq!(recorder.events(), [loss]);
    }
}

/// A mark on the first packet is answered.
#[test]
fn the_first_packet_may_be_marked() {
    let recorder = Recorder::new(10 * MSS);
    let mut sender = sender(&recorder, 2);
    sender.on_ack(ms(100), &ack(0, MSS));
    assert_eq!(recorder.events(), [(Cause::Mark, 2 * MSS, 0, 0)]);
}

/// An acknowledgement of a packet that has not left says nothing, and is no end of a silence, which is a second.
#[test]
fn what_has_not_left_is_not_acknowledged() {
    let recorder = Recorder::new(10 * MSS);
    let mut sender = sender(&recorder, 2);
    for number in [2, 3] {
        sender.on_ack(ms(100), &ack(number, 0));
    }
    assert!(recorder.book().heard.is_empty());
    assert_eq!((sender.due(), sender.in_flight()), (ms(1_000), 2 * MSS));
}

/// The least round trip is told: of 100, 80 and 120 ms.
#[test]
fn the_least_round_trip_is_told() {
    let recorder = Recorder::new(10 * MSS);
    let mut sender = sender(&recorder, 0);
    let mut least = Vec::new();
    for (number, (leaves, returns)) in [(0, 100), (200, 280), (300, 420)].into_iter().enumerate() {
        sender.write(MSS);
        assert!(sender.poll(ms(leaves)).is_some());
        sender.on_ack(ms(returns), &ack(number as u64, 0));
        least.push(recorder.book().least);
    }
    assert_eq!(least, [100, 80, 80].map(Span::millis));
}

fn receiver(numbers: &[u64], at: u64) -> AnyReceiver {
    let mut receiver = AnyReceiver::new(&ReceiverSetup::new(Protocol::Datagram, MSS));
    for number in numbers {
        let segment = Segment {
            number: *number,
            len: MSS as u32,
            ..Segment::default()
        };
        assert!(receiver.on_segment(ms(at), &segment, Ecn::NotEct).is_some());
    }
    receiver
}

/// Packets are told apart up to 64 behind the newest. 65 comes 64 behind 1, so nothing is known of those between; each of them counts once.
#[test]
fn a_gap_of_sixty_four_packets_is_open() {
    let numbers = [0, 1, 65, 64, 64, 2, 2, 33, 65];
    assert_eq!(receiver(&numbers, 0).delivered(), 6 * MSS);
}

/// The newest packet, and what came when, are parts of a receiver's state. The last to come was 3 in both, so far behind that it is not
/// noted.
#[test]
fn the_newest_packet_is_part_of_the_state() {
    let state = |numbers: &[u64], at| {
        let base = Base {
            number: 110,
            ..Base::default()
        };
        let mut walk = Walk::look(ms(50));
        receiver(numbers, at).walk(&mut walk, "flow", &base);
        walk.seen().expect("all is visited").state
    };
    assert_eq!(state(&[100, 99, 3], 10), state(&[100, 99, 3], 10));
    assert_ne!(state(&[100, 99, 3], 10), state(&[101, 100, 3], 10));
    assert_ne!(state(&[100, 99, 3], 10), state(&[100, 99, 3], 20));
}
