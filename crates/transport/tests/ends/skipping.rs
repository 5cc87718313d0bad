//! A connection over a line without a queue that repeats itself: one that skips periods goes on as one that lived them.

use std::collections::{BTreeMap, VecDeque};

use backwater_transport::controller::{AnyController, CONTROLLERS, Setup};
use backwater_transport::endpoint::{
    AnyReceiver, AnySender, DelayedAck, EcnFeedback, Protocol, Receiver, ReceiverSetup, Recovery,
    Sender, SenderSetup,
};
use backwater_transport::random::Random;
use backwater_transport::segment::{AckSegment, Ecn, Segment};
use backwater_transport::units::{Span, Time};
use backwater_transport::walk::{OnTheWay, Repeat, Seen, Walk};

use crate::{MSS, options};

/// A segment leaves the link each so many ps.
const SLOT: u64 = 10_000_000;
/// Slots each way.
const DELAY: u64 = 20;

/// What becomes of the transmissions of a period: those of these numbers, counted from its beginning, are lost or come so many slots
/// late; those of a range are marked.
#[derive(Clone, Copy, Debug, Default)]
struct Fates {
    period: u64,
    lost: &'static [u64],
    marked: (u64, u64),
    late: &'static [(u64, u64)],
}

/// Both ends and what is between them.
#[derive(Clone, Debug)]
struct Net {
    slot: u64,
    sender: AnySender,
    receiver: AnyReceiver,
    there: VecDeque<(u64, Segment, Ecn)>,
    back: VecDeque<(u64, AckSegment)>,
    fates: Fates,
    /// Transmissions so far, or in this burst.
    left: u64,
    /// So many segments are written each so many slots.
    burst: Option<(u64, u64)>,
}

impl Net {
    fn new(setup: &SenderSetup, receiver: &ReceiverSetup, window: &str, fates: Fates) -> Net {
        let row = CONTROLLERS.iter().find(|r| r.id == "fixed").expect("a row");
        let with = Setup {
            protocol: setup.protocol,
            mss: MSS,
            frame: MSS + 52,
            initial: 10 * MSS,
            random: Random::stream(1, "controller", ""),
        };
        let args = options::read(row.options, &[("window", window)]);
        let controller: AnyController = (row.build)(&args, &with).expect("legal");
        Net {
            slot: 0,
            sender: AnySender::new(setup, controller),
            receiver: AnyReceiver::new(receiver),
            there: VecDeque::new(),
            back: VecDeque::new(),
            fates,
            left: 0,
            burst: None,
        }
    }

    fn now(&self) -> Time {
        Time(self.slot * SLOT)
    }

    /// One slot: what comes, what is due, and one segment that leaves.
    fn step(&mut self) -> (Option<Segment>, Vec<AckSegment>) {
        self.slot += 1;
        if let Some((segments, every)) = self.burst
            && self.slot.is_multiple_of(every)
        {
            self.sender.write(segments * MSS);
            self.left = 0;
        }
        let now = self.now();
        let mut acks = Vec::new();
        while let Some((_, segment, ecn)) = self.there.pop_front_if(|t| t.0 <= self.slot) {
            acks.extend(self.receiver.on_segment(now, &segment, ecn));
        }
        if self.receiver.due() <= now {
            acks.extend(self.receiver.on_timer(now));
        }
        for ack in &acks {
            self.back.push_back((self.slot + DELAY, ack.clone()));
        }
        while let Some((_, ack)) = self.back.pop_front_if(|b| b.0 <= self.slot) {
            self.sender.on_ack(now, &ack);
        }
        if self.sender.due() <= now {
            self.sender.on_timer(now);
        }
        let segment = self.sender.poll(now);
        if let Some(segment) = &segment {
            let place = self.left % self.fates.period.max(1);
            self.left += 1;
            let late = self.fates.late.iter().find(|l| l.0 == place);
            let due = self.slot + DELAY + late.map_or(0, |l| l.1);
            let (from, to) = self.fates.marked;
            let marked = (from..to).contains(&place) && segment.ecn != Ecn::NotEct;
            let ecn = if marked { Ecn::Ce } else { segment.ecn };
            if !self.fates.lost.contains(&place) {
                let at = self.there.partition_point(|t| t.0 <= due);
                self.there.insert(at, (due, segment.clone(), ecn));
            }
        }
        (segment, acks)
    }

