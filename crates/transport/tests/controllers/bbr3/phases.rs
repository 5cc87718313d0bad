//! From state to state.

use super::*;

#[test]
fn exiting_startup_on_bandwidth_plateau() {
    let mut net = path(2000, 40, 1_000_000);
    let mut counts = Vec::new();
    assert!(wait(&mut net, 5.0, |v, _| {
        if counts.last() != Some(&v.full_bw_count) {
            counts.push(v.full_bw_count);
        }
        v.state != State::Startup
    }));
    let v = view(&net);
    assert_eq!(v.state, State::Drain);
    assert!((packets(v.max_bw) / 2000.0 - 1.0).abs() < 0.02, "{v:?}");
    assert!(v.full_bw_reached && v.full_bw_count == 3, "{v:?}");
    assert!(counts.ends_with(&[1, 2, 3]), "{counts:?}");
}

#[test]
fn exiting_startup_on_loss_when_application_limited() {
    // 500 packets/s of 2000, one in five lost: every round of 20 packets loses 4, far above 2 %, and
    // in a round or two there are six ranges. No sample counts for the plateau.
    let exits = |lose_every| {
        let mut net = path(2000, 40, 1_000_000);
        net.lose_every = lose_every;
        net.flows[0].backlog = 0;
        let found = drip(&mut net, 2, 4, 4.0, |v| v.state != State::Startup);
        (found, view(&net))
    };
    // 20 packets a round: six ranges in a round need one loss in three.
    let (found, v) = exits(3);
    assert!(found && v.state == State::Drain, "{v:?}");
    assert!(v.full_bw_reached && v.full_bw_count == 0, "{v:?}");
    assert!(v.inflight_longterm.is_finite());
    // Without loss it does not end.
    assert!(!exits(0).0);
}

#[test]
fn exiting_drain_based_on_inflight() {
    let mut net = path(2000, 40, 1_000_000);
    reach(&mut net, State::Drain, 5.0);
    assert_eq!(view(&net).pacing_gain, 0.5);
    let mut above = true;
    assert!(wait(&mut net, 6.0, |v, net| {
        // Inflight(1.0), as the floor of three quanta of two segments lies far below 80 packets.
        let low = net.flows[0].in_flight as f64 <= v.bdp;
        if v.state == State::Drain {
            above &= !low;
        }
        v.state != State::Drain
    }));
    let v = view(&net);
    assert!(above, "stayed in Drain below the BDP");
    // ProbeBW; on the same acknowledgement DOWN finds the queue empty.
    assert_eq!(v.state, State::Cruise);
    assert!(net.flows[0].in_flight as f64 <= v.bdp);
    assert!(v.rounds_in_drain <= 3, "{v:?}");
}

#[test]
fn exiting_drain_based_on_time() {
    // Pacing at 0.5 · 0.99 of the estimate drains even when the link has lost 10 %. So that the
    // flight stays where it is, the link falls to 0.45 of what it was: below the pacing rate.
    let mut net = path(2000, 40, 1_000_000);
    reach(&mut net, State::Drain, 5.0);
    net.rate = rate(900);
    assert!(wait(&mut net, 8.0, |v, _| v.state != State::Drain));
    let v = view(&net);
    assert_eq!(v.state, State::Down);
    assert!(net.flows[0].in_flight as f64 > v.bdp);
    // The first round after three.
    assert_eq!(v.rounds_in_drain, 4);
    // Linux has no such bound.
    let mut net = path_of("bbr3-linux", &[], 2000, 40, 1_000_000);
    reach(&mut net, State::Drain, 5.0);
    net.rate = rate(600);
    wait(&mut net, 8.0, |v, _| v.rounds_in_drain > 6);
    assert_eq!(view(&net).state, State::Drain);
}

