//! Queue management that notes what it is shown, beside a model of the line: which frames, when, and how much waits besides each.

use std::sync::{Arc, Mutex};

use backwater_sim::cause::Cause;
use backwater_sim::queue::aqm::{Aqm, Frame, Parties, Verdict};
use backwater_sim::queue::{AnyAqm, ClassQueue};
use backwater_sim::world::Report;
use backwater_transport::random::Random;

use crate::net::*;
use crate::queues::add_law;
use crate::random::same;
use crate::slots::compare_queue;

/// Ticks for a byte of a host's line of 100 Mbit/s, and of the line that is managed.
const FAST: u64 = 80_000;
const SLOW: u64 = 800_000;

/// The reason for which a frame is shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Why {
    Comes,
    Leaves,
    Refused,
}

/// What is shown of a frame: why, when, its queue, its bytes, how long it has waited, and the bytes and frames besides it.
type Shown = (Why, u64, usize, u64, u64, u64, u64);

/// What is done with the n-th frame that comes or is to leave.
#[derive(Copy, Clone, Debug)]
struct Policy {
    /// Queues of its own.
    queues: usize,
    /// Loses each of so many that comes, and that is to leave; none where it is 0.
    comes: u64,
    leaves: u64,
    /// Loses what waits behind each of so many that leaves.
    behind: u64,
    /// Whether the longest queue gives way to a frame that finds no room.
    gives_way: bool,
}

fn each(number: u64, of: u64) -> bool {
    of > 0 && number % of == of / 2
}

/// See the head of the file.
#[derive(Clone, Debug)]
struct Notes {
    policy: Policy,
    came: u64,
    left: u64,
    takes: bool,
    log: Arc<Mutex<Vec<Shown>>>,
}

impl Notes {
    fn note(&self, why: Why, frame: &Frame) {
        let (now, sojourn) = (frame.now.0, frame.sojourn.0);
        let shown = (
            why,
            now,
            frame.queue,
            frame.size,
            sojourn,
            frame.bytes,
            frame.packets,
        );
        self.log.lock().expect("one thread").push(shown);
    }
}

impl Aqm for Notes {
    fn queues(&self) -> usize {
        self.policy.queues
    }

    fn classify(&mut self, packet: &Parties) -> usize {
        packet.flow as usize
    }

    fn choose(&mut self, queues: &[ClassQueue]) -> usize {
        longest(&queues.iter().map(|queue| queue.bytes).collect::<Vec<_>>())
    }

    fn victim(&self, _: &Frame, queues: &[ClassQueue]) -> Option<usize> {
        let waits = queues.iter().any(|queue| !queue.list.is_empty());
        let bytes: Vec<u64> = queues.iter().map(|queue| queue.bytes).collect();
        (self.policy.gives_way && waits).then(|| longest(&bytes))
    }

    fn push(&mut self, frame: &Frame, _: &mut Random) -> Verdict {
        self.note(Why::Comes, frame);
        self.came += 1;
        match each(self.came, self.policy.comes) {
            true => Verdict::Drop,
            false => Verdict::Accept,
        }
    }

    fn refused(&mut self, frame: &Frame, judged: bool, _: &mut Random) {
        assert!(!judged);
        self.note(Why::Refused, frame);
    }

    fn pop(&mut self, frame: &Frame) -> Verdict {
        self.note(Why::Leaves, frame);
        if std::mem::take(&mut self.takes) {
            return Verdict::Drop;
        }
        self.left += 1;
        if each(self.left, self.policy.leaves) {
            return Verdict::Drop;
        }
        self.takes = each(self.left, self.policy.behind);
        Verdict::Accept
    }

    fn takes_next(&self) -> bool {
        self.takes
    }
}

/// The first of those with most.
fn longest(bytes: &[u64]) -> usize {
    let most = bytes.iter().copied().max().unwrap_or(0);
    bytes.iter().position(|one| *one == most).unwrap_or(0)
}

