//! The receiving end of a stream beside a model that knows the set of what has arrived: when it acknowledges (RFC 5681 section 4.2), which
//! timestamp it echoes (RFC 7323 section 4.3), what it reports (RFC 2018, RFC 2883), and how it echoes marks (RFC 3168, 8257, 9768).

use std::collections::BTreeSet;

use backwater_transport::endpoint::{
    AnyReceiver, DelayedAck, EcnFeedback, Protocol, Receiver, ReceiverSetup,
};
use backwater_transport::random::Random;
use backwater_transport::segment::{AckSegment, Ecn, Segment};
use backwater_transport::units::{Span, Time};

use crate::MSS;

const TIMEOUT: Span = Span::micros(500);

/// The receiver. Segments have the places 0, 1, … in the stream.
struct Model {
    ecn: EcnFeedback,
    every: u64,
    window: u64,
    arrived: BTreeSet<u64>,
    /// The first that is missing.
    next: u64,
    waiting: u64,
    due: Time,
    last_ack: u64,
    stamp: Time,
    echo: bool,
    row: bool,
    ce: u64,
    newest: (u64, Time),
}

impl Model {
    /// The block of what has arrived around a place.
    fn block(&self, place: u64) -> (u64, u64) {
        let first = (0..=place)
            .rev()
            .take_while(|n| self.arrived.contains(n))
            .last();
        let end = (place..).find(|n| !self.arrived.contains(n));
        (first.expect("itself") * MSS, end.expect("an end") * MSS)
    }

    /// An acknowledgement but for its blocks.
    fn acknowledge(&mut self) -> AckSegment {
        (self.waiting, self.due) = (0, Time::NEVER);
        self.last_ack = self.next * MSS;
        AckSegment {
            upto: self.last_ack,
            ece: self.echo,
            number: self.newest.0,
            echo: self.stamp,
            received: self.newest.1,
            ce_bytes: self.ce * MSS,
            ace: (self.ce % 8) as u8,
            window: self.window as u32,
            ..AckSegment::default()
        }
    }

    /// The acknowledgement that leaves at once, and the duplicate that it reports.
    fn arrive(
        &mut self,
        now: Time,
        segment: &Segment,
        ecn: Ecn,
    ) -> (Option<AckSegment>, Option<u64>) {
        let (place, marked) = (segment.start / MSS, ecn == Ecn::Ce);
        let first_of_row = marked && !self.row;
        self.row = marked;
        self.ce += u64::from(marked);
        let mut before = None;
        match self.ecn {
            EcnFeedback::Classic => self.echo = marked || (self.echo && !segment.cwr),
            EcnFeedback::Dctcp => {
                if self.echo != marked && self.waiting > 0 {
                    before = Some(self.acknowledge());
                }
                self.echo = marked;
            }
            _ => {}
        }
        if segment.start <= self.last_ack && segment.sent >= self.stamp {
            self.stamp = segment.sent;
        }
        let (expected, fits) = (
            self.next,
            place * MSS + MSS <= self.next * MSS + self.window,
        );
        let fresh = fits && self.arrived.insert(place);
        while self.arrived.contains(&self.next) {
            self.next += 1;
        }
        self.waiting += 1;
        self.newest = (segment.number, now);
        let in_order = fresh && place == expected && self.arrived.len() as u64 == place + 1;
        let row_begins = first_of_row && self.ecn == EcnFeedback::Ace;
        if in_order && !row_begins && !segment.push && self.waiting < self.every {
            self.due = self.due.min(now.after(TIMEOUT));
            return (before, None);
        }
        if before.is_some() {
            self.due = now;
            return (before, None);
        }
        let again = (fits && !fresh).then_some(place);
        (Some(self.acknowledge()), again)
    }
}

/// The blocks: the duplicate, then that of the newest segment, then others.
fn blocks_are_right(ack: &AckSegment, model: &Model, place: u64, again: Option<u64>) {
    let mut blocks: Vec<(u64, u64)> = ack.sack().collect();
    assert_eq!(ack.duplicate, again.is_some());
    if let Some(again) = again {
        assert_eq!(blocks.remove(0), (again * MSS, again * MSS + MSS));
    }
    let next = model.next;
    let above = model.arrived.range(next..).next().is_some();
    assert_eq!(blocks.is_empty(), !above);
    if again.is_none() && place >= next && model.arrived.contains(&place) {
        assert_eq!(blocks[0], model.block(place));
    }
    for block in &blocks {
        assert!(block.0 > next * MSS && model.block(block.0 / MSS) == *block);
    }
    let distinct: BTreeSet<_> = blocks.iter().collect();
    assert_eq!(distinct.len(), blocks.len());
}

