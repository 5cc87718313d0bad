//! DCQCN: the constants in which its four published readings differ, seen by what they do.

use backwater_transport::controller::{AnyController, Controller};
use backwater_transport::segment::Signal;
use backwater_transport::units::Rate;

use crate::{ack, build, near, sent, shown, us};

const GBIT: f64 = 1e9;
const MBIT: f64 = 1e6;

fn made(variant: &str, rate: &str) -> AnyController {
    build("dcqcn", &[("variant", variant), ("rate", rate)])
}

fn notify(controller: &mut AnyController, now: f64) {
    controller.on_signal(us(now), &Signal::Congestion);
}

/// The next timer runs out.
fn elapse(controller: &mut AnyController) {
    let wake = controller.limits().wake;
    controller.on_timer(wake);
}

/// So many packets whose frames have so many bytes each leave.
fn send(controller: &mut AnyController, packets: u64, frame: u64) {
    for number in 0..packets {
        sent(controller, 0.0, number, frame - 48);
    }
}

fn rate(controller: &AnyController) -> f64 {
    shown(controller, "rate_bps")
}

fn target(controller: &AnyController) -> f64 {
    shown(controller, "target_bps")
}

/// α = 1 and T = 55 us. The target is the rate before each cut, whether a step has come or not. B = 10 MB. From the fifth step of a counter on
/// the target rises by 40 Mbit/s, with the sixth of both by 200.
#[test]
fn the_paper_follows_each_notification_and_steps_by_55_us_and_10_megabytes() {
    let mut c = made("paper", "40 Gbit/s");
    notify(&mut c, 0.0);
    near(rate(&c), 20.0 * GBIT);
    assert_eq!(c.limits().wake, us(55.0));
    notify(&mut c, 1.0);
    near(target(&c), 20.0 * GBIT);
    let mut expected = 20.0 * GBIT;
    for step in 1..=5 {
        let before = rate(&c);
        send(&mut c, 9, 1_000_000);
        near(rate(&c), before);
        send(&mut c, 1, 1_000_000);
        expected += if step == 5 { 40.0 * MBIT } else { 0.0 };
        near(target(&c), expected);
        near(rate(&c), f64::midpoint(before, expected));
    }
    for _ in 0..5 {
        elapse(&mut c);
        expected += 40.0 * MBIT;
        near(target(&c), expected);
    }
    send(&mut c, 10, 1_000_000);
    elapse(&mut c);
    near(target(&c), expected + 240.0 * MBIT);
}

/// α falls once 55 us have passed since the last notification, not since the first.
#[test]
fn alpha_falls_behind_the_last_notification() {
    let mut c = made("paper", "40 Gbit/s");
    for (now, gbit) in [(0.0, 20.0), (30.0, 10.0), (60.0, 5.0)] {
        notify(&mut c, now);
        near(rate(&c), gbit * GBIT);
    }
    notify(&mut c, 116.0);
    near(rate(&c), 5.0 * (1.0 - 255.0 / 512.0) * GBIT);
}

/// α = .5 rises to .501953125 before the first cut. T = 60 us, B = 300 MB. With the fifth step of both the target rises by 200 Mbit/s times
/// (min − 4), and both periods halve.
#[test]
fn ns3_rdma_raises_alpha_first_and_halves_its_periods() {
    let mut c = made("ns3-rdma", "40 Gbit/s");
    notify(&mut c, 0.0);
    near(rate(&c), 29.960_937_5 * GBIT);
    assert_eq!(c.limits().wake, us(60.0));
    notify(&mut c, 0.0);
    let alpha = 0.501_953_125 + (1.0 - 0.501_953_125) / 256.0;
    near(rate(&c), 29.960_937_5 * (1.0 - alpha / 2.0) * GBIT);
    let first = 29.960_937_5 * GBIT;
    for _ in 0..4 {
        elapse(&mut c);
        near(target(&c), first);
    }
    elapse(&mut c);
    near(target(&c), first + 40.0 * MBIT);
    for _ in 0..4 {
        send(&mut c, 10, 30_000_000);
    }
    near(target(&c), first + 200.0 * MBIT);
    send(&mut c, 10, 30_000_000);
    near(target(&c), first + 400.0 * MBIT);
    send(&mut c, 5, 30_000_000);
    near(target(&c), first + 600.0 * MBIT);
    let sixth = c.limits().wake;
    assert_eq!(sixth, us(360.0));
    elapse(&mut c);
    near(target(&c), first + 1000.0 * MBIT);
    assert_eq!(c.limits().wake, us(390.0));
}

