//! A queue pair in order beside a model that keeps every transmission: go-back-N and go-back-0 (InfiniBand C9-110) on a path that
//! loses, cuts, marks, repeats and delays at random.

use backwater_transport::endpoint::{AnyReceiver, AnySender, Protocol, Receiver, Sender};
use backwater_transport::queue_pair::QueuePair;
use backwater_transport::random::Random;
use backwater_transport::segment::{AckSegment, Ecn, Segment};
use backwater_transport::units::{Span, Time};

use crate::recorder::Recorder;
use crate::roce_model::{Expected, Model};
use crate::{MSS, both_ends};

struct Run {
    sender: AnySender,
    receiver: AnyReceiver,
    model: Model,
    expected: Expected,
    recorder: Recorder,
    random: Random,
    now: u64,
    there: Vec<Segment>,
    back: Vec<AckSegment>,
}

impl Run {
    fn new(pair: QueuePair, window: u64, seed: u64) -> Run {
        let recorder = Recorder::new(window);
        let (sender, receiver) = both_ends(Protocol::Roce, pair, &recorder);
        Run {
            sender,
            receiver,
            model: Model::new(pair, window),
            expected: Expected::default(),
            recorder,
            random: Random::stream(seed, "test", "roce"),
            now: 0,
            there: Vec::new(),
            back: Vec::new(),
        }
    }

    fn compare(&mut self) {
        let now = Time(self.now);
        self.expected.notices.compare(now, &mut self.receiver);
        assert_eq!(self.sender.in_flight(), self.model.from - self.model.una);
        let due = self.model.deadline.map_or(Time::NEVER, Time);
        assert_eq!(self.sender.due(), due);
        let events = std::mem::take(&mut self.model.events);
        assert_eq!(self.recorder.events(), events);
        let c = self.sender.counters();
        assert_eq!([c.lost, c.recoveries, c.timeouts], self.model.counts);
        assert_eq!(c.acked, self.model.acked);
        let stuck = self.model.from > self.model.una && self.model.deadline.is_none();
        assert_eq!(self.sender.has_no_timer(), stuck);
    }

    fn pump(&mut self) {
        loop {
            let number = self.model.gone.len() as u64;
            let left = self.sender.poll(Time(self.now));
            let expected = self.model.poll(self.now);
            let seen = left
                .as_ref()
                .map(|s| (s.start, u64::from(s.len), s.again, s.push));
            assert_eq!(seen, expected);
            let (Some(segment), Some(gone)) = (left, self.model.gone.last()) else {
                break;
            };
            let sent = self.recorder.book().sent.pop().expect("it was told");
            assert_eq!((segment.number, sent.number), (number, number));
            assert_eq!((sent.len, sent.in_flight), (gone.len, gone.flight));
            assert_eq!(
                (sent.again, sent.app_limited),
                (segment.again, segment.push)
            );
            self.there.push(segment);
        }
        self.compare();
    }

    /// A packet comes to the receiver, mostly the oldest, or is lost, cut or repeated.
    fn arrive(&mut self) {
        if self.there.is_empty() {
            return;
        }
        let last = self.there.len() as u64 - 1;
        let near = if self.random.unit() < 0.9 {
            0
        } else {
            last.min(4)
        };
        let mut segment = self.there.remove(self.random.between(0, near) as usize);
        let fate = self.random.unit();
        let ecn = if fate > 0.85 { Ecn::Ce } else { Ecn::NotEct };
        if fate < 0.08 {
            return;
        }
        if fate < 0.16 {
            segment.len = 0;
        } else if fate < 0.2 {
            self.there.push(segment.clone());
        }
        let now = Time(self.now);
        let ack = self.receiver.on_segment(now, &segment, ecn);
        let expected = self.expected.answer(now, &segment, ecn, &self.model.pair);
        assert_eq!(ack, expected);
        assert_eq!(self.receiver.delivered(), self.expected.delivered);
        self.back.extend(ack);
    }

    fn acknowledge(&mut self) {
        if self.back.is_empty() {
            return;
        }
        let last = self.back.len() as u64 - 1;
        let near = if self.random.unit() < 0.8 {
            0
        } else {
            last.min(3)
        };
        let ack = self.back.remove(self.random.between(0, near) as usize);
        if self.random.unit() < 0.05 {
            return;
        }
        let before = self.recorder.book().heard.len();
        self.sender.on_ack(Time(self.now), &ack);
        let Some((mut expected, newest)) = self.model.ack(self.now, &ack) else {
            assert_eq!(self.recorder.book().heard.len(), before, "it was overtaken");
            return;
        };
        expected.rtt = Some(Span(self.now - ack.echo.0));
        expected.one_way = Some(Span(ack.received.0 - ack.echo.0));
        assert_eq!(self.recorder.last(), expected);
        let book = self.recorder.book();
        if let Some(rate) = book.rates.last().copied().flatten() {
            let newest = newest.map(|gone| (gone.flight, gone.delivered));
            assert_eq!(Some((rate.tx_in_flight, rate.prior_delivered)), newest);
        }
        drop(book);
        self.recorder.compare_round(&mut self.model.limited);
    }

    fn step(&mut self) {
        self.now += self.random.between(1, 40) * 1_000_000;
        match self.random.between(0, 9) {
            0 => {
                let bytes = self.random.between(1, 6) * MSS - self.random.between(0, 1) * 300;
                self.sender.write(bytes);
                self.model.written += bytes;
            }
            1..=5 => self.arrive(),
            _ => self.acknowledge(),
        }
        self.compare();
        if self.model.deadline.is_some_and(|due| due <= self.now) {
            self.sender.on_timer(Time(self.now));
            self.model.expire();
        }
        self.pump();
    }
}

/// Each packet that leaves, each answer, each timer and each word to the controller.
#[test]
fn a_queue_pair_in_order_does_what_its_model_does() {
    let base = QueuePair {
        timeout: Some(Span::micros(700)),
        ..QueuePair::default()
    };
    let pairs = [
        base,
        QueuePair {
            nack_interval: Some(Span::micros(100)),
            ..base
        },
        QueuePair {
            message: Some(4 * MSS),
            ..base
        },
        QueuePair {
            message: Some(3 * MSS),
            nack_interval: Some(Span::micros(60)),
            ..base
        },
        QueuePair {
            timeout: None,
            ..base
        },
    ];
    for (seed, pair) in pairs.into_iter().enumerate() {
        for window in [6 * MSS, 0, 2 * MSS + 500, 20 * MSS] {
            let mut run = Run::new(pair, window, seed as u64);
            for _ in 0..1_000 {
                run.step();
            }
            let sent = run.model.gone.len();
            assert!(sent > 20 || pair.timeout.is_none(), "{pair:?} {sent}");
        }
    }
}
