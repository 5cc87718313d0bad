//! Where schemes settle, against closed forms.

use backwater_transport::controller::{AnyController, Cause, Controller, Sent};
use backwater_transport::units::{Rate, Span, Time};

use crate::build::{MSS, build, quiet_ack};
use backwater_transport_testing::bottleneck::{Net, at};

/// 12.5 packets a round of 20 ms for each Mbit/s of payload is not round; take a rate in packets.
fn packets_per_s(n: u64) -> Rate {
    Rate(n * 8 * MSS)
}

/// Mean of the queue in packets over a stretch, seen every millisecond.
fn mean_queue(net: &mut Net, from: f64, until: f64) -> f64 {
    let (mut sum, mut n) = (0.0, 0);
    let mut now = from;
    while now < until {
        net.run(at(now));
        sum += (net.queued() / MSS) as f64;
        n += 1;
        now += 0.001;
    }
    sum / f64::from(n)
}

#[test]
fn vegas_keeps_alpha_to_beta_packets() {
    // 1000 packets/s and 100 ms: BDP 100 packets. The queue holds between 2 and 4 packets of the
    // flow; Linux' measure counts cwnd (rtt - base)/base = q + q²/100, the paper's cwnd (rtt -
    // base)/rtt = q, so the integer band is the same.
    for variant in ["linux", "paper"] {
        let mut net = Net::new(packets_per_s(1000), Span::millis(100), u64::MAX);
        net.add(build("vegas", &[("variant", variant)]), at(0.0));
        // Slow start overshoots by a round and the way down is one packet a round.
        let queue = mean_queue(&mut net, 80.0, 90.0);
        // The packet in service is one of those that the window holds.
        assert!((2.0..=4.0).contains(&queue), "{variant}: {queue}");
    }
}

#[test]
fn vegas_follows_its_options() {
    let mut net = Net::new(packets_per_s(1000), Span::millis(100), u64::MAX);
    net.add(build("vegas", &[("alpha", "10"), ("beta", "12")]), at(0.0));
    let queue = mean_queue(&mut net, 80.0, 90.0);
    // q + q²/100 in 10..12 gives q in 9.2..10.8.
    assert!((9.0..=11.0).contains(&queue), "{queue}");
}

#[test]
fn ledbat_holds_its_target() {
    // 1000 packets/s: a queue of 100 ms is 100 packets, of 25 ms 25 packets.
    for (target, packets) in [("100 ms", 100.0), ("25 ms", 25.0)] {
        let mut net = Net::new(packets_per_s(1000), Span::millis(50), u64::MAX);
        net.add(build("ledbat", &[("target", target)]), at(0.0));
        let queue = mean_queue(&mut net, 100.0, 110.0);
        assert!((queue / packets - 1.0).abs() < 0.1, "{target}: {queue}");
    }
}

#[test]
fn ledbat_pp_balances_gain_and_decrease() {
    // Base 50 ms, target 60 ms: gain = 1/⌈2·60/50⌉ = 1/3. Above the target the step of a round is
    // gain - W (d/T - 1), zero at d = T (1 + gain/W). With W = 1000·(0.05 + d) ≈ 110 that is 60.2 ms
    // or 60.2 packets, between slowdowns; the floor of the band is the target, below which it grows.
    let mut net = Net::new(packets_per_s(1000), Span::millis(50), u64::MAX);
    net.add(build("ledbat-pp", &[("slowdown-every", "1000")]), at(0.0));
    net.run(at(20.0));
    let queue = mean_queue(&mut net, 20.0, 30.0);
    assert!((queue / 60.2 - 1.0).abs() < 0.1, "{queue}");
}

