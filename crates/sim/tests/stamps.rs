//! Laws of explicit feedback, packet by packet, against the equations of their papers and worked examples.

use backwater_transport_testing::options;
use std::collections::VecDeque;

use backwater_sim::limit::Limit;
use backwater_sim::stamp::{AnyStamp, Backlog, LawPacket, LawQueue, Passing, STAMPS, Stamp};
use backwater_transport::congestion_header::CongestionHeader;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Rate, Span, Time};

const SIZE: u64 = 1000;

fn law(id: &str, rate: Option<Rate>, options: &[(&str, &str)]) -> AnyStamp {
    let row = STAMPS.iter().find(|row| row.id == id).expect(id);
    let built = (row.build)(&options::read(row.options, options));
    let mut law = built.unwrap_or_else(|refusal| panic!("{id}: {refusal:?}"));
    law.attach(&LawQueue {
        rate,
        offers: false,
        buffer: Limit::Packets(50),
    });
    law
}

fn at(seconds: f64) -> Time {
    Time::ZERO.after(Span::from_seconds(seconds))
}

fn seen(now: Time, backlog: Backlog) -> LawPacket {
    LawPacket {
        now,
        size: SIZE,
        ends: [0, 1],
        backlog,
        lost: false,
        offered: None,
    }
}

fn waiting(packets: u64) -> Backlog {
    Backlog {
        bytes: packets * SIZE,
        packets,
    }
}

fn arrive(law: &mut AnyStamp, now: Time, backlog: Backlog, header: &CongestionHeader) {
    law.update(now, backlog);
    law.arrive(&seen(now, backlog), Some(header));
}

/// The header of a packet after its departure.
fn depart(
    law: &mut AnyStamp,
    now: Time,
    backlog: Backlog,
    mut header: CongestionHeader,
) -> CongestionHeader {
    law.update(now, backlog);
    let mut passing = Passing {
        header: Some(&mut header),
        ecn: &mut Ecn::NotEct.clone(),
        window: None,
    };
    law.depart(&seen(now, backlog), &mut passing);
    header
}

fn near(got: f64, expected: f64) -> bool {
    (got - expected).abs() <= 1e-6 * expected.abs().max(1.0)
}

fn value(law: &AnyStamp, name: &str) -> f64 {
    let values = law.values();
    let found = values.iter().find(|(n, _)| *n == name);
    found.unwrap_or_else(|| panic!("no {name} in {values:?}")).1
}

const RTT: Span = Span::millis(100);

/// A header of a flow with so many packets in each round trip of 100 ms.
fn change(packets: u64, change: f64) -> CongestionHeader {
    CongestionHeader::Change {
        rtt: RTT,
        spacing: 0.1 / packets as f64,
        change,
    }
}

fn written(header: CongestionHeader) -> f64 {
    match header {
        CongestionHeader::Change { change, .. } => change,
        other => panic!("{other:?}"),
    }
}

/// An XCP router of 1.875 MB/s at the end of a control interval of 100 ms, in which two flows sent so many
/// packets of 1000 B each, with this backlog throughout.
fn xcp_after_an_interval(variant: &str, flows: [u64; 2], backlog: Backlog) -> AnyStamp {
    let rate = Some(Rate(15_000_000));
    let mut xcp = law("xcp", rate, &[("variant", variant)]);
    // The first interval of 50 ms tells the router the round trip, the second is the one in question.
    for (from, share) in [(0.0, 2), (0.05, 1)] {
        for packets in flows {
            for n in 0..packets / share {
                let now = at(from + 0.1 / share as f64 * n as f64 / (packets / share) as f64);
                xcp.update(now.max(at(from)), backlog);
                xcp.arrive(&seen(now, backlog), Some(&change(packets, f64::INFINITY)));
            }
        }
        // Departures show the router the standing queue.
        depart(&mut xcp, at(from + 0.049), backlog, change(1, 0.0));
    }
    xcp.update(at(0.1500001), backlog);
    xcp
}

/// The change of throughput that a round trip's packets of a flow bring, in packets of window.
fn window_change(xcp: &mut AnyStamp, packets: u64, backlog: Backlog) -> f64 {
    let written = (0..packets).map(|_| {
        let wants = change(packets, f64::INFINITY);
        written(depart(xcp, at(0.151), backlog, wants))
    });
    written.sum::<f64>() * 0.1 / SIZE as f64
}

