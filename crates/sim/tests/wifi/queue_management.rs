//! What queue management at a station is shown of each packet, and what becomes of those that it drops.

use std::sync::{Arc, Mutex};

use backwater_sim::cause::Cause;
use backwater_sim::limit::Limit;
use backwater_sim::medium::wifi::air_log::{AirFrame, Body, Carried};
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::queue::aqm::{Aqm, Frame, Verdict, Waiting};
use backwater_sim::queue::{AnyAqm, ClassQueue};
use backwater_sim::spec::{Serving, Turn};
use backwater_sim::targets::Destination;
use backwater_sim::world::Report;
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use crate::attempts::log;
use crate::cell::{B, BASIC, Cell, dcf, disc, once, saturated};

/// A call of an algorithm.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Its queue was empty before, at so many microseconds.
    Emptied(u64),
    /// A frame comes of so many bytes, to so many bytes and frames.
    Push(u64, u64, u64, u64),
    /// One leaves, behind which so many bytes and frames wait.
    Pop(u64, u64, u64),
    /// One finds no room.
    Refused(u64, u64, u64),
}

/// An algorithm that writes down its calls. It drops what is as long as `drops` when it leaves, and with `takes` what waits behind the
/// first that has left; a full queue loses its head if it `displaces`.
#[derive(Clone, Debug, Default)]
pub struct Watcher {
    pub calls: Arc<Mutex<Vec<Call>>>,
    pub waited: Arc<Mutex<Vec<Span>>>,
    pub left: Arc<Mutex<Vec<Time>>>,
    /// When it was updated last, which comes before each call.
    pub updated: Time,
    pub drops: u64,
    pub takes: bool,
    pub displaces: bool,
    pub next: bool,
}

impl Watcher {
    fn add(&self, call: Call) {
        self.calls.lock().expect("one thread").push(call);
    }

    pub fn aqm(&self) -> Option<AnyAqm> {
        Some(AnyAqm::Custom(Box::new(self.clone())))
    }
}

fn micros(now: Time) -> u64 {
    assert_eq!(now.0 % 1_000_000, 0);
    now.0 / 1_000_000
}

impl Aqm for Watcher {
    fn update(&mut self, now: Time, waiting: &Waiting) {
        self.updated = now;
        let held: u64 = waiting.queues.iter().map(|queue| queue.bytes).sum();
        assert_eq!(waiting.bytes(), held);
    }

    fn emptied(&mut self, now: Time) {
        self.add(Call::Emptied(micros(now)));
    }

    fn victim(&self, frame: &Frame, _: &[ClassQueue]) -> Option<usize> {
        assert!(frame.size == 0 || self.updated == frame.now);
        self.displaces.then_some(0)
    }

    fn push(&mut self, frame: &Frame, _: &mut Random) -> Verdict {
        assert_eq!((frame.queue, frame.sojourn), (0, Span::ZERO));
        assert_eq!(self.updated, frame.now);
        let Frame {
            size,
            bytes,
            packets,
            ..
        } = *frame;
        self.add(Call::Push(micros(frame.now), size, bytes, packets));
        Verdict::Accept
    }

    fn refused(&mut self, frame: &Frame, judged: bool, _: &mut Random) {
        assert!(!judged && self.updated == frame.now);
        self.add(Call::Refused(frame.size, frame.bytes, frame.packets));
    }

    fn pop(&mut self, frame: &Frame) -> Verdict {
        assert_eq!(self.updated, frame.now);
        self.left.lock().expect("one thread").push(frame.now);
        self.add(Call::Pop(frame.size, frame.bytes, frame.packets));
        if std::mem::take(&mut self.next) || frame.size == self.drops {
            return Verdict::Drop;
        }
        self.waited.lock().expect("one thread").push(frame.sojourn);
        self.next = std::mem::take(&mut self.takes);
        Verdict::Accept
    }

    fn takes_next(&self) -> bool {
        self.next
    }
}

