//! BBRv1 over the path model: states, gains and what it makes of a policer.

use backwater_transport::controller::{Cause, Controller, RateSample};
use backwater_transport::units::{Rate, Span, Time};

use crate::build::{MSS, build, quiet_ack};
use backwater_transport_testing::bottleneck::{Net, at};

fn path(options: &[(&str, &str)], packets: u64, rtt_ms: u64, buffer: u64) -> Net {
    let rate = Rate(packets * 8 * MSS);
    let mut net = Net::new(rate, Span::millis(rtt_ms), buffer * MSS);
    net.add(build("bbr1", options), Time::ZERO);
    net
}

fn reach(net: &mut Net, state: &str, until: f64) {
    let mut found = false;
    net.watch_while(at(until), |net| {
        found = net.flows[0].state() == state;
        !found
    });
    assert!(found, "{state} not before {}", net.now);
}

#[test]
fn states_follow_each_other_with_their_gains() {
    let mut net = path(&[], 2000, 40, 1_000_000);
    net.run(at(0.1));
    assert_eq!(net.flows[0].state(), "startup");
    assert_eq!(net.flows[0].value("pacing_gain"), 2.885);
    reach(&mut net, "drain", 5.0);
    assert!((net.flows[0].value("pacing_gain") - 1.0 / 2.885).abs() < 1e-12);
    reach(&mut net, "probe-bw", 6.0);
    // One BDP of 80 packets, three bursts of two segments, made even.
    assert!(net.flows[0].in_flight / MSS <= 86 + 2);
    let bw = net.flows[0].value("bw_bps");
    assert!((bw / net.rate.0 as f64 - 1.0).abs() < 0.02, "{bw}");
}

#[test]
fn the_cycle_never_begins_with_draining_and_runs_through_eight_phases() {
    for start in 0..20 {
        // Each start time makes another random stream no different; the draw is the controller's.
        let mut net = path(&[], 1000 + 100 * start, 40, 1_000_000);
        reach(&mut net, "probe-bw", 6.0);
        assert_ne!(net.flows[0].value("pacing_gain"), 0.75);
    }
    let mut net = path(&[], 2000, 40, 1_000_000);
    reach(&mut net, "probe-bw", 6.0);
    let mut gains: Vec<f64> = Vec::new();
    net.watch(at(net.now.seconds() + 3.0), |net| {
        let gain = net.flows[0].value("pacing_gain");
        if gains.last() != Some(&gain) {
            gains.push(gain);
        }
    });
    let first = gains.iter().position(|g| *g == 1.25).expect("a probe");
    assert!(gains.len() > first + 6);
    for (i, gain) in gains[first..].iter().enumerate() {
        assert_eq!(*gain, [1.25, 0.75, 1.0][i % 3], "{gains:?}");
    }
}

#[test]
fn probe_rtt_takes_four_packets_for_200_ms_every_ten_seconds() {
    // A second flow keeps a queue, so that no round trip is as short as the first.
    let mut net = path(&[], 2000, 40, 1_000_000);
    net.add(build("fixed", &[("window", "100 packets")]), at(1.0));
    reach(&mut net, "probe-rtt", 14.0);
    let began = net.now;
    assert!(began > at(10.0));
    let mut window = f64::INFINITY;
    net.watch_while(at(16.0), |net| {
        window = window.min(net.flows[0].window());
        net.flows[0].state() == "probe-rtt"
    });
    assert_eq!(window, 4.0);
    assert_eq!(net.flows[0].state(), "probe-bw");
    let lasted = net.now.since(began);
    assert!(
        lasted >= Span::millis(200) && lasted < Span::millis(500),
        "{}",
        lasted.seconds()
    );
}

#[test]
fn one_flow_fills_the_link_and_several_keep_a_bdp_of_queue() {
    let mut net = path(&[], 2000, 40, 1_000_000);
    net.run(at(5.0));
    let before = net.flows[0].delivered;
    net.run(at(9.0));
    let got = (net.flows[0].delivered - before) / MSS;
    assert!(got > 7_800, "{got}");
    // Their windows of 2 BDP together make a queue of about one BDP (80 packets) in a deep buffer.
    for _ in 0..3 {
        net.add(build("bbr1", &[]), at(9.0));
    }
    net.run(at(20.0));
    let (mut sum, mut n) = (0.0, 0.0);
    for i in 0..8_000 {
        net.run(at(20.0 + f64::from(i) / 1000.0));
        sum += (net.queued() / MSS) as f64;
        n += 1.0;
    }
    let queue = sum / n;
    assert!((50.0..130.0).contains(&queue), "{queue}");
}

