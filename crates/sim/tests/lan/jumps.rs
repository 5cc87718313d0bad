//! Where a run stands behind a stretch that was skipped, and what a caller changes between the steps of such a run.

use backwater_sim::ids::PortId;
use backwater_sim::limit::Limit;
use backwater_sim::source::AnySource;
use backwater_sim::world::World;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Time};

use crate::net::*;
use crate::random::same;

fn constant(packet: u64, rate: u64) -> AnySource {
    let packet = ("packet", Value::Bytes(Bytes(packet)));
    source("cbr", &[packet, ("rate", Value::Rate(Rate(rate)))])
}

/// Two hosts send a packet each every 2 ms over one line, the second while the first is sent.
fn calm(seconds: f64) -> (Net, PortId) {
    let mut net = Net::new(seconds);
    let (x, d) = (net.switch("X"), net.host("D"));
    for (i, packet) in [1500, 500].into_iter().enumerate() {
        let s = net.host(&format!("S{i}"));
        net.link(s, x, 100 * MBIT);
        let rate = packet * 8 * 500;
        net.flow(&format!("f{i}"), s, d, constant(packet, rate));
    }
    let port = net.link(x, d, 10 * MBIT)[0];
    net.buffer(port, 50_000);
    (net, PortId::new(port))
}

/// A caller that serves one event at a time sees the present at the end of a stretch as soon as that was skipped.
#[test]
fn the_present_is_the_end_of_a_stretch_that_was_skipped() {
    let (net, _) = calm(10.0);
    let mut world = net.world();
    world.skip_recurrences().expect("all is visited");
    let mut stretches = 0;
    while !world.advance_some(1) {
        let found = world.skipped().expect("it skips");
        if found.len() > stretches {
            stretches = found.len();
            let last = found[stretches - 1];
            let end = Time(last.from.0 + last.period.0 * last.periods);
            assert_eq!(world.now(), end);
        }
    }
    assert!(stretches > 0);
}

/// A caller takes the buffer away for half a millisecond, in which a packet is lost. The state is the same again in the next period of 2 ms, but no period in which a caller
/// changed something is repeated. The search begins when 2,000 events have been served.
#[test]
fn a_period_in_which_a_caller_lost_a_packet_is_not_repeated() {
    let (net, port) = calm(1.0);
    let half = MS / 2;
    let steps = |world: &mut World, until: u64| {
        while world.now() < Time(until * half) {
            world.advance(Time(world.now().0 + half));
        }
    };
    let mut first = net.world();
    while first.events() < 2_000 {
        let next = first.now().0 / half + 1;
        steps(&mut first, next);
    }
    let (first, mut lost) = (first.now().0 / half, Vec::new());
    for began in first + 70..first + 78 {
        let run = |skips: bool| {
            let mut world = net.world();
            if skips {
                world.skip_recurrences().expect("all is visited");
            }
            // The second loss is in the same row as the first.
            let changes = [
                (2, 1_518),
                (10, 50_000),
                (began, 1_518),
                (began + 1, 50_000),
            ];
            for (at, bytes) in changes {
                steps(&mut world, at);
                let buffer = Limit::Bytes(Bytes(bytes));
                world.change_buffer(port, buffer).expect("a buffer");
            }
            world.advance(world.end());
            world.report()
        };
        let (all, some) = (run(false), run(true));
        lost.push(all.dropped);
        same(&all, &some, "a caller that loses a packet", began);
    }
    assert!(lost.iter().max() > lost.iter().min());
}