#[test]
fn a_late_ledbat_takes_the_queue_for_the_path_and_ledbat_pp_does_not() {
    // The failing that RFC 6817 admits: the second flow's base delay contains the first one's 100 ms,
    // so it adds 100 ms of its own and starves the first. LEDBAT++'s slowdowns let it see the base.
    let shares = |id: &str| {
        let mut net = Net::new(packets_per_s(1000), Span::millis(50), u64::MAX);
        net.add(build(id, &[]), at(0.0));
        net.add(build(id, &[]), at(40.0));
        net.run(at(100.0));
        let before = [net.flows[0].delivered, net.flows[1].delivered];
        net.run(at(160.0));
        let gained = |i: usize| (net.flows[i].delivered - before[i]) as f64;
        gained(1) / gained(0)
    };
    assert!(shares("ledbat") > 5.0, "{}", shares("ledbat"));
    assert!(shares("ledbat-pp") < 2.0, "{}", shares("ledbat-pp"));
}

/// Section 3.2 of the draft promises fairness between its flows. Two that start apart, on paths where
/// one leaves slow start with a small window.
#[test]
fn two_ledbat_pps_share() {
    for (packets, rtt, apart) in [
        (700, 40, 1.3),
        (700, 40, 7.0),
        (1700, 40, 0.5),
        (1700, 20, 3.0),
        (400, 100, 5.0),
    ] {
        let mut net = Net::new(packets_per_s(packets), Span::millis(rtt), u64::MAX);
        net.add(build("ledbat-pp", &[]), at(0.0));
        net.add(build("ledbat-pp", &[]), at(apart));
        net.run(at(60.0));
        let before = [net.flows[0].delivered, net.flows[1].delivered];
        net.run(at(180.0));
        let gained = |i: usize| (net.flows[i].delivered - before[i]) as f64;
        let ratio = (gained(0) / gained(1)).max(gained(1) / gained(0));
        println!("{packets} {rtt} {apart}: {ratio}");
        assert!(ratio < 2.0, "{packets} {rtt} {apart}: {ratio}");
    }
}

/// Section 4.1: a delay above 3/4 of the target ends the initial slow start only. Section 4.4: the ramp
/// after a slowdown ends at ssthresh, the window before it.
#[test]
fn ledbat_pp_ramps_up_to_the_window_before_the_slowdown() {
    let mut ledbat = build("ledbat-pp", &[]);
    let mut round = 0;
    let mut go = |ledbat: &mut AnyController, rtt: u64| {
        round += 1;
        let acks = ledbat.limits().window / MSS;
        for i in 0..acks {
            let mut ack = quiet_ack(at(round as f64 * 0.1 + i as f64 * 1e-4), acks * MSS);
            ack.acked = MSS;
            ack.rtt = Some(Span::millis(rtt));
            ack.round = round;
            ack.round_start = i == 0;
            ack.cwnd_limited = true;
            ledbat.on_ack(&ack);
        }
        ledbat.limits().window / MSS
    };
    // 60 ms: gain 1/⌈2·60/60⌉ = 1/2.
    for _ in 0..8 {
        go(&mut ledbat, 60);
    }
    // 50 ms of queue: over 45 ms, the initial slow start ends.
    let before = go(&mut ledbat, 110);
    assert_eq!(ledbat.inspect().state, "avoidance");
    while ledbat.inspect().state != "slowdown" {
        go(&mut ledbat, 110);
    }
    let threshold = ledbat.inspect().ssthresh.unwrap() / MSS;
    assert!(threshold >= before);
    while ledbat.inspect().state == "slowdown" {
        assert_eq!(go(&mut ledbat, 110), 2);
    }
    // The other flow's queue is there all the time.
    let mut rounds = 0;
    while ledbat.inspect().state == "slow start" {
        go(&mut ledbat, 110);
        rounds += 1;
    }
    let window = ledbat.limits().window / MSS;
    assert!(window + 1 >= threshold, "{window} {threshold}");
    // From 2 by a half more each round.
    let expected = (threshold as f64 / 2.0).ln() / 1.5_f64.ln();
    assert!(
        (f64::from(rounds) - expected).abs() < 2.0,
        "{rounds} {expected}"
    );
}

