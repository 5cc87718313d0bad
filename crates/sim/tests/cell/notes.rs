//! What a link notes for its log where packets are dropped, and at its edges.

use backwater_sim::limit::Limit;
use backwater_sim::medium::trace::log::{Happening, Log};
use backwater_sim::medium::trace::{Emulator, First};
use backwater_sim::queue::{AnyAqm, QUEUES};
use backwater_sim::record::What;
use backwater_sim::spec::{Service, Spec};
use backwater_sim::table::Id;
use backwater_sim::world::World;
use backwater_transport::part::{Args, Value};
use backwater_transport::units::{Bytes, Span};

use crate::net::{CELLSIM, MAHIMAHI, at, direction, recorded, spec};
use crate::outside::inject;

/// A link of so many milliseconds with opportunities at these.
fn link(lines: &[u64], repeat: bool, emulator: &Emulator, ms: u64) -> Spec {
    let trace = recorded(lines.iter().copied(), repeat);
    let there = direction(trace, emulator, emulator.first, vec![]);
    spec([there, None], ms as f64 / 1000.0)
}

fn queue(id: &str, given: &[(&'static str, Value)]) -> Option<AnyAqm> {
    let part = QUEUES.iter().find(|part| part.id == id).expect("a queue");
    (part.build)(&Args(given.to_vec()))
        .expect("legal options")
        .aqm
}

/// Runs it with packets that come at these milliseconds with so many IP bytes; gives its log and how many were dropped.
fn log(spec: &Spec, packets: &[(u64, u64)]) -> (Log, u64) {
    let mut world = World::build(spec).expect("a link");
    let port = &mut world.network_mut().ports[Id::new(0)];
    port.more.service.server_mut().expect("a trace").journal = Some(Box::default());
    for (tag, (ms, bytes)) in (0..).zip(packets) {
        inject(&mut world, at(*ms), Id::new(0), *bytes, tag);
    }
    world.advance(world.end());
    let now = world.now();
    let port = &mut world.network_mut().ports[Id::new(0)];
    let server = port.more.service.server_mut().expect("a trace");
    let log = Log {
        header: Vec::new(),
        entries: server.take_entries(now, true),
    };
    (log, world.report().dropped)
}

/// Room for two: as the third comes, the first that waits makes room, and the fourth drives the second out. Each is a drop right
/// behind the arrival that it makes room for.
#[test]
fn what_makes_room_is_a_drop_behind_the_arrival() {
    let mut spec = link(&[5, 6], false, MAHIMAHI, 10);
    spec.ports[0].buffer = Limit::Packets(2);
    spec.ports[0].aqm = queue("drop-head", &[]);
    let packets = [(1, 1500), (1, 1000), (2, 500), (3, 100)];
    let (found, dropped) = log(&spec, &packets);
    let due = "1 + 1504\n1 + 1004\n2 + 504\n2 d 1 1504\n3 + 104\n3 d 1 1004\n\
        5 # 1504\n5 - 504 3\n5 - 104 2\n6 # 1504\n";
    assert_eq!((found.write().as_str(), dropped), (due, 2));
}

/// Two packets come for each opportunity. What CoDel drops as it is to leave is noted at an opportunity, each packet with its bytes.
#[test]
fn what_queue_management_drops_is_noted() {
    let mut spec = link(&[1], true, MAHIMAHI, 400);
    let given = [
        ("target", Value::Span(Span::millis(5))),
        ("interval", Value::Span(Span::millis(100))),
        ("mtu", Value::Bytes(Bytes(1518))),
        ("ecn", Value::Flag(false)),
    ];
    spec.ports[0].aqm = queue("codel", &given);
    let packets: Vec<(u64, u64)> = (0..400).flat_map(|ms| [(ms, 1500); 2]).collect();
    let (found, dropped) = log(&spec, &packets);
    let noted = found.entries.iter();
    let noted = noted.filter(|entry| matches!(entry.what, Happening::Discard(..)));
    let noted: Vec<_> = noted.map(|entry| entry.what).collect();
    assert!(dropped > 2);
    assert_eq!(noted, vec![Happening::Discard(1, 1504); dropped as usize]);
}

/// In cellsim an arrival of the millisecond of an opportunity stands before it, and one of the next millisecond behind it. An
/// opportunity at the end of the run is in the log.
#[test]
fn arrivals_stand_before_the_opportunity_of_their_millisecond() {
    assert_eq!(CELLSIM.first, First::Arrival);
    let (found, _) = log(
        &link(&[2, 10], false, CELLSIM, 10),
        &[(2, 86), (3, 86), (9, 86)],
    );
    let due = "2 + 100\n2 # 1500\n2 - 100 0\n3 + 100\n9 + 100\n10 # 1500\n10 - 100 7\n10 - 100 1\n";
    assert_eq!(found.write(), due);
}

/// Three frames of 1,514 B begin to leave at 1, 2 and 3 ms, each in the rest of an opportunity that the one before has left, with
/// 30 ms to the receiver. A run that is recorded serves each in its own time, and tells of it by then, in order of time.
#[test]
fn a_recorded_link_tells_of_departures_in_their_time() {
    let mut spec = link(&[1], true, CELLSIM, 100);
    let directions = &mut spec.links[0].directions;
    if let Some(Service::Trace(server)) = directions[0].as_mut().map(|way| &mut way.service) {
        server.delay_behind = Span::millis(30);
    }
    let mut world = World::build(&spec).expect("a link");
    world.start_recording();
    for tag in 0..3 {
        inject(&mut world, at(0), Id::new(0), 1500, tag);
    }
    world.advance(at(1));
    let mut sent = |ms| {
        assert_eq!(world.next_due(), Some(at(ms)));
        world.advance(at(ms));
        let records = world.take_records();
        assert!(records.is_sorted_by_key(|record| record.at));
        let sends = records
            .iter()
            .filter(|record| record.what == What::Send && record.port == Id::new(0));
        sends.map(|record| record.at).collect::<Vec<_>>()
    };
    assert_eq!(sent(2), [1, 2].map(at));
    assert_eq!(sent(3), [at(3)]);
    assert_eq!(sent(4), []);
}
