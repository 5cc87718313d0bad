//! Flows that deliver nothing any more although they have packets.

use backwater_transport::units::Span;

use crate::net::*;

/// A flow that ends in the first second has nothing to deliver later, and one that begins 1 us before the end has
/// packets on the way only.
#[test]
fn a_flow_without_packets_in_the_last_third_is_not_starved() {
    let mut net = Net::new(9.0);
    let (s, d) = (net.host("S"), net.host("D"));
    net.link(s, d, 10 * MBIT);
    net.flow("ended", s, d, cbr(MBIT)).stop = Span::from_seconds(1.0);
    net.flow("late", s, d, cbr(MBIT)).start = Span(9_000 * MS - US);
    net.flow("all", s, d, cbr(MBIT));
    let flows = net.run().flows;
    let delivered: Vec<u64> = flows.iter().map(|f| f.sums.delivered.packets).collect();
    // 1 Mbit/s are 83 packets of 1500 B in a second.
    assert!((82..85).contains(&delivered[0]) && delivered[1] == 0 && delivered[2] > 740);
    assert_eq!(
        flows.iter().map(|f| f.starved).collect::<Vec<_>>(),
        [false; 3]
    );
    assert_eq!(flows[1].last_delivered, None);
    let last = flows[0].last_delivered.expect("83 packets").seconds();
    assert!((0.97..1.02).contains(&last), "{last}");
}

/// Urgent packets take the whole link, for 9 s or for 5 s of 9 s; the other class is starved as long as they do, whether its
/// packets wait or are lost.
#[test]
fn a_flow_behind_a_class_that_takes_all_is_starved() {
    for (seconds, buffer, expected) in [
        (9.0, 500_000, true),
        (9.0, 10_000, true),
        (5.0, 500_000, false),
    ] {
        let mut net = Net::new(9.0);
        let (w, d) = (net.switch("W"), net.host("D"));
        let hosts: Vec<usize> = (0..3).map(|i| net.host(&format!("S{i}"))).collect();
        for host in &hosts {
            net.link(*host, w, 10 * MBIT);
        }
        let out = net.link(w, d, 10 * MBIT)[0];
        net.classes(2);
        net.buffer(out, buffer);
        net.flow("low", hosts[0], d, cbr(MBIT));
        for host in &hosts[1..] {
            let urgent = net.flow("urgent", *host, d, cbr(8 * MBIT));
            (urgent.class, urgent.stop) = (1, Span::from_seconds(seconds));
        }
        let report = net.run();
        let starved: Vec<bool> = report.flows.iter().map(|f| f.starved).collect();
        assert_eq!(starved, [expected, false, false], "{seconds} s, {buffer} B");
    }
}
