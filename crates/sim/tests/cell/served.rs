//! What a trace link serves and says of it: classes, the time that packets are under way, and the age that no sender can beat.

use backwater_sim::limit::Limit;
use backwater_sim::medium::trace::{First, Scorer, Server};
use backwater_sim::queue::AnyScheduler;
use backwater_sim::spec::Service;
use backwater_sim::table::Id;
use backwater_sim::targets::Destination;
use backwater_sim::world::World;
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span, Time};

use crate::net::{CELLSIM, MAHIMAHI, MS, at, deliveries, direction, recorded, source, spec};
use crate::outside::inject;

/// Two classes at an opportunity each millisecond: all of the higher one leave first, and then the others, also after a pause.
#[test]
fn the_higher_class_leaves_first() {
    let link = direction(recorded([1], true), MAHIMAHI, First::Opportunity, vec![]);
    let mut spec = spec([link, None], 0.1);
    spec.ports[0].scheduler = AnyScheduler::StrictPriority(2);
    spec.ports[0].buffer = Limit::Unlimited;
    spec.flows[0].class = 1;
    spec.flows[1].from = 0;
    spec.flows[1].to = Destination::Node(1);
    let mut run = World::build(&spec).expect("a link");
    for (tag, (ms, flow)) in (0..).zip([(0, 1), (0, 1), (0, 0), (0, 0), (9, 1), (19, 0)]) {
        inject(&mut run, at(ms), Id::new(flow), 1500, tag);
    }
    let due = [(2, 1), (3, 2), (0, 3), (1, 4), (4, 10), (5, 20)];
    assert_eq!(deliveries(&mut run), due);
}

/// Frames of 1,514 B in opportunities of 1,500 B, one each millisecond: the n-th has bytes 1514 (n − 1) to 1514 n of all. It
/// waits for the opportunity of its first byte, and is under way to that of its last one.
#[test]
fn a_packet_is_under_way_from_its_first_byte_to_its_last() {
    let link = direction(recorded([1], true), CELLSIM, First::Opportunity, vec![]);
    let mut run = World::build(&spec([link, None], 0.2)).expect("a link");
    for tag in 0..120 {
        inject(&mut run, at(0), Id::new(0), 1500, tag);
    }
    assert_eq!(deliveries(&mut run).len(), 120);
    let begins = |n: u64| 1514 * (n - 1) / 1500 + 1;
    let ends = |n: u64| (1514 * n).div_ceil(1500);
    let waited: u64 = (1..=120).map(begins).sum();
    let sent: u64 = (1..=120).map(|n| ends(n) - begins(n)).sum();
    let report = run.report();
    let sum = &report.flows[0].sums.sum;
    let parts = (sum.queue, sum.serial, sum.propagation);
    let ticks = |ms: u64| u128::from(ms * MS);
    assert_eq!(parts, (ticks(waited), ticks(sent), 0));
}

/// A saturated flow has a packet for each opportunity, also for the second one of an instant at which the packet before has
/// just left.
#[test]
fn a_saturated_flow_uses_every_opportunity() {
    for first in [First::Opportunity, First::Arrival] {
        let lines = [5, 5, 5, 8, 8, 20];
        let link = direction(recorded(lines, false), MAHIMAHI, first, vec![]);
        let mut spec = spec([link, None], 0.1);
        let packet = ("packet", Value::Bytes(Bytes(1500)));
        spec.flows[0].source = source("saturated", &[packet]);
        let mut run = World::build(&spec).expect("a link");
        for (ms, left) in [(4, 0), (5, 3), (8, 5), (100, 6)] {
            run.advance(at(ms));
            assert_eq!(run.report().delivered, left, "{first:?} {ms}");
        }
    }
}

