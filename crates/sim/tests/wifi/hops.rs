//! What is said of the hops of a station: how long they were in use, where they lead, whether anything moves there, and what a law sees.

use backwater_sim::ids::PortId;
use backwater_sim::limit::Limit;
use backwater_sim::medium::wifi::phy::mode::Format;
use backwater_sim::medium::wifi::spec::{Edition, RateControl};
use backwater_sim::spec::{Egress, StampSpec};
use backwater_sim::stamp::STAMPS;
use backwater_sim::targets::Destination;
use backwater_sim::world::{Report, World};
use backwater_transport::part::Value;
use backwater_transport::units::{Rate, Span, Time};

use crate::aggregate::{mode, noisy_cell, saturated_cell};
use crate::cell::{B, BASIC, Cell, cbr, dcf, disc, edca, once, saturated};
use crate::mechanisms::mechanism;
use crate::options::fill;

const US: u64 = 1_000_000;
/// The first packet is born on an idle medium.
const BEGIN: u64 = 1_000 * US;
/// A preamble of 192 us, and 1,500 B behind 36 of MAC, LLC and SNAP at 11 Mbit/s in whole microseconds.
const DATA: u64 = (192 + 1_118) * US;
/// The data frame, 1 us of propagation, SIFS, an ACK of 14 B at 1 Mbit/s, and its propagation.
const EXCHANGE: u64 = DATA + (1 + 10 + 192 + 112 + 1) * US;

