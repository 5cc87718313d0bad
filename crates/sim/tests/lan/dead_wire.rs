//! What waits at a port whose wire goes down: control frames, frames in queues of queue management, and notices that come meanwhile.

use backwater_sim::cause::Cause;
use backwater_sim::ids::PortId;
use backwater_sim::record::What;
use backwater_sim::spec::{Happening, LinkEvent, Routing};
use backwater_transport::units::{Span, Time};

use crate::aqm::queue;
use crate::net::*;
use crate::outage::{away, comes, full};
use crate::random::same;
use crate::timing::byte;

/// When two frames have left the queue that was full, so that A may go on.
fn clear() -> u64 {
    comes(1) + (2 * 1538 - 12) * byte(MBIT)
}

/// A frame from C is on the line from X to A when the queue is full, so the control frame that tells A to stop waits. The line goes down:
/// the control frame is lost. A is told when the line is back, and hears both notices as long after they were sent.
#[test]
fn a_control_frame_that_waits_is_lost_with_its_wire() {
    let (mut net, out) = full(0.4);
    let c = net.host("C");
    net.link(c, 2, 100 * MBIT);
    net.flow("c", c, 0, script([(200 * US, 1_500)]));
    net.0.events.push(away(0, MS, 10 * MS));
    let (report, records) = net.run_recorded();
    assert_eq!(
        notices(&records, What::Notice, out + 1),
        [(comes(3), 65_535), (10 * MS, 65_535), (clear(), 0)]
    );
    assert_eq!((report.control, report.dropped), (3, 1));
    assert_eq!(report.ports[out].count.closed[0], clear() - 10 * MS);
    same(&net.run(), &report, "not recorded", 0);
}

/// The queue is full while the line to A is down: nothing is sent until the line is back.
#[test]
fn no_notice_is_sent_over_a_wire_that_is_down() {
    let (mut net, out) = full(0.4);
    net.0.events.push(away(0, 200 * US, 10 * MS));
    let (report, records) = net.run_recorded();
    assert_eq!(
        notices(&records, What::Notice, out + 1),
        [(10 * MS, 65_535), (clear(), 0)]
    );
    assert_eq!(report.control, 2);
    assert_eq!(report.ports[out].count.closed[0], clear() - 10 * MS);
}

/// Five frames of two flows come to a port with a queue for each flow. The third is on the line when it goes down: it is lost, and so are
/// the two that wait in those queues. Two that come after the return leave one after the other.
#[test]
fn frames_in_queues_of_flows_are_lost_with_their_wire() {
    for id in ["fq-codel", "dualpi2"] {
        let mut net = Net::new(0.1);
        let (s, x, d) = (net.host("S"), net.switch("X"), net.host("D"));
        net.link(s, x, 100 * MBIT);
        let port = net.link(x, d, 10 * MBIT)[0];
        let flows = queue(id, &[]);
        (net.0.ports[port].scheduler, net.0.ports[port].aqm) = (flows.scheduler, flows.aqm);
        net.flow("a", s, d, script([(0, 4_500), (30 * MS, 1_500)]));
        net.flow("b", s, d, script([(0, 3_000), (30 * MS, 1_500)]));
        net.0.events.push(away(1, 3 * MS, 20 * MS));
        let (report, records) = net.run_recorded();
        let at = |what: What| {
            let mine = records.iter().filter(move |r| r.what == what);
            mine.map(|r| r.at.0).collect::<Vec<u64>>()
        };
        let first = comes(1);
        let there = |came: u64, n: u64| came + (n * 1538 - 12) * byte(10 * MBIT) + US;
        let late = 30 * MS + first;
        assert_eq!(
            at(What::Deliver),
            [
                there(first, 1),
                there(first, 2),
                there(late, 1),
                there(late, 2)
            ]
        );
        assert_eq!(at(What::Drop), [3 * MS; 3]);
        let causes = report.drops.iter().map(|row| row.key.0);
        assert!(causes.into_iter().all(|cause| cause == Cause::LinkDown));
        same(&net.run(), &report, "not recorded", 0);
    }
}

/// Two equal ways lead from X to Z. When a wire of one of them goes down all frames take the other.
#[test]
fn switches_forward_around_a_dead_wire() {
    for dead in [1, 3] {
        let mut net = Net::new(0.05);
        net.0.routing = Routing::Ecmp;
        let (s, x, z) = (net.host("S"), net.switch("X"), net.switch("Z"));
        net.link(s, x, 100 * MBIT);
        for name in ["Y1", "Y2"] {
            let y = net.switch(name);
            net.link(x, y, 100 * MBIT);
            net.link(y, z, 100 * MBIT);
        }
        let d = net.host("D");
        net.link(z, d, 100 * MBIT);
        net.flow("f", s, d, script([0, 2, 3, 4].map(|n| (n * MS, 1_500))));
        let what = Happening::Down {
            converge: Some(Span(0)),
        };
        net.0.events.push(LinkEvent {
            what,
            ..away(dead, MS, 40 * MS)
        });
        assert_eq!(net.run().delivered, 4, "{dead}");
    }
}

/// A frame is on a wire of 5 ms, which becomes one of 1 us at 1.5 ms and is down from 2 to 3 ms: the frame is lost. The next one waits for no
/// frame that was lost: its 1,526 B take 1,220.8 us, and the wire 1 us.
#[test]
fn a_frame_waits_for_none_that_was_lost_with_a_longer_wire() {
    let mut net = Net::new(0.1);
    let (s, d) = (net.host("S"), net.host("D"));
    let port = net.link(s, d, 10 * MBIT)[0];
    net.0.links[0].delay = Span(5 * MS);
    net.flow("f", s, d, script([(0, 1_500), (3_100 * US, 1_500)]));
    net.0.events.push(away(0, 2 * MS, 3 * MS));
    let mut world = net.world();
    world.advance(Time(1_500 * US));
    let changed = world.change_delay(PortId::new(port), Span::micros(1));
    changed.expect("a wire");
    world.advance(world.end());
    let report = world.report();
    assert_eq!((report.dropped, report.delivered), (1, 1));
    let took = 1_526 * 800_000 + US;
    assert_eq!(report.all.max, took);
}
