//! DiffQ: stations contend the more the longer their queue is than the next station's.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use backwater_sim::cause::Cause;
use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Signal};
use backwater_sim::mechanism::needs::{Needs, Set};
use backwater_sim::mechanism::place::View;
use backwater_sim::medium::wifi::air_log::Body;
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::world::World;
use backwater_transport::part::Value;
use backwater_transport::units::Span;

use crate::aggregate::noisy_cell;
use crate::attempts::log;
use crate::cell::{B, BASIC, Cell, cbr, disc, edca, once, saturated};
use crate::ez_flow::chain;
use crate::mechanisms::mechanism;

const PARTS: [&str; 3] = ["differential-backlog", "own-step", "cw-min"];

fn lost(cell: &Cell) -> u64 {
    let (_, report) = cell.run();
    let full = report.drops.iter().filter(|d| d.key.0 == Cause::BufferFull);
    full.map(|d| d.count.packets).sum()
}

/// The first relay of the chain overflows without. With DiffQ it contends more than the source as soon as it holds more than
/// half of what the source does, and the relays after it more than those before. A `step` that no queue of 50 packets
/// reaches gives all stations one priority, and the relay overflows again.
#[test]
fn a_relay_whose_queue_is_long_goes_first() {
    let mut cell = chain();
    let without = lost(&cell);
    assert!(without > 1000, "{without}");
    let steps = ("steps", Value::Count(3));
    let watched = vec![0, 1, 2, 3];
    cell.0.mechanisms = vec![mechanism(
        PARTS,
        watched.clone(),
        std::slice::from_ref(&steps),
    )];
    let with = lost(&cell);
    assert!(with * 4 < without, "{with} {without}");
    let never = [steps, ("step", Value::Count(1000))];
    cell.0.mechanisms = vec![mechanism(PARTS, watched, &never)];
    let same = lost(&cell);
    assert!(same > 1000 && with * 4 < same, "{with} {same}");
}

/// The first station of the chain sends as much to a neighbour on its other side, and the relays, which share the medium with a pair beside them,
/// overflow. All stations contend alike. Under back-pressure it sends a packet into the chain when it holds more than the relay, and serves the
/// neighbour meanwhile: the relay loses at most a tenth of what it loses where the oldest packet goes first, and the neighbour
/// gets more.
#[test]
fn back_pressure_serves_the_destination_that_can_take_more() {
    let run = |serve: &'static str| {
        let mut cell = chain();
        let side = cell.station("side", -50.0, 50.0);
        // A pair that the relays sense and the first station does not.
        let pair = [100.0, 150.0].map(|y| cell.station(&format!("p{y}"), 300.0, y));
        cell.flow(pair[0], pair[1], 1, saturated(1500));
        let flow = cell.flow(0, side, 1, saturated(1500));
        let options = [
            ("steps", Value::Count(3)),
            ("serve", Value::Choice(serve)),
            ("step", Value::Count(1000)),
        ];
        cell.0.mechanisms = vec![mechanism(PARTS, vec![0, 1, 2, 3], &options)];
        let (_, report) = cell.run();
        let full = report.drops.iter().filter(|d| d.key.0 == Cause::BufferFull);
        let lost: u64 = full.map(|d| d.count.packets).sum();
        (lost, report.flows[flow].sums.delivered.packets)
    };
    let ((oldest, before), (greatest, after)) = (run("oldest"), run("greatest"));
    assert!(oldest > 500, "{oldest}");
    assert!(
        greatest * 10 < oldest,
        "{greatest} {oldest} {before} {after}"
    );
    assert!(after > before, "{after} {before}");
}

/// Backlogs that a test detector has overheard.
#[derive(Clone, Debug)]
struct Witness(Arc<Mutex<Vec<u32>>>, u64);

impl Detector for Witness {
    fn needs(&self) -> Needs {
        Needs::of(Set::OVERHEARING).giving(Set::NEXT_QUEUE)
    }

    fn field(&self) -> u64 {
        self.1
    }

    fn observe(&mut self, moment: &Moment, _: &View) -> Option<Signal> {
        if let Moment::Overheard(seen) = moment {
            self.0.lock().expect("one thread").extend(seen.backlog);
        }
        None
    }
}

