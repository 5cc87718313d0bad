//! The counters of a run agree with one another and with its records: what is sent, received, lost, marked and told is counted once at each
//! place that counts it.

use std::collections::BTreeMap;

use backwater_sim::cause::Cause;
use backwater_sim::limit::Limit;
use backwater_sim::record::{Record, What};
use backwater_sim::world::{Report, World};
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, PS_PER_S, Rate, Span};

use crate::net::*;
use crate::property::any_network;
use crate::random::one;

/// How many of these records there are, and the sum of their values.
fn sums<'a>(records: impl Iterator<Item = &'a Record>) -> (u64, u128) {
    records.fold((0, 0), |(n, sum), r| (n + 1, sum + u128::from(r.value)))
}

/// Frames of so many IP bytes with header and FCS, no shorter than the shortest.
fn framed(len: u16) -> u64 {
    (u64::from(len) + 18).max(64)
}

fn compare(report: &Report, records: &[Record], number: u64) {
    let of = |what: What| records.iter().filter(move |r| r.what == what);
    for (n, row) in report.ports.iter().enumerate() {
        let what = format!("network {number}, port {n}");
        let here = |r: &&Record| r.port == row.port;
        let data = |r: &&Record| !r.flow.is_none();
        let sent: Vec<&Record> = of(What::Send).filter(here).filter(data).collect();
        assert_eq!(row.count.packets, sent.len() as u64, "{what}");
        let bytes = sent.iter().map(|r| framed(r.len)).sum::<u64>();
        assert_eq!(row.count.bytes, bytes, "{what}");
        let control: Vec<&Record> = of(What::Send).filter(here).filter(|r| !data(r)).collect();
        assert_eq!(row.count.control, control.len() as u64, "{what}");
        let bytes = control.iter().map(|r| framed(r.len)).sum::<u64>();
        assert_eq!(row.count.control_bytes, bytes, "{what}");
        assert_eq!(
            row.count.marked,
            sums(of(What::Mark).filter(here)).0,
            "{what}"
        );
        let most = of(What::Enqueue).filter(here).map(|r| r.value).max();
        assert!(row.count.max_bytes >= most.unwrap_or(0), "{what}");
    }
    for (n, row) in report.flows.iter().enumerate() {
        let what = format!("network {number}, flow {n}");
        let mine = |r: &&Record| r.flow == row.flow;
        let (packets, total) = sums(of(What::Deliver).filter(mine));
        assert_eq!(row.sums.delivered.packets, packets, "{what}");
        assert_eq!(row.sums.sum.total, total, "{what}");
        let most = of(What::Deliver).filter(mine).map(|r| r.value).max();
        assert_eq!(row.sums.max, most.unwrap_or(0), "{what}");
        let last = of(What::Deliver).filter(mine).map(|r| r.at).max();
        assert_eq!(row.last_delivered, last, "{what}");
        let bytes = of(What::Deliver).filter(mine).map(|r| u64::from(r.len));
        assert_eq!(row.sums.delivered.bytes, bytes.sum::<u64>(), "{what}");
        let lost: u64 = of(What::Drop).filter(mine).map(|r| u64::from(r.len)).sum();
        assert_eq!(row.sums.dropped.bytes, lost, "{what}");
        assert_eq!(row.sums.marked.packets, sums(of(What::Mark).filter(mine)).0);
        // Where a flow has one way, each hop has received what was sent there and not lost on the wire.
        for hop in &row.hops {
            let sent = of(What::Send).filter(mine).filter(|r| r.port == hop.port);
            let sent = sent.count() as u64;
            assert!(hop.count.packets <= sent, "{what}");
        }
        if let Some(last) = row.hops.last() {
            assert_eq!(last.count, row.sums.delivered, "{what}");
        }
    }
    let mut drops = BTreeMap::new();
    for r in of(What::Drop) {
        let key = (r.value, r.port, r.flow, r.traffic.class());
        *drops.entry(key).or_insert(0) += 1;
    }
    let row = |row: &backwater_sim::world::DropRow| {
        let (cause, port, flow, class) = row.key;
        ((cause as u64, port, flow, class), row.count.packets)
    };
    assert_eq!(
        report.drops.iter().map(row).collect::<BTreeMap<_, _>>(),
        drops
    );
    assert_eq!(report.control, sums(of(What::Notice)).0);
}

/// Random networks with all kinds of queues, sources and mechanisms.
#[test]
fn counters_are_those_of_the_records() {
    let (mut lost, mut marked, mut told) = (0, 0, 0);
    for number in 0..40 {
        let mut net = any_network(number);
        net.0.warmup = Span::ZERO;
        let Ok(mut world) = World::build(&net.0) else {
            continue;
        };
        world.start_recording();
        world.advance(world.end());
        let (report, records) = (world.report(), world.take_records());
        compare(&report, &records, number);
        lost += report.dropped;
        marked += report.all.marked.packets;
        told += report.control;
    }
    assert!(
        lost > 100 && marked > 100 && told > 100,
        "{lost} {marked} {told}"
    );
}