#[test]
fn ledbat_pp_slows_down_nine_times_as_long_apart() {
    let mut net = Net::new(packets_per_s(1000), Span::millis(50), u64::MAX);
    net.add(build("ledbat-pp", &[]), at(0.0));
    let mut slow = Vec::new();
    let mut back = Vec::new();
    let mut was = "slow start";
    net.watch(at(60.0), |net| {
        let state = net.flows[0].state();
        match (was, state) {
            ("avoidance", "slowdown") => slow.push(net.now.seconds()),
            ("slow start", "avoidance") => back.push(net.now.seconds()),
            _ => {}
        }
        was = state;
    });
    assert!(slow.len() > 3, "{slow:?}");
    // `back[0]` ended the very first slow start.
    for i in 1..slow.len() - 1 {
        let lasted = back[i + 1] - slow[i];
        let pause = slow[i + 1] - back[i + 1];
        assert!((pause / lasted - 9.0).abs() < 0.2, "{pause} {lasted}");
    }
}

/// N equal flows in a fluid: every acknowledgement sees the queue that the present windows make,
/// at once. Returns the mean queue in packets, as Copa measures it, after it has settled: the least
/// of half a round, so that its own steps of 1/δ packets a round don't count.
fn fluid(mut flows: Vec<AnyController>, rate: f64, base: f64, until: f64) -> f64 {
    let n = flows.len();
    let (mut now, mut sum, mut seen) = (0.0, 0.0, 0.0);
    let mut round_ends = vec![0.0; n];
    let mut round = 0;
    while now < until {
        // One acknowledgement for each flow, a share of the link for each.
        now += n as f64 / rate;
        let windows = |flows: &[AnyController]| {
            flows
                .iter()
                .map(|f| f.limits().window as f64 / MSS as f64)
                .sum::<f64>()
        };
        for i in 0..n {
            let queue = (windows(&flows) - rate * base).max(0.0);
            let rtt = base + queue / rate;
            let mut ack = quiet_ack(at(now), flows[i].limits().window);
            ack.acked = MSS;
            ack.acked_segments = 1;
            ack.rtt = Some(Span::from_seconds(rtt));
            ack.srtt = Span::from_seconds(rtt);
            ack.min_rtt = Span::from_seconds(base);
            ack.round_start = now >= round_ends[i];
            if ack.round_start {
                round_ends[i] = now + rtt;
                round += 1;
            }
            ack.round = round;
            flows[i].on_ack(&ack);
            if now > until / 2.0 {
                sum += value(&flows[i], "queueing_s") * rate;
                seen += 1.0;
            }
        }
    }
    sum / seen
}

#[test]
fn copas_keep_one_over_delta_packets_each() {
    // λ = 1/(δ d) for each of N flows that share μ: d = N/(δ μ), so the queue holds N/δ packets.
    // A fluid without delay never empties its queue, so the least round trip must be remembered.
    for (n, delta) in [(1, "0.5"), (2, "0.5"), (5, "0.5"), (2, "0.1"), (4, "0.25")] {
        let options = [
            ("delta", delta),
            ("competitive", "false"),
            ("base-window", "3600 s"),
        ];
        let flows = (0..n).map(|_| build("copa", &options));
        let queue = fluid(flows.collect(), 1000.0, 0.05, 60.0);
        let expected = f64::from(n) / delta.parse::<f64>().unwrap();
        assert!((queue / expected - 1.0).abs() < 0.1, "{n} {delta}: {queue}");
    }
}