fn run(ecn: EcnFeedback, delayed: Option<DelayedAck>, window: u32, seed: u64) {
    let mut setup = ReceiverSetup::new(Protocol::Stream, MSS);
    (setup.ecn, setup.delayed_ack, setup.window) = (ecn, delayed, window);
    let mut receiver = AnyReceiver::new(&setup);
    let mut model = Model {
        ecn,
        every: delayed.map_or(0, |d| u64::from(d.segments)),
        window: u64::from(window),
        arrived: BTreeSet::new(),
        next: 0,
        waiting: 0,
        due: Time::NEVER,
        last_ack: 0,
        stamp: Time::ZERO,
        echo: false,
        row: false,
        ce: 0,
        newest: (0, Time::ZERO),
    };
    let mut random = Random::stream(seed, "test", "receiver");
    let (mut now, mut ahead) = (0, 0);
    for number in 0..1_500 {
        now += random.between(1, 300) * 1_000_000;
        let time = Time(now);
        if model.due <= time {
            let ack = receiver.on_timer(time).expect("one waits");
            let expected = model.acknowledge();
            assert_eq!(
                (ack.upto, ack.echo, ack.ece),
                (expected.upto, expected.echo, expected.ece)
            );
            assert_eq!(receiver.due(), Time::NEVER);
        }
        assert_eq!(receiver.on_timer(time), None);
        let place = match random.unit() {
            x if x < 0.6 => model.next,
            x if x < 0.8 => model.next + random.between(0, 6),
            _ => random.between(model.next.saturating_sub(4), ahead),
        };
        ahead = ahead.max(place);
        let segment = Segment {
            number,
            start: place * MSS,
            len: MSS as u32,
            sent: Time(now - random.between(0, now.min(900_000_000))),
            push: random.unit() < 0.1,
            cwr: random.unit() < 0.1,
            ..Segment::default()
        };
        let ce = random.unit() < if number % 300 < 150 { 0.3 } else { 0.02 };
        let codepoint = if ce { Ecn::Ce } else { Ecn::Ect0 };
        let mut ack = receiver.on_segment(time, &segment, codepoint);
        let (mut expected, again) = model.arrive(time, &segment, codepoint);
        if let (Some(ack), Some(expected)) = (&mut ack, &mut expected) {
            if ack.number == number {
                blocks_are_right(ack, &model, place, again);
            }
            (ack.duplicate, expected.duplicate) = (false, false);
            expected.blocks.clone_from(&ack.blocks);
        }
        assert_eq!(ack, expected, "{ecn:?} {delayed:?} {number}");
        assert_eq!(receiver.due(), model.due);
        assert_eq!(receiver.delivered(), model.next * MSS);
    }
    assert!(model.next > 200, "{}", model.next);
}

/// Each acknowledgement, by each echo of marks, at once or delayed.
#[test]
fn a_receiver_does_what_its_model_does() {
    let two = DelayedAck {
        segments: 2,
        timeout: TIMEOUT,
    };
    let six = DelayedAck { segments: 6, ..two };
    let echoes = [
        EcnFeedback::Off,
        EcnFeedback::Classic,
        EcnFeedback::Dctcp,
        EcnFeedback::Accurate,
        EcnFeedback::Ace,
    ];
    for (seed, ecn) in echoes.into_iter().enumerate() {
        for delayed in [None, Some(two), Some(six)] {
            run(ecn, delayed, 1 << 30, seed as u64);
            run(ecn, delayed, 4 * MSS as u32, seed as u64);
        }
    }
}

/// From the next segment on another delay holds; an acknowledgement that waits goes as it was to go.
#[test]
fn a_delay_changes_from_the_next_segment_on() {
    let delay = |segments, us| {
        let timeout = Span::micros(us);
        Some(DelayedAck { segments, timeout })
    };
    let mut setup = ReceiverSetup::new(Protocol::Stream, MSS);
    setup.delayed_ack = delay(3, 500);
    let mut receiver = AnyReceiver::new(&setup);
    let arrive = |receiver: &mut AnyReceiver, us: u64, place: u64| {
        let segment = Segment {
            number: place,
            start: place * MSS,
            len: MSS as u32,
            ..Segment::default()
        };
        let ack = receiver.on_segment(Time(us * 1_000_000), &segment, Ecn::NotEct);
        (ack.map(|a| a.upto / MSS), receiver.due())
    };
    assert_eq!(arrive(&mut receiver, 0, 0), (None, Time(500_000_000)));
    receiver.delay_acks(delay(3, 100));
    assert_eq!(receiver.due(), Time(500_000_000));
    assert_eq!(arrive(&mut receiver, 10, 1), (None, Time(110_000_000)));
    receiver.delay_acks(delay(100_000, 100));
    assert_eq!(arrive(&mut receiver, 20, 2), (None, Time(110_000_000)));
    receiver.delay_acks(None);
    assert_eq!(arrive(&mut receiver, 30, 3), (Some(4), Time::NEVER));
    assert_eq!(arrive(&mut receiver, 40, 4), (Some(5), Time::NEVER));
}
