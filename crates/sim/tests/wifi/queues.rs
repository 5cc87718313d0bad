//! The effects of a station's queue on its flows: who is served, who is lost, how much a saturated source puts in.

use backwater_sim::cause::Cause;
use backwater_sim::limit::Limit;
use backwater_sim::queue::QUEUES;
use backwater_sim::record::What;
use backwater_sim::targets::Destination;
use backwater_sim::world::{PortReport, Report, World};
use backwater_transport::part::{Args, Value};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Span};

use crate::cell::{B, BASIC, Cell, cbr, dcf, disc, edca, once, saturated};

/// A and B send over C to D, and C sends to D itself, all more than the medium carries.
fn relay(in_turn: bool) -> Cell {
    let mut mac = edca(B, BASIC);
    mac.categories[1].aifsn = 2;
    let mut cell = Cell::new(60.0, B, mac, disc(100.0, 190.0));
    let [a, b, c, d] = [[-71.0, 71.0], [-71.0, -71.0], [0.0, 0.0], [100.0, 0.0]]
        .map(|[x, y]| cell.station(&format!("s{x}{y}"), x, y));
    for from in [a, b, c] {
        cell.flow(from, d, 1, cbr(1500, 4_000_000));
    }
    cell.spec(c).in_turn = in_turn;
    cell.0.warmup = Span::secs(5);
    cell
}

/// Three stations share 6.1 Mbit/s, so the relay forwards 2.03 Mbit/s. Round-robin each flow gets a third of it. First
/// come, first served, each gets in proportion to what comes: 2.03, 2.03 and 4 Mbit/s, so the relay's own flow
/// twice as much as another.
#[test]
fn flows_served_in_turn_get_the_same() {
    let rates = relay(true).throughputs(1);
    let third = rates.iter().sum::<f64>() / 3.0;
    assert!((third - 0.68).abs() < 0.07, "{rates:?}");
    assert!(
        rates.iter().all(|r| (r / third - 1.0).abs() < 0.03),
        "{rates:?}"
    );
    let fifo = relay(false).throughputs(1);
    assert!(fifo[2] / fifo[0].max(fifo[1]) > 1.6, "{fifo:?}");
    let (turns, first): (f64, f64) = (rates.iter().sum(), fifo.iter().sum());
    assert!((turns / first - 1.0).abs() < 0.02, "{turns} {first}");
}

/// A flow that offers less than its part gets all of it, and keeps no place that it doesn't use.
#[test]
fn a_flow_below_its_part_loses_nothing_in_turn() {
    let lost = |in_turn: bool| {
        let mut cell = relay(in_turn);
        cell.0.flows[0].source = cbr(1500, 200_000);
        let (_, report) = cell.run();
        report.flows[0].sums.dropped.packets
    };
    assert_eq!(lost(true), 0);
    assert!(lost(false) > 100);
}

fn late(report: &Report) -> u64 {
    let late = report.drops.iter().filter(|d| d.key.0 == Cause::Late);
    late.map(|d| d.count.packets).sum()
}

/// Buffers of 20 packets at 2 Mbit/s delay by more than 100 ms at either hop.
#[test]
fn what_comes_later_than_its_budget_is_lost() {
    let run = |budget: Option<Span>| {
        let mut cell = relay(false);
        for station in 0..3 {
            cell.spec(station).buffer = Limit::Packets(20);
        }
        cell.0.flows[0].options.budget = budget;
        let (_, report) = cell.run();
        assert!(report.conserved);
        (report.flows[0].sums.max, late(&report))
    };
    let (most, none) = run(None);
    assert!(most > Span::millis(150).0 && none == 0, "{most} {none}");
    let budget = Span::millis(100);
    let (most, some) = run(Some(budget));
    assert!(most <= budget.0 && some > 100, "{most} {some}");
}

/// All packets of a saturated flow have the source's size, the first two as well.
#[test]
fn a_saturated_flow_sends_packets_of_one_size() {
    for bytes in [100, 700, 1500] {
        let mut cell = Cell::new(1.0, B, edca(B, BASIC), disc(100.0, 100.0));
        let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
        let flow = cell.flow(a, b, 1, saturated(bytes));
        cell.0.flows[flow].packet = Bytes(1500);
        let (_, report) = cell.run();
        let entered = &report.flows[flow].sums.entered;
        assert_eq!(entered.bytes, bytes * entered.packets, "{bytes}");
    }
}

#[test]
fn a_saturated_flow_whose_packets_exceed_the_flows_is_refused() {
    let mut cell = Cell::new(1.0, B, edca(B, BASIC), disc(100.0, 100.0));
    let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    let flow = cell.flow(a, b, 1, saturated(1501));
    cell.0.flows[flow].packet = Bytes(1500);
    let refusal = backwater_sim::world::World::build(&cell.0).unwrap_err();
    assert!(refusal.path.ends_with("source.packet"), "{refusal:?}");
}