/// A frame at the managed line.
#[derive(Copy, Clone, Debug)]
struct Waits {
    queue: usize,
    size: u64,
    came: u64,
}

/// The line, and what it has shown and lost.
struct Model {
    policy: Policy,
    buffer: u64,
    waiting: Vec<Waits>,
    /// Bytes in transmission, and when their last bit leaves.
    sending: u64,
    free: u64,
    came: u64,
    left: u64,
    takes: bool,
    shown: Vec<Shown>,
    judged: u64,
    full: u64,
    sent: u64,
    /// From when to when each frame was here that has been lost or whose transmission has begun, and its bytes.
    spans: Vec<(u64, u64, u64)>,
}

impl Model {
    fn bytes(&self, queue: usize) -> (u64, u64) {
        let mine = self.waiting.iter().filter(|one| one.queue == queue);
        (mine.clone().map(|one| one.size).sum(), mine.count() as u64)
    }

    fn show(&mut self, why: Why, at: u64, one: Waits) {
        let (bytes, packets) = self.bytes(one.queue);
        let waited = at - one.came;
        self.shown
            .push((why, at, one.queue, one.size, waited, bytes, packets));
    }

    /// A frame that no longer waits is lost to queue management.
    fn lose(&mut self, at: u64, one: Waits) {
        self.spans.push((one.came, at, one.size));
        self.judged += 1;
    }

    /// The first frame of the longest queue.
    fn head(&self) -> Option<usize> {
        let queues = self.policy.queues.max(1);
        let bytes: Vec<u64> = (0..queues).map(|queue| self.bytes(queue).0).collect();
        let queue = longest(&bytes);
        self.waiting.iter().position(|one| one.queue == queue)
    }

    /// All choices that are due at an instant or before.
    fn choose(&mut self, to: u64) {
        while self.free <= to && !(self.waiting.is_empty() && self.sending == 0) {
            let at = self.free;
            self.sending = 0;
            self.judge(at);
        }
    }

    /// The line is free for a frame.
    fn judge(&mut self, at: u64) {
        while let Some(place) = self.head() {
            let one = self.waiting.remove(place);
            self.show(Why::Leaves, at, one);
            let taken = std::mem::take(&mut self.takes);
            self.left += u64::from(!taken);
            if taken || each(self.left, self.policy.leaves) {
                self.lose(at, one);
                continue;
            }
            let begin = at.max(self.gap());
            self.free = begin + (8 + one.size) * SLOW;
            (self.sending, self.sent) = (one.size, self.sent + 1);
            self.spans.push((one.came, self.free, one.size));
            self.takes = each(self.left, self.policy.behind);
            // What waits in queues of its own is not behind it.
            if self.takes && self.policy.queues == 0 && !self.waiting.is_empty() {
                let next = self.waiting.remove(0);
                self.show(Why::Leaves, at, next);
                self.lose(at, next);
                self.takes = false;
            }
            return;
        }
    }

    /// When the gap behind the last frame is over.
    fn gap(&self) -> u64 {
        match self.sent {
            0 => 0,
            _ => self.free + 12 * SLOW,
        }
    }

    fn comes(&mut self, one: Waits) {
        self.choose(one.came);
        let held = |model: &Model| {
            let waiting: u64 = model.waiting.iter().map(|one| one.size).sum();
            waiting + model.sending + one.size
        };
        while held(self) > self.buffer {
            let head = self.head().filter(|_| self.policy.gives_way);
            self.full += 1;
            let Some(head) = head else {
                return self.show(Why::Refused, one.came, one);
            };
            let gone = self.waiting.remove(head);
            self.spans.push((gone.came, one.came, gone.size));
        }
        self.show(Why::Comes, one.came, one);
        self.came += 1;
        if each(self.came, self.policy.comes) {
            self.judged += 1;
            return;
        }
        self.waiting.push(one);
        if self.sending == 0 {
            self.judge(one.came.max(self.free));
        }
    }
}