/// g = 1/204.8 and α₀ = 1023/1024, free running each microsecond: of the four before the tick one is marked. T = 300 us, B = 32,767, F = 1; R_AI = 5
/// and R_HAI = 50 Mbit/s, whatever the count. The target follows where a step has come since the last cut.
#[test]
fn connectx_ticks_each_4_us_and_rises_by_5_and_50_mbit() {
    let mut c = made("connectx", "100 Gbit/s");
    notify(&mut c, 0.0);
    elapse(&mut c);
    let g: f64 = 1.0 / 204.8;
    let alpha = (1023.0 / 1024.0 + g / 1024.0) * (1.0 - g).powi(3);
    near(rate(&c), 100.0 * GBIT * (1.0 - alpha / 2.0));
    notify(&mut c, 5.0);
    elapse(&mut c);
    near(target(&c), 100.0 * GBIT);
    assert_eq!(c.limits().wake, us(308.0));
    elapse(&mut c);
    notify(&mut c, 309.0);
    let before = rate(&c);
    elapse(&mut c);
    near(target(&c), before);
    let mut expected = before;
    for _ in 0..2 {
        elapse(&mut c);
        expected += 5.0 * MBIT;
        near(target(&c), expected);
    }
    for rise in [5.0, 50.0] {
        send(&mut c, 1, 32_767);
        expected += rise * MBIT;
        near(target(&c), expected);
    }
    for _ in 0..2 {
        elapse(&mut c);
        send(&mut c, 1, 32_767);
        expected += 100.0 * MBIT;
        near(target(&c), expected);
    }
}

/// α = 1 falls by 1/256 each microsecond without a mark: three before the tick. Marks come with acknowledgements, and notification packets say
/// nothing. No byte counter.
#[test]
fn the_simulator_of_hpcc_hears_acknowledgements() {
    let mut c = made("hpcc-simulator", "100 Gbit/s");
    notify(&mut c, 0.0);
    c.on_ack(&ack(5.0, 1000, 20.0));
    near(rate(&c), 100.0 * GBIT);
    assert!(c.limits().wake > us(1e6));
    let mut marked = ack(10.0, 1000, 20.0);
    marked.marked = 1000;
    c.on_ack(&marked);
    assert_eq!(c.limits().wake, us(14.0));
    elapse(&mut c);
    let first = 100.0 * GBIT * (1.0 - (255.0_f64 / 256.0).powi(3) / 2.0);
    near(rate(&c), first);
    assert_eq!(c.limits().wake, us(314.0));
    send(&mut c, 100, 30_000_000);
    near(rate(&c), first);
    // Again and again: down to 100 Mbit/s.
    for number in 0..40 {
        let mut marked = ack(15.0 + 4.0 * f64::from(number), 1000, 20.0);
        marked.marked = 1000;
        c.on_ack(&marked);
        elapse(&mut c);
    }
    near(rate(&c), 100.0 * MBIT);
}

/// Least rates: 100 Mbit/s, and 1 Mbit/s.
#[test]
fn notifications_leave_the_least_rate() {
    let mut c = made("ns3-rdma", "40 Gbit/s");
    for _ in 0..60 {
        notify(&mut c, 0.0);
    }
    near(rate(&c), 100.0 * MBIT);
    let mut c = made("connectx", "100 Gbit/s");
    for number in 0..60 {
        notify(&mut c, 4.0 * f64::from(number));
        elapse(&mut c);
    }
    near(rate(&c), MBIT);
}

/// 125 kB at 40 Gbit/s are 62.5 kB at 20.
#[test]
fn a_window_is_in_proportion_to_the_rate() {
    let options = [("rate", "40 Gbit/s"), ("window", "125 kB")];
    let mut c = build("dcqcn", &options);
    assert_eq!(c.limits().window, 125_000);
    notify(&mut c, 0.0);
    assert_eq!(c.limits().window, 62_500);
    assert_eq!(c.limits().pacing, Some(Rate(20_000_000_000)));
}