    /// Visits all of it.
    fn walk(&mut self, walk: &mut Walk) {
        let base = self.sender.base();
        let mut on_the_way = OnTheWay::default();
        walk.same(self.left % self.fates.period.max(1));
        for (due, segment, ecn) in &mut self.there {
            let moved = walk.writes();
            walk.same(*due - self.slot);
            segment.walk(walk, "flow", &base, &mut on_the_way);
            walk.same(*ecn as u64);
            if moved {
                *due += walk.way().0 / SLOT;
            }
        }
        for (due, ack) in &mut self.back {
            walk.same(*due - self.slot);
            ack.walk(walk, "flow", &base, &mut on_the_way);
            if walk.writes() {
                *due += walk.way().0 / SLOT;
            }
        }
        self.receiver.walk(walk, "flow", &base);
        self.sender.walk(walk, "flow", &on_the_way);
        walk.count(&mut self.left);
    }

    fn keep(&mut self) -> Seen {
        let mut walk = Walk::keep(self.now());
        self.walk(&mut walk);
        walk.seen().expect("all of it is visited")
    }

    /// A look sees the same state as a walk that keeps what grows.
    fn look(&mut self) -> Vec<u64> {
        let mut walk = Walk::look(self.now());
        self.walk(&mut walk);
        walk.seen().expect("all of it is visited").state
    }
}

/// Runs until the state recurs at the beginning of a burst or a period of fates; the two states, and slots of the period.
fn recurring(net: &mut Net) -> (Seen, Seen, u64) {
    let mut known: BTreeMap<Vec<u64>, (u64, Seen)> = BTreeMap::new();
    for _ in 0..60_000 {
        let (segment, _) = net.step();
        let begins = match net.burst {
            Some((_, every)) => net.slot.is_multiple_of(every),
            None => segment.is_some() && net.left.is_multiple_of(net.fates.period.max(1)),
        };
        if !begins {
            continue;
        }
        let mut seen = net.keep();
        assert_eq!(seen.state, net.look());
        let before = known.insert(seen.state.clone(), (net.slot, seen.clone()));
        if let Some((slot, before)) = before {
            let period = net.slot - slot;
            let most = seen.recurs(&before, Span(period * SLOT));
            if most.is_some_and(|most| most > 40) {
                return (before, seen, period);
            }
        }
    }
    panic!("it does not recur");
}

/// What both ends do for some time: the segments, the acknowledgements, the timers and the counters.
fn go_on(net: &mut Net, slots: u64) -> Vec<String> {
    let mut told = Vec::new();
    for _ in 0..slots {
        let (segment, acks) = net.step();
        let due = (net.sender.due(), net.receiver.due());
        let seen = net.sender.inspect();
        let ends = (
            net.receiver.delivered(),
            seen.in_flight,
            seen.window,
            seen.delivered,
        );
        let times = (seen.srtt, seen.rto);
        told.push(format!(
            "{} {segment:?} {acks:?} {due:?} {ends:?} {times:?} {:?}",
            net.slot,
            net.sender.counters()
        ));
    }
    told
}

/// Skips nine periods in one world and lives them in another. Then both meet what never came before: losses, an outage, and marks.
fn compare(mut net: Net, what: &str) {
    let (first, seen, period) = recurring(&mut net);
    let mut lived = net.clone();
    let mut skipped = net;
    for _ in 0..9 * period {
        lived.step();
    }
    let repeat = Repeat {
        period: Span(period * SLOT),
        began: Time((skipped.slot - period) * SLOT),
        periods: 9,
    };
    let mut walk = Walk::write(skipped.now(), first, seen, repeat);
    skipped.walk(&mut walk);
    skipped.slot += 9 * period;
    let after = [&mut skipped, &mut lived].map(|net| {
        let mut told = go_on(net, 300);
        let trouble = [
            (&[3, 4, 7][..], &[][..], 120),
            (&[][..], &[(2, 9), (5, 3)][..], 120),
            (&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9][..], &[][..], 400),
            (&[][..], &[][..], 500),
        ];
        for (lost, late, slots) in trouble {
            net.fates = Fates {
                period: 10,
                lost,
                late,
                marked: (6, 7),
            };
            told.extend(go_on(net, slots));
        }
        told
    });
    assert_eq!(after[0].len(), after[1].len());
    for (skipped, lived) in after[0].iter().zip(&after[1]) {
        assert_eq!(skipped, lived, "{what}");
    }
}

