//! Departures that a detector waits for have events of their own. A run in which every departure has one is the reference.

use backwater_sim::limit::Limit;
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span};

use crate::net::*;
use crate::random::one;

/// Two or three obeying hosts at 100 Mbit/s, bursts of frames of all sizes in up to three classes, toward two hosts behind 10 Mbit/s.
/// Gives the network, the ports through which frames come in, and those by which they leave.
fn bursts(number: u64, shared: bool) -> (Net, Vec<usize>, Vec<usize>) {
    let r = &mut Random::stream(number, "test", "departures");
    let mut net = Net::new(0.012);
    let x = match shared {
        true => net.shared_switch("X", 45_000, 0, 2_000, one(r, &[0, 1])),
        false => net.switch("X"),
    };
    let sinks = [net.host("D"), net.host("E")];
    let outputs = sinks.map(|sink| net.link(x, sink, 10 * MBIT)[0]);
    for port in outputs {
        net.buffer(port, 1_000_000);
        net.0.links[port / 2].delay = Span::micros(one(r, &[1, 30, 900]));
    }
    let classes = r.between(1, 3) as usize;
    let mut inputs = Vec::new();
    for i in 0..r.between(2, 3) {
        let s = net.obeying_host(&format!("S{i}"));
        inputs.push(net.link(s, x, 100 * MBIT)[1]);
        for (k, sink) in sinks.into_iter().enumerate() {
            let frames = r.between(4, 12);
            let start = r.between(0, 2_000);
            let bursts: Vec<(u64, u64)> = (0..frames)
                .map(|n| ((start + 300 * n) * US, one(r, &[46, 200, 700, 1_500])))
                .collect();
            let flow = net.flow(&format!("f{i}{k}"), s, sink, script(bursts));
            flow.class = r.between(0, classes as u64 - 1) as u8;
        }
    }
    if r.between(0, 1) == 1 {
        net.classes(classes);
    }
    (net, inputs, outputs.to_vec())
}

/// The run is that in which every departure has an event. Gives how many notices were sent.
fn same_as_unfused(net: &Net, number: u64) -> u64 {
    let fused = net.run();
    let mut world = net.world();
    world.unfuse();
    world.advance(world.end());
    let reference = world.report();
    assert_eq!(fused.fingerprint, reference.fingerprint, "{number}");
    assert_eq!(fused.control, reference.control, "{number}");
    fused.control
}

/// Frames that came in through a port leave by two others; the last of them that matters ends the alarm, wherever it waits.
#[test]
fn an_input_is_relieved_by_the_departure_that_ends_its_alarm() {
    let mut sent = 0;
    for number in 0..16 {
        let (mut net, inputs, _) = bursts(number, false);
        let marks = [
            ("xoff", Value::Bytes(Bytes(4_000))),
            ("xon", Value::Bytes(Bytes(2_500))),
        ];
        net.recipe("pfc", &inputs, &marks);
        sent += same_as_unfused(&net, number);
    }
    assert!(sent > 20, "{sent}");
}

/// The same where ports share a memory, whose thresholds fall while others fill it.
#[test]
fn a_shared_memory_is_relieved_by_the_departure_that_ends_its_alarm() {
    let mut sent = 0;
    for number in 0..16 {
        let (mut net, inputs, _) = bursts(number, true);
        net.mechanism(["dynamic-threshold", "pfc", "gate"], &inputs, &[]);
        sent += same_as_unfused(&net, number);
    }
    assert!(sent > 20, "{sent}");
}

/// A queue that is watched is relieved by the departure after which it is low, in bytes and in packets.
#[test]
fn a_queue_is_relieved_by_the_departure_after_which_it_is_low() {
    let mut sent = 0;
    for number in 0..16 {
        for buffer in [Limit::Bytes(Bytes(6_000)), Limit::Packets(6)] {
            let (mut net, _, outputs) = bursts(number, false);
            for port in &outputs {
                net.0.ports[*port].buffer = buffer;
            }
            let marks = [("high", Value::Share(0.5)), ("low", Value::Share(0.4))];
            net.mechanism(["watermark", "pfc", "gate"], &outputs, &marks);
            sent += same_as_unfused(&net, number);
        }
    }
    assert!(sent > 20, "{sent}");
}