/// Worked example: 50 and 100 packets for each round trip, no queue. φ = 0.4 (1.875 - 1.5) MB/s = 150 kB/s, no
/// shuffle: 7.5 packets of window for each flow, whatever its window.
#[test]
fn xcp_divides_an_increase_equally_among_flows() {
    for variant in ["spec", "paper"] {
        let mut xcp = xcp_after_an_interval(variant, [50, 100], waiting(0));
        let first = written(depart(
            &mut xcp,
            at(0.1501),
            waiting(0),
            change(50, f64::INFINITY),
        ));
        assert!(near(first, 1500.0), "{variant}: {first}");
        let mut xcp = xcp_after_an_interval(variant, [50, 100], waiting(0));
        for packets in [50, 100] {
            let got = window_change(&mut xcp, packets, waiting(0));
            assert!(near(got, 7.5), "{variant}, {packets}: {got}");
        }
    }
}

/// Worked example: 75 and 150 packets, 30 kB waiting. φ = -217.8 kB/s, shuffle 7.2 kB/s: -7.14 and -14.64 packets.
#[test]
fn xcp_divides_a_decrease_by_throughput_and_shuffles() {
    for variant in ["spec", "paper"] {
        let mut xcp = xcp_after_an_interval(variant, [75, 150], waiting(30));
        for (packets, expected) in [(75, -7.14), (150, -14.64)] {
            let got = window_change(&mut xcp, packets, waiting(30));
            assert!(near(got, expected), "{variant}, {packets}: {got}");
        }
    }
}

/// A router before gave less than this one would: that stays, and what this one has left shrinks by it.
#[test]
fn xcp_respects_what_a_router_before_gave() {
    let mut xcp = xcp_after_an_interval("spec", [50, 100], waiting(0));
    assert!(near(
        written(depart(&mut xcp, at(0.151), waiting(0), change(50, 100.0))),
        100.0
    ));
    let mut xcp = xcp_after_an_interval("spec", [75, 150], waiting(30));
    let less = written(depart(
        &mut xcp,
        at(0.151),
        waiting(30),
        change(75, -2000.0),
    ));
    assert!(near(less, -2000.0));
    // A packet without a round trip gets nothing.
    let first = CongestionHeader::Change {
        rtt: Span::ZERO,
        spacing: 0.0,
        change: f64::INFINITY,
    };
    assert_eq!(
        written(depart(&mut xcp, at(0.151), waiting(30), first)),
        0.0
    );
}

/// 12.5 MB/s, d = 100 ms, T = 10 ms, α = 0.4, 10 MB/s arrive, no queue: R grows by the factor
/// 1 + 0.1 · 0.4 (11.875 - 10) / 11.875 = 1.006316.
#[test]
fn rcp_raises_its_rate_by_the_unused_capacity() {
    let options = [("first_rtt", "100 ms")];
    let mut rcp = law("rcp", Some(Rate(100_000_000)), &options);
    let before = value(&rcp, "rate_bps");
    assert!(near(before, 0.05 * 100e6));
    for n in 0..100 {
        let now = at(1e-4 * f64::from(n));
        rcp.update(now, waiting(0));
        rcp.arrive(&seen(now, waiting(0)), None);
    }
    rcp.update(at(0.01), waiting(0));
    let factor = value(&rcp, "rate_bps") / before;
    assert!((factor - 1.006_316).abs() < 5e-7, "{factor}");
    let granted = depart(
        &mut rcp,
        at(0.01),
        waiting(0),
        CongestionHeader::Rate {
            rtt: RTT,
            rate: f64::INFINITY,
        },
    );
    let rate = before * factor / 8.0;
    assert_eq!(granted, CongestionHeader::Rate { rtt: RTT, rate });
}

