//! Sprout over a path.

use backwater_transport::controller::{Controller, Sent};
use backwater_transport::segment::Feedback;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::build::{MSS, build, quiet_ack, try_build};
use backwater_transport_testing::bottleneck::{Net, at};

/// Share of the link used and greatest wait behind other packets, after a second of learning.
fn run(options: &[(&str, &str)], rtt_ms: u64, until: f64) -> (f64, Span) {
    let mut net = Net::new(Rate(5_000_000), Span::millis(rtt_ms), u64::MAX);
    net.add(build("sprout", options), at(0.0));
    net.run(at(1.0));
    let before = net.flows[0].delivered;
    let mut worst = Span::ZERO;
    net.watch(at(until), |net| {
        let wait = net.rate.time_for(Bytes(net.queued() + MSS));
        worst = worst.max(wait);
    });
    let bits = (net.flows[0].delivered - before) as f64 * 8.0;
    (bits / (until - 1.0) / 5e6, worst)
}

#[test]
fn what_it_sends_comes_through_within_the_target() {
    // On a link that is steadier than its model of one, Sprout's caution keeps the wait below the
    // 100 ms that it promises for 95 % of the time on a link that follows the model.
    let (used, worst) = run(&[], 40, 20.0);
    assert!(worst < Span::millis(100), "{} s", worst.seconds());
    assert!(used > 0.5, "{used}");
}

#[test]
fn without_caution_it_uses_more_of_the_link() {
    // Over 100 ms, as long as the target, a window of what surely comes within the target does not
    // fill the path.
    let (cautious, _) = run(&[], 100, 20.0);
    let (bold, _) = run(&[("variant", "ewma")], 100, 20.0);
    assert!(bold > cautious, "{bold} {cautious}");
}

#[test]
fn draining_cumulative_counts_underestimates_the_queue() {
    // 40 packets of 1448 B = 57920 B are out, none settled, and the forecast is that of a steady 8
    // packets a tick. Two ticks on, its 9 packets of 1448 B leave 44888 B, and the program's 3 + 9
    // leave 40544 B. By the horizon 45 - 15 packets or 43440 B will come: room for nothing, and for
    // two segments.
    let room = |drain| {
        let mut controller = build("sprout", &[("drain", drain), ("heartbeat", "1 s")]);
        for number in 0..40 {
            controller.on_sent(&Sent {
                now: at(0.0),
                number,
                len: MSS,
                in_flight: (number + 1) * MSS,
                again: false,
                app_limited: false,
            });
        }
        let mut ack = quiet_ack(at(0.05), 40 * MSS);
        let forecast = Feedback::Forecast {
            made: at(0.04),
            packets: [3, 9, 15, 21, 27, 33, 39, 45],
            settled: 0,
        };
        ack.feedback = Some(&forecast);
        controller.on_ack(&ack);
        controller.on_timer(at(0.0995));
        (controller.limits().window - 40 * MSS) / MSS
    };
    assert_eq!(room("as-coded"), 2);
    assert_eq!(room("increment"), 0);
}

/// The program's packets are of 1440 B; a segment here has 1448. Were its unit kept, a forecast of one
/// packet would let none out, and whoever sends nothing is forecast nothing.
#[test]
fn a_forecast_of_one_packet_lets_a_full_segment_out() {
    let room = |options: &[(&str, &str)]| {
        let mut controller = build("sprout", options);
        let mut ack = quiet_ack(at(0.05), 0);
        let forecast = Feedback::Forecast {
            made: at(0.04),
            packets: [0, 0, 0, 0, 0, 1, 1, 1],
            settled: 0,
        };
        ack.feedback = Some(&forecast);
        controller.on_ack(&ack);
        controller.limits().window
    };
    assert_eq!(room(&[("heartbeat", "10 s")]), MSS);
    assert_eq!(room(&[("heartbeat", "10 s"), ("unit", "2000 B")]), MSS);
    let refusal = try_build("sprout", &[("unit", "1440 B")]).unwrap_err();
    assert_eq!(refusal.option, "unit");
}

#[test]
fn it_stops_in_an_outage_and_comes_back() {
    let mut net = Net::new(Rate(5_000_000), Span::millis(40), u64::MAX);
    net.add(build("sprout", &[]), at(0.0));
    net.run(at(5.0));
    net.rate = Rate(5_000);
    net.run(at(6.0));
    // A forecast lasts 8 ticks, so for at most the round trip and 160 ms it sends on: 200 ms at
    // 5 Mbit/s are 86 packets.
    assert!(net.queued() < 86 * MSS, "{}", net.queued() / MSS);
    net.rate = Rate(5_000_000);
    net.run(at(9.0));
    let before = net.flows[0].delivered;
    net.run(at(10.0));
    assert!((net.flows[0].delivered - before) * 8 > 2_500_000);
}