/// Where one station sends at a time a relay holds the one packet that it sends on, and says so in a field by which its frames
/// take longer. Without a field it says nothing.
#[test]
fn a_relay_says_how_much_it_holds_in_a_field_of_its_frames() {
    let run = |field: u64| {
        let mut cell = Cell::new(2.0, B, edca(B, BASIC), disc(100.0, 300.0));
        let [a, relay, d] = [0.0, 100.0, 200.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
        cell.flow(a, d, 1, cbr(1500, 300_000));
        let heard = Arc::new(Mutex::new(Vec::new()));
        let mut witness = mechanism(PARTS, vec![a, relay], &[]);
        witness.detect = AnyDetector::Custom(Box::new(Witness(heard.clone(), field)));
        cell.0.mechanisms = vec![witness];
        let mut world = World::build(&cell.0).expect("a legal cell");
        world.start_air_log();
        world.advance(world.end());
        let report = world.report();
        // The log of the air has what the frames bring: one packet, in so many bytes.
        for frame in world.take_air_frames(true) {
            if let Some(Body::Packet(_, _, fields)) = frame.body {
                let brings: &[(u32, u64)] = if field > 0 { &[(1, field)] } else { &[] };
                assert_eq!(fields.numbers, brings);
            }
        }
        let overhead = world.air().media[0].overhead;
        let rows = heard.lock().expect("one thread").clone();
        let hop = &report.flows[0].hops[1].count;
        (rows, hop.packets, report.flows[0].sums.sum.serial, overhead)
    };
    let (silent, sent_on, without, overhead) = run(0);
    assert_eq!(silent, []);
    let airtime = |field: u64| B.airtime(1500 + overhead + field, B.data).0;
    for field in [1, 2] {
        let (heard, same, with, _) = run(field);
        assert_eq!((heard, same), (vec![1; sent_on as usize], sent_on));
        // Each packet crosses two hops.
        let longer = (airtime(field) - airtime(0)) * 2 * sent_on;
        assert!(longer > 0);
        assert_eq!((with - without) as u64, longer);
    }
}

/// Packets that have come and gone, as a detector sees them.
#[derive(Clone, Debug)]
struct Counter(Arc<Mutex<[u32; 2]>>);

impl Detector for Counter {
    fn needs(&self) -> Needs {
        Needs::of(Set::OVERHEARING).giving(Set::NEXT_QUEUE)
    }

    fn observe(&mut self, moment: &Moment, _: &View) -> Option<Signal> {
        let mut counts = self.0.lock().expect("one thread");
        match moment {
            Moment::Enqueued(_) => counts[0] += 1,
            Moment::Sent(_) | Moment::Lost(_) => counts[1] += 1,
            _ => {}
        }
        None
    }
}

/// A detector sees every packet leave, also one whose lifetime ends before it was ever tried.
#[test]
fn a_detector_sees_packets_whose_lifetime_is_over_leave() {
    let mut mac = edca(B, BASIC);
    mac.lifetime = Some(Span::millis(20));
    let mut cell = Cell::new(5.0, B, mac, disc(100.0, 300.0));
    let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.flow(a, b, 1, cbr(1500, 9_000_000));
    let counts = Arc::new(Mutex::new([0; 2]));
    let mut counter = mechanism(PARTS, vec![a], &[]);
    counter.detect = AnyDetector::Custom(Box::new(Counter(counts.clone())));
    cell.0.mechanisms = vec![counter];
    let (world, report) = cell.run();
    let expired = report.drops.iter().find(|d| d.key.0 == Cause::Expired);
    assert!(expired.is_some_and(|d| d.count.packets > 100));
    let [came, left] = *counts.lock().expect("one thread");
    let category = &world.air().radios[a].categories[1];
    // A frame that was received and not yet acknowledged still counts.
    assert_eq!(came - left, category.frames);
}

/// While another station sends, a station gets a packet for x and then three for y. Neither
/// neighbour holds anything, so the differential backlogs are one and three. Served by the
/// greatest, y has the first two; served by age, x has the first.
#[test]
fn the_packet_of_the_greatest_differential_backlog_goes_first() {
    let order = |serve: &'static str| {
        let mut cell = Cell::new(0.6, B, edca(B, BASIC), disc(100.0, 100.0));
        let [other, from, x, y] =
            [0.0, 10.0, 20.0, 30.0].map(|at| cell.station(&format!("s{at}"), at, 0.0));
        let packets = [(other, x), (from, x), (from, y), (from, y), (from, y)];
        for ((from, to), micros) in packets.into_iter().zip((500_000..).step_by(100)) {
            let flow = cell.flow(from, to, 1, once(1500));
            cell.0.flows[flow].start = Span::micros(micros);
        }
        let options = [("serve", Value::Choice(serve))];
        cell.0.mechanisms = vec![mechanism(PARTS, vec![from], &options)];
        let mut world = World::build(&cell.0).expect("a legal cell");
        world.start_air_log();
        world.advance(world.end());
        let frames = world.take_air_frames(true).into_iter();
        let sent = frames.filter(|f| f.from == from as u32 && f.kind == FrameKind::Data);
        let names: String = sent
            .map(|f| if f.to == x as u32 { 'x' } else { 'y' })
            .collect();
        assert_eq!(names.len(), 4, "{names}");
        names
    };
    assert_eq!(order("oldest"), "xyyy");
    assert_eq!(order("greatest")[..2], *"yy");
}