fn setups(protocol: Protocol) -> (SenderSetup, ReceiverSetup) {
    let mut sender = SenderSetup::new(protocol, MSS, MSS + 52);
    // An outage of 400 slots, 4 ms, has some timeouts.
    sender.rto_min = Span::millis(1);
    sender.silence = Span::micros(700);
    (sender, ReceiverSetup::new(protocol, MSS))
}

/// A saturated stream, by each recovery and each echo of marks, with one acknowledgement for each segment or for two; and bursts with a
/// loss, and marks where they are counted in bytes.
#[test]
fn a_stream_that_skips_goes_on_as_one_that_lived() {
    let losses = Fates {
        period: 200,
        lost: &[3],
        late: &[],
        // 256 marks in four bursts: the receiver counts them in eight bits.
        marked: (120, 184),
    };
    for recovery in [Recovery::Rack, Recovery::Sack, Recovery::NewReno] {
        for ecn in [
            EcnFeedback::Accurate,
            EcnFeedback::Classic,
            EcnFeedback::Dctcp,
            EcnFeedback::Ace,
        ] {
            // A sender that is not told of bytes does not count them, so marks are no recurrence there.
            let marked = match ecn {
                EcnFeedback::Accurate => losses.marked,
                _ => (0, 0),
            };
            for fates in [Fates::default(), Fates { marked, ..losses }] {
                let (mut setup, mut receiver) = setups(Protocol::Stream);
                setup.recovery = recovery;
                (setup.ecn, receiver.ecn) = (ecn, ecn);
                if ecn != EcnFeedback::Accurate {
                    receiver.delayed_ack = Some(DelayedAck {
                        segments: 2,
                        timeout: Span::micros(100),
                    });
                }
                let mut net = Net::new(&setup, &receiver, "30 packets", fates);
                match fates.period {
                    0 => net.sender.write(u64::MAX),
                    segments => net.burst = Some((segments, 1_000)),
                }
                compare(net, &format!("{recovery:?} {ecn:?} {fates:?}"));
            }
        }
    }
}

/// Datagrams without loss, and with losses and overtaken packets that recur.
#[test]
fn datagrams_that_skip_go_on_as_those_that_lived() {
    for fates in [
        Fates::default(),
        Fates {
            period: 100,
            lost: &[3, 50],
            marked: (20, 22),
            late: &[(30, 4)],
        },
    ] {
        let (setup, receiver) = setups(Protocol::Datagram);
        let mut net = Net::new(&setup, &receiver, "25 packets", fates);
        net.sender.write(u64::MAX);
        compare(net, &format!("{fates:?}"));
    }
}

/// A transfer with an end skips so many periods that its last ones are lived.
#[test]
fn a_transfer_is_not_skipped_to_its_end() {
    for protocol in [Protocol::Stream, Protocol::Datagram] {
        let (setup, receiver) = setups(protocol);
        let mut net = Net::new(&setup, &receiver, "20 packets", Fates::default());
        net.sender.write(100_000 * MSS);
        compare(net.clone(), "an end far away");
        let (first, mut seen, period) = recurring(&mut net);
        let most = seen.recurs(&first, Span(period * SLOT)).expect("it recurs");
        let sent = net.sender.counters().bytes;
        let each = MSS * period / 2;
        let left = (100_000 * MSS - sent) / each;
        assert!(
            most < left && left - most < 4 + 40 * MSS / each,
            "{most} of {left}"
        );
    }
}
