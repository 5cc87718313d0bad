//! Losses, true and spurious, and senders without enough to send.

use backwater_transport::controller::{Cause, Controller, Lost};

use super::*;

/// Losses of a quarter of what is in flight, told by hand, and the recovery they begin.
fn pretend_loss(net: &mut Net, cause: Cause) {
    let (now, flight) = (net.now, net.flows[0].in_flight);
    for i in 0..flight / MSS / 4 {
        net.flows[0].controller.on_lost(&Lost {
            now,
            number: 1_000_000 + 2 * i,
            len: MSS,
            tx_in_flight: flight,
            lost: (i + 1) * MSS,
            in_flight: flight,
            app_limited: false,
        });
    }
    net.flows[0].tell(now, cause, flight, flight / 4);
}

#[test]
fn handling_spurious_fast_recovery() {
    let mut net = path(2000, 40, 1_000_000);
    reach(&mut net, State::Up, 10.0);
    net.run(at(net.now.seconds() + 0.05));
    let saved = view(&net);
    assert_eq!(saved.state, State::Up);
    pretend_loss(&mut net, Cause::Loss);
    let hurt = view(&net);
    assert_eq!(hurt.state, State::Down);
    assert!(hurt.inflight_longterm < saved.inflight_longterm);
    let now = net.now;
    net.flows[0].tell(now, Cause::Spurious, 0, 0);
    let back = view(&net);
    assert_eq!(back.bw_shortterm, saved.bw_shortterm);
    assert_eq!(back.inflight_shortterm, saved.inflight_shortterm);
    assert_eq!(back.inflight_longterm, saved.inflight_longterm);
    assert!(back.cwnd >= saved.cwnd);
    // Back to probing by way of a refill.
    assert_eq!(back.state, State::Refill);
    reach(&mut net, State::Up, 12.0);
}

#[test]
fn handling_spurious_rto_recovery() {
    let mut net = path(2000, 40, 1_000_000);
    reach(&mut net, State::Up, 10.0);
    net.run(at(net.now.seconds() + 0.05));
    let saved = view(&net);
    pretend_loss(&mut net, Cause::Timeout);
    assert_eq!(view(&net).cwnd, MSS as f64);
    let now = net.now;
    net.flows[0].tell(now, Cause::Spurious, 0, 0);
    let back = view(&net);
    assert!(back.cwnd >= saved.cwnd);
    assert_eq!(back.inflight_longterm, saved.inflight_longterm);
    assert_eq!(back.state, State::Refill);
}

#[test]
fn entering_and_exiting_probe_rtt_during_startup() {
    // A packet every 8 ms: always five on their way, never idle, always application-limited.
    let mut net = path(2000, 40, 1_000_000);
    net.flows[0].backlog = 0;
    assert!(drip(&mut net, 1, 8, 8.0, |v| v.state == State::ProbeRtt));
    assert!(!view(&net).full_bw_reached);
    assert!(drip(&mut net, 1, 8, 9.0, |v| v.state != State::ProbeRtt));
    assert_eq!(view(&net).state, State::Startup);
}

#[test]
fn handling_loss_during_probe_up_after_inflight_longterm_is_set() {
    let mut net = path(2000, 40, 40);
    assert!(wait(&mut net, 40.0, |v, _| {
        v.state == State::Up && v.inflight_longterm.is_finite()
    }));
    let before = view(&net);
    pretend_loss(&mut net, Cause::Loss);
    let v = view(&net);
    assert_eq!(v.state, State::Down);
    // max(what was in flight when losses passed 2 %, 0.7 · min(BDP, cwnd)).
    let flight = net.flows[0].in_flight as f64;
    let prefix = (0.02 * (flight - MSS as f64)) / 0.98;
    let at_loss = flight - MSS as f64 + prefix;
    let too_high_at = (1..)
        .find(|n| *n as f64 * MSS as f64 > 0.02 * flight)
        .unwrap();
    assert!(too_high_at >= 1);
    let floor = 0.7 * before.bdp.min(before.cwnd);
    let lost_prev = (too_high_at - 1) as f64 * MSS as f64;
    let expected = (at_loss - lost_prev / 0.98).max(floor);
    assert!(
        (v.inflight_longterm - expected).abs() < 1.0,
        "{} {expected} {floor}",
        v.inflight_longterm
    );
}

#[test]
fn handling_application_limited_sending_during_probe_refill() {
    let mut net = path(2000, 40, 1_000_000);
    reach(&mut net, State::Refill, 10.0);
    let before = view(&net).max_bw;
    net.flows[0].backlog = 0;
    let round = net.flows[0].round;
    assert!(drip(&mut net, 1, 8, 12.0, |v| {
        assert_eq!(v.max_bw, before);
        v.state == State::Up
    }));
    assert!(net.flows[0].round - round <= 2);
    // With the application back, the probe ends by the plateau and the estimate is the link's.
    net.flows[0].backlog = u64::MAX;
    assert!(wait(&mut net, 14.0, |v, _| v.state == State::Down));
    assert!((packets(view(&net).max_bw) / 2000.0 - 1.0).abs() < 0.02);
}
