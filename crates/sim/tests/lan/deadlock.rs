//! Deadlock of back-pressure, seen and not seen.

use backwater_sim::record::What;
use backwater_sim::spec::{NodeKind, Routing};
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::net::*;

/// A ring of three switches with a host each. Every host sends to the host `hops` switches on,
/// clockwise. Gives the ring's ports and those toward the hosts.
fn ring(seconds: f64, hops: usize, host_rate: u64, delay: Span) -> (Net, Vec<usize>, Vec<usize>) {
    ring_of(3, seconds, hops, host_rate, delay)
}

fn ring_of(
    switches: usize,
    seconds: f64,
    hops: usize,
    host_rate: u64,
    delay: Span,
) -> (Net, Vec<usize>, Vec<usize>) {
    let n = switches;
    let mut net = Net::new(seconds);
    net.0.routing = Routing::ShortestPath;
    let w: Vec<usize> = (0..n).map(|i| net.switch(&format!("W{i}"))).collect();
    let h: Vec<usize> = (0..n).map(|i| net.host(&format!("H{i}"))).collect();
    let around: Vec<usize> = (0..n)
        .map(|i| net.link(w[i], w[(i + 1) % n], 10 * MBIT)[0])
        .collect();
    let down: Vec<usize> = (0..n).map(|i| net.link(w[i], h[i], host_rate)[0]).collect();
    net.0.links.iter_mut().for_each(|l| l.delay = delay);
    for i in 0..n {
        let to = (i + hops) % n;
        let route = [h[i]]
            .into_iter()
            .chain((0..=hops).map(|k| w[(i + k) % n]))
            .chain([h[to]])
            .collect();
        net.flow(&format!("f{i}"), h[i], h[to], cbr(9 * MBIT)).route = Some(route);
    }
    (net, around, down)
}

/// The ring's ports stand still for a long while, but behind slow hosts, which always go on.
#[test]
fn waiting_for_a_slow_host_is_no_deadlock() {
    let (mut net, around, down) = ring(20.0, 2, 10 * MBIT, Span::micros(1));
    for port in &around {
        net.buffer(*port, 50_000);
    }
    for port in down {
        net.0.links[port / 2].rate.0 = 10 * MBIT;
        net.buffer(port, 50_000);
    }
    // The hosts' own links are fast up and the sinks slow: separate sinks on slow links.
    let sinks: Vec<usize> = (0..3)
        .map(|i| {
            let d = net.host(&format!("D{i}"));
            let port = net.link(i, d, 100_000)[0];
            net.buffer(port, 50_000);
            port
        })
        .collect();
    let n = net.0.nodes.len();
    for (i, flow) in net.0.flows.iter_mut().enumerate() {
        let sink = n - 3 + (i + 2) % 3;
        flow.to = backwater_sim::targets::Destination::Node(sink);
        *flow.route.as_mut().unwrap().last_mut().unwrap() = sink;
    }
    net.recipe("pause", &sinks, &[]);
    let report = net.run();
    let moved = |from: f64, to: f64| {
        let mut a = net.world();
        a.advance(backwater_transport::units::Time(Span::from_seconds(from).0));
        let before = a.report().delivered;
        a.advance(backwater_transport::units::Time(Span::from_seconds(to).0));
        a.report().delivered - before
    };
    assert!(moved(15.0, 20.0) > 0, "frames are delivered to the end");
    assert_eq!(report.deadlock, None);
}

/// When a deadlock is seen doesn't depend on whether departures have events of their own.
#[test]
fn a_deadlock_is_seen_at_the_same_instant_fused_and_unfused() {
    for delay in [Span::micros(1), Span::millis(30)] {
        let (mut net, around, _) = ring(3.0, 2, 10 * MBIT, delay);
        for port in &around {
            net.buffer(*port, 50_000_000);
        }
        let at = around.clone();
        net.mechanism(
            ["ingress-watermark", "pfc", "gate"],
            &around.iter().map(|p| p ^ 1).collect::<Vec<_>>(),
            &[],
        );
        let fused = net.run();
        let unfused = net.run_recorded().0;
        assert_eq!(fused.fingerprint, unfused.fingerprint);
        let seen = fused.deadlock.clone().expect("a deadlock");
        let mut cycle: Vec<usize> = seen.cycle.iter().map(|p| p.index()).collect();
        cycle.sort_unstable();
        assert_eq!(cycle, at);
        assert_eq!(fused.deadlock, unfused.deadlock, "{delay:?}");
    }
}

