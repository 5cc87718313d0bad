//! Another queue management or buffer at a port of a running world: it acts from that instant on, and the old one no more.

use backwater_sim::cause::Cause;
use backwater_sim::ids::PortId;
use backwater_sim::limit::Limit;
use backwater_sim::queue::{AnyAqm, AnyScheduler};
use backwater_sim::record::What;
use backwater_sim::spec::{Happening, LinkEvent};
use backwater_sim::world::Report;
use backwater_transport::part::Value;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, PS_PER_S, Rate, Span, Time};

use crate::aqm::queue;
use crate::net::*;
use crate::shown::Notes;
use crate::timing::{byte, framed};

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

/// Flow queuing holds frames in queues of its own. A line that goes down loses all of them at that instant, and those that come while it is away:
/// of 40 full packets that come at 100 Mbit/s to a line of 10, those are delivered that were there by then.
#[test]
fn a_line_that_goes_down_loses_what_waits_in_queues_of_flows() {
    let mut net = Net::new(0.5);
    let (s, w, d) = (net.host("S"), net.switch("W"), net.host("D"));
    net.link(s, w, 100 * MBIT);
    let slow = net.link(w, d, 10 * MBIT)[0];
    net.0.ports[slow].aqm = queue("fq-codel", &[]).aqm;
    for name in ["f", "g"] {
        net.flow(name, s, d, script([(0, 20 * 1_500)]));
    }
    let down = 9 * MS;
    net.0.events.push(LinkEvent {
        name: "cut".into(),
        links: vec![1],
        at: Span(down),
        until: Some(Span(20 * MS)),
        what: Happening::Down { converge: None },
    });
    let (report, records) = net.run_recorded();
    // The first begins when it has come, and each takes 1538 bytes of the line with its gap.
    let first = (8 + framed(1_500)) * byte(100 * MBIT) + US;
    let there = |n: u64| first + (n * 1538 - 12) * byte(10 * MBIT) + US;
    let before = (1..).take_while(|n| there(*n) < down).count() as u64;
    assert_eq!(delivered(&report), before);
    let lost = records.iter().filter(|r| r.what == What::Drop);
    let lost: Vec<_> = lost.map(|r| (r.at.0, r.value)).collect();
    let each = (down, Cause::LinkDown as u64);
    assert_eq!(lost, vec![each; 40 - before as usize]);
    assert_eq!(report.held, 0);
}

/// A frame of class 1 is on the line when the port gets a queue for each class, with room for two frames in each. The frame fills half of its own: of two
/// that come behind it one is lost, and of two of class 0 none.
#[test]
fn a_frame_on_the_line_counts_in_the_queue_of_its_class() {
    let line = |scheduler: AnyScheduler| {
        let mut net = Net::new(0.1);
        let (s, w, d) = (net.host("S"), net.switch("W"), net.host("D"));
        net.link(s, w, 100 * MBIT);
        let slow = net.link(w, d, 10 * MBIT)[0];
        net.0.ports[slow].scheduler = scheduler;
        net.buffer(slow, 2 * 1_518);
        let demands = [vec![(900 * US, 3_000)], vec![(0, 1_500), (600 * US, 3_000)]];
        for (class, demands) in demands.into_iter().enumerate() {
            let flow = net.flow(&format!("f{class}"), s, d, script(demands));
            flow.class = class as u8;
        }
        (net, slow)
    };
    let (net, slow) = line(AnyScheduler::Fifo);
    let mut world = net.world();
    world.advance(Time(500 * US));
    let other = line(AnyScheduler::StrictPriority(2)).0.world();
    let changed = world.change_queue(PortId::new(slow), &other);
    changed.expect("a port that nobody watches");
    world.advance(world.end());
    let report = world.report();
    let lost = [0, 1].map(|class| report.flows[class].sums.dropped.packets);
    assert_eq!(lost, [0, 1]);
}

/// Queue management that reckons with the line rate is told of another.
#[test]
fn queue_management_is_told_of_another_line_rate() {
    let notes = Notes::default();
    let mut net = Net::new(0.1);
    let (s, d) = (net.host("S"), net.host("D"));
    let port = net.link(s, d, 10 * MBIT)[0];
    net.0.ports[port].aqm = Some(AnyAqm::Custom(Box::new(notes.clone())));
    net.flow("f", s, d, script([(0, 1_500)]));
    let mut world = net.world();
    assert_eq!(*notes.rates.lock().expect("one thread"), [10 * MBIT]);
    world.advance(Time(50 * MS));
    let changed = world.change_rate(PortId::new(port), Rate(100 * MBIT));
    changed.expect("a wire of which nobody keeps the rate");
    assert_eq!(
        *notes.rates.lock().expect("one thread"),
        [10 * MBIT, 100 * MBIT]
    );
}
