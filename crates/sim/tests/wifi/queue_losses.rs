//! Packets that queue management at a station loses: for others that come, when they are to be sent, and behind those that were.

use backwater_sim::cause::Cause;
use backwater_sim::limit::Limit;
use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Signal};
use backwater_sim::mechanism::place::View;
use backwater_sim::medium::wifi::air_log::Body;
use backwater_sim::spec::{Egress, StampSpec};
use backwater_sim::stamp::AnyStamp;
use backwater_sim::world::PortReport;
use backwater_transport::units::{Span, Time};

use crate::attempts::log;
use crate::cell::{B, BASIC, Cell, dcf, edca, once, saturated};
use crate::mechanisms::mechanism;
use crate::queue_management::{Watcher, cell, each, frame, lost, sent};
use crate::round_robin::{Arrivals, Watches};

/// Bytes and ticks that packets waited at the hop from station 0 to 1.
fn area(cell: &Cell) -> u128 {
    let (world, report) = cell.run();
    let named = |p: &&PortReport| world.network().ports[p.port].more.name == "s0>s10";
    report.ports.iter().find(named).expect("a hop").count.area
}

/// A packet that has waited for 300 us is lost for one that comes to a full buffer. Its 1518 B have waited for that time, and the
/// other packet waits as it does where it comes alone.
#[test]
fn a_packet_that_is_displaced_has_waited_up_to_then() {
    let of = |rows: &[(usize, u64, u64)]| {
        let mut cell = cell(rows);
        let watcher = Watcher {
            displaces: true,
            ..Watcher::default()
        };
        cell.spec(0).aqm = watcher.aqm();
        cell.spec(0).buffer = Limit::Packets(1);
        (lost(&cell.run().1, Cause::BufferFull), area(&cell))
    };
    let (one, both) = of(&[(1, 1500, 100_200), (1, 1000, 100_500)]);
    let (none, alone) = of(&[(1, 1000, 100_500)]);
    assert_eq!((one, none), (1, 0));
    assert_eq!(both - alone, 1518 * u128::from(Span::micros(300).0));
}

/// Two neighbours have queues of their own: one of 1518 and 518 B, the other of 1018 B, and no room is left. For a packet to the
/// second neighbour the queue gives way that is longest with it, the first one among equals: the first up to 1018 B, the second
/// from 1118 B on.
#[test]
fn the_longest_queue_with_what_comes_gives_way() {
    for (comes, gives) in [(300, 1500), (1000, 1500), (1100, 1000), (1400, 1000)] {
        let mut cell = cell(&[
            (1, 1500, 100_200),
            (1, 500, 100_300),
            (2, 1000, 100_400),
            (2, comes, 100_500),
        ]);
        let watcher = Watcher {
            displaces: true,
            ..Watcher::default()
        };
        cell.spec(0).aqm = watcher.aqm();
        cell.spec(0).buffer = Limit::Packets(3);
        cell.spec(0).serving = each();
        let (_, report) = log(&cell);
        let of = |row: usize| report.flows[row].sums.dropped.packets;
        let expected = if gives == 1500 {
            [1, 0, 0, 0]
        } else {
            [0, 0, 1, 0]
        };
        assert_eq!([1, 2, 3, 4].map(of), expected, "{comes} B");
    }
}

/// A neighbour without packets has no queue that could give way, however long the packet is that comes for it.
#[test]
fn an_empty_queue_does_not_give_way() {
    let mut cell = cell(&[(1, 100, 100_200), (1, 100, 100_300), (2, 1400, 100_400)]);
    let watcher = Watcher {
        displaces: true,
        ..Watcher::default()
    };
    cell.spec(0).aqm = watcher.aqm();
    cell.spec(0).buffer = Limit::Packets(2);
    cell.spec(0).serving = each();
    let (_, report) = log(&cell);
    let of = |row: usize| report.flows[row].sums.dropped.packets;
    assert_eq!([1, 2, 3].map(of), [1, 0, 0]);
}

/// The other way round: the queue of the neighbour to which the packet goes has 1018 B and is the first. With 1018 B more it is
/// as long as the other one of 1518 and 518 B, and as the first among equals it gives way.
#[test]
fn the_first_of_queues_as_long_gives_way() {
    let mut cell = cell(&[
        (1, 1000, 100_200),
        (2, 1500, 100_300),
        (2, 500, 100_400),
        (1, 1000, 100_500),
    ]);
    let watcher = Watcher {
        displaces: true,
        ..Watcher::default()
    };
    cell.spec(0).aqm = watcher.aqm();
    cell.spec(0).buffer = Limit::Packets(3);
    cell.spec(0).serving = each();
    let (_, report) = log(&cell);
    let of = |row: usize| report.flows[row].sums.dropped.packets;
    assert_eq!([1, 2, 3, 4].map(of), [1, 0, 0, 0]);
}

