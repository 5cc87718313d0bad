//! Very long, very slow, very fast.

use crate::net::*;

/// A chain of 300 switches.
#[test]
fn a_packet_crosses_more_than_255_switches() {
    let mut net = Net::new(1.0);
    let (s, d) = (net.host("S"), net.host("D"));
    let mut last = s;
    for i in 0..300 {
        let w = net.switch(&format!("W{i}"));
        net.link(last, w, 1000 * MBIT);
        last = w;
    }
    net.link(last, d, 1000 * MBIT);
    net.flow("f", s, d, script([(0, 1500)]));
    assert_eq!(net.run().delivered, 1);
}

/// 65535 quanta at 1 bit/s are 3.36e7 s: longer than 213 days. The world is built all the same, or refused.
#[test]
fn a_pause_longer_than_the_clock_is_no_panic() {
    for rate in [1, 2, 1000] {
        let mut net = Net::new(100.0);
        let (s, x, d) = (net.obeying_host("S"), net.switch("X"), net.host("D"));
        net.link(s, x, rate);
        let port = net.link(x, d, rate)[0];
        net.buffer(port, 2_000);
        net.flow("f", s, d, script([(0, 1500)]));
        net.recipe("pause", &[port], &[]);
        if let Ok(mut world) = backwater_sim::world::World::build(&net.0) {
            world.advance(world.end());
            assert!(world.report().conserved);
        }
    }
}
