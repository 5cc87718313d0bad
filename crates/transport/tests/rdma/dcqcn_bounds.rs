//! DCQCN: clocks, alpha and the timer at the instants at which they begin, and the window.

use backwater_transport::controller::{
    AnyController, Cause, Controller, Departure, Reduction, Sent,
};
use backwater_transport::segment::{Ecn, Signal};
use backwater_transport::units::{Rate, Time};

use crate::{ack, build, congestion, near, sent, shown, us};

const GBIT: f64 = 1e9;

fn made(variant: &str) -> AnyController {
    build("dcqcn", &[("variant", variant), ("rate", "100 Gbit/s")])
}

fn notify(c: &mut AnyController, now: f64) {
    c.on_signal(us(now), &Signal::Congestion);
}

fn rate(c: &AnyController) -> f64 {
    shown(c, "rate_bps")
}

/// Ticks of 4 us run from the first notification on. One that comes with a tick waits for the next, and those before it change nothing
/// but alpha: of the microseconds with a notification each raises it, and the others let it fall.
#[test]
fn cuts_wait_for_the_next_tick() {
    let g: f64 = 1.0 / 204.8;
    let raised = |alpha: f64| alpha + (1.0 - alpha) * g;
    let mut c = made("connectx");
    let mut alpha: f64 = 1023.0 / 1024.0;
    near(shown(&c, "alpha"), alpha);
    assert_eq!(
        (c.limits().wake, c.inspect().state),
        (Time::NEVER, "line rate")
    );
    notify(&mut c, 10.0);
    assert_eq!(c.limits().wake, us(14.0));
    c.on_timer(us(13.999));
    near(rate(&c), 100.0 * GBIT);
    c.on_timer(us(14.0));
    alpha = raised(alpha) * (1.0 - g).powi(3);
    near(shown(&c, "alpha"), alpha);
    let mut expected = 100.0 * GBIT * (1.0 - alpha / 2.0);
    near(rate(&c), expected);
    assert_eq!(c.inspect().state, "below");
    // At 18 us, a tick: the four microseconds before were quiet.
    notify(&mut c, 18.0);
    assert_eq!(c.limits().wake, us(22.0));
    alpha *= (1.0 - g).powi(4);
    near(shown(&c, "alpha"), alpha);
    // Half a microsecond later nothing is over.
    notify(&mut c, 18.5);
    near(shown(&c, "alpha"), alpha);
    // A microsecond later the first has had its notification, and another is in the second.
    notify(&mut c, 19.5);
    assert_eq!(c.limits().wake, us(22.0));
    alpha = raised(alpha);
    near(shown(&c, "alpha"), alpha);
    c.on_timer(us(22.0));
    alpha = raised(alpha) * (1.0 - g).powi(2);
    expected *= 1.0 - alpha / 2.0;
    near(rate(&c), expected);
    // Long after: of ticks at 14, 18 and so on the one behind 301 us is at 302.
    notify(&mut c, 301.0);
    assert_eq!(c.limits().wake, us(302.0));
}

/// A rate at the line has no steps, and a notification sets the timer. One that is overdue is due at the last event, whichever that was.
#[test]
fn an_overdue_timer_is_due_at_once() {
    let mut c = made("paper");
    notify(&mut c, 0.0);
    near(rate(&c), 50.0 * GBIT);
    assert_eq!(c.limits().wake, us(55.0));
    c.on_ack(&ack(60.0, 1000, 20.0));
    assert_eq!(c.limits().wake, us(60.0));
    c.on_congestion(&congestion(61.0, Cause::Timeout));
    assert_eq!(c.limits().wake, us(61.0));
    sent(&mut c, 62.0, 0, 1000);
    assert_eq!(c.limits().wake, us(62.0));
    c.on_signal(us(63.0), &Signal::Notice { feedback: 63 });
    assert_eq!(c.limits().wake, us(63.0));
    near(rate(&c), 50.0 * GBIT);
    c.on_timer(us(63.0));
    near(rate(&c), 75.0 * GBIT);
    assert_eq!(c.limits().wake, us(118.0));
}