/// A router of 12.5 MB/s whose packets name these round trips in seconds, with their bytes, in each interval of 10 ms.
fn rcp_told(intervals: usize, told: &[(f64, u64)]) -> AnyStamp {
    let mut rcp = law("rcp", Some(Rate(100_000_000)), &[]);
    for n in 0..intervals {
        for &(rtt, size) in told {
            let header = CongestionHeader::Rate {
                rtt: Span::from_seconds(rtt),
                rate: f64::INFINITY,
            };
            let now = at(0.01 * n as f64 + 0.005);
            rcp.update(now, waiting(0));
            let one = LawPacket {
                size,
                ..seen(now, waiting(0))
            };
            rcp.arrive(&one, Some(&header));
        }
    }
    rcp.update(at(0.01 * intervals as f64), waiting(0));
    rcp
}

/// Longer round trips count with the gain T/d: the mean follows d' = (r - d) / d, so it goes from 0.2 s to d within
/// 0.2 - d + r ln((r - 0.2) / (r - d)), whatever the rate is.
#[test]
fn rcp_follows_longer_round_trips_within_one_of_them() {
    let r = 2.5;
    let rcp = rcp_told(500, &[(r, SIZE)]);
    let d = value(&rcp, "mean_rtt_s");
    let took = 0.2 - d + r * libm::log((r - 0.2) / (r - d));
    assert!((took / 5.0 - 1.0).abs() < 0.01, "{d} after {took}");
    assert!(d > 2.3, "{d}");
}

/// Shorter ones with (R/C) (r/d) (T/d): from 0.2 s to 0.2 - 0.05 · 0.5 · 0.05 · 0.1 s after one interval. The mean of an
/// interval weighs by bytes: 1500 B of 0.05 s and 500 B of 0.25 s are 0.1 s.
#[test]
fn rcp_follows_shorter_round_trips_slowly_and_weighs_them_by_bytes() {
    for told in [&[(0.1, SIZE)][..], &[(0.05, 1500), (0.25, 500)]] {
        let d = value(&rcp_told(1, told), "mean_rtt_s");
        assert!(near(d, 0.2 - 0.05 * 0.5 * 0.05 * 0.1), "{d}");
    }
}

/// An interval without packets counts as the one before: 0.2 s, then 0.2 + 0.05 · 0.8 = 0.24 s and 0.24 + 0.01 / 0.24 · 0.76.
/// Before the first packet nothing moves.
#[test]
fn rcp_counts_an_empty_interval_as_the_one_before() {
    let mut rcp = rcp_told(1, &[(1.0, SIZE)]);
    assert!(near(value(&rcp, "mean_rtt_s"), 0.24));
    rcp.update(at(0.02), waiting(0));
    let expected = 0.24 + 0.01 / 0.24 * 0.76;
    assert!(near(value(&rcp, "mean_rtt_s"), expected));
    let silent = rcp_told(3, &[]);
    assert!(near(value(&silent, "mean_rtt_s"), 0.2));
}

/// The rate lies between a packet for each round trip and a share γ of the capacity.
#[test]
fn rcp_keeps_its_rate_within_bounds() {
    let mut idle = law("rcp", Some(Rate(100_000_000)), &[]);
    idle.update(at(30.0), waiting(0));
    assert!(near(value(&idle, "rate_bps"), 0.95 * 100e6));
    let mut full = law("rcp", Some(Rate(100_000_000)), &[]);
    full.update(at(30.0), waiting(10_000));
    assert!(near(value(&full, "rate_bps"), 8.0 * 1000.0 / 0.2));
}

/// The share of accelerates among 10,000 departures at 1000 packets/s with a queue of this delay.
fn accelerated(variant: &str, delay: f64) -> f64 {
    let rate = Rate(8 * SIZE * 1000);
    let options = [("variant", variant), ("threshold", "20 ms")];
    let mut abc = law("abc", Some(rate), &options);
    let bytes = (delay * 1e6) as u64;
    let backlog = Backlog {
        bytes,
        packets: bytes / SIZE,
    };
    let mut kept = 0;
    for n in 0..10_100 {
        let mut ecn = Ecn::Ect1;
        let mut passing = Passing {
            header: None,
            ecn: &mut ecn,
            window: None,
        };
        abc.depart(&seen(at(1e-3 * f64::from(n)), backlog), &mut passing);
        // The first hundred fill the window.
        kept += u32::from(n >= 100 && ecn == Ecn::Ect1);
    }
    f64::from(kept) / 1e4
}

