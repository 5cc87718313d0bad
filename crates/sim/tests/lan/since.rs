//! What is reported from the end of a warm-up on is what the whole run has, less what it had at that instant without one.

use backwater_sim::network::PortCount;
use backwater_sim::record::flow_stats::{Count, DelaySum};
use backwater_sim::world::{ClassReport, Report, World};
use backwater_transport::endpoint::Protocol;
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Span, Time};

use crate::aqm::queue;
use crate::net::*;
use crate::property::any_network;
use crate::random::source;
use crate::transport::carry;

fn less(all: Count, before: Count) -> Count {
    Count {
        packets: all.packets - before.packets,
        bytes: all.bytes - before.bytes,
    }
}

/// The parts of a sum of delays.
fn parts(sum: &DelaySum) -> [u128; 9] {
    [
        sum.total,
        sum.serial,
        sum.queue,
        sum.gate,
        sum.contention,
        sum.retries,
        sum.aggregate,
        sum.reorder,
        sum.propagation,
    ]
}

fn compare_sums(since: &ClassReport, all: &ClassReport, before: &ClassReport, what: &str) {
    assert_eq!(since.entered, less(all.entered, before.entered), "{what}");
    let delivered = less(all.delivered, before.delivered);
    assert_eq!(since.delivered, delivered, "{what}");
    assert_eq!(since.delay.len(), delivered.packets, "{what}");
    assert_eq!(since.dropped, less(all.dropped, before.dropped), "{what}");
    assert_eq!(since.marked, less(all.marked, before.marked), "{what}");
    for (n, part) in parts(&since.sum).into_iter().enumerate() {
        let (all, before) = (parts(&all.sum)[n], parts(&before.sum)[n]);
        assert_eq!(part, all - before, "{what}, part {n}");
    }
    assert!(since.max <= all.max, "{what}");
    assert!(before.max.max(since.max) == all.max, "{what}");
    assert!(
        since.dropped_early.packets <= since.dropped.packets,
        "{what}"
    );
    assert_eq!(all.dropped_early, Count::default(), "{what}");
}

/// Counters of a port that grow.
fn counts(count: &PortCount) -> Vec<u128> {
    let small = [
        count.packets,
        count.bytes,
        count.control,
        count.control_bytes,
        count.busy,
        count.marked,
        count.trimmed,
        count.notices,
        count.victims,
        count.stall,
    ];
    let small = small.into_iter().chain(count.closed).map(u128::from);
    small.chain([count.area]).collect()
}

fn compare(since: &Report, all: &Report, before: &Report, number: u64) {
    for (n, row) in since.flows.iter().enumerate() {
        let what = format!("network {number}, flow {n}");
        let (all, before) = (&all.flows[n], &before.flows[n]);
        compare_sums(&row.sums, &all.sums, &before.sums, &what);
        assert_eq!(row.victims, all.victims - before.victims, "{what}");
        assert_eq!(row.last_delivered, all.last_delivered, "{what}");
        for (i, hop) in row.hops.iter().enumerate() {
            let (all, before) = (&all.hops[i], &before.hops[i]);
            assert_eq!(hop.count, less(all.count, before.count), "{what}, hop {i}");
        }
    }
    for (n, row) in since.classes.iter().enumerate() {
        let what = format!("network {number}, class {n}");
        compare_sums(row, &all.classes[n], &before.classes[n], &what);
    }
    compare_sums(&since.all, &all.all, &before.all, "all");
    for (n, row) in since.ports.iter().enumerate() {
        let what = format!("network {number}, port {n}");
        let (all, before) = (&all.ports[n].count, &before.ports[n].count);
        let counted = counts(all).into_iter().zip(counts(before));
        let expected: Vec<u128> = counted.map(|(all, before)| all - before).collect();
        assert_eq!(counts(&row.count), expected, "{what}");
        let most = before.max_bytes.max(row.count.max_bytes);
        assert_eq!(most, all.max_bytes, "{what}");
    }
    for row in &since.drops {
        let of = |report: &Report| {
            let row = report.drops.iter().find(|one| one.key == row.key);
            row.map(|row| row.count).unwrap_or_default()
        };
        assert_eq!(row.count, less(of(all), of(before)), "{:?}", row.key);
    }
    for (n, row) in since.connections.iter().enumerate() {
        let (all, before) = (&all.connections[n], &before.connections[n]);
        assert_eq!(row.written, all.written);
        assert_eq!(row.delivered, all.delivered - before.delivered);
        assert_eq!(row.segments, all.segments - before.segments);
        assert_eq!(row.retransmitted, all.retransmitted - before.retransmitted);
        let (row, all, before) = (&row.stats, &all.stats, &before.stats);
        assert_eq!(row.rtt_count, all.rtt_count - before.rtt_count);
        assert_eq!(row.rtt_sum, all.rtt_sum - before.rtt_sum);
        assert_eq!(row.window_area, all.window_area - before.window_area);
        assert_eq!(row.completed, all.completed - before.completed);
        assert_eq!(row.completion.len(), row.completed);
        assert_eq!(row.rtt.len(), row.rtt_count);
    }
    let whole = |report: &Report| (report.fingerprint, report.entered, report.control);
    assert_eq!(whole(since), whole(all), "network {number}");
}

