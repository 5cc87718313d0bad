//! Deadlock of back-pressure, seen and not seen.

use crate::net::*;
use backwater_sim::spec::Routing;
use backwater_transport::units::Span;

/// A ring of three switches with a host each. Every host sends to the host `hops` switches on,
/// clockwise. Gives the ring's ports and those toward the hosts.
fn ring(seconds: f64, hops: usize, host_rate: u64, delay: Span) -> (Net, Vec<usize>, Vec<usize>) {
    let mut net = Net::new(seconds);
    net.0.routing = Routing::ShortestPath;
    let w: Vec<usize> = (0..3).map(|i| net.switch(&format!("W{i}"))).collect();
    let h: Vec<usize> = (0..3).map(|i| net.host(&format!("H{i}"))).collect();
    let around: Vec<usize> = (0..3)
        .map(|i| net.link(w[i], w[(i + 1) % 3], 10 * MBIT)[0])
        .collect();
    let down: Vec<usize> = (0..3).map(|i| net.link(w[i], h[i], host_rate)[0]).collect();
    net.0.links.iter_mut().for_each(|l| l.delay = delay);
    for i in 0..3 {
        let to = (i + hops) % 3;
        let route = [h[i]]
            .into_iter()
            .chain((0..=hops).map(|k| w[(i + k) % 3]))
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
        flow.to = backwater_sim::spec::Destination::Node(sink);
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
