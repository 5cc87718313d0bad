//! The bytes that an opportunity carries, worked out by hand from the rules.

use backwater_sim::limit::Limit;
use backwater_sim::medium::trace::First;
use backwater_sim::queue::{AnyAqm, QUEUES};
use backwater_sim::spec::Direction;
use backwater_sim::table::Id;
use backwater_sim::world::World;
use backwater_transport::part::{Args, Value};
use backwater_transport::units::{Bytes, Span};

use crate::net::{CELLSIM, MAHIMAHI, at, deliveries, direction, recorded, spec};
use crate::outside;

fn one_direction(direction: Option<Box<Direction>>, seconds: f64) -> World {
    World::build(&spec([direction, None], seconds)).expect("a link")
}

/// Injects packets of IP bytes at milliseconds, with their positions as tags.
fn inject(world: &mut World, packets: &[(u64, u64)]) {
    for (tag, (ms, bytes)) in (0..).zip(packets) {
        outside::inject(world, at(*ms), Id::new(0), *bytes, tag);
    }
}

#[test]
fn one_line_per_millisecond_is_twelve_megabits() {
    // 1 s of full packets, one for each opportunity: 1504 B × 8 / 1 ms = 12.032 Mbit/s for mahimahi,
    // 1500 B × 8 / 1 ms = 12 Mbit/s for cellsim, whose packets need 1514 B each.
    for (emulator, packets) in [(MAHIMAHI, 1000), (CELLSIM, 1_500_000 / 1514)] {
        let trace = recorded([1], true);
        let mut world = one_direction(direction(trace, emulator, First::Opportunity, vec![]), 1.0);
        inject(&mut world, &vec![(0, 1500); 1200]);
        let delivered = deliveries(&mut world);
        assert_eq!(delivered.len(), packets);
        let server = world.network().ports[Id::new(0)]
            .more
            .service
            .server()
            .unwrap();
        let capacity = server.capacity(at(0), at(1000));
        assert_eq!(capacity, emulator.opportunity as f64 * 8000.0);
    }
}

#[test]
fn an_opportunity_takes_as_many_packets_as_fit_and_a_part_of_the_next() {
    // 96 + 4 B each: 15 in 1504 B with 4 B left, which the 16th takes; the next opportunity then has
    // 1504 - 96 = 1408 B for others: 14 and 8 B of the 31st.
    let mut world = one_direction(
        direction(recorded([1], true), MAHIMAHI, First::Opportunity, vec![]),
        0.01,
    );
    inject(&mut world, &[(0, 96); 40]);
    let delivered = deliveries(&mut world);
    let at_ms = |ms| delivered.iter().filter(|(_, t)| *t == ms).count();
    assert_eq!([at_ms(1), at_ms(2), at_ms(3)], [15, 15, 10]);
    // A part that is carried over changes the count: of 1404 + 4 B packets the first opportunity sends
    // one and 96 B of the second, the second the other 1312 B and 192 B of the third.
    let mut world = one_direction(
        direction(recorded([1], true), MAHIMAHI, First::Opportunity, vec![]),
        0.1,
    );
    inject(&mut world, &[(0, 1404); 32]);
    let delivered = deliveries(&mut world);
    // Packet n ends with byte 1408 n of the queue: at opportunity ceil(1408 n / 1504).
    let expected: Vec<(u64, u64)> = (1..=32u64)
        .map(|n| (n - 1, (1408 * n).div_ceil(1504)))
        .collect();
    assert_eq!(delivered, expected);
}

#[test]
fn cellsim_sends_frames_in_parts() {
    // 1514 B against 1500 B: packet n ends at opportunity ceil(1514 n / 1500).
    let mut world = one_direction(
        direction(recorded([1], true), CELLSIM, First::Opportunity, vec![]),
        0.2,
    );
    inject(&mut world, &[(0, 1500); 120]);
    let expected: Vec<(u64, u64)> = (1..=120u64)
        .map(|n| (n - 1, (1514 * n).div_ceil(1500)))
        .collect();
    assert_eq!(deliveries(&mut world), expected);
}

#[test]
fn what_no_packet_wants_is_lost() {
    // Opportunities at 1 to 9; packets of half an opportunity at 3 and at 7 leave at 4 and 8, however
    // much was left before.
    let mut world = one_direction(
        direction(recorded(1..10, false), MAHIMAHI, First::Opportunity, vec![]),
        1.0,
    );
    inject(&mut world, &[(3, 748), (3, 748), (7, 748)]);
    assert_eq!(deliveries(&mut world), [(0, 4), (1, 4), (2, 8)]);
}

#[test]
fn ties_go_to_the_opportunity_or_to_the_arrival() {
    // A packet at 5 and opportunities at 5, 5 and 8.
    for (first, leaves) in [(First::Opportunity, [8, 8]), (First::Arrival, [5, 5])] {
        let mut world = one_direction(
            direction(recorded([5, 5, 8, 8], false), MAHIMAHI, first, vec![]),
            1.0,
        );
        inject(&mut world, &[(5, 1500), (5, 1500)]);
        assert_eq!(deliveries(&mut world), [(0, leaves[0]), (1, leaves[1])]);
    }
    // The rest of an opportunity at 5 belongs to those that were there before.
    for (first, leaves) in [(First::Opportunity, 9), (First::Arrival, 5)] {
        let mut world = one_direction(
            direction(recorded([5, 9], false), MAHIMAHI, first, vec![]),
            1.0,
        );
        inject(&mut world, &[(4, 700), (5, 700)]);
        assert_eq!(deliveries(&mut world), [(0, 5), (1, leaves)]);
    }
}