/// Four flows that start one after the other overflow 60 packets and may never see the queue empty again. A round that
/// loses 30 % of its packets reduces the window, so that less is lost on average. Without that rule a queue that stayed full is the least round trip,
/// and nearly everything is lost.
#[test]
fn copas_that_never_see_an_empty_queue_do_not_drown_it() {
    let mut net = Net::new(Rate(20_000_000), Span::millis(40), 60 * MSS);
    for n in 0..4 {
        net.add(build("copa", &[("delta", "0.1")]), at(f64::from(n)));
    }
    net.run(at(40.0));
    let count = |net: &Net| {
        net.flows
            .iter()
            .fold((0, 0), |s, f| (s.0 + f.lost, s.1 + f.sent))
    };
    let before = count(&net);
    net.run(at(60.0));
    let after = count(&net);
    let share = (after.0 - before.0) as f64 / (after.1 - before.1) as f64;
    assert!(share < 0.3, "{share}");
}

#[test]
fn copa_doubles_its_velocity_after_three_rounds_one_way_and_starts_over_when_it_turns() {
    let mut copa = build("copa", &[]);
    // Rounds of 100 ms and ten acknowledgements. A first acknowledgement sets the least round trip,
    // one with a long one ends slow start with direction down.
    let mut now = 0.0;
    let mut round = 0;
    let mut go = |rtt: f64, copa: &mut AnyController| {
        let mut seen = Vec::new();
        for i in 0..10 {
            now += 0.01;
            let mut ack = quiet_ack(at(now), copa.limits().window);
            ack.acked = MSS;
            ack.rtt = Some(Span::from_seconds(rtt));
            ack.srtt = Span::from_seconds(0.1);
            ack.round_start = i == 0;
            round += u64::from(i == 0);
            ack.round = round;
            copa.on_ack(&ack);
            seen.push(value(copa, "velocity"));
        }
        seen[9]
    };
    go(0.1, &mut copa);
    // The standing round trip is the least of half a round, so the step down comes in this round.
    go(0.3, &mut copa);
    // Down for one, two and three whole rounds; only then does the velocity double, each round.
    let down: Vec<f64> = (0..6).map(|_| go(0.3, &mut copa)).collect();
    assert_eq!(down[..3], [1.0, 1.0, 2.0], "{down:?}");
    assert!(down.windows(2).all(|w| w[1] >= w[0]), "{down:?}");
    // A short round trip turns it: up, at velocity 1.
    go(0.1, &mut copa);
    assert_eq!(go(0.1, &mut copa), 1.0);
    assert_eq!(value(&copa, "up"), 1.0);
}

fn value(controller: &AnyController, name: &str) -> f64 {
    let values = controller.inspect().values;
    values.iter().find(|(n, _)| *n == name).expect(name).1
}

#[test]
fn copa_competes_when_the_queue_never_empties_and_halves_one_over_delta_at_a_loss() {
    let mut copa = build("copa", &[("competitive", "true")]);
    let mut now = 0.0;
    let mut feed = |rtt: f64, n: usize, copa: &mut AnyController| {
        for i in 0..n {
            now += 0.01;
            let mut ack = quiet_ack(at(now), copa.limits().window);
            ack.acked = MSS;
            ack.rtt = Some(Span::from_seconds(rtt));
            ack.srtt = Span::from_seconds(rtt);
            ack.round_start = i % 10 == 0;
            copa.on_ack(&ack);
        }
        at(now)
    };
    feed(0.05, 5, &mut copa);
    feed(0.10, 20, &mut copa);
    assert_ne!(copa.inspect().state, "competitive");
    let now_at: Time = feed(0.10, 100, &mut copa);
    assert_eq!(copa.inspect().state, "competitive");
    let delta = value(&copa, "delta");
    // 1/δ grew by one for each round since.
    let rounds = 1.0 / delta - 2.0;
    assert!(
        (rounds - rounds.round()).abs() < 1e-9 && rounds > 3.0,
        "{rounds}"
    );
    copa.on_congestion(&backwater_transport::controller::Congestion {
        now: now_at,
        cause: Cause::Loss,
        in_flight: 10 * MSS,
        lost: MSS,
        tx_in_flight: 10 * MSS,
        round: 99,
    });
    assert!((value(&copa, "delta") - (2.0 * delta).min(0.5)).abs() < 1e-12);
    // The queue empties: back to δ = 0.5 at once.
    feed(0.05, 10, &mut copa);
    assert_eq!(value(&copa, "delta"), 0.5);
}

