//! Another queue management or buffer at a port of a running world: it acts from that instant on, and the old one no more.

use backwater_sim::cause::Cause;
use backwater_sim::ids::PortId;
use backwater_sim::limit::Limit;
use backwater_sim::world::Report;
use backwater_transport::part::Value;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, PS_PER_S, Time};

use crate::aqm::queue;
use crate::net::*;

/// The change comes in the middle of two seconds.
const CHANGE: u64 = PS_PER_S;
/// Full frames that a line of 10 Mbit/s sends in a second: 1538 B each with preamble and gap.
const A_SECOND: u64 = 812;

#[derive(Copy, Clone)]
enum Port {
    Plain,
    /// Marks all that leave while 40 kB wait or more, and nothing below 10 kB.
    Ramp,
    Short,
}

/// The reports at the change and at the end, of 20 Mbit/s into 10.
fn changed(from: Port, to: Port) -> [Report; 2] {
    let line = |port: Port| {
        let mut net = Net::new(2.0);
        let (s, w, d) = (net.host("S"), net.switch("W"), net.host("D"));
        net.link(s, w, 100 * MBIT);
        let slow = net.link(w, d, 10 * MBIT)[0];
        net.flow("f", s, d, cbr(20 * MBIT)).ecn = Ecn::Ect0;
        let spec = &mut net.0.ports[slow];
        spec.buffer = match port {
            Port::Short => Limit::Bytes(Bytes(20_000)),
            _ => Limit::Unlimited,
        };
        if let Port::Ramp = port {
            let bounds = [("min", 10_000), ("max", 40_000)];
            let ramp = queue(
                "ecn-ramp",
                &bounds.map(|(o, b)| (o, Value::Bytes(Bytes(b)))),
            );
            (spec.scheduler, spec.aqm) = (ramp.scheduler, ramp.aqm);
        }
        (net, slow)
    };
    let ((net, slow), (other, _)) = (line(from), line(to));
    let mut world = net.world();
    world.advance(Time(CHANGE));
    let before = world.report();
    let changed = world.change_queue(PortId::new(slow), &other.world());
    changed.expect("a port that nobody watches");
    world.advance(world.end());
    [before, world.report()]
}

fn marked(report: &Report) -> u64 {
    report.flows[0].sums.marked.packets
}

fn full(report: &Report) -> u64 {
    let mine = report.drops.iter().filter(|d| d.key.0 == Cause::BufferFull);
    mine.map(|d| d.count.packets).sum()
}

fn delivered(report: &Report) -> u64 {
    report.all.delivered.packets
}

/// More than 1 MB waits at the change, so each frame that leaves after it is marked. One was on the line.
#[test]
fn new_queue_management_marks_what_leaves_from_the_change_on() {
    let [before, end] = changed(Port::Plain, Port::Ramp);
    assert_eq!(marked(&before), 0);
    let after = delivered(&end) - delivered(&before);
    assert!(after.abs_diff(A_SECOND) <= 1, "{after}");
    assert!(
        marked(&end) + 2 >= after && marked(&end) <= after,
        "{after}"
    );
}

/// The first 40 kB, 27 frames, wait before a frame is surely marked. What had been marked is still on the line.
#[test]
fn old_queue_management_marks_nothing_after_the_change() {
    let [before, end] = changed(Port::Ramp, Port::Plain);
    assert!(marked(&before) > A_SECOND - 60, "{}", marked(&before));
    assert!(marked(&end) - marked(&before) <= 1, "{}", marked(&end));
}

/// Nothing is lost before. In the second after it 1,667 frames come, 812 leave of those that waited, and none finds room: more waited
/// than leave.
#[test]
fn a_shorter_buffer_that_comes_with_a_queue_refuses_what_comes() {
    let [before, end] = changed(Port::Plain, Port::Short);
    assert_eq!(full(&before), 0);
    assert!(full(&end).abs_diff(1_667) <= 2, "{}", full(&end));
}

/// The other way about: 1,667 come in the first second, 812 leave, 13 wait. After it none is lost.
#[test]
fn a_buffer_without_bound_that_comes_with_a_queue_refuses_nothing() {
    let [before, end] = changed(Port::Short, Port::Plain);
    assert!(
        full(&before).abs_diff(1_667 - A_SECOND - 13) <= 3,
        "{}",
        full(&before)
    );
    assert_eq!(full(&end), full(&before));
}