#[test]
fn a_trace_repeats_from_its_last_line_or_ends() {
    // Passes of 0 2 10: opportunities at 0 2 10 10 12 20 20 22 …; a packet at 0 misses the first.
    let lines = [0, 2, 10];
    let mut world = one_direction(
        direction(recorded(lines, true), MAHIMAHI, First::Opportunity, vec![]),
        1.0,
    );
    inject(&mut world, &[(0, 1500); 7]);
    let leaves: Vec<u64> = deliveries(&mut world).iter().map(|d| d.1).collect();
    assert_eq!(leaves, [2, 10, 10, 12, 20, 20, 22]);
    let mut world = one_direction(
        direction(recorded(lines, false), MAHIMAHI, First::Opportunity, vec![]),
        1.0,
    );
    inject(&mut world, &[(0, 1500); 7]);
    assert_eq!(deliveries(&mut world), [(0, 2), (1, 10)]);
    let report = world.report();
    assert_eq!((report.delivered, report.held), (2, 5));
}

#[test]
fn a_packet_under_way_does_not_count_in_its_queue() {
    // Room for two. At 0 three packets come and the third finds no room. At 1 the first is taken, and
    // cellsim keeps 14 B of it until 3: the queue then holds one, and of the two that come at 2 one
    // finds room. Opportunities at 1 3 5 7.
    let mut spec = spec(
        [
            direction(
                recorded([1, 3, 5, 7], false),
                CELLSIM,
                First::Opportunity,
                vec![],
            ),
            None,
        ],
        1.0,
    );
    spec.ports[0].buffer = Limit::Packets(2);
    let mut world = World::build(&spec).unwrap();
    inject(
        &mut world,
        &[(0, 1500), (0, 1500), (0, 1500), (2, 1500), (2, 1500)],
    );
    assert_eq!(deliveries(&mut world), [(0, 3), (1, 5), (3, 7)]);
    assert_eq!(world.report().dropped, 2);
}

#[test]
fn a_packet_larger_than_an_opportunity_is_refused_where_it_would_end_the_link() {
    let mut spec = spec(
        [
            direction(recorded([1], true), MAHIMAHI, First::Opportunity, vec![]),
            None,
        ],
        1.0,
    );
    spec.flows[0].packet = Bytes(1500);
    assert!(World::build(&spec).is_ok());
    spec.flows[0].packet = Bytes(1501);
    spec.links[0].max_frame = Bytes(9000);
    let refusal = World::build(&spec).expect_err("1505 B");
    assert_eq!(refusal.path, "flows.data.packet");
}

#[test]
fn recording_and_forking_change_nothing() {
    let build = || {
        let link = || {
            direction(
                recorded([1, 1, 4, 9], true),
                CELLSIM,
                First::Arrival,
                vec![crate::net::delay(20)],
            )
        };
        let mut world = World::build(&spec([link(), link()], 1.0)).unwrap();
        for n in 0..200 {
            outside::inject(&mut world, at(n / 3), Id::new(0), 40 + 7 * n, n);
        }
        world
    };
    let mut plain = build();
    let mut recorded_run = build();
    recorded_run.start_recording();
    let expected = deliveries(&mut plain);
    assert_eq!(deliveries(&mut recorded_run), expected);
    assert_eq!(
        plain.report().fingerprint,
        recorded_run.report().fingerprint
    );
    let mut one = build();
    one.advance(at(30));
    let mut fork = one.clone();
    assert_eq!(deliveries(&mut fork), expected);
    assert_eq!(deliveries(&mut one), expected);
}

#[test]
fn active_queue_management_judges_at_opportunities() {
    // A queue that stands: two packets come for each opportunity. CoDel's first loss comes 100 ms after
    // the delay has passed 5 ms (RFC 8289), so what waits at the end is less than without it.
    let held = |aqm: Option<AnyAqm>| {
        let link = direction(recorded([1], true), MAHIMAHI, First::Opportunity, vec![]);
        let mut spec = spec([link, None], 2.0);
        spec.ports[0].aqm = aqm;
        let mut world = World::build(&spec).unwrap();
        let packets: Vec<(u64, u64)> = (0..2000).flat_map(|ms| [(ms, 1500); 2]).collect();
        inject(&mut world, &packets);
        deliveries(&mut world);
        let report = world.report();
        (report.held, report.dropped)
    };
    let given = [
        ("target", Value::Span(Span::millis(5))),
        ("interval", Value::Span(Span::millis(100))),
        ("mtu", Value::Bytes(Bytes(1518))),
        ("ecn", Value::Flag(false)),
    ];
    let codel = QUEUES.iter().find(|p| p.id == "codel").expect("CoDel");
    let codel = (codel.build)(&Args(given.to_vec())).expect("legal options");
    let (without, none) = held(None);
    assert_eq!((without, none), (2000, 0));
    let (with, lost) = held(codel.aqm);
    assert!(lost > 20, "{lost}");
    assert_eq!(with + lost, without);
}
