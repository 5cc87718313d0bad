//! A loopback: one bottleneck with a drop-tail queue and a delay each way, and scripts that drop,
//! mark, repeat or hold back segments. Both ends are the real ones.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use backwater_transport::controller::{AnyController, CONTROLLERS, Setup};
use backwater_transport::endpoint::{
    AnyReceiver, AnySender, Protocol, Receiver, ReceiverSetup, Sender, SenderSetup, initial_window,
};
use backwater_transport::random::Random;
use backwater_transport::segment::{AckSegment, Ecn, Segment};
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::options;

/// Payload of a full segment.
pub const MSS: u64 = 1000;

/// The fate of a segment on the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    /// It arrives.
    Pass,
    /// It is lost before the bottleneck.
    Drop,
    /// It arrives with a congestion mark; what cannot be marked is lost.
    Mark,
    /// It arrives two times.
    Twice,
    /// Held back for so long after the bottleneck.
    Late(Span),
}

/// The path.
#[derive(Clone, Copy)]
pub struct Path {
    /// Rate of the bottleneck.
    pub rate: Rate,
    /// One way.
    pub delay: Span,
    /// Segments that wait at most, beside the one in service.
    pub buffer: u64,
    /// Bytes of header in front of the payload at the bottleneck.
    pub overhead: u64,
}

impl Path {
    /// A path of so many Mbit/s and ms, with room for so many segments; headers are not counted.
    pub fn new(mbit: u64, rtt_ms: u64, buffer: u64) -> Path {
        Path {
            rate: Rate(mbit * 1_000_000),
            delay: Span::micros(rtt_ms * 500),
            buffer,
            overhead: 0,
        }
    }
}

enum Event {
    Arrive(Segment, Ecn),
    Ack(AckSegment),
    Sender,
    Receiver,
}

type Script = Box<dyn FnMut(&Segment) -> Fate>;
type AckScript = Box<dyn FnMut(&AckSegment) -> bool>;

/// Both ends and the path between them.
pub struct Loopback {
    /// Present instant.
    pub now: Time,
    /// The sending end.
    pub sender: AnySender,
    /// The receiving end.
    pub receiver: AnyReceiver,
    /// What lies between them.
    pub path: Path,
    /// What becomes of each segment.
    pub script: Script,
    /// False drops the acknowledgement.
    pub ack_script: AckScript,
    /// Everything the sender sent, with what became of it.
    pub sent: Vec<(Segment, Fate)>,
    /// Whether `sent` is kept.
    pub keep: bool,
    /// Window × time in bytes × seconds, and the seconds.
    pub window_area: f64,
    /// Where they begin.
    pub area_from: Time,
    free: Time,
    departures: std::collections::VecDeque<Time>,
    heap: BinaryHeap<Reverse<(Time, u64)>>,
    events: BTreeMap<u64, Event>,
    serial: u64,
    timers: [Time; 2],
    /// Segments lost on the path.
    pub drops: u64,
    /// Segments that arrived.
    pub arrivals: u64,
}

impl Loopback {
    /// Both ends at rest, on a path that loses nothing by a script.
    pub fn new(path: Path, sender: AnySender, receiver: AnyReceiver) -> Loopback {
        Loopback {
            now: Time::ZERO,
            sender,
            receiver,
            path,
            script: Box::new(|_| Fate::Pass),
            ack_script: Box::new(|_| true),
            sent: Vec::new(),
            keep: false,
            window_area: 0.0,
            area_from: Time::ZERO,
            free: Time::ZERO,
            departures: std::collections::VecDeque::new(),
            heap: BinaryHeap::new(),
            events: BTreeMap::new(),
            serial: 0,
            timers: [Time::NEVER; 2],
            drops: 0,
            arrivals: 0,
        }
    }

    fn at(&mut self, time: Time, event: Event) {
        self.heap.push(Reverse((time, self.serial)));
        self.events.insert(self.serial, event);
        self.serial += 1;
    }

    fn timer(&mut self, which: usize, due: Time) {
        let due = due.max(self.now);
        if due < self.timers[which] {
            self.timers[which] = due;
            let event = if which == 0 {
                Event::Sender
            } else {
                Event::Receiver
            };
            self.at(due, event);
        }
    }

    fn carry(&mut self, segment: Segment) {
        let fate = (self.script)(&segment);
        let now = self.now;
        while self.departures.front().is_some_and(|d| *d <= now) {
            self.departures.pop_front();
        }
        let full = self.departures.len() as u64 > self.path.buffer;
        let fate = if full { Fate::Drop } else { fate };
        if self.keep {
            self.sent.push((segment.clone(), fate));
        }
        if fate == Fate::Drop {
            self.drops += 1;
            return;
        }
        self.free = self.free.max(now)
            + self
                .path
                .rate
                .time_for(Bytes(u64::from(segment.len) + self.path.overhead));
        self.departures.push_back(self.free);
        let mut arrival = self.free + self.path.delay;
        if let Fate::Late(by) = fate {
            arrival += by;
        }
        let ecn = match fate {
            Fate::Mark if segment.ecn != Ecn::NotEct => Ecn::Ce,
            Fate::Mark => {
                self.drops += 1;
                return;
            }
            _ => segment.ecn,
        };
        self.at(arrival, Event::Arrive(segment.clone(), ecn));
        if fate == Fate::Twice {
            self.at(arrival, Event::Arrive(segment, ecn));
        }
    }

