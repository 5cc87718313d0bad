//! Another trace in the middle of a run.

use backwater_sim::limit::Limit;
use backwater_sim::medium::trace::log::Log;
use backwater_sim::medium::trace::{Emulator, First};
use backwater_sim::queue::QUEUES;
use backwater_sim::table::Id;
use backwater_sim::world::World;
use backwater_transport::part::{Args, Value};
use backwater_transport::units::{Bytes, Rate};

use crate::net::{CELLSIM, MAHIMAHI, at, deliveries, direction, generated, recorded, spec};
use crate::outside::inject;

/// A link of 100 ms with opportunities at these milliseconds, to which so many packets of so many
/// bytes come at once.
fn link(trace: &[u64], emulator: &Emulator, packets: u64, bytes: u64) -> World {
    let trace = recorded(trace.iter().copied(), false);
    let there = direction(trace, emulator, First::Opportunity, vec![]);
    let mut spec = spec([there, None], 0.1);
    spec.ports[0].buffer = Limit::Unlimited;
    let mut world = World::build(&spec).expect("a link");
    for tag in 0..packets {
        inject(&mut world, at(1), Id::new(0), bytes, tag);
    }
    world
}

/// At 15 ms one packet has left. Of the new opportunities that at 13 ms has passed, and that at 20
/// ms is no more.
#[test]
fn opportunities_behind_the_change_are_those_of_the_new_trace() {
    let mut world = link(&[10, 20, 30, 40], MAHIMAHI, 4, 1500);
    world.advance(at(15));
    let new = recorded([13, 24, 26, 44], false);
    world.change_trace(Id::new(0), new).expect("it may change");
    assert_eq!(deliveries(&mut world), [(0, 10), (1, 24), (2, 26), (3, 44)]);
}

/// Packets take 1,000 B of opportunities of 1,500 B: two opportunities carry three packets. At 15
/// ms the second has begun to leave and ends at 20 ms, and the third leaves with it. The same trace
/// in its own place changes nothing.
#[test]
fn a_packet_that_has_begun_to_leave_keeps_its_opportunity() {
    let lines = [10, 20, 30, 40];
    for changed in [false, true] {
        let mut world = link(&lines, CELLSIM, 6, 986);
        world.advance(at(15));
        if changed {
            let same = recorded(lines, false);
            world.change_trace(Id::new(0), same).expect("it may change");
        }
        let expected = [(0, 10), (1, 20), (2, 20), (3, 30), (4, 40), (5, 40)];
        assert_eq!(deliveries(&mut world), expected, "{changed}");
    }
}

/// A log that has been read up to 25 ms goes on with the opportunities of the new trace.
#[test]
fn a_log_goes_on_with_the_new_trace() {
    let mut world = link(&[10, 20, 30, 40], MAHIMAHI, 3, 1500);
    let journal = |world: &mut World, over: bool| {
        let now = world.now();
        let port = &mut world.network_mut().ports[Id::new(0)];
        let server = port.more.service.server_mut().expect("a server");
        Log::lines(&server.take_entries(now, over))
    };
    let port = &mut world.network_mut().ports[Id::new(0)];
    port.more.service.server_mut().expect("a server").journal = Some(Box::default());
    world.advance(at(25));
    let before = "1 + 1504\n1 + 1504\n1 + 1504\n10 # 1504\n10 - 1504 9\n20 # 1504\n20 - 1504 19\n";
    assert_eq!(journal(&mut world, false), before);
    let new = recorded([13, 33, 36], false);
    world.change_trace(Id::new(0), new).expect("it may change");
    world.advance(world.end());
    let after = "33 # 1504\n33 - 1504 32\n36 # 1504\n";
    assert_eq!(journal(&mut world, true), after);
}

/// A log that has been read up to 5 ms has the opportunities of the old trace up to the change, and those of the new one behind it.
#[test]
fn a_log_that_lags_has_both_traces() {
    let mut world = link(&[10, 20, 30, 40], MAHIMAHI, 3, 1500);
    let journal = |world: &mut World, over: bool| {
        let now = world.now();
        let port = &mut world.network_mut().ports[Id::new(0)];
        let server = port.more.service.server_mut().expect("a server");
        Log::lines(&server.take_entries(now, over))
    };
    let port = &mut world.network_mut().ports[Id::new(0)];
    port.more.service.server_mut().expect("a server").journal = Some(Box::default());
    world.advance(at(5));
    assert_eq!(journal(&mut world, false).lines().count(), 3);
    world.advance(at(25));
    let new = recorded([13, 33, 36], false);
    world.change_trace(Id::new(0), new).expect("it may change");
    world.advance(world.end());
    let due =
        "10 # 1504\n10 - 1504 9\n20 # 1504\n20 - 1504 19\n33 # 1504\n33 - 1504 32\n36 # 1504\n";
    assert_eq!(journal(&mut world, true), due);
}