/// Equilibria for 1000 packets/s, 100 ms, η = 0.98, δ = 133 ms: with n flows the share of accelerates is
/// (1 - n / 100) / 2, where the queue's delay is above the threshold by 3.99 ms (n = 5) or 10.64 ms (n = 10).
/// With one flow there is no queue and the share follows η.
#[test]
fn abc_accelerates_the_share_that_its_delay_asks_for() {
    for (above, share) in [
        (3.99e-3, 0.475),
        (10.64e-3, 0.45),
        (-0.02, 0.49),
        (0.2, 0.0),
    ] {
        let got = accelerated("paper", 0.02 + above);
        assert!((got - share).abs() < 1e-3, "{above}: {got}");
    }
    // The code's form at full dequeue rate, with the departing packet in the delay.
    let got = accelerated("code", 0.02 + 3.99e-3 - 1e-3);
    assert!((got - 0.475).abs() < 1e-3, "{got}");
}

#[test]
fn abc_never_promotes_a_brake_and_lets_others_pass() {
    for (variant, brake) in [("paper", Ecn::Ect0), ("code", Ecn::Ce)] {
        let mut abc = law("abc", Some(Rate(8_000_000)), &[("variant", variant)]);
        for ecn in [brake, Ecn::NotEct] {
            let mut after = ecn;
            let mut passing = Passing {
                header: None,
                ecn: &mut after,
                window: None,
            };
            abc.depart(&seen(at(0.0), waiting(0)), &mut passing);
            assert_eq!(after, ecn);
        }
    }
}

/// The loop of one sender that takes the target at once, without propagation: the queue is the target of so many
/// steps before. Gives how far the queue is from the middle of a buffer of 10,000 packets in the last quarter.
fn swing(b: f64, delay: usize, steps: usize) -> f64 {
    let options = [
        ("b", &*format!("{b}")),
        ("w", "1"),
        ("g", "0.5"),
        ("buffer", "10000 packets"),
        ("anti_windup", "false"),
        ("flow_timeout", "1000 s"),
    ];
    let mut iacp = law("iacp", None, &options);
    // An empty queue brings the target near the set point.
    while value(&iacp, "desired_pkts") < 5_000.0 {
        iacp.arrive(
            &seen(Time(1), waiting((10_000.0 - 100.0 / b) as u64 / 2)),
            None,
        );
    }
    let start = value(&iacp, "desired_pkts") + 50.0;
    let mut targets = VecDeque::from(vec![start; delay]);
    let mut worst: f64 = 0.0;
    for step in 0..steps {
        targets.push_back(value(&iacp, "desired_pkts"));
        let queue: f64 = targets.pop_front().expect("at least one");
        let now = Time(2 + step as u64);
        iacp.arrive(&seen(now, waiting(queue as u64)), None);
        if step > steps * 3 / 4 {
            worst = worst.max((queue - 5_000.0).abs());
        }
    }
    worst
}

/// Once for each round trip the pole is 1 - b: stable below b = 2, whatever the round trip. The paper's bound,
/// b <= 2 R0, would be another number for each.
#[test]
fn iacp_updated_once_for_each_round_trip_is_stable_below_two() {
    assert!(swing(0.5, 0, 400) < 2.0);
    assert!(swing(1.9, 0, 400) < 2.0, "{}", swing(1.9, 0, 400));
    assert!(swing(2.1, 0, 400) > 200.0, "{}", swing(2.1, 0, 400));
}

/// An integrator with d updates on the way is stable below K = 2 sin(π / (2 (2 d + 1))): 0.0766 for d = 20,
/// 0.0119 for d = 131.
#[test]
fn iacp_updated_at_each_packet_is_stable_below_the_bound_of_a_delayed_integrator() {
    for delay in [5, 20, 131] {
        let bound = 2.0 * libm::sin(std::f64::consts::PI / (2.0 * (2.0 * delay as f64 + 1.0)));
        let at = |share: f64| swing(share * bound, delay, 400 * delay);
        assert!(at(0.9) < 5.0, "{delay}: {}", at(0.9));
        assert!(at(1.1) > 200.0, "{delay}: {}", at(1.1));
    }
}