/// Station 0 has packets of these bytes for stations 1 and 2, at these instants in microseconds. From 100 to 101.6 ms another station
/// sends.
pub fn cell(rows: &[(usize, u64, u64)]) -> Cell {
    let mut cell = Cell::new(0.5, B, dcf(B, BASIC), disc(100.0, 100.0));
    for x in [0.0, 10.0, 20.0, 30.0] {
        cell.station(&format!("s{x}"), x, 0.0);
    }
    for (from, to, bytes, at) in [(3, 1, 1500, 100_000)]
        .into_iter()
        .chain(rows.iter().map(|(to, bytes, at)| (0, *to, *bytes, *at)))
    {
        let flow = cell.flow(from, to, 1, once(bytes));
        cell.0.flows[flow].start = Span::micros(at);
    }
    cell
}

/// Bytes of a frame of Ethernet: header and FCS.
pub const fn frame(ip: u64) -> u64 {
    ip + 18
}

/// An instance for each neighbour.
pub fn each() -> Serving {
    Serving {
        turn: Turn::RoundRobin,
        each: true,
        ..Serving::default()
    }
}

/// The data frames of station 0.
pub fn sent(frames: &[AirFrame]) -> Vec<Time> {
    let own = frames
        .iter()
        .filter(|f| f.from == 0 && f.kind == FrameKind::Data);
    own.map(|f| f.at).collect()
}

pub fn lost(report: &Report, cause: Cause) -> u64 {
    let rows = report.drops.iter().filter(|d| d.key.0 == cause);
    rows.map(|d| d.count.packets).sum()
}

/// Three packets fill a buffer of three, a fourth finds no room, and a fifth comes when all have gone. Each is shown with what
/// waits beside it, and one that leaves has waited from when it came until its frame begins.
#[test]
fn an_algorithm_for_all_neighbours_sees_what_waits_for_all() {
    let rows = [
        (1, 1500, 100_200),
        (2, 1000, 100_500),
        (1, 500, 100_700),
        (1, 700, 100_900),
        (2, 600, 300_000),
    ];
    let mut cell = cell(&rows);
    let watcher = Watcher::default();
    cell.spec(0).aqm = watcher.aqm();
    cell.spec(0).buffer = Limit::Packets(3);
    let (frames, report) = log(&cell);
    let [a, b, c] = [1500, 1000, 500].map(frame);
    let expected = [
        Call::Emptied(100_200),
        Call::Push(100_200, a, 0, 0),
        Call::Push(100_500, b, a, 1),
        Call::Push(100_700, c, a + b, 2),
        Call::Refused(frame(700), a + b + c, 3),
        Call::Pop(a, b + c, 2),
        Call::Pop(b, c, 1),
        Call::Pop(c, 0, 0),
        Call::Emptied(300_000),
        Call::Push(300_000, frame(600), 0, 0),
        Call::Pop(frame(600), 0, 0),
    ];
    assert_eq!(*watcher.calls.lock().expect("one thread"), expected);
    assert_eq!(lost(&report, Cause::BufferFull), 1);
    let came = [0, 1, 2, 4].map(|row| Time::ZERO + Span::micros(rows[row].2));
    let begun = sent(&frames);
    let waited: Vec<Span> = begun
        .iter()
        .zip(came)
        .map(|(at, came)| at.since(came))
        .collect();
    assert_eq!(*watcher.waited.lock().expect("one thread"), waited);
}