/// The old trace has an opportunity at the very instant of the change, 20 ms, which stays. Those behind it are of the new one,
/// without that at 20 ms.
#[test]
fn an_opportunity_at_the_instant_of_the_change_is_the_old_ones() {
    let mut world = link(&[10, 20, 30, 40], MAHIMAHI, 0, 1500);
    world.advance(at(20));
    let new = recorded([20, 35], false);
    world.change_trace(Id::new(0), new).expect("it may change");
    let server = world.network().ports[Id::new(0)].more.service.server();
    let all = server.expect("a trace").opportunities(world.end());
    assert_eq!(all.collect::<Vec<_>>(), [10, 20, 35].map(at));
}

/// 3 Mbit/s bring an opportunity of 1,504 B each 4.01 ms, twelve in 50 ms. Then 12.032 Mbit/s bring one each millisecond,
/// counted from the beginning: at 51 to 100 ms.
#[test]
fn what_was_offered_is_counted_over_both_traces() {
    let constant = |bps| generated("constant", &[("rate", Value::Rate(Rate(bps)))]);
    let there = direction(constant(3_000_000), MAHIMAHI, First::Opportunity, vec![]);
    let mut world = World::build(&spec([there, None], 0.1)).expect("a link");
    world.advance(at(50));
    let id = Id::new(0);
    world
        .change_trace(id, constant(12_032_000))
        .expect("it may change");
    world.advance(world.end());
    let server = world.network().ports[id].more.service.server();
    let server = server.expect("a trace");
    assert_eq!(server.offered(at(0), at(50)), 12);
    assert_eq!(server.offered(at(0), at(100)), 12 + 50);
}

/// RED's average falls while a queue stands empty, by as many frames as its line would have sent. A thousand packets of the new
/// trace's rate take all of it away, so that nothing is dropped any more.
#[test]
fn queue_management_reckons_with_the_rate_of_the_new_trace() {
    let there = direction(recorded([1], true), MAHIMAHI, First::Opportunity, vec![]);
    let mut spec = spec([there, None], 2.0);
    let red = QUEUES.iter().find(|part| part.id == "red").expect("RED");
    let given = [
        ("classes", Value::Count(1)),
        ("min", Value::Bytes(Bytes(1_500))),
        ("max", Value::Bytes(Bytes(3_000))),
        ("top", Value::Share(1.0)),
        ("weight", Value::Number(0.1)),
        ("gentle", Value::Flag(false)),
        ("mean_frame", Value::Bytes(Bytes(1_000))),
        ("ecn", Value::Flag(false)),
    ];
    spec.ports[0].aqm = (red.build)(&Args(given.to_vec()))
        .expect("legal options")
        .aqm;
    let mut world = World::build(&spec).expect("a link");
    for tag in 0..60 {
        inject(&mut world, at(1), Id::new(0), 1500, tag);
    }
    world.advance(at(200));
    // The average has passed the upper threshold.
    let dropped = world.report().dropped;
    assert!(dropped > 0);
    let new = generated("constant", &[("rate", Value::Rate(Rate(12_032_000)))]);
    world.change_trace(Id::new(0), new).expect("it may change");
    inject(&mut world, at(1400), Id::new(0), 1500, 99);
    assert!(deliveries(&mut world).iter().any(|one| one.0 == 99));
    assert_eq!(world.report().dropped, dropped);
}

/// The first packet leaves at 10 ms, and at that instant the trace becomes another: the next opportunity of that is at 13 ms, and the second packet takes it.
#[test]
fn a_change_at_the_instant_of_a_departure_is_that_of_the_next_packet() {
    let mut world = link(&[10, 20, 30, 40], MAHIMAHI, 4, 1500);
    world.advance(at(10));
    let new = recorded([13, 24, 26, 44], false);
    world.change_trace(Id::new(0), new).expect("it may change");
    assert_eq!(deliveries(&mut world), [(0, 10), (1, 13), (2, 24), (3, 26)]);
}
