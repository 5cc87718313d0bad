//! What goes on after a stretch that was skipped, and what is told of it: as in the run that serves every event.

use backwater_transport::endpoint::{DelayedAck, Protocol};
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Span, Time};

use crate::net::*;
use crate::random::same;
use crate::skip::share;
use crate::transport::carry;

/// Pairs of hosts, each with a wire of 10 Mbit/s and a window of so many segments over it.
fn pairs(seconds: u64, windows: &[u64]) -> Net {
    let mut net = Net::new(seconds as f64);
    for (i, window) in windows.iter().enumerate() {
        let (s, d) = (net.host(&format!("S{i}")), net.host(&format!("D{i}")));
        net.link(s, d, 10 * MBIT);
        net.0.links[i].delay = Span::millis(20);
        let flow = net.flow(&format!("f{i}"), s, d, source("bulk", &[]));
        let given = [("window", Value::Packets(*window))];
        carry(flow, Protocol::Stream, "fixed", &given);
    }
    net
}

/// Reports up to the end, of a run of which a third is skipped at least, beside those of the run in full.
#[track_caller]
fn goes_on(net: &Net) {
    let (mut full, mut short) = (net.world(), net.world());
    short.skip_recurrences().expect("all is visited");
    let end = net.0.duration.0 / MS;
    for ms in [end - 5_000, end - 4_999, end - 4_923, end - 3_500, end] {
        full.advance(Time(ms * MS));
        while short.now() < Time(ms * MS) {
            short.advance(Time(ms * MS));
        }
        same(&full.report(), &short.report(), "after a skip", ms);
    }
    let found = short.skipped().expect("it skips");
    assert!(share(found, end as f64 / 1e3) > 0.3, "{found:?}");
}

/// A receiver waits for a second segment, up to 15, 30 or 70 ms. The last of a window of three or five waits alone while the acknowledgements of the others
/// are on their way: the timer that ends its waiting is set after a skip too.
#[test]
fn timers_of_ends_go_off_after_a_skip() {
    for (window, wait) in [(3, 15), (3, 70), (5, 30)] {
        let mut net = pairs(300, &[window]);
        let transport = net.0.flows[0].transport.as_mut().expect("just given");
        transport.receiver.delayed_ack = Some(DelayedAck {
            segments: 2,
            timeout: Span::millis(wait),
        });
        goes_on(&net);
    }
}

/// Two windows of different sizes: how evenly they do is told second by second, of seconds that were skipped too.
#[test]
fn seconds_that_were_skipped_are_told() {
    goes_on(&pairs(20, &[8, 5]));
}

/// A controller whose state is not compared keeps a run from being skipped while its flow sends. When its only transfer is over the others are skipped.
#[test]
fn a_transfer_that_is_over_keeps_nobody_from_skipping() {
    let mut net = pairs(60, &[8, 5]);
    net.0.flows[0].source = source("bulk", &[("size", Value::Bytes(Bytes(50_000)))]);
    carry(&mut net.0.flows[0], Protocol::Stream, "cubic", &[]);
    let (mut full, mut short) = (net.world(), net.world());
    let unable = short.skip_recurrences().expect_err("it sends");
    assert_eq!(unable.place, "flows.f0");
    for world in [&mut full, &mut short] {
        world.advance(Time(20_000 * MS));
    }
    short.skip_recurrences().expect("it is over");
    for world in [&mut full, &mut short] {
        world.advance(world.end());
    }
    same(&full.report(), &short.report(), "over", 0);
    let found = short.skipped().expect("it skips");
    assert!(share(found, 60.0) > 0.3, "{found:?}");
}