/// The same with an instance for each neighbour, which sees what waits for that one. A neighbour whose frame is being sent is not
/// without packets: the last one comes while the frame before it is on the air.
#[test]
fn an_algorithm_for_one_neighbour_sees_what_waits_for_that_one() {
    let rows = [
        (1, 1500, 100_200),
        (2, 1000, 100_500),
        (1, 500, 100_700),
        (1, 1400, 300_000),
        (1, 600, 300_500),
    ];
    let mut cell = cell(&rows);
    let watcher = Watcher::default();
    cell.spec(0).aqm = watcher.aqm();
    cell.spec(0).serving = each();
    let (_, report) = log(&cell);
    let [a, b, c, d, e] = rows.map(|(_, ip, _)| frame(ip));
    let expected = [
        Call::Emptied(100_200),
        Call::Push(100_200, a, 0, 0),
        Call::Emptied(100_500),
        Call::Push(100_500, b, 0, 0),
        Call::Push(100_700, c, a, 1),
        Call::Pop(a, c, 1),
        Call::Pop(b, 0, 0),
        Call::Pop(c, 0, 0),
        Call::Emptied(300_000),
        Call::Push(300_000, d, 0, 0),
        Call::Pop(d, 0, 0),
        Call::Push(300_500, e, 0, 0),
        Call::Pop(e, 0, 0),
    ];
    assert_eq!(*watcher.calls.lock().expect("one thread"), expected);
    assert!(report.drops.is_empty());
}

/// Packets of a flow that has several destinations find their neighbours, through queue management, too.
#[test]
fn packets_for_any_of_several_hosts_pass_queue_management() {
    let mut cell = cell(&[(1, 1000, 100_200)]);
    cell.0.flows[1].to = Destination::AnyOf(vec![1, 2]);
    cell.0.flows[1].source = saturated(1000);
    for aqm in [None, Watcher::default().aqm()] {
        cell.spec(0).aqm = aqm;
        let (frames, report) = log(&cell);
        assert!(report.drops.is_empty());
        for to in [1, 2] {
            let sent = frames.iter().filter(|f| f.from == 0 && f.to == to);
            assert!(sent.clone().count() > 20, "{to}");
            for frame in sent {
                // A station's host has its number.
                let is_for = |packet: &Carried| packet.to == to;
                assert!(matches!(&frame.body, Some(Body::Packet(packet, ..)) if is_for(packet)));
            }
        }
    }
}

/// Where an algorithm takes the packet behind one that has left, that packet is shown to it and lost at that instant, and the
/// third goes.
#[test]
fn a_packet_that_is_taken_behind_another_is_lost() {
    let mut cell = cell(&[(1, 1500, 100_200), (1, 1000, 100_500), (2, 500, 100_700)]);
    let watcher = Watcher {
        takes: true,
        ..Watcher::default()
    };
    cell.spec(0).aqm = watcher.aqm();
    let (frames, report) = log(&cell);
    let [a, b, c] = [1500, 1000, 500].map(frame);
    let calls = watcher.calls.lock().expect("one thread");
    let left: Vec<Call> = calls
        .iter()
        .copied()
        .filter(|c| matches!(c, Call::Pop(..)))
        .collect();
    assert_eq!(
        left,
        [
            Call::Pop(a, b + c, 2),
            Call::Pop(b, c, 1),
            Call::Pop(c, 0, 0)
        ]
    );
    assert_eq!((lost(&report, Cause::Aqm), sent(&frames).len()), (1, 2));
    let left = watcher.left.lock().expect("one thread");
    assert!(left[0] == left[1] && left[1] < left[2], "{left:?}");
}

/// A packet beyond the share of its station is refused, and the algorithm is up to date then: of four places two are for own packets.
#[test]
fn an_algorithm_is_told_of_packets_beyond_a_share() {
    let mut cell = cell(&[(1, 1500, 100_200), (1, 1000, 100_300), (1, 500, 100_400)]);
    let watcher = Watcher::default();
    cell.spec(0).aqm = watcher.aqm();
    cell.spec(0).buffer = Limit::Packets(4);
    cell.spec(0).own_share = 0.5;
    let (_, report) = log(&cell);
    assert_eq!(lost(&report, Cause::BufferFull), 1);
    let calls = watcher.calls.lock().expect("one thread");
    let refused = Call::Refused(frame(500), frame(1500) + frame(1000), 2);
    assert!(calls.contains(&refused), "{calls:?}");
}
