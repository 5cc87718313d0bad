//! QCN: the reaction point of IEEE 802.1Qau, notice by notice and step by step. 10 Gbit/s, and 1,048 bytes a frame.

use backwater_transport::controller::{AnyController, Cause, Controller, Departure, Reduction};
use backwater_transport::endpoint::{MAX_UNACKNOWLEDGED, Protocol};
use backwater_transport::segment::Signal;
use backwater_transport::units::Time;

use crate::{ack, build, congestion, made_for, near, sent, shown, us};

const MBIT: f64 = 1e6;

fn built(options: &[(&str, &str)]) -> AnyController {
    build("qcn", &[options, &[("rate", "10 Gbit/s")]].concat())
}

/// A notice of so many units, in microseconds.
fn notify(c: &mut AnyController, now: f64, feedback: u8) {
    c.on_signal(us(now), &Signal::Notice { feedback });
}

fn elapse(c: &mut AnyController) {
    let wake = c.limits().wake;
    c.on_timer(wake);
}

fn rates(c: &AnyController) -> (f64, f64) {
    (shown(c, "rate_bps") / MBIT, shown(c, "target_bps") / MBIT)
}

fn are(c: &AnyController, rate: f64, target: f64) {
    near(rates(c).0, rate);
    near(rates(c).1, target);
}

/// A flow begins with the rate of its line, which nothing raises: no timer, no steps.
#[test]
fn a_flow_begins_at_the_rate_of_its_line() {
    let mut c = built(&[("bytes", "1 kB")]);
    assert!(c.receives_notices());
    assert_eq!(c.reduction(), Reduction::Direct);
    sent(&mut c, 0.0, 0, 100_000);
    c.on_timer(us(1e6));
    are(&c, 10_000.0, 10_000.0);
    assert_eq!(c.inspect().state, "line rate");
    let limits = c.limits();
    assert_eq!(limits.window, MAX_UNACKNOWLEDGED * 1000);
    assert_eq!(limits.pacing.map(|rate| rate.0), Some(10_000_000_000));
    assert_eq!(limits.wake, Time::NEVER);
    notify(&mut c, 0.0, 32);
    are(&c, 7_500.0, 10_000.0);
    assert_eq!(c.inspect().state, "below");
}

/// A least rate above the line is the line's.
#[test]
fn the_least_rate_is_at_most_the_lines() {
    let options = [("rate", "50 Mbit/s"), ("least", "80 Mbit/s")];
    let mut c = build("qcn", &options);
    for _ in 0..3 {
        notify(&mut c, 0.0, 63);
        are(&c, 50.0, 50.0);
    }
}

/// Four notices leave a tenth. A target of ten rates stays at the first step, one above it falls to an eighth, and later steps bring none
/// nearer.
#[test]
fn a_target_above_ten_rates_is_brought_nearer_once() {
    for (last, first, target) in [
        (2, 5_500.0, 10_000.0),
        (3, 0.5 * (875.0 + 1_250.0), 1_250.0),
    ] {
        let mut c = built(&[("gain", "0.1")]);
        for feedback in [9, 9, 9, last] {
            notify(&mut c, 0.0, feedback);
        }
        let left = 1_250.0 * (1.0 - 0.1 * f64::from(last));
        are(&c, left, 10_000.0);
        elapse(&mut c);
        are(&c, first, target);
    }
    // Behind a step a notice brings the target to the rate; those behind it do not.
    let mut c = built(&[("gain", "0.5")]);
    notify(&mut c, 0.0, 9);
    elapse(&mut c);
    are(&c, 7_500.0, 10_000.0);
    for number in 0..5 {
        notify(&mut c, 20_000.0, 9);
        are(&c, 3_750.0 / f64::from(1 << number), 7_500.0);
    }
}

