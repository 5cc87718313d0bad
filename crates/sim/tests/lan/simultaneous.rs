//! Things that happen at one instant at a port: a choice and a frame that comes, the end of a pause and the end of a frame's way, or a frame that comes.

use backwater_sim::record::What;
use backwater_transport::part::Value;
use backwater_transport::units::Span;

use crate::net::*;
use crate::outage::{comes, full};
use crate::random::same;
use crate::timing::{byte, sends};

/// Two frames of the lower class are at a port, one of them on the line. One of the higher class comes when the first has left, to the tick: the choice was due
/// before, so it waits for the second.
#[test]
fn a_frame_that_comes_when_a_choice_is_due_waits_for_the_one_chosen() {
    let mut net = Net::new(0.1);
    let (a, b, x) = (net.host("A"), net.host("B"), net.switch("X"));
    let d = net.host("D");
    for from in [a, b] {
        net.link(from, x, 100 * MBIT);
    }
    net.link(x, d, 10 * MBIT);
    net.classes(2);
    net.flow("low", a, d, script([(0, 3_000)]));
    let left = comes(1) + 1_526 * byte(10 * MBIT);
    net.flow("high", b, d, script([(left - comes(1), 1_500)]))
        .class = 1;
    let (report, records) = net.run_recorded();
    let there = records.iter().filter(|r| r.what == What::Deliver);
    let there: Vec<(usize, u64)> = there.map(|r| (r.flow.index(), r.at.0)).collect();
    let line = |n: u64| left + n * 1_538 * byte(10 * MBIT) + US;
    assert_eq!(there, [(0, line(0)), (0, line(1)), (1, line(2))]);
    same(&net.run(), &report, "not recorded", 0);
}

/// Bytes of a notice with preamble and those that pass until it is obeyed, and those of a quantum.
const HEARD: u64 = 72 + 64;
const QUANTUM: u64 = 64;

/// A burst of B fills the queue to D, and X asks A to stop for so many quanta. What X says next waits behind a packet for A. The wire between A and X takes so long.
/// Gives the network, the host E, and when X asks.
fn paused(quanta: u64, delay: u64) -> (Net, usize, u64) {
    let mut net = full(0.4).0;
    net.0.links[0].delay = Span(delay);
    net.0.mechanisms.clear();
    let given = [
        ("high", Value::Share(0.8)),
        ("low", Value::Share(0.4)),
        ("quanta", Value::Count(quanta)),
    ];
    net.recipe("pause", &[4], &given);
    let e = net.host("E");
    net.link(2, e, 100 * MBIT);
    let way = comes(3) + 200 * byte(10 * MBIT);
    net.flow("in the way", e, 0, script([(way - comes(1), 1_500)]));
    (net, e, comes(3))
}

/// A is told to stop while it sends 1,018 B. The pause is counted from the end of that frame, and ends when the frame arrives at X, to the tick: the frame behind it
/// begins then.
#[test]
fn a_frame_leaves_when_a_pause_is_over_and_the_frame_before_it_arrives() {
    let slow = byte(10 * MBIT);
    let stops = 10 * QUANTUM * slow;
    let (mut net, e, asked) = paused(10, stops);
    let first = asked - 100 * slow;
    net.flow("f", 0, e, script([(first, 1_000), (first, 46)]));
    let (report, records) = net.run_recorded();
    let ends = first + (8 + 1_018) * slow;
    assert!((first..ends).contains(&(asked + HEARD * slow + stops)));
    assert_eq!(sends(&records, 0), [first, ends + stops]);
    same(&net.run(), &report, "not recorded", 0);
}

/// A frame has waited for a gate at A half a second before. Now one comes at the instant at which a pause is over: it begins at once.
#[test]
fn a_frame_that_comes_when_a_pause_is_over_leaves_at_once() {
    let slow = byte(10 * MBIT);
    let (mut net, e, asked) = paused(22, US);
    let over = |from: u64| from + asked + (HEARD + 22 * QUANTUM) * slow + US;
    let later = 500 * MS;
    net.flow("again", 1, 3, script([(later, 4_500)]));
    let way = later + asked + 200 * slow - comes(1);
    net.flow("in the way again", e, 0, script([(way, 1_500)]));
    let waits = over(0) - 100 * slow;
    net.flow("f", 0, e, script([(waits, 46), (over(later), 46)]));
    let (report, records) = net.run_recorded();
    let knobs = notices(&records, What::Knob, 0);
    assert!(knobs.contains(&(later + asked + HEARD * slow + US, 22)));
    assert_eq!(sends(&records, 0), [over(0), over(later)]);
    same(&net.run(), &report, "not recorded", 0);
}
