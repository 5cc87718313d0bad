//! Sprout's heartbeats over the loopback: slow links and long outages.

mod support;

use backwater_transport::units::Span;
use support::{Loopback, MSS, Path, datagrams, ms, stream};

type Ends = fn(Path) -> Loopback;

fn both() -> [(&'static str, Ends); 2] {
    [
        ("datagrams", |path| {
            datagrams(path, "sprout", &[], |_, _| {})
        }),
        ("stream", |path| stream(path, "sprout", &[], |_, _| {})),
    ]
}

/// A heartbeat each 50 ms was a full segment: 1500 B · 8 · 20 = 240 kbit/s, more than the link has, so
/// that the queue grew without end. One byte and its headers need some 10 kbit/s.
#[test]
fn a_link_of_100_kbit_has_no_queue_of_heartbeats() {
    for (place, ends) in both() {
        let mut path = Path::new(1, 40, 100_000);
        path.rate.0 = 100_000;
        let mut net = ends(path);
        net.sender.write(u64::MAX);
        net.run(ms(60_000));
        // The target is 100 ms, and a segment of 120 ms may always be in flight in a stream.
        assert!(
            net.wait() < Span::millis(340),
            "{place}: {}",
            net.wait().seconds()
        );
    }
}

/// NSDI'13 figure 1 has outages of seconds, and cellular links have longer ones. In 30 s there are 600
/// heartbeats at most, and full segments only for the round trip and the eight ticks of a forecast.
#[test]
fn an_outage_of_30_s_leaves_no_queue() {
    for (place, ends) in both() {
        let mut net = ends(Path::new(5, 40, 100_000));
        net.keep = true;
        net.sender.write(u64::MAX);
        net.run(ms(5_000));
        let before = net.sent.len();
        net.hold(ms(35_000));
        net.run(ms(35_000));
        let (full, small): (Vec<_>, Vec<_>) = net.sent[before..]
            .iter()
            .partition(|(s, _)| u64::from(s.len) > MSS / 2);
        // (40 + 160) ms of 5 Mbit/s. A stream's timeouts end its heartbeats.
        assert!(full.len() <= 86, "{place}: {} full segments", full.len());
        assert!(
            small.len() <= 600 && (place == "stream" || small.len() > 500),
            "{place}: {}",
            small.len()
        );
        // A second later the queue is that of a forecast again, and the rate is back.
        net.run(ms(36_000));
        assert!(
            net.wait() < Span::millis(100),
            "{place}: {}",
            net.wait().seconds()
        );
        let acked = net.sender.counters().acked;
        net.run(ms(38_000));
        let rate = (net.sender.counters().acked - acked) as f64 * 8.0 / 2.0;
        assert!(rate > 2.5e6, "{place}: {rate}");
    }
}