#[test]
fn a_policer_is_found_after_two_intervals_at_one_rate_and_kept_for_48_rounds() {
    // Rounds of 40 ms and ten acknowledgements of 4 packets, each with `lost` more gone; samples claim
    // ten times what is delivered, 1000 packets/s. An interval lasts four rounds.
    let rounds_until_policed = |lost: u64, options: &[(&str, &str)]| {
        let mut bbr = build("bbr1", options);
        let (mut now, mut delivered, mut found) = (1.0, 0, None);
        for round in 0..120_u64 {
            let before = delivered;
            for i in 0..10 {
                now += 0.004;
                delivered += 4 * MSS;
                let mut ack = quiet_ack(at(now), 40 * MSS);
                ack.acked = 4 * MSS;
                ack.lost = lost * MSS;
                ack.delivered = delivered;
                ack.rtt = Some(Span::millis(40));
                ack.srtt = Span::millis(40);
                ack.round = round;
                ack.round_start = i == 0;
                ack.rate = Some(RateSample {
                    delivered: 40 * MSS,
                    // Ten thousand segments a second.
                    interval: Span::millis(4),
                    app_limited: false,
                    prior_delivered: before.saturating_sub(u64::from(i > 0)),
                    tx_in_flight: 40 * MSS,
                    lost: 0,
                });
                bbr.on_ack(&ack);
            }
            let value = |name: &str| bbr.inspect().values.iter().find(|v| v.0 == name).unwrap().1;
            match (value("policed") == 1.0, found) {
                (true, None) => {
                    let rate = value("bw_bps") / (8 * MSS) as f64;
                    assert!((rate / 1000.0 - 1.0).abs() < 0.1, "{rate}");
                    found = Some((round, 0));
                }
                (false, Some((from, 0))) => found = Some((from, round)),
                _ => {}
            }
        }
        found
    };
    // One in five of 4 delivered is 25 %, above 50/256.
    let (from, until) = rounds_until_policed(1, &[]).expect("found");
    // The round it begins in counts: the first interval ends with the fourth, the second with the
    // eighth.
    assert_eq!(from, 7);
    assert_eq!(until - from, 48);
    assert_eq!(rounds_until_policed(0, &[]), None);
    assert_eq!(rounds_until_policed(1, &[("policer", "false")]), None);
}

#[test]
fn recovery_conserves_packets_for_a_round_and_then_restores_the_window() {
    let mut net = path(&[], 2000, 40, 1_000_000);
    net.run(at(5.0));
    let before = net.flows[0].controller.limits().window;
    let (now, flight) = (net.now, net.flows[0].in_flight);
    net.flows[0].tell(now, Cause::Loss, flight, 2 * MSS);
    assert_eq!(net.flows[0].controller.limits().window, flight - 2 * MSS);
    net.flows[0].tell(now, Cause::Recovered, flight, 0);
    net.flows[0].controller.on_ack(&quiet_ack(now, flight));
    assert_eq!(net.flows[0].controller.limits().window, before);
}

/// Linux looks at the state of recovery once for each acknowledgement, and conserves when it has become recovery: not
/// again when a retransmission is lost, nor when one recovery follows another at the same acknowledgement.
#[test]
fn recovery_that_goes_on_conserves_no_second_round() {
    let mut net = path(&[], 2000, 40, 1_000_000);
    net.run(at(5.0));
    let (now, flight) = (net.now, net.flows[0].in_flight);
    let flow = &mut net.flows[0];
    flow.tell(now, Cause::Loss, flight, 2 * MSS);
    let kept = flow.controller.limits().window;
    for follows in [false, true] {
        if follows {
            flow.tell(now, Cause::Recovered, flight / 2, 0);
        }
        flow.tell(now, Cause::Loss, flight / 2, 2 * MSS);
        flow.controller.on_ack(&quiet_ack(now, flight / 2));
        assert_eq!(flow.controller.limits().window, kept);
    }
}

/// An application that writes a packet every 10 ms never fills the pipe. Its round trips get longer after a second, so that ten seconds later the
/// least one is probed for; then the flow is in startup again.
#[test]
fn probe_rtt_of_a_pipe_that_was_never_full_ends_in_startup() {
    let mut net = path(&[], 2000, 40, 1_000_000);
    net.flows[0].backlog = 0;
    let mut states = Vec::new();
    for tick in 0..1300 {
        net.flows[0].backlog += MSS;
        if tick == 100 {
            net.rtt = Span::millis(50);
        }
        net.run(at(0.01 * f64::from(tick)));
        let state = net.flows[0].state();
        if states.last() != Some(&state) {
            states.push(state);
        }
    }
    assert_eq!(states, ["startup", "probe-rtt", "startup"]);
}
