//! The rows of a report in the middle of a run, against closed forms.

use backwater_sim::ids::PortId;
use backwater_sim::network::PortCount;
use backwater_sim::world::{ClassReport, Report};
use backwater_transport::part::Value;
use backwater_transport::units::{Rate, Span, Time};

use crate::aqm::queue;
use crate::net::*;

/// Ticks for a byte at 10 Mbit/s; a full frame, with preamble, and with the gap behind it.
const BYTE: u64 = 800_000;
const FRAME: u64 = 1_518;
const SENT: u64 = 1_526 * BYTE;
const EACH: u64 = 1_538 * BYTE;

/// S over X to D, 10 Mbit/s and 100 us, and three packets at once; the switch has room for two.
fn three() -> (Net, [usize; 2]) {
    let mut net = Net::new(0.1);
    let (s, x, d) = (net.host("S"), net.switch("X"), net.host("D"));
    let first = net.link(s, x, 10 * MBIT)[0];
    let second = net.link(x, d, 10 * MBIT)[0];
    net.0
        .links
        .iter_mut()
        .for_each(|link| link.delay = Span::micros(100));
    net.flow("f", s, d, script([(0, 4_500)]));
    (net, [first, second])
}

/// A port is in use from the first bit of its first frame to the gap behind the last, and holds each frame from its arrival to its last bit. A port that
/// has sent nothing was never in use. Frame n comes 300 us behind the one before.
#[test]
fn a_port_is_in_use_and_holds_frames_up_to_the_present() {
    let (mut net, [first, _]) = three();
    let came = |n: u64| n * 300 * US;
    net.0.flows[0].source = script((0..3).map(|n| (came(n), 1_500)));
    let mut world = net.world();
    for now in [
        0,
        1,
        SENT / 2,
        SENT,
        SENT + 1,
        EACH,
        EACH + 5,
        2 * EACH + SENT,
        3 * EACH - 1,
        3 * EACH,
        5 * EACH,
    ] {
        world.advance(Time(now));
        let report = world.report();
        let count = &report.ports[first].count;
        assert_eq!(count.busy, now.min(3 * EACH), "{now}");
        let held = (0..3).map(|n| now.min(n * EACH + SENT) - now.min(came(n)));
        assert_eq!(count.area, u128::from(FRAME * held.sum::<u64>()), "{now}");
        // Nobody sends towards S.
        let silent = &report.ports[first + 1].count;
        assert_eq!((silent.busy, silent.area, silent.max_bytes), (0, 0, 0));
    }
    let report = world.report();
    let PortCount {
        packets,
        bytes,
        max_bytes,
        ..
    } = report.ports[first].count;
    assert_eq!((packets, bytes, max_bytes), (3, 3 * FRAME, 3 * FRAME));
    // Three packets over two hops.
    assert_eq!(world.packet_hops(), 6);
    assert!(world.events() > 3);
}

/// A line that is slowed or sped up while it sends is in use all the time, and no longer.
#[test]
fn a_line_of_another_rate_is_in_use_as_long_as_it_sends() {
    for rate in [5, 100] {
        let (net, [first, _]) = three();
        let mut world = net.world();
        world.advance(Time(SENT / 2));
        let id = PortId::new(first);
        world.change_rate(id, Rate(rate * MBIT)).expect("a line");
        // The first ends as it began; the gap behind it and what follows have the new rate.
        let byte = 10 * BYTE / rate;
        let end = SENT + 12 * byte + 2 * 1_538 * byte;
        for now in [SENT / 2 + 1, SENT, end - byte, end, 2 * end] {
            world.advance(Time(now));
            let report = world.report();
            assert_eq!(report.ports[first].count.busy, now.min(end), "{rate} {now}");
        }
    }
}

/// Frame n comes to the switch after its line and 100 us, and to its host as long behind that: what each hop has brought, and what is held, at any instant.
#[test]
fn hops_count_what_has_come_over_them() {
    let (net, _) = three();
    let mut world = net.world();
    let hop = SENT + 100 * US;
    for now in (0..6_000).map(|n| n * US) {
        world.advance(Time(now));
        let report = world.report();
        assert!(report.conserved);
        let over = |hops: u64| (0..3).filter(|n| n * EACH + hops * hop <= now).count() as u64;
        let hops: Vec<_> = report.flows[0].hops.iter().map(|row| row.count).collect();
        let packets: Vec<u64> = hops.iter().map(|count| count.packets).collect();
        assert_eq!(packets, [over(1), over(2)], "{now}");
        assert!(
            hops.iter()
                .all(|count| count.bytes == 1_500 * count.packets)
        );
        assert_eq!((report.entered, report.held), (3, 3 - over(2)));
    }
}

/// A packet that finds no room at the switch has made the first hop alone.
#[test]
fn a_packet_that_is_lost_at_a_switch_has_made_the_hop_before() {
    let (mut net, [_, second]) = three();
    net.buffer(second, FRAME);
    net.0.links[0].rate = Rate(100 * MBIT);
    let report = net.run();
    let hops: Vec<u64> = report.flows[0]
        .hops
        .iter()
        .map(|row| row.count.packets)
        .collect();
    assert_eq!((hops, report.dropped, report.delivered), (vec![3, 1], 2, 1));
    let bytes: Vec<u64> = report.flows[0]
        .hops
        .iter()
        .map(|row| row.count.bytes)
        .collect();
    assert_eq!(bytes, [4_500, 1_500]);
}

