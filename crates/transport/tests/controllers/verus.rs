//! Verus over the path model.

use backwater_transport::controller::{Cause, Congestion, Controller, Sent};
use backwater_transport::units::{Rate, Span};

use crate::build::{MSS, build};
use backwater_transport_testing::bottleneck::{Net, at};

fn rate(packets: u64) -> Rate {
    Rate(packets * 8 * MSS)
}

/// Share of the link used, and the greatest wait, in the second half.
fn run(options: &[(&str, &str)], buffer: u64) -> (f64, Span) {
    let mut net = Net::new(rate(1000), Span::millis(40), buffer);
    net.add(build("verus", options), at(0.0));
    net.run(at(20.0));
    let before = net.flows[0].delivered;
    let mut worst = 0;
    net.watch(at(40.0), |net| worst = worst.max(net.queued() / MSS));
    let used = (net.flows[0].delivered - before) as f64 / MSS as f64 / 20_000.0;
    (used, Span::millis(worst))
}

#[test]
fn delay_stays_within_its_ratio_and_the_link_is_used() {
    // Least delay 41 ms. Above R times that the wanted delay falls by 2 ms each 5 ms, and what is
    // under way when it is noticed, a round trip at most, comes on top.
    for (ratio, most) in [("6", 6.0), ("3", 3.0)] {
        let (used, worst) = run(&[("ratio", ratio)], u64::MAX);
        let delay = worst.seconds() + 0.041;
        assert!(delay < most * 0.041 * 1.5, "R = {ratio}: {delay} s");
        assert!(used > 0.8, "R = {ratio}: {used}");
    }
    let (_, long) = run(&[("ratio", "6")], u64::MAX);
    let (_, short) = run(&[("ratio", "2")], u64::MAX);
    assert!(short < long, "{} {}", short.seconds(), long.seconds());
}

#[test]
fn losses_end_slow_start_and_cut_the_window() {
    let mut net = Net::new(rate(1000), Span::millis(40), 30 * MSS);
    net.add(build("verus", &[]), at(0.0));
    let mut greatest = 0.0_f64;
    let mut states = Vec::new();
    net.watch(at(3.0), |net| {
        if net.flows[0].lost == 0 {
            greatest = greatest.max(net.flows[0].value("window_pkts"));
        } else if states.is_empty() {
            states.push(net.flows[0].state());
            // 0.7 of the window at which the lost segment was sent. Slow start sends two for each
            // acknowledgement, so half a window waits: a buffer of 30 overflows at 60 or so.
            let window = net.flows[0].value("window_pkts");
            assert!(window <= 0.7 * greatest + 1.0, "{window} {greatest}");
            assert!(window >= 0.7 * 60.0, "{window}");
        }
    });
    assert_eq!(states, ["loss phase"]);
    net.run(at(10.0));
    assert_ne!(net.flows[0].state(), "slow start");
}

#[test]
fn a_timeout_ends_slow_start_and_the_next_epoch_sends_a_window() {
    // Window 25 in slow start, all out. A timeout ends slow start
    // at 0.7 · 25 = 17.5 and takes nothing to be in flight: the next epoch allows ⌊17.5⌋ segments.
    let mut verus = build("verus", &[("initial", "25 packets")]);
    for number in 0..25 {
        verus.on_sent(&Sent {
            now: at(0.0),
            number,
            len: MSS,
            in_flight: (number + 1) * MSS,
            again: false,
            app_limited: false,
        });
    }
    let timeout = Congestion {
        now: at(1.0),
        cause: Cause::Timeout,
        in_flight: 25 * MSS,
        lost: 25 * MSS,
        tx_in_flight: 25 * MSS,
        round: 1,
    };
    verus.on_congestion(&timeout);
    verus.on_timer(at(1.005));
    assert_eq!(verus.limits().window, 17 * MSS);
}

/// Slow start doubles in a round trip, and the profile is looked up to twice its last window: so at most
/// twice what path and queue hold is in flight. On 66 packets it was 7,883, and 97 % of them were lost.
#[test]
fn short_queues_bound_what_is_in_flight() {
    for ratio in ["2", "6"] {
        for (flows, quarters) in [(1, 1), (3, 1), (1, 2), (3, 2), (1, 4), (3, 4), (1, 16)] {
            let place = format!("R = {ratio}, {flows} flows, {quarters}/4 BDP");
            let buffer = 66 * quarters / 4;
            let mut net = Net::new(rate(1650), Span::millis(40), buffer * MSS);
            for i in 0..flows {
                net.add(build("verus", &[("ratio", ratio)]), at(i as f64));
            }
            let mut most = 0;
            net.watch(at(30.0), |net| {
                let in_flight = net.flows.iter().map(|f| f.in_flight / MSS).max();
                most = most.max(in_flight.unwrap());
            });
            assert!(most <= 2 * (66 + buffer) + 20, "{place}: {most} in flight");
            let sent: u64 = net.flows.iter().map(|f| f.sent).sum();
            let lost: u64 = net.flows.iter().map(|f| f.lost).sum();
            assert!(lost * 2 < sent, "{place}: {lost} of {sent} B lost");
        }
    }
}
