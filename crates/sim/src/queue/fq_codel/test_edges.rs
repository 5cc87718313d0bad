//! The queues of FQ-CoDel: to which a flow is hashed, and which loses a frame for want of room. RFC 8290 section 4.1.

use backwater_transport::segment::Ecn;
use backwater_transport::units::Span;

use super::*;
use crate::packet::{Packet, Packets};

const LAW: Law = Law {
    target: Span::millis(5),
    interval: Span::millis(100),
    frame: 1518,
    mark: true,
};

fn parties(flow: u32, from: u32, to: u32) -> Parties {
    Parties {
        flow,
        from,
        to,
        ecn: Ecn::Ect0,
    }
}

fn attached(flows: usize, seed: u64, hosts: Hosts) -> FqCodel {
    let mut made = FqCodel::new(LAW, 1514, flows, hosts);
    made.attach(Rate(1), &mut Random::stream(seed, "test", "fq"));
    made
}

/// Sixteen queues take 64,000 flows, or as many destinations, alike: 4000 each with a deviation of 61. A flow stays in its
/// queue; another seed has another order.
#[test]
fn flows_are_spread_over_the_queues() {
    for by_flow in [true, false] {
        let places = |seed: u64| {
            let mut made = attached(16, seed, Hosts::Ignored);
            let of = |n: u32| match by_flow {
                true => parties(n, 1, 2),
                false => parties(1, 2, n),
            };
            let places: Vec<usize> = (0..64_000).map(|n| made.classify(&of(n))).collect();
            assert!(
                (0..64_000)
                    .step_by(997)
                    .all(|n| made.classify(&of(n)) == places[n as usize])
            );
            places
        };
        let all = places(1);
        let mut counts = [0i32; 16];
        all.iter().for_each(|place| counts[*place] += 1);
        assert!(
            counts.iter().all(|n| (n - 4000).abs() < 5 * 61),
            "{counts:?}"
        );
        let other = places(2);
        let same = all.iter().zip(&other).filter(|(a, b)| a == b).count();
        assert!(same.abs_diff(4000) < 5 * 61, "{same}");
    }
}

/// A queue belongs to the host of the flow that came to it while it was empty; without fairness of hosts to nobody.
#[test]
fn a_queue_belongs_to_a_host() {
    for (hosts, first, second) in [
        (Hosts::Ignored, 0, 0),
        (Hosts::Source, 7, 5),
        (Hosts::Destination, 9, 6),
    ] {
        let mut made = attached(1, 1, hosts);
        assert_eq!(made.classify(&parties(3, 7, 9)), 0);
        assert_eq!(made.flows[0].host, first);
        made.flows[0].listed = true;
        made.classify(&parties(4, 5, 6));
        assert_eq!(made.flows[0].host, first);
        made.flows[0].listed = false;
        made.classify(&parties(4, 5, 6));
        assert_eq!(made.flows[0].host, second);
    }
}

/// The longest queue loses its head, the frame that arrives counted in its own; of equals that of the lowest number. An arriving
/// frame that is longest itself is lost.
#[test]
fn the_longest_queue_makes_room() {
    let made = FqCodel::new(LAW, 1514, 3, Hosts::Ignored);
    let victim = |bytes: [u64; 3], arrives: usize| {
        let mut packets = Packets::default();
        let queues: Vec<ClassQueue> = bytes
            .iter()
            .map(|bytes| {
                let mut queue = ClassQueue {
                    bytes: *bytes,
                    ..ClassQueue::default()
                };
                if *bytes > 0 {
                    let id = packets.create(Packet::example(Time::ZERO));
                    packets.append(&mut queue.list, id);
                }
                queue
            })
            .collect();
        let frame = Frame {
            now: Time::ZERO,
            queue: arrives,
            size: 1000,
            ecn: Ecn::Ect0,
            sojourn: Span::ZERO,
            bytes: 0,
            packets: 0,
        };
        made.victim(&frame, &queues)
    };
    assert_eq!(victim([3000, 5000, 4500], 0), Some(1));
    assert_eq!(victim([3000, 5000, 4500], 2), Some(2));
    assert_eq!(victim([3000, 5000, 4000], 2), Some(1));
    assert_eq!(victim([5000, 5000, 1], 2), Some(0));
    assert_eq!(victim([0, 0, 0], 2), None);
    assert_eq!(victim([999, 0, 0], 2), None);
    assert_eq!(victim([1000, 0, 0], 2), Some(0));
}

