//! AIFSN of stations that a caller moves between two events.

use backwater_sim::knob::{Place, Range};
use backwater_sim::record::What;
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};

use crate::cell::{B, BASIC, Cell, cbr, dcf, disc, edca, once};
use crate::mechanisms::mechanism;

fn pair() -> Cell {
    let mut cell = Cell::new(1.0, B, edca(B, BASIC), disc(100.0, 100.0));
    let [a, b] = [("a", 0.0), ("b", 50.0)].map(|(name, x)| cell.station(name, x, 0.0));
    cell.flow(a, b, 1, cbr(1500, 1_000_000));
    cell
}

fn of(node: &str, category: &str) -> Place {
    Place::Category(node.into(), category.into())
}

/// Each access category has its AIFSN, at first that of Table 9-155 of IEEE 802.11-2020, and may have 1 to 255. There is none of
/// a station or a category that does not exist, nor of another parameter, nor where a mechanism moves it.
#[test]
fn each_category_has_an_aifsn_to_move() {
    let mut world = World::build(&pair().0).expect("a legal cell");
    for (category, slots) in [("BK", 7.0), ("BE", 3.0), ("VI", 2.0), ("VO", 2.0)] {
        let Range { low, high, now } = world.range(&of("b", category), "aifsn").expect("a knob");
        assert_eq!([low, high, now], [1.0, 255.0, slots], "{category}");
    }
    for (place, option, what) in [
        (of("c", "BE"), "aifsn", "there is no station `c`"),
        (of("a", "XX"), "aifsn", "`a` has no `XX.aifsn` to move"),
        (of("a", "BE"), "cw_min", "`a` has no `BE.cw_min` to move"),
    ] {
        let refused = world.range(&place, option).expect_err("no knob");
        assert!(refused.what.contains(what), "{}", refused.what);
    }
    let mut cell = pair();
    cell.flow(1, 0, 1, cbr(100, 10_000));
    cell.0.mechanisms = vec![mechanism(["watermark", "pause", "aifsn"], vec![0], &[])];
    let mut world = World::build(&cell.0).expect("a legal cell");
    let refused = world.range(&of("b", "BE"), "aifsn").expect_err("moved");
    assert!(
        refused.what.contains("a mechanism moves"),
        "{}",
        refused.what
    );
}

/// A category that is turned has that AIFSN from then on, in whole slots and within its bounds, and no other category has. The
/// mean over time counts each for as long as it stood. A turn to where it stands is none.
#[test]
fn an_aifsn_moves_where_it_is_turned_to() {
    let mut world = World::build(&pair().0).expect("a legal cell");
    world.start_recording();
    let place = of("a", "BE");
    for (millis, value, slots) in [
        (200, 10.9, 10),
        (500, 10.0, 10),
        (600, 300.0, 255),
        (900, 0.0, 1),
    ] {
        world.advance(Time::ZERO + Span::millis(millis));
        world.turn(&place, value);
        let found = world.range(&place, "aifsn").expect("a knob").now;
        assert_eq!(found, f64::from(slots));
        let radio = &world.air().radios[0];
        let all: Vec<u8> = radio.categories.iter().map(|c| c.set.aifsn).collect();
        assert_eq!(all, [7, slots, 2, 2]);
        // A SIFS of 10 us and slots of 20.
        assert_eq!(
            radio.categories[1].aifs,
            Span::micros(10 + 20 * u64::from(slots))
        );
    }
    world.advance(world.end());
    let moved: Vec<(u64, u64)> = world
        .take_records()
        .iter()
        .filter(|record| record.what == What::Aifsn)
        .map(|record| (record.at.0 / Span::millis(1).0, record.value))
        .collect();
    assert_eq!(moved, [(200, 10), (600, 255), (900, 1)]);
    let sum = 200 * 3 + 400 * 10 + 300 * 255 + 100;
    let report = world.report();
    assert_eq!(report.stations[0].aifsn[1], sum * Span::millis(1).0);
}

/// Where no packet follows, two runs differ in a turn alone: the fingerprint tells it, and whether it went to another number of slots.
#[test]
fn the_fingerprint_tells_of_a_turn() {
    let fingerprint = |slots: Option<f64>| {
        let mut cell = pair();
        cell.0.flows[0].stop = Span::millis(100);
        let mut world = World::build(&cell.0).expect("a legal cell");
        world.advance(Time::ZERO + Span::millis(500));
        if let Some(slots) = slots {
            world.turn(&of("b", "BE"), slots);
        }
        world.advance(world.end());
        world.fingerprint()
    };
    assert_eq!(fingerprint(None), fingerprint(Some(3.0)));
    assert_ne!(fingerprint(None), fingerprint(Some(4.0)));
}

/// The one queue of DCF is best effort, and its parameters are moved by that name alone.
#[test]
fn the_queue_of_dcf_is_moved_as_best_effort() {
    let mut cell = Cell::new(1.0, B, dcf(B, BASIC), disc(100.0, 100.0));
    let [a, b] = [("a", 0.0), ("b", 50.0)].map(|(name, x)| cell.station(name, x, 0.0));
    cell.flow(a, b, 1, cbr(1500, 1_000_000));
    let mut world = World::build(&cell.0).expect("a legal cell");
    // DIFS is SIFS and two slots.
    assert_eq!(
        world.range(&of("a", "BE"), "aifsn").expect("a knob").now,
        2.0
    );
    for other in ["BK", "VI", "VO"] {
        let refused = world.range(&of("a", other), "aifsn").expect_err("no knob");
        assert!(refused.what.contains("to move"), "{}", refused.what);
    }
    world.turn(&of("a", "BE"), 9.0);
    assert_eq!(
        world.range(&of("a", "BE"), "aifsn").expect("a knob").now,
        9.0
    );
}

/// In a cell of six stations that hear one another all follow one record of the medium. A station whose AIFSN is turned while nobody sends
/// waits for the new number of slots behind the exchange of another station: SIFS and ten slots of 20 us.
#[test]
fn a_station_of_a_quiet_cell_takes_its_new_aifsn() {
    let mut cell = Cell::new(1.0, B, edca(B, BASIC), disc(100.0, 100.0));
    for category in &mut cell.0.media[0].mac.categories {
        (category.cw_min, category.cw_max) = (0, 0);
    }
    for x in [0.0, 10.0, 20.0, 30.0, 40.0, 50.0] {
        cell.station(&format!("s{x}"), x, 0.0);
    }
    // The first exchange lets all follow the record.
    for (from, micros) in [(2, 10_000), (0, 500_000), (1, 500_500)] {
        let flow = cell.flow(from, 5, 1, once(1500));
        cell.0.flows[flow].start = Span::micros(micros);
    }
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.start_air_log();
    world.advance(Time::ZERO + Span::millis(200));
    world.turn(&of("s10", "BE"), 10.0);
    world.advance(world.end());
    let frames = world.take_air_frames(true);
    let begun = |from: u32| frames.iter().find(|f| f.from == from).expect("a frame").at;
    // 1538 B at 11 Mbit/s, a SIFS of 10 us, an ACK of 304, and propagation twice.
    let exchange = Span::micros(192 + 1119 + 10 + 304 + 2);
    assert_eq!(begun(1).since(begun(0)), exchange + Span::micros(10 + 200));
}
