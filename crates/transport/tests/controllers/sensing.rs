//! The three senses: each acts on what it is named after, and once.

use backwater_transport::controller::{Ack, AnyController, Controller, Sent};
use backwater_transport::units::{Rate, Span, Time};

use crate::build::{MSS, build, quiet_ack};
use backwater_transport_testing::bottleneck::{Net, at};

fn window(controller: &AnyController) -> f64 {
    controller.limits().window as f64 / MSS as f64
}

fn ack(now_ms: f64, rtt_ms: f64) -> Ack<'static> {
    let mut ack = quiet_ack(at(now_ms / 1000.0), 0);
    ack.acked = MSS;
    ack.rtt = Some(Span::from_seconds(rtt_ms / 1000.0));
    ack
}

/// Grows to about ten packets on round trips of 40 ms; returns the instant after, in ms.
fn grown(id: &str, options: &[(&str, &str)]) -> (AnyController, f64) {
    let mut controller = build(id, options);
    let mut now = 0.0;
    while window(&controller) < 10.0 && now < 1000.0 {
        now += 10.0;
        controller.on_ack(&ack(now, 40.0));
    }
    (controller, now)
}

#[test]
fn a_moving_average_acts_when_it_passes_the_threshold_and_once() {
    // From 40 ms with round trips of 120 ms at gain 1/8 the average is 120 - 80 · (7/8)^n: 66.4 ms
    // after three, 73.1 ms after four.
    let (mut c, now) = grown("ewma", &[]);
    let before = window(&c);
    for i in 1..=3 {
        c.on_ack(&ack(now + f64::from(i), 120.0));
        assert!(window(&c) > before);
    }
    let before = window(&c);
    c.on_ack(&ack(now + 4.0, 120.0));
    assert!((window(&c) - before / 2.0).abs() < 0.01);
    c.on_ack(&ack(now + 5.0, 120.0));
    assert!((window(&c) - before / 2.0).abs() < 0.01);
    // A greater gain acts sooner.
    let (mut quick, now) = grown("ewma", &[("gain", "1")]);
    let before = window(&quick);
    quick.on_ack(&ack(now + 1.0, 120.0));
    assert!(window(&quick) < before);
}

#[test]
fn a_slope_acts_before_any_round_trip_is_long() {
    // 2 ms more every millisecond: slope 2, far below 70 ms.
    let (mut c, now) = grown("slope", &[]);
    let before = window(&c);
    for i in 1..=4 {
        c.on_ack(&ack(now + f64::from(i), 40.0 + 2.0 * f64::from(i)));
    }
    assert!(window(&c) < 0.6 * before, "{}", window(&c));
    // Half a millisecond more every millisecond is no collapse.
    let (mut c, now) = grown("slope", &[]);
    let before = window(&c);
    for i in 1..=4 {
        c.on_ack(&ack(now + f64::from(i), 40.0 + 0.5 * f64::from(i)));
    }
    assert!(window(&c) > before);
}

#[test]
fn a_late_segment_acts_by_the_clock() {
    let (mut c, now) = grown("late", &[]);
    let before = window(&c);
    let sent = at(now / 1000.0);
    c.on_sent(&Sent {
        now: sent,
        number: 1000,
        len: MSS,
        in_flight: MSS,
        again: false,
        app_limited: false,
    });
    let wake = c.limits().wake;
    assert_eq!(wake, sent.after(Span::millis(70)));
    c.on_timer(wake);
    assert!((window(&c) - before / 2.0).abs() < 0.01);
    // Armed again by an acknowledgement that is in time, of a later segment.
    assert_eq!(c.limits().wake, Time::NEVER);
    let mut in_time = ack(now + 80.0, 40.0);
    in_time.number = 1000;
    c.on_ack(&in_time);
    assert!(window(&c) > before / 2.0);
}

#[test]
fn the_cap_holds() {
    let run = |options: &[(&str, &str)]| {
        let mut net = Net::new(Rate(10_000_000), Span::millis(40), u64::MAX);
        net.add(build("ewma", options), at(0.0));
        let mut most = 0.0_f64;
        net.watch(at(20.0), |net| most = most.max(net.flows[0].window()));
        most
    };
    assert_eq!(run(&[("cap", "12 packets")]), 12.0);
    assert!(run(&[]) > 12.0);
}

#[test]
fn a_slope_reacts_to_a_collapse_before_a_mean_does() {
    // 40 ms and 10 Mbit/s; then a tenth. How many packets wait a quarter of a second later?
    let backlog = |id: &str| {
        let mut net = Net::new(Rate(10_000_000), Span::millis(40), u64::MAX);
        net.add(build(id, &[]), at(0.0));
        net.run(at(4.0));
        net.rate = Rate(1_000_000);
        net.run(at(4.25));
        net.queued() / MSS
    };
    assert!(backlog("late") < backlog("delay-triggered"));
    assert!(backlog("slope") < backlog("delay-triggered"));
}