/// The warm-up ends at an instant at which nothing else happens.
#[test]
fn a_warm_up_takes_off_what_was_before() {
    let r = &mut Random::stream(1, "test", "since");
    let (mut lost, mut stopped) = (0, 0);
    for number in 0..48 {
        let mut net = any_network(number);
        let end = net.0.duration.0;
        let warm = Time(r.between(end / 10, end * 9 / 10) | 1);
        net.0.warmup = Span::ZERO;
        let mut whole = net.world();
        net.0.warmup = Span(warm.0);
        let Ok(mut warmed) = World::build(&net.0) else {
            continue;
        };
        whole.advance(warm);
        let before = whole.report();
        whole.advance(whole.end());
        warmed.advance(warmed.end());
        let (all, since) = (whole.report(), warmed.report());
        compare(&since, &all, &before, number);
        lost += since.all.dropped.packets;
        stopped += since.ports.iter().filter(|p| p.count.stall > 0).count();
    }
    assert!(lost > 1000 && stopped > 10, "{lost} {stopped}");
}

/// A switch that pauses two hosts for a slow line, whose queue marks, beside a host whose packets it holds back without need, one whose
/// packets find no room, and a transfer.
fn busy() -> Net {
    let mut net = Net::new(0.2);
    let (v, x) = (net.switch("V"), net.switch("X"));
    net.link(v, x, 100 * MBIT);
    let hosts: Vec<usize> = (0..3).map(|i| net.obeying_host(&format!("S{i}"))).collect();
    for host in &hosts {
        net.link(*host, v, 100 * MBIT);
    }
    let [slow, fast, short] = [10, 100, 10].map(|rate| {
        let d = net.host(&format!("D{}", net.0.nodes.len()));
        (net.link(x, d, rate * MBIT)[0], d)
    });
    net.buffer(slow.0, 50_000);
    net.buffer(short.0, 3_036);
    let given = [
        ("min", Value::Bytes(Bytes(5_000))),
        ("max", Value::Bytes(Bytes(40_000))),
    ];
    net.0.ports[slow.0].aqm = queue("ecn-ramp", &given).aqm;
    net.recipe("pause", &[slow.0], &[]);
    net.flow("f", hosts[0], slow.1, cbr(15 * MBIT)).ecn = Ecn::Ect0;
    net.flow("g", hosts[1], fast.1, cbr(20 * MBIT)).class = 1;
    net.flow("h", hosts[2], short.1, cbr(12 * MBIT));
    let flow = net.flow("t", hosts[1], fast.1, source("bulk", &[]));
    carry(
        flow,
        Protocol::Stream,
        "fixed",
        &[("window", Value::Packets(10))],
    );
    net
}

/// The same in a network in which each counter has moved before the end of the warm-up and moves after it.
#[test]
fn a_warm_up_takes_off_each_counter() {
    let mut net = busy();
    let warm = Time(100 * MS + 1);
    let mut whole = net.world();
    net.0.warmup = Span(warm.0);
    let mut warmed = net.world();
    whole.advance(warm);
    let before = whole.report();
    whole.advance(whole.end());
    warmed.advance(warmed.end());
    let (all, since) = (whole.report(), warmed.report());
    compare(&since, &all, &before, 0);
    let sums = |report: &Report| {
        let mut sums = vec![0; 19];
        for port in &report.ports {
            let counts = counts(&port.count);
            sums.iter_mut()
                .zip(counts)
                .for_each(|(sum, count)| *sum += count);
        }
        sums
    };
    // Nothing is trimmed and no notices go to sources.
    let moves = |n: usize| !matches!(n, 6 | 7);
    for (n, (before, since)) in sums(&before).into_iter().zip(sums(&since)).enumerate() {
        assert_eq!((before > 0, since > 0), (moves(n), moves(n)), "counter {n}");
    }
    assert!(since.all.dropped_early.packets > 0 && since.all.marked.packets > 0);
    // The first four flows are those of data.
    let gates = since.flows[..4].iter().map(|flow| flow.sums.sum.gate);
    let gates: u128 = gates.sum();
    assert!(gates > 0);
    assert_eq!(since.all.sum.gate, gates);
}
