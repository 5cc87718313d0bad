//! A station that serves flows round-robin: the order of its frames, and who makes room.

use std::sync::{Arc, Mutex};

use backwater_sim::limit::Limit;
use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Signal};
use backwater_sim::mechanism::place::View;
use backwater_sim::medium::wifi::air_log::Body;
use backwater_sim::spec::{Egress, StampSpec};
use backwater_sim::stamp::{AnyStamp, LawPacket, Passing, Stamp};
use backwater_sim::world::PortReport;
use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::units::Span;

use crate::attempts::log;
use crate::cell::{B, BASIC, Cell, dcf, disc, once, paced};
use crate::mechanisms::mechanism;

/// Packets that a detector has seen lost, by their bytes, and the packets that were held with them.
type Lost = Arc<Mutex<Vec<(u64, u64)>>>;

#[derive(Clone, Debug)]
struct Witness(Lost);

impl Detector for Witness {
    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        if let Moment::Lost(seen) = moment {
            let row = (seen.bytes, view.held + 1);
            self.0.lock().expect("one thread").push(row);
        }
        None
    }
}

/// The flow of a packet and its number.
type Numbered = (char, u32);

/// From 100 ms on another station sends. Meanwhile station 0 gets four packets of flow A for neighbour 1, three of B for 2, and
/// one of C for 1, in this order, each 10 us behind the one before. A packet of a flow has its own length. Gives flows and
/// numbers of the frames of station 0, and what was lost.
fn served(room: u64) -> (Vec<Numbered>, Vec<(u64, u64)>) {
    let mut cell = meanwhile(room);
    let lost = Lost::default();
    let mut witness = mechanism(["watermark", "pause", "gate"], vec![0], &[]);
    witness.detect = AnyDetector::Custom(Box::new(Witness(lost.clone())));
    cell.0.mechanisms = vec![witness];
    let (frames, report) = log(&cell);
    let entered = report.flows[1..].iter().map(|f| f.sums.entered.packets);
    assert_eq!(entered.collect::<Vec<_>>(), [4, 3, 1]);
    let sent = frames.iter().filter_map(|frame| match &frame.body {
        Some(Body::Packet(packet, ..)) if frame.from == 0 => {
            Some((b" ABC"[packet.flow.index()].into(), packet.seq))
        }
        _ => None,
    });
    let lost = lost.lock().expect("one thread").clone();
    (sent.collect(), lost)
}

/// The cell of these stations and flows.
fn meanwhile(room: u64) -> Cell {
    let mut cell = Cell::new(0.3, B, dcf(B, BASIC), disc(100.0, 100.0));
    for x in [0.0, 10.0, 20.0, 30.0] {
        cell.station(&format!("s{x}"), x, 0.0);
    }
    cell.spec(0).in_turn = true;
    cell.spec(0).buffer = Limit::Packets(room);
    let first = cell.flow(3, 1, 1, once(1500));
    cell.0.flows[first].start = Span::millis(100);
    for (to, bytes, start, count) in [
        (1, 1000, 100_100, 4),
        (2, 800, 100_140, 3),
        (1, 600, 100_170, 1),
    ] {
        let flow = cell.flow(0, to, 1, paced(bytes, 8 * bytes * 100_000));
        let spec = &mut cell.0.flows[flow];
        spec.start = Span::micros(start);
        spec.stop = Span::micros(start + 10 * count - 5);
    }
    cell
}

/// In each round each flow with packets sends one: A, B and C, then A and B, then A and B, then A. Within a round the order is
/// left to the station.
#[test]
fn each_flow_sends_a_packet_in_each_round() {
    let (sent, lost) = served(20);
    assert_eq!((sent.len(), lost), (8, vec![]));
    let mut rest = &sent[..];
    for round in ["ABC", "AB", "AB", "A"] {
        let (now, then) = rest.split_at(round.len());
        let mut flows: Vec<char> = now.iter().map(|(flow, _)| *flow).collect();
        flows.sort_unstable();
        assert_eq!(flows.iter().collect::<String>(), round, "{sent:?}");
        rest = then;
    }
    for flow in ['A', 'B', 'C'] {
        let own = sent
            .iter()
            .filter(|(of, _)| *of == flow)
            .map(|(_, seq)| *seq);
        assert!(own.clone().eq(0..own.count() as u32), "{sent:?}");
    }
}

