//! Departures that a detector waits for have events of their own. A run in which every departure has one is the reference.

use backwater_sim::limit::Limit;
use backwater_sim::record::What;
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span};

use crate::custom::counting;
use crate::net::*;
use crate::random::one;

/// Two or three obeying hosts at 100 Mbit/s, bursts of frames of all sizes in up to three classes, toward two hosts behind 10 Mbit/s.
/// Gives the network, the ports through which frames come in, and those by which they leave.
fn bursts(number: u64, shared: bool) -> (Net, Vec<usize>, Vec<usize>) {
    let wires = [1, 30, 900].map(Span::micros);
    drawn(number, shared, &wires, &[46, 200, 700, 1_500])
}

/// The same with these wires toward the hosts and these packets.
fn drawn(
    number: u64,
    shared: bool,
    wires: &[Span],
    packets: &[u64],
) -> (Net, Vec<usize>, Vec<usize>) {
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
        net.0.links[port / 2].delay = one(r, wires);
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
                .map(|n| ((start + 300 * n) * US, one(r, packets)))
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

/// On a wire of 900 us ten short frames leave before the first of them arrives and the port is looked at.
#[test]
fn frames_that_leave_before_the_first_arrives_relieve_an_input_in_time() {
    let mut sent = 0;
    for number in 0..24 {
        let (mut net, inputs, _) = drawn(number, false, &[Span::micros(900)], &[120, 300, 600]);
        net.0
            .flows
            .iter_mut()
            .for_each(|flow| flow.packet = Bytes(60));
        let marks = [
            ("xoff", Value::Bytes(Bytes(600))),
            ("xon", Value::Bytes(Bytes(300))),
        ];
        net.recipe("pfc", &inputs, &marks);
        sent += same_as_unfused(&net, number);
    }
    assert!(sent > 60, "{sent}");
}

/// A law hears of every departure from a port at whose switch a mechanism waits for departures.
#[test]
fn a_law_beside_a_mechanism_hears_of_every_departure() {
    let mut net = Net::new(0.1);
    let (s, x, d) = (net.obeying_host("S"), net.switch("X"), net.host("D"));
    let input = net.link(s, x, 100 * MBIT)[1];
    let port = net.link(x, d, 10 * MBIT)[0];
    net.buffer(port, 20_000);
    net.flow("f", s, d, script([(0, 60 * 1_500)]));
    net.0.stamps.push(counting(port));
    net.recipe(
        "pfc",
        &[input],
        &[
            ("xoff", Value::Bytes(Bytes(6_000))),
            ("xon", Value::Bytes(Bytes(3_000))),
        ],
    );
    let report = net.run();
    assert!(report.control > 0);
    let told = report.stamps[0].values.map(|(_, value)| value);
    assert_eq!(told[..2], [60.0, 60.0]);
}

/// Three full frames of A for D are an alarm, 4,554 B of more than 4,000, at 369.16 us. A frame of 64 B for E follows, and waits there behind a full
/// one of B. D has sent the first of its three at 1343.88 us, which leaves 3,100 B; the short frame has left at 1511.08 us, and leaves 3,036 B,
/// less than 3,050 B. D has sent the second at 2574.28 us only, and what leaves for E arrives after 5 ms.
#[test]
fn a_short_frame_behind_one_of_another_input_ends_an_alarm() {
    let mut net = Net::new(0.01);
    let (a, b, x) = (net.obeying_host("A"), net.host("B"), net.switch("X"));
    let input = net.link(a, x, 100 * MBIT)[1];
    net.link(b, x, 100 * MBIT);
    let [d, e] = ["D", "E"].map(|name| net.host(name));
    for sink in [d, e] {
        net.link(x, sink, 10 * MBIT);
    }
    net.0.links[3].delay = Span::millis(5);
    net.flow("to D", a, d, script([(0, 4_500)]));
    net.flow("to E", a, e, script([(1, 46)]));
    net.flow("before it", b, e, script([(100 * US, 1_500)]));
    let marks = [
        ("xoff", Value::Bytes(Bytes(4_000))),
        ("xon", Value::Bytes(Bytes(3_050))),
    ];
    net.recipe("pfc", &[input], &marks);
    let (reference, records) = net.run_recorded();
    let told = notices(&records, What::Notice, input);
    // In hundredths of a microsecond.
    let told: Vec<_> = told
        .iter()
        .map(|(at, quanta)| (at * 100 / US, *quanta))
        .collect();
    assert_eq!(told, [(36_916, 65_535), (151_108, 0)]);
    assert_eq!(net.run().fingerprint, reference.fingerprint);
}
