//! Bandwidths: aggregated, tiny, changing, policed.

use backwater_transport::controller::Controller;

use super::*;

#[test]
fn achieving_expected_startup_bandwidth_on_a_link_with_aggregation() {
    // Acknowledgements every 20 ms: 40 packets at once, half a BDP.
    let mut net = path(2000, 40, 1_000_000);
    net.aggregate = Span::millis(20);
    let mut beyond = false;
    assert!(wait(&mut net, 5.0, |v, _| {
        beyond |= v.extra_acked > 0.0 && v.cwnd > 2.0 * v.bdp;
        v.state != State::Startup
    }));
    assert!(beyond);
    let v = view(&net);
    assert!(packets(v.max_bw) > 0.98 * 2000.0, "{v:?}");
    // A sample cannot exceed the link by more than one batch in a round trip of 60 ms.
    assert!(packets(v.max_bw) < 2000.0 + 40.0 / 0.06, "{v:?}");
}

#[test]
fn achieving_expected_cruise_bandwidth_on_a_link_with_aggregation() {
    let mut net = path(2000, 40, 1_000_000);
    reach(&mut net, State::Cruise, 5.0);
    let before = view(&net).extra_acked;
    net.aggregate = Span::millis(50);
    net.run(at(net.now.seconds() + 1.0));
    // A batch is 100 packets; what was expected of 50 ms is taken off from the second on.
    let v = view(&net);
    assert!(v.extra_acked > before + 40.0 * MSS as f64, "{v:?}");
    assert!(v.cwnd > 2.0 * v.bdp);
    let start = net.flows[0].delivered;
    net.run(at(net.now.seconds() + 2.0));
    let got = (net.flows[0].delivered - start) / MSS;
    assert!(got as f64 > 0.95 * 4000.0, "{got}");
}

#[test]
fn correctly_managing_sub_packet_bdps() {
    // 10 packets/s over 20 ms: a fifth of a packet, and 100 ms to send one.
    let mut net = path(10, 20, 1_000);
    assert!(wait(&mut net, 100.0, |v, _| v.state == State::Cruise));
    let before = net.flows[0].delivered;
    let start = net.now.seconds();
    let mut least = f64::INFINITY;
    let mut paced = 0.0;
    net.watch(at(start + 30.0), |net| {
        least = least.min(view(net).cwnd);
        if view(net).state == State::Cruise {
            paced = net.flows[0].controller.limits().pacing.unwrap().0 as f64;
        }
    });
    assert!(least >= 4.0 * MSS as f64, "{least}");
    let expected = 0.99 * rate(10).0 as f64;
    assert!((paced / expected - 1.0).abs() < 0.05, "{paced} {expected}");
    let got = (net.flows[0].delivered - before) / MSS;
    assert!(got >= 290, "{got}");
}

#[test]
fn increasing_bandwidth_10x_and_ensuring_full_bandwidth_is_reached() {
    let mut net = path(1000, 40, 1_000_000);
    reach(&mut net, State::Cruise, 5.0);
    net.rate = rate(10_000);
    reach(&mut net, State::Up, 10.0);
    let round = net.flows[0].round;
    assert!(wait(&mut net, 30.0, |v, _| packets(v.max_bw) > 9_800.0));
    // Each round of UP sends 1.25 · 0.99 times as fast and the next one measures that: 2 rounds for
    // a factor of 1.2375, log 10 / log 1.2375 = 10.8 of them.
    let rounds = net.flows[0].round - round;
    assert!(rounds <= 24, "{rounds}");
}

#[test]
fn inflight_longterm_grows_by_1_2_4_8_segments_in_the_rounds_of_probe_up() {
    let mut net = path(1000, 40, 20);
    assert!(wait(&mut net, 40.0, |v, _| {
        v.inflight_longterm.is_finite() && v.state == State::Cruise
    }));
    net.rate = rate(10_000);
    net.buffer = 1_000_000 * MSS;
    // The first probe after one that was too high is precautionary; then it grows.
    let mut grown = Vec::new();
    let mut last = (0, f64::INFINITY);
    net.watch(at(net.now.seconds() + 5.0), |net| {
        let v = view(net);
        if v.state != State::Up {
            last = (net.flows[0].round, v.inflight_longterm);
        } else if net.flows[0].round > last.0 {
            grown.push((v.inflight_longterm - last.1) / MSS as f64);
            last = (net.flows[0].round, v.inflight_longterm);
        }
    });
    // By acknowledged data each round grows by at most twice the round before, and reaches it.
    let doubled = grown
        .windows(4)
        .any(|w| w[0] >= 1.0 && w.windows(2).all(|p| (1.5..=2.6).contains(&(p[1] / p[0]))));
    assert!(doubled, "{grown:?}");
}

#[test]
fn decreasing_bandwidth_10x_and_ensuring_max_bandwidth_adapts_down() {
    let mut net = path(10_000, 40, 400);
    reach(&mut net, State::Cruise, 5.0);
    let before = view(&net).max_bw;
    net.rate = rate(1_000);
    let changed = net.now.seconds();
    // The queue of 400 packets overflows, and the rate delivered in a round is the new one.
    assert!(wait(&mut net, changed + 3.0, |v, _| v.bw_shortterm
        < 0.5 * before));
    assert_eq!(view(&net).max_bw, before);
    assert!(wait(&mut net, changed + 25.0, |v, _| packets(v.max_bw) < 1_050.0));
    // Two cycles of at most 3 s, stretched by the queue of 400 ms.
    assert!(net.now.seconds() - changed < 20.0, "{}", net.now);
}

#[test]
fn handling_token_bucket_policers() {
    let mut net = path(10_000, 40, 1_000_000);
    net.policer = Some((rate(1_000), 100 * MSS));
    let mut shortterm = false;
    net.watch(at(20.0), |net| {
        let v = view(net);
        shortterm |= v.bw_shortterm.is_finite() && v.inflight_shortterm.is_finite();
    });
    assert!(shortterm);
    let (delivered, lost) = (net.flows[0].delivered, net.flows[0].lost);
    net.run(at(50.0));
    let got = ((net.flows[0].delivered - delivered) / MSS) as f64;
    let lost = ((net.flows[0].lost - lost) / MSS) as f64;
    assert!((0.8..=1.01).contains(&(got / 30_000.0)), "{got}");
    assert!(lost / (got + lost) < 0.1, "{lost} {got}");
}