/// The intended law rests at g times the buffer. The literal one still grows there, by b g (1 - g) buffer / N.
#[test]
fn iacp_rests_at_its_set_point_in_the_intended_reading_only() {
    let step = |reading: &str| {
        let options = [("law", reading), ("g", "0.5"), ("w", "1")];
        let mut iacp = law("iacp", None, &options);
        for flow in 0..5 {
            let mut crossing = change(1, 0.0);
            let mut passing = Passing {
                header: Some(&mut crossing),
                ecn: &mut Ecn::NotEct.clone(),
                window: None,
            };
            let ends = [0, flow];
            iacp.cross(
                &LawPacket {
                    ends,
                    ..seen(at(0.0), waiting(25))
                },
                &mut passing,
            );
        }
        let before = value(&iacp, "desired_pkts");
        assert_eq!(value(&iacp, "flows"), 5.0);
        let mut one = seen(at(0.001), waiting(25));
        one.ends = [0, 4];
        iacp.arrive(&one, None);
        value(&iacp, "desired_pkts") - before
    };
    assert!(near(step("intended"), 0.0));
    assert!(near(step("literal"), 0.012 * 0.5 * 25.0 / 5.0));
}

/// With the published g the set point is half a packet below a full queue: nothing that departs finds it above,
/// so the target of a law without anti-windup grows as long as it looks at departures.
#[test]
fn iacp_winds_up_at_the_published_set_point() {
    let grown = |options: &[(&str, &str)], lost: bool| {
        let mut iacp = law("iacp", None, options);
        for n in 0..10_000 {
            let mut one = seen(Time(n), waiting(49));
            one.lost = lost;
            iacp.arrive(&one, None);
            let mut passing = Passing {
                header: None,
                ecn: &mut Ecn::NotEct.clone(),
                window: None,
            };
            iacp.depart(&one, &mut passing);
        }
        value(&iacp, "desired_pkts")
    };
    let departures = [("sample", "departure"), ("anti_windup", "false")];
    // 10,000 steps of 0.012 · 0.5, less what the average needs to get there.
    assert!(grown(&departures, false) > 50.0);
    assert!(grown(&[], false) < 40.0 && grown(&[], true) < 40.0);
    let unbounded = grown(&[("anti_windup", "false")], false);
    assert!(unbounded > 50.0, "{unbounded}");
}

/// Equal rates: a window in proportion to the flow's own round trip. Equal windows: the target itself.
#[test]
fn iacp_writes_a_rate_or_a_window() {
    let window = |feedback, rtt| {
        let mut iacp = law("iacp", None, &[("feedback", feedback)]);
        let header = |rtt| CongestionHeader::Window {
            rtt,
            cwnd: 1.0,
            window: f64::INFINITY,
        };
        arrive(&mut iacp, at(0.0), waiting(49), &header(RTT));
        match depart(&mut iacp, at(0.001), waiting(49), header(rtt)) {
            CongestionHeader::Window { window, .. } => window / value(&iacp, "desired_pkts"),
            other => panic!("{other:?}"),
        }
    };
    assert!(near(window("rate", Span::millis(200)), 2.0));
    assert!(near(window("rate", Span::millis(50)), 0.5));
    assert!(near(window("window", Span::millis(200)), 1.0));
    assert_eq!(window("rate", Span::ZERO), f64::INFINITY);
}

/// By hand, at 12 Mbit/s and packets of 1500 B: 50 packets for each first period of 50 ms. 30 arrive, 4 wait:
/// p = 1 + (0.3175 (49.5 - 30) - 0.1587 · 4) / 10, N = 10 + 0.1 (30 - 10 · 1) · 1 / 2.
#[test]
fn acp_moves_its_target_and_its_estimate_of_flows() {
    let mut acp = law("acp", Some(Rate(12_000_000)), &[]);
    let backlog = Backlog {
        bytes: 6_000,
        packets: 4,
    };
    for n in 0..30 {
        let mut one = seen(at(1e-3 * f64::from(n)), backlog);
        one.size = 1500;
        acp.update(one.now, backlog);
        acp.arrive(&one, None);
    }
    acp.update(at(0.05), backlog);
    assert!(near(
        value(&acp, "target_pkts"),
        1.0 + (0.3175 * 19.5 - 0.1587 * 4.0) / 10.0
    ));
    assert!(near(value(&acp, "flows"), 11.0));
    let target = CongestionHeader::Target {
        rtt: RTT,
        rate: f64::INFINITY,
        congested: false,
    };
    let CongestionHeader::Target {
        rate, congested, ..
    } = depart(&mut acp, at(0.051), backlog, target)
    else {
        panic!("another layout");
    };
    assert!(near(rate, value(&acp, "target_pkts") * 1500.0 / 0.05));
    assert!(!congested, "30 of 50");
}