/// Station A sends two packets to B, and one to C when the run is over.
fn cell() -> Cell {
    let mut cell = Cell::new(0.1, B, dcf(B, BASIC), disc(100.0, 100.0));
    let [a, b, c] = [0.0, 10.0, 20.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    for (to, at) in [(b, BEGIN), (b, BEGIN), (c, 90_000 * US)] {
        let flow = cell.flow(a, to, 1, once(1500));
        cell.0.flows[flow].start = Span(at);
    }
    cell
}

/// The run up to an instant, and for how long the hops to B and to C were in use.
fn up_to(at: u64) -> (World, Report, [u64; 2]) {
    let mut world = World::build(&cell().0).expect("a legal cell");
    world.advance(Time(at));
    let report = world.report();
    let busy = [0, 2].map(|flow| {
        let last = *world.network().flows.0[flow].path.last().expect("a hop");
        report.ports[last.index()].count.busy
    });
    (world, report, busy)
}

/// In the middle of the first exchange its hop has been in use since it began, and the other hop of the station never.
#[test]
fn an_exchange_under_way_counts_for_its_hop() {
    let (_, report, busy) = up_to(BEGIN + 100 * US);
    assert_eq!(busy, [100 * US, 0]);
    assert_eq!(report.standstill, None, "a packet is on the air");
    let (_, report, busy) = up_to(BEGIN + EXCHANGE + 20 * US);
    assert_eq!(busy, [EXCHANGE, 0]);
    // The second packet waits for the end of DIFS, longer than a tenth of the time since the first was delivered.
    let still = report.standstill.expect("nothing is on the air");
    let delivered = Time(BEGIN + DATA + US);
    assert_eq!((still.since, still.packets), (delivered, 1));
}

/// The hop to a group leads to no single station.
#[test]
fn a_hop_to_a_group_has_a_name_for_all() {
    let mut cell = cell();
    cell.0.flows[0].to = Destination::Group(vec![1, 2]);
    let world = World::build(&cell.0).expect("a legal cell");
    let names = [0, 1].map(|flow| {
        let last = *world.network().flows.0[flow].path.last().expect("a hop");
        world.far_name(last).to_owned()
    });
    assert_eq!(names, ["*", "s10"]);
}

/// A law at the first station sees what that station sends: each of two packets when it comes and when it has been received.
#[test]
fn a_law_at_a_station_sees_its_packets() {
    let row = STAMPS.iter().find(|row| row.id == "rcp").expect("a law");
    let capacity = [("capacity", Value::Rate(Rate(5_000_000)))];
    let given = fill(row.options, &capacity);
    let mut cell = cell();
    cell.0.stamps.push(StampSpec {
        name: "s0>air".into(),
        at: Egress::Attachment(0, 0),
        law: (row.build)(&given).expect("legal options"),
        also: Vec::new(),
    });
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.start_law_log();
    world.advance(Time(50_000 * US));
    assert_eq!(world.take_law_log()[0].1.len(), 4);
}

/// A saturated flow has two packets at its station from the start on, one of which is on the air.
#[test]
fn a_saturated_station_begins_with_two_packets() {
    let mut cell = cell();
    cell.0.flows.clear();
    cell.flow(0, 1, 1, saturated(1500));
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.advance(Time(US));
    assert_eq!(world.report().entered, 2);
}

/// With A-MPDUs it has as many as a window, or as its buffer takes.
#[test]
fn a_saturated_station_that_aggregates_begins_with_a_window() {
    for (buffer, packets) in [(1000, 8), (5, 5)] {
        let mut cell = saturated_cell(0.01, mode(Format::Ht, 20, 7, 1), 8, 1);
        cell.spec(1).buffer = Limit::Packets(buffer);
        let mut world = World::build(&cell.0).expect("a legal cell");
        world.advance(Time(US));
        assert_eq!(world.report().entered, packets);
    }
}

/// At 5.2 dB every frame at MCS 7 is lost. A station that learns from its frames goes down to a mode that is heard: at MCS 1, of 13 Mbit/s,
/// 0.2 s have room for 216 packets, and at MCS 0 for half as many.
#[test]
fn a_station_that_learns_leaves_a_mode_that_nobody_hears() {
    let mut cell = noisy_cell(0.2, 8, 5.2);
    let high = cell.0.media[0].high.as_mut().expect("modes");
    high.control = RateControl::Minstrel(Edition::Linux);
    let delivered = cell.run().1.delivered;
    let room = 13_000_000 / 5 / (8 * 1_500);
    assert!((room / 2..=room).contains(&delivered), "{delivered} {room}");
}

/// Two stations send over a relay, which has a third of the medium and receives two. It tells them to stop in management frames: as many as stations
/// have sent are the notices of the run, and the hop of the first was stopped for a part of it.
#[test]
fn notices_of_stations_are_those_of_the_run() {
    let mut cell = Cell::new(1.0, B, edca(B, BASIC), disc(100.0, 190.0));
    let places = [0.0, 100.0, 200.0, 1.0];
    let [a, b, c, e] = places.map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.spec(b).buffer = Limit::Packets(20);
    let flow = cell.flow(a, c, 1, cbr(1500, 6_000_000));
    cell.flow(e, c, 1, cbr(1500, 6_000_000));
    let pause = mechanism(["watermark", "pfc", "gate"], vec![b], &[]);
    cell.0.mechanisms.push(pause);
    let (world, report) = cell.run();
    let sent: u64 = report
        .stations
        .iter()
        .map(|station| station.management)
        .sum();
    assert!(sent > 2, "{sent}");
    assert_eq!(report.control, sent);
    let first = world.network().flows.0[flow].path[0];
    let closed: u64 = report.ports[first.index()].count.closed.iter().sum();
    assert!(closed > 10_000 * US && closed < 1_000_000 * US, "{closed}");
}

/// Two relays, each of which is full of packets for the other and has told it to stop: neither can free the other, which is seen after ten seconds.
#[test]
fn relays_that_stop_each_other_stand_still() {
    let mut cell = Cell::new(40.0, B, edca(B, BASIC), disc(100.0, 350.0));
    let row = [0.0, 100.0, 200.0, 300.0];
    let [a, b, c, d] = row.map(|x| cell.station(&format!("s{x}"), x, 0.0));
    for relay in [b, c] {
        cell.spec(relay).buffer = Limit::Packets(10);
    }
    for (from, to) in [(a, d), (d, a)] {
        cell.flow(from, to, 1, cbr(1500, 6_000_000));
    }
    let pause = mechanism(["watermark", "pfc", "gate"], vec![b, c], &[]);
    cell.0.mechanisms.push(pause);
    let (world, report) = cell.run();
    let found = report.deadlock.expect("relays that wait for each other");
    let ends = |id: &PortId| {
        let port = &world.network().ports[*id];
        [port.node.index(), port.far.index()]
    };
    let mut cycle: Vec<[usize; 2]> = found.cycle.iter().map(ends).collect();
    cycle.sort_unstable();
    assert_eq!(cycle, [[b, c], [c, b]]);
}