/// Four packets of A fill the buffer. The first two of B each make room at the cost of the newest of A, since A holds more than B
/// would; the third would make three of B beside two of A and is lost. C has none, so A or B, which hold two each, give way to
/// it: one of them loses its newest, and its oldest stays.
#[test]
fn the_flow_that_holds_most_makes_room() {
    let (sent, lost) = served(4);
    let [a, b] = [1018, 818];
    assert_eq!(lost[..2], [(a, 4), (a, 4)]);
    assert!(
        lost.len() == 3 && [(a, 4), (b, 4)].contains(&lost[2]),
        "{lost:?}"
    );
    let count = |flow: char| sent.iter().filter(|(of, _)| *of == flow).count();
    assert_eq!((count('A') + count('B'), count('C')), (3, 1));
    assert!(
        sent.contains(&('A', 0)) && sent.contains(&('B', 0)),
        "{sent:?}"
    );
    let newest = if lost[2].0 == a { ('B', 1) } else { ('A', 1) };
    assert!(sent.contains(&newest), "{sent:?}");
}

/// What has left is no longer held: when four packets of A have gone, two of B and two of C fill the buffer, and one of D makes
/// room at the cost of the newest of B or C.
#[test]
fn a_flow_whose_packets_have_left_holds_nothing() {
    let mut cell = meanwhile(4);
    cell.0.duration = Span::millis(600);
    cell.0.flows.truncate(2);
    let again = cell.flow(3, 1, 1, once(1500));
    cell.0.flows[again].start = Span::millis(400);
    for (start, count) in [(400_100, 2), (400_120, 2), (400_140, 1)] {
        let flow = cell.flow(0, 2, 1, paced(1000, 8 * 1000 * 100_000));
        let spec = &mut cell.0.flows[flow];
        spec.start = Span::micros(start);
        spec.stop = Span::micros(start + 10 * count - 5);
    }
    let (_, report) = cell.run();
    let lost = |flow: usize| report.flows[flow].sums.dropped.packets;
    assert_eq!(
        [1, 3, 4, 5].map(|flow| report.flows[flow].sums.entered.packets),
        [4, 2, 2, 1]
    );
    assert_eq!((lost(1), lost(3) + lost(4), lost(5)), (0, 1, 0));
}

/// Arrivals as a law sees them: microseconds, the packets that wait besides, and whether it is lost.
pub type Arrivals = Arc<Mutex<Vec<(u64, u64, bool)>>>;

#[derive(Clone, Debug)]
pub struct Watches(pub Arrivals);

impl Stamp for Watches {
    fn layout(&self) -> Option<Layout> {
        None
    }

    fn arrive(&mut self, seen: &LawPacket, _: Option<&CongestionHeader>) {
        let row = (
            seen.now.0 / Span::micros(1).0,
            seen.backlog.packets,
            seen.lost,
        );
        self.0.lock().expect("one thread").push(row);
    }

    fn depart(&mut self, _: &LawPacket, _: &mut Passing) {}

    fn values(&self) -> [(&'static str, f64); 4] {
        [("", 0.0); 4]
    }
}

/// A law sees each packet come, and what waits besides. Four packets of A fill the buffer. Of three of B two come when A has made
/// room, and the third is lost beside four.
#[test]
fn a_law_sees_what_waits_when_others_have_made_room() {
    let seen = Arrivals::default();
    let mut cell = meanwhile(4);
    cell.0.flows.pop();
    cell.0.stamps.push(StampSpec {
        name: "s0>air".into(),
        at: Egress::Attachment(0, 0),
        law: AnyStamp::Custom(Box::new(Watches(seen.clone()))),
        also: Vec::new(),
    });
    cell.run();
    let expected = [
        (100_100, 0, false),
        (100_110, 1, false),
        (100_120, 2, false),
        (100_130, 3, false),
        (100_140, 3, false),
        (100_150, 3, false),
        (100_160, 4, true),
    ];
    assert_eq!(*seen.lock().expect("one thread"), expected);
}

/// The last of four packets of A has waited for 10 us when a packet of B makes it give way. Its 1018 B have waited for that time, and the others wait as they do without
/// it.
#[test]
fn a_packet_that_makes_room_has_waited_up_to_then() {
    let area = |of_a: u64| {
        let mut cell = meanwhile(4);
        cell.0.flows.pop();
        cell.0.flows[1].stop = Span::micros(100_100 + 10 * of_a - 5);
        cell.0.flows[2].stop = Span::micros(100_145);
        let (world, report) = cell.run();
        let named = |p: &&PortReport| world.network().ports[p.port].more.name == "s0>s10";
        report.ports.iter().find(named).expect("a hop").count.area
    };
    assert_eq!(area(4) - area(3), 1018 * u128::from(Span::micros(10).0));
}
