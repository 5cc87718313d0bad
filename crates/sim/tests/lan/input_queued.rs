//! Input-queued switches: what one queue at an input costs, what queues for each output give back, and exact delays.

use backwater_sim::cause::Cause;
use backwater_sim::spec::{Discipline, NodeKind, SwitchModel};
use backwater_sim::targets::Destination;
use backwater_transport::units::Bytes;

use crate::net::{MBIT, MS, Net, US, script, source};

const GIGABIT: u64 = 1000 * MBIT;
/// Ticks of a byte on a gigabit line.
const BYTE: u64 = 8000;
/// A packet of 1500 B on the wire: header and FCS, preamble and gap.
const ON_WIRE: u64 = 1518 + 20;

fn input_queued(discipline: Discipline, cell: u64, speedup: u32) -> NodeKind {
    NodeKind::Switch(SwitchModel::InputQueued {
        discipline,
        input_buffer: Bytes(500_000),
        cell: Bytes(cell),
        speedup,
    })
}

/// `ports` hosts that always have a packet for a host drawn anew, and as many that receive. A cell is a frame, and a slot the time that
/// one takes on a line. Gives the share of slots in which an output was used.
fn saturated(discipline: Discipline, ports: usize, seconds: f64) -> f64 {
    let mut net = Net::new(seconds);
    net.0.warmup = backwater_transport::units::Span::from_seconds(seconds / 5.0);
    let switch = net.node("X", input_queued(discipline, ON_WIRE, 1));
    let senders: Vec<usize> = (0..ports).map(|i| net.host(&format!("S{i}"))).collect();
    let sinks: Vec<usize> = (0..ports).map(|i| net.host(&format!("D{i}"))).collect();
    for host in senders.iter().chain(&sinks) {
        net.link(*host, switch, GIGABIT);
    }
    for (i, sender) in senders.into_iter().enumerate() {
        let flow = net.flow(&format!("f{i}"), sender, sinks[0], source("saturated", &[]));
        flow.to = Destination::AnyOf(sinks.clone());
    }
    let report = net.run();
    let delivered: u64 = report.flows.iter().map(|f| f.sums.delivered.packets).sum();
    let slots = seconds * 0.8 * 1e12 / (ON_WIRE * BYTE) as f64;
    delivered as f64 / slots / ports as f64
}

/// Karol, Hluchyj, Morgan (1987), table I: the saturation throughput of one FIFO queue at each of N inputs.
#[test]
fn head_of_line_blocking_has_the_published_throughput() {
    for (ports, published) in [(2, 0.75), (4, 0.6553), (8, 0.6184)] {
        let found = saturated(Discipline::SingleQueue, ports, 0.5);
        assert!((found / published - 1.0).abs() < 0.01, "{ports}: {found}");
    }
    // It falls toward 2 - sqrt 2.
    let found = saturated(Discipline::SingleQueue, 16, 0.2);
    assert!(found > 2.0 - 2_f64.sqrt() && found < 0.6184, "{found}");
}

#[test]
fn virtual_output_queues_use_nearly_every_slot() {
    for ports in [2, 4, 8] {
        let found = saturated(Discipline::VirtualOutputQueues, ports, 0.3);
        assert!(found > 0.98 && found <= 1.0, "{ports}: {found}");
    }
}

/// One input, a slow output beside a fast one. In one queue both go at the pace of the slow one; in two the fast one has its line.
#[test]
fn a_slow_output_holds_up_others_in_one_queue_only() {
    let fast = |discipline| {
        let mut net = Net::new(0.5);
        let switch = net.node("X", input_queued(discipline, 64, 1));
        let (s, slow, fast) = (net.host("S"), net.host("L"), net.host("F"));
        net.link(s, switch, GIGABIT);
        net.link(switch, slow, 10 * MBIT);
        net.link(switch, fast, GIGABIT);
        for (name, to) in [("slow", slow), ("fast", fast)] {
            net.flow(name, s, to, crate::net::cbr(100 * MBIT));
        }
        let report = net.run();
        assert!(report.drops.iter().all(|d| d.key.0 == Cause::BufferFull));
        report.flows[1].sums.delivered.bytes as f64 * 8.0 / 0.5
    };
    let (one, own) = (
        fast(Discipline::SingleQueue),
        fast(Discipline::VirtualOutputQueues),
    );
    // The slow line carries 10 Mbit/s, and as many packets of the fast flow pass as of the slow one, beside the first buffer-full.
    assert!(one < 25e6, "{one}");
    assert!(own > 99e6, "{own}");
}