/// Ports are looked at every 10 ms. One is stuck if it was stopped at the look before, so a
/// deadlock is named 10 to 20 ms after the last frame on the ring, which takes 1.2 ms.
#[test]
fn a_deadlock_is_named_when_it_has_held_from_one_look_to_the_next() {
    for host_rate in [6, 8, 10] {
        let (mut net, around, _) = ring(2.0, 2, host_rate * MBIT, Span::micros(1));
        around.iter().for_each(|port| net.buffer(*port, 50_000));
        net.recipe("pause", &around, &[]);
        let (report, records) = net.run_recorded();
        let seen = report.deadlock.expect("a deadlock");
        let sent = records.iter().filter(|record| {
            let on_ring = around.contains(&record.port.index());
            record.what == What::Send && on_ring && record.at < seen.at
        });
        let last = sent.map(|record| record.at).max().expect("a frame");
        let after = seen.at.since(last);
        let (least, most) = (Span::millis(10), Span::micros(21_300));
        assert!(least <= after && after <= most, "{host_rate}: {after:?}");
    }
}

/// Around the ring every port waits for the next, and nothing is delivered any more.
#[test]
fn a_ring_of_pauses_stands_still_and_is_named() {
    let (mut net, around, _) = ring(3.0, 2, 10 * MBIT, Span::micros(1));
    around.iter().for_each(|port| net.buffer(*port, 50_000));
    let free = net.run();
    assert_eq!(free.deadlock, None);
    net.recipe("pause", &around, &[]);
    let names = |cycle: &[backwater_sim::ids::PortId]| {
        let mut names: Vec<String> = cycle
            .iter()
            .map(|p| net.0.ports[p.index()].name.clone())
            .collect();
        let first = names
            .iter()
            .position(|n| n == "W0>W1")
            .expect("in the ring");
        names.rotate_left(first);
        names
    };
    let mut world = net.world();
    world.advance(Time(2 * 1000 * MS));
    let before = world.report();
    let seen = before.deadlock.expect("a deadlock");
    assert_eq!(names(&seen.cycle), ["W0>W1", "W1>W2", "W2>W0"]);
    world.advance(world.end());
    let after = world.report();
    assert_eq!(after.delivered, before.delivered, "nothing moves");
    let standstill = after.standstill;
    assert_eq!(standstill.map(|s| s.packets), Some(after.held));
    assert!(after.conserved);
    assert!(after.flows.iter().all(|f| f.starved), "all wait");
    let last = after.flows.iter().map(|f| f.last_delivered).max().flatten();
    assert_eq!(standstill.map(|s| s.since), last);
    assert!(before.flows.iter().any(|f| f.last_delivered == last));
}

/// A ring of four switches whose hosts obey, and flows that go three hops around it. All ports toward ring and hosts hold 50 kB.
/// Gives the ring's ports, and all of these.
fn ring_of_destinations() -> (Net, Vec<usize>, Vec<usize>) {
    let (mut net, around, down) = ring_of(4, 60.0, 3, 10 * MBIT, Span::micros(1));
    for flow in 0..4 {
        net.0.flows[flow].source = source(
            "uniform-uniform",
            &[
                ("burst", Value::Bytes(Bytes(4_800))),
                ("rate", Value::Rate(Rate(4_500_000))),
            ],
        );
        let host = net.0.flows[flow].from;
        net.0.nodes[host].kind = NodeKind::Host { obeys: true };
    }
    let watched: Vec<usize> = around.iter().chain(&down).copied().collect();
    watched.iter().for_each(|port| net.buffer(*port, 50_000));
    (net, around, watched)
}

/// Notices that name destinations close the ring as well, where flows go three hops around it: two frames of three
/// at each of its ports go on, and are held by the next. The hosts obey, so nothing is lost.
#[test]
fn a_ring_of_destination_notices_stands_still_and_is_named() {
    let (mut net, around, watched) = ring_of_destinations();
    let mut world = net.world();
    world.advance(world.end());
    let free = world.report();
    assert_eq!((free.deadlock, free.standstill), (None, None));
    net.recipe("pause-destination", &watched, &[]);
    let mut world = net.world();
    world.advance(Time(50 * 1000 * MS));
    let before = world.report();
    world.advance(world.end());
    let after = world.report();
    assert_eq!(after.delivered, before.delivered, "nothing moves");
    assert_eq!((after.dropped, after.conserved), (0, true));
    let seen = after.deadlock.expect("a deadlock");
    let mut cycle: Vec<usize> = seen.cycle.iter().map(|p| p.index()).collect();
    cycle.sort_unstable();
    assert_eq!(cycle, around);
    let standstill = after.standstill.expect("nothing moves");
    assert_eq!(standstill.packets, after.held);
    assert!(standstill.since < Time(50 * 1000 * MS));
}