/// A packet that queue management drops when it is to be sent is not sent, and its station sends nothing in its place; a later
/// packet goes.
#[test]
fn a_packet_that_is_dropped_when_it_leaves_is_not_sent() {
    for access in [dcf(B, BASIC), edca(B, BASIC)] {
        let mut cell = cell(&[(1, 1000, 100_200), (1, 1500, 300_000)]);
        cell.0.media[0].mac = access;
        let watcher = Watcher {
            drops: frame(1000),
            ..Watcher::default()
        };
        cell.spec(0).aqm = watcher.aqm();
        let (frames, report) = log(&cell);
        assert_eq!(lost(&report, Cause::Aqm), 1);
        assert_eq!(sent(&frames).len(), 1);
        assert!(sent(&frames)[0] >= Time::ZERO + Span::millis(300));
    }
}

/// A saturated flow has two packets at its station. One that queue management drops, when it is to be sent or behind one that has
/// left, is replaced at once.
#[test]
fn a_saturated_flow_replaces_what_queue_management_drops() {
    for (next, takes) in [(true, false), (false, true)] {
        let mut cell = cell(&[(1, 1000, 100_200)]);
        cell.0.flows[1].source = saturated(1000);
        cell.spec(0).buffer = Limit::Packets(2);
        let watcher = Watcher {
            next,
            takes,
            ..Watcher::default()
        };
        cell.spec(0).aqm = watcher.aqm();
        let (world, report) = cell.run();
        assert_eq!(lost(&report, Cause::Aqm), 1);
        assert!(report.flows[1].sums.delivered.packets > 100);
        assert_eq!(world.air().radios[0].categories[0].frames, 2);
    }
}

/// Congested as soon as a packet comes, and clear when one is lost.
#[derive(Clone, Debug)]
struct Relieved;

impl Detector for Relieved {
    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        match moment {
            Moment::Enqueued(_) if !view.congested => Some(Signal::Congested),
            Moment::Lost(_) => Some(Signal::Clear),
            _ => None,
        }
    }
}

/// A detector sees a packet that is dropped when it is to be sent, and what follows is told at once: the notice that stops goes
/// first, the packet is dropped behind it, and the notice that takes the first back goes next.
#[test]
fn what_follows_from_a_packet_that_is_dropped_is_told_at_once() {
    let mut cell = cell(&[(1, 1000, 100_200)]);
    let feeds = cell.flow(1, 0, 1, once(100));
    cell.0.flows[feeds].start = Span::millis(10);
    let watcher = Watcher {
        drops: frame(1000),
        ..Watcher::default()
    };
    cell.spec(0).aqm = watcher.aqm();
    let mut relieved = mechanism(["watermark", "pause", "gate"], vec![0], &[]);
    relieved.detect = AnyDetector::Custom(Box::new(Relieved));
    cell.0.mechanisms = vec![relieved];
    let (frames, report) = log(&cell);
    assert_eq!(lost(&report, Cause::Aqm), 1);
    let told = frames.iter().filter(|f| f.from == 0 && !f.retry);
    let told = told.filter_map(|f| match &f.body {
        Some(Body::Notice(notice, ..)) => Some((f.at, notice.quanta())),
        _ => None,
    });
    let told: Vec<(Time, u16)> = told.collect();
    assert_eq!(told.len(), 2);
    assert_eq!((told[0].1, told[1].1), (u16::MAX, 0));
    assert!(told[1].0 < Time::ZERO + Span::millis(110), "{told:?}");
}

/// A law sees each packet come beside what waits. The second finds an empty queue, since the first has given way to it.
#[test]
fn a_law_does_not_see_what_has_been_displaced() {
    let seen = Arrivals::default();
    let mut cell = cell(&[(1, 1500, 100_200), (1, 1000, 100_500)]);
    let watcher = Watcher {
        displaces: true,
        ..Watcher::default()
    };
    cell.spec(0).aqm = watcher.aqm();
    cell.spec(0).buffer = Limit::Packets(1);
    cell.0.stamps.push(StampSpec {
        name: "s0>air".into(),
        at: Egress::Attachment(0, 0),
        law: AnyStamp::Custom(Box::new(Watches(seen.clone()))),
        also: Vec::new(),
    });
    cell.run();
    let expected = [(100_200, 0, false), (100_500, 0, false)];
    assert_eq!(*seen.lock().expect("one thread"), expected);
}