/// The delay of a frame alone: it waits for the next slot, crosses in as many slots as it has cells, and is sent again.
#[test]
fn a_frame_crosses_in_as_many_slots_as_it_has_cells() {
    for (cell, speedup, cells) in [(64, 1, 24), (64, 2, 24), (1518, 1, 1), (1000, 1, 2)] {
        let mut net = Net::new(0.01);
        let kind = input_queued(Discipline::VirtualOutputQueues, cell, speedup);
        let (s, switch, d) = (net.host("S"), net.node("X", kind), net.host("D"));
        net.link(s, switch, GIGABIT);
        net.link(switch, d, GIGABIT);
        net.flow("f", s, d, script([(MS, 1500)]));
        let report = net.run();
        let (line, wire) = ((1518 + 8) * BYTE, US);
        let slot = cell * BYTE / u64::from(speedup);
        let came = MS + line + wire;
        let begun = came.div_ceil(slot) * slot;
        let crossed = begun + cells * slot;
        let expected = crossed + line + wire - MS;
        assert_eq!(
            u64::try_from(report.flows[0].sums.sum.total).unwrap(),
            expected,
            "{cell} {speedup}"
        );
        // Until it has crossed it waits, and counts at the stage before the output.
        let sum = &report.flows[0].sums.sum;
        let held = crossed - came;
        let parts = (sum.queue, sum.serial, sum.propagation);
        assert_eq!(parts, [held, 2 * line, 2 * wire].map(u128::from).into());
        let stages = report.ports[4..].iter().map(|port| &port.count);
        let crossed: Vec<_> = stages.filter(|count| count.packets > 0).collect();
        let counts = crossed.iter().map(|count| (count.packets, count.bytes));
        assert!(counts.eq([(1, 1518)]), "{cell} {speedup}");
        assert_eq!(crossed[0].area, 1518 * u128::from(held));
    }
}

/// Twice as many cells cross as the first output's line takes. While a frame waits there it takes none: behind the one on the line there is one
/// at most, and none is lost.
#[test]
fn an_output_with_a_frame_that_waits_takes_no_cell() {
    let mut net = Net::new(0.1);
    let switch = net.node("X", input_queued(Discipline::VirtualOutputQueues, 64, 2));
    let d = net.host("D");
    let port = net.link(switch, d, GIGABIT)[0];
    for i in 0..3 {
        let s = net.host(&format!("S{i}"));
        net.link(s, switch, GIGABIT);
        net.flow(&format!("f{i}"), s, d, script([(0, 20 * 1500)]));
    }
    let report = net.run();
    assert_eq!(report.delivered, 60);
    let most = report.ports[port].count.max_bytes;
    assert!((1518 + 1..=2 * 1518).contains(&most), "{most}");
}

/// A queue at an input holds what it is given, and the rest is lost there.
#[test]
fn a_full_queue_at_an_input_loses_what_comes() {
    let mut net = Net::new(1.0);
    let switch = net.node("X", input_queued(Discipline::VirtualOutputQueues, 64, 1));
    let (s, d) = (net.host("S"), net.host("D"));
    net.link(s, switch, GIGABIT);
    net.link(switch, d, 10 * MBIT);
    // 400 frames at once; 329 fit 500 kB, and the slow line takes some meanwhile: 400 frames come in 4.9 ms, in which 10 Mbit/s sends 4.
    net.flow("f", s, d, script([(MS, 400 * 1500)]));
    let report = net.run();
    let lost: u64 = report.drops.iter().map(|d| d.count.packets).sum();
    let held = 500_000 / 1518;
    assert!((400 - held - 7..=400 - held - 3).contains(&lost), "{lost}");
}

/// A run with an event for each departure is the run without.
#[test]
fn a_fabric_does_not_depend_on_when_its_ports_are_brought_up_to_date() {
    for discipline in [Discipline::VirtualOutputQueues, Discipline::SingleQueue] {
        let mut net = Net::new(0.2);
        let switch = net.node("X", input_queued(discipline, 64, 2));
        let hosts: Vec<usize> = (0..4).map(|i| net.host(&format!("H{i}"))).collect();
        for (host, rate) in hosts.iter().zip([10, 100, 100, 1000]) {
            net.link(*host, switch, rate * MBIT);
        }
        for (i, from) in hosts.iter().enumerate() {
            let flow = net.flow(&format!("f{i}"), *from, hosts[0], crate::net::cbr(7 * MBIT));
            flow.to = Destination::AnyOf(hosts.iter().copied().filter(|h| h != from).collect());
        }
        let (fused, recorded) = (net.run(), net.run_recorded().0);
        assert_eq!(fused.fingerprint, recorded.fingerprint);
        assert!(fused.drops.is_empty() || fused.flows[0].sums.delivered.packets > 0);
    }
}

/// A slot has an event while a frame waits at an input, and not otherwise: three frames of 24 cells in a second have 72 slots, of two million. Each
/// frame has three more events at most, at the instants at which it comes to a node, and each stretch of slots one at its end.
#[test]
fn a_fabric_without_frames_has_no_events() {
    let mut net = Net::new(1.0);
    let switch = net.node("X", input_queued(Discipline::VirtualOutputQueues, 64, 1));
    let (s, d) = (net.host("S"), net.host("D"));
    net.link(s, switch, GIGABIT);
    net.link(switch, d, GIGABIT);
    net.flow("f", s, d, script((0..3).map(|n| (n * 300 * MS, 1500))));
    let mut world = net.world();
    world.advance(world.end());
    assert_eq!(world.report().delivered, 3);
    assert!(
        (72..=72 + 3 * 4).contains(&world.events()),
        "{}",
        world.events()
    );
}