/// The relay's buffer is full of others' packets when its own flow begins, which loses packets of its start. It
/// still goes on, with both, and holds two places of a hundred: every fiftieth packet that the relay sends is its own.
#[test]
fn a_saturated_flow_goes_on_when_its_station_had_no_room() {
    let mut cell = relay(false);
    cell.0.flows[2].source = saturated(1500);
    cell.0.flows[2].start = Span::secs(6);
    let (_, report) = cell.run();
    let own = &report.flows[2].sums;
    assert!(own.dropped.packets >= 1, "{}", own.dropped.packets);
    let sent: u64 = report.flows.iter().map(|f| f.sums.delivered.packets).sum();
    let share = own.delivered.packets as f64 / sent as f64;
    assert!((share / 0.02 - 1.0).abs() < 0.1, "{share}");
}

/// Two such flows of one station, with room for one packet, take turns.
#[test]
fn saturated_flows_without_room_for_all_take_turns() {
    let mut cell = Cell::new(10.0, B, edca(B, BASIC), disc(100.0, 100.0));
    let (a, b) = (cell.station("a", 0.0, 0.0), cell.station("b", 10.0, 0.0));
    for _ in 0..2 {
        cell.flow(a, b, 1, saturated(1500));
    }
    cell.spec(a).buffer = Limit::Packets(1);
    let (_, report) = cell.run();
    let [one, other] = [0, 1].map(|f| report.flows[f].sums.delivered.packets);
    assert!(one > 2000 && one.abs_diff(other) <= 2, "{one} {other}");
}

/// A station that is offered twice what it can send has its buffer of 20 packets full, but for the time from the end of a frame to the
/// next packet, 3 ms at most of the 6 ms that a frame takes: from 19 to 20 frames of 1518 B on average, 20 at most.
#[test]
fn bytes_that_wait_at_a_station_are_counted() {
    let mut cell = relay(false);
    cell.spec(0).buffer = Limit::Packets(20);
    let at = |cell: &Cell, name: &str| {
        let (world, report) = cell.run();
        let named = |p: &&PortReport| world.network().ports[p.port].more.name == name;
        let port = report.ports.iter().find(named).expect("a hop of this name");
        let mean = port.count.area as f64 / Span::secs(55).0 as f64 / 1518.0;
        (port.count.max_bytes, mean)
    };
    let (most, mean) = at(&cell, "s-7171>s00");
    assert_eq!(most, 20 * 1518);
    assert!((19.0..=20.0).contains(&mean), "{mean}");
    // A relay that serves flows round-robin makes room at the cost of whoever holds most: what it throws out no longer waits.
    let mut cell = relay(true);
    cell.spec(2).buffer = Limit::Packets(20);
    assert_eq!(at(&cell, "s00>s1000").0, 20 * 1518);
}

/// Of a frame that is on the air at the end of the warm-up or of the run, only what lies within counts as airtime: 500 us of
/// 1310 us before, 810 us after.
#[test]
fn airtime_ends_where_the_run_does() {
    let airtime = |warmup: u64, end: u64| {
        let mut cell = Cell::new(1.0, B, dcf(B, BASIC), disc(100.0, 100.0));
        let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
        let flow = cell.flow(a, b, 1, once(1500));
        // When the medium has been idle for longer than DIFS.
        cell.0.flows[flow].start = Span::millis(500);
        cell.0.warmup = Span::micros(warmup);
        cell.0.duration = Span::micros(end);
        Span(cell.run().1.stations[a].airtime)
    };
    assert_eq!(airtime(0, 1_000_000), Span::micros(1310));
    assert_eq!(airtime(0, 500_500), Span::micros(500));
    assert_eq!(airtime(500_500, 1_000_000), Span::micros(810));
    assert_eq!(airtime(500_500, 500_700), Span::micros(200));
}

/// The buffer is full, and its algorithm drops the oldest packet for each that comes. The saturated flow that lost it puts in
/// another when a frame leaves, not in the place of the one that came: both flows are served.
#[test]
fn a_saturated_flow_waits_when_queue_management_drops_its_packet_for_another() {
    let row = QUEUES.iter().find(|p| p.id == "drop-head");
    let queue = (row.expect("a queue").build)(&Args(Vec::new())).expect("no options");
    let mut cell = Cell::new(5.0, B, dcf(B, BASIC), disc(100.0, 100.0));
    let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.spec(a).buffer = Limit::Packets(2);
    cell.spec(a).aqm = queue.aqm;
    for _ in 0..3 {
        cell.flow(a, b, 1, saturated(1500));
    }
    let paced = cell.flow(a, b, 1, cbr(1500, 1_000_000));
    let (_, report) = cell.run();
    for flow in &report.flows {
        assert!(flow.sums.delivered.packets > 100, "{:?}", flow.sums);
    }
    assert!(report.flows[paced].sums.entered.packets > 400);
}

