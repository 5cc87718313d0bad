//! Stations that all hear one another share a record of what they sense. A station beyond them, which sends and hears nothing, keeps each to a
//! record of its own. Nothing that happens depends on it.

use backwater_sim::mechanism::AnyDetector;
use backwater_sim::medium::wifi::air_log::Fate;
use backwater_sim::medium::wifi::mac::category::{AfterCollision, MacSpec, Protection};
use backwater_sim::medium::wifi::phy::mode::Format;
use backwater_sim::medium::wifi::phy::standard::Phy;
use backwater_sim::targets::Destination;
use backwater_sim::world::World;
use backwater_transport::units::{Rate, Span, Time};

use crate::aggregate::{self, mode};
use crate::cell::{BASIC, Cell, G, RTS, cbr, dcf, disc, edca, poisson, saturated};
use crate::ez_flow::{Log, Witness};
use crate::mechanisms::mechanism;

/// What can be seen of a run: its fingerprint, its frames, the ticks for which stations were busy, and delivered and lost packets.
type Seen = (
    u64,
    Vec<(Time, u32, u32, bool)>,
    Vec<[u64; 5]>,
    Vec<[u64; 2]>,
);

/// So many stations within 50 m that send in all classes to each other, some always and some now and then.
fn fill(mut cell: Cell, stations: usize) -> Cell {
    for number in 0..stations {
        cell.station(
            &format!("s{number}"),
            50.0 * number as f64 / stations as f64,
            0.0,
        );
    }
    for number in 0..stations {
        let source = match number % 3 {
            0 => saturated(1000),
            1 => cbr(700, 300_000),
            _ => poisson(300, 200_000),
        };
        cell.flow(number, (number + 1) % stations, (number % 4) as u8, source);
    }
    cell
}

/// What is seen of the stations of a cell, beside one beyond them or not.
fn seen(cell: &Cell, beyond: bool) -> Seen {
    let mut cell = cell.clone();
    let count = cell.0.nodes.len();
    if beyond {
        cell.station("beyond", 5000.0, 0.0);
    }
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.start_air_log();
    world.advance(world.end());
    let report = world.report();
    assert!(report.conserved);
    let frames = world.take_air_frames(true).into_iter();
    let received = |fate| fate == Fate::Received;
    let frames = frames.map(|f| (f.at, f.from, f.to, received(f.fate)));
    let stations = report.stations[..count].iter();
    let stations = stations.map(|s| [s.airtime, s.busy, s.frames, s.failures, s.internal]);
    let flows = report.flows.iter().map(|f| &f.sums);
    let flows = flows.map(|f| [f.delivered.packets, f.dropped.packets]);
    (
        report.fingerprint,
        frames.collect(),
        stations.collect(),
        flows.collect(),
    )
}

/// Both give the same, and something happens.
fn hold_to_the_same(cell: &Cell, what: &str) {
    let (shared, own) = (seen(cell, false), seen(cell, true));
    assert!(shared.1.len() > 100, "{what}: {}", shared.1.len());
    assert!(shared.1 == own.1, "{what}: frames differ");
    assert_eq!(
        (shared.0, shared.2, shared.3),
        (own.0, own.2, own.3),
        "{what}"
    );
}

const PHY: Phy = Phy {
    control: Rate(6_000_000),
    ..G
};