    /// Lets the sender send.
    pub fn pump(&mut self) {
        while let Some(segment) = self.sender.poll(self.now) {
            self.carry(segment);
        }
        let due = self.sender.due();
        assert!(
            due > self.now || due == Time::NEVER || due >= self.now,
            "{due} {}",
            self.now
        );
        self.timer(0, due);
    }

    fn back(&mut self, ack: AckSegment) {
        if (self.ack_script)(&ack) {
            self.at(self.now + self.path.delay, Event::Ack(ack));
        }
    }

    /// Nothing leaves the link before this time.
    pub fn hold(&mut self, until: Time) {
        self.free = self.free.max(until);
    }

    /// How long the next segment would wait for the link.
    pub fn wait(&self) -> Span {
        Span(self.free.0.saturating_sub(self.now.0))
    }

    /// Serves events until `end`, or until nothing is left.
    pub fn run(&mut self, end: Time) {
        self.pump();
        while let Some(Reverse((time, serial))) = self.heap.peek().copied() {
            if time > end {
                break;
            }
            self.heap.pop();
            assert!(time >= self.now);
            if time > self.area_from {
                let from = self.now.max(self.area_from);
                self.window_area +=
                    self.sender.inspect().window as f64 * time.since(from).seconds();
            }
            self.now = time;
            match self.events.remove(&serial).expect("pushed with its time") {
                // Another was pushed that comes before.
                Event::Sender if self.timers[0] != time => {}
                Event::Receiver if self.timers[1] != time => {}
                Event::Arrive(segment, ecn) => {
                    self.arrivals += 1;
                    if let Some(ack) = self.receiver.on_segment(time, &segment, ecn) {
                        self.back(ack);
                    }
                    self.timer(1, self.receiver.due());
                }
                Event::Ack(ack) => {
                    self.sender.on_ack(time, &ack);
                    self.pump();
                }
                Event::Sender => {
                    self.timers[0] = Time::NEVER;
                    if self.sender.due() <= time {
                        self.sender.on_timer(time);
                    }
                    self.pump();
                }
                Event::Receiver => {
                    self.timers[1] = Time::NEVER;
                    if self.receiver.due() <= time
                        && let Some(ack) = self.receiver.on_timer(time)
                    {
                        self.back(ack);
                    }
                    self.timer(1, self.receiver.due());
                }
            }
        }
        self.now = self.now.max(end);
    }

    /// Mean window in segments since `area_from`.
    pub fn mean_window(&self) -> f64 {
        self.window_area / self.now.since(self.area_from).seconds() / MSS as f64
    }
}

/// A controller of the tables with some options changed.
pub fn controller(protocol: Protocol, id: &str, options: &[(&'static str, &str)]) -> AnyController {
    let part = CONTROLLERS
        .iter()
        .find(|p| p.id == id)
        .expect("a controller");
    let setup = Setup {
        protocol,
        mss: MSS,
        frame: MSS + 52,
        initial: initial_window(MSS),
        random: Random::stream(1, "controller", id),
    };
    (part.build)(&options::read(part.options, options), &setup).expect("legal options")
}

/// A stream from end to end.
pub fn stream(
    path: Path,
    id: &str,
    options: &[(&'static str, &str)],
    change: impl FnOnce(&mut SenderSetup, &mut ReceiverSetup),
) -> Loopback {
    ends(path, Protocol::Stream, id, options, change)
}

/// Datagrams from end to end.
pub fn datagrams(
    path: Path,
    id: &str,
    options: &[(&'static str, &str)],
    change: impl FnOnce(&mut SenderSetup, &mut ReceiverSetup),
) -> Loopback {
    ends(path, Protocol::Datagram, id, options, change)
}

fn ends(
    path: Path,
    protocol: Protocol,
    id: &str,
    options: &[(&'static str, &str)],
    change: impl FnOnce(&mut SenderSetup, &mut ReceiverSetup),
) -> Loopback {
    let mut sender = SenderSetup::new(protocol, MSS, MSS + 52);
    let mut receiver = ReceiverSetup::new(protocol, MSS);
    change(&mut sender, &mut receiver);
    let controller = controller(protocol, id, options);
    let receiver = receiver.serving(&controller);
    Loopback::new(
        path,
        AnySender::new(&sender, controller),
        AnyReceiver::new(&receiver),
    )
}

/// So many milliseconds after the beginning.
pub fn ms(n: u64) -> Time {
    Time::ZERO + Span::millis(n)
}
