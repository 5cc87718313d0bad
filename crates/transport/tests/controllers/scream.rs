//! SCReAM's update equations, each worked out by hand, and its queue over the path model.

use backwater_transport::controller::{Ack, AnyController, Cause, Congestion, Controller};
use backwater_transport::units::{Rate, Span};

use crate::build::{MSS, build, quiet_ack};
use backwater_transport_testing::bottleneck::{Net, at};

fn value(controller: &AnyController, name: &str) -> f64 {
    let values = controller.inspect().values;
    values.iter().find(|(n, _)| *n == name).expect(name).1
}

/// One segment acknowledged over a round trip of 50 ms, with a one-way delay of so many ms; the flight is a
/// full window of 10 segments.
fn ack(ms: f64, one_way_ms: u64) -> Ack<'static> {
    let mut ack = quiet_ack(at(ms / 1000.0), 9 * MSS);
    ack.prior_in_flight = 10 * MSS;
    ack.acked = MSS;
    ack.rtt = Some(Span::millis(50));
    ack.srtt = Span::millis(50);
    ack.one_way = Some(Span::millis(one_way_ms));
    ack
}

fn loss(ms: f64) -> Congestion {
    Congestion {
        now: at(ms / 1000.0),
        cause: Cause::Loss,
        in_flight: 10 * MSS,
        lost: MSS,
        tx_in_flight: 10 * MSS,
        round: 1,
    }
}

#[test]
fn it_grows_by_a_segment_a_window_and_faster_long_after_congestion() {
    let mut scream = build("scream", &[]);
    let before = value(&scream, "ref_wnd_B");
    scream.on_ack(&ack(1000.0, 25));
    // Never congested: scl = 1 and the post-congestion factor is 1. Of 10 segments, 1 acknowledged:
    // 1448 · 1/10 · (1 + 0.02 · 10).
    let expected = MSS as f64 / 10.0 * 1.2;
    assert!((value(&scream, "ref_wnd_B") - before - expected).abs() < 1e-6);
    // Loss takes 30 %, and the next increase is scaled: scl = (8 · 0.3)² capped at 1, and 10 ms of
    // 100 · 50 ms have gone by.
    let before = value(&scream, "ref_wnd_B");
    scream.on_congestion(&loss(1010.0));
    let reduced = value(&scream, "ref_wnd_B");
    assert!((reduced - 0.7 * before).abs() < 1e-6);
    scream.on_ack(&ack(1020.0, 25));
    let expected =
        MSS as f64 * MSS as f64 / reduced * (1.0 + 0.02 * reduced / MSS as f64 * (0.010 / 5.0));
    assert!((value(&scream, "ref_wnd_B") - reduced - expected).abs() < 1e-6);
}

#[test]
fn it_reacts_once_in_25_ms() {
    let mut scream = build("scream", &[]);
    scream.on_ack(&ack(1000.0, 25));
    scream.on_congestion(&loss(1010.0));
    let once = value(&scream, "ref_wnd_B");
    scream.on_congestion(&loss(1030.0));
    assert_eq!(value(&scream, "ref_wnd_B"), once);
    scream.on_congestion(&loss(1036.0));
    assert!((value(&scream, "ref_wnd_B") - 0.7 * once).abs() < 1e-6);
}

#[test]
fn delay_above_half_the_target_shrinks_it() {
    let mut scream = build("scream", &[]);
    scream.on_ack(&ack(1000.0, 20));
    // 80 ms above the least: the average moves a quarter each time: 20, 35, … ms. At 35 ms, above
    // half of 60 ms: a_v = 5/30, over srtt/VIRTUAL_RTT = 2 and 2: 1/24 less.
    scream.on_ack(&ack(1001.0, 100));
    assert!((value(&scream, "qdelay_avg_s") - 0.020).abs() < 1e-9);
    let before = value(&scream, "ref_wnd_B");
    let mut last = ack(1002.0, 100);
    // Nothing acknowledged, so that nothing is added.
    last.acked = 0;
    scream.on_ack(&last);
    assert!((value(&scream, "qdelay_avg_s") - 0.035).abs() < 1e-9);
    let expected = before * (1.0 - 1.0 / 24.0);
    assert!((value(&scream, "ref_wnd_B") - expected).abs() < 1e-6);
    // Decay is immediate.
    scream.on_ack(&ack(1003.0, 20));
    assert_eq!(value(&scream, "qdelay_avg_s"), 0.0);
}