/// A station's queue that marks on arrival: of what takes marks, which is all here, each packet that finds more than nothing in the
/// queue leaves with congestion experienced, and none is lost. At 1 Mbit/s each finds the queue empty, itself aside. At 20 Mbit/s,
/// more than the medium carries, the first does, and the second, beside the first on the air.
#[test]
fn a_queue_at_a_station_marks_what_takes_marks() {
    let row = QUEUES.iter().find(|p| p.id == "ecn-ramp");
    let options = [
        ("min", Value::Bytes(Bytes(1))),
        ("max", Value::Bytes(Bytes(2))),
        ("top", Value::Share(1.0)),
        ("classes", Value::Count(1)),
        ("ecn", Value::Flag(true)),
        ("marks", Value::Choice("arrival")),
        ("unmarkable", Value::Choice("pass")),
    ];
    let queue = (row.expect("a queue").build)(&Args(options.into())).expect("legal options");
    let marked = |rate: u64| {
        let mut cell = Cell::new(1.0, B, dcf(B, BASIC), disc(100.0, 100.0));
        let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
        cell.spec(a).aqm = queue.aqm.clone();
        cell.spec(a).buffer = Limit::Unlimited;
        let flow = cell.flow(a, b, 1, cbr(1500, rate));
        cell.0.flows[flow].ecn = Ecn::Ect0;
        let (_, report) = cell.run();
        let sums = &report.flows[flow].sums;
        assert!(sums.delivered.packets > 80);
        (sums.marked.packets, sums.entered.packets)
    };
    assert_eq!(marked(1_000_000).0, 0);
    let (marked, entered) = marked(20_000_000);
    assert_eq!(marked, entered - 2);
}

/// Two saturated flows of different categories, each with room for one packet. What leaves one category makes room in that alone,
/// so each flow loses the one packet too many of its beginning and none later.
#[test]
fn a_saturated_flow_waits_for_room_in_its_own_category() {
    let mut cell = Cell::new(2.0, B, edca(B, BASIC), disc(100.0, 100.0));
    let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.spec(a).buffer = Limit::Packets(1);
    for class in [1, 2] {
        cell.flow(a, b, class, saturated(1500));
    }
    let (_, report) = cell.run();
    for flow in &report.flows {
        let sums = &flow.sums;
        assert!(sums.delivered.packets > 50, "{sums:?}");
        assert_eq!(sums.dropped.packets, 1);
    }
}

/// A packet of 1500 B crosses an idle cell of 802.11b in 1310 us and one of propagation. It is in time where its budget is as
/// long, and late where that is a tick less.
#[test]
fn a_packet_is_late_a_tick_after_its_budget() {
    for (budget, in_time) in [(Span::micros(1311), 1), (Span(Span::micros(1311).0 - 1), 0)] {
        let mut cell = Cell::new(1.0, B, dcf(B, BASIC), disc(100.0, 100.0));
        let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
        let flow = cell.flow(a, b, 1, once(1500));
        cell.0.flows[flow].start = Span::millis(500);
        cell.0.flows[flow].options.budget = Some(budget);
        let (_, report) = cell.run();
        let delivered = report.flows[flow].sums.delivered.packets;
        assert_eq!(
            (delivered, late(&report)),
            (in_time, 1 - in_time),
            "{budget:?}"
        );
    }
}

/// A record of a run has each packet that a saturated source puts in, and each that is sent.
#[test]
fn a_record_has_all_packets_of_a_saturated_flow() {
    let mut cell = Cell::new(0.5, B, dcf(B, BASIC), disc(100.0, 100.0));
    let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.flow(a, b, 1, saturated(1500));
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.start_recording();
    world.advance(world.end());
    let records = world.take_records();
    let count = |what: What| records.iter().filter(|r| r.what == what).count() as u64;
    let sums = &world.report().flows[0].sums;
    assert!(sums.delivered.packets > 100);
    assert_eq!(count(What::Enqueue), sums.entered.packets);
    assert!(count(What::Send) >= sums.delivered.packets);
}

/// An attempt belongs to the time in which its exchange ends: one that begins at 500 ms and takes 1.6 ms counts behind a warm-up that ends before or within it. A frame to a
/// group is no attempt.
#[test]
fn an_attempt_counts_where_its_exchange_ends() {
    for (warmup, group, attempts) in [
        (400_000, false, 1),
        (500_500, false, 1),
        (600_000, false, 0),
        (400_000, true, 0),
        (500_500, true, 0),
    ] {
        let mut cell = Cell::new(1.0, B, dcf(B, BASIC), disc(100.0, 100.0));
        let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
        let flow = cell.flow(a, b, 1, once(1500));
        if group {
            cell.0.flows[flow].to = Destination::Group(vec![b]);
        }
        cell.0.flows[flow].start = Span::millis(500);
        cell.0.warmup = Span::micros(warmup);
        assert_eq!(
            cell.run().1.stations[a].attempts,
            attempts,
            "{warmup} {group}"
        );
    }
}
