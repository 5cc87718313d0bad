//! The counters of a run agree with one another and with its records: what is sent, received, lost, marked and told is counted once at each
//! place that counts it.

use std::collections::BTreeMap;

use backwater_sim::cause::Cause;
use backwater_sim::limit::Limit;
use backwater_sim::record::{Record, What};
use backwater_sim::spec::Routing;
use backwater_sim::world::{Injected, Report, World};
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, PS_PER_S, Rate, Span, Time};

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

/// 64 × 64 → 128 bit product, its halves combined.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The hash of a mark: its kind, when, whose, and what tells it from others.
fn hash(kind: u64, at: u64, who: u32, detail: u64) -> u64 {
    let low = fold(at ^ 0x9e37_79b9_7f4a_7c15, detail ^ 0xd1b5_4a32_d192_ed03);
    fold(low ^ (u64::from(who) << 8 | kind), 0x8cb9_2ba7_2f3d_8dd7)
}

/// What a record adds to the fingerprint of its run.
fn hash_of(r: &Record) -> u64 {
    let of_packet = |detail: u64| u64::from(r.seq) << 24 ^ detail;
    let asked = || {
        let notice = r.notice.as_ref().expect("a record of a notice");
        u64::from(notice.classes) << 16 | u64::from(notice.quanta())
    };
    let port = u64::from(r.port.0);
    match r.what {
        What::Deliver => hash(1, r.at.0, r.flow.0, of_packet(r.value)),
        What::Drop => hash(2, r.at.0, r.flow.0, of_packet(port)),
        What::Notice => hash(3, r.at.0, r.port.0, asked()),
        What::Knob => hash(4, r.at.0, r.port.0, asked()),
        What::Mark => hash(5, r.at.0, r.flow.0, of_packet(port)),
        _ => 0,
    }
}

fn sum_of_hashes(records: &[Record]) -> u64 {
    records.iter().map(hash_of).fold(0, u64::wrapping_add)
}

/// The fingerprint is the sum of a hash for each delivery, loss, mark, notice and change of a gate, as the head of
/// `record/fingerprint.rs` says. Reports of other versions are compared by it, so it must not change unseen.
#[test]
fn a_fingerprint_is_the_sum_of_the_hashes_of_what_is_recorded() {
    let mut net = Net::new(0.5);
    let (s, x, d) = (net.obeying_host("S"), net.switch("X"), net.host("D"));
    let other = net.host("E");
    net.link(s, x, 100 * MBIT);
    let port = net.link(x, d, 10 * MBIT)[0];
    net.link(other, x, 100 * MBIT);
    net.classes(2);
    net.buffer(port, 20_000);
    net.flow("f", s, d, cbr(2 * MBIT)).class = 1;
    // E sends a burst of 30 packets each 20 ms and obeys nobody, so that some are lost.
    let bursts = script((0..20).map(|n| (n * 20 * MS, 45_000)));
    net.flow("e", other, d, bursts).class = 1;
    net.recipe("pause-class", &[port], &[]);
    let (report, records) = net.run_recorded();
    let told = report.control;
    assert!(
        report.dropped > 10 && told > 10,
        "{} {told}",
        report.dropped
    );
    assert_eq!(report.fingerprint, sum_of_hashes(&records));
}

/// The same where data frames to A bring the notices. Each counts from the instant at which it is posted: when B's third frame comes
/// over 100 Mbit/s, and when the second has left over 1 Mbit/s.
#[test]
fn a_notice_in_a_data_frame_counts_in_the_fingerprint_when_it_is_posted() {
    let mut net = Net::new(0.1);
    let (a, b, x) = (net.obeying_host("A"), net.host("B"), net.switch("X"));
    let d = net.host("D");
    let toward_a = net.link(a, x, 100 * MBIT)[1] as u32;
    net.link(b, x, 100 * MBIT);
    let port = net.link(x, d, MBIT)[0];
    net.buffer(port, 5_000);
    net.flow("b", b, d, script([(0, 4_500)]));
    net.flow("back", d, a, script((0..50).map(|n| (n * 2 * MS, 46))));
    let given = [
        ("high", Value::Share(0.8)),
        ("low", Value::Share(0.4)),
        ("carrier", Value::Choice("header")),
    ];
    net.recipe("pause", &[port], &given);
    let (report, records) = net.run_recorded();
    let knobs = notices(&records, What::Knob, 0);
    assert_eq!(knobs.iter().map(|k| k.1).collect::<Vec<_>>(), [65_535, 0]);
    let comes = |n: u64| (n * 1538 - 12) * 80_000 + US;
    let clear = comes(1) + (2 * 1538 - 12) * 8_000_000;
    // PAUSE speaks of all eight classes.
    let posted = |at, quanta: u64| hash(3, at, toward_a, 0xff << 16 | quanta);
    let both = posted(comes(3), 65_535).wrapping_add(posted(clear, 0));
    let sum = sum_of_hashes(&records).wrapping_add(both);
    assert_eq!(report.fingerprint, sum);
}

/// Two ways lead from X to Y, and a hash chooses. Packets that are injected with a hash each take both ways. The packets of a flow
/// that come into being when those are gone all take one.
#[test]
fn a_flow_keeps_its_way_whatever_hashes_others_had_before() {
    let mut net = Net::new(0.2);
    net.0.routing = Routing::Ecmp;
    let (s, a, d) = (net.host("S"), net.host("A"), net.host("D"));
    let (x, y) = (net.switch("X"), net.switch("Y"));
    net.link(s, x, 100 * MBIT);
    net.link(a, x, 100 * MBIT);
    let mut ways = Vec::new();
    for name in ["M1", "M2"] {
        let between = net.switch(name);
        ways.push(net.link(x, between, 100 * MBIT)[0]);
        net.link(between, y, 100 * MBIT);
    }
    net.link(y, d, 100 * MBIT);
    net.flow("f", s, d, script([(100 * MS, 15_000)]));
    let mut world = net.world();
    world.start_recording();
    let node = |world: &World, name| world.node(name).expect("a node");
    for hash in 0..10 {
        let packet = Injected {
            to: node(&world, "D"),
            class: 0,
            len: Bytes(1500),
            ecn: Ecn::NotEct,
            hash: Some(hash),
            tag: 0,
        };
        let from = node(&world, "A");
        world.inject(Time(0), from, packet).expect("a route");
    }
    world.advance(world.end());
    let records = world.take_records();
    let own = world.report().flows[0].flow;
    let taken = |own_flow: bool| {
        let sent = records.iter().filter(|r| r.what == What::Send);
        let sent = sent.filter(|r| (r.flow == own) == own_flow);
        let ports: Vec<usize> = sent.map(|r| r.port.index()).collect();
        let count = |way: &usize| ports.iter().filter(|port| *port == way).count();
        ways.iter().map(count).collect::<Vec<_>>()
    };
    assert!(taken(false).iter().all(|n| *n > 0), "{:?}", taken(false));
    let mut kept = taken(true);
    kept.sort_unstable();
    assert_eq!(kept, [0, 10]);
}