/// Three hosts send over lines of 100 Mbit/s to a switch, and it over one of 10 to a fourth: the network, its managed port, and the
/// frames in the order in which they come there.
fn line(random: &mut Random, queues: usize) -> (Net, usize, Vec<Waits>) {
    let mut net = Net::new(1.0);
    let (x, d) = (net.switch("X"), net.host("D"));
    let mut all = Vec::new();
    for flow in 0..3 {
        let s = net.host(&format!("S{flow}"));
        net.link(s, x, 100 * MBIT);
        let (mut at, mut free) = (random.between(1, MS), 0);
        let mut demands = Vec::new();
        for _ in 0..60 {
            let len = random.between(1, 1_500);
            demands.push((at, len));
            let size = (len + 18).max(64);
            let left = free.max(at);
            free = left + (8 + size + 12) * FAST;
            all.push(Waits {
                queue: if queues > 0 { flow } else { 0 },
                size,
                came: left + (8 + size) * FAST + US,
            });
            at += match random.between(0, 2) {
                0 => 0,
                _ => random.between(0, 4 * MS),
            };
        }
        net.flow(&format!("f{flow}"), s, d, script(demands));
    }
    all.sort_by_key(|one| one.came);
    let port = net.link(x, d, 10 * MBIT)[0];
    (net, port, all)
}

fn lost(report: &Report, cause: Cause) -> u64 {
    let mine = report.drops.iter().filter(|d| d.key.0 == cause);
    mine.map(|d| d.count.packets).sum()
}

/// Frames that come, that find no room, that are to leave and that are lost behind one that leaves, in the port's queue and in queues
/// of its own: each is shown when it is due, with what waits besides it. What is lost and what the buffer holds follows from that.
#[test]
fn queue_management_sees_each_frame_and_what_waits_besides_it() {
    let mut random = Random::stream(1, "models", "judged");
    let (mut full, mut judged) = (0, 0);
    for round in 0..12 {
        let queues = [0, 3][round % 2];
        let policy = Policy {
            queues,
            comes: random.between(0, 6),
            leaves: random.between(0, 6),
            behind: random.between(0, 6),
            gives_way: random.between(0, 1) == 1,
        };
        let (mut net, port, all) = line(&mut random, queues);
        let buffer = random.between(1_518, 8_000);
        net.buffer(port, buffer);
        add_law(&mut net, port, &[]);
        let log = Arc::new(Mutex::new(Vec::new()));
        net.0.ports[port].aqm = Some(AnyAqm::Custom(Box::new(Notes {
            policy,
            came: 0,
            left: 0,
            takes: false,
            log: Arc::clone(&log),
        })));
        let mut model = Model {
            policy,
            buffer,
            waiting: Vec::new(),
            sending: 0,
            free: 0,
            came: 0,
            left: 0,
            takes: false,
            shown: Vec::new(),
            judged: 0,
            full: 0,
            sent: 0,
            spans: Vec::new(),
        };
        all.iter().for_each(|one| model.comes(*one));
        model.choose(net.0.duration.0);
        let report = net.run();
        assert_eq!(*log.lock().expect("one thread"), model.shown, "{policy:?}");
        assert_eq!(lost(&report, Cause::Aqm), model.judged, "{policy:?}");
        assert_eq!(lost(&report, Cause::BufferFull), model.full, "{policy:?}");
        let spans = model.spans.iter();
        let area = spans.map(|(from, to, size)| u128::from(*size) * u128::from(to - from));
        let count = &report.ports[port].count;
        assert_eq!((count.packets, count.area), (model.sent, area.sum()));
        let spans: Vec<(u64, u64)> = model.spans.iter().map(|span| (span.0, span.1)).collect();
        compare_queue(&report, 0, &spans, net.0.duration.0);
        same(&report, &net.run_recorded().0, "recorded", round as u64);
        full += model.full;
        judged += model.judged;
    }
    assert!(full > 30 && judged > 100, "{full} {judged}");
}