/// Load factors by hand: 980 kB/s are full load at 8 Mbit/s and γ = 0.98.
#[test]
fn vcp_tells_low_load_high_load_and_overload() {
    let told = |packets: u32, found| {
        let mut vcp = law("vcp", Some(Rate(8_000_000)), &[]);
        for n in 0..packets {
            let now = at(0.2 * f64::from(n) / f64::from(packets));
            vcp.update(now, waiting(0));
            vcp.arrive(&seen(now, waiting(0)), None);
        }
        vcp.update(at(0.2), waiting(0));
        let mut ecn = found;
        let mut passing = Passing {
            header: None,
            ecn: &mut ecn,
            window: None,
        };
        vcp.depart(&seen(at(0.201), waiting(0)), &mut passing);
        ecn
    };
    // 80 % of 196 packets in 200 ms are 156.8.
    assert_eq!(told(156, Ecn::Ect1), Ecn::Ect1);
    assert_eq!(told(157, Ecn::Ect1), Ecn::Ect0);
    assert_eq!(told(196, Ecn::Ect1), Ecn::Ect0);
    assert_eq!(told(197, Ecn::Ect1), Ecn::Ce);
    assert_eq!(told(10, Ecn::Ce), Ecn::Ce, "only raised");
    assert_eq!(told(400, Ecn::NotEct), Ecn::NotEct);
}

/// By hand, with a buffer of 50 packets of 1000 B: while the queue is empty the grant is 0.2286 · 50 kB for each
/// interval; at 20 packets after none φ = -0.4 · 20 - 0.226 (20 - 10) packets.
#[test]
fn xcp_b_grants_while_the_queue_is_empty_and_follows_its_growth() {
    let phi = |backlog: Backlog, until: f64| {
        let mut blind = law("xcpb-reconstructed", None, &[]);
        arrive(&mut blind, at(0.001), backlog, &change(10, 0.0));
        blind.update(at(until), backlog);
        value(&blind, "phi_bps") / 8.0
    };
    // The late reaction: the first interval still counts as busy. The second lasts a round trip of 100 ms.
    assert!(near(phi(waiting(0), 0.16), 0.2286 * 50.0 * 1000.0 / 0.1));
    let expected = (-0.4 * 20.0 - 0.226 * 10.0) * 1000.0 / 0.05;
    assert!(
        near(phi(waiting(20), 0.05), expected),
        "{}",
        phi(waiting(20), 0.05)
    );
}

/// 50 packets among 5 flows: 10 each; never less than one.
#[test]
fn wwm_gives_each_flow_its_share_of_the_buffer() {
    let window = |flows: u32| {
        let mut wwm = law("wwm", None, &[("segment", "1000 B")]);
        for flow in 0..flows {
            let mut one = seen(at(0.0), waiting(0));
            one.ends = [0, flow + 1];
            wwm.arrive(&one, None);
        }
        let mut window = 1 << 30;
        let mut passing = Passing {
            header: None,
            ecn: &mut Ecn::NotEct.clone(),
            window: Some(&mut window),
        };
        wwm.depart(&seen(at(0.001), waiting(0)), &mut passing);
        window
    };
    assert_eq!((window(5), window(200)), (10_000, 1_000));
}

/// A wrong capacity is what the law works with.
#[test]
fn a_router_believes_in_the_capacity_it_is_told() {
    for (options, expected) in [
        (&[("capacity_scale", "1.5")][..], 1.5 * 12.5e6),
        (&[("capacity", "40 Mbit/s")][..], 5e6),
        (
            &[("capacity", "40 Mbit/s"), ("capacity_scale", "0.5")][..],
            2.5e6,
        ),
    ] {
        let rcp = law("rcp", Some(Rate(100_000_000)), options);
        assert!(
            near(value(&rcp, "rate_bps"), 0.05 * 8.0 * expected),
            "{options:?}"
        );
    }
}
