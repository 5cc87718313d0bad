//! Frames that are sent ahead (`network/ahead.rs`): what is seen or changed in the middle of a run is as if each had been left
//! to its turn.

use backwater_sim::ids::PortId;
use backwater_sim::limit::Limit;
use backwater_sim::spec::{Choose, Routing};
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::net::*;
use crate::property::any_network;
use crate::random::same;
use crate::timing::{byte, framed};

/// Ten packets wait at a port of 10 Mbit/s, which has 100 Mbit/s while the third leaves: the gap behind it and the seven after
/// it take a tenth of what they would have taken.
#[test]
fn frames_that_wait_leave_at_a_rate_that_is_changed_meanwhile() {
    for limit in [Limit::Unlimited, Limit::Packets(10)] {
        let mut net = Net::new(1.0);
        let (s, x, d) = (net.host("S"), net.switch("X"), net.host("D"));
        net.link(s, x, 100 * MBIT);
        let port = net.link(x, d, 10 * MBIT)[0];
        net.0.ports[port].buffer = limit;
        net.flow("f", s, d, script([(0, 15_000)]));
        let mut world = net.world();
        let (slow, fast) = (byte(10 * MBIT), byte(100 * MBIT));
        let (frame, gap, delay) = (8 + framed(1500), 12, Span::micros(1).0);
        let begins = frame * fast + delay;
        world.advance(Time(3 * MS));
        let seen = world.report();
        let count = &seen.ports[port].count;
        assert_eq!(count.packets, 3, "the third has begun");
        world
            .change_rate(PortId::new(port), Rate(100 * MBIT))
            .expect("a wire of which nobody keeps the rate");
        world.advance(world.end());
        let report = world.report();
        let third = begins + 3 * frame * slow + 2 * gap * slow;
        assert_eq!(
            report.flows[0].sums.max,
            third + 7 * (gap + frame) * fast + delay
        );
        assert_eq!(report.flows[0].sums.delivered.packets, 10);
    }
}

/// Two thousand frames at 1 bit/s would take longer than an instant can tell: those that begin too late wait for their turn.
#[test]
fn frames_that_would_leave_after_the_last_instant_wait_for_their_turn() {
    let mut net = Net::new(20_000.0);
    let (s, x, d) = (net.host("S"), net.switch("X"), net.host("D"));
    net.link(s, x, 100 * MBIT);
    let port = net.link(x, d, 1)[0];
    net.0.ports[port].buffer = Limit::Unlimited;
    net.flow("f", s, d, script([(0, 3_000_000)]));
    let (mut fused, mut unfused) = (net.world(), net.world());
    unfused.unfuse();
    for world in [&mut fused, &mut unfused] {
        world.advance(world.end());
    }
    let seen = fused.report();
    let frame = 12 + 8 + framed(1500);
    assert_eq!(
        seen.ports[port].count.packets,
        20_000 * 1_000_000_000_000 / (frame * byte(1)) + 1
    );
    same(&seen, &unfused.report(), "very late", 0);
}

/// Reports in the middle of a run, of random networks in which some ports send ahead, beside the same networks in which each
/// departure has an event.
#[test]
fn reports_in_between_do_not_show_what_was_sent_ahead() {
    for number in 0..40 {
        let net = any_network(number);
        let (mut fused, mut unfused) = (net.world(), net.world());
        unfused.unfuse();
        let mut at = 0;
        while at < fused.end().0 {
            at = (at + 1_734_567_891).min(fused.end().0);
            fused.advance(Time(at));
            unfused.advance(Time(at));
            same(&fused.report(), &unfused.report(), "in between", number);
        }
    }
}

/// A frame at 10 Mbit/s, and a tenfold rate from the middle of its gap on: the gap is one of the new rate, and the line has been in use for
/// as long as they take. Where the gap is over before, it was one of the old.
#[test]
fn a_line_whose_rate_changes_in_a_gap_was_in_use_for_the_new_gap() {
    let (slow, fast) = (byte(10 * MBIT), byte(100 * MBIT));
    let frame = (8 + framed(1500)) * slow;
    for (change, gap) in [
        (frame - 1, 12 * fast),
        (frame + 6 * slow, 12 * fast),
        (frame + 13 * slow, 12 * slow),
    ] {
        let mut net = Net::new(0.01);
        let (s, d) = (net.host("S"), net.host("D"));
        let [port, _] = net.link(s, d, 10 * MBIT);
        net.flow("f", s, d, script([(0, 1500)]));
        let mut world = net.world();
        world.advance(Time(change));
        let changed = world.change_rate(PortId::new(port), Rate(100 * MBIT));
        changed.expect("a wire of which nobody keeps the rate");
        world.advance(world.end());
        let busy = world.report().ports[port].count.busy;
        assert_eq!(busy, frame + gap, "{change}");
    }
}

/// A switch that sends each packet by the way with the shortest queue counts no frame that has left by then, whether its ports send ahead or not.
#[test]
fn the_shortest_queue_is_that_of_frames_that_have_not_left() {
    for seed in 0..5 {
        let mut net = Net::new(0.2);
        net.0.seed = seed;
        net.0.routing = Routing::Ecmp;
        net.0.choose = Choose::LeastQueue;
        let (s, x, y) = (net.host("S"), net.switch("X"), net.switch("Y"));
        let d = net.host("D");
        net.link(s, x, 100 * MBIT);
        net.link(y, d, 100 * MBIT);
        for (name, rate) in [("A", 10), ("B", 20), ("C", 30)] {
            let way = net.switch(name);
            net.link(x, way, rate * MBIT);
            net.link(way, y, rate * MBIT);
        }
        let packet = ("packet", Value::Bytes(Bytes(1500)));
        let rate = ("rate", Value::Rate(Rate(50 * MBIT)));
        net.flow("f", s, d, source("poisson", &[packet, rate]));
        let (mut fused, mut unfused) = (net.world(), net.world());
        unfused.unfuse();
        for world in [&mut fused, &mut unfused] {
            world.advance(world.end());
        }
        same(&fused.report(), &unfused.report(), "ways", seed);
    }
}