#[test]
fn exiting_probe_up_on_bandwidth_plateau() {
    let mut net = path(2000, 40, 1_000_000);
    reach(&mut net, State::Up, 10.0);
    assert_eq!((view(&net).pacing_gain, view(&net).cwnd_gain), (1.25, 2.25));
    let round = net.flows[0].round;
    let mut most = 0;
    assert!(wait(&mut net, 12.0, |v, _| {
        most = most.max(v.full_bw_count);
        v.state != State::Up
    }));
    assert_eq!(view(&net).state, State::Down);
    assert_eq!(most, 3);
    assert!(net.flows[0].round - round >= 3);
    assert!(view(&net).inflight_longterm.is_infinite());
}

#[test]
fn exiting_probe_up_on_loss_when_application_limited() {
    let mut net = path(2000, 40, 1_000_000);
    reach(&mut net, State::Refill, 10.0);
    net.flows[0].backlog = 0;
    assert!(drip(&mut net, 2, 4, 12.0, |v| v.state == State::Up));
    // 20 packets in flight: one loss is 5 %.
    net.lose_every = 10;
    let round = net.flows[0].round;
    // DOWN, and with so little in flight CRUISE on the same acknowledgement.
    assert!(drip(&mut net, 2, 4, 12.0, |v| v.state != State::Up));
    assert_eq!(view(&net).state, State::Cruise);
    // Sent, lost, and told of by three more: two rounds and a bit.
    assert!(net.flows[0].round - round <= 4);
    // HandleInflightTooHigh leaves the bound alone when the lost packet was application-limited.
    assert!(view(&net).inflight_longterm.is_infinite());
}

#[test]
fn never_exiting_probe_up_or_startup_when_application_limited_with_no_loss() {
    let mut net = path(2000, 40, 1_000_000);
    net.flows[0].backlog = 0;
    assert!(!drip(&mut net, 2, 4, 60.0, |v| v.full_bw_reached));
    // In ProbeBW_UP: less than the 5 s after which ProbeRTT interrupts, but 50 rounds.
    let mut net = path(2000, 40, 1_000_000);
    reach(&mut net, State::Refill, 10.0);
    net.flows[0].backlog = 0;
    assert!(drip(&mut net, 2, 4, 12.0, |v| v.state == State::Up));
    let until = net.now.seconds() + 2.0;
    assert!(!drip(&mut net, 2, 4, until, |v| v.state != State::Up));
}

#[test]
fn exiting_probe_down_on_inflight() {
    for (id, gain) in [("bbr3", 0.9), ("bbr3-linux", 0.91)] {
        // Room for 40 packets behind a BDP of 80: losses set inflight_longterm.
        let mut net = path_of(id, &[], 2000, 40, 40);
        assert!(wait(&mut net, 30.0, |v, _| {
            v.state == State::Down && v.inflight_longterm.is_finite()
        }));
        assert_eq!(view(&net).pacing_gain, gain);
        assert!(wait(&mut net, 40.0, |v, _| v.state == State::Cruise));
        let v = view(&net);
        let flight = net.flows[0].in_flight as f64;
        assert!(flight <= 0.85 * v.inflight_longterm, "{flight} {v:?}");
        assert!(flight <= v.max_bw * v.min_rtt.seconds(), "{flight} {v:?}");
    }
}

#[test]
fn exiting_probe_down_after_max_time() {
    // Pacing at 0.9 · 0.99 drains a link that has lost 10 %, if slowly; 20 % is what keeps the flight
    // up. BDP 100: Reno's bound of 63 rounds of 100 ms comes after the clock's 2 to 3 s.
    // ProbeRTT would come in between.
    let options = [("probe-rtt-interval", "60 s"), ("min-rtt-filter", "60 s")];
    let mut net = path_of("bbr3", &options, 1000, 100, 1_000_000);
    reach(&mut net, State::Up, 20.0);
    reach(&mut net, State::Down, 20.0);
    net.rate = rate(800);
    let (began, wanted) = (net.now, view(&net).bw_probe_wait.seconds());
    assert!((2.0..=3.0).contains(&wanted));
    assert!(wait(&mut net, 30.0, |v, _| v.state != State::Down));
    assert_eq!(view(&net).state, State::Refill);
    let took = net.now.since(began).seconds();
    assert!((wanted..wanted + 0.1).contains(&took), "{took} {wanted}");
}

