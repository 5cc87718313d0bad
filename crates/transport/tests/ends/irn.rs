//! A queue pair without order beside its model, on a path that loses, cuts, marks, repeats and delays at random.

use std::collections::BTreeSet;

use backwater_transport::endpoint::{
    AnyReceiver, AnySender, CreditState, Protocol, Receiver, Sender,
};
use backwater_transport::queue_pair::{Pull, QueuePair};
use backwater_transport::random::Random;
use backwater_transport::segment::{AckSegment, Ecn, Feedback, Segment, Signal};
use backwater_transport::units::{Span, Time};

use crate::irn_model::{Leaves, Model};
use crate::notices::Notices;
use crate::recorder::Recorder;
use crate::{FRAME, MSS, both_ends};

/// Which packets have arrived, as the bytes of each.
#[derive(Default)]
struct Arrived {
    packets: BTreeSet<(u64, u64)>,
    notices: Notices,
}

impl Arrived {
    /// The first byte that is missing.
    fn upto(&self) -> u64 {
        let mut upto = 0;
        for (start, end) in &self.packets {
            if *start > upto {
                break;
            }
            upto = *end;
        }
        upto
    }

    /// What the receiver answers.
    fn answer(&mut self, now: Time, segment: &Segment, ecn: Ecn, gaps: bool) -> AckSegment {
        let end = segment.start + u64::from(segment.len);
        let feedback = segment.feedback.as_deref();
        let request = matches!(feedback, Some(Feedback::Wanted { alone: true, .. }));
        let cut = segment.len == 0;
        if !cut {
            self.packets.insert((segment.start, end));
            self.notices.arrive(now, segment, ecn);
        }
        let mut ack = self.notices.answer(now, segment, ecn, self.upto());
        let above = match cut {
            true => segment.start >= ack.upto && !request,
            false => segment.start > ack.upto,
        };
        if above {
            ack.nack = cut || gaps;
            ack.report(segment.start, end);
        }
        ack
    }
}

/// What is wanted and given, as the receiver hears of it.
#[derive(Default)]
struct Given {
    wanted: u64,
    granted: u64,
    repeats: bool,
}

struct Run {
    sender: AnySender,
    receiver: AnyReceiver,
    model: Model,
    arrived: Arrived,
    given: Given,
    recorder: Recorder,
    random: Random,
    now: u64,
    there: Vec<Segment>,
    back: Vec<AckSegment>,
    credit: Vec<u64>,
}

impl Run {
    fn new(pair: QueuePair, window: u64, seed: u64) -> Run {
        let recorder = Recorder::new(window);
        let (sender, receiver) = both_ends(Protocol::Irn, pair, &recorder);
        Run {
            sender,
            receiver,
            model: Model::new(pair, window),
            arrived: Arrived::default(),
            given: Given::default(),
            recorder,
            random: Random::stream(seed, "test", "irn"),
            now: 0,
            there: Vec::new(),
            back: Vec::new(),
            credit: Vec::new(),
        }
    }

    fn compare(&mut self) {
        assert_eq!(self.sender.in_flight(), self.model.flight());
        let due = self.model.deadline.map_or(Time::NEVER, Time);
        assert_eq!(self.sender.due(), due);
        assert_eq!(
            self.recorder.events(),
            std::mem::take(&mut self.model.events)
        );
        let c = self.sender.counters();
        let expected = (
            self.model.lost,
            self.model.recoveries(),
            self.model.timeouts,
        );
        assert_eq!((c.lost, c.recoveries, c.timeouts), expected);
        assert_eq!(c.acked, self.model.una);
        let stuck = self.model.outstanding() && self.model.deadline.is_none();
        assert_eq!(self.sender.has_no_timer(), stuck);
    }

    /// All that may leave leaves.
    fn pump(&mut self) {
        loop {
            let left = self.sender.poll(Time(self.now));
            let expected = self.model.poll(self.now);
            let seen = left.as_ref().map(|s| Leaves {
                number: s.number,
                start: s.start,
                len: u64::from(s.len),
                again: s.again,
                push: s.push,
                wanted: s.feedback.as_deref().copied(),
            });
            assert_eq!(seen, expected);
            let Some(segment) = left else { break };
            if segment.len > 0 {
                let sent = self.recorder.book().sent.pop().expect("it was told");
                let flight = self.model.flight();
                assert_eq!(
                    (sent.number, sent.len, sent.in_flight),
                    (segment.number, u64::from(segment.len), flight)
                );
                let last = self.model.all_sent();
                assert_eq!((sent.again, sent.app_limited), (segment.again, last));
            }
            self.there.push(segment);
        }
        self.compare();
    }

    /// One of the packets on their way comes to the receiver, or is lost or cut.
    fn arrive(&mut self) {
        if self.there.is_empty() {
            return;
        }
        // Mostly the oldest, so that order is the rule.
        let last = self.there.len() as u64 - 1;
        let near = if self.random.unit() < 0.7 {
            0
        } else {
            last.min(6)
        };
        let place = self.random.between(0, near) as usize;
        let mut segment = self.there.remove(place);
        let fate = self.random.unit();
        let ecn = if fate > 0.85 { Ecn::Ce } else { Ecn::NotEct };
        if fate < 0.1 {
            return;
        }
        if fate < 0.25 {
            segment.len = 0;
        } else if fate < 0.45 {
            self.there.push(segment.clone());
        }
        if let Some(&Feedback::Wanted { credit, asks, .. }) = segment.feedback.as_deref() {
            self.given.wanted = self.given.wanted.max(credit);
            self.given.repeats |= asks && self.given.granted >= credit;
        }
        let gaps = self.model.pair.gaps_are_losses;
        let ack = self
            .receiver
            .on_segment(Time(self.now), &segment, ecn)
            .expect("each is acknowledged");
        assert_eq!(
            ack,
            self.arrived.answer(Time(self.now), &segment, ecn, gaps)
        );
        assert_eq!(self.receiver.delivered(), ack.upto);
        self.back.push(ack);
        self.grant();
    }

