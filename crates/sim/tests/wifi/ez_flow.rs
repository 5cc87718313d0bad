//! EZ-flow: stations overhear what their next station sends on, and contend less while it lags behind.

use std::sync::{Arc, Mutex};

use backwater_sim::cause::Cause;
use backwater_sim::limit::Limit;
use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Signal};
use backwater_sim::mechanism::needs::{Needs, Set};
use backwater_sim::mechanism::place::View;
use backwater_sim::medium::wifi::air_log::{Body, Fate};
use backwater_sim::medium::wifi::phy::channel::{ChannelSpec, Disc};
use backwater_sim::medium::wifi::phy::fading::{BlockFading, Law};
use backwater_sim::medium::wifi::phy::mode::Format;
use backwater_sim::world::World;
use backwater_transport::part::Value;
use backwater_transport::units::Span;

use crate::aggregate::{mode, noisy_cell, saturated_cell};
use crate::attempts::log;
use crate::cell::{B, BASIC, Cell, G, RTS, cbr, disc, edca, once, saturated};
use crate::mechanisms::mechanism;
use crate::physical::plain;

pub const PARTS: [&str; 3] = ["overheard-backlog", "own-step", "cw-min"];

/// Five stations in a row that sense each other over two hops; the first sends all that it can to the last. The source proves that the queue of the first relay
/// of such a chain grows without bound under 802.11.
pub fn chain() -> Cell {
    let two_hops = ChannelSpec::Disc(Disc {
        transmit: 100.0,
        sense: 250.0,
        interfere: 150.0,
        capture: None,
        propagation: Span::micros(1),
    });
    let mut cell = Cell::new(60.0, B, edca(B, BASIC), two_hops);
    cell.0.warmup = Span::secs(30);
    let stations: Vec<usize> = (0..5)
        .map(|n| cell.station(&format!("s{n}"), 100.0 * f64::from(n), 0.0))
        .collect();
    for station in &stations {
        cell.spec(*station).buffer = Limit::Packets(50);
    }
    cell.flow(stations[0], stations[4], 1, saturated(1500));
    cell
}

/// Packets that found no room at the relays after the warm-up.
fn lost(cell: &Cell) -> u64 {
    let (_, report) = cell.run();
    let full = report.drops.iter().filter(|d| d.key.0 == Cause::BufferFull);
    full.map(|d| d.count.packets).sum()
}

/// With EZ-flow the first station steps back until its relay can follow, and next to nothing is lost; without, and with a mark
/// that no queue of 50 packets reaches, the relay loses more than the network delivers.
#[test]
fn a_station_that_contends_less_keeps_its_relay_from_overflowing() {
    let mut cell = chain();
    let without = lost(&cell);
    assert!(without > 1000, "{without}");
    cell.0.mechanisms = vec![mechanism(
        PARTS,
        vec![0, 1, 2, 3],
        &[("steps", Value::Count(11))],
    )];
    let with = lost(&cell);
    assert!(with * 20 < without, "{with} {without}");
    let never = [
        ("b_max", Value::Number(1000.0)),
        ("b_min", Value::Number(0.0)),
    ];
    cell.0.mechanisms = vec![mechanism(PARTS, vec![0, 1, 2, 3], &never)];
    assert_eq!(lost(&cell), without);
}

/// The log of a test detector that overhears: number of the packet and who sent it.
pub type Log = Arc<Mutex<Vec<(u32, u32)>>>;

#[derive(Clone, Debug)]
pub struct Witness(pub Log);

impl Detector for Witness {
    fn needs(&self) -> Needs {
        Needs::of(Set::OVERHEARING).giving(Set::NEXT_QUEUE)
    }

    fn observe(&mut self, moment: &Moment, _: &View) -> Option<Signal> {
        if let Moment::Overheard(seen) = moment {
            let row = (seen.packet.seq, seen.by);
            self.0.lock().expect("one thread").push(row);
        }
        None
    }
}