/// Without a step between them cuts leave the target at the line, sixteen times as far as the rate, and the first step goes half the way
/// there: only ns3-rdma and QCN bring a target nearer.
#[test]
fn a_far_target_stays_in_the_firmware() {
    let mut c = made("connectx");
    for number in 0..4 {
        notify(&mut c, 4.0 * f64::from(number));
        c.on_timer(us(4.0 * f64::from(number + 1)));
    }
    let before = rate(&c);
    assert!(before < 10.0 * GBIT);
    c.on_timer(us(316.0));
    near(shown(&c, "target_bps"), 100.0 * GBIT);
    near(rate(&c), f64::midpoint(100.0 * GBIT, before));
}

/// R_AI once, with the first step, then R_HAI: 20 and 200 Mbit/s on a line of 100 Gbit/s.
#[test]
fn the_simulator_of_hpcc_rises_by_r_ai_once() {
    let mut c = made("hpcc-simulator");
    for (now, tick) in [(10.0, 14.0), (400.0, 402.0)] {
        let mut marked = ack(now, 1000, 20.0);
        marked.marked = 1000;
        c.on_ack(&marked);
        assert_eq!(c.limits().wake, us(tick));
        c.on_timer(us(tick));
        if now < 20.0 {
            c.on_timer(us(314.0));
        }
    }
    let mut target = shown(&c, "target_bps");
    assert!(target < 80.0 * GBIT);
    for rise in [20e6, 200e6, 200e6] {
        c.on_timer(c.limits().wake);
        target += rise;
        near(shown(&c, "target_bps"), target);
    }
}

/// Marks of acknowledgements count in the reading of HPCC's simulator alone, and there one byte is a mark.
#[test]
fn a_marked_byte_is_a_mark_where_acknowledgements_count() {
    for (variant, bytes, wake) in [
        ("hpcc-simulator", 1, us(14.0)),
        ("hpcc-simulator", 0, Time::NEVER),
        ("connectx", 1000, Time::NEVER),
        ("paper", 1000, Time::NEVER),
    ] {
        let mut c = made(variant);
        let mut marked = ack(10.0, 1000, 20.0);
        marked.marked = bytes;
        c.on_ack(&marked);
        assert_eq!(c.limits().wake, wake, "{variant}");
    }
}

/// In ns3-rdma alpha moves before the cut, in the paper behind it; the silence that lets it fall is counted from the last notification or
/// fall on.
#[test]
fn alpha_falls_in_whole_periods_of_silence() {
    for (variant, first) in [("paper", 1.0), ("ns3-rdma", 0.501_953_125)] {
        let mut c = made(variant);
        notify(&mut c, 0.0);
        near(shown(&c, "alpha"), first);
        let fallen = |alpha: f64, periods: i32| alpha * (255.0_f64 / 256.0).powi(periods);
        let raised = |alpha: f64| alpha + (1.0 - alpha) / 256.0;
        let mut alpha = first;
        for (now, periods) in [(54.999, 0), (109.999, 1), (219.999, 2), (274.998, 0)] {
            notify(&mut c, now);
            alpha = raised(fallen(alpha, periods));
            near(shown(&c, "alpha"), alpha);
        }
    }
}

/// 3,000 bytes at the rate of the line are 1,500 at a half of it, and never less than a packet.
#[test]
fn a_window_keeps_one_packet() {
    let options = [("rate", "40 Gbit/s"), ("window", "3 kB")];
    let mut c = build("dcqcn", &options);
    let mut windows = vec![c.limits().window];
    for _ in 0..2 {
        notify(&mut c, 0.0);
        windows.push(c.limits().window);
    }
    assert_eq!(windows, [3000, 1500, 1000]);
    assert_eq!(c.limits().pacing, Some(Rate(10_000_000_000)));
    assert_eq!((c.ecn(), c.reduction()), (Ecn::Ect0, Reduction::Direct));
    let departure = c.on_sent(&Sent {
        now: us(0.0),
        number: 0,
        len: 1000,
        in_flight: 1000,
        again: false,
        app_limited: false,
    });
    assert_eq!(departure, Departure::Noted);
}
