//! The test cases of the appendix of draft-ietf-ccwg-bbr, in its order and under its names, over the
//! path model. What is expected follows from the draft's text and constants; each test says how.

use backwater_transport::controller::bbr::{State, View};
use backwater_transport::controller::{AnyController, Cause, Controller, Lost};
use backwater_transport::units::{Rate, Span, Time};

use crate::build::{MSS, build};
use crate::path::{Net, at};

/// A path of so many packets a second and milliseconds, with room for so many packets, and one flow.
fn path(packets: u64, rtt_ms: u64, buffer: u64) -> Net {
    path_of("bbr3", &[], packets, rtt_ms, buffer)
}

fn path_of(id: &str, options: &[(&str, &str)], packets: u64, rtt_ms: u64, buffer: u64) -> Net {
    let mut net = Net::new(rate(packets), Span::millis(rtt_ms), buffer * MSS);
    net.add(build(id, options), Time::ZERO);
    net
}

fn rate(packets: u64) -> Rate {
    Rate(packets * 8 * MSS)
}

fn view(net: &Net) -> View {
    match &net.flows[0].controller {
        AnyController::Bbr3(engine) => engine.view(),
        AnyController::Bbr3Linux(engine) => engine.view(),
        other => panic!("{other:?}"),
    }
}

/// Estimated rate in packets/s.
fn packets(rate: f64) -> f64 {
    rate / MSS as f64
}

/// Runs by the event until `done`, and not beyond `until` seconds.
fn wait(net: &mut Net, until: f64, mut done: impl FnMut(&View, &Net) -> bool) -> bool {
    let mut found = false;
    net.watch_while(at(until), |net| {
        found = done(&view(net), net);
        !found
    });
    found
}

fn reach(net: &mut Net, state: State, until: f64) {
    assert!(wait(net, until, |v, _| v.state == state), "{:?}", view(net));
}

/// Gives the application `each` packets every `ms` until `done` or `until` seconds.
fn drip(
    net: &mut Net,
    each: u64,
    ms: u64,
    until: f64,
    mut done: impl FnMut(&View) -> bool,
) -> bool {
    let mut found = false;
    while !found && net.now < at(until) {
        net.flows[0].backlog += each * MSS;
        let next = net.now.after(Span::millis(ms));
        net.watch_while(next, |net| {
            found = done(&view(net));
            !found
        });
    }
    found
}

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

#[test]
fn linux_answers_marks_on_short_paths_only() {
    // A threshold of 10 packets behind a BDP of 80 at 4 ms: marks cut Linux' flight, not the draft's,
    // and none at 40 ms.
    let probe = |id: &str, rtt_ms: u64| {
        let mut net = path_of(id, &[], 20_000, rtt_ms, 1_000_000);
        net.mark = Some(10 * MSS);
        net.run(at(1.0));
        let (mut above, mut n) = (0.0, 0.0);
        net.watch(at(4.0), |net| {
            above += f64::from(u8::from(net.queued() > 10 * MSS));
            n += 1.0;
        });
        (above / n, view(&net))
    };
    let (linux, marked) = probe("bbr3-linux", 4);
    let (draft, unmarked) = probe("bbr3", 4);
    let (_, far) = probe("bbr3-linux", 40);
    assert!(linux < draft, "{linux} {draft}");
    assert!(marked.ecn_alpha < 1.0 && marked.inflight_longterm.is_finite());
    assert!(unmarked.inflight_longterm.is_infinite());
    assert!(far.ecn_alpha == 1.0 && far.inflight_longterm.is_infinite());
}

#[test]
fn aggregation_is_allowed_for_up_to_its_cap() {
    // Acknowledgements every 50 ms, 100 packets at once: far more than 10 ms of 2000 packets/s, 20.
    let extra = |options: &[(&str, &str)]| {
        let mut net = path_of("bbr3", options, 2000, 40, 1_000_000);
        reach(&mut net, State::Cruise, 5.0);
        net.aggregate = Span::millis(50);
        net.run(at(net.now.seconds() + 1.0));
        view(&net).extra_acked / MSS as f64
    };
    assert!(extra(&[]) > 40.0);
    let capped = extra(&[("extra-acked-cap", "10 ms")]);
    // The estimate itself may be a batch of a round too high.
    assert!((19.0..=27.0).contains(&capped), "{capped}");
}

/// Nothing is ever dropped here, so only the window holds the queue: two BDP, 2.25 and two segments
/// in ProbeBW_UP, and what a link without aggregation shows of it, the segment in service and the one
/// acknowledged. BBRv1 has two, three bursts of two segments and two segments when it probes, rounded up
/// to an even number.
#[test]
fn an_endless_queue_holds_no_more_than_the_window_gain_allows() {
    let (bdp, one) = (80.0, 2.0);
    for (id, most) in [
        ("bbr1", 2.0 * bdp + 6.0 + 2.0 + 1.0),
        ("bbr3", 2.25 * bdp + 2.0),
        ("bbr3-linux", 2.25 * bdp + 2.0),
    ] {
        let mut net = path_of(id, &[], 2000, 40, 1 << 40);
        net.run(at(5.0));
        let mut greatest = 0;
        net.watch(at(60.0), |net| {
            greatest = greatest.max(net.flows[0].in_flight / MSS);
        });
        // The estimate of the rate may be a segment in a round trip too high, as may the round trip.
        assert!(
            greatest as f64 <= most + 2.0 * one + 2.0,
            "{id}: {greatest}"
        );
        assert!(greatest as f64 > 1.2 * bdp, "{id}: {greatest}");
    }
}

/// A cycle of ProbeBW takes two seconds of waiting, then a round of REFILL, four of UP (the baseline
/// and three without growth) and one of DOWN before the filter moves on: 5.6 s at 600 ms. ProbeRTT
/// comes after 5 s and begins the cycle anew, and the filter does not move after it, because its
/// samples count as limited by the application. So the rate of long ago stays for ever. Where it is
/// more than twice that of now, half a BDP of it drains no queue, and each ProbeRTT finds a longer
/// "least" round trip: there is no end to it.
#[test]
fn where_probe_rtt_cuts_each_cycle_short_the_rate_is_never_forgotten() {
    let after_a_fall_to = |packets: u64, options: &[(&str, &str)]| {
        let mut net = path_of("bbr3", options, 2000, 600, 1 << 40);
        net.run(at(20.0));
        net.rate = rate(packets);
        net.run(at(100.0));
        view(&net)
    };
    let is = |bw: f64, expected: f64| (packets(bw) / expected - 1.0).abs() < 0.05;
    let fifth = after_a_fall_to(400, &[]);
    assert!(is(fifth.max_bw, 2000.0), "{fifth:?}");
    assert!(fifth.min_rtt > Span::secs(5), "{fifth:?}");
    let half = after_a_fall_to(1000, &[]);
    assert!(is(half.max_bw, 2000.0), "{half:?}");
    let half = after_a_fall_to(1000, &[("probe-rtt-ends-cycle", "true")]);
    assert!(is(half.max_bw, 1000.0), "{half:?}");
    assert!(half.min_rtt < Span::millis(700), "{half:?}");
}