/// A flow of a host with more flows than its quantum has bytes earns one.
#[test]
fn a_share_is_a_byte_at_least() {
    let mut made = FqCodel::new(LAW, 3, 5, Hosts::Source);
    let shares: Vec<i64> = (0..5)
        .map(|flow| {
            made.list(flow);
            made.share(flow)
        })
        .collect();
    assert_eq!(shares, [3, 1, 1, 1, 1]);
    assert_eq!(made.queues(), 5);
}

/// Queues, of which these hold a packet.
fn holding(held: &[bool]) -> Vec<ClassQueue> {
    let mut packets = Packets::default();
    let mut queue = |held: &bool| {
        let mut queue = ClassQueue::default();
        if *held {
            let id = packets.create(Packet::example(Time::ZERO));
            packets.append(&mut queue.list, id);
        }
        queue
    };
    held.iter().map(&mut queue).collect()
}

/// A frame of a flow that has waited so long.
fn waited(flow: usize, now: Time, sojourn: Span) -> Frame {
    Frame {
        now,
        queue: flow,
        size: 1500,
        ecn: Ecn::Ect0,
        sojourn,
        bytes: 150_000,
        packets: 100,
    }
}

/// RFC 8290 section 4.2: a flow sends while its credit is positive. A quantum of 1,501 B leaves a byte behind a frame of 1,500, so that two
/// frames go; then a flow owes 1,499.
#[test]
fn a_byte_of_credit_is_enough() {
    let mut made = FqCodel::new(LAW, 1501, 2, Hosts::Ignored);
    made.list(0);
    made.list(1);
    let queues = holding(&[true, true]);
    let sent = [(); 4].map(|()| {
        let flow = made.choose(&queues);
        made.pop(&waited(flow, Time::ZERO, Span::ZERO));
        flow
    });
    assert_eq!(sent, [0, 0, 1, 1]);
}

/// RFC 8290 section 4.2: a new flow that runs empty goes to the end of the old ones, and an old one leaves the lists. So a flow that sends
/// now and then does not go before a backlogged one each time: it has its turn behind it, and is new again when it has left.
#[test]
fn a_new_flow_that_runs_empty_becomes_old() {
    let mut made = FqCodel::new(LAW, 3000, 2, Hosts::Ignored);
    made.list(0);
    assert_eq!(made.choose(&holding(&[true, true])), 0);
    made.pop(&waited(0, Time::ZERO, Span::ZERO));
    made.list(1);
    let both = [vec![0, 1], vec![]];
    let lists = |made: &FqCodel| [&made.new, &made.old].map(|list| Vec::from(list.clone()));
    assert_eq!(lists(&made), both);
    // Flow 0 has run empty, and flow 1 sends.
    assert_eq!(made.choose(&holding(&[false, true])), 1);
    assert_eq!(lists(&made), [vec![1], vec![0]]);
    assert!(made.flows[0].listed);
    // Flow 1 has run empty, too; then flow 0 leaves the lists, being old and empty.
    let last = made.choose(&holding(&[true, false]));
    assert_eq!((last, lists(&made)), (0, [vec![], vec![0, 1]]));
    assert_eq!(made.choose(&holding(&[false, true])), 1);
    assert_eq!(lists(&made), [vec![], vec![1]]);
    assert!(!made.flows[0].listed);
}

/// A port that was empty forgets all delays: a flow must be late for an interval again.
#[test]
fn an_empty_port_forgets_the_delays_of_its_flows() {
    for (empties, told) in [(false, Verdict::Mark), (true, Verdict::Accept)] {
        let mut made = FqCodel::new(LAW, 3000, 1, Hosts::Ignored);
        made.list(0);
        let late = |ms: u64| waited(0, Time(Span::millis(ms).0), Span::millis(50));
        assert_eq!(made.pop(&late(0)), Verdict::Accept);
        if empties {
            made.emptied(Time(Span::millis(50).0));
        }
        assert_eq!(made.pop(&late(100)), told);
    }
}