/// The counts of a class are the sums of those of its flows, and there is a row for each class up to the highest. Without flows there is one.
#[test]
fn classes_sum_up_their_flows() {
    let rows = |report: &ClassReport| {
        let counts = [
            report.entered,
            report.delivered,
            report.dropped,
            report.dropped_early,
            report.marked,
        ];
        let sum = &report.sum;
        let sums = [sum.total, sum.serial, sum.queue, sum.gate, sum.propagation];
        let counts = counts
            .into_iter()
            .flat_map(|count| [count.packets, count.bytes]);
        counts.map(u128::from).chain(sums).collect::<Vec<u128>>()
    };
    let (mut net, [_, second]) = three();
    net.0.flows.clear();
    let empty = net.run();
    assert_eq!(empty.classes.len(), 1);
    assert_eq!(rows(&empty.classes[0]), rows(&ClassReport::default()));
    assert!(empty.classes[0].loss() == 0.0);
    net.classes(4);
    net.0.links[0].rate = Rate(100 * MBIT);
    net.buffer(second, 5_000);
    net.0.warmup = Span::micros(2_000);
    for (name, class, packets) in [("a", 0, 9), ("b", 2, 8), ("c", 2, 7)] {
        net.flow(
            name,
            0,
            2,
            script([(0, 1_500 * packets), (50 * MS, 1_000 * packets)]),
        )
        .class = class;
    }
    let report = net.run();
    assert_eq!(report.classes.len(), 3);
    let sum = |wanted: &dyn Fn(u8) -> bool| {
        let mut sum = vec![0; 15];
        for (flow, spec) in report.flows.iter().zip(&net.0.flows) {
            let mine = wanted(spec.class);
            let row = rows(&flow.sums);
            sum.iter_mut()
                .zip(row)
                .for_each(|(sum, part)| *sum += if mine { part } else { 0 });
        }
        sum
    };
    for class in 0..3 {
        assert_eq!(
            rows(&report.classes[usize::from(class)]),
            sum(&|of| of == class),
            "{class}"
        );
    }
    assert_eq!(rows(&report.all), sum(&|_| true));
    let most = report.flows.iter().map(|flow| flow.sums.max).max();
    assert_eq!(Some(report.all.max), most);
    assert!(
        report.all.dropped_early.packets > 0
            && report.all.dropped.packets > report.all.dropped_early.packets
    );
    let all = &report.all;
    let lost = (all.dropped.packets - all.dropped_early.packets) as f64;
    assert!((all.loss() - lost / all.entered.packets as f64).abs() < 1e-12);
}

/// A port with a detector and queue management acts at the due instants: frames that the queue drops as they leave may end a pause. So nothing depends on
/// whether each departure has an event of its own.
#[test]
fn a_watched_queue_that_drops_at_departure_acts_in_time() {
    let (mut net, port) = merging(0.5, || cbr(5 * MBIT));
    net.0.ports[port].aqm = queue("codel", &[("target", Value::Span(Span::micros(500)))]).aqm;
    net.recipe(
        "pause",
        &[port],
        &[("high", Value::Share(0.5)), ("low", Value::Share(0.3))],
    );
    let [fused, unfused] = [false, true].map(|unfuse| {
        let mut world = net.world();
        if unfuse {
            world.unfuse();
        }
        world.advance(world.end());
        let report: Report = world.report();
        (report.fingerprint, report.dropped, report.control)
    });
    assert_eq!(fused, unfused);
    assert!(fused.1 > 0 && fused.2 > 0, "{fused:?}");
}

/// A caller that serves one event at a time has served as many as it asked for, and is told when nothing is left.
#[test]
fn events_are_counted_one_by_one() {
    let (net, _) = three();
    let mut world = net.world();
    let mut served = 0;
    while !world.advance_some(1) {
        served += 1;
        assert_eq!(world.events(), served);
    }
    assert_eq!((world.events(), world.now()), (served, world.end()));
    assert_eq!(world.report().delivered, 3);
    let mut many = net.world();
    assert!(!many.advance_some(served - 1));
    assert_eq!(many.events(), served - 1);
}

/// A flow that delivers one packet says when, and one that delivers none says nothing.
#[test]
fn one_delivery_is_the_last_one() {
    let (mut net, _) = three();
    net.0.flows.clear();
    net.flow("one", 0, 2, script([(0, 1_500)]));
    net.flow("none", 0, 2, script([]));
    let report = net.run();
    let last: Vec<Option<Time>> = report
        .flows
        .iter()
        .map(|flow| flow.last_delivered)
        .collect();
    assert_eq!(last, [Some(Time(2 * (SENT + 100 * US))), None]);
}

/// The most that a port has held since the end of a warm-up begins with what it holds then: two of three frames.
#[test]
fn the_most_bytes_since_a_warm_up_begin_with_those_that_are_there() {
    let (mut net, [first, _]) = three();
    net.0.warmup = Span(EACH + 5);
    let report = net.run();
    assert_eq!(report.ports[first].count.max_bytes, 2 * FRAME);
}