/// Under block acknowledgement one of ten frames is lost and goes again. It keeps its number,
/// though packets for another destination, which wait for the same neighbour, have the greater
/// differential backlog. IEEE 802.11-2020 10.3.2.14.
#[test]
fn a_frame_that_goes_again_keeps_its_number_whatever_is_served_first() {
    let mut cell = noisy_cell(0.5, 64, 19.58);
    let [relay, from] = [0, 1];
    let beyond = cell.station("beyond", -100.0, 0.0);
    cell.0.flows[0].source = cbr(1500, 8_000_000);
    let flow = cell.flow(from, beyond, 1, cbr(1500, 40_000_000));
    cell.0.flows[flow].route = Some(vec![from, relay, beyond]);
    let options = [("serve", Value::Choice("greatest"))];
    cell.0.mechanisms = vec![mechanism(PARTS, vec![from, relay], &options)];
    let (frames, _) = log(&cell);
    let (mut numbers, mut again) = (BTreeMap::new(), 0);
    for frame in frames.iter().filter(|f| f.from == from as u32) {
        if let Some(Body::Packet(packet, ..)) = &frame.body {
            let key = (packet.flow.index(), packet.seq);
            let number = *numbers.entry(key).or_insert(frame.number);
            assert_eq!(number, frame.number, "{key:?}");
            again += u32::from(frame.retry);
        }
    }
    assert!(again > 20 && numbers.len() > 300, "{again}");
}

/// While another station sends, a station gets three packets for one neighbour and one for another. Each of its frames says how
/// many it holds for that host, the packet in the frame included.
#[test]
fn frames_say_how_many_packets_are_held_for_their_host() {
    let mut cell = Cell::new(0.2, B, edca(B, BASIC), disc(100.0, 100.0));
    for x in [0.0, 10.0, 20.0, 30.0] {
        cell.station(&format!("s{x}"), x, 0.0);
    }
    let rows = [(3, 1), (0, 1), (0, 2), (0, 1), (0, 1)];
    for ((from, to), micros) in rows.into_iter().zip((100_000..).step_by(200)) {
        let flow = cell.flow(from, to, 1, once(1500));
        cell.0.flows[flow].start = Span::micros(micros);
    }
    let mut witness = mechanism(PARTS, vec![0], &[]);
    witness.detect = AnyDetector::Custom(Box::new(Witness(Arc::default(), 2)));
    cell.0.mechanisms = vec![witness];
    let (frames, _) = log(&cell);
    let told = frames.iter().filter(|f| f.from == 0);
    let told = told.filter_map(|frame| match &frame.body {
        Some(Body::Packet(_, _, fields)) => Some((frame.to, fields.numbers[0])),
        _ => None,
    });
    let expected = [(1, (3, 2)), (2, (1, 2)), (1, (2, 2)), (1, (1, 2))];
    assert_eq!(told.collect::<Vec<_>>(), expected);
}

/// The packets for x and for y wait for one neighbour, which sends both on. The packet for x came first, and those for y have the
/// greater differential backlog: two of them go first.
#[test]
fn the_greatest_differential_backlog_passes_others_for_one_neighbour() {
    let mut cell = Cell::new(0.6, B, edca(B, BASIC), disc(100.0, 300.0));
    let [other, from, relay, x, y] =
        [-20.0, 0.0, 90.0, 180.0, 181.0].map(|at| cell.station(&format!("s{at}"), at, 0.0));
    let packets = [(other, from), (from, x), (from, y), (from, y), (from, y)];
    for ((from, to), micros) in packets.into_iter().zip((500_000..).step_by(100)) {
        let flow = cell.flow(from, to, 1, once(1500));
        cell.0.flows[flow].start = Span::micros(micros);
    }
    let options = [("serve", Value::Choice("greatest"))];
    cell.0.mechanisms = vec![mechanism(PARTS, vec![from, relay], &options)];
    let (frames, _) = log(&cell);
    let sent = frames.iter().filter(|f| f.from == from as u32);
    let hosts = sent.filter_map(|frame| match &frame.body {
        Some(Body::Packet(packet, ..)) => Some(packet.flow.index()),
        _ => None,
    });
    let hosts: Vec<usize> = hosts.collect();
    assert!(
        hosts.len() == 4 && hosts[0] != 1 && hosts[1] != 1,
        "{hosts:?}"
    );
}