#[test]
fn every_copa_uses_the_path_and_keeps_its_queue_short() {
    // With the feedback's delay the queue swings: NSDI'18 section 4 has it between zero and 2.5/δ.
    for (variant, delta) in [("paper", 0.5), ("genericcc", 0.5), ("mvfst", 0.05)] {
        let mut net = Net::new(packets_per_s(1000), Span::millis(50), u64::MAX);
        net.add(build("copa", &[("variant", variant)]), at(0.0));
        let queue = mean_queue(&mut net, 20.0, 30.0);
        assert!(queue < 2.5 / delta, "{variant}: {queue}");
        assert!(net.flows[0].delivered / MSS > 24_000, "{variant}");
    }
}

/// Copas alone keep at most 2.5/δ packets each (NSDI'18 section 4), so N of them 5 N. The path has
/// 20 Mbit/s, 40 ms and a buffer of 4 MB, which a queue without end would fill.
fn copas_alone(options: &[(&str, &str)], n: usize, path: impl Fn(&mut Net)) -> f64 {
    let mut net = Net::new(Rate(20_000_000), Span::millis(40), 4_000_000);
    path(&mut net);
    for i in 0..n {
        net.add(build("copa", options), at(1.3 * i as f64));
    }
    let before = |net: &Net| net.flows.iter().map(|f| f.delivered).sum::<u64>();
    let queue = mean_queue(&mut net, 40.0, 60.0);
    let start = before(&net);
    net.run(at(70.0));
    let used = (before(&net) - start) as f64 * 8.0 / 10.0 / 20e6;
    assert!(used > 0.8, "{n}: {used}");
    queue / (2.5 / 0.5 * n as f64)
}

#[test]
fn two_to_eight_copas_keep_their_queue_short() {
    for n in 2..=8 {
        for variant in ["paper", "genericcc"] {
            let plain = copas_alone(&[("variant", variant)], n, |_| {});
            assert!(plain < 1.0, "{n} {variant}: {plain}");
        }
        let noisy = copas_alone(&[], n, |net| net.jitter = Span::millis(2));
        assert!(noisy < 1.0, "{n} with noise: {noisy}");
        let delayed = copas_alone(&[], n, |net| net.delayed_acks = true);
        assert!(
            delayed < 1.0,
            "{n} with delayed acknowledgements: {delayed}"
        );
    }
}

/// The mode detection sees a queue in steps of one packet a flow. Without an allowance for that
/// two flows take each other for a buffer-filler and hold 686 packets.
#[test]
fn two_copas_do_not_take_each_other_for_a_competitor() {
    for n in 2..=4 {
        let queue = copas_alone(&[("competitive", "true")], n, |_| {});
        assert!(queue < 1.0, "{n}: {queue}");
    }
}