/// Five steps of the byte counter go half the way; the sixth adds R_AI first. Both counters beyond five add R_HAI for each step of the
/// lesser one.
#[test]
fn fast_recovery_active_and_hyper_active_increase() {
    let options = [
        ("bytes", "10480 B"),
        ("timer", "10 us"),
        ("additive", "8 Mbit/s"),
        ("hyper", "100 Mbit/s"),
        ("gain", "0.25"),
    ];
    let mut c = built(&options);
    notify(&mut c, 0.0, 1);
    elapse(&mut c);
    notify(&mut c, 10.0, 2);
    let (mut rate, mut target) = (4_375.0, 8_750.0);
    are(&c, rate, target);
    let mut step = |c: &AnyController, rise: f64| {
        target += rise;
        rate = f64::midpoint(rate, target);
        are(c, rate, target);
    };
    // Ten frames a step, and five of them from the sixth step on.
    for number in 0..50 {
        sent(&mut c, 11.0, number, 1000);
        if number % 10 == 9 {
            step(&c, 0.0);
        }
    }
    for number in 0..15 {
        sent(&mut c, 11.0, number, 1000);
        if number % 5 == 4 {
            step(&c, 8.0);
        }
    }
    // The timer: five steps of 10 us, which add because the other counter is beyond five, then of 5 us.
    for number in 1..=5 {
        assert_eq!(c.limits().wake, us(10.0 + 10.0 * f64::from(number)));
        elapse(&mut c);
        step(&c, 8.0);
    }
    for (number, times) in [(1, 1.0), (2, 2.0), (3, 3.0), (4, 3.0)] {
        assert_eq!(c.limits().wake, us(60.0 + 5.0 * f64::from(number)));
        elapse(&mut c);
        step(&c, 100.0 * times);
    }
}

/// What is beyond a period is dropped: of frames of 1,048 bytes 11 are a step of 10,481 bytes, each time.
#[test]
fn a_step_of_bytes_begins_with_nothing() {
    let mut c = built(&[("bytes", "10481 B")]);
    notify(&mut c, 0.0, 32);
    let mut steps = Vec::new();
    for number in 1..=33 {
        let before = rates(&c).0;
        sent(&mut c, 1.0, number, 1000);
        if rates(&c).0 > before {
            steps.push(number);
        }
    }
    assert_eq!(steps, [11, 22, 33]);
}

/// The target ends at the line, and the rate halves its way to it until it is there.
#[test]
fn nothing_rises_above_the_line() {
    let options = [
        ("additive", "100 Gbit/s"),
        ("timer", "10 us"),
        ("gain", "0.5"),
    ];
    let mut c = built(&options);
    notify(&mut c, 0.0, 1);
    let mut rate = 5_000.0;
    for _ in 0..8 {
        elapse(&mut c);
        rate = f64::midpoint(rate, 10_000.0);
        are(&c, rate, 10_000.0);
    }
    // Fifty halves of what is left are less than the last digit.
    while c.limits().wake != Time::NEVER {
        assert!(c.limits().wake < us(1000.0));
        elapse(&mut c);
    }
    are(&c, 10_000.0, 10_000.0);
    assert_eq!(c.inspect().state, "line rate");
}

/// A timer that is overdue is due at the last event, whichever that was.
#[test]
fn an_overdue_timer_is_due_at_once() {
    let mut c = built(&[("timer", "10 us")]);
    notify(&mut c, 0.0, 32);
    assert_eq!(c.limits().wake, us(10.0));
    c.on_timer(us(9.999));
    are(&c, 7_500.0, 10_000.0);
    c.on_ack(&ack(20.0, 1000, 20.0));
    assert_eq!(c.limits().wake, us(20.0));
    c.on_congestion(&congestion(21.0, Cause::Timeout));
    assert_eq!(c.limits().wake, us(21.0));
    sent(&mut c, 22.0, 0, 1000);
    assert_eq!(c.limits().wake, us(22.0));
    c.on_signal(us(23.0), &Signal::Congestion);
    assert_eq!(c.limits().wake, us(23.0));
    are(&c, 7_500.0, 10_000.0);
    c.on_timer(us(23.0));
    are(&c, 8_750.0, 10_000.0);
    assert_eq!(c.limits().wake, us(33.0));
}

/// Only queue pairs have a pace that a card keeps. A departure is noted, since the byte counter needs it.
#[test]
fn it_is_for_queue_pairs() {
    let of = |protocol| {
        let built = made_for(protocol, [1000, 1048], "qcn", &[("rate", "10 Gbit/s")]);
        built.map(|_| ()).map_err(|refusal| refusal.option)
    };
    assert_eq!(of(Protocol::Stream), Err("rate"));
    assert_eq!(of(Protocol::Roce), Ok(()));
    let mut c = built(&[]);
    let first = backwater_transport::controller::Sent {
        now: us(0.0),
        number: 0,
        len: 1000,
        in_flight: 1000,
        again: false,
        app_limited: false,
    };
    assert_eq!(c.on_sent(&first), Departure::Noted);
}
