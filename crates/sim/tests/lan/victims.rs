//! Victims of head-of-line blocking: frames held back by a queue that isn't on their way.

use crate::aqm::queue;
use crate::net::*;
use backwater_sim::record::What;
use backwater_transport::part::Value;

/// All flows go through the congested queue, so none is a victim, whatever its class.
#[test]
fn a_flow_to_the_congested_queue_is_no_victim_whatever_its_class() {
    for class in [0, 1, 7] {
        let (mut net, port) = merging(1.0, || cbr(5 * MBIT));
        net.0.flows.iter_mut().for_each(|f| f.class = class);
        net.recipe("pause", &[port], &[]);
        let report = net.run();
        assert!(report.control > 0);
        let victims: u64 = report.ports.iter().map(|p| p.count.victims).sum();
        assert_eq!(victims, 0, "class {class}");
    }
}

/// Two flows share the link W>X; only the first goes through the congested queue. Under PAUSE the frames
/// of the second that have to wait for it are victims, each counted once; by destination none waits.
#[test]
fn victims_are_the_innocent_frames_that_waited_at_a_closed_gate() {
    let mut net = Net::new(2.0);
    let (w, x) = (net.switch("W"), net.switch("X"));
    let shared = net.link(w, x, 100 * MBIT)[0];
    let mut port = 0;
    for (name, rate) in [("guilty", 10), ("innocent", 100)] {
        let (s, d) = (net.host(name), net.host(&format!("D {name}")));
        net.link(s, w, 100 * MBIT);
        let out = net.link(x, d, rate * MBIT)[0];
        port = if rate == 10 { out } else { port };
        // At spacings that don't divide one another.
        let spacing = if rate == 10 { 1_000 * US } else { 3_137 * US };
        net.flow(name, s, d, script((0..1900).map(|i| (i * spacing, 1500))));
    }
    net.buffer(port, 50_000);
    for recipe in ["pause", "pause-destination"] {
        let mut net = net.clone();
        net.recipe(recipe, &[port], &[]);
        let (report, records) = net.run_recorded();
        let mut closed: Option<u64> = None;
        let mut spans: Vec<(u64, u64)> = Vec::new();
        for (at, quanta) in notices(&records, What::Knob, shared) {
            match (closed, quanta) {
                (None, 1..) => closed = Some(at),
                (Some(from), 0) => {
                    spans.push((from, at));
                    closed = None;
                }
                _ => {}
            }
        }
        // A frame waited if it came before a gate opened and left when that had happened.
        let enqueued = records
            .iter()
            .filter(|r| r.what == What::Enqueue && r.port.index() == shared && r.flow.index() == 1);
        let waited = enqueued.filter(|e| {
            let sent = records.iter().find(|r| {
                r.what == What::Send
                    && r.port.index() == shared
                    && (r.flow, r.seq) == (e.flow, e.seq)
            });
            let sent = sent.map_or(u64::MAX, |r| r.at.0);
            spans
                .iter()
                .any(|(_, open)| e.at.0 < *open && sent >= *open && sent < u64::MAX)
        });
        let expected = if recipe == "pause" {
            waited.count() as u64
        } else {
            0
        };
        assert_eq!(expected > 0, recipe == "pause");
        assert_eq!(report.flows[1].victims, expected, "{recipe}");
        assert_eq!(report.ports[shared].count.victims, expected, "{recipe}");
        assert_eq!(report.flows[0].victims, 0, "{recipe}");
    }
}

/// Two queues behind the shared link W>X stop the frames to their own hosts. Each frame waits for the queue on its way, whichever spoke last.
#[test]
fn where_two_queues_stop_a_port_a_frame_waits_for_its_own() {
    let mut net = Net::new(2.0);
    let (w, x) = (net.switch("W"), net.switch("X"));
    let shared = net.link(w, x, 100 * MBIT)[0];
    let mut ports = Vec::new();
    for (name, rate) in [("a", 5), ("b", 7)] {
        let (s, d) = (net.host(name), net.host(&format!("D {name}")));
        net.link(s, w, 100 * MBIT);
        let out = net.link(x, d, rate * MBIT)[0];
        net.buffer(out, 50_000);
        ports.push(out);
        net.flow(name, s, d, cbr(30 * MBIT));
    }
    net.recipe("pause-destination", &ports, &[]);
    let (report, records) = net.run_recorded();
    assert!(notices(&records, What::Knob, shared).len() > 100);
    assert!(report.ports[shared].count.stall > 0);
    assert_eq!(report.ports[shared].count.victims, 0);
}

/// Two classes share one queue toward X, whose queue of class 0 alone is congested. Frames of class 1 wait behind those of class 0 at the closed gate,
/// though their own queue is not full: they are victims, on the same way. Those of class 0 are none.
#[test]
fn a_class_behind_a_stopped_class_is_a_victim() {
    let mut net = Net::new(2.0);
    let (s, w, x, d) = (
        net.host("S"),
        net.switch("W"),
        net.switch("X"),
        net.host("D"),
    );
    net.link(s, w, 100 * MBIT);
    let shared = net.link(w, x, 100 * MBIT)[0];
    let port = net.link(x, d, 10 * MBIT)[0];
    net.buffer(port, 100_000);
    let classes = [("classes", Value::Count(2))];
    net.0.ports[port].scheduler = queue("strict-priority", &classes).scheduler;
    for (class, rate) in [(0, 15), (1, 1)] {
        net.flow(&format!("f{class}"), s, d, cbr(rate * MBIT)).class = class;
    }
    net.recipe("pause-class", &[port], &[]);
    let report = net.run();
    assert!(report.ports[shared].count.stall > 0);
    assert_eq!(report.flows[0].victims, 0);
    let victims = report.flows[1].victims;
    assert!(victims > 10, "{victims}");
    assert_eq!(report.ports[shared].count.victims, victims);
}

/// A PAUSE of one quantum, said again before it is over, names its queue as a longer one does: all flows go through that queue, so none is a victim.
#[test]
fn a_pause_of_one_quantum_makes_no_victim_of_a_flow_to_its_queue() {
    let (mut net, port) = merging(0.2, || cbr(5 * MBIT));
    net.recipe("pause", &[port], &[("quanta", Value::Count(1))]);
    let report = net.run();
    let stalls = report.ports.iter().map(|p| p.count.stall).sum::<u64>();
    assert!(stalls > 0);
    let victims: u64 = report.ports.iter().map(|p| p.count.victims).sum();
    assert_eq!(victims, 0);
}
