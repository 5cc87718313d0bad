//! EZ-flow: stations overhear what their next station sends on, and contend less while it lags behind.

use std::sync::{Arc, Mutex};

use backwater_sim::cause::Cause;
use backwater_sim::limit::Limit;
use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Signal};
use backwater_sim::mechanism::needs::{Needs, Set};
use backwater_sim::mechanism::place::View;
use backwater_sim::medium::wifi::phy::channel::{ChannelSpec, Disc};
use backwater_sim::world::World;
use backwater_transport::part::Value;
use backwater_transport::units::Span;

use crate::cell::{B, BASIC, Cell, G, RTS, cbr, disc, edca, saturated};
use crate::mechanisms::mechanism;
use crate::physical::plain;

const PARTS: [&str; 3] = ["overheard-backlog", "own-step", "cw-min"];

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