/// Frames alone, with and without RTS, under DCF and EDCA, whatever follows a collision, with NAVs that are reset or not, and in TXOPs that a CF-End
/// ends.
#[test]
fn a_record_for_all_gives_what_a_record_for_each_does() {
    let plain = dcf(PHY, BASIC);
    let rules = edca(PHY, BASIC);
    let mut txop = MacSpec {
        rts_above: RTS,
        protection: Protection::Multiple,
        ..rules
    };
    for category in &mut txop.categories {
        category.txop = Span::micros(3000);
    }
    for (what, mac) in [
        ("DCF", plain),
        (
            "RTS",
            MacSpec {
                rts_above: RTS,
                ..plain
            },
        ),
        (
            "NAVs that stay",
            MacSpec {
                rts_above: RTS,
                nav_reset: false,
                ..plain
            },
        ),
        (
            "timeouts",
            MacSpec {
                after_collision: AfterCollision::Timeout,
                ..plain
            },
        ),
        (
            "EIFS",
            MacSpec {
                after_collision: AfterCollision::Eifs,
                retry_short: 4,
                ..plain
            },
        ),
        ("EDCA", rules),
        (
            "lifetimes",
            MacSpec {
                lifetime: Some(Span::millis(5)),
                ..rules
            },
        ),
        (
            "EDCA and RTS",
            MacSpec {
                rts_above: 500,
                after_collision: AfterCollision::Timeout,
                ..rules
            },
        ),
        ("TXOPs", txop),
    ] {
        let cell = fill(Cell::new(0.04, PHY, mac, disc(100.0, 100.0)), 8);
        hold_to_the_same(&cell, what);
    }
}

/// The same of TXOPs under single protection whose frames differ in length: where the next one is short, the one before has not reserved it.
#[test]
fn a_record_for_all_gives_what_a_record_for_each_does_of_unequal_txops() {
    let mut mac = edca(PHY, BASIC);
    mac.lifetime = Some(Span::millis(8));
    for category in &mut mac.categories {
        (category.cw_min, category.txop) = (3, Span::micros(800));
    }
    let mut cell = fill(Cell::new(0.06, PHY, mac, disc(100.0, 100.0)), 8);
    for number in 0..8 {
        for (bytes, rate) in [(1500, 900_000), (100, 300_000)] {
            let to = (number + 3) % 8;
            cell.flow(number, to, (number % 4) as u8, poisson(bytes, rate));
        }
    }
    hold_to_the_same(&cell, "unequal TXOPs");
}

/// The same of A-MPDUs, which collisions damage in part.
#[test]
fn a_record_for_all_gives_what_a_record_for_each_does_of_a_mpdus() {
    for asks in [false, true] {
        let mut cell = aggregate::cell(0.1, mode(Format::Ht, 20, 7, 1), 64, asks, 100.0);
        cell.0.media[0].channel = disc(100.0, 100.0);
        let mac = &mut cell.0.media[0].mac;
        mac.after_collision = AfterCollision::Timeout;
        for category in &mut mac.categories {
            (category.cw_min, category.cw_max) = (3, 7);
        }
        hold_to_the_same(&fill(cell, 8), "A-MPDUs");
    }
}

/// The same of frames to groups, which several receive at once.
#[test]
fn a_record_for_all_gives_what_a_record_for_each_does_of_groups() {
    let mut cell = fill(Cell::new(0.1, PHY, edca(PHY, BASIC), disc(100.0, 100.0)), 8);
    for (from, group) in [(1, vec![6, 0, 3]), (4, vec![2, 7])] {
        let flow = cell.flow(from, group[0], 1, poisson(200, 200_000));
        cell.0.flows[flow].to = Destination::Group(group);
    }
    hold_to_the_same(&cell, "groups");
}

/// The same where two stations overhear what their next ones send on: which packets, in which order.
#[test]
fn a_record_for_all_gives_what_a_record_for_each_does_of_overhearing() {
    let parts = ["overheard-backlog", "own-step", "cw-min"];
    let overheard = |beyond: bool| {
        let log = Log::default();
        let mut cell = fill(Cell::new(0.1, PHY, edca(PHY, BASIC), disc(100.0, 100.0)), 8);
        for way in [[0, 1, 2], [3, 4, 5], [6, 7, 3]] {
            let flow = cell.flow(way[0], way[2], 2, poisson(500, 500_000));
            cell.0.flows[flow].route = Some(way.to_vec());
        }
        let mut witness = mechanism(parts, vec![0, 3, 6], &[]);
        witness.detect = AnyDetector::Custom(Box::new(Witness(log.clone())));
        cell.0.mechanisms = vec![witness];
        let seen = seen(&cell, beyond);
        let rows = log.lock().expect("one thread").clone();
        assert!(rows.len() > 20, "{}", rows.len());
        (rows, seen.0, seen.2)
    };
    assert_eq!(overheard(false), overheard(true));
}