#[test]
fn dctcp_follows_the_closed_forms_of_step_marking() {
    // SIGCOMM'10 section 3.3, N = 1, C·RTT = 100, K = 20 packets: α = √(2/W*) = 0.129, amplitude
    // A = ½√(2(C·RTT + K)) = 7.75, greatest queue K + N = 21, least 13.25, period 7.75 rounds.
    let mut net = Net::new(packets_per_s(1000), Span::millis(100), u64::MAX);
    net.mark = Some(20 * MSS);
    // The analysis takes α for constant; at g = 1/16 it falls by a third between two cuts.
    net.add(build("dctcp", &[("gain", "0.015625")]), at(0.0));
    net.run(at(60.0));
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    let (mut alpha, mut n) = (0.0, 0.0);
    let (mut cuts, mut before) = (0, f64::INFINITY);
    net.watch(at(160.0), |net| {
        // The packets that wait, without the one in service.
        let queue = (net.queued() / MSS) as f64 - 1.0;
        least = least.min(queue);
        most = most.max(queue);
        alpha += net.flows[0].value("alpha");
        n += 1.0;
        let window = net.flows[0].window();
        cuts += u32::from(window < before - 1.0);
        before = window;
    });
    let alpha = alpha / n;
    assert!((alpha / 0.129 - 1.0).abs() < 0.1, "alpha {alpha}");
    assert!((most - 21.0).abs() <= 1.0, "most {most}");
    assert!((most - least - 7.75).abs() <= 1.0, "{least} {most}");
    // Rounds of 118 ms: C·RTT + 18 packets at 1000/s.
    let period = 100.0 / f64::from(cuts) / 0.118;
    assert!((period / 7.75 - 1.0).abs() < 0.2, "{period}");
}

#[test]
fn ten_synchronised_dctcps_share_the_closed_form() {
    // N = 10, C·RTT = 500, K = 65: W* = 56.5, greatest queue 75. The paper's α = √(2/W*) = 0.188 lets
    // the window grow in the round after a cut. It doesn't, because what was out is marked (RFC 3168
    // section 6.1.2): a period is a round longer, W*·α/2 = 1/α - 1, α = 0.171. (At N = 1 that is 0.122
    // for 0.129.)
    let mut net = Net::new(packets_per_s(5000), Span::millis(100), u64::MAX);
    net.mark = Some(65 * MSS);
    for _ in 0..10 {
        net.add(build("dctcp", &[("gain", "0.015625")]), at(0.0));
    }
    net.run(at(60.0));
    let (mut most, mut alpha, mut n) = (0.0_f64, 0.0, 0.0);
    net.watch(at(100.0), |net| {
        most = most.max((net.queued() / MSS) as f64 - 1.0);
        alpha += net.flows[0].value("alpha");
        n += 1.0;
    });
    let alpha = alpha / n;
    assert!((alpha / 0.171 - 1.0).abs() < 0.1, "alpha {alpha}");
    assert!((most / 75.0 - 1.0).abs() < 0.1, "most {most}");
}

#[test]
fn dctcp_averages_the_share_of_marks_and_reduces_once_a_window() {
    let mut dctcp = build("dctcp", &[]);
    let window = |c: &AnyController| c.limits().window as f64;
    for number in 0..40 {
        dctcp.on_sent(&Sent {
            now: at(1.0),
            number,
            len: MSS,
            in_flight: 10 * MSS,
            again: false,
            app_limited: false,
        });
    }
    let feed = |number, marked, round_start, c: &mut AnyController| {
        let mut ack = quiet_ack(at(1.0), 40 * MSS);
        ack.acked = 10 * MSS;
        ack.marked = marked;
        ack.round_start = round_start;
        ack.cwnd_limited = false;
        ack.number = number;
        c.on_ack(&ack);
    };
    for number in [9, 19, 29] {
        feed(number, 0, false, &mut dctcp);
    }
    let before = window(&dctcp);
    // Three quarters of the round without, one with marks, g = 1/16: α = 15/16 + 1/4 · 1/16.
    feed(39, 10 * MSS, true, &mut dctcp);
    let alpha = 15.0 / 16.0 + 1.0 / 64.0;
    assert!((value(&dctcp, "alpha") - alpha).abs() < 1e-12);
    let cut = before * (1.0 - alpha / 2.0);
    assert!((window(&dctcp) - cut).abs() < 1.0);
    // Segments that were out by then may be marked as well.
    feed(39, 10 * MSS, true, &mut dctcp);
    assert!((window(&dctcp) - cut).abs() < 1.0);
    feed(40, 10 * MSS, true, &mut dctcp);
    assert!(window(&dctcp) < cut - 1.0);
}