/// The same ring, but each flow ends behind the next switch, at a host that receives at 5 Mbit/s: no queue
/// needs another of the ring to drain.
fn without_a_cycle() -> (Net, Vec<usize>) {
    let (mut net, around, down) = ring(3.0, 1, 10 * MBIT, Span::micros(1));
    let watched: Vec<usize> = around.iter().chain(&down).copied().collect();
    watched.iter().for_each(|port| net.buffer(*port, 50_000));
    for port in &down {
        net.0.links[port / 2].rate.0 = 5 * MBIT;
    }
    for i in 0..3 {
        let host = net.host(&format!("T{i}"));
        net.link(host, i, 10 * MBIT);
        net.0.flows[i].from = host;
        net.0.flows[i].route.as_mut().expect("written")[0] = host;
    }
    (net, watched)
}

#[test]
fn routes_without_a_cycle_have_no_deadlock() {
    let (net, watched) = without_a_cycle();
    let senders = {
        let mut net = net.clone();
        net.recipe("pause", &watched, &[("audience", Value::Choice("senders"))]);
        net.run()
    };
    let by_ingress = {
        let mut net = net.clone();
        let marks = [
            ("xoff", Value::Bytes(Bytes(30_000))),
            ("xon", Value::Bytes(Bytes(20_000))),
        ];
        let entrances: Vec<usize> = watched.iter().take(3).map(|p| p ^ 1).collect();
        net.recipe("pfc", &entrances, &marks);
        net.run()
    };
    for report in [senders, by_ingress] {
        assert!(report.control > 100);
        assert_eq!(report.deadlock, None);
        // 5 Mbit/s for 3 s are 1219 frames for each.
        assert!(report.flows.iter().all(|f| f.sums.delivered.packets > 1150));
    }
}

/// PAUSE says nothing of destinations, and all neighbours are told whether they feed the queue or not: so
/// the ring's queues come to wait for one another although no frame in them has to go on around it.
#[test]
fn telling_all_neighbours_makes_a_deadlock_that_the_routes_do_not_have() {
    let (mut net, watched) = without_a_cycle();
    net.recipe("pause", &watched, &[]);
    let seen = net.run().deadlock.expect("a deadlock");
    let mut cycle: Vec<usize> = seen.cycle.iter().map(|p| p.index()).collect();
    cycle.sort_unstable();
    assert_eq!(cycle, watched[..3]);
}

/// Flows go around the ring both ways, and all its ports are watched: each that is stuck asks its neighbour to stop again and again,
/// every 2.56 ms of the 10 ms between two looks. It is no less stuck for that.
#[test]
fn ports_that_send_notices_may_be_stuck() {
    let (mut net, around, _) = ring(2.0, 2, 20 * MBIT, Span::micros(1));
    for i in 0..3 {
        let (from, to) = (net.0.flows[i].from, net.host(&format!("G{i}")));
        net.link((i + 1) % 3, to, 20 * MBIT);
        let back = net.flow(&format!("b{i}"), from, to, cbr(9 * MBIT));
        back.route = Some(vec![from, i, (i + 2) % 3, (i + 1) % 3, to]);
    }
    let both: Vec<usize> = around.iter().flat_map(|port| [*port, port ^ 1]).collect();
    both.iter().for_each(|port| net.buffer(*port, 50_000));
    net.recipe("pause", &both, &[("quanta", Value::Count(100))]);
    let mut world = net.world();
    world.advance(Time(1000 * MS));
    let before = world.report();
    let seen = before.deadlock.expect("a deadlock");
    assert!(seen.cycle.iter().all(|port| both.contains(&port.index())));
    world.advance(world.end());
    assert_eq!(world.report().delivered, before.delivered, "nothing moves");
}

/// One of the switches stops frames for another host too, behind a line of 100 bit/s. No port of the ring has frames for that, so none waits for
/// it, and the ring is named.
#[test]
fn a_port_does_not_wait_for_who_stops_what_it_has_not() {
    let (mut net, around, mut watched) = ring_of_destinations();
    let [y, z] = ["Y", "Z"].map(|name| net.host(name));
    net.link(y, 0, 10 * MBIT);
    let slow = net.link(0, z, 100)[0];
    net.buffer(slow, 90_000);
    net.flow("z", y, z, script([(0, 75_000)]));
    watched.push(slow);
    net.recipe("pause-destination", &watched, &[]);
    let mut world = net.world();
    let seen = loop {
        world.advance(world.now() + Span::secs(1));
        assert!(world.now() < world.end(), "no deadlock");
        if let Some(seen) = world.report().deadlock {
            break seen;
        }
    };
    let mut cycle: Vec<usize> = seen.cycle.iter().map(|p| p.index()).collect();
    cycle.sort_unstable();
    assert_eq!(cycle, around, "{:?}", seen.at);
}
