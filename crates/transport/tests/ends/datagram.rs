//! The contest's datagrams beside a model that knows the fate of each packet, on a path that loses, marks, repeats and delays at random.

use std::collections::BTreeSet;

use backwater_transport::endpoint::{
    AnyReceiver, AnySender, Protocol, Receiver, ReceiverSetup, Sender, SenderSetup,
};
use backwater_transport::random::Random;
use backwater_transport::segment::{AckSegment, Ecn, Segment};
use backwater_transport::units::Time;

use crate::datagram_model::{Fate, Model, SILENCE};
use crate::recorder::Recorder;
use crate::{FRAME, MSS};

/// The receiver: which numbers have come. Those more than 64 behind the newest count whenever they come.
#[derive(Default)]
struct Came {
    numbers: BTreeSet<u64>,
    bytes: u64,
    ce: (u64, u64),
}

impl Came {
    fn answer(&mut self, now: Time, segment: &Segment, ecn: Ecn) -> AckSegment {
        let len = u64::from(segment.len);
        let before = self.numbers.last().map_or(0, |n| n + 1);
        let known = !self.numbers.insert(segment.number);
        if !known || segment.number + 64 < before {
            self.bytes += len;
        }
        if ecn == Ecn::Ce {
            self.ce = (self.ce.0 + len, self.ce.1 + 1);
        }
        AckSegment {
            upto: self.numbers.last().map_or(0, |n| n + 1),
            number: segment.number,
            echo: segment.sent,
            received: now,
            ece: ecn == Ecn::Ce,
            ce_bytes: self.ce.0,
            ace: (self.ce.1 % 8) as u8,
            window: 1_048_576_000,
            ..AckSegment::default()
        }
    }
}

struct Run {
    sender: AnySender,
    receiver: AnyReceiver,
    model: Model,
    came: Came,
    recorder: Recorder,
    random: Random,
    now: u64,
    there: Vec<Segment>,
    back: Vec<AckSegment>,
}

impl Run {
    fn new(window: u64, heartbeat: u64, seed: u64) -> Run {
        let mut setup = SenderSetup::new(Protocol::Datagram, MSS, FRAME);
        setup.silence = SILENCE;
        let recorder = Recorder::new(window);
        recorder.book().heartbeat = heartbeat;
        Run {
            sender: AnySender::new(&setup, recorder.controller()),
            receiver: AnyReceiver::new(&ReceiverSetup::new(Protocol::Datagram, MSS)),
            model: Model::new(window, heartbeat),
            came: Came::default(),
            recorder,
            random: Random::stream(seed, "test", "datagram"),
            now: 0,
            there: Vec::new(),
            back: Vec::new(),
        }
    }

    fn compare(&mut self) {
        assert_eq!(self.sender.in_flight(), self.model.flight());
        let due = self.model.deadline.map_or(Time::NEVER, Time);
        assert_eq!(self.sender.due(), due);
        let events = std::mem::take(&mut self.model.events);
        assert_eq!(self.recorder.events(), events);
        let c = self.sender.counters();
        let counts = [c.timeouts, c.lost, c.recoveries, c.spurious, c.marks];
        assert_eq!((counts, c.acked), (self.model.counts, self.model.acked));
    }

    /// All that may leave leaves; of heartbeats, which have no end, three.
    fn pump(&mut self) {
        for _ in 0..if self.model.heartbeat > 0 { 3 } else { 1000 } {
            let (number, start) = (self.model.packets.len() as u64, self.model.sent());
            let left = self.sender.poll(Time(self.now));
            let expected = self.model.poll(self.now);
            assert_eq!(left.as_ref().map(|s| u64::from(s.len)), expected);
            let Some(segment) = left else { break };
            let seen = (segment.number, segment.start, segment.again, segment.push);
            assert_eq!(seen, (number, start, false, true));
            let sent = self.recorder.book().sent.pop().expect("it was told");
            let last = self.model.sent() == self.model.written;
            assert_eq!((sent.number, sent.app_limited), (number, last));
            assert_eq!(sent.in_flight, self.model.flight());
            self.there.push(segment);
        }
        self.compare();
    }

    fn take<T>(random: &mut Random, from: &mut Vec<T>, order: f64, far: u64) -> Option<T> {
        let last = (from.len() as u64).checked_sub(1)?;
        let near = if random.unit() < order {
            0
        } else {
            last.min(far)
        };
        Some(from.remove(random.between(0, near) as usize))
    }

    fn arrive(&mut self) {
        let Some(segment) = Run::take(&mut self.random, &mut self.there, 0.8, 80) else {
            return;
        };
        let fate = self.random.unit();
        let ecn = if fate > 0.9 { Ecn::Ce } else { Ecn::NotEct };
        if fate < 0.1 {
            return;
        }
        if fate < 0.15 {
            self.there.push(segment.clone());
        }
        let now = Time(self.now);
        let ack = self.receiver.on_segment(now, &segment, ecn);
        assert_eq!(ack, Some(self.came.answer(now, &segment, ecn)));
        assert_eq!(self.receiver.delivered(), self.came.bytes);
        assert_eq!(self.receiver.due(), Time::NEVER);
        self.back.extend(ack);
    }

    fn acknowledge(&mut self) {
        let Some(ack) = Run::take(&mut self.random, &mut self.back, 0.7, 12) else {
            return;
        };
        let before = self.recorder.book().heard.len();
        self.sender.on_ack(Time(self.now), &ack);
        let flying = self.model.packets[ack.number as usize].fate == Fate::Flying;
        let Some(expected) = self.model.ack(self.now, &ack) else {
            assert_eq!(self.recorder.book().heard.len(), before, "it says nothing");
            return;
        };
        assert_eq!(self.recorder.last(), expected);
        let mut book = self.recorder.book();
        let lost = book
            .lost
            .drain(..)
            .map(|l| [l.number, l.len, l.tx_in_flight, l.in_flight]);
        assert_eq!(
            lost.collect::<Vec<_>>(),
            std::mem::take(&mut self.model.lost)
        );
        if let Some(rate) = book.rates.last().copied().flatten() {
            assert!(flying, "a packet that was overtaken tells of no rate");
            let packet = self.model.packets[ack.number as usize];
            assert_eq!(rate.tx_in_flight, packet.flight);
        }
        drop(book);
        self.recorder.compare_round(&mut self.model.limited);
    }

    fn step(&mut self) {
        self.now += self.random.between(1, 40) * 1_000_000;
        match self.random.between(0, 9) {
            0 => {
                let bytes = self.random.between(1, 30) * MSS - self.random.between(0, 1) * 300;
                self.sender.write(bytes);
                self.model.written += bytes;
            }
            1..=5 => self.arrive(),
            _ => self.acknowledge(),
        }
        self.compare();
        if self.model.deadline.is_some_and(|due| due <= self.now) {
            self.sender.on_timer(Time(self.now));
            self.model.expire(self.now);
        }
        self.pump();
    }
}

/// Each packet that leaves, each answer, each timer and each word to the controller. A window of 100 packets lets one come more than 64
/// behind another.
#[test]
fn datagrams_do_what_their_model_does() {
    for (seed, (packets, heartbeat)) in [(5, 0), (100, 0), (1, 0), (0, 0), (3, 200), (3, 5000)]
        .into_iter()
        .enumerate()
    {
        let mut run = Run::new(packets * MSS, heartbeat, seed as u64);
        for _ in 0..1_200 {
            run.step();
        }
        let sent = run.model.packets.len();
        assert!(sent > 20 && run.model.delivered > 0, "{packets} {sent}");
    }
}
