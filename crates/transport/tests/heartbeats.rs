//! Sprout's heartbeats over the loopback, in datagrams: slow links and long outages.

use backwater_transport::endpoint::Sender;
use backwater_transport::units::Span;
use backwater_transport_testing::loopback::{Loopback, MSS, Path, datagrams, ms};

fn sprout(path: Path) -> Loopback {
    let mut net = datagrams(path, "sprout", &[], |_, _| {});
    net.sender.write(u64::MAX);
    net
}

/// A heartbeat each 50 ms was a full segment: 1500 B · 8 · 20 = 240 kbit/s, more than the link has, so
/// that the queue grew without end. One byte and its headers need some 10 kbit/s.
#[test]
fn a_link_of_100_kbit_has_no_queue_of_heartbeats() {
    let mut path = Path::new(1, 40, 100_000);
    path.rate.0 = 100_000;
    let mut net = sprout(path);
    net.run(ms(60_000));
    // The target is 100 ms; a segment takes up to 120 ms.
    assert!(net.wait() < Span::millis(220), "{}", net.wait().seconds());
}

/// NSDI'13 figure 1 has outages of seconds, and cellular links have longer ones. In 30 s there are 600
/// heartbeats at most, and full segments only for the round trip and the eight ticks of a forecast.
#[test]
fn an_outage_of_30_s_leaves_no_queue() {
    let mut net = sprout(Path::new(5, 40, 100_000));
    net.keep = true;
    net.run(ms(5_000));
    let before = net.sent.len();
    net.hold(ms(35_000));
    net.run(ms(35_000));
    let (full, small): (Vec<_>, Vec<_>) = net.sent[before..]
        .iter()
        .partition(|(s, _)| u64::from(s.len) > MSS / 2);
    // (40 + 160) ms of 5 Mbit/s.
    assert!(full.len() <= 86, "{} full segments", full.len());
    assert!((500..=600).contains(&small.len()), "{}", small.len());
    // A second later the queue is that of a forecast again, and the rate is back.
    net.run(ms(36_000));
    assert!(net.wait() < Span::millis(100), "{}", net.wait().seconds());
    let acked = net.sender.counters().acked;
    net.run(ms(38_000));
    let rate = (net.sender.counters().acked - acked) as f64 * 8.0 / 2.0;
    assert!(rate > 2.5e6, "{rate}");
}