#[test]
fn entering_and_exiting_probe_rtt() {
    let mut net = path(2000, 40, 1_000_000);
    reach(&mut net, State::ProbeRtt, 12.0);
    assert_eq!(view(&net).cwnd_gain, 0.5);
    // The least round trip was seen in the first round, 5 s before.
    assert!((5.0..5.3).contains(&net.now.seconds()), "{}", net.now);
    let (began, round) = (net.now, net.flows[0].round);
    let mut least = u64::MAX;
    assert!(wait(&mut net, 14.0, |v, net| {
        least = least.min(net.flows[0].in_flight);
        v.state != State::ProbeRtt
    }));
    let v = view(&net);
    assert_eq!(v.state, State::Cruise);
    assert!(net.now.since(began) >= Span::millis(200));
    assert!(net.flows[0].round > round);
    // Half a BDP of 80 packets.
    assert!((38..=42).contains(&(least / MSS)), "{}", least / MSS);
    // It holds that for 200 ms and a round, not for long.
    assert!(net.now.since(began) < Span::millis(400));
}

#[test]
fn probe_rtt_of_the_drafts_head_keeps_the_window_of_the_round_trip_that_expired() {
    let mut net = path_of("bbr3", &[("variant", "head")], 2000, 40, 1_000_000);
    net.run(at(9.0));
    let before = view(&net);
    // A queue from nowhere for the last second: round trips grow by 50 ms.
    net.rtt = Span::millis(90);
    reach(&mut net, State::ProbeRtt, 13.0);
    // Ten seconds after the least round trip, of the first round.
    assert!((10.0..10.3).contains(&net.now.seconds()), "{}", net.now);
    let fixed = view(&net).probe_rtt_cwnd;
    let expected = 0.5 * before.max_bw * before.min_rtt.seconds();
    assert!((fixed / expected - 1.0).abs() < 0.1, "{fixed} {expected}");
    assert!(view(&net).min_rtt > Span::millis(80));
    assert!(wait(&mut net, 16.0, |v, _| {
        assert_eq!(v.probe_rtt_cwnd, fixed);
        v.state != State::ProbeRtt
    }));
}

#[test]
fn skipping_probe_rtt_due_to_application_limited_sending() {
    let mut net = path(2000, 40, 1_000_000);
    reach(&mut net, State::Cruise, 5.0);
    net.flows[0].backlog = 0;
    net.run(at(16.0));
    assert_eq!(net.flows[0].in_flight, 0);
    net.flows[0].backlog = 10 * MSS;
    let mut restarted = false;
    net.watch(at(17.0), |net| {
        restarted |= view(net).idle_restart;
        assert_ne!(view(net).state, State::ProbeRtt);
    });
    assert!(restarted && !view(&net).idle_restart);
}

/// The draft's head: ten seconds without a lower round trip make ProbeRTT due, counted from the lowest one, here that of a path that gets
/// shorter at 5 s; and from the end of a ProbeRTT on.
#[test]
fn probe_rtt_of_the_drafts_head_comes_ten_seconds_after_the_least_round_trip_or_the_last_probe() {
    let mut net = path_of("bbr3", &[("variant", "head")], 2000, 40, 1_000_000);
    net.run(at(5.0));
    net.rtt = Span::millis(30);
    reach(&mut net, State::ProbeRtt, 18.0);
    assert!(net.now >= at(15.0), "{}", net.now);
    assert!(wait(&mut net, 20.0, |v, _| v.state != State::ProbeRtt));
    let ended = net.now;
    reach(&mut net, State::ProbeRtt, 32.0);
    let waited = net.now.since(ended).seconds();
    assert!((10.0..10.3).contains(&waited), "{waited}");
}