/// With 30 ms to the receiver each packet is followed by the next as it leaves, not as it arrives.
#[test]
fn a_saturated_flow_goes_on_while_its_packets_are_on_the_way() {
    let lines = [5, 5, 5, 8, 8, 20];
    let link = direction(recorded(lines, false), MAHIMAHI, First::Opportunity, vec![]);
    let mut link = link.expect("a direction");
    if let Service::Trace(server) = &mut link.service {
        server.delay_behind = Span::millis(30);
    }
    let mut spec = spec([Some(link), None], 0.1);
    let packet = ("packet", Value::Bytes(Bytes(1500)));
    spec.flows[0].source = source("saturated", &[packet]);
    let mut run = World::build(&spec).expect("a link");
    for (ms, arrived) in [(34, 0), (35, 3), (38, 5), (50, 6)] {
        run.advance(at(ms));
        assert_eq!(run.report().delivered, arrived, "{ms}");
    }
}

/// A saturated flow that has stopped leaves an ordinary link behind: a packet at 20 ms comes after the opportunity of that instant.
#[test]
fn a_flow_that_has_stopped_makes_no_backlog() {
    let lines = (1..=15).chain([20, 30]);
    let link = direction(recorded(lines, false), MAHIMAHI, First::Opportunity, vec![]);
    let mut spec = spec([link, None], 0.1);
    let packet = ("packet", Value::Bytes(Bytes(1500)));
    spec.flows[1].source = source("saturated", &[packet]);
    spec.flows[1].from = 0;
    spec.flows[1].to = Destination::Node(1);
    spec.flows[1].stop = Span::millis(10);
    let mut run = World::build(&spec).expect("a link");
    inject(&mut run, at(20), Id::new(0), 1500, 7);
    assert_eq!(deliveries(&mut run), [(7, 30)]);
    assert!(run.report().delivered > 8);
}

/// Frames of 1,499 and 1,501 B: the last byte of the first opportunity is the first of the second frame.
#[test]
fn the_last_byte_of_an_opportunity_is_used() {
    let link = direction(recorded([1], true), CELLSIM, First::Opportunity, vec![]);
    let mut run = World::build(&spec([link, None], 0.1)).expect("a link");
    inject(&mut run, at(0), Id::new(0), 1485, 0);
    inject(&mut run, at(0), Id::new(0), 1487, 1);
    assert_eq!(deliveries(&mut run), [(0, 1), (1, 2)]);
}

/// Packets at 0 and 5 ms, which take 1 ms each: one at 1 to 4 ms would have waited for the next, and taken 5 to 2 ms. Of the six
/// values that of index 5 counts, after a month as after a second.
#[test]
fn milliseconds_without_a_packet_are_none_however_long_a_run_lasts() {
    let mut scorer = Scorer::default();
    scorer.took(at(0), at(1), 1504);
    scorer.took(at(5), at(6), 1504);
    for seconds in [1, 30 * 24 * 3600, 100 * 24 * 3600] {
        let now = Time::ZERO + Span::secs(seconds);
        assert_eq!(scorer.signal_p95(Time::ZERO, now), Some(5));
    }
}

/// Behind the last opportunity of a trace nothing is due any more, whatever waits.
#[test]
fn nothing_is_due_behind_the_end_of_a_trace() {
    let link = direction(recorded([5], false), MAHIMAHI, First::Opportunity, vec![]);
    let mut run = World::build(&spec([link, None], 0.1)).expect("a link");
    inject(&mut run, at(1), Id::new(0), 1500, 0);
    inject(&mut run, at(1), Id::new(0), 1500, 1);
    run.advance(at(4));
    assert_eq!(run.next_due(), Some(at(5)));
    run.advance(at(6));
    assert_eq!(run.next_due(), None);
    assert_eq!(deliveries(&mut run), [(0, 5)]);
}

/// After the opportunity at 10 ms a packet that was 50 ms old then is the newest one: at the 100 milliseconds from there on its
/// age is 50 to 149 ms, of which that of index 95 is 145.
#[test]
fn the_least_age_is_the_95th_percentile_of_all_ages() {
    let link = direction(
        recorded([10, 500], false),
        MAHIMAHI,
        First::Opportunity,
        vec![],
    );
    let Service::Trace(made) = link.expect("a direction").service else {
        unreachable!("a trace");
    };
    let server = Server::new(*made, Random::stream(1, "trace", "t"));
    let age = server.least_age_p95(10..=109, Span::millis(50), Span::ZERO);
    assert_eq!(age, Some(145));
    assert_eq!(server.opportunities(Time(109 * MS)).count(), 1);
}
