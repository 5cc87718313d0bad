//! Prague's laws, from acknowledgements made by hand.

use backwater_transport::controller::{AnyController, Cause, Congestion, Controller, Sent};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Rate, Span};

use crate::build::{MSS, build, quiet_ack};
use backwater_transport_testing::bottleneck::{Net, at};

fn value(controller: &AnyController, name: &str) -> f64 {
    let values = controller.inspect().values;
    values.iter().find(|(n, _)| *n == name).expect(name).1
}

/// A path that marks every `1/p`-th packet, whatever is sent. Returns mean window in packets and
/// mean rate in packets/s.
fn under_marks(rtt: f64, every: u64) -> (f64, f64) {
    let mut prague = build("prague", &[]);
    let (mut now, mut number, mut round_end) = (1.0, 0u64, 0u64);
    let (mut sum, mut n) = (0.0, 0.0);
    let until = 2000.0 * rtt.max(0.025);
    while now < 1.0 + until {
        let window = value(&prague, "window_B") / MSS as f64;
        now += rtt / window;
        prague.on_sent(&Sent {
            now: at(now),
            number: number + window as u64,
            len: MSS,
            in_flight: (window * MSS as f64) as u64,
            again: false,
            app_limited: false,
        });
        let mut ack = quiet_ack(at(now), (window * MSS as f64) as u64);
        ack.acked = MSS;
        ack.marked = if number.is_multiple_of(every) { MSS } else { 0 };
        ack.number = number;
        ack.srtt = Span::from_seconds(rtt);
        ack.rtt = Some(ack.srtt);
        ack.round_start = number >= round_end;
        if ack.round_start {
            round_end = number + window as u64;
        }
        prague.on_ack(&ack);
        number += 1;
        if now > 1.0 + until / 2.0 {
            sum += window * rtt / window;
            n += rtt / window;
        }
    }
    let window = sum / n;
    (window, window / rtt)
}

#[test]
fn the_window_is_two_over_p_at_long_round_trips() {
    // In a round trip 1 - p segments are added, and α/2 = p/2 of the window taken: W = 2 (1 - p)/p.
    for every in [20, 50, 100] {
        let (window, _) = under_marks(0.050, every);
        let expected = 2.0 * (every as f64 - 1.0);
        assert!((window / expected - 1.0).abs() < 0.1, "{every}: {window}");
    }
}

#[test]
fn below_25_ms_the_rate_does_not_depend_on_the_round_trip() {
    // (rtt/25 ms)² segments a round trip and p/2 of the window every 25 ms: rate 2 (1 - p)/(p · 25 ms).
    let expected = 2.0 * 49.0 / 0.025;
    for rtt in [0.025, 0.010, 0.005] {
        let (_, rate) = under_marks(rtt, 50);
        assert!(
            (rate / expected - 1.0).abs() < 0.1,
            "{rtt}: {rate} {expected}"
        );
    }
}

fn settle(options: &[(&str, &str)], marked: bool) -> (f64, f64, AnyController) {
    let mut prague = build("prague", options);
    let mut ack = quiet_ack(at(1.0), 10 * MSS);
    ack.acked = MSS;
    ack.srtt = Span::millis(50);
    prague.on_ack(&ack);
    let before = value(&prague, "window_B");
    ack.now = at(1.01);
    ack.marked = if marked { MSS } else { 0 };
    prague.on_ack(&ack);
    (before, value(&prague, "window_B"), prague)
}

#[test]
fn the_first_mark_halves_or_does_not() {
    let (before, after, _) = settle(&[], true);
    assert!((after / before - 0.5).abs() < 1e-9);
    let (before, after, _) = settle(&[("first-mark", "alpha")], true);
    assert_eq!(before, after);
}

#[test]
fn it_reduces_once_a_virtual_round_trip() {
    let (_, after, mut prague) = settle(&[], true);
    let mut ack = quiet_ack(at(1.03), 10 * MSS);
    ack.acked = MSS;
    ack.marked = MSS;
    ack.srtt = Span::millis(50);
    prague.on_ack(&ack);
    assert_eq!(value(&prague, "window_B"), after);
    ack.now = at(1.07);
    prague.on_ack(&ack);
    assert!(value(&prague, "window_B") < after);
}

#[test]
fn a_loss_halves_and_it_asks_for_the_low_latency_service() {
    let (_, window, mut prague) = settle(&[], false);
    prague.on_congestion(&Congestion {
        now: at(1.1),
        cause: Cause::Loss,
        in_flight: window as u64,
        lost: MSS,
        tx_in_flight: window as u64,
        round: 1,
    });
    assert!((value(&prague, "window_B") / window - 0.5).abs() < 1e-9);
    assert_eq!(prague.ecn(), Ecn::Ect1);
}

#[test]
fn it_paces_below_a_segment_a_round_trip() {
    // 50 packets/s over 10 ms hold half a packet. With a threshold of one packet the queue stays
    // within a few, where a window of whole segments could not go below one of its own.
    let mut net = Net::new(Rate(50 * 8 * MSS), Span::millis(10), u64::MAX);
    net.mark = Some(0);
    net.add(build("prague", &[]), at(0.0));
    net.run(at(20.0));
    let mut most = 0;
    net.watch(at(60.0), |net| most = most.max(net.queued() / MSS));
    assert!(most <= 4, "{most}");
}

#[test]
fn it_keeps_the_queue_at_a_shallow_threshold() {
    // 5000 packets/s, 20 ms and a threshold of 1 ms: 5 packets.
    let mut net = Net::new(Rate(5000 * 8 * MSS), Span::millis(20), u64::MAX);
    net.mark = Some(5 * MSS);
    net.add(build("prague", &[]), at(0.0));
    net.run(at(10.0));
    let before = net.flows[0].delivered;
    let mut most = 0;
    net.watch(at(20.0), |net| most = most.max(net.queued() / MSS));
    let used = (net.flows[0].delivered - before) as f64 / MSS as f64 / 50_000.0;
    assert!(most <= 12, "{most}");
    assert!(used > 0.9, "{used}");
}