#[test]
fn westwood_keeps_what_fills_an_empty_pipe() {
    // 1000 packets/s and 100 ms: at a loss the window becomes BDP = 100 packets, however long the
    // queue was; Reno would keep half of BDP and buffer, 150.
    for variant in ["linux", "paper"] {
        let mut net = Net::new(packets_per_s(1000), Span::millis(100), 200 * MSS);
        net.add(build("westwood", &[("variant", variant)]), at(0.0));
        net.run(at(30.0));
        let (mut after, mut before) = (Vec::new(), 0.0);
        net.watch(at(200.0), |net| {
            let window = net.flows[0].window();
            if window < before - 2.0 {
                after.push(window);
            }
            before = window;
        });
        assert!(after.len() > 1, "{variant}");
        for window in after {
            // The least round trip has a packet's time in it: 101.
            assert!((window / 101.0 - 1.0).abs() < 0.1, "{variant}: {window}");
        }
    }
}

/// `tcp_westwood.c`: a sample of the bandwidth lasts the newest round trip, not the smoothed one, and a
/// timeout forgets the least round trip (`reset_rtt_min`), because the path may be another one.
#[test]
fn westwood_samples_over_the_newest_round_trip_and_forgets_the_least_at_a_timeout() {
    let mut westwood = build("westwood", &[]);
    let feed = |westwood: &mut AnyController, from: u64, acks: u64, rtt: u64, srtt: u64| {
        for i in 1..=acks {
            let now = from + 10 * i;
            let mut ack = quiet_ack(Time::ZERO.after(Span::millis(now)), 10 * MSS);
            ack.acked = MSS;
            ack.rtt = Some(Span::millis(rtt));
            ack.srtt = Span::millis(srtt);
            westwood.on_ack(&ack);
        }
    };
    let tell = |westwood: &mut AnyController, ms: u64, cause| {
        westwood.on_congestion(&backwater_transport::controller::Congestion {
            now: Time::ZERO.after(Span::millis(ms)),
            cause,
            in_flight: 10 * MSS,
            lost: MSS,
            tx_in_flight: 10 * MSS,
            round: 1,
        });
    };
    // A segment each 10 ms. The first sample ends 100 ms after the first acknowledgement and has 11 of
    // them; over the smoothed round trip there would be none yet.
    feed(&mut westwood, 0, 11, 100, 200);
    let expected = 11.0 * MSS as f64 * 8.0 / 0.1;
    let bandwidth = value(&westwood, "bandwidth_bps");
    assert!((bandwidth / expected - 1.0).abs() < 1e-9, "{bandwidth}");
    // The timeout's threshold has the old least round trip of 100 ms: 11 segments.
    tell(&mut westwood, 120, Cause::Timeout);
    assert_eq!(westwood.inspect().ssthresh.unwrap() / MSS, 11);
    // Then 300 ms: 33 segments would fill the new path.
    feed(&mut westwood, 120, 1, 300, 200);
    tell(&mut westwood, 140, Cause::Timeout);
    assert_eq!(westwood.inspect().ssthresh.unwrap() / MSS, 33);
}

#[test]
fn fast_keeps_alpha_packets_in_the_queue() {
    // w = base/rtt · w + α at rest: α = w (rtt - base)/rtt, the packets queued; 2α for two flows.
    for (flows, alpha) in [(1, "20"), (1, "50"), (2, "20")] {
        let mut net = Net::new(packets_per_s(1000), Span::millis(100), u64::MAX);
        for i in 0..flows {
            // Apart, so that each sees the path empty once.
            net.add(build("fast", &[("alpha", alpha)]), at(0.05 * f64::from(i)));
        }
        let queue = mean_queue(&mut net, 30.0, 35.0);
        let expected = f64::from(flows) * alpha.parse::<f64>().unwrap();
        // The packet in service belongs to the base round trip of 101 ms.
        assert!(
            (queue / expected - 1.0).abs() < 0.1,
            "{flows} {alpha}: {queue}"
        );
    }
}

