//! Very long, very slow, very fast.

use backwater_sim::limit::Limit;
use backwater_sim::record::What;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Span, Time};

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

/// 65535 quanta at 1 bit/s are 3.36e7 s: longer than 213 days. The world is still built, or refused.
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

/// 1 kbit/s: a full frame takes 12 s, and the longest wire 10 s.
#[test]
fn a_slow_link_and_a_long_wire_are_exact() {
    let mut net = Net::new(60.0);
    let (s, d) = (net.host("S"), net.host("D"));
    net.link(s, d, 1_000);
    net.0.links[0].delay = Span::secs(10);
    net.flow("f", s, d, script([(0, 3_000)]));
    let all = net.run().all;
    assert_eq!(all.delivered.packets, 2);
    assert_eq!(all.max, (1538 + 1526) * 8 * MS + 10_000 * MS);
}

/// Many frames are on a long wire at once: as many as the wire holds.
#[test]
fn a_long_fast_wire_holds_what_was_sent_in_its_delay() {
    let mut net = Net::new(0.02);
    let (s, d) = (net.host("S"), net.host("D"));
    net.link(s, d, 800_000 * MBIT);
    net.0.links[0].delay = Span::millis(10);
    net.flow("f", s, d, script([(0, 1_500_000_000)]));
    let mut world = net.world();
    // A frame starts every 1538 · 10 ps. At 10 ms none is in; those that have started are on the wire.
    world.advance(Time(10 * MS));
    let report = world.report();
    assert_eq!(report.delivered, 0);
    assert_eq!(report.ports[0].count.packets, 10 * MS / 15_380 + 1);
    world.advance(world.end());
    let report = world.report();
    // The n-th (from 1) is in at (n − 1)·15380 + 15260 ps + 10 ms.
    assert_eq!(report.delivered, (10 * MS - 15_260) / 15_380 + 1);
    assert!(report.conserved);
}

/// Frames that come in at one instant over several links are served in the order of the links, and
/// each waits for those before it.
#[test]
fn frames_that_tie_are_served_in_the_order_of_their_ports() {
    for delay in [Span::ZERO, Span::micros(3)] {
        let mut net = Net::new(0.1);
        let (x, d) = (net.switch("X"), net.host("D"));
        for i in 0..5 {
            let s = net.host(&format!("S{i}"));
            net.link(s, x, 100 * MBIT);
        }
        net.link(x, d, 100 * MBIT);
        net.0.links.iter_mut().for_each(|l| l.delay = delay);
        // Flows in the opposite order: it is the port that counts.
        for i in (0..5).rev() {
            net.flow(&format!("f{i}"), 2 + i, d, script([(0, 1500)]));
        }
        let report = net.run();
        for (place, flow) in report.flows.iter().rev().enumerate() {
            let frame = 1526 * 80_000;
            let expected = 2 * (frame + delay.0) + place as u64 * 1538 * 80_000;
            assert_eq!(flow.sums.max, expected, "place {place}");
        }
    }
}

/// A buffer of one frame holds the one in transmission and nothing else. Its place is free at the very
/// instant at which the last bit has left.
#[test]
fn a_buffer_of_one_frame_takes_the_next_when_the_last_bit_has_left() {
    let end = 1526 * 800_000;
    for limit in [Limit::Packets(1), Limit::Bytes(Bytes(1518))] {
        for (at, lost) in [(end - 1, 1), (end, 0), (end + 1, 0)] {
            let mut net = Net::new(0.1);
            let (s, d) = (net.host("S"), net.host("D"));
            net.link(s, d, 10 * MBIT);
            net.0.ports[0].buffer = limit;
            net.flow("f", s, d, script([(0, 1500), (at, 1500)]));
            assert_eq!(net.run().dropped, lost, "{limit:?} at {at}");
        }
    }
}

/// The same at a switch, where the frame comes in over a wire at the instant at which the place is free.
#[test]
fn a_frame_that_comes_in_when_another_has_left_finds_its_place() {
    for (late, lost) in [(0, 0), (1, 1)] {
        let mut net = Net::new(0.1);
        let (a, b, x, d) = (net.host("A"), net.host("B"), net.switch("X"), net.host("D"));
        net.link(a, x, 10 * MBIT);
        net.link(b, x, 10 * MBIT);
        let port = net.link(x, d, 10 * MBIT)[0];
        net.0.ports[port].buffer = Limit::Packets(1);
        let begin = 2 * US;
        let end = 1526 * 800_000;
        net.flow("a", a, d, script([(begin, 1500)]));
        net.flow("b", b, d, script([(begin + end - late, 1500)]));
        assert_eq!(net.run().dropped, lost);
    }
}

/// Three frames exactly fill a buffer of their bytes; with a byte less the third is lost.
#[test]
fn a_buffer_is_full_to_the_byte() {
    for (room, kept) in [
        (3 * 1518, 3),
        (3 * 1518 - 1, 2),
        (3 * 1518 + 1517, 3),
        (4 * 1518, 4),
    ] {
        let mut net = Net::new(0.1);
        let (s, d) = (net.host("S"), net.host("D"));
        let [port, _] = net.link(s, d, 10 * MBIT);
        net.buffer(port, room);
        net.flow("f", s, d, script([(0, 15_000)]));
        let report = net.run();
        assert_eq!(
            (report.delivered, report.dropped),
            (kept, 10 - kept),
            "{room}"
        );
        assert_eq!(report.ports[port].count.max_bytes, kept * 1518);
    }
}

/// The alarm is above the mark and not at it; the relief is below and not at it.
#[test]
fn marks_are_crossed_and_not_touched() {
    // Marks at 2 and 1 frames of a buffer of ten.
    let mut net = Net::new(0.1);
    let (s, x, d) = (net.obeying_host("S"), net.switch("X"), net.host("D"));
    let toward = net.link(s, x, 100 * MBIT)[1];
    let port = net.link(x, d, MBIT)[0];
    net.buffer(port, 15_180);
    let flow = net.flow("f", s, d, script([]));
    flow.source = script([(0, 3_000)]);
    let marks = [("high", Value::Share(0.2)), ("low", Value::Share(0.1))];
    net.recipe("pause", &[port], &marks);
    assert_eq!(net.run().control, 0, "two frames are at the mark");
    net.0.flows[0].source = script([(0, 4_500)]);
    let records = net.run_recorded().1;
    let posted = notices(&records, What::Notice, toward);
    let in_third = (3 * 1538 - 12) * 80_000 + US;
    // XON when the last of the three has left: one frame is at the low mark.
    let in_first = 1526 * 80_000 + US;
    let left_last = in_first + (3 * 1538 - 12) * 8 * US;
    assert_eq!(posted, [(in_third, 65_535), (left_last, 0)]);
}

/// A flow that starts late and stops early sends in between and at neither end.
#[test]
fn a_flow_begins_at_its_start_and_ends_before_its_stop() {
    let mut net = Net::new(1.0);
    let (s, d) = (net.host("S"), net.host("D"));
    let [port, _] = net.link(s, d, 100 * MBIT);
    // 1500 B at 12 Mbit/s: a packet each millisecond.
    let flow = net.flow("f", s, d, cbr(12 * MBIT));
    (flow.start, flow.stop) = (Span::millis(100), Span::millis(200));
    let sent = crate::timing::sends(&net.run_recorded().1, port);
    let expected: Vec<u64> = (100..200).map(|ms| ms * MS).collect();
    assert_eq!(sent, expected);
}