    /// Signals of the receiver.
    fn grant(&mut self) {
        let now = Time(self.now);
        let Some(pull) = self.model.pair.pull else {
            assert_eq!(self.receiver.credit(), CreditState::Enough);
            return self.arrived.notices.compare(now, &mut self.receiver);
        };
        if std::mem::take(&mut self.given.repeats) {
            let granted = self.given.granted;
            assert_eq!(
                self.receiver.next_signal(now),
                Some(Signal::Credit { granted })
            );
            self.credit.push(granted);
        }
        self.arrived.notices.compare(now, &mut self.receiver);
        let short = self.given.wanted.saturating_sub(self.given.granted);
        let beyond = self.given.granted.saturating_sub(self.given.wanted);
        let state = match (short, beyond) {
            (1.., _) => CreditState::Waits,
            (0, beyond) if beyond < pull.speculate => CreditState::Ahead,
            _ => CreditState::Enough,
        };
        assert_eq!(self.receiver.credit(), state);
        if state != CreditState::Enough && self.random.unit() < 0.6 {
            self.given.granted += pull.quantum;
            let given = self.receiver.give_credit();
            assert_eq!(
                given,
                Signal::Credit {
                    granted: self.given.granted
                }
            );
            self.credit.push(self.given.granted);
        }
    }

    /// An acknowledgement comes to the sender, mostly the oldest.
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
        let place = self.random.between(0, near) as usize;
        let ack = self.back.remove(place);
        if self.random.unit() < 0.05 {
            return;
        }
        let heard = self.recorder.book().heard.len();
        self.sender.on_ack(Time(self.now), &ack);
        let Some((mut expected, newest)) = self.model.ack(self.now, &ack) else {
            assert_eq!(self.recorder.book().heard.len(), heard, "it was overtaken");
            return;
        };
        expected.rtt = Some(Span(self.now - ack.echo.0));
        expected.one_way = Some(Span(ack.received.0 - ack.echo.0));
        assert_eq!(self.recorder.last(), expected);
        let book = self.recorder.book();
        if let Some(rate) = book.rates.last().copied().flatten() {
            assert_eq!(Some([rate.tx_in_flight, rate.prior_delivered]), newest);
        }
        drop(book);
        self.recorder.compare_round(&mut self.model.limited);
    }

    fn step(&mut self) {
        self.now += self.random.between(1, 40) * 1_000_000;
        match self.random.between(0, 9) {
            0 if self.random.unit() < 0.5 => {
                let bytes = self.random.between(1, 9) * MSS - self.random.between(0, 1) * 300;
                self.sender.write(bytes);
                self.model.write(bytes);
            }
            1..=5 => self.arrive(),
            6..=8 => self.acknowledge(),
            _ if !self.credit.is_empty() => {
                let place = self.random.between(0, self.credit.len() as u64 - 1) as usize;
                let granted = self.credit.remove(place);
                if self.random.unit() < 0.8 {
                    self.sender
                        .on_signal(Time(self.now), &Signal::Credit { granted });
                    self.model.credit(granted);
                }
            }
            _ => {}
        }
        self.arrived
            .notices
            .compare(Time(self.now), &mut self.receiver);
        self.compare();
        if self.model.deadline.is_some_and(|due| due <= self.now) {
            self.sender.on_timer(Time(self.now));
            self.model.expire(self.now);
        }
        self.pump();
    }
}

/// Each choice of what counts, for queue pairs with a timer or without.
fn pairs() -> Vec<QueuePair> {
    let base = QueuePair {
        cap: 12 * MSS,
        timeout: Some(Span::micros(900)),
        timeout_low: Some(Span::micros(300)),
        ..QueuePair::default()
    };
    let pull = |quantum, speculate| {
        let pull = Some(Pull { quantum, speculate });
        QueuePair {
            pull,
            counts_sacked: false,
            gaps_are_losses: false,
            ..base
        }
    };
    vec![
        base,
        QueuePair {
            counts_sacked: false,
            ..base
        },
        QueuePair {
            timeout_low: None,
            cap: u64::MAX,
            ..base
        },
        QueuePair {
            timeout: None,
            timeout_low: None,
            ..base
        },
        QueuePair {
            gaps_are_losses: false,
            ..base
        },
        pull(3 * FRAME + 500, 5 * FRAME + 200),
        pull(FRAME, 2 * FRAME),
        QueuePair {
            timeout: None,
            timeout_low: None,
            ..pull(4 * FRAME, 8 * MSS)
        },
    ]
}

/// Each packet that leaves, each timer and each word to the controller is that of the model; and each answer that of a receiver that
/// knows the set of what has arrived.
#[test]
fn a_queue_pair_without_order_does_what_its_model_does() {
    for (seed, pair) in pairs().into_iter().enumerate() {
        for window in [7 * MSS, 0, 3 * MSS + 500, 30 * MSS] {
            let mut run = Run::new(pair, window, seed as u64);
            for _ in 0..800 {
                run.step();
            }
            let c = run.sender.counters();
            assert!(
                (c.segments > 20 || pair.timeout.is_none()) && run.receiver.delivered() > 0,
                "{pair:?}"
            );
        }
    }
}