#[test]
fn fast_moves_by_gamma_of_the_distance_and_at_most_doubles() {
    // 10 packets, base 100 ms, rtt 200 ms, α = 20: wanted 25, so 17.5 at γ = 0.5; with α = 100 the
    // step to 57.5 is cut to twice the window.
    for (alpha, expected) in [("20", 17.5), ("100", 20.0)] {
        let mut fast = build("fast", &[("alpha", alpha)]);
        let mut ack = quiet_ack(at(1.0), 10 * MSS);
        ack.acked = MSS;
        ack.rtt = Some(Span::millis(100));
        fast.on_ack(&ack);
        ack.rtt = Some(Span::millis(200));
        // Averages at weight 1/4: enough of them for the average to be 200 ms.
        for _ in 0..100 {
            fast.on_ack(&ack);
        }
        ack.round_start = true;
        fast.on_ack(&ack);
        let window = fast.limits().window as f64 / MSS as f64;
        assert!((window - expected).abs() < 1e-3, "{alpha}: {window}");
    }
}

#[test]
fn vivace_finds_the_capacity_and_keeps_the_queue_short() {
    for variant in ["paper", "code"] {
        let mut net = Net::new(Rate(20_000_000), Span::millis(40), u64::MAX);
        net.add(build("vivace", &[("variant", variant)]), at(0.0));
        net.run(at(20.0));
        let before = net.flows[0].delivered;
        let queue = mean_queue(&mut net, 20.0, 40.0);
        let used = (net.flows[0].delivered - before) as f64 * 8.0 / 20.0 / 20e6;
        assert!(used > 0.85, "{variant}: {used}");
        // A BDP is 69 packets.
        assert!(queue < 40.0, "{variant}: {queue}");
    }
}

#[test]
fn vivace_bears_random_loss_up_to_what_its_weight_allows() {
    // At x Mbit/s the gradient of the rate's worth is 0.9 x^-0.1, that of loss 11.35 L: at 20 Mbit/s
    // they balance at L = 5.9 %. 2 % leave the link in use, 20 % do not.
    let used = |every| {
        let mut net = Net::new(Rate(20_000_000), Span::millis(40), u64::MAX);
        net.lose_every = every;
        net.add(build("vivace", &[]), at(0.0));
        net.run(at(20.0));
        let before = net.flows[0].delivered;
        net.run(at(40.0));
        (net.flows[0].delivered - before) as f64 * 8.0 / 20.0 / 20e6
    };
    let (bearable, heavy) = (used(50), used(5));
    assert!(bearable > 0.7, "{bearable}");
    assert!(heavy < 0.3, "{heavy}");
}

/// When capacity falls to a quarter, round trips grow by three seconds a second: what is sent t after
/// the fall is answered 4 t after it. Four trials and each step wait for answers, so that decisions come
/// at times that quadruple, and none takes more than a few tenths off the rate: without loss the
/// queue outruns them. A queue of a bandwidth-delay product bounds round trips, and the rate follows.
#[test]
fn vivace_follows_a_fall_of_capacity_only_where_the_queue_is_bounded() {
    let after_a_fall = |buffer: u64| {
        let mut net = Net::new(Rate(20_000_000), Span::millis(40), buffer);
        net.add(build("vivace", &[]), at(0.0));
        net.run(at(20.0));
        net.rate = Rate(5_000_000);
        net.run(at(50.0));
        net.flows[0].value("rate_bps") / 5e6
    };
    let (bounded, endless) = (after_a_fall(69 * MSS), after_a_fall(u64::MAX));
    assert!(bounded < 1.3, "{bounded}");
    // Steps within 5, 15, 25 % of the rate, the third at 0.16 s times 4^4 at the earliest.
    assert!(endless > 4.0 * 0.95 * 0.85 * 0.75, "{endless}");
}