#[test]
fn marks_cut_by_half_of_alpha_or_by_a_fifth() {
    // All of a segment marked: α goes up by 1/8 to 0.125. At 50 ms it counts half: 1/32 less; the
    // delay is zero, below a quarter of the target, and scl is (8 · 0)² raised to 0.25.
    let cut = |ecn: &str| {
        let mut scream = build("scream", &[("ecn", ecn)]);
        scream.on_ack(&ack(1000.0, 25));
        let before = value(&scream, "ref_wnd_B");
        let mut marked = ack(1020.0, 25);
        marked.marked = MSS;
        scream.on_ack(&marked);
        value(&scream, "ref_wnd_B") / before
    };
    let (l4s, classic) = (cut("ect1"), cut("ect0"));
    // The quiet time before counts as long, but no flight of an earlier round is known.
    assert!(
        (l4s - (1.0 - 0.125 / 2.0 / 2.0 * 0.25)).abs() < 1e-9,
        "{l4s}"
    );
    assert!((classic - 0.8).abs() < 1e-9, "{classic}");
}

#[test]
fn alpha_falls_slower_than_it_rises() {
    let mut scream = build("scream", &[]);
    let mut marked = ack(1000.0, 25);
    marked.marked = MSS;
    scream.on_ack(&marked);
    assert!((value(&scream, "l4s_alpha") - 0.125).abs() < 1e-12);
    // Not before 10 ms have gone by.
    scream.on_ack(&ack(1005.0, 25));
    assert!((value(&scream, "l4s_alpha") - 0.125).abs() < 1e-12);
    scream.on_ack(&ack(1010.0, 25));
    assert!((value(&scream, "l4s_alpha") - 0.125 * 127.0 / 128.0).abs() < 1e-12);
}

#[test]
fn it_holds_the_delay_below_its_target_and_uses_the_link() {
    let mut net = Net::new(Rate(10_000_000), Span::millis(40), u64::MAX);
    net.add(build("scream", &[]), at(0.0));
    net.run(at(20.0));
    let before = net.flows[0].delivered;
    let mut worst = 0;
    net.watch(at(40.0), |net| worst = worst.max(net.queued()));
    let used = (net.flows[0].delivered - before) as f64 * 8.0 / 20.0 / 10e6;
    let delay = worst as f64 * 8.0 / 10e6;
    assert!(delay < 0.060, "{delay}");
    assert!(used > 0.9, "{used}");
}

/// A latecomer takes the first flow's queue for the path, until a time at half the rate empties it.
#[test]
fn a_latecomer_learns_the_base_delay() {
    for (mbit, rtt, apart) in [
        (20, 40, 20.0),
        (20, 40, 1.0),
        (5, 40, 20.0),
        (10, 100, 20.0),
    ] {
        let mut net = Net::new(Rate(mbit * 1_000_000), Span::millis(rtt), u64::MAX);
        net.add(build("scream", &[]), at(0.0));
        net.add(build("scream", &[]), at(apart));
        net.run(at(120.0));
        let before = [net.flows[0].delivered, net.flows[1].delivered];
        let mut worst = 0;
        net.watch(at(240.0), |net| worst = worst.max(net.queued()));
        let gained = |i: usize| (net.flows[i].delivered - before[i]) as f64;
        let ratio = (gained(0) / gained(1)).max(gained(1) / gained(0));
        println!("{mbit} {rtt} {apart}: {ratio} {worst}");
        assert!(ratio < 2.0, "{mbit} {rtt} {apart}: {ratio}");
        assert!((worst * 8) as f64 / (mbit as f64 * 1e6) < 0.080, "{worst}");
    }
}

/// A longer path looks like a queue of 30 ms, half the target, which no sender can empty: after 20 s and
/// five round trips it is the base delay.
#[test]
fn a_longer_path_is_measured_anew() {
    let mut net = Net::new(Rate(10_000_000), Span::millis(40), u64::MAX);
    net.add(build("scream", &[]), at(0.0));
    net.run(at(20.0));
    net.rtt = Span::millis(140);
    net.run(at(60.0));
    let before = net.flows[0].delivered;
    net.run(at(80.0));
    let used = (net.flows[0].delivered - before) as f64 * 8.0 / 20.0 / 10e6;
    assert!(used > 0.8, "{used}");
}
