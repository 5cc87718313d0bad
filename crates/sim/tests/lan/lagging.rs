//! Ports lag behind their departures until somebody looks. Short runs of small random networks with slow links: results are the same
//! where every departure has an event.

use backwater_sim::world::Report;
use backwater_transport::units::{Rate, Span};

use crate::net::*;
use crate::property::{any_events, network};
use crate::random::finished;

/// A network drawn from this number, for some milliseconds: links of 100 Mbit/s at most, so that a port has to lag for long.
fn slow(number: u64) -> Net {
    let mut net = network(number, ["frame", "header", "frame"][number as usize % 3]);
    if number % 2 == 1 {
        any_events(number, &mut net);
    }
    net.0.duration = Span::millis(8);
    net.0.warmup = Span::ZERO;
    for link in &mut net.0.links {
        link.rate = Rate(link.rate.0.min(100 * MBIT));
    }
    for event in &mut net.0.events {
        event.at = Span(event.at.0 / 4);
        event.until = event.until.map(|until| Span(until.0 / 4 + 1));
    }
    net
}

/// What happened to packets and notices, and all counters of ports.
fn told(report: &Report) -> (u64, String) {
    (report.fingerprint, format!("{:?}", report.ports))
}

/// See the head of the file.
#[test]
fn results_do_not_depend_on_departures_that_have_events() {
    let mut notices = 0;
    for number in 0..12 {
        let net = slow(number);
        let lags = finished(net.world());
        let mut unfused = net.world();
        unfused.unfuse();
        assert_eq!(told(&lags), told(&finished(unfused)), "network {number}");
        notices += lags.control;
    }
    assert!(notices > 20, "{notices}");
}