/// Packets of one size for each flow over a random tree of switches. Queues hold all, or PAUSE keeps them from overflowing; the network is
/// empty at the end.
fn drained(number: u64) -> Net {
    let r = &mut Random::stream(number, "test", "drained");
    let mut net = Net::new(2.0);
    let switches: Vec<usize> = (0..3).map(|i| net.switch(&format!("W{i}"))).collect();
    let rates = [10 * MBIT, 100 * MBIT, 1000 * MBIT];
    let mut watched = Vec::new();
    for pair in switches.windows(2) {
        watched.extend(net.link(pair[0], pair[1], one(r, &rates)));
    }
    let mut hosts = Vec::new();
    for i in 0..4 {
        let host = net.obeying_host(&format!("H{i}"));
        watched.push(net.link(host, one(r, &switches), one(r, &rates))[1]);
        hosts.push(host);
    }
    let pauses = number.is_multiple_of(2);
    for port in &mut net.0.ports {
        port.buffer = match pauses {
            true => Limit::Bytes(Bytes(400_000)),
            false => Limit::Unlimited,
        };
    }
    let delays = [Span::ZERO, Span::micros(1), Span::micros(700)];
    net.0
        .links
        .iter_mut()
        .for_each(|l| l.delay = one(r, &delays));
    for i in 0..5 {
        let from = one(r, &hosts);
        let others: Vec<usize> = hosts.iter().copied().filter(|h| *h != from).collect();
        let size = r.between(46, 1500);
        let demands = (0..r.between(20, 200)).map(|_| (r.between(0, 100 * MS), size));
        let mut demands: Vec<_> = demands.collect();
        demands.sort_unstable();
        net.flow(&format!("f{i}"), from, one(r, &others), script(demands));
    }
    if pauses {
        // A mark of two frames, so that hosts are stopped often.
        let given = [("high", Value::Share(0.008)), ("low", Value::Share(0.004))];
        net.mechanism(["watermark", "pause", "gate"], &watched, &given);
    }
    net
}

/// A packet takes part of a queue from the end of its last bit at a node to that of its last bit there on the way out. So the bytes that
/// queues held over time are those of the frames, for as long as they were not on a wire. And a line is busy for its frames alone.
#[test]
fn bytes_held_over_time_are_the_delays_of_their_frames() {
    let (mut stalls, mut waits) = (0, 0);
    for number in 0..24 {
        let net = drained(number);
        let (report, records) = net.run_recorded();
        assert_eq!((report.held, report.dropped), (0, 0), "network {number}");
        let area: u128 = report.ports.iter().map(|p| p.count.area).sum();
        let mut held = 0;
        let (mut waited, mut gated) = (0, 0);
        for (n, row) in report.flows.iter().enumerate() {
            let (packets, bytes) = (row.sums.delivered.packets, row.sums.delivered.bytes);
            if packets == 0 {
                continue;
            }
            let len = bytes / packets;
            assert_eq!(len * packets, bytes, "network {number}, flow {n}");
            let sum = &row.sums.sum;
            held += u128::from(framed(len as u16)) * (sum.total - sum.propagation);
            let delay = |port: usize| net.0.links[port / 2].delay.0;
            let rate = |port: usize| net.0.links[port / 2].rate.0;
            let hops = || row.hops.iter().map(|hop| hop.port.index());
            let wires: u64 = hops().map(delay).sum();
            assert_eq!(sum.propagation, u128::from(wires * packets));
            let byte = |port| 8 * PS_PER_S / rate(port);
            let serial: u64 = hops()
                .map(|port| (framed(len as u16) + 8) * byte(port))
                .sum();
            assert_eq!(sum.serial, u128::from(serial * packets));
            waited += sum.queue + sum.gate;
            gated += sum.gate;
        }
        assert_eq!(area, held, "network {number}");
        let data = |r: &&Record| r.what == What::Send && !r.flow.is_none();
        assert_eq!(
            sums(records.iter().filter(data)).1,
            waited,
            "network {number}"
        );
        for row in &report.ports {
            let c = &row.count;
            let Rate(rate) = net.0.links[row.port.index() / 2].rate;
            let bytes = c.bytes + c.control_bytes + 20 * (c.packets + c.control);
            assert_eq!(c.busy, bytes * (8 * PS_PER_S / rate), "network {number}");
            stalls += u64::from(c.stall > 0);
        }
        assert_eq!(gated > 0, report.ports.iter().any(|p| p.count.stall > 0));
        waits += u64::from(waited > 0);
    }
    assert!(stalls > 10 && waits > 20, "{stalls} {waits}");
}

/// What a frame that is lost on a full queue leaves behind: its place alone.
#[test]
fn a_lost_packet_is_one_of_its_flow_at_its_port() {
    let mut net = Net::new(0.1);
    let (s, x, d) = (net.host("S"), net.switch("X"), net.host("D"));
    net.link(s, x, 100 * MBIT);
    let port = net.link(x, d, 10 * MBIT)[0];
    net.0.ports[port].buffer = Limit::Packets(3);
    net.flow("f", s, d, script([(0, 15_000)]));
    let report = net.run();
    // Ten frames come in 1.23 ms, and the first has left after 1.34: three of them find room.
    let lost = 10 - 3;
    assert_eq!(report.drops.len(), 1);
    let row = &report.drops[0];
    assert_eq!(
        row.key,
        (
            Cause::BufferFull,
            report.ports[port].port,
            report.flows[0].flow,
            0
        )
    );
    assert_eq!((row.count.packets, row.count.bytes), (lost, lost * 1500));
    assert_eq!(report.flows[0].hops[0].count.packets, 10);
    assert_eq!(report.flows[0].hops[1].count.packets, 3);
}
