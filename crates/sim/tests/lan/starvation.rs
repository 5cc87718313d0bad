//! Flows that deliver nothing any more although they have packets.

use backwater_sim::spec::{Happening, LinkEvent};
use backwater_transport::units::{Span, Time};

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

/// The reports of a network at instants: which flows have starved.
fn starved(net: &Net, at: &[u64]) -> Vec<Vec<bool>> {
    let mut world = net.world();
    let look = |at: &u64| {
        world.advance(Time(*at));
        let flows = world.report().flows;
        flows.iter().map(|flow| flow.starved).collect()
    };
    at.iter().map(look).collect()
}

/// S over W to D, 10 Mbit/s and 1 us, whose card asks for ever from an instant on.
fn paused(at: u64) -> (Net, [usize; 2]) {
    let mut net = Net::new(9.0);
    let (s, w, d) = (net.host("S"), net.switch("W"), net.host("D"));
    net.link(s, w, 10 * MBIT);
    net.link(w, d, 10 * MBIT);
    net.0.events.push(LinkEvent {
        name: "storm".into(),
        links: vec![1],
        at: Span(at),
        until: None,
        what: Happening::Storm(None),
    });
    (net, [s, d])
}

/// A card that asks from the beginning stops all packets to it. One that was born before the last third of the time so far makes its flow starve, and one that
/// was born at its beginning or later does not. At the beginning of a run nobody has starved.
#[test]
fn a_packet_born_before_the_last_third_starves_its_flow() {
    let (mut net, [s, d]) = paused(0);
    net.flow("f", s, d, script([(1_000 * MS, 1500)]));
    net.flow("g", s, d, script([]));
    // Two thirds of 1,500 ms are the instant of its birth.
    let found = starved(&net, &[0, 1_500 * MS, 1_500 * MS + 3, 4_000 * MS]);
    let no = vec![false, false];
    let yes = vec![true, false];
    assert_eq!(found, [no.clone(), no, yes.clone(), yes]);
}

/// Of two packets the first is delivered, and then the card stops all others. The flow has not starved while that delivery lies in the last third,
/// its beginning included.
#[test]
fn one_delivery_in_the_last_third_is_enough() {
    let (mut net, [s, d]) = paused(2 * MS);
    net.flow("f", s, d, script([(0, 1500), (2 * MS, 1500)]));
    // 1,526 B at 10 Mbit/s and 1 us, twice; then two more as long again.
    let last = 2 * (1_526 * 800_000 + US);
    let found = starved(&net, &[last * 3 / 2, last * 3 / 2 + 3]);
    assert_eq!(found, [[false], [true]]);
}

/// A port of a host holds two packets of the first flow when that of the second comes and is lost. The second flow has starved while that lies in the
/// last third of the time so far, from its beginning on. A delivery there ends that for the first.
#[test]
fn a_loss_in_the_last_third_starves_a_flow_that_delivers_nothing() {
    let mut net = Net::new(9.0);
    let (s, d) = (net.host("S"), net.host("D"));
    let out = net.link(s, d, 10 * MBIT)[0];
    net.buffer(out, 3_036);
    net.0.links[0].delay = Span::millis(100);
    let looks = |at: u64, looks: &[u64]| {
        let mut net = net.clone();
        net.flow("f", s, d, script([(at, 3_000)]));
        net.flow("g", s, d, script([(at, 1_500)]));
        starved(&net, looks)
    };
    let (lost, none) = (vec![false, true], vec![false, false]);
    let (at, late) = (1_000 * MS, 1_500 * MS);
    let found = looks(at, &[at, late, late + 3]);
    assert_eq!(found, [lost.clone(), lost.clone(), none]);
    assert_eq!(looks(0, &[0]), [lost]);
}