/// Where one station sends at a time, the first of three overhears each packet that the second sends to the third, once, in
/// order, and none of those that the second sends to the first.
#[test]
fn a_station_overhears_what_the_next_one_sends_on() {
    let channels = [(B, disc(100.0, 300.0)), (G, ChannelSpec::Physical(plain()))];
    for (phy, channel) in channels {
        for rts in [BASIC, RTS] {
            let mut cell = Cell::new(2.0, phy, edca(phy, rts), channel.clone());
            let [a, relay, d] = [0.0, 100.0, 200.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
            cell.flow(a, d, 1, cbr(1500, 300_000));
            cell.flow(relay, a, 1, cbr(1000, 10_000));
            let log = Log::default();
            let mut witness = mechanism(PARTS, vec![a], &[]);
            witness.detect = AnyDetector::Custom(Box::new(Witness(log.clone())));
            cell.0.mechanisms = vec![witness];
            let (_, report) = cell.run();
            let rows = log.lock().expect("one thread");
            let sent_on = report.flows[0].hops[1].count.packets as u32;
            assert!(sent_on >= 48, "{sent_on}");
            let all: Vec<_> = (0..sent_on).map(|seq| (seq, relay as u32)).collect();
            assert_eq!(*rows, all, "{rts}");
        }
    }
}

/// Six stations hear one another. One that sends nothing overhears each frame of the A-MPDUs that another sends to a third, once
/// and in order, since nothing collides.
#[test]
fn an_idle_station_of_a_cell_overhears_each_frame_of_a_burst() {
    let mut cell = saturated_cell(0.1, mode(Format::Ht, 20, 7, 1), 16, 1);
    for i in 0..4 {
        cell.station(&format!("idle{i}"), 10.0 + f64::from(i), 0.0);
    }
    let heard = Log::default();
    let mut witness = mechanism(PARTS, vec![5], &[]);
    witness.detect = AnyDetector::Custom(Box::new(Witness(heard.clone())));
    cell.0.mechanisms = vec![witness];
    let (_, report) = cell.run();
    let rows = heard.lock().expect("one thread");
    let all: Vec<_> = (0..rows.len() as u32).map(|seq| (seq, 1)).collect();
    assert_eq!(*rows, all);
    // A burst of 16 may be on the air at the end.
    let sent = report.stations[0].toward.frames;
    assert!(sent > 300 && sent - rows.len() as u64 <= 16, "{sent}");
}

/// Over a channel that fades for each frame MPDUs and block acknowledgements are lost, so A-MPDUs repeat some frames that their
/// receiver has and some that it has not. A station a metre away from the sender, which misses few, overhears each of them with
/// its own packet.
#[test]
fn a_station_overhears_the_packets_of_bursts_that_are_repeated() {
    let mut cell = noisy_cell(0.5, 64, 21.0);
    let ChannelSpec::Physical(channel) = &mut cell.0.media[0].channel else {
        unreachable!("a physical channel");
    };
    channel.fading = Some(BlockFading {
        law: Law::Nakagami(1.0),
        coherence: Span::micros(10),
    });
    let near = cell.station("near", 1001.0, 0.0);
    let heard = Log::default();
    let mut witness = mechanism(PARTS, vec![near], &[]);
    witness.detect = AnyDetector::Custom(Box::new(Witness(heard.clone())));
    cell.0.mechanisms = vec![witness];
    let (frames, _) = log(&cell);
    let rows = heard.lock().expect("one thread");
    let sent = frames
        .iter()
        .filter(|f| f.from == 1 && f.fate != Fate::OnAir);
    let sent = sent.filter_map(|frame| match &frame.body {
        Some(Body::Packet(packet, ..)) => Some((packet.seq, 1)),
        _ => None,
    });
    let count = sent.clone().count();
    assert!(count > 1000 && rows.len() * 100 > count * 95, "{count}");
    // In the order in which they were sent.
    let mut sent = sent;
    assert!(rows.iter().all(|row| sent.any(|frame| frame == *row)));
}

/// Asks its own station for three steps when it overhears a frame.
#[derive(Clone, Debug)]
struct StepsBack;

impl Detector for StepsBack {
    fn needs(&self) -> Needs {
        Needs::of(Set::OVERHEARING).giving(Set::NEXT_QUEUE)
    }

    fn observe(&mut self, moment: &Moment, _: &View) -> Option<Signal> {
        matches!(moment, Moment::Overheard(_)).then_some(Signal::Back(3))
    }
}

/// A station that overhears a frame and sends nothing steps back as soon as the frame has ended, with nothing else to happen.
#[test]
fn what_follows_from_an_overheard_frame_follows_at_once() {
    let mut cell = Cell::new(1.0, B, edca(B, BASIC), disc(100.0, 100.0));
    let [a, b, idle] = [0.0, 10.0, 20.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.flow(a, b, 1, once(1500));
    let options = [("steps", Value::Count(3))];
    let mut steps = mechanism(PARTS, vec![idle], &options);
    steps.detect = AnyDetector::Custom(Box::new(StepsBack));
    cell.0.mechanisms = vec![steps];
    let (world, report) = cell.run();
    assert!(world.air().radios[idle].steps[1] > 0);
    // Nobody else has told it.
    assert_eq!(report.hearing[0].heard, 0);
}

/// Packets that have left, by their flow: whether they could be overheard further on.
#[derive(Clone, Debug)]
pub struct Departures(pub Arc<Mutex<Vec<(u64, bool)>>>);

impl Detector for Departures {
    fn needs(&self) -> Needs {
        Needs::of(Set::OVERHEARING).giving(Set::NEXT_QUEUE)
    }

    fn observe(&mut self, moment: &Moment, _: &View) -> Option<Signal> {
        if let Moment::Sent(seen) = moment {
            let row = (seen.bytes, seen.packet.is_some());
            self.0.lock().expect("one thread").push(row);
        }
        None
    }
}

/// Packets of 1500 B go on over the air from the next station, and those of 1000 B are for that station: only the former can be
/// overheard there.
#[test]
fn packets_for_the_next_station_are_not_expected_further_on() {
    let mut cell = Cell::new(1.0, B, edca(B, BASIC), disc(100.0, 300.0));
    let [a, relay, d] = [0.0, 100.0, 200.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.flow(a, d, 1, cbr(1500, 120_000));
    cell.flow(a, relay, 1, cbr(1000, 80_000));
    let left = Arc::new(Mutex::new(Vec::new()));
    let mut witness = mechanism(PARTS, vec![a], &[]);
    witness.detect = AnyDetector::Custom(Box::new(Departures(left.clone())));
    cell.0.mechanisms = vec![witness];
    cell.run();
    let rows = left.lock().expect("one thread");
    let of = |bytes: u64| rows.iter().filter(move |row| row.0 == bytes);
    assert!(of(1518).count() >= 9 && of(1018).count() >= 9);
    assert!(of(1518).all(|row| row.1) && of(1018).all(|row| !row.1));
}

/// A station's own long queue is no reason to contend less, nor would a station that stopped learn when to go on.
#[test]
fn what_would_make_things_worse_is_refused() {
    let mut cell = chain();
    for (parts, word) in [
        (["watermark", "own-step", "cw-min"], "would make it longer"),
        (["overheard-backlog", "own-step", "gate"], "never overhear"),
        (["overheard-backlog", "request", "cw-min"], "waits to leave"),
    ] {
        cell.0.mechanisms = vec![mechanism(parts, vec![1], &[])];
        let refusal = World::build(&cell.0).expect_err("refused");
        assert_eq!(refusal.path, "mechanisms.bp.notify");
        assert!(refusal.what.contains(word), "{}", refusal.what);
    }
}
